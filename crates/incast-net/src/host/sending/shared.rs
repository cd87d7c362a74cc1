//! QPs that share congestion states: per destination, per pair or per source, and persistent QPs.
//!
//! Three levels. A congestion state ([`state::SharedState`]: controller, limit, sums of sequence
//! numbers) sets the limit of its throttles ([`throttle::Throttle`]: bytes in flight and pacer). A
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
//! Flows of different controller groups never share a state. QPs with states of their own are in
//! [`super::own`]. Each flow retransmits by itself; its state is told of losses.

mod membership;
mod options;
mod send_queue;
mod signals;
mod state;
mod throttle;
mod timers;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use incast_cc::AckNews;
use incast_diagnostic::Diagnostic;
use incast_units::Time;
use rustc_hash::FxHasher;

use crate::clock::Clock;
use crate::flow::Flow;
use crate::host::flow_table::FlowTable;
use crate::host::packets::{cnp_of, data_packet, loss_of};
use crate::measure::{NicLog, Recorder, SendState};
use crate::shared::Shared;
use crate::transport::Transfer;
use crate::wire::Packet;

use super::base::SenderBase;
use super::timers::Timers;
use super::{FlowView, HasTransfer, QpUpdate};

pub(crate) use self::options::FeedbackScope;
pub use self::options::{Enforcement, IdleState, NicConfig, QpLifetime};

use self::options::{QpName, StateKey};
use self::send_queue::Entry;
use self::state::SharedState;
use self::throttle::Throttle;
use self::timers::TimerOwner;

type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FxHasher>>;

/// The flows of a host whose flows share congestion states.
#[derive(Clone)]
pub(super) struct SharedFlows {
    nic: NicConfig,
    clock: Clock,
    mtu: u64,
    flows: FlowTable<SharingFlow>,
    /// Number of flows started here.
    started: u64,
    states: Vec<SharedState>,
    state_of: FastMap<StateKey, u32>,
    /// Throttles by slot; the NIC's scheduler names them by slot.
    throttles: Vec<Throttle>,
    free: Vec<u32>,
    /// Under `per-destination`: the throttle of each QP, by state and QP.
    throttle_of: FastMap<(u32, QpName), u32>,
    timers: Timers<TimerOwner>,
    /// Throttles whose next send time may have changed.
    changed: Vec<u32>,
}

/// A flow that shares a congestion state.
#[derive(Clone)]
pub(super) struct SharingFlow {
    transfer: Transfer,
    state: u32,
    throttle: u32,
    qp: QpName,
    /// The flow's start order and slot.
    entry: Entry,
    is_queued: bool,
    /// Earliest entry of the flow's retransmission timer among the timers of its host.
    timer: Time,
}

impl HasTransfer for SharingFlow {
    fn transfer(&self) -> &Transfer {
        &self.transfer
    }

    fn transfer_mut(&mut self) -> &mut Transfer {
        &mut self.transfer
    }
}

/// Events.
impl SharedFlows {
    pub(super) fn new(shared: &Shared) -> Self {
        Self {
            nic: shared.config.nic,
            clock: shared.config.model.clock,
            mtu: shared.mtu,
            flows: FlowTable::default(),
            started: 0,
            states: Vec::new(),
            state_of: FastMap::default(),
            throttles: Vec::new(),
            free: Vec::new(),
            throttle_of: FastMap::default(),
            timers: Timers::default(),
            changed: Vec::new(),
        }
    }

    /// A flow starts now; returns the slot of its throttle.
    pub(super) fn open(
        &mut self,
        base: &mut SenderBase<'_>,
        flow: Flow,
        now: Time,
    ) -> Result<u32, Diagnostic> {
        let transfer = base.new_transfer(flow)?;
        let state = self.enter_state(base, &flow, now);
        let qp = self.nic.qp_of(&flow);
        let throttle = self.enter_throttle(state, qp, now);
        let order = self.started;
        self.started += 1;
        let sharing = SharingFlow {
            transfer,
            state,
            throttle,
            qp,
            entry: Entry { order, slot: 0 },
            is_queued: false,
            timer: Time::MAX,
        };
        let slot = self.flows.insert(flow.id.0, sharing);
        let sharing = self.flows.get_mut(slot);
        sharing.entry.slot = slot;
        base.begin(slot, &mut sharing.transfer);
        let progress = &mut self.state(state).progress;
        progress.size = progress.size.saturating_add(flow.size);
        self.update_queue(slot);
        self.schedule_state_timer(state, now);
        Ok(throttle)
    }

