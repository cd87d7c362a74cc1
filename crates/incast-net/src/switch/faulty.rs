//! A switch whose network has faults of links ([`crate::faults`]): the plain switch, behind its
//! wires.

use std::sync::Arc;

use incast_units::Time;

use super::Switch;
use crate::buffer::Buffer;
use crate::context::NetContext;
use crate::faults::{FaultPlan, FaultSide, GlobalChange, LossyWire, PortChange, WireEnds};
use crate::measure::{Log as _, LossCause, PacketEvent};
use crate::wire::{Kind, Lane, MAX_HOPS, Packet};

/// A switch, its wires, and its knowledge of other links' faults.
#[derive(Clone)]
pub(crate) struct FaultySwitch<const WORDS: usize> {
    switch: Switch<WORDS>,
    plan: Arc<FaultPlan>,
    wires: WireEnds,
    /// Number of known changes of [`FaultPlan::global`], and the last epoch among them.
    heard: usize,
    epoch: usize,
    /// Largest number of switches that a packet may pass.
    most_hops: usize,
    /// Time before which all changes have been announced to the engine.
    announced: Time,
}

impl<const WORDS: usize> From<Switch<WORDS>> for FaultySwitch<WORDS> {
    fn from(switch: Switch<WORDS>) -> Self {
        let shared = Arc::clone(&switch.shared);
        let plan = Arc::clone(shared.faults.as_ref().expect("a network with faults"));
        let wires = WireEnds::new(Arc::clone(&plan), switch.node, shared.config.seed);
        let per_hop = shared.layout.format().words_per_hop();
        let most_hops = match shared.watches_paths {
            true => shared.words.words_for_int(WORDS) / per_hop,
            false => MAX_HOPS as usize,
        };
        Self {
            switch,
            plan,
            wires,
            heard: 0,
            epoch: 0,
            most_hops,
            announced: Time::ZERO,
        }
    }
}

