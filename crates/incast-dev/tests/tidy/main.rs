//! Rules that no compiler checks. Dependencies between crates, imports without cycles, lengths of
//! files, functions and sentences. One meaning for each name, the words of the glossary, and a test
//! for every message. Licences and sources of third-party crates.

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
