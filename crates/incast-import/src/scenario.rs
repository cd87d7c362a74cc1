//! Experiments of other simulators, as scenarios.
//!
//! An import never guesses silently. It reports the use of every fact in a file; facts that this
//! version cannot model are errors.

/// A scenario made from other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The scenario, to be saved in the folder of the imported file, to which its paths are
    /// relative.
    pub toml: String,
    /// The use of every setting in the file, in its order; then the defaults that were used.
    pub report: Vec<ImportedKey>,
}

/// The use of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedKey {
    /// The line of the file; `None` for a default of a setting that the file does not have.
    pub line: Option<u64>,
    /// The setting, as the file names it.
    pub key: String,
    /// The setting's value, as the file writes it.
    pub value: String,
    /// Whether and how the setting was used.
    pub outcome: ImportOutcome,
}

/// Whether a setting was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// The setting became this key of the scenario, possibly with a remark.
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
