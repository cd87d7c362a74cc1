//! Packets on the wire: their kinds, their 64 or 128 bytes, their sizes.

mod packet;
mod sizes;

pub(crate) use self::packet::{
    Class, Kind, LONGEST_HOP, MarkReport, NOWHERE, ONE_LINE, Packet, Pass, Speculation, TWO_LINES,
};
pub use self::packet::{MAX_HOPS, MAX_INT_WORDS};
pub use self::sizes::{Carried, PacketSizes};
