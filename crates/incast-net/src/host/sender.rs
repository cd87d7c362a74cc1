//! The sending side of a host: its QPs send, learn from ACKs, recover and complete.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use incast_cc::{Loss, LossKind};
use incast_diagnostic::Diagnostic;
use incast_units::{FlowId, Rate, Time};

use crate::clock::Clock;
use crate::flow::{Controllers, Flow, NicCalls};
use crate::host::NicScheduler;
use crate::measure::{FlowSample, ProbeSample, Recorder, SinceSample, Tick, UnfinishedFlow};
use crate::shared::Shared;
use crate::transport::AckOutcome;
use crate::violation::Violation;
use crate::wire::Packet;
use incast_signals::int::IntSource;

use super::congestion::CongestionState;
use super::pacer::RandomGaps;
use super::packets::{ack_of, acknowledgement_of, cnp_of, data_packet};
use super::qp::{Expiry, Qp, QpTable, QpUpdate};
use super::rate_requests::Returned;
use super::sharing::SharingSide;
use crate::transport::Transfer;

/// Timers of all QPs of a host: (time, slot, flow); stale unless it is the `qp.timer` of this flow.
type Timers = BinaryHeap<Reverse<(Time, u32, FlowId)>>;

/// The QPs of a host, and their timers.
#[derive(Clone)]
pub(super) struct SendSide<'a> {
    pub(super) shared: Arc<Shared>,
    controllers: Arc<dyn Controllers + 'a>,
    /// Of every flow, if flows do not differ.
    calls: NicCalls,
    pub(super) clock: Clock,
    /// Words of a packet that an INT record takes; 0 without INT.
    pub(super) words_per_record: usize,
    /// Whether the ACK that completes a flow still reaches its controller, as in the HPCC artifact.
    final_ack_reaches_controller: bool,
    pub(super) qps: QpTable,
    timers: Timers,
    pub(super) gaps: RandomGaps,
    pub(super) since_sample: SinceSample,
    /// The flow that has just completed.
    completed: Option<FlowId>,
    /// All flows of this host, if they share congestion states; `qps` is empty then.
    sharing: Option<Box<SharingSide<'a>>>,
}

impl<'a> SendSide<'a> {
    /// `rate` is the NIC's.
    pub(super) fn new(
        number: u32,
        rate: Rate,
        shared: &Arc<Shared>,
        controllers: &Arc<dyn Controllers + 'a>,
    ) -> Self {
        let config = &shared.config;
        let words_per_record = match config.int {
            IntSource::Off => 0,
            _ => shared.layout.format().words_per_hop(),
        };
        let sharing = || SharingSide::new(number, rate, shared, controllers, words_per_record);
        Self {
            shared: Arc::clone(shared),
            controllers: Arc::clone(controllers),
            calls: NicCalls::from(&controllers.needs()),
            clock: config.model.clock,
            words_per_record,
            final_ack_reaches_controller: config.model.nic_scheduler == NicScheduler::LinearScan,
            qps: QpTable::default(),
            timers: Timers::default(),
            gaps: RandomGaps::new(config.seed, number, rate, config.model.clock),
            since_sample: SinceSample::default(),
            completed: None,
            sharing: config.nic.shares_states().then(|| Box::new(sharing())),
        }
    }

    /// Starts a flow; returns the slot of its QP or throttle.
    pub(super) fn open(&mut self, flow: Flow, now: Time) -> Result<u32, Diagnostic> {
        if let Some(sharing) = &mut self.sharing {
            return sharing.open(flow, now);
        }
        let calls = self.controllers.calls(&flow, self.calls);
        let transfer = Transfer::new(flow, calls.mark_report(), &self.shared)?;
        let congestion = CongestionState::new(self.controllers.create(&flow), calls);
        let slot = self.qps.insert(Qp::new(transfer, congestion, now));
        let samples = &mut self.qps.get_mut(slot).transfer.samples;
        self.since_sample.begin(slot, flow.start, samples);
        self.schedule_timer(slot, now);
        Ok(slot)
    }