    /// The next packet of a throttle, which leaves now.
    pub(super) fn next_packet<const WORDS: usize>(
        &mut self,
        base: &mut SenderBase<'_>,
        throttle: u32,
        now: Time,
    ) -> Packet<WORDS> {
        let held = &self.throttles[throttle as usize];
        let (state, slot) = (held.state, held.queue.front());
        let slot = slot.expect("a throttle that is served has data to send");
        let (window, mtu) = (self.window_of(slot), self.mtu);
        let segment = self.update_transfer(slot, |transfer| transfer.send_next(mtu, window, now));
        self.update_queue(slot);
        let qp = self.flows.get_mut(slot).qp;
        let sent_by = self.flows.get_mut(slot).transfer.flow.id;
        let served = &mut self.throttles[throttle as usize];
        served.queue.end_turn(qp);
        served.served = Some(sent_by);
        let size = segment.payload + base.shared.data_overhead;
        self.report_sent(state, throttle, &segment, size, now);
        self.pace(state, throttle, size, now, &mut base.gaps);
        let flow = self.flows.get_mut(slot);
        let packet = data_packet(&mut flow.transfer, &segment, &base.shared, now);
        if flow.transfer.retransmission.start(now) {
            self.schedule_flow_timer(slot, now);
        }
        packet
    }

    /// An ACK or NACK arrives.
    pub(super) fn on_ack<const WORDS: usize>(
        &mut self,
        base: &mut SenderBase<'_>,
        packet: &Packet<WORDS>,
        now: Time,
        recorder: &mut Recorder,
    ) -> QpUpdate {
        let Some((slot, flow)) = self.flows.find(packet.flow()) else {
            return QpUpdate::Unknown;
        };
        let (state, throttle) = (flow.state, flow.throttle);
        let outcome = self.update_transfer(slot, |transfer| {
            base.acknowledge((slot, transfer), packet, now, recorder)
        });
        self.update_queue(slot);
        let SharedState {
            congestion,
            progress,
            ..
        } = self.state(state);
        let told = (packet, outcome.newly_acked, AckNews::default());
        let (old, news) = (congestion.limit, told);
        if !base.shared.tells_of_trimming(packet) {
            base.deliver_ack(congestion, news, *progress, now, recorder);
            self.on_limit_change(state, old);
        }
        if outcome.shows_loss {
            let (kind, _) = loss_of(packet, &base.shared, outcome.trimmed, now);
            self.report_loss(state, kind, now);
        }
        if self.flows.get_mut(slot).transfer.is_finished() {
            self.complete(base, slot, (packet, now), recorder);
        } else {
            self.schedule_flow_timer(slot, now);
        }
        self.schedule_state_timer(state, now);
        QpUpdate::Updated(throttle)
    }

    /// A CNP arrives.
    pub(super) fn on_cnp<const WORDS: usize>(
        &mut self,
        _base: &mut SenderBase<'_>,
        packet: &Packet<WORDS>,
        now: Time,
    ) -> QpUpdate {
        let Some((_, flow)) = self.flows.find(packet.flow()) else {
            return QpUpdate::Unknown;
        };
        let (state, throttle) = (flow.state, flow.throttle);
        self.change(state, |congestion| {
            congestion.on_cnp(now, &cnp_of(packet));
        });
        self.schedule_state_timer(state, now);
        QpUpdate::Updated(throttle)
    }

    /// Tells a flow's controller that the flow's next ACK is of another path.
    pub(super) fn on_path_change(&mut self, flow: u32) {
        if let Some(state) = self.state_of(flow) {
            self.state(state).congestion.on_path_change();
        }
    }

    /// Takes a throttle whose next send time may have changed; `None` when none is left.
    pub(super) fn next_changed(&mut self) -> Option<u32> {
        self.changed.pop()
    }
}

/// Queries.
impl SharedFlows {
    /// Earliest time of the next packet of a throttle.
    pub(super) fn next_send(&self, throttle: u32) -> Time {
        let throttle = &self.throttles[throttle as usize];
        let limit = &self.states[throttle.state as usize].congestion.limit;
        throttle.next_send(limit.window.as_u64())
    }

