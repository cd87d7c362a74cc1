//! A host: a sending side, a receiving side, and a NIC between them and the link.
//!
//! [`Host`] handles its events one by one. It passes each packet to the sending or receiving side,
//! puts answers into the control queue, and lets the NIC transmit. Then it sets a timer for the
//! next possible transmission. The [`FastHost`] has the same parts, but computes their events
//! lazily.

mod dependencies;
mod dispatch;
mod fast;
mod faulty;
mod feedback;
mod flow_table;
mod machine;
mod nic;
mod packets;
mod programs;
mod receiver;
mod sampling;
mod scan_timing;
mod scheduler;
mod sending;
mod timelines;

use std::collections::VecDeque;
use std::sync::Arc;

use incast_units::{FlowId, NodeId, Rate, Time};

use crate::context::NetContext;
use crate::flow::{Controllers, Flow};
use crate::measure::{
    Heard, Log as _, MeasureConfig, NicLog, PacketEvent, Recorder, Sampling, UnfinishedFlow,
};
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::waiting::WaitingHost;
use crate::wire::{Class, Kind, Lane, Packet};

pub(crate) use self::fast::FastHost;
pub(crate) use self::faulty::FaultyHost;
pub(crate) use self::machine::{Machine, NicContext};
pub use self::programs::HostProgramSpec;
pub use self::scheduler::NicScheduler;
pub use self::sending::{Enforcement, IdleState, NicConfig, QpLifetime};

use self::dispatch::Outbox;
use self::nic::{NextPacket, Nic};
use self::programs::{HostFacts, HostPrograms};
use self::receiver::ReceiveSide;
use self::sending::{Expiry, QpUpdate, SendSide};

/// The only port of a host.
const PORT: usize = 0;

/// Timer: end of a transmission, or next send time. It has the same number as the port.
const SEND: usize = PORT;
/// Timer: the linear scan runs again.
const WAKE: usize = 1;
/// Timer of a QP: of its algorithm, or its retransmission timeout.
const QP_TIMER: usize = 2;
/// Timer: a host program has work to do.
const PROGRAM: usize = 3;
/// Timer: a flow starts.
pub(crate) const START: usize = 4;
/// Number of timers.
pub(crate) const TIMERS: usize = 5;

/// A host that handles its events one by one.
#[derive(Clone)]
pub(crate) struct Host<'a, const WORDS: usize> {
    pub(crate) node: NodeId,
    sender: SendSide<'a>,
    receiver: ReceiveSide,
    /// Host programs, if the algorithm needs any.
    programs: Option<Box<HostPrograms<WORDS>>>,
    pub(crate) nic: Nic<WORDS>,
    /// Flows that start at or after the current time, in order of start.
    starts: VecDeque<Flow>,
    /// Sends that wait for events at this host, if there are any.
    waiting: Option<WaitingHost<'a>>,
    sampling: Sampling,
}

impl<'a, const WORDS: usize> Host<'a, WORDS> {
    pub(crate) fn new(
        number: u32,
        (link, rate): (Transmitter, Rate),
        shared: &Arc<Shared>,
        controllers: &Arc<dyn Controllers + 'a>,
        measure: &MeasureConfig,
    ) -> Self {
        let (model, node) = (&shared.config.model, NodeId(number));
        let facts = HostFacts { node, rate, shared };
        Self {
            node,
            sender: SendSide::new(number, rate, shared, controllers),
            receiver: ReceiveSide::new(shared),
            programs: HostPrograms::new(&facts, &controllers.needs()),
            nic: Nic::new(link, model.nic_scheduler, model.ack_pausable_at_host)
                .with_log(measure.breakdown.then(|| NicLog::new(model.clock, rate))),
            starts: VecDeque::new(),
            waiting: None,
            sampling: Sampling::new(measure.flow_interval, measure.until),
        }
    }

    /// Adds a flow. Flows must be added in order of start.
    pub(crate) fn add_flow(&mut self, flow: Flow) {
        self.starts.push_back(flow);
    }