    /// The next packet of a QP, which leaves now.
    pub(super) fn next_packet<const WORDS: usize>(
        &mut self,
        slot: u32,
        now: Time,
    ) -> Packet<WORDS> {
        if let Some(sharing) = &mut self.sharing {
            return sharing.next_packet(slot, now);
        }
        let shared = &*self.shared;
        let qp = self.qps.get_mut(slot);
        let segment = qp.transfer.send_next(shared.mtu, qp.window(), now);
        let size = segment.payload + shared.data_overhead;
        let packet = data_packet(&mut qp.transfer, &segment, shared, now);
        let mut needs_timer = qp.report_sent(&segment, size, now);
        let (limit, clock) = (&qp.congestion.limit, self.clock);
        qp.pacer.pace(now, size, limit, clock, &mut self.gaps);
        needs_timer |= qp.transfer.retransmission.start(now);
        if needs_timer {
            self.schedule_timer(slot, now);
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
        if let Some(sharing) = &mut self.sharing {
            return sharing.on_ack(packet, now, recorder);
        }
        let Some((slot, outcome)) = self.acknowledge(packet, now, recorder) else {
            return QpUpdate::Unknown;
        };
        let qp = self.qps.get_mut(slot);
        let is_finished = qp.transfer.is_finished();
        if !is_finished || self.final_ack_reaches_controller {
            if outcome.shows_loss {
                qp.transfer.recover();
            }
            let (shared, words) = (&*self.shared, self.words_per_record);
            let timestamps = shared.config.timestamps;
            let round_trip = timestamps.then(|| now - packet.timestamp());
            let (progress, newly_acked) = (qp.transfer.progress(), outcome.newly_acked);
            let ack = ack_of(packet, progress, newly_acked, shared, words, round_trip);
            if let Some(order) = shared.measures_int_age {
                recorder.int_ages(ack.telemetry, order, now);
            }
            qp.on_ack(now, &ack, self.clock);
            qp.congestion.note_ack_for_scan();
            if outcome.shows_loss {
                self.report_loss(slot, LossKind::Nack, now);
            }
            self.schedule_timer(slot, now);
        }
        if is_finished {
            self.complete(slot, now, recorder);
            return QpUpdate::Completed(slot);
        }
        QpUpdate::Updated(slot)
    }

    /// Applies an ACK or NACK to the sequence numbers of its QP, its retransmission timer and the
    /// record of round trips; `None` if the flow has completed.
    fn acknowledge<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> Option<(u32, AckOutcome)> {
        let shared = &*self.shared;
        let (slot, qp) = self.qps.find(packet.flow())?;
        let transfer = &mut qp.transfer;
        if now >= shared.round_trips_from {
            recorder.round_trip(transfer.flow.tag, now - packet.timestamp());
        }
        transfer.report_path(packet, now);
        let ack = acknowledgement_of(packet, shared);
        let outcome = transfer.acknowledge(ack, shared.mtu, now);
        let samples = &mut transfer.samples;
        self.since_sample
            .acknowledge(slot, samples, outcome.in_order);
        Some((slot, outcome))
    }

    /// Bytes on the wire that a flow has yet to send; 0 if it has completed.
    pub(super) fn bytes_left(&mut self, flow: u32) -> u64 {
        let overhead = self.shared.data_overhead;
        self.qps.find(flow).map_or(0, |(_, qp)| {
            let (payload, packets) = qp.transfer.unsent();
            payload + u64::from(packets) * overhead
        })
    }

    /// A rate reply arrives. Says whether all of its flow has been sent.
    pub(super) fn on_rate_reply(
        &mut self,
        flow: u32,
        returned: &Returned,
        now: Time,
    ) -> Result<(QpUpdate, bool), Violation> {
        let Some((slot, qp)) = self.qps.find(flow) else {
            return Ok((QpUpdate::Unknown, true));
        };
        if let Some(resumed) = returned.resumes_at {
            let flow = qp.transfer.flow.id;
            qp.transfer
                .resume_at(resumed, self.shared.mtu)
                .map_err(|acked| Violation::NoPrefix {
                    flow,
                    resumed,
                    acked,
                })?;
        }
        qp.on_rate_reply(now, returned, self.clock);
        let has_sent_all = qp.transfer.has_sent_all();
        self.schedule_timer(slot, now);
        Ok((QpUpdate::Updated(slot), has_sent_all))
    }

    /// A CNP arrives.
    pub(super) fn on_cnp<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
    ) -> QpUpdate {
        if let Some(sharing) = &mut self.sharing {
            return sharing.on_cnp(packet, now);
        }
        let Some((slot, qp)) = self.qps.find(packet.flow()) else {
            return QpUpdate::Unknown;
        };
        qp.congestion.on_cnp(now, &cnp_of(packet));
        qp.refresh(self.clock);
        self.schedule_timer(slot, now);
        QpUpdate::Updated(slot)
    }

