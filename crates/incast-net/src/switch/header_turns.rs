//! The order of headers of trimmed packets and data, where headers do not always go first.
//!
//! | service | turns                                                                            |
//! |---------|----------------------------------------------------------------------------------|
//! | `10:1`  | while both wait, ten packets of the queue of control packets and headers, then   |
//! |         | one data packet (NDP, SIGCOMM 2017, 3.1)                                         |
//! | `25%`   | control packets first; then deficit round robin of headers and data, with quanta |
//! |         | of a third of a full packet and of a full one (Shreedhar and Varghese, 1995)     |

use incast_units::Bytes;

use crate::buffer::HeaderService;
use crate::fifo::Fifo;
use crate::wire::{Class, Kind, Packet};

use super::lane_queue::LaneQueue;

/// Headers in a row before a data packet leaves, under `10:1`.
const HEADERS_IN_A_ROW: u32 = 10;

/// The rule of one port.
#[derive(Clone, Debug)]
pub(super) enum HeaderTurns<const WORDS: usize> {
    /// By packets. `in_a_row`: packets of the control queue since the last data packet, while both
    /// waited.
    Packets { in_a_row: u32 },
    /// By bytes.
    Bytes(DeficitRoundRobin<WORDS>),
}

/// A queue of headers that shares its link with data, by bytes (deficit round robin).
#[derive(Clone, Debug)]
pub(super) struct DeficitRoundRobin<const WORDS: usize> {
    headers: Fifo<Packet<WORDS>>,
    bytes: u64,
    /// The queue whose turn it is.
    turn: NextQueue,
    /// Bytes that this queue may still send in its turn.
    deficit: u64,
    /// Bytes that the other queue had left from its turn.
    kept: u64,
    /// Bytes per turn of headers; data have three times as many.
    quantum: u64,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum NextQueue {
    Headers,
    Data,
}

impl<const WORDS: usize> HeaderTurns<WORDS> {
    /// The rule of this service; `None` where headers always go first.
    pub(super) fn new(service: HeaderService, full_packet: Bytes) -> Option<Self> {
        match service {
            HeaderService::Strict => None,
            HeaderService::TenToOne => Some(Self::Packets { in_a_row: 0 }),
            HeaderService::Quarter => Some(Self::Bytes(DeficitRoundRobin {
                headers: Fifo::default(),
                bytes: 0,
                turn: NextQueue::Headers,
                deficit: full_packet.as_u64().div_ceil(3),
                kept: 0,
                quantum: full_packet.as_u64().div_ceil(3),
            })),
        }
    }

    /// Whether headers wait in a queue of their own, apart from control packets.
    pub(super) fn has_own_queue(&self) -> bool {
        matches!(self, Self::Bytes(_))
    }

    /// Bytes of headers in their own queue.
    pub(super) fn header_bytes(&self) -> u64 {
        match self {
            Self::Packets { .. } => 0,
            Self::Bytes(turns) => turns.bytes,
        }
    }

    /// Whether headers wait in their own queue.
    pub(super) fn holds_headers(&self) -> bool {
        self.header_bytes() > 0
    }

    /// Whether a packet of the control class joins the queue of headers.
    pub(super) fn takes(&self, packet: &Packet<WORDS>) -> bool {
        self.has_own_queue() && packet.is(Kind::Trimmed)
    }

    /// Adds a packet that it [takes](Self::takes).
    pub(super) fn push(&mut self, header: &Packet<WORDS>) {
        if let Self::Bytes(turns) = self {
            turns.bytes += u64::from(header.size());
            turns.headers.push_back(header);
        }
    }

