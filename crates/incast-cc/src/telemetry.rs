//! In-band network telemetry: what switches write into packets, as an algorithm reads it.
//!
//! Real INT fields are narrow and wrap (HPCC: 24 bits of nanoseconds, 20 bits of 128-byte
//! units; FNCC §4.3). A record keeps the wrapped value; differences are taken modulo the field's
//! width. Exact INT is the same with wide fields and units of one. Records stay packed, as the
//! packet brought them, until somebody reads them: there are several in every ACK.

use incast_units::{Bytes, Rate, Time};

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
            clock_bits: CLOCK_BITS,
            sent_unit: Bytes::new(128 * multiplier),
            sent_bits: SENT_BITS,
            queue_unit: Bytes::new(80 * multiplier),
            queue_bits,
        }
    }

    /// How many rates of links a record can tell apart.
    pub fn rate_codes(&self) -> usize {
        if *self == Self::exact() {
            return RATE_CODES;
        }
        let used = self.clock_bits + self.sent_bits + self.queue_bits;
        let codes = 1_usize.checked_shl(u64::BITS.saturating_sub(used));
        codes.map_or(RATE_CODES, |codes| codes.min(RATE_CODES))
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

/// How records of a format lie in the words of a packet.
///
/// ```text
/// 64 bits:           rate code | queue 16 or 17 | sent 20 | clock 24
/// 128 bits (exact):  rate code 8 … clock 40 | queue 24 … sent 40, queue's upper 16 bits beside
/// ```
#[derive(Clone, Debug)]
pub struct IntLayout {
    format: IntFormat,
    /// By rate code.
    rates: Vec<Rate>,
    /// The same in bit/s, by the byte that has the code in it, which is no index out of bounds; in
    /// a quantised record that byte, the highest, may have bits of the queue, too.
    bps: [f64; RATE_CODES],
    exact: bool,
    /// Bits in a unit of bytes sent over its place value in a quantised record.
    sent_place_bits: f64,
    /// Bytes in a unit of queue.
    queue_unit: u64,
    /// What a queue can be at most, in units.
    longest_queue: u64,
    /// The same where it lies in a record.
    queue_mask: u64,
    rate_shift: u32,
}

/// Most rates of links that any record can tell apart.
const RATE_CODES: usize = 256;

/// Bits of the clock in a quantised record, the lowest ones.
const CLOCK_BITS: u32 = 24;
/// Bits of the bytes sent, above them.
const SENT_BITS: u32 = 20;
/// Where the queue begins.
const QUEUE_SHIFT: u32 = CLOCK_BITS + SENT_BITS;
/// Where the highest byte begins; the rate code is in it.
const HIGHEST_BYTE_SHIFT: u32 = 56;
/// Bits of a field of an exact record.
const EXACT_BITS: u32 = 40;
/// Bits of an exact queue that are in its second word.
const EXACT_QUEUE_BITS: u32 = 64 - EXACT_BITS;
/// Where the others begin in the first one.
const EXACT_QUEUE_SHIFT: u32 = 48;

impl IntLayout {
    /// Where there is no INT.
    const NONE: Self = Self {
        format: IntFormat::exact(),
        rates: Vec::new(),
        bps: [0.0; RATE_CODES],
        exact: true,
        sent_place_bits: 0.0,
        queue_unit: 1,
        longest_queue: 0,
        queue_mask: 0,
        rate_shift: EXACT_BITS,
    };

    /// For links of these rates; `None` if the format cannot tell so many apart.
    pub fn new(format: IntFormat, rates: Vec<Rate>) -> Option<Self> {
        if rates.len() > format.rate_codes() {
            return None;
        }
        let exact = format == IntFormat::exact();
        let mut rates = rates;
        if format.rate_codes() == 1 {
            // There is no bit for a code: the queue's highest one, whatever it is, means this.
            rates.resize(2, rates.first().copied().unwrap_or_default());
        }
        let rate_shift = (QUEUE_SHIFT + format.queue_bits).clamp(HIGHEST_BYTE_SHIFT, u64::BITS - 1);
        let code_shift = if exact {
            0
        } else {
            rate_shift - HIGHEST_BYTE_SHIFT
        };
        let mut bps = [0.0; RATE_CODES];
        for (byte, bps) in bps.iter_mut().enumerate() {
            let rate = rates.get(byte >> code_shift);
            *bps = rate.map_or(0.0, |rate| float(rate.as_bps()));
        }
        Some(Self {
            format,
            bps,
            rates,
            exact,
            sent_place_bits: float(format.sent_unit.as_u64() * 8) / float(1 << CLOCK_BITS),
            queue_unit: format.queue_unit.as_u64(),
            longest_queue: mask(format.queue_bits),
            queue_mask: mask(format.queue_bits) << QUEUE_SHIFT,
            rate_shift,
        })
    }

    /// Widths and units.
    pub fn format(&self) -> &IntFormat {
        &self.format
    }

    /// Words of a packet that a record takes.
    pub fn words_per_hop(&self) -> usize {
        1 + usize::from(self.exact)
    }

    /// What a link of this rate writes into (the first word of) its records to say so. A rate
    /// that is not known reads as the first that is.
    pub fn rate_code(&self, rate: Rate) -> u64 {
        let code = self.rates.iter().position(|&known| known == rate);
        let code = code.unwrap_or(0) as u64;
        code << if self.exact {
            EXACT_BITS
        } else {
            self.rate_shift
        }
    }

    /// Packs a quantised record of so many units, which wrap, or in the queue's case saturate.
    #[inline(always)]
    pub fn pack_quantised(clock: u64, sent: u64, queue: u64, longest: u64, rate_code: u64) -> u64 {
        let queue = queue.min(longest);
        clock & mask(CLOCK_BITS)
            | (sent & mask(SENT_BITS)) << CLOCK_BITS
            | queue << QUEUE_SHIFT
            | rate_code
    }

    /// Packs an exact record: ps, bytes, bytes; all may wrap.
    pub fn pack_exact(clock: u64, sent: u64, queue: u64, rate_code: u64) -> [u64; 2] {
        let queue = queue & mask(EXACT_BITS);
        let upper = queue >> EXACT_QUEUE_BITS;
        let lower = queue & mask(EXACT_QUEUE_BITS);
        [
            clock & mask(EXACT_BITS) | rate_code | upper << EXACT_QUEUE_SHIFT,
            sent & mask(EXACT_BITS) | lower << EXACT_BITS,
        ]
    }

    /// The words of records, as a packet carries them.
    pub fn pack(&self, records: &[IntRecord]) -> Vec<u64> {
        let mut words = Vec::new();
        for record in records {
            let (queue, code) = (record.queue.as_u64(), self.rate_code(record.rate));
            if self.exact {
                words.extend(Self::pack_exact(record.clock, record.sent, queue, code));
            } else {
                let queue = queue / self.queue_unit;
                let longest = self.longest_queue;
                let word = Self::pack_quantised(record.clock, record.sent, queue, longest, code);
                words.push(word);
            }
        }
        words
    }

    /// The fields of one packed record.
    fn unpack(&self, words: &[u64]) -> IntRecord {
        if let &[first, second] = words {
            let reader = Exact { layout: self };
            return IntRecord {
                clock: first & mask(EXACT_BITS),
                sent: second & mask(EXACT_BITS),
                queue: Bytes::new(reader.queue(words)),
                rate: self.rates[exact_rate_code(first)],
            };
        }
        let word = words[0];
        IntRecord {
            clock: word & mask(CLOCK_BITS),
            sent: word >> CLOCK_BITS & mask(SENT_BITS),
            queue: Bytes::new(Quantised { layout: self }.queue(words)),
            rate: self.rates[(word >> self.rate_shift) as usize],
        }
    }
}

/// The records of one packet, one per switch in path order, as they came.
#[derive(Copy, Clone, Debug)]
pub struct Telemetry<'a> {
    words: &'a [u64],
    layout: &'a IntLayout,
}