    /// A packet arrives.
    pub(crate) fn on_arrival<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.take_samples(context.now(), context.local());
        let (kind, flow) = (packet.kind(), packet.flow());
        hear(heard_of(kind), context);
        self.dispatch(packet, context);
        self.trace_senders(Some(FlowId(flow)), context);
    }

    /// A timer expires.
    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        self.take_samples(context.now(), context.local());
        hear(
            match timer {
                SEND | WAKE => Heard::Sent,
                QP_TIMER => Heard::Timer,
                _ => Heard::Other,
            },
            context,
        );
        match timer {
            START => self.start_flows(context),
            QP_TIMER => self.on_qp_timers(context),
            WAKE => self.transmit(context),
            PROGRAM => {
                self.follow_programs(context.now(), context);
                self.transmit(context);
            }
            _ => self.transmit(context),
        }
        // For packets that leave, `transmit` updates the trace.
        if !matches!(timer, SEND | WAKE) {
            self.trace_senders(None, context);
        }
    }

    /// Writes into the trace why the host's flows cannot send, if they are traced. Covers only flow
    /// `of` if each flow has a limit of its own, otherwise all flows.
    #[inline(always)]
    fn trace_senders<C: NetContext<WORDS>>(&self, of: Option<FlowId>, context: &mut C) {
        if C::Local::TRACES {
            let of = of.filter(|_| self.sender.keeps_limits_apart());
            let flows = match of {
                Some(flow) if context.local().traces_sender(self.node, flow) => vec![flow],
                Some(_) => return,
                None => context.local().traced_senders(self.node).to_vec(),
            };
            let now = context.now();
            for flow in flows {
                let record = self.sender.record_of(flow, now);
                context.local().note_sender(self.node, flow, record);
            }
        }
    }

    /// Passes a change of a QP to the scheduler.
    fn update_scheduler(&mut self, update: QpUpdate, now: Time) {
        match update {
            QpUpdate::Unknown => {}
            QpUpdate::Updated(slot) => self.reschedule(slot, now),
            QpUpdate::Completed(slot) => self.nic.scheduler.remove(slot),
        }
    }

    /// Passes the next send time of this QP to the scheduler, and the times of all QPs that changed
    /// with it.
    fn reschedule(&mut self, slot: u32, now: Time) {
        let next_send = self.sender.next_send(slot);
        self.nic.scheduler.set_next_send(slot, next_send, now);
        while let Some(other) = self.sender.next_changed() {
            let next_send = self.sender.next_send(other);
            self.nic.scheduler.set_next_send(other, next_send, now);
        }
        self.note_state(slot, now);
    }

    fn on_qp_timers<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        let mut scans = false;
        while let Some(expiry) = self.sender.run_due_timer(now) {
            self.reschedule(expiry.slot, now);
            self.wake_scan_early(expiry.slot, context);
            scans |= self.scans_after(&expiry) | self.queue_probe(&expiry, now);
        }
        self.set_qp_timer(context);
        if scans {
            self.transmit(context);
        }
    }

    /// Queues the probe that an expired timer requires, if any, ahead of data. Returns whether
    /// there is a probe.
    fn queue_probe(&mut self, expiry: &Expiry, now: Time) -> bool {
        let probe = expiry
            .probe
            .and_then(|flow| self.sender.probe_of(flow, now));
        if let Some(packet) = &probe {
            self.nic.enqueue_control(packet);
        }
        probe.is_some()
    }

    /// The peer pauses or resumes a lane of data.
    fn set_paused<C: NetContext<WORDS>>(&mut self, lane: Lane, kind: Kind, context: &mut C) {
        let paused = kind == Kind::Pause;
        let now = context.now();
        if !paused {
            self.sample_pause(now, context.local());
        }
        if let Some(log) = &mut self.nic.log {
            log.set_paused(paused, now, self.sender.is_empty());
        }
        let link = &mut self.nic.link;
        let event = link.set_paused(lane, paused, now, self.node, PORT as u32);
        context.local().pause(event);
    }

    /// Creates the QPs of all flows that start at the current time.
    fn start_flows<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        while let Some(flow) = self.next_start(context) {
            if self.open_qp(flow, context) {
                self.set_program_timer(context);
                self.set_qp_timer(context);
                self.transmit(context);
            }
        }
    }

    /// Removes and returns the next flow if it starts now. Otherwise sets the timer for its start.
    fn next_start<C: NetContext<WORDS>>(&mut self, context: &mut C) -> Option<Flow> {
        let now = context.now();
        if let Some(waiting) = &mut self.waiting {
            let reached = waiting.wake(now);
            context.local().milestones.extend(reached);
        }
        let listed = self.starts.front().map(|flow| (flow.start, flow.id));
        let ready = self.waiting.as_ref().and_then(WaitingHost::first);
        let listed_start = listed.map(|(start, _)| start);
        let next = listed_start.into_iter().chain(self.next_waiting()).min()?;
        if next > now {
            context.set_timer(START, next);
            return None;
        }
        if ready.is_none_or(|ready| listed.is_some_and(|listed| listed < ready)) {
            return self.starts.pop_front();
        }
        let flow = self.waiting.as_mut().and_then(WaitingHost::take_first)?;
        context.local().announce(&flow);
        context.local().released.push(flow);
        Some(flow)
    }

    /// Starts a flow. Returns `false` if the start ends the run.
    fn open_qp<C: NetContext<WORDS>>(&mut self, flow: Flow, context: &mut C) -> bool {
        let now = context.now();
        match self.sender.open(flow, now) {
            Ok(slot) => {
                self.nic.scheduler.add(slot);
                self.tell_of_start(&flow, context);
                self.reschedule(slot, now);
                while let Some(other) = self.next_changed_by_programs() {
                    self.reschedule(other, now);
                }
                true
            }
            Err(diagnostic) => {
                context.local().fail(now, self.node, diagnostic);
                false
            }
        }
    }

    /// Sends the next packet if the link is free. Sets the send timer.
    fn transmit<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        if self.nic.link.busy(context) {
            return self.set_send_timer(context);
        }
        match self.nic.pick(context.now(), &self.sender.own.qps) {
            Some(NextPacket::Control) => {
                let packet = self.nic.dequeue_control();
                self.start_transmission(packet, packet.class(), context);
            }
            Some(NextPacket::Data(slot)) => {
                let now = context.now();
                let mut packet = self.sender.next_packet(slot, now);
                let flow = FlowId(packet.flow());
                self.tell_of_sent(slot, &mut packet, now);
                self.start_transmission(packet, Class::Data, context);
                if self.hears().sent {
                    self.follow_programs(now, context);
                }
                self.set_qp_timer(context);
                self.reschedule(slot, now);
                self.trace_senders(Some(flow), context);
            }
            None if self.nic.scheduler.is_linear_scan() => {
                return self.sleep_until_eligible(context);
            }
            None => {}
        }
        self.set_send_timer(context);
    }

    /// Starts the transmission of a packet now.
    fn start_transmission<C: NetContext<WORDS>>(
        &mut self,
        mut packet: Packet<WORDS>,
        class: Class,
        context: &mut C,
    ) {
        let queued = || self.nic.control_bytes();
        context.note(PacketEvent::Send, PORT, &packet, queued);
        self.start_on_link(&mut packet, class, context.now(), context);
        if C::INSERTION_ORDER {
            // The next packet is chosen at the end of this transmission.
            self.nic.link.set_end_timer(SEND, context);
        }
    }

    /// Sets the send timer to the earliest time at which the next packet may leave.
    fn set_send_timer<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        if self.nic.scheduler.is_linear_scan() {
            return self.set_scan_timer(context);
        }
        let next = self.nic.next_departure(context.now());
        set_timer(SEND, next, context);
    }

    /// Sets the timer to the earliest timer of any QP.
    fn set_qp_timer<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        set_timer(QP_TIMER, self.sender.next_timer(), context);
    }

    /// Sets the timer of the host programs, if there are any.
    fn set_program_timer<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        if let Some(programs) = &self.programs {
            set_timer(PROGRAM, programs.next_due(), context);
        }
    }

    /// Appends the flows that have not completed: those with a QP, and those that have not started.
    pub(crate) fn append_unfinished(&self, all: &mut Vec<UnfinishedFlow>) {
        self.sender.append_unfinished(all);
        all.extend(self.starts.iter().copied().map(UnfinishedFlow::untouched));
    }

    /// Adds the counts of flows that have not completed, at their sender or receiver.
    pub(crate) fn add_open(&self, recorder: &mut Recorder) {
        self.receiver.add_open(&mut recorder.arrival_orders);
        self.sender.append_entropies(&mut recorder.entropies);
    }

    /// Describes what the host still contains after all flows have completed, if anything.
    pub(crate) fn left_over(&self) -> Option<String> {
        if self.nic.has_control() {
            return Some(format!(
                "{} control packets are",
                self.nic.control_packets()
            ));
        }
        let programs = self.programs.as_ref();
        let left = programs.and_then(|programs| programs.left_over());
        left.or_else(|| self.nic.is_paused().then(|| "a paused port is".to_owned()))
    }
}

