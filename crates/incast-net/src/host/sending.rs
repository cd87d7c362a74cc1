//! The sending side of a host: its flows send, learn from ACKs, recover and complete.
//!
//! There are two kinds: every flow has a congestion state of its own ([`OwnFlows`]: one flow for
//! each QP), or flows share congestion states ([`SharedFlows`]). Both have the same methods; their
//! common steps are in [`SenderBase`].

mod acks_and_nacks;
mod base;
mod congestion;
mod own;
mod pacer;
mod qp;
mod shared;
mod timers;

use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, FlowId, Rate, Time};

use crate::flow::{Controllers, Flow};
use crate::measure::{
    EntropyRecord, FlowSample, Heard, NicLog, ProbeSample, Recorder, SenderRecord, SinceSample,
    Tick, UnfinishedFlow,
};
use crate::shared::Shared;
use crate::transport::Transfer;
use crate::wire::Packet;

pub(crate) use self::qp::{Qp, QpTable};
pub(crate) use self::shared::FeedbackScope;
pub use self::shared::{Enforcement, IdleState, NicConfig, QpLifetime};

use self::base::SenderBase;
use self::congestion::CongestionState;
use self::own::OwnFlows;
use self::shared::SharedFlows;
use super::flow_table::FlowTable;
use super::packets::probe_packet;

/// The flows that a host sends.
#[derive(Clone)]
pub(super) struct SendSide<'a> {
    pub(super) base: SenderBase<'a>,
    /// Flows with congestion states of their own; none if flows share theirs.
    pub(super) own: OwnFlows,
    /// All flows of this host, if they share congestion states.
    shared: Option<Box<SharedFlows>>,
}

/// The effect of an ACK, NACK or CNP on its QP.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum QpUpdate {
    /// The flow has completed: a duplicate ACK or a late CNP, which is ignored.
    Unknown,
    /// The QP in this slot may have a new limit, sequence state or timer.
    Updated(u32),
    /// The flow of this slot is complete, and the slot is free.
    Completed(u32),
}

/// A timer that expired.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Expiry {
    /// The slot of the QP, or of the throttle, whose timer expired.
    pub(super) slot: u32,
    /// Whether the timer shows a loss: no ACK came, or none for a packet that was overtaken.
    pub(super) shows_loss: bool,
    /// The flow that sends a probe now, if any.
    pub(super) probe: Option<u32>,
}

/// A flow that has not completed, as samples see it.
struct FlowView<'f> {
    transfer: &'f Transfer,
    /// The congestion state of the flow, its own or shared.
    congestion: &'f CongestionState,
    next_send: Time,
}

/// State of one flow, of either kind.
pub(super) trait HasTransfer {
    fn transfer(&self) -> &Transfer;
    fn transfer_mut(&mut self) -> &mut Transfer;
}

impl<T: HasTransfer> FlowTable<T> {
    /// The flows that have not completed, by slot.
    fn unfinished(&self) -> impl Iterator<Item = &T> {
        let flows = self.slots().iter();
        flows.filter(|flow| !flow.transfer().is_finished())
    }
}

/// Evaluates `$call` with `$flows`, the flows of the kind that this host has.
macro_rules! with_flows {
    ($side:expr, $base:pat, $flows:ident => $call:expr) => {{
        let $base = &mut $side.base;
        match &mut $side.shared {
            None => {
                let $flows = &mut $side.own;
                $call
            }
            Some($flows) => $call,
        }
    }};
}

/// Events. A slot is a QP's, or a throttle's where flows share congestion states.
impl<'a> SendSide<'a> {
    /// `rate` is the NIC's line rate.
    pub(super) fn new(
        number: u32,
        rate: Rate,
        shared: &Arc<Shared>,
        controllers: &Arc<dyn Controllers + 'a>,
    ) -> Self {
        let shares_states = shared.config.nic.shares_states();
        Self {
            base: SenderBase::new(number, rate, shared, controllers),
            own: OwnFlows::default(),
            shared: shares_states.then(|| Box::new(SharedFlows::new(shared))),
        }
    }

