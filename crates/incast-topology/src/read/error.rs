//! What can be wrong with a topology file.

use std::io;
use std::path::{Path, PathBuf};

use incast_diagnostic::Diagnostic;
use incast_units::HostId;

use crate::error::{GraphError, ParameterError};
use crate::topology::{LINKS_MAX, NODES_MAX};

/// Why a file holds no network: where, what was wrong, what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {fault}", .file.display(), numbered(*.line))]
pub struct ReadError {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1; `None` if it is the file as a whole.
    pub line: Option<u64>,
    /// What was wrong.
    pub fault: ReadFault,
}

/// What is wrong with a line of a file, or with the file.
#[derive(Debug, thiserror::Error)]
pub enum ReadFault {
    /// The operating system would not let us.
    #[error("cannot read it: {0}")]
    Unreadable(io::Error),

    /// Nothing but blanks.
    #[error("the file is empty; it begins with {expected}")]
    Empty {
        /// What a file begins with.
        expected: &'static str,
    },

    /// Longer than any line of text.
    #[error("the line is longer than {longest} bytes; this is not a topology file")]
    TooLong {
        /// The most bytes that a line may have.
        longest: usize,
    },

    /// Bytes that are no text.
    #[error("the line is not UTF-8 text; this is not a topology file")]
    NotText,

    /// A line that stops early.
    #[error("{field} is missing; expected {form}")]
    Missing {
        /// What is missing.
        field: &'static str,
        /// What a whole line looks like.
        form: &'static str,
    },

    /// A line that goes on.
    #[error("`{word}` is one word too many; expected {form}")]
    Surplus {
        /// The first word too many.
        word: String,
        /// What a whole line looks like.
        form: &'static str,
    },

    /// Something else instead of a number.
    #[error("{field}: `{word}` is not {expected}")]
    NotANumber {
        /// What it should say.
        field: &'static str,
        /// What was written.
        word: String,
        /// What would be right.
        expected: &'static str,
    },

    /// A rate or a delay that is none.
    #[error("{field}: {error}")]
    Quantity {
        /// What it should say.
        field: &'static str,
        /// What was wrong.
        error: Diagnostic,
    },

    /// More than any network has.
    #[error("{nodes} nodes and {links} links are too many: at most {NODES_MAX} and {LINKS_MAX}")]
    TooLarge {
        /// Nodes announced or found.
        nodes: u64,
        /// Links announced or found.
        links: u64,
    },

    /// Every node a switch.
    #[error("{switches} switches of {nodes} nodes leave no host; write fewer switches than nodes")]
    NoHosts {
        /// Nodes announced.
        nodes: u32,
        /// Switches announced.
        switches: u32,
    },

    /// A list of switches of another length than announced.
    #[error("{found} switch numbers, but the first line announces {announced} switches")]
    SwitchCount {
        /// Announced.
        announced: u32,
        /// Found.
        found: usize,
    },

    /// The same switch twice.
    #[error("switch {id} is listed twice; list every switch once")]
    SwitchTwice {
        /// Its number.
        id: u32,
    },

    /// A number beyond the nodes announced.
    #[error("{field}: node {id} does not exist; nodes are 0–{}", .nodes - 1)]
    NoSuchNode {
        /// What it should say.
        field: &'static str,
        /// The number.
        id: u32,
        /// Nodes announced.
        nodes: u32,
    },

    /// A file that ends early.
    #[error("the file ends after {found} links, but its first line announces {announced}")]
    LinksMissing {
        /// Announced.
        announced: u32,
        /// Found.
        found: usize,
    },

    /// A file that goes on.
    #[error("the first line announces {announced} links, and this line comes after the last")]
    LinksBeyond {
        /// Announced.
        announced: u32,
    },

    /// A line that says nothing we know.
    #[error(
        "unknown keyword `{word}`; {}expected one of {}",
        did_you_mean(*.suggestion),
        .known.join(", ")
    )]
    UnknownKeyword {
        /// What was written.
        word: String,
        /// The nearest keyword, if one is near.
        suggestion: Option<&'static str>,
        /// All keywords.
        known: &'static [&'static str],
    },

    /// The same setting twice.
    #[error("`{key}` is set twice{}; set it once", of_tier(*.tier))]
    SetTwice {
        /// The setting.
        key: &'static str,
        /// Its tier, if it has one.
        tier: Option<u32>,
    },

    /// A setting that is needed.
    #[error("`{key}` is not set{}; write e.g. `{key} {example}`", of_tier(*.tier))]
    NotSet {
        /// The setting.
        key: &'static str,
        /// Its tier, if it has one.
        tier: Option<u32>,
        /// A value that might be meant.
        example: u32,
    },

    /// A setting where it means nothing.
    #[error("`{key}` does not belong here; {place}")]
    Misplaced {
        /// The setting.
        key: &'static str,
        /// Where it belongs.
        place: &'static str,
    },

    /// A value that cannot be.
    #[error("`{key} {value}` is impossible; {reason}")]
    Impossible {
        /// The setting.
        key: &'static str,
        /// What was written.
        value: u32,
        /// What would be possible.
        reason: &'static str,
    },

    /// Settings that contradict each other.
    #[error(
        "`{key} {value}`{} does not fit the rest, which asks for {expected} ({reason})",
        of_tier(*.tier)
    )]
    Contradiction {
        /// The setting.
        key: &'static str,
        /// Its tier, if it has one.
        tier: Option<u32>,
        /// What was written.
        value: u32,
        /// What the other settings ask for.
        expected: String,
        /// How they do.
        reason: &'static str,
    },

    /// A node that was declared before.
    #[error("node `{name}` is declared twice; give every node its own name")]
    NodeTwice {
        /// Its name.
        name: String,
    },

    /// A node that was not declared.
    #[error("node `{name}` is unknown; declare it above, with `hosts {name}` or `switches {name}`")]
    UnknownNode {
        /// Its name.
        name: String,
    },

    /// Well-formed, but no network because of a host, which has a name.
    #[error("{error} (host {host} is `{name}`)")]
    Host {
        /// What is wrong with it.
        error: GraphError,
        /// Its number.
        host: HostId,
        /// Its name.
        name: String,
    },

    /// Well-formed, but no network.
    #[error(transparent)]
    Graph(GraphError),

    /// Well-formed, but beyond the builders.
    #[error(transparent)]
    Parameter(ParameterError),
}

impl ReadError {
    pub(crate) fn unreadable(file: &Path, error: io::Error) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            fault: ReadFault::Unreadable(error),
        }
    }
}

fn numbered(line: Option<u64>) -> String {
    line.map(|line| format!(":{line}")).unwrap_or_default()
}

fn of_tier(tier: Option<u32>) -> String {
    tier.map(|tier| format!(" in tier {tier}"))
        .unwrap_or_default()
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion
        .map(|known| format!("did you mean `{known}`? "))
        .unwrap_or_default()
}