/// The records of one packet, to be read quickly.
#[derive(Copy, Clone, Debug)]
pub enum Records<'a> {
    /// One word each.
    Quantised(Quantised<'a>),
    /// Two words each.
    Exact(Exact<'a>),
}

/// How quantised records are read.
#[derive(Copy, Clone, Debug)]
pub struct Quantised<'a> {
    layout: &'a IntLayout,
}

/// How exact records are read.
#[derive(Copy, Clone, Debug)]
pub struct Exact<'a> {
    layout: &'a IntLayout,
}

/// How packed records of a kind are read. A record is a slice of [`ReadRecord::WORDS`] words.
pub trait ReadRecord: Copy {
    /// Words of a record.
    const WORDS: usize;
    /// From `old` to `new`, two records of the same port, in ticks.
    fn elapsed(&self, new: &[u64], old: &[u64]) -> u64;
    /// So many ticks in ns.
    fn ns(&self, ticks: u64) -> f64;
    /// What the port sent from `old` to `new`, in bits.
    fn sent_bits(&self, new: &[u64], old: &[u64]) -> f64;
    /// Whether a unit or more waited behind the packet.
    fn has_queue(&self, record: &[u64]) -> bool;
    /// What waited behind the packet, in bytes, rounded down to the format's units.
    fn queue(&self, record: &[u64]) -> u64;
    /// Rate of the port's link, in bit/s.
    fn link_bps(&self, record: &[u64]) -> f64;
}