    /// Runs the first timer that is due by `now`. Stale entries are dropped on the way.
    pub(super) fn run_due_timer(&mut self, now: Time) -> Option<Expiry> {
        if let Some(sharing) = &mut self.sharing {
            return sharing.run_due_timer(now);
        }
        while let Some(&Reverse((time, slot, flow))) = self.timers.peek()
            && time <= now
        {
            self.timers.pop();
            let qp = self.qps.get(slot);
            if qp.is_some_and(|qp| qp.transfer.flow.id == flow && qp.timer == time) {
                let shows_loss = self.on_timer(slot, now);
                return Some(Expiry { slot, shows_loss });
            }
        }
        None
    }

    /// Whether time shows a loss.
    fn on_timer(&mut self, slot: u32, now: Time) -> bool {
        let qp = self.qps.get_mut(slot);
        qp.timer = Time::MAX;
        qp.congestion.on_timer(now);
        let loss = qp.transfer.on_timer(now);
        if let Some(kind) = loss {
            self.report_loss(slot, kind, now);
        }
        self.qps.get_mut(slot).refresh(self.clock);
        self.schedule_timer(slot, now);
        loss.is_some()
    }

    fn report_loss(&mut self, slot: u32, kind: LossKind, now: Time) {
        let qp = self.qps.get_mut(slot);
        let resume_at = qp.transfer.progress().next_expected;
        qp.congestion.on_loss(now, &Loss { kind, resume_at });
        qp.refresh(self.clock);
    }

    /// Schedules the QP's next timer, unless an earlier one is scheduled.
    pub(super) fn schedule_timer(&mut self, slot: u32, now: Time) {
        let qp = self.qps.get_mut(slot);
        if qp.needs_earlier_timer() {
            qp.timer = self.clock.round_up(qp.next_timer().max(now));
            self.timers
                .push(Reverse((qp.timer, slot, qp.transfer.flow.id)));
        }
    }

    /// Time of the first timer; [`Time::MAX`] if none is set.
    #[inline]
    pub(super) fn next_timer(&self) -> Time {
        if let Some(sharing) = &self.sharing {
            return sharing.next_timer();
        }
        self.timers.peek().map_or(Time::MAX, |timer| timer.0.0)
    }

    fn complete(&mut self, slot: u32, finish: Time, recorder: &mut Recorder) {
        let qp = self.qps.remove(slot);
        self.since_sample.end(slot, qp.transfer.samples);
        recorder.finished.push(qp.transfer.record(finish));
        self.completed = Some(qp.transfer.flow.id);
        if self.qps.is_empty() {
            self.timers.clear();
        }
    }
}

