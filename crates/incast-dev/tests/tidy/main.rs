//! Rules that no compiler checks: dependencies between crates, and imports without circles; lengths
//! of files, functions and sentences; one meaning for each name, and the words of the glossary; a
//! test for every message; and the licences and sources of third-party crates.

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
