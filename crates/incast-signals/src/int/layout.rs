//! The place of a format's fields in the words of a packet.

use incast_units::Rate;

use super::format::{CLOCK_BITS, EXACT_BITS, RATE_CODES, SENT_BITS};
use super::{IntFormat, IntRecord, float, mask};

/// The place of a format's fields in the words of a packet.
///
/// ```text
/// 64 bits:           rate code | queue 16 or 17 | sent 20 | clock 24
/// 128 bits (exact):  rate code 8 … clock 40 | queue 24 … sent 40, queue's upper 16 bits beside
/// ```
#[derive(Clone, Debug)]
pub struct IntLayout {
    pub(super) format: IntFormat,
    /// By rate code.
    pub(super) rates: Vec<Rate>,
    /// Link rates in bit/s, indexed by the byte that contains the rate code. In a quantised record
    /// this byte, the highest, may also contain bits of the queue.
    pub(super) bps: [f64; RATE_CODES],
    pub(super) exact: bool,
    /// Bits sent per unit of the sent field, divided by the field's place value in a quantised
    /// record.
    pub(super) sent_place_bits: f64,
    /// Bytes per unit of queue.
    pub(super) queue_unit: u64,
    /// The longest queue that a record can hold, in units.
    pub(super) max_queue: u64,
    /// Mask of the queue's bits in a quantised record.
    pub(super) queue_mask: u64,
    pub(super) rate_shift: u32,
}

/// The code of a link rate, shifted to its place in a record.
#[derive(Copy, Clone, Debug)]
pub struct RateCode(pub(super) u64);

/// Lowest bit of the queue field.
pub(super) const QUEUE_SHIFT: u32 = CLOCK_BITS + SENT_BITS;
/// Lowest bit of the highest byte, which contains the rate code.
pub(super) const HIGHEST_BYTE_SHIFT: u32 = 56;
/// Number of bits of an exact queue in its second word.
pub(super) const EXACT_QUEUE_BITS: u32 = 64 - EXACT_BITS;
/// Lowest bit of the exact queue's upper part in the first word.
pub(super) const EXACT_QUEUE_SHIFT: u32 = 48;

impl IntLayout {
    /// The layout of a network without INT.
    pub(super) const NONE: Self = Self {
        format: IntFormat::Exact,
        rates: Vec::new(),
        bps: [0.0; RATE_CODES],
        exact: true,
        sent_place_bits: 0.0,
        queue_unit: 1,
        max_queue: 0,
        queue_mask: 0,
        rate_shift: EXACT_BITS,
    };

    /// The layout for these link rates; `None` if the format cannot distinguish so many rates.
    pub fn new(format: IntFormat, mut rates: Vec<Rate>) -> Option<Self> {
        if rates.len() > format.rate_codes() {
            return None;
        }
        if format.rate_codes() == 1 {
            // There is no bit for a code: the queue's highest bit, which is read as the code, may
            // have both values.
            rates.resize(2, rates.first().copied().unwrap_or_default());
        }
        let exact = format == IntFormat::Exact;
        let rate_shift = if exact {
            EXACT_BITS
        } else {
            (QUEUE_SHIFT + format.queue_bits()).clamp(HIGHEST_BYTE_SHIFT, u64::BITS - 1)
        };
        Some(Self {
            format,
            bps: bps_by_byte(&rates, rate_shift.saturating_sub(HIGHEST_BYTE_SHIFT)),
            rates,
            exact,
            sent_place_bits: float(format.sent_unit().as_u64() * 8) / float(1 << CLOCK_BITS),
            queue_unit: format.queue_unit().as_u64(),
            max_queue: mask(format.queue_bits()),
            queue_mask: mask(format.queue_bits()) << QUEUE_SHIFT,
            rate_shift,
        })
    }

    /// Widths and units.
    pub fn format(&self) -> IntFormat {
        self.format
    }

    /// The code that a link of this rate writes into the first word of its records. An unknown rate
    /// gets the code of the first known rate. Without INT no rate is known.
    pub fn rate_code(&self, rate: Rate) -> RateCode {
        let code = self.rates.iter().position(|&known| known == rate);
        RateCode((code.unwrap_or(0) as u64) << self.rate_shift)
    }

    /// Packs a quantised record. Arguments are in the format's units; clock and sent bytes wrap,
    /// the queue saturates.
    #[inline(always)]
    pub(super) fn pack_quantised(
        clock: u64,
        sent: u64,
        queue: u64,
        max_queue: u64,
        rate: RateCode,
    ) -> u64 {
        let queue = queue.min(max_queue);
        clock & mask(CLOCK_BITS)
            | (sent & mask(SENT_BITS)) << CLOCK_BITS
            | queue << QUEUE_SHIFT
            | rate.0
    }

    /// Packs an exact record of picoseconds and bytes; all three values wrap.
    pub(super) fn pack_exact(clock: u64, sent: u64, queue: u64, rate: RateCode) -> [u64; 2] {
        let queue = queue & mask(EXACT_BITS);
        let upper = queue >> EXACT_QUEUE_BITS;
        let lower = queue & mask(EXACT_QUEUE_BITS);
        [
            clock & mask(EXACT_BITS) | rate.0 | upper << EXACT_QUEUE_SHIFT,
            sent & mask(EXACT_BITS) | lower << EXACT_BITS,
        ]
    }

    /// The records packed into words of a packet.
    pub fn pack(&self, records: &[IntRecord]) -> Vec<u64> {
        let mut words = Vec::new();
        for record in records {
            let (queue, rate) = (record.queue.as_u64(), self.rate_code(record.rate));
            if self.exact {
                words.extend(Self::pack_exact(record.clock, record.sent, queue, rate));
            } else {
                let queue = queue / self.queue_unit;
                let word =
                    Self::pack_quantised(record.clock, record.sent, queue, self.max_queue, rate);
                words.push(word);
            }
        }
        words
    }
}

/// Link rates in bit/s, indexed by a byte whose upper bits, from `code_shift` on, are the rate
/// code.
fn bps_by_byte(rates: &[Rate], code_shift: u32) -> [f64; RATE_CODES] {
    let mut bps = [0.0; RATE_CODES];
    for (byte, bps) in bps.iter_mut().enumerate() {
        let rate = rates.get(byte >> code_shift);
        *bps = rate.map_or(0.0, |rate| float(rate.as_bps()));
    }
    bps
}

pub(super) fn exact_rate_code(first: u64) -> usize {
    (first >> EXACT_BITS & 0xff) as usize
}