impl ReadRecord for Quantised<'_> {
    const WORDS: usize = 1;

    #[inline(always)]
    fn elapsed(&self, new: &[u64], old: &[u64]) -> u64 {
        new[0].wrapping_sub(old[0]) & mask(CLOCK_BITS)
    }

    #[inline(always)]
    fn ns(&self, ticks: u64) -> f64 {
        float(ticks)
    }

    #[inline(always)]
    fn sent_bits(&self, new: &[u64], old: &[u64]) -> f64 {
        // With the largest clock in the new record there is nothing to carry from the clocks.
        let difference = (new[0] | mask(CLOCK_BITS)).wrapping_sub(old[0]);
        float(difference & (mask(SENT_BITS) << CLOCK_BITS)) * self.layout.sent_place_bits
    }

    #[inline(always)]
    fn has_queue(&self, record: &[u64]) -> bool {
        record[0] & self.layout.queue_mask != 0
    }

    #[inline(always)]
    fn queue(&self, record: &[u64]) -> u64 {
        (record[0] >> QUEUE_SHIFT & self.layout.longest_queue) * self.layout.queue_unit
    }

    #[inline(always)]
    fn link_bps(&self, record: &[u64]) -> f64 {
        let byte = (record[0] >> HIGHEST_BYTE_SHIFT) as u8;
        self.layout.bps[usize::from(byte)]
    }
}

impl ReadRecord for Exact<'_> {
    const WORDS: usize = 2;

    #[inline]
    fn elapsed(&self, new: &[u64], old: &[u64]) -> u64 {
        new[0].wrapping_sub(old[0]) & mask(EXACT_BITS)
    }

    #[inline]
    fn ns(&self, ticks: u64) -> f64 {
        float(ticks) / 1_000.0
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

impl<'a> Telemetry<'a> {
    /// No records.
    pub const NONE: Self = Self {
        words: &[],
        layout: &IntLayout::NONE,
    };

    /// The records in `words`, of which there are [`IntLayout::words_per_hop`] for every switch.
    #[inline(always)]
    pub fn new(words: &'a [u64], layout: &'a IntLayout) -> Self {
        Self { words, layout }
    }

    /// The records, packed.
    #[inline(always)]
    pub fn words(&self) -> &'a [u64] {
        self.words
    }

    /// Switches that wrote records.
    pub fn hops(&self) -> usize {
        self.words.len() / self.layout.words_per_hop()
    }

    /// How they are read.
    #[inline(always)]
    pub fn reader(&self) -> Records<'a> {
        let layout = self.layout;
        if layout.exact {
            Records::Exact(Exact { layout })
        } else {
            Records::Quantised(Quantised { layout })
        }
    }

    /// How old a record of these is at `now`, if its clock has not wrapped since.
    pub fn age(&self, record: &IntRecord, now: Time) -> Time {
        let IntFormat {
            clock_unit,
            clock_bits,
            ..
        } = self.layout.format;
        let ticks = now.as_ps() / clock_unit.as_ps();
        clock_unit * (ticks.wrapping_sub(record.clock) & mask(clock_bits))
    }

    /// Every record, unpacked.
    pub fn records(&self) -> Vec<IntRecord> {
        let words = self.words.chunks_exact(self.layout.words_per_hop());
        words.map(|record| self.layout.unpack(record)).collect()
    }
}

#[inline(always)]
const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

fn exact_rate_code(first: u64) -> usize {
    (first >> EXACT_BITS & 0xff) as usize
}

