//! INT on the wire: how a switch packs a record into a packet, and how a NIC unpacks it.
//!
//! ```text
//! 64 bits per hop:   rate code | queue 16 or 17 | sent 20 | clock 24
//! 128 bits (exact):  rate code 8 … clock 40 | queue 24 … sent 40, queue's upper 16 bits beside
//! ```

use incast_cc::{IntFormat, IntRecord};
use incast_units::{Bytes, Rate, Time};

use crate::divisor::Divisor;

/// Bits of a field of an exact record.
const EXACT_BITS: u32 = 40;

/// Packs and unpacks records of one format.
#[derive(Clone, Debug)]
pub(crate) struct IntCodec {
    format: IntFormat,
    /// Rate of each rate code.
    rates: Vec<Rate>,
    exact: bool,
    fields: Fields,
}

/// Where in a quantised record the fields are.
#[derive(Copy, Clone, Debug)]
struct Fields {
    clock_mask: u64,
    sent_shift: u32,
    sent_mask: u64,
    queue_shift: u32,
    queue_mask: u64,
    queue_unit: u64,
    rate_shift: u32,
}

impl Fields {
    fn new(format: &IntFormat) -> Self {
        let queue_shift = format.clock_bits + format.sent_bits;
        Self {
            clock_mask: mask(format.clock_bits),
            sent_shift: format.clock_bits,
            sent_mask: mask(format.sent_bits),
            queue_shift,
            queue_mask: mask(format.queue_bits),
            queue_unit: format.queue_unit.as_u64(),
            rate_shift: queue_shift + format.queue_bits,
        }
    }
}

impl IntCodec {
    /// `None` if the format's rate code cannot tell so many rates apart.
    pub(crate) fn new(format: IntFormat, rates: Vec<Rate>) -> Option<Self> {
        let exact = format == IntFormat::exact();
        let used = format.clock_bits + format.sent_bits + format.queue_bits;
        let codes = if exact { 256 } else { 1_usize << (64 - used) };
        (rates.len() <= codes).then_some(Self {
            format,
            rates,
            exact,
            fields: Fields::new(&format),
        })
    }

    pub(crate) fn format(&self) -> &IntFormat {
        &self.format
    }

    /// What a link of this rate writes into its records to say so.
    pub(crate) fn rate_code(&self, rate: Rate) -> RateCode {
        // Where there is no INT, no rate is known.
        let code = self.rates.iter().position(|&known| known == rate);
        let code = code.unwrap_or(0) as u64;
        RateCode(
            code << if self.exact {
                EXACT_BITS
            } else {
                self.fields.rate_shift
            },
        )
    }

    /// What writes records of this format into the first `words` words of a packet.
    pub(crate) fn writer(&self, words: usize) -> IntWriter {
        if self.exact {
            return IntWriter::Exact { words };
        }
        IntWriter::Quantised(Quantiser {
            words,
            fields: self.fields,
            clock_unit: Divisor::new(self.format.clock_unit.as_ps()),
            sent_unit: Divisor::new(self.format.sent_unit.as_u64()),
            queue_unit: Divisor::new(self.format.queue_unit.as_u64()),
        })
    }

    /// Reads the records of the first `records.len()` hops.
    #[inline(always)]
    pub(crate) fn read(&self, words: &[u64], records: &mut [IntRecord]) {
        if self.exact {
            self.read_exact(words, records);
        } else {
            for (record, &word) in records.iter_mut().zip(words) {
                *record = self.unpack(word);
            }
        }
    }

    #[cold]
    fn read_exact(&self, words: &[u64], records: &mut [IntRecord]) {
        for (record, words) in records.iter_mut().zip(words.chunks_exact(2)) {
            *record = self.unpack_exact(words[0], words[1]);
        }
    }

    #[inline(always)]
    fn unpack(&self, word: u64) -> IntRecord {
        let fields = &self.fields;
        let units = word >> fields.queue_shift & fields.queue_mask;
        IntRecord {
            clock: word & fields.clock_mask,
            sent: word >> fields.sent_shift & fields.sent_mask,
            queue: Bytes::new(units * fields.queue_unit),
            rate: self.rates[(word >> fields.rate_shift) as usize],
        }
    }

    fn unpack_exact(&self, first: u64, second: u64) -> IntRecord {
        IntRecord {
            clock: first & mask(EXACT_BITS),
            sent: second & mask(EXACT_BITS),
            queue: Bytes::new(second >> EXACT_BITS | first >> 48 << 24),
            rate: self.rates[(first >> EXACT_BITS & 0xff) as usize],
        }
    }
}

