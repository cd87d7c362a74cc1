//! A switch of the null network: looks a port up, keeps what has to wait, sends.

use std::collections::VecDeque;

use incast_engine::{CheckedIndex, Context, Node};
use incast_random::mix;
use incast_units::{NodeId, Time};

use super::packet::{Link, Packet};

/// Next hops among which a packet may choose; as many as a switch of the `clos-320` fabric has.
const CHOICES: usize = 4;

#[derive(Debug)]
pub(super) struct Switch {
    /// By host: ports that lead there, repeated to fill the places.
    next_hops: Vec<[u16; CHOICES]>,
    /// An odd number of its own, to spread packets over next hops unlike other switches do.
    salt: u64,
    ports: Vec<Port>,
    /// Ports at which packets wait.
    busy: Vec<u16>,
}

#[derive(Debug)]
struct Port {
    link: Link,
    /// In order of arrival.
    waiting: VecDeque<Packet>,
    /// Whether it stands among those that are busy.
    listed: bool,
}

impl Switch {
    /// `next_hops` of each host.
    pub(super) fn new<'r>(
        node: NodeId,
        links: impl Iterator<Item = Link>,
        next_hops: impl Iterator<Item = &'r [u16]>,
    ) -> Self {
        let choices = |ports: &[u16]| std::array::from_fn(|choice| ports[choice % ports.len()]);
        let port = |link| Port {
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

    /// The next port of a packet; one of several by multiplicative hashing.
    #[inline(always)]
    fn egress(&self, packet: &Packet) -> usize {
        let choices = self.next_hops.at(packet.destination.into());
        let hash = packet.spread.wrapping_mul(self.salt);
        choices[(hash >> 32) as usize % CHOICES].into()
    }

    /// Takes in a packet for a port that is not idle, or at which packets should have left before.
    #[inline(never)]
    fn wait<C: Context<Message = Packet>>(
        &mut self,
        egress: usize,
        packet: &mut Packet,
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

impl<C: Context<Message = Packet>> Node<C> for Switch {
    #[inline(always)]
    fn on_message(&mut self, _port: usize, packet: &mut Packet, context: &mut C) {
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

impl Port {
    /// Lets packets leave that begin to do so before `limit`.
    #[inline]
    fn depart<C: Context<Message = Packet>>(
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
