//! A host: its NIC with its QPs, and the receivers of what others send to it.
//!
//! ACKs, NACKs and CNPs go first, then one packet of each QP that may send, in turn.
//!
//! What a host does by itself, sending and timing out, follows from what it knows. So it does it
//! when something arrives that could change it, or a window ends: one timer a window is enough
//! to be called. Where the order of simultaneous events counts, every chance to send has one.

mod acting;
mod flow_table;
mod qp;
mod receiver;
mod scheduler;
mod selective;
mod sender;

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use incast_random::{NetworkPurpose, RandomStream};
use incast_units::Time;
use rustc_hash::FxHasher;

use crate::context::NetContext;
use crate::fifo::Fifo;
use crate::measure::PacketEvent;
use crate::measure::{Recorder, Sampling};
use crate::packet::{Class, Kind, Packet};
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::{Clock, Controllers, Flow, IntCollection, MeasureConfig};

pub use self::scheduler::NicScheduler;

use self::flow_table::FlowTable;
use self::qp::QpTable;
use self::receiver::Receiver;
use self::scheduler::Scheduler;
use self::sender::Timers;

/// Something of every flow.
type FlowMap<T> = HashMap<u32, T, BuildHasherDefault<FxHasher>>;

/// The link is free, or a QP's turn comes.
const SEND: usize = 0;
/// The linear-scan scheduler wakes from its sleep.
const WAKE: usize = 1;
/// A QP's algorithm or retransmission timer.
const TIMER: usize = 2;
/// A flow starts.
pub(crate) const START: usize = 3;
/// How many timers a host has; that of its port has the port's number.
pub(crate) const TIMERS: usize = 4;

/// A host.
pub(crate) struct Host<'a, const WORDS: usize> {
    pub(crate) number: u16,
    shared: &'a Shared,
    controllers: &'a dyn Controllers,
    pub(crate) link: Transmitter,
    clock: Clock,
    /// Whether it is a plain one: [`Shared::plain_hosts`]. What a packet takes is compiled twice,
    /// as `PLAIN` says, for such hosts and for any.
    plain: bool,
    /// Words of a packet that a record of INT takes; 0 if there are none.
    int_words: usize,
    /// The packet of data that leaves; what all have in common it has already.
    leaving: Packet<WORDS>,
    /// ACKs, NACKs and CNPs that wait for the link.
    acks: Fifo<Packet<WORDS>>,
    qps: QpTable,
    scheduler: Scheduler,
    /// Whether that is the linear scan, which keeps its own hours.
    scans: bool,
    timers: Timers,
    /// Before then no sample is due, no timer goes off, no ACK waits and data may go.
    chores: Time,
    receivers: FlowTable<Receiver>,
    /// Complete flows and their packets, where a packet may come again after its flow is
    /// complete.
    received: FlowMap<u32>,
    /// Flows that start at or after the current time, in order.
    starts: VecDeque<Flow>,
    /// When something happened last that could let packets go.
    changed: Time,
    pacing: RandomStream,
    sampling: Sampling,
    /// Bytes acknowledged since the last sample.
    acked: u64,
}

impl<'a, const WORDS: usize> Host<'a, WORDS> {
    pub(crate) fn new(
        number: u16,
        link: Transmitter,
        shared: &'a Shared,
        controllers: &'a dyn Controllers,
        measure: &MeasureConfig,
    ) -> Self {
        let model = &shared.config.model;
        let mut leaving = Packet::new(Kind::Data, 0);
        leaving.source = number;
        Self {
            number,
            shared,
            controllers,
            link,
            clock: model.clock,
            plain: shared.plain_hosts,
            int_words: match shared.config.int {
                IntCollection::Off => 0,
                _ => shared.layout.format().words_per_hop(),
            },
            leaving,
            acks: Fifo::default(),
            qps: QpTable::default(),
            scheduler: Scheduler::new(model.nic_scheduler),
            scans: model.nic_scheduler == NicScheduler::LinearScan,
            timers: Timers::default(),
            chores: Time::ZERO,
            receivers: FlowTable::default(),
            received: FlowMap::default(),
            starts: VecDeque::new(),
            changed: Time::ZERO,
            pacing: RandomStream::of_network(
                shared.config.seed,
                number.into(),
                NetworkPurpose::Pacing,
            ),
            sampling: Sampling::new(measure.flow_interval, measure.until),
            acked: 0,
        }
    }

