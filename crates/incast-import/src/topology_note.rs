//! Notes on topology files.

/// What a topology file says that the network does not have, as its simulator reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TopologyNote {
    /// The line, if it is one.
    pub(crate) line: Option<u64>,
    /// What it is about.
    pub(crate) subject: String,
    /// What became of it, and why.
    pub(crate) outcome: String,
}
