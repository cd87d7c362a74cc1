//! The pull pacer of a NIC: which flow gets credit next, how much, and when.
//!
//! ```text
//!            target above what was granted                 granted up to the target
//! flow ───────────────────────────────────► active flows ──────────────────────────► idle flows
//!                                            ▲    │ in turn                           │  ▲ in turn
//!                                            └────┘ min(pull, target − granted)       └──┘ a whole
//! pull
//! ```
//!
//! While no flow is active, idle flows get credit that they have not asked for (slow pulls), each
//! at most one window. After a pull of g quanta the next pull waits for the time of g quanta at the
//! pacer's rate. After a pull of nothing, for a flow that has all its credit, it waits for the time
//! of four quanta. A pacer with nothing to do stops, and starts at once at the next request.
//!
//! Source: uet-htsim (commit 40ccb05), `uec.cpp:2912-2947`, `:3061-3130`.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use incast_signals::{CreditOptions, IdleTurns};
use incast_units::{Rate, Time};
use rustc_hash::FxHasher;

/// After a pull that grants nothing the pacer waits for the time of this many quanta.
const QUANTA_OF_NOTHING: u64 = 4;

/// Grants credit to the flows that one NIC receives. Credit is in quanta, counted from the start of
/// a flow.
#[derive(Clone, Debug)]
pub(super) struct PullPacer {
    /// The most quanta that one pull grants.
    pull: u64,
    /// Time of a quantum at the pacer's highest rate.
    at_full_rate: Time,
    per_quantum: Time,
    /// Quanta beyond its request at which a flow gets no more credit.
    window: u64,
    idle_turns: IdleTurns,
    grants_after_end: bool,
    flows: HashMap<u32, Granted, BuildHasherDefault<FxHasher>>,
    /// Flows whose requests are not granted in full, in turn.
    active: VecDeque<u32>,
    /// Flows whose requests are granted in full, in turn.
    idle: VecDeque<u32>,
    due: Time,
}

/// The credit of a flow.
#[derive(Copy, Clone, Debug, Default)]
struct Granted {
    /// The largest sum that the flow has asked for.
    target: u64,
    granted: u64,
    is_active: bool,
    /// Whether the flow is in the list of idle flows.
    is_idle: bool,
    has_ended: bool,
}

/// A pull.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Pull {
    pub(super) flow: u32,
    /// The sum of credit of the flow, this pull included.
    pub(super) granted: u64,
    /// The credit that this pull adds.
    pub(super) more: u64,
}

impl PullPacer {
    /// `window` in bytes.
    pub(super) fn new(options: &CreditOptions, rate: Rate, window: u64) -> Self {
        let quantum = options.quantum.as_u64().max(1);
        let ps = 8.0 * quantum as f64 * 1e12 / rate.as_bps() as f64 / options.rate;
        Self {
            pull: (options.pull.as_u64() / quantum).max(1),
            at_full_rate: Time::from_ps(ps as u64),
            per_quantum: Time::from_ps(ps as u64),
            window: window / quantum,
            idle_turns: options.idle_turns,
            grants_after_end: options.grants_after_end,
            flows: HashMap::default(),
            active: VecDeque::new(),
            idle: VecDeque::new(),
            due: Time::MAX,
        }
    }

    /// Time of the next pull; [`Time::MAX`] if the pacer has stopped.
    #[inline]
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Sets the pacer's rate to this share of its highest rate, from the next pull on.
    pub(super) fn slow_to(&mut self, share: f64) {
        let ps = self.at_full_rate.as_ps() as f64 / share;
        self.per_quantum = Time::from_ps(ps as u64);
    }

    /// A flow asks for credit up to `target`.
    pub(super) fn demand(&mut self, flow: u32, target: u64, now: Time) {
        let state = self.flows.entry(flow).or_default();
        if target > state.target {
            state.target = target;
            self.request(flow, now);
        }
    }

    /// A flow asks for a pull, even if its requests are granted in full: one of its packets was
    /// lost.
    pub(super) fn request(&mut self, flow: u32, now: Time) {
        let state = self.flows.entry(flow).or_default();
        // A flow whose last ACK has arrived does not ask.
        state.has_ended = false;
        if state.is_active {
            return;
        }
        state.is_active = true;
        self.active.push_back(flow);
        if self.due == Time::MAX {
            self.due = now;
        }
    }

    /// A flow has been received in full: it gets no more credit unless it asks again.
    pub(super) fn end(&mut self, flow: u32) {
        if !self.grants_after_end {
            self.flows.entry(flow).or_default().has_ended = true;
        }
    }

    /// The pull that is [due](Self::due) now. `None`: there is nothing to do, and the pacer stops.
    pub(super) fn pull(&mut self, now: Time) -> Option<Pull> {
        let pull = self.pull_active().or_else(|| self.pull_idle());
        self.due = match &pull {
            Some(Pull { more: 0, .. }) => now + self.per_quantum * QUANTA_OF_NOTHING,
            Some(pull) => now + self.per_quantum * pull.more,
            None => Time::MAX,
        };
        pull
    }

    fn pull_active(&mut self) -> Option<Pull> {
        let (most, each_demand) = (self.pull, self.idle_turns == IdleTurns::OfDemands);
        let (flow, state) = loop {
            let flow = self.active.pop_front()?;
            let state = self.flows.get_mut(&flow).expect("an active flow has asked");
            if !state.has_ended {
                break (flow, state);
            }
            state.is_active = false;
        };
        let before = state.granted;
        state.granted = (before + most).min(state.target.max(before));
        if state.target > state.granted {
            self.active.push_back(flow);
        } else {
            state.is_active = false;
            if each_demand || !state.is_idle {
                state.is_idle = true;
                self.idle.push_back(flow);
            }
        }
        Some(state.pull(flow, before))
    }

    fn pull_idle(&mut self) -> Option<Pull> {
        loop {
            let flow = self.idle.pop_front()?;
            let state = self.flows.get_mut(&flow).expect("an idle flow was active");
            state.is_idle = false;
            if state.has_ended {
                continue;
            }
            let before = state.granted;
            state.granted += self.pull;
            let ahead = state.granted.checked_sub(state.target);
            if ahead.is_some_and(|ahead| ahead < self.window) {
                state.is_idle = true;
                self.idle.push_back(flow);
            }
            return Some(state.pull(flow, before));
        }
    }
}

impl Granted {
    fn pull(&self, flow: u32, before: u64) -> Pull {
        Pull {
            flow,
            granted: self.granted,
            more: self.granted - before,
        }
    }
}

#[cfg(test)]
mod tests;
