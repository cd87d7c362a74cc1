//! Reading the records of an ACK at its sender.
//!
//! There are several records in every ACK, so they stay packed. An algorithm that compares them
//! with the records of the previous ACK asks for [`Records`] and reads each pair through
//! [`HopRecords`].

use incast_units::{Bytes, Time};

use super::format::{CLOCK_BITS, EXACT_BITS, SENT_BITS};
use super::layout::{
    EXACT_QUEUE_BITS, EXACT_QUEUE_SHIFT, HIGHEST_BYTE_SHIFT, QUEUE_SHIFT, exact_rate_code,
};
use super::{IntFormat, IntLayout, IntRecord, float, mask};

/// The packed records of one packet, one per switch in path order.
#[derive(Copy, Clone, Debug)]
pub struct Telemetry<'a> {
    words: &'a [u64],
    layout: &'a IntLayout,
}

/// The reader for one packet's records.
#[derive(Copy, Clone, Debug)]
pub enum Records<'a> {
    /// One word each.
    Quantised(Quantised<'a>),
    /// Two words each.
    Exact(Exact<'a>),
}

/// Reads quantised records.
#[derive(Copy, Clone, Debug)]
pub struct Quantised<'a> {
    layout: &'a IntLayout,
}

/// Reads exact records.
#[derive(Copy, Clone, Debug)]
pub struct Exact<'a> {
    layout: &'a IntLayout,
}

/// Reads packed records of one format. A record is a slice of [`RecordReader::WORDS`] words.
pub trait RecordReader: Copy {
    /// Words of a record.
    const WORDS: usize;
    /// Time from record `old` to record `new` of the same port, in clock units.
    fn elapsed(&self, new: &[u64], old: &[u64]) -> u64;
    /// `clock_units` clock units in ns.
    fn ns(&self, clock_units: u64) -> f64;
    /// Bits that the port sent between `old` and `new`.
    fn sent_bits(&self, new: &[u64], old: &[u64]) -> f64;
    /// Whether at least one unit waited behind the packet.
    fn has_queue(&self, record: &[u64]) -> bool;
    /// Bytes that waited behind the packet, rounded down to the format's units.
    fn queue(&self, record: &[u64]) -> u64;
    /// Rate of the port's link, in bit/s.
    fn link_bps(&self, record: &[u64]) -> f64;
}

impl<'a> Quantised<'a> {
    #[inline(always)]
    pub(super) fn new(layout: &'a IntLayout) -> Self {
        Self { layout }
    }
}

impl RecordReader for Quantised<'_> {
    const WORDS: usize = 1;

    #[inline(always)]
    fn elapsed(&self, new: &[u64], old: &[u64]) -> u64 {
        new[0].wrapping_sub(old[0]) & mask(CLOCK_BITS)
    }

    #[inline(always)]
    fn ns(&self, clock_units: u64) -> f64 {
        float(clock_units)
    }

    #[inline(always)]
    fn sent_bits(&self, new: &[u64], old: &[u64]) -> f64 {
        // With all clock bits of the new record set, the subtraction borrows nothing from the field
        // above.
        let difference = (new[0] | mask(CLOCK_BITS)).wrapping_sub(old[0]);
        float(difference & (mask(SENT_BITS) << CLOCK_BITS)) * self.layout.sent_place_bits
    }

    #[inline(always)]
    fn has_queue(&self, record: &[u64]) -> bool {
        record[0] & self.layout.queue_mask != 0
    }

    #[inline(always)]
    fn queue(&self, record: &[u64]) -> u64 {
        (record[0] >> QUEUE_SHIFT & self.layout.max_queue) * self.layout.queue_unit
    }

    #[inline(always)]
    fn link_bps(&self, record: &[u64]) -> f64 {
        let byte = (record[0] >> HIGHEST_BYTE_SHIFT) as u8;
        self.layout.bps[usize::from(byte)]
    }
}

impl<'a> Exact<'a> {
    #[inline(always)]
    pub(super) fn new(layout: &'a IntLayout) -> Self {
        Self { layout }
    }
}

impl RecordReader for Exact<'_> {
    const WORDS: usize = 2;

    #[inline]
    fn elapsed(&self, new: &[u64], old: &[u64]) -> u64 {
        new[0].wrapping_sub(old[0]) & mask(EXACT_BITS)
    }

    #[inline]
    fn ns(&self, clock_units: u64) -> f64 {
        float(clock_units) / 1_000.0
    }

    #[inline]
    fn sent_bits(&self, new: &[u64], old: &[u64]) -> f64 {
        float((new[1].wrapping_sub(old[1]) & mask(EXACT_BITS)) * 8)
    }

    #[inline]
    fn has_queue(&self, record: &[u64]) -> bool {
        self.queue(record) != 0
    }

    #[inline]
    fn queue(&self, record: &[u64]) -> u64 {
        record[1] >> EXACT_BITS | record[0] >> EXACT_QUEUE_SHIFT << EXACT_QUEUE_BITS
    }

    #[inline]
    fn link_bps(&self, record: &[u64]) -> f64 {
        self.layout.bps[exact_rate_code(record[0])]
    }
}

