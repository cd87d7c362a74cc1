//! How a flow joins a congestion state and a throttle, and how it leaves them.

use incast_units::Time;

use crate::flow::Flow;
use crate::host::sending::base::SenderBase;
use crate::host::sending::pacer::Pacer;

use super::SharedFlows;
use super::options::{IdleState, LimitShare, QpName};
use super::state::SharedState;
use super::throttle::Throttle;

impl SharedFlows {
    pub(super) fn state(&mut self, state: u32) -> &mut SharedState {
        &mut self.states[state as usize]
    }

    /// The congestion state of a flow that starts, with its timers run up to now.
    pub(super) fn enter_state(&mut self, base: &SenderBase<'_>, flow: &Flow, now: Time) -> u32 {
        let key = self.nic.state_of(flow, base.group(flow));
        let state = match self.state_of.get(&key) {
            Some(&state) => {
                self.end_idleness(base, state, flow, now);
                state
            }
            None => {
                let state = self.states.len() as u32;
                self.states
                    .push(SharedState::new(base.new_congestion(flow)));
                self.state_of.insert(key, state);
                state
            }
        };
        self.state(state).flows += 1;
        state
    }

    /// Updates a state after a time without flows: resets it, or runs the timers that expired.
    fn end_idleness(&mut self, base: &SenderBase<'_>, state: u32, flow: &Flow, now: Time) {
        let SharedState {
            flows, idle_since, ..
        } = *self.state(state);
        if flows > 0 {
            return;
        }
        match self.nic.idle {
            IdleState::ResetAfter(time) if now - idle_since >= time => {
                self.reset(base, state, flow, now);
            }
            IdleState::Keep | IdleState::ResetAfter(_) => {
                let clock = self.clock;
                while let Some(at) = self.state(state).missed_timer(now, clock) {
                    self.run_controller_timer(state, at);
                }
            }
        }
    }

    /// Replaces the state by a new one, as if nothing had been sent.
    fn reset(&mut self, base: &SenderBase<'_>, state: u32, flow: &Flow, now: Time) {
        let fresh = SharedState::new(base.new_congestion(flow));
        let old = std::mem::replace(self.state(state), fresh);
        for &throttle in &old.throttles {
            self.throttles[throttle as usize].pacer = Pacer::new(now);
        }
        self.state(state).throttles = old.throttles;
    }

    /// Runs the controller's timer if it is due.
    pub(super) fn run_controller_timer(&mut self, state: u32, now: Time) {
        self.change(state, |congestion| {
            congestion.on_timer(now);
            congestion.refresh();
        });
    }

    /// The throttle of a QP that gets a flow.
    pub(super) fn enter_throttle(&mut self, state: u32, qp: QpName, now: Time) -> u32 {
        let known = match self.nic.share() {
            LimitShare::Divided => self.state(state).throttles.first().copied(),
            LimitShare::Whole => self.throttle_of.get(&(state, qp)).copied(),
        };
        let throttle = known.unwrap_or_else(|| self.add_throttle(state, qp, now));
        self.throttles[throttle as usize].flows += 1;
        self.state(state).leader.get_or_insert(throttle);
        throttle
    }

    fn add_throttle(&mut self, state: u32, qp: QpName, now: Time) -> u32 {
        let throttle = Throttle::new(state, now);
        let slot = self.free.pop().unwrap_or(self.throttles.len() as u32);
        match self.throttles.get_mut(slot as usize) {
            Some(free) => *free = throttle,
            None => self.throttles.push(throttle),
        }
        self.state(state).throttles.push(slot);
        if self.nic.share() == LimitShare::Whole {
            self.throttle_of.insert((state, qp), slot);
        }
        slot
    }

    /// A flow of a throttle has completed. Drops the throttle, too, if it serves a QP of this flow
    /// alone.
    pub(super) fn leave_throttle(&mut self, state: u32, throttle: u32, qp: QpName) {
        let held = &mut self.throttles[throttle as usize];
        held.flows -= 1;
        if held.flows > 0 {
            return;
        }
        debug_assert!(held.has_nothing_in_flight());
        let serves_one_flow = matches!(qp, QpName::OfFlow(_));
        if serves_one_flow && self.throttle_of.remove(&(state, qp)).is_some() {
            self.state(state)
                .throttles
                .retain(|other| *other != throttle);
            self.free.push(throttle);
        }
        let throttles = &self.throttles;
        let state = &mut self.states[state as usize];
        if state.leader == Some(throttle) {
            let mut others = state.throttles.iter().copied();
            state.leader = others.find(|&other| throttles[other as usize].flows > 0);
        }
    }

    /// The window that its throttle leaves to the flow in this slot.
    pub(super) fn window_of(&mut self, slot: u32) -> u64 {
        let flow = self.flows.get_mut(slot);
        let (state, throttle) = (flow.state, flow.throttle);
        let own = flow.transfer.in_flight();
        let window = self.states[state as usize].congestion.limit.window;
        self.throttles[throttle as usize].window_of(own, window.as_u64())
    }
}
