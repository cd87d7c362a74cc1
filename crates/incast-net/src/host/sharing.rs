//! QPs that share congestion states: per destination, per pair or per source, and persistent QPs.
//!
//! Three levels. A congestion state ([`state::SharedState`]: controller, limit, sums of sequence
//! numbers) sets the limit of its throttles ([`throttle::Throttle`]: bytes in flight and pacer); a
//! throttle serves flows ([`send_queue::SendQueue`]: QPs in turn, flows of a QP in order of start).
//!
//! ```text
//!                    one state per          one throttle per     QPs of a throttle
//! per-qp             destination and lane   state                one, its flows in order
//! per-destination    destination            QP                   one
//! per-pair           destination            state                all to the destination
//! per-source         host                   state                all of the host
//! ```
//!
//! Flows of different controller groups never share a state. A QP per flow with a state of its own
//! is not here: see [`super::qp`]. Retransmission is each flow's own; the state is told of losses.

mod membership;
mod options;
mod send_queue;
mod signals;
mod state;
mod throttle;
mod timers;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use incast_cc::LossKind;
use incast_diagnostic::Diagnostic;
use incast_units::{FlowId, Rate, Time};
use rustc_hash::FxHasher;

use crate::clock::Clock;
use crate::flow::{Controllers, Flow, NicCalls};
use crate::measure::{FlowSample, ProbeSample, Recorder, SinceSample, Tick, UnfinishedFlow};
use crate::shared::Shared;
use crate::transport::AckOutcome;
use crate::wire::Packet;

use super::flow_table::FlowTable;
use super::pacer::RandomGaps;
use super::packets::{acknowledgement_of, cnp_of, data_packet};
use super::qp::{Expiry, QpUpdate, flow_sample, probe};
use crate::transport::Transfer;

pub(crate) use self::options::FeedbackScope;
pub use self::options::{Enforcement, IdleState, NicConfig, QpLifetime};

use self::options::{QpName, StateKey};
use self::send_queue::Entry;
use self::state::SharedState;
use self::throttle::Throttle;
use self::timers::{SharedTimers, TimerOwner};

type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FxHasher>>;

/// The sending side of a host whose flows share congestion states.
#[derive(Clone)]
pub(super) struct SharingSide<'a> {
    shared: Arc<Shared>,
    controllers: Arc<dyn Controllers + 'a>,
    /// Of every flow, if flows do not differ.
    calls: NicCalls,
    clock: Clock,
    words_per_record: usize,
    flows: FlowTable<SharingFlow>,
    /// Number of flows started here.
    started: u64,
    states: Vec<SharedState>,
    state_of: FastMap<StateKey, u32>,
    /// Slots; the scheduler of the NIC knows throttles by them.
    throttles: Vec<Throttle>,
    free: Vec<u32>,
    /// Under `per-destination`: the throttle of each QP, by state and QP.
    throttle_of: FastMap<(u32, QpName), u32>,
    timers: SharedTimers,
    gaps: RandomGaps,
    /// Throttles whose next send time may have changed.
    changed: Vec<u32>,
    pub(super) since_sample: SinceSample,
    /// The flow that has just completed.
    pub(super) completed: Option<FlowId>,
}

/// A flow that shares a congestion state.
#[derive(Clone)]
struct SharingFlow {
    transfer: Transfer,
    state: u32,
    throttle: u32,
    qp: QpName,
    /// Its start order and slot.
    entry: Entry,
    is_queued: bool,
    /// Earliest entry of its retransmission timer among the timers of its host.
    timer: Time,
}

/// Events.
impl<'a> SharingSide<'a> {
    pub(super) fn new(
        host: u32,
        rate: Rate,
        shared: &Arc<Shared>,
        controllers: &Arc<dyn Controllers + 'a>,
        words_per_record: usize,
    ) -> Self {
        let config = &shared.config;
        Self {
            shared: Arc::clone(shared),
            controllers: Arc::clone(controllers),
            calls: NicCalls::from(&controllers.needs()),
            clock: config.model.clock,
            words_per_record,
            flows: FlowTable::default(),
            started: 0,
            states: Vec::new(),
            state_of: FastMap::default(),
            throttles: Vec::new(),
            free: Vec::new(),
            throttle_of: FastMap::default(),
            timers: SharedTimers::default(),
            gaps: RandomGaps::new(config.seed, host, rate, config.model.clock),
            changed: Vec::new(),
            since_sample: SinceSample::default(),
            completed: None,
        }
    }