/// Queries.
impl SendSide<'_> {
    /// Earliest time of the next packet of the QP, or throttle, in this slot.
    pub(super) fn next_send(&mut self, slot: u32) -> Time {
        match &self.sharing {
            None => self.qps.get_mut(slot).next_send(),
            Some(sharing) => sharing.next_send(slot),
        }
    }

    /// The number of the congestion state of a flow: its own number, or a larger one of a state
    /// that is shared; `None` if it has completed.
    pub(super) fn congestion_state_of(&mut self, flow: u32) -> Option<u64> {
        match &mut self.sharing {
            None => self.qps.find(flow).map(|_| flow.into()),
            Some(sharing) => {
                let state = sharing.state_of(flow)?;
                Some(1 << u32::BITS | u64::from(state))
            }
        }
    }

    /// The next ACK of a flow tells of another path than that before.
    pub(super) fn on_path_change(&mut self, flow: u32) {
        match &mut self.sharing {
            None => {
                if let Some((_, qp)) = self.qps.find(flow) {
                    qp.congestion.on_path_change();
                }
            }
            Some(sharing) => sharing.on_path_change(flow),
        }
    }

    /// Payload of a flow that is acknowledged; `None` if it has completed.
    pub(super) fn acked_bytes_of(&mut self, flow: u32) -> Option<u64> {
        match &mut self.sharing {
            None => {
                let (_, qp) = self.qps.find(flow)?;
                Some(qp.transfer.progress().next_expected)
            }
            Some(sharing) => sharing.acked_bytes_of(flow),
        }
    }

    /// Takes a slot whose next send time may have changed with another's; `None` when none is left.
    pub(super) fn next_changed(&mut self) -> Option<u32> {
        self.sharing.as_mut()?.next_changed()
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.sharing {
            None => self.qps.is_empty(),
            Some(sharing) => sharing.is_empty(),
        }
    }

    /// Appends the flows that have not completed.
    pub(super) fn append_unfinished(&self, all: &mut Vec<UnfinishedFlow>) {
        match &self.sharing {
            None => all.extend(
                self.qps
                    .iter()
                    .map(|qp| qp.transfer.unfinished(qp.next_send())),
            ),
            Some(sharing) => sharing.append_unfinished(all),
        }
    }

    /// Whether all of a flow has been received when the receiver expects this packet next.
    pub(super) fn is_ended_by(&self, flow: u32, expected: u32) -> bool {
        let transfer = match &self.sharing {
            None => self.qps.peek(flow).map(|qp| &qp.transfer),
            Some(sharing) => sharing.transfer(flow),
        };
        transfer.is_some_and(|transfer| expected >= transfer.sequence.packets)
    }

    /// The flow that has completed since the last call.
    pub(super) fn take_completed(&mut self) -> Option<FlowId> {
        match &mut self.sharing {
            None => self.completed.take(),
            Some(sharing) => sharing.completed.take(),
        }
    }

    /// What flows got since the last sample.
    pub(super) fn since_sample(&mut self) -> &mut SinceSample {
        match &mut self.sharing {
            None => &mut self.since_sample,
            Some(sharing) => &mut sharing.since_sample,
        }
    }

    /// Adds every flow to the totals of a sample.
    pub(super) fn sample(&mut self, time: Time, interval: Time, totals: &mut Tick) {
        if let Some(sharing) = &mut self.sharing {
            return sharing.sample(time, interval, totals);
        }
        let at = (time, interval);
        self.since_sample
            .sample(at, totals, &mut self.qps, |qps, slot| {
                qps.get_mut(slot).transfer.sampled()
            });
    }

    /// Keeps the state of every flow.
    pub(super) fn keep_sample(&self, time: Time, keep: &mut Vec<FlowSample>) {
        match &self.sharing {
            None => self.qps.keep_sample(time, keep),
            Some(sharing) => sharing.keep_sample(time, keep),
        }
    }

    /// Records the values that every flow's controller shows.
    pub(super) fn probe(&self, time: Time, keep: &mut Vec<ProbeSample>) {
        match &self.sharing {
            None => self.qps.probe(time, keep),
            Some(sharing) => sharing.probe(time, keep),
        }
    }
}
