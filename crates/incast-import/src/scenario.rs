//! Experiments of other simulators, as scenarios.
//!
//! An import never guesses silently: for everything that a file says it reports what became of
//! it, and what this version cannot do is an error.

/// A scenario made from other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The scenario, to be saved in the folder of the imported file, at which its paths begin.
    pub toml: String,
    /// What became of everything that the file says, in its order; then defaults that were used.
    pub report: Vec<ImportedKey>,
}

/// What became of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedKey {
    /// The line of the file; `None` if it does not say this, and a default was taken.
    pub line: Option<u64>,
    /// The setting, in the words of the file.
    pub key: String,
    /// Its value, in the words of the file.
    pub value: String,
    /// What became of it.
    pub outcome: ImportOutcome,
}

/// Whether a setting was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// The setting was used. It is under this key of the scenario, perhaps with a remark.
    Used(String),
    /// The setting was not used, for this reason.
    NotUsed(String),
}

impl std::fmt::Display for ImportOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Used(key) => write!(f, "used: {key}"),
            Self::NotUsed(reason) => write!(f, "not used: {reason}"),
        }
    }
}