    /// Starts a flow; returns its slot.
    pub(super) fn open(&mut self, flow: Flow, now: Time) -> Result<u32, Diagnostic> {
        with_flows!(self, base, flows => flows.open(base, flow, now))
    }

    /// A probe of this flow, which leaves now.
    pub(super) fn probe_of<const WORDS: usize>(
        &mut self,
        flow: u32,
        now: Time,
    ) -> Option<Packet<WORDS>> {
        let shared = Arc::clone(&self.base.shared);
        let (transfer, window) = match &mut self.shared {
            None => {
                let (_, qp) = self.own.qps.find(flow)?;
                let window = qp.window();
                (&mut qp.transfer, window)
            }
            Some(flows) => flows.transfer_and_window(flow)?,
        };
        let lane = transfer.flow.data_lane();
        let probe = transfer.probe(shared.mtu, window, now)?;
        Some(probe_packet(&probe, lane, &shared, now))
    }

    /// The next packet of a slot, which leaves now.
    pub(super) fn next_packet<const WORDS: usize>(
        &mut self,
        slot: u32,
        now: Time,
    ) -> Packet<WORDS> {
        with_flows!(self, base, flows => flows.next_packet(base, slot, now))
    }

    /// An ACK or NACK arrives.
    pub(super) fn on_ack<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> QpUpdate {
        with_flows!(self, base, flows => flows.on_ack(base, packet, now, recorder))
    }

    /// A CNP arrives.
    pub(super) fn on_cnp<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
    ) -> QpUpdate {
        with_flows!(self, base, flows => flows.on_cnp(base, packet, now))
    }

    /// Runs the first timer that is due by `now`. Stale entries are dropped on the way.
    pub(super) fn run_due_timer(&mut self, now: Time) -> Option<Expiry> {
        with_flows!(self, base, flows => flows.run_due_timer(base, now))
    }

    /// The next ACK of a flow reports another path than the ACK before.
    pub(super) fn on_path_change(&mut self, flow: u32) {
        with_flows!(self, _, flows => flows.on_path_change(flow));
    }

    /// Updates the timelines of the flows of a slot, after a timer or another event.
    pub(super) fn note_state(&mut self, slot: u32, now: Time, nic: &NicLog) {
        match &mut self.shared {
            None => {
                let qp = self.own.qps.get_mut(slot);
                qp.note_next_send(qp.next_send(), now, nic);
                qp.transfer.note_timeouts(now);
            }
            Some(flows) => flows.note_states(now, nic),
        }
    }

    /// The transfer of a flow that has not completed.
    pub(super) fn transfer_of_mut(&mut self, flow: u32) -> Option<&mut Transfer> {
        match &mut self.shared {
            None => Some(&mut self.own.qps.find(flow)?.1.transfer),
            Some(flows) => Some(flows.transfer_and_window(flow)?.0),
        }
    }

    /// Takes a slot whose next send time has changed because of another slot; `None` when none is
    /// left.
    pub(super) fn next_changed(&mut self) -> Option<u32> {
        self.shared.as_mut()?.next_changed()
    }

    /// The flow that has completed since the last call.
    pub(super) fn take_completed(&mut self) -> Option<FlowId> {
        self.base.completed.take()
    }
}

