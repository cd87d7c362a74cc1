//! The wires of a node whose links have faults: packets that are lost on a wire never arrive.

use std::sync::Arc;

use incast_engine::{Context, EventPlace};
use incast_random::{NetworkPurpose, RandomStream};
use incast_units::{NodeId, Rate, Time};

use super::plan::{FaultPlan, PortChange};
use crate::context::NetContext;
use crate::measure::{LossCause, PacketEvent};
use crate::wire::Packet;

/// The sending ends of all links of a node, with or without faults.
#[derive(Clone, Debug)]
pub(crate) struct WireEnds {
    plan: Arc<FaultPlan>,
    /// Number of the node's first port, counted over all nodes.
    first_port: u32,
    /// By port: the wire, if its link has faults.
    ends: Vec<Option<WireEnd>>,
    /// Changes at the node's ports, in order of time: time, port, change.
    changes: Vec<(Time, u16, PortChange)>,
    /// Number of `changes` that have happened.
    happened: usize,
    /// Rates that links take from their next transmission on, by port.
    new_rates: Vec<(u16, Rate)>,
}

#[derive(Clone, Debug)]
struct WireEnd {
    link: u32,
    random: RandomStream,
}

impl WireEnds {
    /// The link ends of a node.
    pub(crate) fn new(plan: Arc<FaultPlan>, node: NodeId, seed: u64) -> Self {
        let (mut ends, mut changes) = (Vec::new(), Vec::new());
        let first_port = plan.first_port(node);
        for ((port, index), own) in (0_u16..).zip(first_port..).zip(plan.ports_of(node)) {
            let end = plan.schedule(own.link).map(|_| WireEnd {
                link: own.link,
                random: RandomStream::of_network(seed, index.into(), NetworkPurpose::Corruption),
            });
            ends.push(end);
            let own = plan.changes(own.link, own.rate).into_iter();
            changes.extend(own.map(|(time, change)| (time, port, change)));
        }
        changes.sort_by_key(|(time, ..)| *time);
        Self {
            plan,
            first_port,
            ends,
            changes,
            happened: 0,
            new_rates: Vec::new(),
        }
    }

    /// Time of the next change of any link of this node.
    pub(crate) fn next_change(&self) -> Option<Time> {
        self.changes.get(self.happened).map(|(time, ..)| *time)
    }

    /// The next change of a link that is due by `now`: its port and the change.
    pub(crate) fn take_change(&mut self, now: Time) -> Option<(usize, PortChange)> {
        let &(time, port, change) = self.changes.get(self.happened)?;
        if time > now {
            return None;
        }
        self.happened += 1;
        Some((port.into(), change))
    }

    /// Sets the rate that the link of a port takes from its next transmission on.
    pub(crate) fn set_rate(&mut self, port: usize, rate: Rate) {
        let port = port as u16;
        self.new_rates.retain(|(other, _)| *other != port);
        self.new_rates.push((port, rate));
    }

    /// Whether any link has a new rate for its next transmission.
    #[inline]
    pub(crate) fn has_new_rates(&self) -> bool {
        !self.new_rates.is_empty()
    }

    /// Offers the waiting rates to `take`; removes each rate for which it returns `true`.
    #[inline]
    pub(crate) fn take_rates(&mut self, mut take: impl FnMut(usize, Rate) -> bool) {
        self.new_rates
            .retain(|&(port, rate)| !take(port.into(), rate));
    }

    /// The fault that destroys a packet on its way from `start` to `end`, and the cause; `None` if
    /// the packet arrives.
    fn fate<const WORDS: usize>(
        &mut self,
        port: usize,
        packet: &Packet<WORDS>,
        start: Time,
        end: Time,
    ) -> Option<(u32, LossCause)> {
        let wire = self.ends[port].as_mut()?;
        let schedule = self.plan.schedule(wire.link)?;
        if let Some(fault) = schedule.down_within(start, end) {
            return Some((fault, LossCause::LinkDown));
        }
        if packet.is_pfc() {
            return None;
        }
        let (fault, probability) = schedule.loss_at(start)?;
        let is_lost = wire.random.uniform() < probability;
        is_lost.then_some((fault, LossCause::Corrupted))
    }
}

