//! Rules that no compiler checks. Which crate may know which, and that imports form no circles. How
//! long files, functions and sentences are, that a name has one meaning, and which words the tree
//! uses. That every message has a test, and what other people's crates bring in.

mod arguments;
mod arrows;
mod circles;
mod dependencies;
mod guide;
mod messages;
mod names;
mod sentences;
mod sizes;
mod source;
mod words;