/// At once.
impl<'a, const WORDS: usize, C: NetContext<WORDS>> Outbox<'a, WORDS, C> for Host<'a, WORDS> {
    fn send_control(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let queued = || self.nic.control_bytes();
        context.note(PacketEvent::Enqueue, PORT, packet, queued);
        self.nic.enqueue_control(packet);
        self.transmit(context);
    }

    fn on_qp_update(&mut self, update: QpUpdate, now: Time, context: &mut C) {
        if update == QpUpdate::Unknown {
            return;
        }
        self.update_scheduler(update, now);
        if let QpUpdate::Updated(slot) | QpUpdate::Completed(slot) = update {
            self.wake_scan_early(slot, context);
        }
        self.set_qp_timer(context);
        self.transmit(context);
    }

    fn run_programs(&mut self, now: Time, context: &mut C) {
        self.run_due_programs(now, context);
        self.set_program_timer(context);
    }

    fn send_queued(&mut self, context: &mut C) {
        self.transmit(context);
    }

    fn on_pause_change(&mut self, context: &mut C) {
        if !self.nic.is_paused() {
            self.transmit(context);
        }
    }
}

/// Passes the kind of an arrived packet to the trace, if there is one.
#[inline(always)]
fn hear<const WORDS: usize, C: NetContext<WORDS>>(heard: Heard, context: &mut C) {
    if C::Local::TRACES {
        context.local().hear(heard);
    }
}

/// The trace's name for an arrival of a packet of this kind at a sender.
fn heard_of(kind: Kind) -> Heard {
    match kind {
        Kind::Ack | Kind::Nack => Heard::Ack,
        Kind::Cnp => Heard::Cnp,
        _ => Heard::Other,
    }
}

/// Sets a timer, or cancels it at [`Time::MAX`].
fn set_timer<C: incast_engine::Context>(timer: usize, at: Time, context: &mut C) {
    if at == Time::MAX {
        context.cancel_timer(timer);
    } else if context.timer_deadline(timer) != Some(at) {
        context.set_timer(timer, at);
    }
}

impl<const WORDS: usize> std::fmt::Debug for Host<'_, WORDS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("node", &self.node)
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