/// Queries.
impl SendSide<'_> {
    /// Earliest time of the next packet of a slot.
    pub(super) fn next_send(&mut self, slot: u32) -> Time {
        with_flows!(self, _, flows => flows.next_send(slot))
    }

    /// Time of the first timer; [`Time::MAX`] if none is set.
    #[inline]
    pub(super) fn next_timer(&self) -> Time {
        match &self.shared {
            None => self.own.next_timer(),
            Some(flows) => flows.next_timer(),
        }
    }

    /// The number of a flow's congestion state: the flow's number if the state is its own, a larger
    /// number if the state is shared. `None` if the flow has completed.
    pub(super) fn congestion_state_of(&self, flow: u32) -> Option<u64> {
        match &self.shared {
            None => self.own.qps.peek(flow).map(|_| flow.into()),
            Some(flows) => {
                let state = flows.state_of(flow)?;
                Some(1 << u32::BITS | u64::from(state))
            }
        }
    }

    /// The transfer of a flow; `None` if the flow has completed.
    fn transfer_of(&self, flow: u32) -> Option<&Transfer> {
        match &self.shared {
            None => self.own.qps.peek(flow).map(HasTransfer::transfer),
            Some(flows) => flows.transfer_of(flow),
        }
    }

    /// Acknowledged payload bytes of a flow; `None` if it has completed.
    pub(super) fn acked_bytes_of(&self, flow: u32) -> Option<u64> {
        Some(self.transfer_of(flow)?.progress().next_expected)
    }

    /// Whether an ACK that expects this packet next ends the flow.
    pub(super) fn is_ended_by(&self, flow: u32, expected: u32) -> bool {
        let transfer = self.transfer_of(flow);
        transfer.is_some_and(|transfer| expected >= transfer.sequence.packets)
    }

    /// Whether no flow is under way.
    pub(super) fn is_empty(&self) -> bool {
        match &self.shared {
            None => self.own.qps.is_empty(),
            Some(flows) => flows.is_empty(),
        }
    }
}

/// Observation.
impl SendSide<'_> {
    /// The state of a flow's sender at `now`; `None` if the flow has not started or has completed.
    pub(super) fn record_of(&self, flow: FlowId, now: Time) -> Option<SenderRecord> {
        let (view, state) = match &self.shared {
            None => {
                let qp = self.own.qps.peek(flow.0)?;
                (qp.view(), qp.send_state(now))
            }
            Some(flows) => flows.view_and_state(flow.0, now)?,
        };
        let limit = &view.congestion.limit;
        Some(SenderRecord {
            time: now,
            flow,
            state,
            window: limit.window,
            rate: limit.rate,
            timeouts: view.transfer.timeouts(),
            sends_again: view.transfer.sends_again(),
            heard: Heard::default(),
        })
    }

    /// Whether each flow has a limit of its own, so that events of one flow affect others only
    /// through the link.
    pub(super) fn keeps_limits_apart(&self) -> bool {
        self.shared.is_none()
    }

    fn for_each(&self, mut see: impl FnMut(FlowView<'_>)) {
        match &self.shared {
            None => self.own.views().for_each(see),
            Some(flows) => flows.views().for_each(&mut see),
        }
    }

    /// Appends the flows that have not completed.
    pub(super) fn append_unfinished(&self, all: &mut Vec<UnfinishedFlow>) {
        self.for_each(|flow| all.push(flow.transfer.unfinished(flow.next_send)));
    }

    /// Appends the entropies of flows that have not completed, if they are counted.
    pub(super) fn append_entropies(&self, all: &mut Vec<EntropyRecord>) {
        self.for_each(|flow| all.extend(flow.transfer.entropies()));
    }

    /// The flows' counts since the last sample.
    pub(super) fn since_sample(&mut self) -> &mut SinceSample {
        &mut self.base.since_sample
    }

    /// Adds every flow to the totals of a sample.
    pub(super) fn sample(&mut self, time: Time, interval: Time, totals: &mut Tick) {
        let at = (time, interval);
        with_flows!(self, base, flows => base.sample(at, flows.table(), totals));
    }

    /// Appends a sample of every flow, with the limit of its congestion state.
    pub(super) fn keep_sample(&self, time: Time, keep: &mut Vec<FlowSample>) {
        self.for_each(|flow| {
            let (progress, limit) = (flow.transfer.progress(), &flow.congestion.limit);
            keep.push(FlowSample {
                time,
                flow: flow.transfer.flow.id,
                rate: limit.rate,
                window: limit.window,
                sent: Bytes::new(progress.next_to_send),
                acked: Bytes::new(progress.next_expected),
            });
        });
    }

    /// Appends the values that the controller of every flow shows for plotting.
    pub(super) fn probe(&self, time: Time, keep: &mut Vec<ProbeSample>) {
        self.for_each(|view| {
            let flow = view.transfer.flow.id;
            view.congestion.probe(&mut |name, value| {
                keep.push(ProbeSample {
                    time,
                    flow,
                    name,
                    value,
                });
            });
        });
    }
}