/// A rate's code, where it belongs in a record.
#[derive(Copy, Clone, Debug)]
pub(crate) struct RateCode(u64);

/// What a port tells about itself when a packet leaves.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) now: Time,
    /// Bytes sent before this packet.
    pub(crate) sent: u64,
    /// Bytes that wait behind it.
    pub(crate) queue: u64,
    pub(crate) rate: RateCode,
}

/// Writes records.
#[derive(Copy, Clone, Debug)]
pub(crate) enum IntWriter {
    /// Writes none.
    Off,
    Quantised(Quantiser),
    Exact {
        /// Words of a packet that are for records.
        words: usize,
    },
}

/// A format's fields and units.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Quantiser {
    /// Words of a packet that are for records.
    words: usize,
    fields: Fields,
    clock_unit: Divisor,
    sent_unit: Divisor,
    queue_unit: Divisor,
}

impl IntWriter {
    /// Writes the record of hop `hop`; `false` if there is no room for it.
    #[inline(always)]
    pub(crate) fn write(&self, words: &mut [u64], hop: usize, port: &Outgoing) -> bool {
        match self {
            Self::Off => true,
            Self::Quantised(quantiser) => {
                if hop >= quantiser.words {
                    return false;
                }
                words[hop] = quantiser.record(port);
                true
            }
            Self::Exact { words: room } => write_exact(&mut words[..*room], hop, port),
        }
    }
}

impl Quantiser {
    #[inline]
    fn record(&self, port: &Outgoing) -> u64 {
        let fields = &self.fields;
        let clock = self.clock_unit.divide(port.now.as_ps()) & fields.clock_mask;
        let sent = self.sent_unit.divide(port.sent) & fields.sent_mask;
        let queue = self.queue_unit.divide(port.queue).min(fields.queue_mask);
        clock | sent << fields.sent_shift | queue << fields.queue_shift | port.rate.0
    }
}

fn write_exact(words: &mut [u64], hop: usize, port: &Outgoing) -> bool {
    let Some([first, second]) = words.get_mut(2 * hop..2 * hop + 2) else {
        return false;
    };
    let queue = port.queue & mask(EXACT_BITS);
    *first = port.now.as_ps() & mask(EXACT_BITS) | port.rate.0 | (queue >> 24) << 48;
    *second = port.sent & mask(EXACT_BITS) | (queue & mask(24)) << EXACT_BITS;
    true
}

#[inline]
fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(format: IntFormat, now: Time, sent: u64, queue: u64) -> IntRecord {
        let codec =
            IntCodec::new(format, vec![Rate::from_gbps(100), Rate::from_gbps(400)]).unwrap();
        let mut words = [0; 13];
        let code = codec.rate_code(Rate::from_gbps(400));
        let port = Outgoing {
            now,
            sent,
            queue,
            rate: code,
        };
        assert!(codec.writer(13).write(&mut words, 2, &port));
        let mut records = [IntRecord::default(); 3];
        codec.read(&words, &mut records);
        records[2]
    }

    /// Multiplier 4: units of 512 B and 320 B. Sent 10 000 B: 19 units. Queue 5000 B: 15 units,
    /// 4800 B. Clock 20 ms in ns, modulo 2^24: 20 000 000 − 16 777 216 = 3 222 784.
    #[test]
    fn quantised_fields_round_down_and_wrap() {
        let record = round_trip(
            IntFormat::quantised(4, 17),
            Time::from_ms(20),
            10_000,
            5_000,
        );
        assert_eq!((record.clock, record.sent), (3_222_784, 19));
        assert_eq!(
            (record.queue, record.rate),
            (Bytes::new(4_800), Rate::from_gbps(400))
        );
    }

    /// 16 bits of 80 B hold 5.24 MB: a longer queue reads as that, not as a short one.
    #[test]
    fn a_long_queue_saturates() {
        let record = round_trip(IntFormat::quantised(1, 16), Time::ZERO, 0, 6_000_000);
        assert_eq!(record.queue, Bytes::new(65_535 * 80));
    }

    #[test]
    fn exact_fields_keep_every_bit() {
        let now = Time::from_ps(1_234_567_890_123 % (1 << 40));
        let record = round_trip(IntFormat::exact(), now, 987_654_321_987, 33_554_431);
        assert_eq!((record.clock, record.sent), (now.as_ps(), 987_654_321_987));
        assert_eq!(
            (record.queue, record.rate),
            (Bytes::new(33_554_431), Rate::from_gbps(400))
        );
    }
}