impl IntLayout {
    /// The fields of one packed record.
    pub(super) fn unpack(&self, words: &[u64]) -> IntRecord {
        if let &[first, second] = words {
            return IntRecord {
                clock: first & mask(EXACT_BITS),
                sent: second & mask(EXACT_BITS),
                queue: Bytes::new(Exact::new(self).queue(words)),
                rate: self.rates[exact_rate_code(first)],
            };
        }
        let word = words[0];
        IntRecord {
            clock: word & mask(CLOCK_BITS),
            sent: word >> CLOCK_BITS & mask(SENT_BITS),
            queue: Bytes::new(Quantised::new(self).queue(words)),
            rate: self.rates[(word >> self.rate_shift) as usize],
        }
    }
}

impl<'a> Telemetry<'a> {
    /// No records.
    pub const NONE: Self = Self {
        words: &[],
        layout: &IntLayout::NONE,
    };

    /// The records in `words`: [`words_per_hop`](super::IntFormat::words_per_hop) words for every
    /// switch.
    #[inline(always)]
    pub fn new(words: &'a [u64], layout: &'a IntLayout) -> Self {
        Self { words, layout }
    }

    /// Widths and units of the records' fields.
    pub fn format(&self) -> IntFormat {
        self.layout.format
    }

    /// The records, packed.
    #[inline(always)]
    pub fn words(&self) -> &'a [u64] {
        self.words
    }

    /// Number of switches that wrote records.
    pub fn hops(&self) -> usize {
        self.words.len() / self.layout.format.words_per_hop()
    }

    /// Their reader.
    #[inline(always)]
    pub fn reader(&self) -> Records<'a> {
        let layout = self.layout;
        if layout.exact {
            Records::Exact(Exact::new(layout))
        } else {
            Records::Quantised(Quantised::new(layout))
        }
    }

    /// Age of a record at `now`, if its clock has not wrapped since.
    pub fn age(&self, record: &IntRecord, now: Time) -> Time {
        let format = self.layout.format;
        let clock_unit = format.clock_unit();
        let clock = now.as_ps() / clock_unit.as_ps();
        clock_unit * (clock.wrapping_sub(record.clock) & mask(format.clock_bits()))
    }

    /// Every record, unpacked.
    pub fn records(&self) -> Vec<IntRecord> {
        let words = self.words.chunks_exact(self.layout.format.words_per_hop());
        words.map(|record| self.layout.unpack(record)).collect()
    }
}

/// One hop of an ACK's path: its records in this ACK and in the previous ACK.
#[derive(Debug)]
pub struct HopRecords<'a, R> {
    reader: R,
    new: &'a [u64],
    last: &'a mut [u64],
}

impl<'a, R: RecordReader> HopRecords<'a, R> {
    /// The hops of a path. `new` has the packed records of this ACK, `last` those of the previous
    /// ACK; hops that are not in both are left out.
    #[inline(always)]
    pub fn of(reader: R, new: &'a [u64], last: &'a mut [u64]) -> impl Iterator<Item = Self> {
        let last = last.chunks_exact_mut(R::WORDS);
        let pairs = new.chunks_exact(R::WORDS).zip(last);
        pairs.map(move |(new, last)| Self { reader, new, last })
    }

    /// Time between the two records, in clock units of the format ([`RecordReader::ns`] converts
    /// it).
    #[inline(always)]
    pub fn elapsed(&self) -> u64 {
        self.reader.elapsed(self.new, self.last)
    }

    /// The port's sending rate between the two records, in bit/s; 0 if both records have the same
    /// time.
    #[inline(always)]
    pub fn sent_bps(&self) -> f64 {
        match self.elapsed() {
            0 => 0.0,
            elapsed => {
                self.reader.sent_bits(self.new, self.last) / (self.reader.ns(elapsed) * 1e-9)
            }
        }
    }

    /// Whether the queue was empty in the new record.
    #[inline(always)]
    pub fn has_empty_queue(&self) -> bool {
        !self.reader.has_queue(self.new)
    }

    /// The queue in the new record, in bytes.
    #[inline(always)]
    pub fn queue(&self) -> u64 {
        self.reader.queue(self.new)
    }

    /// The shorter queue of the two records, in bytes.
    #[inline(always)]
    pub fn shorter_queue(&self) -> u64 {
        self.queue().min(self.reader.queue(self.last))
    }

    /// Rate of the port's link, in bit/s.
    #[inline(always)]
    pub fn link_bps(&self) -> f64 {
        self.reader.link_bps(self.new)
    }

    /// Copies the new record over the last one.
    #[inline(always)]
    pub fn remember(self) {
        self.last.copy_from_slice(self.new);
    }
}
