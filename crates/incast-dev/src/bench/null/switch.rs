//! A switch of the null network: looks up a port, queues packets while the link is busy, and
//! forwards them.

use std::collections::VecDeque;

use incast_engine::{CheckedIndex, Context, Node};
use incast_random::mix;
use incast_units::{NodeId, Time};

use super::packet::{NullLink, NullPacket};

/// Number of next hops among which a packet chooses, as at a switch of the `clos-320` network.
const CHOICES: usize = 4;

#[derive(Debug)]
pub(super) struct NullSwitch {
    /// For each host, the ports that lead to it, repeated to fill the array.
    next_hops: Vec<[u16; CHOICES]>,
    /// An odd number that differs between switches, so that they spread packets differently.
    salt: u64,
    ports: Vec<NullPort>,
    /// Ports with waiting packets.
    busy: Vec<u16>,
}

#[derive(Debug)]
struct NullPort {
    link: NullLink,
    /// Waiting packets, in order of arrival.
    waiting: VecDeque<NullPacket>,
    /// Whether the port is in `NullSwitch::busy`.
    listed: bool,
}

impl NullSwitch {
    /// `next_hops` of each host.
    pub(super) fn new<'r>(
        node: NodeId,
        links: impl Iterator<Item = NullLink>,
        next_hops: impl Iterator<Item = &'r [u16]>,
    ) -> Self {
        let choices = |ports: &[u16]| std::array::from_fn(|choice| ports[choice % ports.len()]);
        let port = |link| NullPort {
            link,
            waiting: VecDeque::new(),
            listed: false,
        };
        Self {
            next_hops: next_hops.map(choices).collect(),
            salt: mix(node.0.into()) | 1,
            ports: links.map(port).collect(),
            busy: Vec::new(),
        }
    }

    pub(super) fn ports(&self) -> usize {
        self.ports.len()
    }

    /// The next port of a packet, chosen by multiplicative hashing.
    #[inline(always)]
    fn egress(&self, packet: &NullPacket) -> usize {
        let choices = self.next_hops.at(packet.destination.into());
        let hash = packet.spread.wrapping_mul(self.salt);
        choices[(hash >> 32) as usize % CHOICES].into()
    }

    /// Queues a packet at a port that is not idle, after the departures that are due there.
    #[inline(never)]
    fn wait<C: Context<Message = NullPacket>>(
        &mut self,
        egress: usize,
        packet: &mut NullPacket,
        context: &mut C,
    ) {
        let port = self.ports.at_mut(egress);
        let now = context.now();
        port.depart(egress, now + Time::from_ps(1), context);
        if port.waiting.is_empty() && port.link.free_at <= now {
            return port.link.start(egress, packet, now, context);
        }
        port.waiting.push_back(*packet);
        if !port.listed {
            port.listed = true;
            self.busy.push(egress as u16);
        }
    }
}

impl<C: Context<Message = NullPacket>> Node<C> for NullSwitch {
    #[inline(always)]
    fn on_message(&mut self, _port: usize, packet: &mut NullPacket, context: &mut C) {
        let egress = self.egress(packet);
        let port = self.ports.at_mut(egress);
        let now = context.now();
        if !port.waiting.is_empty() || port.link.free_at > now {
            return self.wait(egress, packet, context);
        }
        port.link.start(egress, packet, now, context);
    }

    #[inline]
    fn on_timer_expiry(&mut self, _timer: usize, _context: &mut C) {}

    #[inline]
    fn end_window(&mut self, end: Time, context: &mut C) {
        if self.busy.is_empty() {
            return;
        }
        let mut next = Time::MAX;
        let ports = &mut self.ports;
        self.busy.retain(|&number| {
            let port = ports.at_mut(number.into());
            port.depart(number.into(), end, context);
            port.listed = !port.waiting.is_empty();
            if port.listed {
                next = next.min(port.link.free_at);
            }
            port.listed
        });
        if next < Time::MAX {
            context.set_timer(0, next);
        }
    }
}

impl NullPort {
    /// Starts all transmissions that are due before `limit`.
    #[inline]
    fn depart<C: Context<Message = NullPacket>>(
        &mut self,
        number: usize,
        limit: Time,
        context: &mut C,
    ) {
        while self.link.free_at < limit
            && let Some(packet) = self.waiting.front_mut()
        {
            self.link.start(number, packet, self.link.free_at, context);
            self.waiting.pop_front();
        }
    }
}