impl<const WORDS: usize> FaultySwitch<WORDS> {
    pub(crate) fn on_message<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        context.receive(self.switch.node, port, packet);
        self.catch_up(context);
        if !packet.is_pfc() {
            context.local().faults.arrived_at_switches += 1;
            self.note_path(port, packet);
            if !self.can_forward(packet) {
                context.note(PacketEvent::Drop, port, packet, || 0);
                let index = self.switch.first_port + port as u32;
                let log = &mut context.local().faults;
                return log.lose(packet, index, LossCause::Unreachable, None);
            }
        }
        let mut wire = LossyWire::new(context, &mut self.wires);
        self.switch.on_arrival(port, packet, &mut wire);
    }

    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        context.local().enter(self.switch.node);
        self.catch_up(context);
        if timer != self.switch.timers() {
            let mut wire = LossyWire::new(context, &mut self.wires);
            return self.switch.on_timer_expiry(timer, &mut wire);
        }
        if let Some(next) = self.next_change().filter(|next| *next < self.announced) {
            context.set_timer(timer, next);
        }
    }

    /// Writes the arrival port into a packet that collects INT.
    fn note_path(&self, port: usize, packet: &mut Packet<WORDS>) {
        let shared = &*self.switch.shared;
        let collects = match shared.int_on_acks {
            true => packet.is_ack(),
            false => packet.is_data(),
        };
        if shared.watches_paths && collects {
            let index = u64::from(self.switch.first_port) + port as u64;
            packet.set_path(incast_random::mix(packet.path() ^ (index + 1)));
        }
    }

    /// Whether there is a path to the packet's destination, and the packet has not passed too many
    /// switches.
    fn can_forward(&self, packet: &Packet<WORDS>) -> bool {
        let counts_hops = match self.switch.shared.int_on_acks {
            true => packet.is_ack(),
            false => packet.is_data(),
        };
        let is_lost = counts_hops && packet.hops() >= self.most_hops;
        !is_lost && self.switch.forwarding.leads_to(packet.destination())
    }

    /// Applies all changes that are due, before other events at the same time.
    fn catch_up<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        if self.next_change().is_some_and(|next| next <= now) {
            self.switch.observe(now, context.local());
            while let Some((port, change)) = self.wires.take_change(now) {
                self.change(port, change, context);
            }
            self.hear(now);
        }
        if self.wires.has_new_rates() {
            self.switch.observe(now, context.local());
            self.take_new_rates(now);
        }
    }

    fn change<C: NetContext<WORDS>>(&mut self, port: usize, change: PortChange, context: &mut C) {
        match change {
            PortChange::Down => self.end_pause(port, context),
            PortChange::Up => self.reopen(port, context),
            PortChange::Rate(rate) => {
                self.wires.set_rate(port, rate);
                self.take_new_rates(context.now());
                self.reopen(port, context);
            }
        }
    }

    /// Sets the new rates of links whose transmission is over.
    fn take_new_rates(&mut self, now: Time) {
        let Self { switch, wires, .. } = self;
        wires.take_rates(|port, rate| {
            let egress = &mut switch.ports[port].egress;
            let is_free = egress.link.free_at() <= now;
            if is_free {
                egress.set_rate(&switch.shared, rate);
            }
            is_free
        });
    }

    /// The link of a port fails: ends a pause, so that waiting packets are sent, and lost.
    fn end_pause<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        let paused = self.switch.ports[port].egress.link.paused();
        let mut wire = LossyWire::new(context, &mut self.wires);
        for lane in Lane::first(Lane::COUNT).filter(|lane| paused.contains(*lane)) {
            self.switch
                .on_pfc_frame(port, lane, Kind::Resume, &mut wire);
            self.switch.schedule_dequeue(port, &mut wire);
        }
    }

    /// The link of a port is back, or faster. Under PFC the port's data wait until the switch at
    /// the other end reports whether it pauses; this switch reports the same.
    fn reopen<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        let paused = self.switch.ports[port].egress.link.paused();
        let peer = self.plan.ports_of(self.switch.node)[port].peer;
        let mut wire = LossyWire::new(context, &mut self.wires);
        for lane in Lane::first(Lane::COUNT) {
            let Buffer::Pfc(buffer) = &self.switch.buffer else {
                return;
            };
            let kind = match buffer.pauses(buffer.account(port, lane)) {
                true => Kind::Pause,
                false => Kind::Resume,
            };
            if peer.0 >= self.plan.hosts() && !paused.contains(lane) {
                self.switch.on_pfc_frame(port, lane, Kind::Pause, &mut wire);
            }
            self.switch.send_pfc_frame(port, lane, kind, &mut wire);
        }
    }

    /// Applies changes that concern all nodes: new routes.
    fn hear(&mut self, now: Time) {
        let before = self.epoch;
        let rest = self.plan.global()[self.heard..].iter();
        for (_, change) in rest.take_while(|(time, _)| *time <= now) {
            self.heard += 1;
            if let GlobalChange::Epoch(epoch) = change {
                self.epoch = *epoch;
            }
        }
        if self.plan.differ(before, self.epoch) {
            let healthy = self.plan.routes_of(0);
            let routes = [healthy, self.plan.routes_of(self.epoch)];
            let switch = &mut self.switch;
            let selector = &switch.selector;
            switch.forwarding = switch.forwarding.around(routes, switch.node, selector);
        }
    }

    fn next_change(&self) -> Option<Time> {
        let global = self.plan.global().get(self.heard).map(|(time, _)| *time);
        self.wires.next_change().into_iter().chain(global).min()
    }
}

impl<const WORDS: usize> FaultSide for FaultySwitch<WORDS> {
    fn fault_timers(&self) -> usize {
        1
    }

    fn announce_changes(&mut self, before: Time) -> Option<(usize, Time)> {
        self.announced = before;
        let next = self.next_change().filter(|next| *next < before)?;
        Some((self.switch.timers(), next))
    }
}

impl<const WORDS: usize> AsRef<Switch<WORDS>> for FaultySwitch<WORDS> {
    fn as_ref(&self) -> &Switch<WORDS> {
        &self.switch
    }
}

impl<const WORDS: usize> AsMut<Switch<WORDS>> for FaultySwitch<WORDS> {
    fn as_mut(&mut self) -> &mut Switch<WORDS> {
        &mut self.switch
    }
}
