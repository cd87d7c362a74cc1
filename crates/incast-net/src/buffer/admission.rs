//! The decision whether a buffer has room for a packet.

/// The decision about a packet that would join the data queue of an egress port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The packet is charged to the buffer. It leaves at once or waits.
    Stored,
    /// The packet has no room: either this packet or [another one](super::Contention) is
    /// [trimmed](super::TrimmingConfig) or dropped.
    Refused,
}