    /// Takes out the packet that leaves next; returns its class, too.
    pub(super) fn dequeue(
        &mut self,
        control: &mut Fifo<Packet<WORDS>>,
        data: &mut LaneQueue<WORDS>,
    ) -> Option<(Class, Packet<WORDS>)> {
        let takes_control = match self {
            Self::Packets { in_a_row } => {
                let is_due = match (control.is_empty(), data.first_size()) {
                    (true, _) => false,
                    (false, None) => true,
                    (false, Some(_)) => {
                        let is_due = *in_a_row < HEADERS_IN_A_ROW;
                        *in_a_row = if is_due { *in_a_row + 1 } else { 0 };
                        is_due
                    }
                };
                is_due.then_some(())
            }
            Self::Bytes(turns) => {
                if control.is_empty() && turns.takes_header(data.first_size()) {
                    return Some((Class::Control, turns.pop()?));
                }
                (!control.is_empty()).then_some(())
            }
        };
        match takes_control {
            Some(()) => Some((Class::Control, take(control)?)),
            None => Some((Class::Data, data.pop_first()?)),
        }
    }
}

impl<const WORDS: usize> DeficitRoundRobin<WORDS> {
    /// Whether a header leaves next. `data` is the size of the first waiting data packet, if any.
    /// Turns change only while both headers and data wait.
    fn takes_header(&mut self, data: Option<u64>) -> bool {
        let header = self.headers.front().map(|header| u64::from(header.size()));
        let (Some(header), Some(data)) = (header, data) else {
            return header.is_some();
        };
        loop {
            let wanted = match self.turn {
                NextQueue::Headers => header,
                NextQueue::Data => data,
            };
            if let Some(left) = self.deficit.checked_sub(wanted) {
                self.deficit = left;
                return self.turn == NextQueue::Headers;
            }
            let quantum;
            (self.turn, quantum) = match self.turn {
                NextQueue::Headers => (NextQueue::Data, 3 * self.quantum),
                NextQueue::Data => (NextQueue::Headers, self.quantum),
            };
            (self.deficit, self.kept) = (self.kept + quantum, self.deficit);
        }
    }

    fn pop(&mut self) -> Option<Packet<WORDS>> {
        let header = take(&mut self.headers)?;
        self.bytes -= u64::from(header.size());
        Some(header)
    }
}

/// Takes the first packet out of a queue, if any.
fn take<const WORDS: usize>(queue: &mut Fifo<Packet<WORDS>>) -> Option<Packet<WORDS>> {
    let packet = *queue.front()?;
    queue.pop_front();
    Some(packet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::switch::PortArbitration;
    use crate::switch::port_queue::PortQueue;
    use crate::wire::{Lane, Lanes, ONE_LINE};

    /// The order in which this many ACKs, headers of 64 B, and data packets of 1000 B leave: c, h,
    /// d.
    fn order(service: HeaderService, [acks, headers, data]: [usize; 3]) -> String {
        let turns = HeaderTurns::new(service, Bytes::new(1_000));
        let queue = PortQueue::<ONE_LINE, 1>::new(PortArbitration::Fifo, 2);
        let mut queue = queue.with_turns(turns);
        let kinds = [
            (acks, Kind::Ack, 60),
            (headers, Kind::Trimmed, 64),
            (data, Kind::Data, 1_000),
        ];
        for (count, kind, size) in kinds {
            for _ in 0..count {
                let packet = Packet::new(kind, size);
                queue.enqueue(packet.class(), Lane::FIRST, &packet);
            }
        }
        let mut left = String::new();
        while queue.may_send(Lanes::default()) {
            let (_, packet) = queue.dequeue(Lanes::default()).expect("one may leave");
            left.push(match packet.kind() {
                Kind::Ack => 'c',
                Kind::Trimmed => 'h',
                _ => 'd',
            });
        }
        assert_eq!((queue.packets(), queue.bytes()), (0, 0));
        assert_eq!(queue.header_bytes(), 0);
        left
    }

    #[test]
    fn strictly_headers_and_control_go_first() {
        assert_eq!(order(HeaderService::Strict, [2, 3, 2]), "cchhhdd");
    }

    /// Two ACKs and eight headers, a data packet, ten headers, a data packet; then the rest.
    #[test]
    fn ten_headers_go_before_each_data_packet() {
        let expected = format!("cc{}d{}d{}dd", "h".repeat(8), "h".repeat(10), "h".repeat(2));
        assert_eq!(order(HeaderService::TenToOne, [2, 20, 4]), expected);
    }

    /// ACKs first. Quanta of ⌈1000/3⌉ = 334 B and 1002 B: 5 headers of 64 B (320 B, 14 B are kept),
    /// one data packet of 1000 B (2 kept). 14 + 334 = 348: 5 headers (28 kept), one data packet (4
    /// kept). 362: 5 headers (42 kept), data; 376: 5 (56), data; 390: 6 headers (6 kept), one data
    /// packet.
    #[test]
    fn headers_have_a_quarter_of_the_bytes() {
        let each = "hhhhhd";
        let expected = format!("c{}hhhhhhdd", each.repeat(4));
        assert_eq!(order(HeaderService::Quarter, [1, 26, 6]), expected);
    }

    /// Headers leave at once while no data wait, and data while no headers wait.
    #[test]
    fn nothing_waits_for_a_turn_of_others() {
        for service in [HeaderService::TenToOne, HeaderService::Quarter] {
            assert_eq!(order(service, [0, 30, 0]), "h".repeat(30));
            assert_eq!(order(service, [0, 0, 3]), "ddd");
        }
    }
}