/// A number below 2^63: a signed one becomes a float in one instruction, an unsigned in eight.
#[inline(always)]
pub(crate) fn float(number: u64) -> f64 {
    debug_assert!(number < 1 << 63);
    number as i64 as f64
}

/// The whole part of a number that is not negative; at most 2^63 − 1, for the same reason.
#[inline(always)]
pub(crate) fn rounded_down(number: f64) -> u64 {
    number as i64 as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: IntFormat, records: [IntRecord; 2]) -> (f64, f64, u64, f64) {
        fn of(reader: impl ReadRecord, old: &[u64], new: &[u64]) -> (f64, f64, u64, f64) {
            let elapsed = reader.ns(reader.elapsed(new, old));
            let sent = reader.sent_bits(new, old);
            (elapsed, sent, reader.queue(new), reader.link_bps(new))
        }
        let layout = IntLayout::new(format, vec![Rate::from_gbps(40), Rate::from_gbps(100)]);
        let layout = layout.unwrap();
        let words = layout.pack(&records);
        let telemetry = Telemetry::new(&words, &layout);
        assert_eq!(telemetry.records(), records);
        let (old, new) = words.split_at(layout.words_per_hop());
        match telemetry.reader() {
            Records::Quantised(reader) => of(reader, old, new),
            Records::Exact(reader) => of(reader, old, new),
        }
    }

    fn record(clock: u64, sent: u64, queue: u64) -> IntRecord {
        IntRecord {
            clock,
            sent,
            queue: Bytes::new(queue),
            rate: Rate::from_gbps(100),
        }
    }

    /// 24-bit clock: from 2^24 − 10 to 77 is 87 ns. 20-bit counter in units of 4·128 B:
    /// from 2^20 − 1 to 1 is 2 units, 1024 B, 8192 bits. 15 units of 320 B wait.
    #[test]
    fn differences_survive_the_wrap() {
        let (old, new) = (
            record((1 << 24) - 10, (1 << 20) - 1, 0),
            record(77, 1, 4_800),
        );
        let found = read(IntFormat::quantised(4, 17), [old, new]);
        assert_eq!(found, (87.0, 8_192.0, 4_800, 1e11));
    }

    /// Exact: 87 200 ps, 1090 B, and a queue of more than 24 bits.
    #[test]
    fn exact_records_keep_every_bit() {
        let (old, new) = (
            record(1_000_000, 5_000, 1),
            record(1_087_200, 6_090, 33_554_431),
        );
        let found = read(IntFormat::exact(), [old, new]);
        assert_eq!(found, (87.2, 8_720.0, 33_554_431, 1e11));
    }

    /// Rates are read whatever the queue beside them: a long one, or none.
    #[test]
    fn rates_are_found_beside_any_queue() {
        for (queue_bits, codes) in [(8, 256), (12, 256), (13, 128), (17, 8), (20, 1)] {
            let format = IntFormat::quantised(1, queue_bits);
            assert_eq!(format.rate_codes(), codes, "{queue_bits}");
            let rates: Vec<Rate> = (1..=codes as u64).map(Rate::from_gbps).collect();
            let layout = IntLayout::new(format, rates.clone()).unwrap();
            let longest = Bytes::new(mask(queue_bits) * 80);
            for (rate, queue) in rates.iter().flat_map(|&rate| [(rate, 0), (rate, 1 << 30)]) {
                let record = IntRecord {
                    rate,
                    ..record(5, 7, queue)
                };
                let words = layout.pack(&[record]);
                let telemetry = Telemetry::new(&words, &layout);
                let Records::Quantised(reader) = telemetry.reader() else {
                    panic!("they are quantised");
                };
                assert_eq!(reader.link_bps(&words), rate.as_bps() as f64);
                assert_eq!(reader.has_queue(&words), queue > 0);
                let queue = Bytes::new(queue).min(longest);
                assert_eq!(telemetry.records(), [IntRecord { queue, ..record }]);
            }
        }
    }

    /// 16 bits of queue leave 4 for the rate.
    #[test]
    fn rates_that_cannot_be_told_apart_are_refused() {
        let rates = |count| (1..=count).map(Rate::from_gbps).collect();
        let quantised = IntFormat::quantised(1, 16);
        assert!(IntLayout::new(quantised, rates(16)).is_some());
        assert!(IntLayout::new(quantised, rates(17)).is_none());
        assert!(IntLayout::new(IntFormat::exact(), rates(256)).is_some());
    }
}
