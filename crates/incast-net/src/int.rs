//! INT on the wire: how a switch packs a record into a packet, and how a NIC unpacks it.
//!
//! ```text
//! 64 bits per hop:   rate code | queue 16 or 17 | sent 20 | clock 24
//! 128 bits (exact):  rate code 8 … clock 40 | queue 24 … sent 40, queue's upper 16 bits beside
//! ```

use incast_cc::{IntFormat, IntRecord};
use incast_units::{Bytes, Rate, Time};

/// Packs and unpacks records of one format.
#[derive(Clone, Debug)]
pub(crate) struct IntCodec {
    format: IntFormat,
    /// Rate of each rate code.
    rates: Vec<Rate>,
    exact: bool,
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
        })
    }

    pub(crate) fn format(&self) -> &IntFormat {
        &self.format
    }

    /// Words of a packet that one record takes.
    pub(crate) fn words_per_hop(&self) -> usize {
        1 + usize::from(self.exact)
    }

    pub(crate) fn rate_code(&self, rate: Rate) -> u64 {
        self.rates
            .iter()
            .position(|&known| known == rate)
            .expect("every rate has a code") as u64
    }

    /// What writes records of this format.
    pub(crate) fn writer(&self) -> IntWriter {
        let format = &self.format;
        IntWriter {
            exact: self.exact,
            clock_unit: format.clock_unit.as_ps(),
            clock_mask: mask(format.clock_bits),
            sent_unit: format.sent_unit.as_u64(),
            sent_mask: mask(format.sent_bits),
            sent_shift: format.clock_bits,
            queue_unit: format.queue_unit.as_u64(),
            queue_most: mask(format.queue_bits),
            queue_shift: format.clock_bits + format.sent_bits,
            rate_shift: format.clock_bits + format.sent_bits + format.queue_bits,
        }
    }

    /// Reads the records of the first `records.len()` hops.
    #[inline]
    pub(crate) fn read(&self, words: &[u64], records: &mut [IntRecord]) {
        for (hop, record) in records.iter_mut().enumerate() {
            *record = if self.exact {
                self.unpack_exact(words[2 * hop], words[2 * hop + 1])
            } else {
                self.unpack(words[hop])
            };
        }
    }

    #[inline]
    fn unpack(&self, word: u64) -> IntRecord {
        let format = &self.format;
        let sent = word >> format.clock_bits;
        let queue = sent >> format.sent_bits;
        let rate = queue >> format.queue_bits;
        IntRecord {
            clock: word & mask(format.clock_bits),
            sent: sent & mask(format.sent_bits),
            queue: Bytes::new((queue & mask(format.queue_bits)) * format.queue_unit.as_u64()),
            rate: self.rates[rate as usize],
        }
    }

    fn unpack_exact(&self, first: u64, second: u64) -> IntRecord {
        IntRecord {
            clock: first & mask(40),
            sent: second & mask(40),
            queue: Bytes::new(second >> 40 | first >> 48 << 24),
            rate: self.rates[(first >> 40 & 0xff) as usize],
        }
    }
}

/// What a port tells about itself when a packet leaves.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) now: Time,
    /// Bytes sent before this packet.
    pub(crate) sent: u64,
    /// Bytes that wait behind it.
    pub(crate) queue: u64,
    pub(crate) rate_code: u64,
}

/// Writes records: the format's units and masks, worked out once.
#[derive(Copy, Clone, Debug)]
pub(crate) struct IntWriter {
    exact: bool,
    clock_unit: u64,
    clock_mask: u64,
    sent_unit: u64,
    sent_mask: u64,
    sent_shift: u32,
    queue_unit: u64,
    queue_most: u64,
    queue_shift: u32,
    rate_shift: u32,
}

impl IntWriter {
    /// Writes the record of hop `hop`; `false` if there is no room for it.
    #[inline]
    pub(crate) fn write(&self, words: &mut [u64], hop: usize, port: &Outgoing) -> bool {
        if self.exact {
            return write_exact(words, hop, port);
        }
        let Some(word) = words.get_mut(hop) else {
            return false;
        };
        let clock = (port.now.as_ps() / self.clock_unit) & self.clock_mask;
        let sent = (port.sent / self.sent_unit) & self.sent_mask;
        let queue = (port.queue / self.queue_unit).min(self.queue_most);
        *word = clock
            | sent << self.sent_shift
            | queue << self.queue_shift
            | port.rate_code << self.rate_shift;
        true
    }
}

fn write_exact(words: &mut [u64], hop: usize, port: &Outgoing) -> bool {
    let Some([first, second]) = words.get_mut(2 * hop..2 * hop + 2) else {
        return false;
    };
    let queue = port.queue & mask(40);
    *first = port.now.as_ps() & mask(40) | port.rate_code << 40 | (queue >> 24) << 48;
    *second = port.sent & mask(40) | (queue & mask(24)) << 40;
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
            rate_code: code,
        };
        assert!(codec.writer().write(&mut words, 2, &port));
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
