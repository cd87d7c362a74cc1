//! Which congestion state and which limiter a flow joins, and how it leaves them.

use incast_units::Time;

use crate::Flow;
use crate::host::congestion::CongestionState;
use crate::host::pacer::Pacer;

use super::SharingSide;
use super::limiter::Limiter;
use super::options::{IdleState, QpName, Share};
use super::state::SharedState;

impl SharingSide<'_> {
    pub(super) fn state(&mut self, state: u32) -> &mut SharedState {
        &mut self.states[state as usize]
    }

    /// The congestion state of a flow that starts, brought up to date.
    pub(super) fn enter_state(&mut self, flow: &Flow, now: Time) -> u32 {
        let group = self.controllers.group(flow);
        let key = self.shared.config.nic.state_of(flow, group);
        let state = match self.state_of.get(&key) {
            Some(&state) => {
                self.end_idleness(state, flow, now);
                state
            }
            None => {
                let state = self.states.len() as u32;
                self.states
                    .push(SharedState::new(self.new_congestion(flow)));
                self.state_of.insert(key, state);
                state
            }
        };
        self.state(state).flows += 1;
        state
    }

    pub(super) fn new_congestion(&self, flow: &Flow) -> CongestionState {
        CongestionState::new(self.controllers.create(flow), &self.needs)
    }

    /// Makes up for the time without flows: begins anew, or runs the timers that expired.
    pub(super) fn end_idleness(&mut self, state: u32, flow: &Flow, now: Time) {
        let SharedState {
            flows, idle_since, ..
        } = *self.state(state);
        if flows > 0 {
            return;
        }
        match self.shared.config.nic.idle {
            IdleState::ResetAfter(time) if now - idle_since >= time => {
                self.reset(state, flow, now);
            }
            IdleState::Keep | IdleState::ResetAfter(_) => {
                let clock = self.clock;
                while let Some(at) = self.state(state).missed_timer(now, clock) {
                    self.run_controller_timer(state, at);
                }
            }
        }
    }

    /// A new controller, as if nothing had been sent.
    pub(super) fn reset(&mut self, state: u32, flow: &Flow, now: Time) {
        let fresh = SharedState::new(self.new_congestion(flow));
        let old = std::mem::replace(self.state(state), fresh);
        for &limiter in &old.limiters {
            self.limiters[limiter as usize].pacer = Pacer::new(now);
        }
        self.state(state).limiters = old.limiters;
    }

    /// Runs the controller's timer if it is due.
    pub(super) fn run_controller_timer(&mut self, state: u32, now: Time) {
        self.change(state, |congestion| {
            congestion.on_timer(now);
            congestion.refresh();
        });
    }

    /// The limiter of a QP that gets a flow.
    pub(super) fn enter_limiter(&mut self, state: u32, qp: QpName, now: Time) -> u32 {
        let known = match self.shared.config.nic.share() {
            Share::Divided => self.state(state).limiters.first().copied(),
            Share::Whole => self.limiter_of.get(&qp).copied(),
        };
        let limiter = known.unwrap_or_else(|| self.add_limiter(state, qp, now));
        self.limiters[limiter as usize].flows += 1;
        self.state(state).leader.get_or_insert(limiter);
        limiter
    }

    pub(super) fn add_limiter(&mut self, state: u32, qp: QpName, now: Time) -> u32 {
        let limiter = Limiter::new(state, now);
        let slot = self.free.pop().unwrap_or(self.limiters.len() as u32);
        match self.limiters.get_mut(slot as usize) {
            Some(free) => *free = limiter,
            None => self.limiters.push(limiter),
        }
        self.state(state).limiters.push(slot);
        if self.shared.config.nic.share() == Share::Whole {
            self.limiter_of.insert(qp, slot);
        }
        slot
    }

    /// A flow of a limiter has completed. The limiter of a QP that served it alone goes with it.
    pub(super) fn leave_limiter(&mut self, state: u32, limiter: u32, qp: QpName) {
        let held = &mut self.limiters[limiter as usize];
        held.flows -= 1;
        if held.flows > 0 {
            return;
        }
        let serves_one_flow = matches!(qp, QpName::OfFlow(_));
        if serves_one_flow && self.limiter_of.remove(&qp).is_some() {
            self.state(state).limiters.retain(|other| *other != limiter);
            self.free.push(limiter);
        }
        let limiters = &self.limiters;
        let state = &mut self.states[state as usize];
        if state.leader == Some(limiter) {
            let mut others = state.limiters.iter().copied();
            state.leader = others.find(|&other| limiters[other as usize].flows > 0);
        }
    }

    /// What the window of its limiter leaves to a flow.
    pub(super) fn window_of(&mut self, slot: u32) -> u64 {
        let flow = self.flows.get_mut(slot);
        let (state, limiter) = (flow.state, flow.limiter);
        let own = flow.transfer.in_flight();
        let window = self.states[state as usize].congestion.limit.window;
        self.limiters[limiter as usize].window_of(own, window.as_u64())
    }
}
