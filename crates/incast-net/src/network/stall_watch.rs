//! The watch of a run for stalls, at moments that depend on the model alone: when to look, and what
//! to compare.

use incast_units::{Bytes, FlowId, Time};

use crate::{OnDeadlock, Stall, StallConfig, StuckFlows, UnfinishedFlow};

/// Between two looks: a millisecond beyond what the longest link holds. Ports that wait in a
/// circle have to be paused as long.
const LOOK_EVERY: Time = Time::from_ms(1);
/// In the place of that at the end of a run.
const PAUSED_AT_END: Time = Time::from_us(100);

/// When to look, and what was there before.
#[derive(Debug)]
pub(super) struct StallWatch {
    config: StallConfig,
    every: Time,
    longest_delay: Time,
    /// When to look next: a multiple of `every`.
    next: Time,
    /// Flows at an earlier look, by number, with the payload that was acknowledged; and when that
    /// was.
    before: (Time, Vec<(FlowId, Bytes)>),
    /// A deadlock that was found, and did not end the run.
    pub(super) reported: Option<Stall>,
}

impl StallWatch {
    pub(super) fn new(config: StallConfig, longest_delay: Time) -> Self {
        let every = LOOK_EVERY + longest_delay * 2;
        Self {
            config,
            every,
            longest_delay,
            next: every,
            before: (Time::ZERO, Vec::new()),
            reported: None,
        }
    }

    /// When to look next.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Goes on to the first look after `time`, at which something happens again; gives the looks
    /// on the way that can tell more than the first, as nothing changes meanwhile.
    pub(super) fn advance(&mut self, time: Time) -> impl Iterator<Item = Time> + use<> {
        let first = self.next;
        let passed = time.saturating_sub(first).as_ps() / self.every.as_ps();
        let last = first + Time::from_ps(passed * self.every.as_ps());
        self.next = last + self.every;
        let second = first + self.every;
        let mut looks = vec![first, second.min(last), last];
        looks.dedup();
        looks.into_iter()
    }

    /// Leaves out the next look, which would come amid a step.
    pub(super) fn skip(&mut self) {
        self.next += self.every;
    }

    /// Since when ports have to be paused that wait in a circle, of a look at `now`.
    pub(super) fn paused_since(&self, now: Time) -> Time {
        now.saturating_sub(self.every)
    }

    /// The same when the run ends at `now`.
    pub(super) fn paused_since_at_end(&self, now: Time) -> Time {
        now.saturating_sub(PAUSED_AT_END + self.longest_delay * 2)
    }

    /// Whether to look for a deadlock: one is enough.
    pub(super) fn wants_deadlocks(&self) -> bool {
        self.reported.is_none()
    }

    /// The deadlock, if it ends the run.
    pub(super) fn judge(&mut self, deadlock: Stall) -> Option<Stall> {
        match self.config.on_deadlock {
            OnDeadlock::Stop => Some(deadlock),
            OnDeadlock::Report => {
                self.reported = Some(deadlock);
                None
            }
        }
    }

    /// Whether flows are to be compared with an earlier look, at `now`.
    pub(super) fn compares_flows(&self, now: Time) -> bool {
        let allowed = self.config.no_progress;
        allowed.is_some_and(|(allowed, _)| now >= self.before.0 + allowed)
    }

    /// Compares the flows that are alive at `now`, by number, with those of the look before.
    pub(super) fn compare_flows(&mut self, now: Time, alive: &[UnfinishedFlow]) -> Option<Stall> {
        let current: Vec<_> = alive
            .iter()
            .map(|each| (each.flow.id, each.acked))
            .collect();
        let (since, before) = (self.before.0, &self.before.1);
        let is_stuck = |flow: &&(FlowId, Bytes)| before.binary_search(flow).is_ok();
        let stuck: Vec<FlowId> = current.iter().filter(is_stuck).map(|flow| flow.0).collect();
        let enough = match self.config.no_progress?.1 {
            StuckFlows::Any => !stuck.is_empty(),
            StuckFlows::All => !stuck.is_empty() && stuck.len() == current.len(),
        };
        if enough {
            return Some(Stall::NoProgress {
                since,
                found: now,
                flows: stuck,
            });
        }
        self.before = (now, current);
        None
    }
}
