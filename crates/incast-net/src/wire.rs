//! Packets on the wire: their kinds, their layout in 64 or 128 bytes, their sizes.

mod address;
mod kind;
mod lane;
mod layout;
mod packet;
mod sizes;

pub use self::address::MAX_HOPS;
pub(crate) use self::address::{Address, MarkReport, NOWHERE};
pub use self::kind::PacketKind;
pub(crate) use self::kind::{Class, Kind, Pass};
pub(crate) use self::lane::{Lane, Lanes};
pub use self::layout::MAX_INT_WORDS;
pub(crate) use self::layout::{ONE_LINE, PacketLayout, PacketParts, TWO_LINES};
pub(crate) use self::packet::{
    LONGEST_HOP, MAX_FLOWS, MAX_PACKETS, Packet, Speculation, TrimmedAt,
};
pub use self::sizes::{Carried, PacketSizes};
