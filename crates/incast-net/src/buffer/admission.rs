//! Whether a packet finds room.

/// What becomes of a packet that would join the data queue of an egress port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The packet is charged to the buffer, and leaves or waits.
    Stored,
    /// There is no room for it: it or [another one](super::Contention) is
    /// [trimmed](super::TrimmingConfig) or dropped.
    Refused,
}
