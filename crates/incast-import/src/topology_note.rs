//! Notes on topology files.

/// A note on a part of a topology file that its simulator does not use either, so that the network
/// does not have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TopologyNote {
    /// The line; `None` for a note on several lines.
    pub(crate) line: Option<u64>,
    /// The subject of the note.
    pub(crate) subject: String,
    /// The consequence for the network, and the reason.
    pub(crate) outcome: String,
}
