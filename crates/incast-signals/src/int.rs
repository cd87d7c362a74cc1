//! In-band network telemetry (INT): records that switches write into packets and senders read.
//!
//! Real INT fields are narrow and wrap (HPCC: 24 bits of nanoseconds, 20 bits of 128-byte units;
//! FNCC §4.3). A record keeps the wrapped value, and differences are taken modulo two to the power
//! of the field's width. Exact INT uses the same records with wide fields and the smallest units.
//!
//! ```text
//! IntSource   the option: which packets collect it
//! IntFormat   the option: exact, or quantised with these units and widths
//! IntLayout   where the fields lie in the words of a packet, and the codes of link rates
//! IntWriter   packs a record into a packet, at a switch
//! Telemetry   the records of one ACK, at the sender; they stay packed until they are read
//! ```

mod divisor;
mod format;
mod layout;
mod reader;
mod source;
mod writer;

pub use format::IntFormat;
pub use layout::{IntLayout, RateCode};
pub use reader::{Exact, HopRecords, Quantised, RecordReader, Records, Telemetry};
pub use source::IntSource;
pub use writer::{IntWriter, PortSnapshot, Quantiser};

use incast_units::{Bytes, Rate};

/// One switch's record: the state of the packet's output port when the packet left.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct IntRecord {
    /// Clock, in the format's clock units, wrapped.
    pub clock: u64,
    /// Bytes that the port had sent before this packet, in the format's units, wrapped.
    pub sent: u64,
    /// Bytes that waited behind this packet, rounded down to the format's units.
    pub queue: Bytes,
    /// Rate of the port's link.
    pub rate: Rate,
}

#[inline(always)]
const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// A number below 2^63 as a float. The conversion takes one instruction from a signed integer,
/// eight from an unsigned one.
#[inline(always)]
fn float(number: u64) -> f64 {
    debug_assert!(number < 1 << 63);
    number as i64 as f64
}

#[cfg(test)]
mod tests;
