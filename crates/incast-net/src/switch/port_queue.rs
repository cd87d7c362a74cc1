//! The queues of one egress port: PFC frames go first, then the control class, then data, lane by
//! lane.

use std::array;

use crate::fifo::Fifo;
use crate::wire::{Class, Lane, Lanes, Packet};

use super::PortArbitration;
use super::arbiter::IngressQueues;
use super::header_turns::HeaderTurns;
use super::lane_queue::{LaneQueue, take};

/// A FIFO for PFC frames, one for the control class, a queue for each lane of data, and their byte
/// counts. Each queue holds packets of all ingress ports.
#[derive(Clone, Debug)]
pub(super) struct PortQueue<const WORDS: usize, const LANES: usize = { Lane::COUNT }> {
    pfc: Fifo<Packet<WORDS>>,
    control: Fifo<Packet<WORDS>>,
    lanes: [LaneQueue<WORDS>; LANES],
    /// Packets in all queues.
    packets: u32,
    /// Bytes in all queues.
    bytes: u64,
    /// Bytes of PFC frames, which rarely wait.
    pfc_bytes: u64,
    /// The order of headers and data, where headers do not always go first; on the plain and the
    /// lazy path.
    turns: Option<Box<HeaderTurns<WORDS>>>,
}

/// A data packet that leaves.
pub(super) struct Departing<'a, const WORDS: usize> {
    pub(super) packet: &'a mut Packet<WORDS>,
    /// Bytes that stay in the queue of the packet's lane.
    pub(super) data_behind: u64,
    /// Bytes that stay in all queues.
    pub(super) behind: u64,
}

impl<const WORDS: usize, const LANES: usize> PortQueue<WORDS, LANES> {
    /// The queues of a port, in a switch with `ports` ports.
    pub(super) fn new(arbitration: PortArbitration, ports: usize) -> Self {
        let by_ingress = || match arbitration {
            PortArbitration::Fifo => None,
            PortArbitration::RoundRobin => Some(Box::new(IngressQueues::new(ports))),
        };
        let lane = |_| LaneQueue {
            by_ingress: by_ingress(),
            ..LaneQueue::default()
        };
        Self {
            pfc: Fifo::default(),
            control: Fifo::default(),
            lanes: array::from_fn(lane),
            packets: 0,
            bytes: 0,
            pfc_bytes: 0,
            turns: None,
        }
    }

    /// The queues of a port where headers and data take turns.
    pub(super) fn with_turns(self, turns: Option<HeaderTurns<WORDS>>) -> Self {
        Self {
            turns: turns.map(Box::new),
            ..self
        }
    }

    /// Whether control packets always leave before data.
    #[inline(always)]
    pub(super) fn puts_control_first(&self) -> bool {
        self.turns.is_none()
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.packets == 0
    }

    /// Packets in all queues.
    pub(super) fn packets(&self) -> u32 {
        self.packets
    }

