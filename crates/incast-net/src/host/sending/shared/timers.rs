//! Timers of shared states, one for all flows of a state, and retransmission timers, one per flow.

use incast_units::{FlowId, Time};

use crate::host::sending::Expiry;
use crate::host::sending::base::SenderBase;

use super::SharedFlows;

/// The owner of a timer. Among timers at one time, those of states come first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TimerOwner {
    /// The controller of this state.
    State(u32),
    /// The retransmission timer of the flow in this slot.
    Flow(u32, FlowId),
}

impl SharedFlows {
    /// Runs the first timer that is due by `now`.
    pub(in crate::host::sending) fn run_due_timer(
        &mut self,
        _base: &mut SenderBase<'_>,
        now: Time,
    ) -> Option<Expiry> {
        while let Some((time, owner)) = self.timers.take_due(now) {
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

    fn run_state_timer(&mut self, state: u32, time: Time, now: Time) -> Option<Expiry> {
        if self.state(state).timer != time {
            return None;
        }
        self.state(state).timer = Time::MAX;
        self.run_controller_timer(state, now);
        self.schedule_state_timer(state, now);
        let slot = self.state(state).leader?;
        Some(Expiry {
            slot,
            shows_loss: false,
            probe: None,
        })
    }

    fn run_flow_timer(&mut self, slot: u32, id: FlowId, time: Time, now: Time) -> Option<Expiry> {
        let flow = self.flows.get_mut(slot);
        let transfer = &flow.transfer;
        if transfer.flow.id != id || transfer.is_finished() || flow.timer != time {
            return None;
        }
        flow.timer = Time::MAX;
        let (state, throttle) = (flow.state, flow.throttle);
        let loss = self.update_transfer(slot, |transfer| transfer.on_timer(now));
        if let Some(kind) = loss {
            self.update_queue(slot);
            self.report_loss(state, kind, now);
            self.schedule_state_timer(state, now);
        }
        self.schedule_flow_timer(slot, now);
        let probes = self.flows.get_mut(slot).transfer.takes_probe();
        Some(Expiry {
            slot: throttle,
            shows_loss: loss.is_some(),
            probe: probes.then_some(id.0),
        })
    }

    /// Schedules the timer of a state that has flows, unless an earlier one is scheduled.
    pub(super) fn schedule_state_timer(&mut self, state: u32, now: Time) {
        let clock = self.clock;
        let held = self.state(state);
        let at = held.congestion.next_timer();
        if held.flows > 0 && at < held.timer {
            held.timer = clock.round_up(at.max(now));
            let timer = held.timer;
            self.timers.set(timer, TimerOwner::State(state));
        }
    }

    /// Schedules the retransmission timer of a flow, unless an earlier one is scheduled.
    pub(super) fn schedule_flow_timer(&mut self, slot: u32, now: Time) {
        let flow = self.flows.get_mut(slot);
        let at = flow.transfer.retransmission.deadline();
        if at < flow.timer {
            flow.timer = self.clock.round_up(at.max(now));
            let owner = TimerOwner::Flow(slot, flow.transfer.flow.id);
            self.timers.set(flow.timer, owner);
        }
    }
}