    /// A flow that starts here at its time; flows come in order of start.
    pub(crate) fn add_flow(&mut self, flow: Flow) {
        self.starts.push_back(flow);
    }

    #[inline]
    pub(crate) fn on_message<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.begin(context);
        if self.plain {
            self.take::<true, C>(packet, context);
        } else {
            self.take::<false, C>(packet, context);
        }
    }

    #[inline(always)]
    fn take<const PLAIN: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if packet.is_data() {
            self.on_data::<PLAIN, C>(packet, context);
        } else if packet.kind() == Kind::Ack {
            self.on_ack::<PLAIN, C>(packet, context);
        } else {
            self.on_rare_message(packet, context);
        }
    }

    #[inline(never)]
    fn on_rare_message<C: NetContext<WORDS>>(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        let kind = packet.kind();
        if kind == Kind::Nack {
            return self.on_ack::<false, C>(packet, context);
        }
        if kind == Kind::Cnp {
            return self.on_cnp(packet, context);
        }
        let paused = kind == Kind::Pause;
        let node = incast_units::NodeId(self.number.into());
        let event = self.link.set_paused(paused, context.now(), node, 0);
        context.local().pause(event);
        self.chores = Time::ZERO;
        if !paused {
            self.send(context);
        }
    }

    #[inline]
    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        let now = context.now();
        self.live(now + Time::from_ps(1), context);
        self.changed = now;
        match timer {
            TIMER => self.on_timers(now, context),
            START => self.start_flows(context),
            WAKE => self.send(context),
            _ => {
                self.link.complete();
                self.send(context);
            }
        }
    }

    /// All events before `end` have happened.
    pub(crate) fn end_window<C: NetContext<WORDS>>(&mut self, end: Time, context: &mut C) {
        if self.punctual::<C>() {
            return;
        }
        if self.chores < end || self.sends_before::<C>(end) {
            self.live(end, context);
        }
        let next = self.next_act();
        if next < Time::MAX && context.timer_deadline(SEND) != Some(next) {
            context.set_timer(SEND, next);
        }
    }

    /// Whether everything that the host does by itself has a timer.
    #[inline]
    fn punctual<C: NetContext<WORDS>>(&self) -> bool {
        C::PUNCTUAL || self.scans
    }

    /// Sends an ACK, NACK or CNP as soon as the link is free.
    #[inline(always)]
    fn answer<const PLAIN: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if C::PUNCTUAL || !self.acks.is_empty() || !self.books::<PLAIN, C>(context) {
            return self.answer_in_turn(packet, context);
        }
        let at = self.link.free_at().max(context.now());
        self.link.start(0, packet, Class::Control, at, context);
    }

    #[inline(never)]
    fn answer_in_turn<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        context.note(PacketEvent::Enqueue, 0, packet, || bytes(&self.acks));
        if self.acks.is_empty() && !self.acks_stopped() && !self.link.busy(context) {
            context.note(PacketEvent::Send, 0, packet, || 0);
            let now = context.now();
            self.link.start(0, packet, Class::Control, now, context);
            if self.punctual::<C>() {
                self.arm(false, context);
            }
        } else {
            self.acks.push_back(packet);
            self.chores = Time::ZERO;
            self.send(context);
        }
    }

    /// Whether an ACK may be put on its way although the link may not be free: where no other
    /// waits nothing will go before it, and it begins to leave in this window.
    #[inline(always)]
    fn books<const PLAIN: bool, C: NetContext<WORDS>>(&self, context: &C) -> bool {
        let in_turn = PLAIN || !self.scans && !self.shared.config.model.ack_pausable_at_host;
        in_turn && self.link.free_at() < context.window_end()
    }

    /// Sends one packet if the link is free, and sees to it that the next one gets its turn.
    #[inline(always)]
    fn send<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        if self.punctual::<C>() {
            self.send_now(context);
        }
    }

    #[inline(never)]
    fn send_now<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        let idle = !self.link.busy(context);
        let sent = idle && (self.send_ack(now, context) || self.send_data(now, context));
        self.arm(idle && !sent, context);
    }

    #[inline]
    fn send_ack<C: NetContext<WORDS>>(&mut self, now: Time, context: &mut C) -> bool {
        if !self.acks_may_go() {
            return false;
        }
        let mut packet = *self.acks.front_mut();
        self.acks.pop_front();
        context.note(PacketEvent::Send, 0, &packet, || bytes(&self.acks));
        self.link
            .start(0, &mut packet, Class::Control, now, context);
        true
    }

    #[inline]
    fn acks_may_go(&self) -> bool {
        !self.acks.is_empty() && !self.acks_stopped()
    }

    #[inline]
    fn acks_stopped(&self) -> bool {
        self.link.paused && self.shared.config.model.ack_pausable_at_host
    }

    #[inline(always)]
    fn send_data<C: NetContext<WORDS>>(&mut self, now: Time, context: &mut C) -> bool {
        let Some(slot) = self.scheduler.pick(now, self.link.paused, &self.qps) else {
            return false;
        };
        self.send_packet_of(slot, now, context);
        true
    }

    /// Sets the timer for the next chance to send. `slept`: the link is free, but nothing could
    /// be sent.
    #[inline]
    fn arm<C: NetContext<WORDS>>(&mut self, slept: bool, context: &mut C) {
        if self.scans {
            return self.arm_scan(slept, context);
        }
        let next = self.next_chance_from(context.now());
        if next == Time::MAX {
            context.cancel_timer(SEND);
        } else if context.timer_deadline(SEND) != Some(next) {
            context.set_timer(SEND, next);
        }
    }

    /// The linear scan looks again whenever the link becomes free; if it then finds nothing, it
    /// sleeps until the earliest send time of any unfinished QP, unless it sleeps already, or
    /// that time is past (the QP waits for its window).
    fn arm_scan<C: NetContext<WORDS>>(&mut self, slept: bool, context: &mut C) {
        if self.link.busy(context) {
            if context.timer_deadline(SEND).is_none() {
                context.set_timer(SEND, self.link.free_at());
            }
        } else if slept
            && !self.acks_may_go()
            && context.timer_deadline(WAKE).is_none()
            && let Some(turn) = self.scheduler.earliest_unfinished(&self.qps)
            && turn > context.now()
        {
            context.set_timer(WAKE, turn);
        }
    }

    #[inline]
    fn sample<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        if self.sampling.due(until) {
            self.take_samples(until, context);
        }
    }

    /// Takes all samples up to `until`, each of what is there when it is taken.
    #[cold]
    fn take_samples<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        while !self.punctual::<C>() && !self.qps.is_empty() && self.sampling.due(until) {
            let next = self.sampling.next();
            self.live(next, context);
            self.catch_up(next, context.local());
        }
        self.catch_up(until, context.local());
    }

    /// Takes all samples up to `now`, at which nothing has happened yet.
    #[cold]
    pub(crate) fn catch_up(&mut self, now: Time, recorder: &mut Recorder) {
        if self.qps.is_empty() && self.acked == 0 && !self.link.paused {
            self.sampling.skip(now);
            return;
        }
        while let Some((index, time, interval)) = self.sampling.take(now) {
            let tick = Recorder::tick(&mut recorder.flow_ticks, index, interval);
            tick.acked += std::mem::take(&mut self.acked);
            tick.paused_ports += u64::from(self.link.paused);
            let keep = recorder.measure.flows.then_some(&mut recorder.flow_samples);
            self.qps.sample(time, interval, tick, keep);
            if recorder.measure.probes {
                self.qps.probe(time, &mut recorder.probes);
            }
        }
    }

    /// One of the flows alive, if any.
    pub(crate) fn alive(&self) -> Option<incast_units::FlowId> {
        self.qps.iter().map(|qp| qp.flow.id).min()
    }

    /// What is left when all flows have completed, if anything.
    pub(crate) fn left_over(&self) -> Option<String> {
        if !self.acks.is_empty() {
            return Some(format!("{} ACKs are", self.acks.iter().count()));
        }
        self.link.paused.then(|| "a paused port is".to_owned())
    }
}

/// On the wire.
fn bytes<const WORDS: usize>(packets: &Fifo<Packet<WORDS>>) -> u64 {
    packets.iter().map(|packet| u64::from(packet.size)).sum()
}

impl<const WORDS: usize> std::fmt::Debug for Host<'_, WORDS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl<'a, const WORDS: usize> AsRef<Host<'a, WORDS>> for Host<'a, WORDS> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<'a, const WORDS: usize> AsMut<Host<'a, WORDS>> for Host<'a, WORDS> {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}