    /// A flow starts now; returns the slot of its throttle.
    pub(super) fn open(&mut self, flow: Flow, now: Time) -> Result<u32, Diagnostic> {
        let calls = self.controllers.calls(&flow, self.calls);
        let transfer = Transfer::new(flow, calls.mark_report(), &self.shared)?;
        let state = self.enter_state(&flow, now);
        let qp = self.shared.config.nic.qp_of(&flow);
        let throttle = self.enter_throttle(state, qp, now);
        let order = self.started;
        self.started += 1;
        let slot = self.flows.insert(
            flow.id.0,
            SharingFlow {
                transfer,
                state,
                throttle,
                qp,
                entry: Entry { order, slot: 0 },
                is_queued: false,
                timer: Time::MAX,
            },
        );
        self.flows.get_mut(slot).entry.slot = slot;
        let samples = &mut self.flows.get_mut(slot).transfer.samples;
        self.since_sample.begin(slot, flow.start, samples);
        let progress = &mut self.state(state).progress;
        progress.size = progress.size.saturating_add(flow.size);
        self.update_queue(slot);
        self.schedule_state_timer(state, now);
        Ok(throttle)
    }

    /// The next packet of a throttle, which leaves now.
    pub(super) fn next_packet<const WORDS: usize>(
        &mut self,
        throttle: u32,
        now: Time,
    ) -> Packet<WORDS> {
        let held = &self.throttles[throttle as usize];
        let (state, slot) = (held.state, held.queue.front());
        let slot = slot.expect("a throttle that is served has data to send");
        let window = self.window_of(slot);
        let mtu = self.shared.mtu;
        let segment = self.update_transfer(slot, |transfer| transfer.send_next(mtu, window, now));
        self.update_queue(slot);
        let qp = self.flows.get_mut(slot).qp;
        self.throttles[throttle as usize].queue.end_turn(qp);
        let size = segment.payload + self.shared.data_overhead;
        self.report_sent(state, throttle, &segment, size, now);
        self.pace(state, throttle, size, now);
        let flow = self.flows.get_mut(slot);
        let packet = data_packet(&mut flow.transfer, &segment, &self.shared, now);
        if flow.transfer.retransmission.start(now) {
            self.schedule_flow_timer(slot, now);
        }
        packet
    }

    /// An ACK or NACK arrives.
    pub(super) fn on_ack<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> QpUpdate {
        let Some((slot, outcome)) = self.acknowledge(packet, now, recorder) else {
            return QpUpdate::Unknown;
        };
        if outcome.shows_loss {
            self.update_transfer(slot, Transfer::recover);
        }
        let flow = self.flows.get_mut(slot);
        let (state, throttle) = (flow.state, flow.throttle);
        let is_finished = flow.transfer.is_finished();
        self.update_queue(slot);
        self.deliver_ack(state, packet, outcome.newly_acked, now, recorder);
        if outcome.shows_loss {
            self.report_loss(state, LossKind::Nack, now);
        }
        if is_finished {
            self.complete(slot, now, recorder);
        } else {
            self.schedule_flow_timer(slot, now);
        }
        self.schedule_state_timer(state, now);
        QpUpdate::Updated(throttle)
    }

    /// A CNP arrives.
    pub(super) fn on_cnp<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
    ) -> QpUpdate {
        let Some((_, flow)) = self.flows.find(packet.flow()) else {
            return QpUpdate::Unknown;
        };
        let (state, throttle) = (flow.state, flow.throttle);
        self.change(state, |congestion| {
            congestion.on_cnp(now, &cnp_of(packet));
            congestion.refresh();
        });
        self.schedule_state_timer(state, now);
        QpUpdate::Updated(throttle)
    }

    /// Runs the first timer that is due by `now`.
    pub(super) fn run_due_timer(&mut self, now: Time) -> Option<Expiry> {
        while let Some(&Reverse((time, owner))) = self.timers.peek()
            && time <= now
        {
            self.timers.pop();
            let expiry = match owner {
                TimerOwner::State(state) => self.run_state_timer(state, time, now),
                TimerOwner::Flow(slot, flow) => self.run_flow_timer(slot, flow, time, now),
            };
            if expiry.is_some() {
                return expiry;
            }
        }
        None
    }
}

