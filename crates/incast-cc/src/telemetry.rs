//! In-band network telemetry: what switches write into packets, as an algorithm reads it.
//!
//! Real INT fields are narrow and wrap (HPCC: 24 bits of nanoseconds, 20 bits of 128-byte
//! units; FNCC §4.3). A record keeps the wrapped value; [`Telemetry`] takes differences
//! modulo the field's width. Exact INT is the same with wide fields and units of one.

use incast_units::{Bytes, Rate, Time};

/// Most switches on a path whose INT a packet can carry.
pub const MAX_INT_HOPS: usize = 13;

/// One switch's record: the state of the port that the packet left through, when it left.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct IntRecord {
    /// Clock, in the format's time units, wrapped.
    pub clock: u64,
    /// Bytes that the port had sent before this packet, in the format's units, wrapped.
    pub sent: u64,
    /// Bytes that waited behind this packet, rounded down to the format's units.
    pub queue: Bytes,
    /// Rate of the port's link.
    pub rate: Rate,
}

/// Widths and units of the fields.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct IntFormat {
    /// One tick of the clock.
    pub clock_unit: Time,
    /// The clock wraps after 2 to this power ticks.
    pub clock_bits: u32,
    /// One unit of sent bytes.
    pub sent_unit: Bytes,
    /// Sent bytes wrap after 2 to this power units.
    pub sent_bits: u32,
    /// One unit of queued bytes.
    pub queue_unit: Bytes,
    /// The queue field is this wide; a longer queue reads as the largest value.
    pub queue_bits: u32,
}

impl IntFormat {
    /// The 64-bit record of HPCC and FNCC (§4.3), its byte units multiplied by `multiplier`.
    pub const fn quantised(multiplier: u64, queue_bits: u32) -> Self {
        Self {
            clock_unit: Time::from_ns(1),
            clock_bits: 24,
            sent_unit: Bytes::new(128 * multiplier),
            sent_bits: 20,
            queue_unit: Bytes::new(80 * multiplier),
            queue_bits,
        }
    }

    /// Picoseconds and bytes, in fields that do not wrap within a simulation's base RTTs.
    pub const fn exact() -> Self {
        Self {
            clock_unit: Time::from_ps(1),
            clock_bits: 40,
            sent_unit: Bytes::new(1),
            sent_bits: 40,
            queue_unit: Bytes::new(1),
            queue_bits: 40,
        }
    }
}

/// The records of one packet.
#[derive(Copy, Clone, Debug)]
pub struct Telemetry<'a> {
    /// One per switch, in path order.
    pub records: &'a [IntRecord],
    /// How to take differences between them.
    pub format: &'a IntFormat,
}

impl Telemetry<'_> {
    /// Time from `old` to `new`, two records of the same port.
    #[inline]
    pub fn elapsed(&self, new: &IntRecord, old: &IntRecord) -> Time {
        let ticks = wrapped_difference(new.clock, old.clock, self.format.clock_bits);
        self.format.clock_unit * ticks
    }

    /// Bytes that the port sent from `old` to `new`.
    #[inline]
    pub fn sent(&self, new: &IntRecord, old: &IntRecord) -> Bytes {
        let units = wrapped_difference(new.sent, old.sent, self.format.sent_bits);
        self.format.sent_unit * units
    }
}

#[inline]
fn wrapped_difference(new: u64, old: u64, bits: u32) -> u64 {
    new.wrapping_sub(old) & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(clock: u64, sent: u64) -> IntRecord {
        IntRecord {
            clock,
            sent,
            queue: Bytes::ZERO,
            rate: Rate::from_gbps(100),
        }
    }

    /// 24-bit clock: from 2^24 − 10 to 77 is 87 ns. 20-bit counter in units of 4·128 B:
    /// from 2^20 − 1 to 1 is 2 units, 1024 B.
    #[test]
    fn differences_survive_the_wrap() {
        let format = IntFormat::quantised(4, 17);
        let telemetry = Telemetry {
            records: &[],
            format: &format,
        };
        let (old, new) = (record((1 << 24) - 10, (1 << 20) - 1), record(77, 1));
        assert_eq!(telemetry.elapsed(&new, &old), Time::from_ns(87));
        assert_eq!(telemetry.sent(&new, &old), Bytes::new(1024));
    }

    /// Exact: 87 200 ps, 1090 B.
    #[test]
    fn exact_records_keep_every_bit() {
        let format = IntFormat::exact();
        let telemetry = Telemetry {
            records: &[],
            format: &format,
        };
        let (old, new) = (record(1_000_000, 5_000), record(1_087_200, 6_090));
        assert_eq!(telemetry.elapsed(&new, &old), Time::from_ps(87_200));
        assert_eq!(telemetry.sent(&new, &old), Bytes::new(1_090));
    }
}
