//! Which data packet of a port leaves next, where that is not the one that came first.
//!
//! Round robin over ingress ports: one packet of each in turn, of those by which packets came that
//! wait; each ingress port has a queue of its own. Packets count alike, whatever their sizes.

use crate::fifo::Fifo;
use crate::wire::Packet;

/// The data queues of one egress port, by ingress port.
#[derive(Clone, Debug)]
pub(super) struct IngressQueues<const WORDS: usize> {
    queues: Vec<Fifo<Packet<WORDS>>>,
    /// The ingress port whose turn is next.
    turn: usize,
    /// By which ingress port the last packet came that joined one of the queues.
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

    /// The last packet that joined one of the queues, if it still waits.
    pub(super) fn last(&self) -> Option<&Packet<WORDS>> {
        self.queues[self.last].back()
    }

    /// Takes out the last packet that joined one of the queues, if it still waits.
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

    /// All packets that wait, by ingress port.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet<WORDS>> {
        self.queues.iter().flat_map(|queue| queue.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Kind, ONE_LINE};

    /// Three packets came by port 0, one by 2, two by 3: 0 2 3 0 3 0; then, after one by 1, it is
    /// the turn of 1.
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
        // The last that came goes; of those by 3, the other one is not the last of all.
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
