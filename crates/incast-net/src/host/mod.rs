//! A host: its NIC with its QPs, and the receivers of what others send to it.
//!
//! ACKs, NACKs and CNPs go first, then one packet of each QP that may send, in turn.

mod qp;
mod receiver;
mod scheduler;
mod sender;

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use incast_cc::IntRecord;
use incast_engine::{Purpose, RandomStream};
use incast_units::Time;
use rustc_hash::FxHasher;

use crate::context::NetContext;
use crate::packet::{Kind, Packet};
use crate::record::PacketEvent;
use crate::recorder::{Recorder, Sampling};
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::{Clock, Controllers, Flow};

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
/// How many alarms a host has; that of its port has the port's number.
pub(crate) const ALARMS: usize = 4;

/// A host.
pub(crate) struct Host<'a, const WORDS: usize> {
    pub(crate) number: u16,
    shared: &'a Shared,
    controllers: &'a dyn Controllers,
    pub(crate) link: Transmitter,
    clock: Clock,
    /// ACKs, NACKs and CNPs that wait for the link.
    acks: VecDeque<Packet<WORDS>>,
    qps: QpTable,
    scheduler: Scheduler,
    timers: Timers,
    receivers: FlowMap<Receiver>,
    /// Complete flows and their packets, where a packet may come again after its flow is
    /// complete.
    received: FlowMap<u32>,
    /// Flows that start at or after the current time, in order.
    starts: VecDeque<Flow>,
    pacing: RandomStream,
    sampling: Sampling,
    /// Bytes acknowledged since the last sample.
    acked: u64,
    records: [IntRecord; incast_cc::MAX_INT_HOPS],
}

impl<'a, const WORDS: usize> Host<'a, WORDS> {
    pub(crate) fn new(
        number: u16,
        link: Transmitter,
        shared: &'a Shared,
        controllers: &'a dyn Controllers,
        recorder: &Recorder,
    ) -> Self {
        let model = &shared.config.model;
        let measure = &recorder.measure;
        Self {
            number,
            shared,
            controllers,
            link,
            clock: model.clock,
            acks: VecDeque::new(),
            qps: QpTable::default(),
            scheduler: Scheduler::new(model.nic_scheduler),
            timers: Timers::default(),
            receivers: FlowMap::default(),
            received: FlowMap::default(),
            starts: VecDeque::new(),
            pacing: RandomStream::new(shared.config.seed, number.into(), Purpose::Pacing),
            sampling: Sampling::new(measure.flow_interval, measure.until),
            acked: 0,
            records: [IntRecord::default(); incast_cc::MAX_INT_HOPS],
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
        self.sample(context);
        match packet.kind() {
            Kind::Data | Kind::AskingData | Kind::LastData => self.on_data(packet, context),
            Kind::Ack | Kind::Nack => self.on_ack(packet, context),
            Kind::Cnp => self.on_cnp(packet, context),
            Kind::Pause | Kind::Resume => {
                let paused = packet.kind() == Kind::Pause;
                let node = incast_units::NodeId(self.number.into());
                let event = self.link.set_paused(paused, context.now(), node, 0);
                context.local().pause(event);
                if !paused {
                    self.send(context);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn on_alarm<C: NetContext<WORDS>>(&mut self, alarm: usize, context: &mut C) {
        self.sample(context);
        match alarm {
            TIMER => self.on_timers(context),
            START => self.start_flows(context),
            WAKE => self.send(context),
            _ => {
                self.link.complete();
                self.send(context);
            }
        }
    }

    /// Sends an ACK, NACK or CNP as soon as the link is free.
    #[inline]
    fn answer<C: NetContext<WORDS>>(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        context.note(PacketEvent::Enqueue, 0, packet, || bytes(&self.acks));
        if self.acks.is_empty() && !self.acks_stopped() && !self.link.busy(context) {
            context.note(PacketEvent::Send, 0, packet, || 0);
            self.link.start(0, packet, context.now(), context);
            self.arm(false, context);
        } else {
            self.acks.push_back(*packet);
            self.send(context);
        }
    }

    /// Sends one packet if the link is free, and sees to it that the next one gets its turn.
    #[inline]
    fn send<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let idle = !self.link.busy(context);
        let sent = idle && (self.send_ack(context) || self.send_data(context));
        self.arm(idle && !sent, context);
    }

    #[inline]
    fn send_ack<C: NetContext<WORDS>>(&mut self, context: &mut C) -> bool {
        if !self.acks_may_go() {
            return false;
        }
        let mut packet = self.acks.pop_front().expect("an ACK waits");
        context.note(PacketEvent::Send, 0, &packet, || bytes(&self.acks));
        self.link.start(0, &mut packet, context.now(), context);
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

    #[inline]
    fn send_data<C: NetContext<WORDS>>(&mut self, context: &mut C) -> bool {
        let Some(slot) = self
            .scheduler
            .pick(context.now(), self.link.paused, &self.qps)
        else {
            return false;
        };
        self.send_packet_of(slot, context);
        true
    }

    /// Sets the alarm for the next chance to send. `slept`: the link is free, but nothing could
    /// be sent.
    #[inline]
    fn arm<C: NetContext<WORDS>>(&mut self, slept: bool, context: &mut C) {
        if self.scheduler.scans() {
            return self.arm_scan(slept, context);
        }
        let data = if self.link.paused {
            None
        } else {
            self.scheduler.next_turn(context.now())
        };
        let next = if self.acks_may_go() {
            Some(context.now())
        } else {
            data
        };
        let next = next.map(|turn| turn.max(self.link.free_at()));
        if context.alarm(SEND) == next {
            return;
        }
        match next {
            Some(at) => context.set_alarm(SEND, at),
            None => context.clear_alarm(SEND),
        }
    }

    /// The linear scan looks again whenever the link becomes free; if it then finds nothing, it
    /// sleeps until the earliest send time of any unfinished QP, unless it sleeps already, or
    /// that time is past (the QP waits for its window).
    fn arm_scan<C: NetContext<WORDS>>(&mut self, slept: bool, context: &mut C) {
        if self.link.busy(context) {
            if context.alarm(SEND).is_none() {
                context.set_alarm(SEND, self.link.free_at());
            }
        } else if slept
            && !self.acks_may_go()
            && context.alarm(WAKE).is_none()
            && let Some(turn) = self.scheduler.earliest_turn(&self.qps)
            && turn > context.now()
        {
            context.set_alarm(WAKE, turn);
        }
    }

    #[inline]
    fn sample<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        if self.sampling.due(now) {
            self.catch_up(now, context.local());
        }
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
            self.qps.sample(time, interval, self.shared.mtu, tick, keep);
        }
    }

    /// One of the flows alive, if any.
    pub(crate) fn alive(&self) -> Option<incast_units::FlowId> {
        self.qps.iter().map(|qp| qp.flow.id).min()
    }

    /// What is left when all flows have completed, if anything.
    pub(crate) fn left_over(&self) -> Option<String> {
        if !self.acks.is_empty() {
            return Some(format!("{} ACKs are", self.acks.len()));
        }
        self.link.paused.then(|| "a paused port is".to_owned())
    }
}

/// On the wire.
fn bytes<const WORDS: usize>(packets: &VecDeque<Packet<WORDS>>) -> u64 {
    packets.iter().map(|packet| u64::from(packet.size)).sum()
}

impl<const WORDS: usize> std::fmt::Debug for Host<'_, WORDS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}
