//! The order of a port's data packets, where it is not the order of arrival.
//!
//! Round robin over ingress ports: each has a queue of its own, and queues with packets send one
//! packet in turn. Sizes of packets do not matter.

use crate::fifo::Fifo;
use crate::wire::Packet;

/// The data queues of one egress port, by ingress port.
#[derive(Clone, Debug)]
pub(super) struct IngressQueues<const WORDS: usize> {
    queues: Vec<Fifo<Packet<WORDS>>>,
    /// The first ingress port to try next.
    turn: usize,
    /// The ingress port of the packet that arrived last.
    last: usize,
}

impl<const WORDS: usize> IngressQueues<WORDS> {
    pub(super) fn new(ports: usize) -> Self {
        Self {
            queues: (0..ports).map(|_| Fifo::default()).collect(),
            turn: 0,
            last: 0,
        }
    }

    /// Adds a packet to the queue of its ingress port.
    pub(super) fn push(&mut self, packet: &Packet<WORDS>) {
        self.last = packet.ingress();
        self.queues[self.last].push_back(packet);
    }

    /// The packet that arrived last, if it still waits.
    pub(super) fn last(&self) -> Option<&Packet<WORDS>> {
        self.queues[self.last].back()
    }

    /// Takes out the packet that arrived last, if it still waits.
    pub(super) fn pop_last(&mut self) -> Option<Packet<WORDS>> {
        self.queues[self.last].pop_back()
    }

    /// Takes out the packet that leaves next.
    pub(super) fn pop(&mut self) -> Option<Packet<WORDS>> {
        let ports = self.queues.len();
        let mut turns = (self.turn..ports).chain(0..self.turn);
        let port = turns.find(|port| !self.queues[*port].is_empty())?;
        self.turn = (port + 1) % ports;
        let packet = *self.queues[port].front_mut();
        self.queues[port].pop_front();
        Some(packet)
    }

    /// All waiting packets, by ingress port.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet<WORDS>> {
        self.queues.iter().flat_map(|queue| queue.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Kind, ONE_LINE};

    /// Three packets arrived by port 0, one by port 2, two by port 3: 0 2 3 0 3 0. Then one arrives
    /// by port 1, and it is the turn of port 1.
    #[test]
    fn ingress_ports_take_turns() {
        let mut queues = IngressQueues::<ONE_LINE>::new(4);
        let push = |queues: &mut IngressQueues<ONE_LINE>, port: usize, psn: u32| {
            let mut packet = Packet::new(Kind::Data, 1_000);
            packet.set_ingress(port);
            packet.set_psn(psn);
            queues.push(&packet);
        };
        for (port, psn) in [(0, 0), (0, 1), (0, 2), (2, 0), (3, 0), (3, 1)] {
            push(&mut queues, port, psn);
        }
        assert_eq!(queues.iter().count(), 6);
        // The packet that arrived last is taken. The other packet of port 3 is not the last of all.
        assert_eq!(queues.last().unwrap().psn(), 1);
        let last = queues.pop_last().unwrap();
        assert_eq!((last.ingress(), last.psn()), (3, 1));
        push(&mut queues, 3, 1);
        let pop = |queues: &mut IngressQueues<ONE_LINE>| {
            let packet = queues.pop();
            packet.map(|packet| (packet.ingress(), packet.psn()))
        };
        let left: Vec<_> = (0..6).filter_map(|_| pop(&mut queues)).collect();
        assert_eq!(left, [(0, 0), (2, 0), (3, 0), (0, 1), (3, 1), (0, 2)]);
        assert_eq!(pop(&mut queues), None);
        push(&mut queues, 0, 3);
        push(&mut queues, 1, 0);
        assert_eq!(pop(&mut queues), Some((1, 0)));
    }
}
