//! The lazy path: departures are computed, not scheduled.
//!
//! A queued packet's departure time is known when its predecessor starts. Departures are therefore
//! not events: they are computed when the port is next touched, by an arrival, an observation, or
//! the end of the window. A control packet that only waits for the link is sent at once, ahead of
//! time ([`committed_sends`](super::committed_sends)).
//!
//! Where the exact time of an event matters, the [pipeline](super::pipeline) handles it. While a
//! peer is paused, every departure may resume the peer, and has a timer. Before the admission of a
//! packet that comes near a threshold of the buffer, all departures are computed.

use incast_engine::CheckedIndex;
use incast_units::Time;

use crate::context::NetContext;
use crate::wire::{Class, Packet};

use super::arrival::Arrival;
use super::queue_sample::WindowSamples;
use super::{EgressPort, Switch, after};

/// A switch with the same results as a [`Switch`], which computes events early or late where no
/// node can observe this.
#[derive(Clone, Debug)]
pub(crate) struct FastSwitch<const WORDS: usize> {
    pub(super) plain: Switch<WORDS>,
    /// Whether packets that are not data have to be inspected: for their class, or by a program.
    pub(super) inspects_control: bool,
    /// Whether a program may drop speculative data.
    inspects_speculation: bool,
    /// Bytes of the largest packet.
    pub(super) largest: u64,
    /// Lists for the arrivals of a window, by egress port.
    pub(super) arrivals: Vec<Vec<Arrival>>,
    /// The egress ports with arrivals, in a window of few arrivals.
    pub(super) busy: Vec<u16>,
    /// The samples of a window that is processed port by port.
    pub(super) samples: WindowSamples,
}

impl<const WORDS: usize> From<Switch<WORDS>> for FastSwitch<WORDS> {
    fn from(plain: Switch<WORDS>) -> Self {
        Self {
            inspects_control: plain.acks_among_data || plain.programs.see_control(),
            inspects_speculation: plain.programs.see_speculation,
            largest: plain.shared.largest(),
            arrivals: vec![Vec::new(); plain.ports.len()],
            busy: Vec::new(),
            samples: WindowSamples::default(),
            plain,
        }
    }
}

impl<const WORDS: usize> AsRef<Switch<WORDS>> for FastSwitch<WORDS> {
    fn as_ref(&self) -> &Switch<WORDS> {
        &self.plain
    }
}

impl<const WORDS: usize> AsMut<Switch<WORDS>> for FastSwitch<WORDS> {
    fn as_mut(&mut self) -> &mut Switch<WORDS> {
        &mut self.plain
    }
}

impl<const WORDS: usize> FastSwitch<WORDS> {
    // The path of every packet-hop in windows that are not processed port by port. Rare cases are
    // separate tail calls, so that no register has to be kept across them.