    /// Bytes in all queues.
    #[inline(always)]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes in the queues of data.
    #[inline(always)]
    pub(super) fn data_bytes(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.bytes).sum()
    }

    /// Bytes in the queue of a lane.
    #[inline(always)]
    pub(super) fn lane_bytes(&self, lane: Lane) -> u64 {
        self.lanes[lane.place_among::<LANES>()].bytes
    }

    /// Bytes in the queue where headers of trimmed packets wait, with or without other packets.
    pub(super) fn header_bytes(&self) -> u64 {
        match &self.turns {
            Some(turns) if turns.has_own_queue() => turns.header_bytes(),
            _ => self.bytes - self.pfc_bytes - self.data_bytes(),
        }
    }

    /// Bytes in the queues of control and data.
    #[inline(always)]
    pub(super) fn bytes_without_pfc(&self) -> u64 {
        self.bytes - self.pfc_bytes
    }

    /// Waiting data packets, lane by lane.
    pub(super) fn data(&self) -> impl Iterator<Item = &Packet<WORDS>> {
        self.lanes.iter().flat_map(LaneQueue::iter)
    }

    /// Whether a packet is queued that pauses do not stop: a PFC frame or a packet of the control
    /// class.
    #[inline(always)]
    pub(super) fn holds_control(&self) -> bool {
        !self.control.is_empty() || self.holds_pfc()
    }

    /// Whether a PFC frame is queued.
    #[inline]
    pub(super) fn holds_pfc(&self) -> bool {
        !self.pfc.is_empty()
    }

    /// Whether several PFC frames are queued.
    pub(super) fn holds_several_pfc(&self) -> bool {
        self.pfc.as_slice().len() > 1
    }

    /// Whether a waiting packet may leave while these lanes are paused.
    #[inline]
    pub(super) fn may_send(&self, paused: Lanes) -> bool {
        self.holds_control()
            || self.data_bytes() > 0 && self.next_lane(paused).is_some()
            || self
                .turns
                .as_ref()
                .is_some_and(|turns| turns.holds_headers())
    }

    /// The lane whose packet leaves next while these lanes are paused, if any. Data wait; with a
    /// single lane, in this lane.
    #[inline(always)]
    pub(super) fn next_lane(&self, paused: Lanes) -> Option<Lane> {
        Lane::first(LANES).find(|lane| {
            let waits = LANES == 1 || self.lane_bytes(*lane) > 0;
            waits && !paused.contains(*lane)
        })
    }

    /// Adds a packet to the queue of this class and, for data, lane.
    #[inline(always)]
    pub(super) fn enqueue(&mut self, class: Class, lane: Lane, packet: &Packet<WORDS>) {
        self.count(packet);
        match class {
            Class::Data => self.lanes[lane.place_among::<LANES>()].push(packet),
            Class::Control => match &mut self.turns {
                Some(turns) if turns.takes(packet) => turns.push(packet),
                _ => self.control.push_back(packet),
            },
            Class::Pfc => {
                self.pfc_bytes += u64::from(packet.size());
                self.pfc.push_back(packet);
            }
        }
    }

    /// Returns a control packet to the front of its class.
    pub(super) fn return_control(&mut self, packet: Packet<WORDS>) {
        self.count(&packet);
        self.control.push_front(packet);
    }

    #[inline(always)]
    fn count(&mut self, packet: &Packet<WORDS>) {
        self.packets += 1;
        self.bytes += u64::from(packet.size());
    }

    /// Subtracts the first data packet of a lane from the counts. The packet itself stays in place,
    /// to be changed and sent, until [`remove_data`](Self::remove_data).
    ///
    /// # Panics
    /// If no data wait in the lane.
    #[inline(always)]
    pub(super) fn discount_data(&mut self, lane: Lane) -> Departing<'_, WORDS> {
        let queue = &mut self.lanes[lane.place_among::<LANES>()];
        let packet = queue.packets.front_mut();
        let size = u64::from(packet.size());
        self.packets -= 1;
        self.bytes -= size;
        queue.bytes -= size;
        Departing {
            packet,
            data_behind: queue.bytes,
            behind: self.bytes,
        }
    }

    /// Removes the first data packet of a lane, which is already subtracted from the counts.
    #[inline(always)]
    pub(super) fn remove_data(&mut self, lane: Lane) {
        self.lanes[lane.place_among::<LANES>()].packets.pop_front();
    }

    /// The packet that joined the queue of a lane last, if it still waits.
    pub(super) fn last_data(&self, lane: Lane) -> Option<&Packet<WORDS>> {
        self.lanes[lane.place_among::<LANES>()].last()
    }

    /// Packets without room in the queue of a lane since the last packet that joined it.
    pub(super) fn refused(&self, lane: Lane) -> u32 {
        self.lanes[lane.place_among::<LANES>()].refused
    }

    /// Counts a packet without room in the queue of a lane; returns the new count.
    pub(super) fn count_refused(&mut self, lane: Lane) -> u32 {
        let refused = self.refused(lane).saturating_add(1);
        self.set_refused(lane, refused);
        refused
    }

    /// Sets the number of packets without room in the queue of a lane since its last place was
    /// taken.
    pub(super) fn set_refused(&mut self, lane: Lane, refused: u32) {
        self.lanes[lane.place_among::<LANES>()].refused = refused;
    }

    /// Takes out the packet that joined the queue of a lane last, if it still waits.
    pub(super) fn take_last_data(&mut self, lane: Lane) -> Option<Packet<WORDS>> {
        let packet = self.lanes[lane.place_among::<LANES>()].pop_last()?;
        self.packets -= 1;
        self.bytes -= u64::from(packet.size());
        Some(packet)
    }

    /// Takes out the packet that leaves next while these lanes are paused; returns its class, too.
    pub(super) fn dequeue(&mut self, paused: Lanes) -> Option<(Class, Packet<WORDS>)> {
        let (class, packet) = if !self.pfc.is_empty() {
            (Class::Pfc, take(&mut self.pfc))
        } else if let Some(turns) = &mut self.turns {
            // Where headers and data take turns, there are no pauses and a single lane.
            turns.dequeue(&mut self.control, &mut self.lanes[0])?
        } else if !self.control.is_empty() {
            (Class::Control, take(&mut self.control))
        } else if self.data_bytes() > 0 {
            let lane = self.next_lane(paused)?;
            let queue = &mut self.lanes[lane.place_among::<LANES>()];
            (Class::Data, queue.pop()?)
        } else {
            return None;
        };
        let size = u64::from(packet.size());
        self.packets -= 1;
        self.bytes -= size;
        if class == Class::Pfc {
            self.pfc_bytes -= size;
        }
        Some((class, packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Kind, ONE_LINE};

    /// Data of 100, 200, ... B, in lanes 0, 1, 1, 0; an ACK of 60 B and a PFC frame of 64 B.
    fn filled() -> PortQueue<ONE_LINE, 2> {
        let mut queue = PortQueue::new(PortArbitration::Fifo, 4);
        let lanes: Vec<_> = Lane::first(2).collect();
        for (lane, size) in [(0, 100), (1, 200), (1, 300), (0, 400)] {
            queue.enqueue(Class::Data, lanes[lane], &Packet::new(Kind::Data, size));
        }
        queue.enqueue(Class::Control, Lane::FIRST, &Packet::new(Kind::Ack, 60));
        queue.enqueue(Class::Pfc, Lane::FIRST, &Packet::new(Kind::Pause, 64));
        assert_eq!((queue.packets(), queue.bytes()), (6, 1_124));
        assert_eq!(
            (queue.data_bytes(), queue.bytes_without_pfc()),
            (1_000, 1_060)
        );
        let by_lane: Vec<_> = lanes.iter().map(|lane| queue.lane_bytes(*lane)).collect();
        assert_eq!(by_lane, [500, 500]);
        queue
    }

    /// A pause of a lane stops the data of this lane, and no other packets.
    #[test]
    fn a_pause_holds_one_lane() {
        let lanes: Vec<_> = Lane::first(2).collect();
        for (paused, expected) in [
            (vec![], vec![64, 60, 100, 400, 200, 300]),
            (vec![0], vec![64, 60, 200, 300]),
            (vec![1], vec![64, 60, 100, 400]),
            (vec![0, 1], vec![64, 60]),
        ] {
            let mut held = Lanes::default();
            paused.iter().for_each(|lane| held.insert(lanes[*lane]));
            let mut queue = filled();
            let mut left = Vec::new();
            while queue.may_send(held) {
                left.push(queue.dequeue(held).unwrap().1.size());
            }
            assert_eq!(left, expected);
            assert!(queue.dequeue(held).is_none());
            let waiting: u64 = queue.data().map(|packet| u64::from(packet.size())).sum();
            assert_eq!((waiting, waiting), (queue.data_bytes(), queue.bytes()));
        }
    }

    /// The last packet of a lane is taken out. The count of packets without room stays until
    /// another packet joins.
    #[test]
    fn the_last_of_a_lane_can_be_taken() {
        let mut queue = filled();
        let lane = Lane::FIRST;
        assert_eq!(
            (queue.count_refused(lane), queue.count_refused(lane)),
            (1, 2)
        );
        assert_eq!(queue.last_data(lane).unwrap().size(), 400);
        assert_eq!(queue.take_last_data(lane).unwrap().size(), 400);
        assert_eq!((queue.lane_bytes(lane), queue.bytes()), (100, 724));
        assert_eq!((queue.packets(), queue.refused(lane)), (5, 2));
        queue.enqueue(Class::Data, lane, &Packet::new(Kind::Data, 300));
        assert_eq!(queue.refused(lane), 0);
        assert_eq!(queue.last_data(lane).unwrap().size(), 300);
    }

    /// Lane 0 is paused: the first packet of lane 1 leaves, and the second one stays.
    #[test]
    fn data_leave_in_place() {
        let mut queue = filled();
        let mut held = Lanes::default();
        held.insert(Lane::FIRST);
        (0..2).for_each(|_| assert!(queue.dequeue(held).is_some()));
        let lane = queue.next_lane(held).unwrap();
        let leaving = queue.discount_data(lane);
        assert_eq!(leaving.packet.size(), 200);
        assert_eq!((leaving.data_behind, leaving.behind), (300, 800));
        queue.remove_data(lane);
        assert_eq!(queue.dequeue(held).unwrap().1.size(), 300);
        assert_eq!(queue.next_lane(held), None);
        assert_eq!((queue.data_bytes(), queue.packets()), (500, 2));
    }
}
