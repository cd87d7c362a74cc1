//! Rules that no compiler checks: which crate may know which, that imports form no circles, how
//! long files and functions are, that a name has one meaning, which words the tree uses, that every
//! message has a test, what other people's crates bring in.

mod arguments;
mod arrows;
mod circles;
mod dependencies;
mod guide;
mod messages;
mod names;
mod sizes;
mod source;
mod words;
