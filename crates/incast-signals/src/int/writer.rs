//! How a switch packs INT records into packets.

use incast_units::Time;

use super::divisor::Divisor;
use super::layout::RateCode;
use super::{IntFormat, IntLayout, mask};

/// The state of a port at a packet's departure.
#[derive(Copy, Clone, Debug)]
pub struct PortSnapshot {
    /// Time of the departure.
    pub now: Time,
    /// Bytes that the port has sent before this packet.
    pub sent: u64,
    /// Bytes that wait behind this packet.
    pub queue: u64,
    /// Rate of the port's link.
    pub rate: RateCode,
}

/// Writes records into packets.
#[derive(Copy, Clone, Debug)]
pub enum IntWriter {
    /// Writes no records.
    Off,
    /// Writes records of one word.
    Quantised(Quantiser),
    /// Writes records of two words.
    Exact {
        /// Words of a packet that are reserved for records.
        words: usize,
    },
}

/// The fields and units of a quantised format.
#[derive(Copy, Clone, Debug)]
pub struct Quantiser {
    /// Words of a packet that are reserved for records.
    words: usize,
    /// The longest queue that the field can hold, in units.
    max_queue: u64,
    clock_unit: Divisor,
    sent_unit: Divisor,
    queue_unit: Divisor,
}

impl IntWriter {
    /// A writer of records of this layout, into the first `words` words of a packet.
    pub fn new(layout: &IntLayout, words: usize) -> Self {
        let format = layout.format();
        if format == IntFormat::Exact {
            return Self::Exact { words };
        }
        Self::Quantised(Quantiser {
            words,
            max_queue: mask(format.queue_bits()),
            clock_unit: Divisor::new(format.clock_unit().as_ps()),
            sent_unit: Divisor::new(format.sent_unit().as_u64()),
            queue_unit: Divisor::new(format.queue_unit().as_u64()),
        })
    }

    /// Writes the record of hop number `hop`. Returns `false` if there is no room for it.
    #[inline(always)]
    pub fn write(&self, words: &mut [u64], hop: usize, port: &PortSnapshot) -> bool {
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
    fn record(&self, port: &PortSnapshot) -> u64 {
        let clock = self.clock_unit.divide(port.now.as_ps());
        let sent = self.sent_unit.divide(port.sent);
        let queue = self.queue_unit.divide(port.queue);
        IntLayout::pack_quantised(clock, sent, queue, self.max_queue, port.rate)
    }
}

fn write_exact(words: &mut [u64], hop: usize, port: &PortSnapshot) -> bool {
    let Some([first, second]) = words.get_mut(2 * hop..2 * hop + 2) else {
        return false;
    };
    let (clock, sent) = (port.now.as_ps(), port.sent);
    [*first, *second] = IntLayout::pack_exact(clock, sent, port.queue, port.rate);
    true
}