    /// A packet arrives by port `ingress`.
    #[inline(always)]
    pub(crate) fn on_arrival<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if context.now() >= self.plain.next_observation {
            return self.observe_and_forward(ingress, packet, context);
        }
        if packet.is_data() && !(self.inspects_speculation && packet.is_speculative()) {
            self.forward(ingress, packet, Class::Data, context);
        } else if self.inspects_control || packet.is_pfc() {
            self.inspect(ingress, packet, context);
        } else {
            self.forward(ingress, packet, Class::Control, context);
        }
    }

    #[inline(never)]
    fn observe_and_forward<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.observe_due(context.now(), context);
        self.inspect(ingress, packet, context);
    }

    /// Handles a packet of any kind. ACKs are tested first: they are no rate requests and never
    /// dropped.
    #[inline(never)]
    fn inspect<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if !packet.is_ack() {
            return self.inspect_others(ingress, packet, context);
        }
        if self.plain.programs.see_acks() {
            self.settle(ingress, after(context.now()), context);
            self.plain.pass_ack_to_programs(ingress, packet, context);
        }
        let class = self.plain.queue_class(packet);
        self.forward(ingress, packet, class, context);
    }

    /// Handles a packet of any kind but ACKs.
    #[inline(never)]
    fn inspect_others<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if packet.is_pfc() {
            self.settle(ingress, after(context.now()), context);
            self.plain
                .on_pfc_frame(ingress, packet.lane(), packet.kind(), context);
            return self.schedule_if_pausing(ingress, context);
        }
        let egress = self.plain.lookup(packet);
        self.plain
            .pass_request_to_programs(ingress, egress, packet, context);
        if self.plain.drop_speculative(egress, packet, context) {
            return;
        }
        let class = self.plain.queue_class(packet);
        self.forward_to(egress, ingress, packet, class, context);
    }

    /// Forwards a packet directly if it need not wait.
    #[inline(always)]
    fn forward<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        class: Class,
        context: &mut C,
    ) {
        let egress = self.plain.lookup(packet);
        self.forward_to(egress, ingress, packet, class, context);
    }

    #[inline(always)]
    fn forward_to<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        class: Class,
        context: &mut C,
    ) {
        let Switch {
            ports,
            buffer,
            programs,
            ..
        } = &mut self.plain;
        let port = ports.at_mut(egress);
        if !port.passes(class, ingress, packet, buffer, context) {
            return self.queue(ingress, egress, packet, class, context);
        }
        let (now, int) = (context.now(), &programs.int_on_data);
        match class.is_buffered() {
            true => port.egress.start(egress, packet, now, 0, int, context),
            false => port
                .egress
                .start_other(egress, class, packet, now, 0, context),
        }
    }

    /// Queues a packet, or hands it to the pipeline.
    #[inline(never)]
    fn queue<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        class: Class,
        context: &mut C,
    ) {
        self.settle(egress, after(context.now()), context);
        match class.is_buffered() {
            true => self.queue_data(ingress, egress, packet, context),
            false => self.queue_control(ingress, egress, packet, context),
        }
    }

    #[inline(always)]
    fn queue_control<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if self.plain.buffer.pauses_peers() {
            return self.fall_back(ingress, egress, packet, context);
        }
        let port = self.plain.ports.at_mut(egress);
        if port.can_commit(context) {
            port.start_sampling(egress, &mut self.plain.sampled);
            return port.commit(egress, packet, context);
        }
        if port.is_idle(context) {
            let (now, class) = (context.now(), Class::Control);
            let egress_end = &mut port.egress;
            return egress_end.start_other(egress, class, packet, now, 0, context);
        }
        port.enqueue(egress, Class::Control, packet, context);
        self.plain.note_backlog(egress, context);
    }

    #[inline(always)]
    fn queue_data<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let Switch {
            ports,
            buffer,
            programs,
            ..
        } = &mut self.plain;
        let port = ports.at_mut(egress);
        // Departures that are not computed yet only make the buffer seem fuller than it is.
        let queue = port.counted_bytes(packet.lane());
        if buffer.pauses_peers() || !buffer.fits_below_threshold(ingress, queue, packet) {
            return self.fall_back(ingress, egress, packet, context);
        }
        if port.is_idle(context) && !port.egress.link.paused().contains(packet.lane()) {
            let (now, int) = (context.now(), &programs.int_on_data);
            return port.egress.start(egress, packet, now, 0, int, context);
        }
        buffer.charge(ingress, packet);
        packet.set_ingress(ingress);
        port.enqueue(egress, Class::Data, packet, context);
        self.plain.note_backlog(egress, context);
    }

    /// Hands a packet to the pipeline, after all departures so far.
    #[inline(never)]
    fn fall_back<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let paused_peers = self.plain.buffer.pauses_peers();
        // Where ports share no buffer, only this port matters, and its departures are computed.
        if !paused_peers && self.plain.buffer.port_rule().is_none() {
            self.settle_all(after(context.now()), context);
            // A pause frame leaves before committed packets.
            self.revoke(ingress, context);
        }
        self.plain.forward(ingress, egress, packet, context);
        if !paused_peers && self.plain.buffer.pauses_peers() {
            self.schedule_departures(context);
        } else {
            self.schedule_if_pausing(egress, context);
        }
    }

    /// A peer has been paused: sets timers for departures, and revokes committed sends, since PFC
    /// frames may leave by any port.
    #[cold]
    fn schedule_departures<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        for port in 0..self.plain.ports.len() {
            self.revoke(port, context);
        }
        for place in 0..self.plain.backlogged.len() {
            let port = self.plain.backlogged[place];
            self.plain.schedule_dequeue(port.into(), context);
        }
    }

    fn schedule_if_pausing<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        if self.plain.buffer.pauses_peers() {
            self.plain.schedule_dequeue(port, context);
        }
    }

    /// Revokes the committed sends of a port that have not started: these packets wait again.
    fn revoke<C: NetContext<WORDS>>(&mut self, number: usize, context: &mut C) {
        if self.plain.ports[number].revoke(number, context) {
            self.plain.note_backlog(number, context);
        }
    }

    #[inline]
    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        let now = context.now();
        self.observe(now, context);
        if timer == self.plain.program_timer() {
            self.settle_all(after(now), context);
            self.plain.on_program_timer(context);
        } else if !self.plain.buffer.pauses_peers() {
            self.settle(timer, after(now), context);
        } else if self.plain.ports[timer].egress.link.busy(context) {
            // The timer is older than a committed send, which keeps the link busy.
            self.plain.schedule_dequeue(timer, context);
        } else {
            self.plain.dequeue(timer, context);
            self.schedule_if_pausing(timer, context);
        }
    }

    /// Ends a window: all events before `end` have happened. The first departure at `end` or later
    /// gets a timer; in its window the departures of all ports are computed. While a peer is
    /// paused, the next departure of each port gets a timer.
    pub(crate) fn end_window<C: NetContext<WORDS>>(&mut self, end: Time, context: &mut C) {
        self.observe(end - Time::from_ps(1), context);
        let pauses_peers = self.plain.buffer.pauses_peers();
        let (mut kept, mut first) = (0, None);
        for place in 0..self.plain.backlogged.len() {
            let number = self.plain.backlogged[place];
            self.settle(number.into(), end, context);
            let port = &mut self.plain.ports[usize::from(number)];
            if port.queue.is_empty() {
                port.is_backlogged = false;
            } else {
                if pauses_peers {
                    self.plain.schedule_dequeue(number.into(), context);
                } else if let Some(at) = port.next_departure()
                    && first.is_none_or(|(earliest, _)| at < earliest)
                {
                    first = Some((at, number));
                }
                self.plain.backlogged[kept] = number;
                kept += 1;
            }
        }
        self.plain.backlogged.truncate(kept);
        if let Some((_, number)) = first {
            self.plain.schedule_dequeue(number.into(), context);
        }
    }

    // Departures

    /// Computes the departures of a port that start before `limit`.
    #[inline(always)]
    fn settle<C: NetContext<WORDS>>(&mut self, number: usize, limit: Time, context: &mut C) {
        let Switch {
            ports,
            buffer,
            programs,
            ..
        } = &mut self.plain;
        let port = ports.at_mut(number);
        if port.has_departures(limit) {
            port.depart(number, limit, buffer, &programs.int_on_data, context);
        }
    }

    fn settle_all<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        for place in 0..self.plain.backlogged.len() {
            self.settle(self.plain.backlogged[place].into(), limit, context);
        }
    }

    /// Time of the next departure of a waiting packet; [`Time::MAX`] if none waits.
    fn next_departure(&self) -> Time {
        let backlogged = self.plain.backlogged.iter();
        let ports = backlogged.map(|&number| &self.plain.ports[usize::from(number)]);
        let departures = ports.filter_map(EgressPort::next_departure);
        departures.min().unwrap_or(Time::MAX)
    }

    #[inline]
    pub(super) fn observe<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        if until >= self.plain.next_observation {
            self.observe_due(until, context);
        }
    }

    /// Makes the observations that are due up to `until`, each with all departures before its time.
    #[cold]
    fn observe_due<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        while !self.plain.backlogged.is_empty() && until >= self.plain.next_observation {
            let next = self.plain.next_observation;
            self.settle_all(next, context);
            let unchanged = self.next_departure().min(until);
            self.plain.observe_ports(unchanged, context.local());
        }
        self.plain.observe(until, context.local());
    }
}
