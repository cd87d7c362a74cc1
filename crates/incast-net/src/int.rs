//! How a switch packs an INT record into a packet.

use incast_cc::{IntFormat, IntLayout};
use incast_units::{Rate, Time};

use crate::divisor::Divisor;

/// Where INT comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntCollection {
    /// Nowhere.
    Off,
    /// Switches write into data packets as they leave; ACKs echo.
    Data,
    /// Switches write into ACKs, each the state of the port that the data packet left by. ACKs
    /// also say how many flows their receiver has. They must retrace their data's path.
    Acks(IntTable),
}

/// What switches know of their ports when they write into ACKs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntTable {
    /// What is so at that moment.
    Live,
    /// What was so at the last multiple of this period.
    Refreshed(Time),
}

/// What writes records of this layout into the first `words` words of a packet.
pub(crate) fn writer(layout: &IntLayout, words: usize) -> IntWriter {
    let format = layout.format();
    if *format == IntFormat::exact() {
        return IntWriter::Exact { words };
    }
    IntWriter::Quantised(Quantiser {
        words,
        longest: (1 << format.queue_bits) - 1,
        clock_unit: Divisor::new(format.clock_unit.as_ps()),
        sent_unit: Divisor::new(format.sent_unit.as_u64()),
        queue_unit: Divisor::new(format.queue_unit.as_u64()),
    })
}

/// What a link of this rate writes into its records to say so. Where there is no INT, no rate is
/// known.
pub(crate) fn rate_code(layout: &IntLayout, rate: Rate) -> RateCode {
    RateCode(layout.rate_code(rate))
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
    /// What the queue field holds at most.
    longest: u64,
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
    #[inline(always)]
    fn record(&self, port: &Outgoing) -> u64 {
        let clock = self.clock_unit.divide(port.now.as_ps());
        let sent = self.sent_unit.divide(port.sent);
        let queue = self.queue_unit.divide(port.queue);
        IntLayout::pack_quantised(clock, sent, queue, self.longest, port.rate.0)
    }
}

fn write_exact(words: &mut [u64], hop: usize, port: &Outgoing) -> bool {
    let Some([first, second]) = words.get_mut(2 * hop..2 * hop + 2) else {
        return false;
    };
    let (clock, sent) = (port.now.as_ps(), port.sent);
    [*first, *second] = IntLayout::pack_exact(clock, sent, port.queue, port.rate.0);
    true
}

#[cfg(test)]
mod tests {
    use incast_cc::{IntRecord, Telemetry};
    use incast_units::Bytes;

    use super::*;

    fn round_trip(format: IntFormat, now: Time, sent: u64, queue: u64) -> IntRecord {
        let rates = vec![Rate::from_gbps(100), Rate::from_gbps(400)];
        let layout = IntLayout::new(format, rates).unwrap();
        let mut words = [0; 13];
        let rate = rate_code(&layout, Rate::from_gbps(400));
        let port = Outgoing {
            now,
            sent,
            queue,
            rate,
        };
        assert!(writer(&layout, 13).write(&mut words, 2, &port));
        Telemetry::new(&words, &layout).records()[2]
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