    /// The congestion state of a flow that has not completed.
    pub(super) fn state_of(&self, flow: u32) -> Option<u32> {
        self.flows.peek(flow).map(|flow| flow.state)
    }

    /// The transfer of a flow; `None` if the flow has completed.
    pub(super) fn transfer_of(&self, flow: u32) -> Option<&Transfer> {
        self.flows.peek(flow).map(HasTransfer::transfer)
    }

    /// The transfer of a flow, to change it, and the window that admits its packets.
    pub(super) fn transfer_and_window(&mut self, flow: u32) -> Option<(&mut Transfer, u64)> {
        let (_, flow) = self.flows.find(flow)?;
        let limit = &self.states[flow.state as usize].congestion.limit;
        Some((&mut flow.transfer, limit.window.as_u64()))
    }

    /// Time of the first timer; [`Time::MAX`] if none is set.
    pub(super) fn next_timer(&self) -> Time {
        self.timers.next()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    pub(super) fn table(&mut self) -> &mut FlowTable<SharingFlow> {
        &mut self.flows
    }

    /// Updates the timelines of all flows: an event of one flow may change the others.
    pub(super) fn note_states(&mut self, now: Time, nic: &NicLog) {
        for slot in 0..self.flows.slots().len() as u32 {
            let transfer = &self.flows.get_mut(slot).transfer;
            if transfer.is_finished() {
                continue;
            }
            let flow = transfer.flow.id.0;
            let state = self.view_and_state(flow, now).map(|(_, state)| state);
            let transfer = &mut self.flows.get_mut(slot).transfer;
            transfer.note_state(state.expect("it is open"), now, nic);
            transfer.note_timeouts(now);
        }
    }

    /// The flows that have not completed.
    pub(super) fn views(&self) -> impl Iterator<Item = FlowView<'_>> {
        self.flows.unfinished().map(|flow| self.view(flow))
    }

    fn view<'f>(&'f self, flow: &'f SharingFlow) -> FlowView<'f> {
        FlowView {
            transfer: &flow.transfer,
            congestion: &self.states[flow.state as usize].congestion,
            next_send: match flow.is_queued {
                true => self.next_send(flow.throttle),
                false => Time::MAX,
            },
        }
    }

    /// A flow that has not completed, and the state of its next packet at `now`.
    pub(super) fn view_and_state(&self, flow: u32, now: Time) -> Option<(FlowView<'_>, SendState)> {
        let flow = self.flows.peek(flow)?;
        let throttle = &self.throttles[flow.throttle as usize];
        let state = if !flow.is_queued {
            SendState::SentAll
        } else if self.next_send(flow.throttle) == Time::MAX {
            SendState::Window
        } else if throttle.queue.front() != Some(flow.entry.slot) {
            SendState::Turn
        } else {
            match throttle.pacer.send_state(now) {
                // The pacing gap follows the throttle's last packet, which may be another
                // flow's.
                SendState::Pacing(_) if throttle.served != Some(flow.transfer.flow.id) => {
                    SendState::Turn
                }
                state => state,
            }
        };
        Some((self.view(flow), state))
    }
}

/// Flows.
impl SharedFlows {
    /// Changes a transfer; updates the sums of its throttle and state.
    fn update_transfer<R>(&mut self, slot: u32, change: impl FnOnce(&mut Transfer) -> R) -> R {
        let flow = self.flows.get_mut(slot);
        let before = flow.transfer.tally(self.mtu);
        let result = change(&mut flow.transfer);
        let after = flow.transfer.tally(self.mtu);
        let (state, throttle) = (flow.state, flow.throttle);
        self.throttles[throttle as usize].count(&before, &after);
        self.state(state).count(&before, &after);
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

    /// Completes a flow. Its packets in flight were retransmitted needlessly; their ACKs do not
    /// count.
    fn complete<const WORDS: usize>(
        &mut self,
        base: &mut SenderBase<'_>,
        slot: u32,
        (ack, finish): (&Packet<WORDS>, Time),
        recorder: &mut Recorder,
    ) {
        let flow = self.flows.get_mut(slot);
        base.complete((slot, &flow.transfer), ack, finish, recorder);
        let left = flow.transfer.tally(self.mtu);
        self.throttles[flow.throttle as usize].count(&left, &left.with_nothing_in_flight());
        let (state, throttle, qp) = (flow.state, flow.throttle, flow.qp);
        let number = flow.transfer.flow.id.0;
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