/// The context of a node behind its wires: a packet that its wire loses is not sent.
pub(crate) struct LossyWire<'c, const WORDS: usize, C> {
    inner: &'c mut C,
    ends: &'c mut WireEnds,
}

impl<'c, const WORDS: usize, C: NetContext<WORDS>> LossyWire<'c, WORDS, C> {
    pub(crate) fn new(inner: &'c mut C, ends: &'c mut WireEnds) -> Self {
        Self { inner, ends }
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Context for LossyWire<'_, WORDS, C> {
    type Message = Packet<WORDS>;
    type Local = C::Local;

    const INSERTION_ORDER: bool = C::INSERTION_ORDER;

    fn now(&self) -> Time {
        self.inner.now()
    }

    fn advance_to(&mut self, time: Time) {
        self.inner.advance_to(time);
    }

    fn check_port(&self, port: usize) {
        self.inner.check_port(port);
    }

    fn send(&mut self, port: usize, packet: &Packet<WORDS>, at: Time) {
        // On the plain path a packet is passed to the context when its transmission starts.
        let now = self.inner.now();
        let Some((fault, cause)) = self.ends.fate(port, packet, now, at) else {
            return self.inner.send(port, packet, at);
        };
        self.inner.note(PacketEvent::Lose, port, packet, || 0);
        let index = self.ends.first_port + port as u32;
        let log = &mut self.inner.local().faults;
        log.lose(packet, index, cause, Some((fault, now)));
    }

    fn window_end(&self) -> Time {
        self.inner.window_end()
    }

    fn revoke(&mut self, port: usize) -> Option<Packet<WORDS>> {
        self.inner.revoke(port)
    }

    fn take_place(&mut self) -> EventPlace {
        self.inner.take_place()
    }

    fn is_past(&self, place: EventPlace) -> bool {
        self.inner.is_past(place)
    }

    fn set_timer_at_place(&mut self, timer: usize, at: Time, place: EventPlace) {
        self.inner.set_timer_at_place(timer, at, place);
    }

    fn set_timer(&mut self, timer: usize, at: Time) {
        self.inner.set_timer(timer, at);
    }

    fn cancel_timer(&mut self, timer: usize) {
        self.inner.cancel_timer(timer);
    }

    fn timer_deadline(&self, timer: usize) -> Option<Time> {
        self.inner.timer_deadline(timer)
    }

    fn local(&mut self) -> &mut C::Local {
        self.inner.local()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::plan;
    use crate::faults::{FaultKind, LinkFault};
    use crate::wire::{Kind, ONE_LINE};

    /// Link 2, at port 1 of switch 2, corrupts everything in [10, 20) µs. The start of the
    /// transmission decides: a packet that starts before and arrives within is whole, a packet that
    /// starts within and arrives after is not.
    #[test]
    fn a_packet_is_corrupted_if_it_begins_to_leave_under_the_fault() {
        let fault = LinkFault {
            links: vec![2],
            kind: FaultKind::Loss { probability: 1.0 },
            from: Time::from_us(10),
            until: Time::from_us(20),
        };
        let mut wires = WireEnds::new(Arc::new(plan(vec![fault])), NodeId(2), 1);
        let packet = Packet::<ONE_LINE>::new(Kind::Data, 1_048);
        let mut is_lost = |start, end| {
            let [start, end] = [start, end].map(Time::from_us);
            wires.fate(1, &packet, start, end).is_some()
        };
        assert!(!is_lost(9, 11));
        assert!(is_lost(10, 11) && is_lost(19, 21));
        assert!(!is_lost(20, 21));
    }
}