/// Queries.
impl SharingSide<'_> {
    /// Earliest time of the next packet of a throttle.
    pub(super) fn next_send(&self, throttle: u32) -> Time {
        let throttle = &self.throttles[throttle as usize];
        let limit = &self.states[throttle.state as usize].congestion.limit;
        throttle.next_send(limit.window.as_u64())
    }

    /// The congestion state of a flow that has not completed.
    pub(super) fn state_of(&mut self, flow: u32) -> Option<u32> {
        self.flows.find(flow).map(|(_, flow)| flow.state)
    }

    /// What is to be sent of a flow, unless it has completed.
    pub(super) fn transfer(&self, flow: u32) -> Option<&Transfer> {
        self.flows.peek(flow).map(|flow| &flow.transfer)
    }

    /// Payload of a flow that is acknowledged, unless it has completed.
    pub(super) fn acked_bytes_of(&mut self, flow: u32) -> Option<u64> {
        let (_, flow) = self.flows.find(flow)?;
        Some(flow.transfer.progress().next_expected)
    }

    /// Tells the controller of a flow that its next ACK is of another path.
    pub(super) fn on_path_change(&mut self, flow: u32) {
        if let Some(state) = self.state_of(flow) {
            self.states[state as usize].congestion.on_path_change();
        }
    }

    /// Takes a throttle whose next send time may have changed; `None` when none is left.
    pub(super) fn next_changed(&mut self) -> Option<u32> {
        self.changed.pop()
    }

    /// Time of the first timer; [`Time::MAX`] if none is set.
    pub(super) fn next_timer(&self) -> Time {
        self.timers.peek().map_or(Time::MAX, |timer| timer.0.0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Appends the flows that have not completed.
    pub(super) fn append_unfinished(&self, all: &mut Vec<UnfinishedFlow>) {
        let flows = self.unfinished();
        all.extend(flows.map(|flow| {
            let next_send = match flow.is_queued {
                true => self.next_send(flow.throttle),
                false => Time::MAX,
            };
            flow.transfer.unfinished(next_send)
        }));
    }

    /// Adds every flow to the totals of a sample.
    pub(super) fn sample(&mut self, time: Time, interval: Time, totals: &mut Tick) {
        let at = (time, interval);
        self.since_sample
            .sample(at, totals, &mut self.flows, |flows, slot| {
                flows.get_mut(slot).transfer.sampled()
            });
    }

    /// Keeps the state of every flow, under the limit of its congestion state.
    pub(super) fn keep_sample(&self, time: Time, keep: &mut Vec<FlowSample>) {
        keep.extend(self.unfinished().map(|flow| {
            let limit = &self.states[flow.state as usize].congestion.limit;
            flow_sample(time, &flow.transfer, limit)
        }));
    }

    /// Records, under every flow, the values that the controller of its state shows.
    pub(super) fn probe(&self, time: Time, keep: &mut Vec<ProbeSample>) {
        for flow in self.unfinished() {
            let congestion = &self.states[flow.state as usize].congestion;
            probe(time, &flow.transfer, congestion, keep);
        }
    }

    fn unfinished(&self) -> impl Iterator<Item = &SharingFlow> {
        let flows = self.flows.slots().iter();
        flows.filter(|flow| !flow.transfer.is_finished())
    }
}

/// Flows.
impl SharingSide<'_> {
    /// Applies an ACK or NACK to its flow and the record of round trips; `None` if the flow has
    /// completed.
    fn acknowledge<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> Option<(u32, AckOutcome)> {
        let shared = &*self.shared;
        let (slot, flow) = self.flows.find(packet.flow())?;
        if now >= shared.round_trips_from {
            recorder.round_trip(flow.transfer.flow.tag, now - packet.timestamp());
        }
        flow.transfer.report_path(packet, now);
        let (ack, mtu) = (acknowledgement_of(packet, shared), shared.mtu);
        let outcome = self.update_transfer(slot, |transfer| transfer.acknowledge(ack, mtu, now));
        let samples = &mut self.flows.get_mut(slot).transfer.samples;
        self.since_sample
            .acknowledge(slot, samples, outcome.in_order);
        Some((slot, outcome))
    }

    /// Changes a transfer; updates the sums of its throttle and state.
    fn update_transfer<R>(&mut self, slot: u32, change: impl FnOnce(&mut Transfer) -> R) -> R {
        let mtu = self.shared.mtu;
        let flow = self.flows.get_mut(slot);
        let before = flow.transfer.tally(mtu);
        let result = change(&mut flow.transfer);
        let after = flow.transfer.tally(mtu);
        let (state, throttle) = (flow.state, flow.throttle);
        self.throttles[throttle as usize].count(&before, &after);
        self.states[state as usize].count(&before, &after);
        result
    }

    /// Queues a flow that has data to send; removes one that has none.
    fn update_queue(&mut self, slot: u32) {
        let flow = self.flows.get_mut(slot);
        let has_data = !flow.transfer.has_sent_all();
        self.changed.push(flow.throttle);
        if has_data == std::mem::replace(&mut flow.is_queued, has_data) {
            return;
        }
        let queue = &mut self.throttles[flow.throttle as usize].queue;
        match has_data {
            true => queue.insert(flow.qp, flow.entry),
            false => queue.remove(flow.qp, flow.entry),
        }
    }

    /// What a flow has in flight when it is complete was sent again needlessly; its ACKs do not
    /// count.
    fn complete(&mut self, slot: u32, finish: Time, recorder: &mut Recorder) {
        let flow = self.flows.get_mut(slot);
        recorder.finished.push(flow.transfer.record(finish));
        self.completed = Some(flow.transfer.flow.id);
        let left = flow.transfer.tally(self.shared.mtu);
        self.throttles[flow.throttle as usize].count(&left, &left.with_nothing_in_flight());
        let (state, throttle, qp) = (flow.state, flow.throttle, flow.qp);
        let number = flow.transfer.flow.id.0;
        self.since_sample.end(slot, flow.transfer.samples);
        self.flows.remove(number);
        self.leave_throttle(state, throttle, qp);
        let left = self.state(state);
        left.flows -= 1;
        if left.flows == 0 {
            left.idle_since = finish;
            left.timer = Time::MAX;
        }
        if self.flows.is_empty() {
            self.timers.clear();
        }
    }
}
