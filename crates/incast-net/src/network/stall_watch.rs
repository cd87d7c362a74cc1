//! The watch for stalls: the times of its looks, which depend only on the model, and its
//! comparisons.

use incast_units::{FlowId, Time};

use crate::measure::UnfinishedFlow;
use crate::stall::{OnDeadlock, Stall, StallConfig, StuckFlows};

/// Time between two looks, beyond twice the longest link delay. Ports that wait in a circle are
/// stuck if they have been paused for this time.
const LOOK_EVERY: Time = Time::from_ms(1);
/// The time for which stuck ports have been paused, at a look at the end of a run.
const PAUSED_AT_END: Time = Time::from_us(100);

/// The time of the next look, and the flows at an earlier look.
#[derive(Clone, Debug)]
pub(super) struct StallWatch {
    config: StallConfig,
    every: Time,
    longest_delay: Time,
    /// Time of the next look: a multiple of `every`.
    next: Time,
    /// The earlier look with which flows are compared.
    before: Look,
    /// A deadlock that was found and did not end the run.
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
            before: Look::default(),
            reported: None,
        }
    }

    /// Time of the next look.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Advances to the first look after `time`, when the next event happens. Nothing changes on the
    /// way, so only some looks can find more than the looks before. Returns these: the first two,
    /// the first two that compare flows, and the last.
    pub(super) fn advance(&mut self, time: Time) -> impl Iterator<Item = Time> + use<> {
        let first = self.next;
        let at_or_after = |earliest: Time| {
            let passed = earliest.min(time).saturating_sub(first).as_ps();
            first + self.every * passed.div_ceil(self.every.as_ps())
        };
        let passed = time.saturating_sub(first).as_ps() / self.every.as_ps();
        let last = first + self.every * passed;
        let mut looks = vec![first, first + self.every, last];
        if let Some((allowed, _)) = self.config.no_progress {
            let compares = at_or_after(self.before.time.saturating_add(allowed));
            looks.extend([compares, at_or_after(compares.saturating_add(allowed))]);
        }
        looks.retain(|look| *look <= last);
        looks.sort_unstable();
        looks.dedup();
        self.next = last + self.every;
        looks.into_iter()
    }

    /// Skips the next look, which lies within a step.
    pub(super) fn skip(&mut self) {
        self.next += self.every;
    }

    /// The time since which ports in a circle have to be paused, at a look at `now`.
    pub(super) fn paused_since(&self, now: Time) -> Time {
        now.saturating_sub(self.every)
    }

    /// The time since which ports in a circle have to be paused if the run ends at `now`.
    pub(super) fn paused_since_at_end(&self, now: Time) -> Time {
        now.saturating_sub(PAUSED_AT_END + self.longest_delay * 2)
    }

    /// Whether to search for a deadlock: only until the first one is found.
    pub(super) fn wants_deadlocks(&self) -> bool {
        self.reported.is_none()
    }

    /// The deadlock if it ends the run. If not, keeps it for the report.
    pub(super) fn judge(&mut self, deadlock: Stall) -> Option<Stall> {
        match self.config.on_deadlock {
            OnDeadlock::Stop => Some(deadlock),
            OnDeadlock::Report => {
                self.reported = Some(deadlock);
                None
            }
        }
    }

    /// Whether a look at `now` compares flows.
    pub(super) fn compares_flows(&self, now: Time) -> bool {
        let allowed = self.config.no_progress;
        allowed.is_some_and(|(allowed, _)| now >= self.before.time + allowed)
    }

    /// Compares the flows that are alive, by number, with the flows at the earlier look. `look` has
    /// all events before `seen`.
    pub(super) fn compare_flows(&mut self, look: Look, seen: Time) -> Option<Stall> {
        let (_, enough) = self.config.no_progress?;
        let before = std::mem::replace(&mut self.before, look);
        let look = &self.before;
        let without_ack = look
            .pairs(&before)
            .filter(|[old, new]| old.acked == new.acked);
        let stuck: Vec<FlowId> = without_ack.map(|[_, new]| new.flow.id).collect();
        let is_stall = match enough {
            StuckFlows::Any => !stuck.is_empty(),
            StuckFlows::All => {
                !stuck.is_empty() && stuck.len() == look.flows.len() && !look.gets_on(&before)
            }
        };
        is_stall.then_some(Stall::NoProgress {
            since: before.time,
            found: seen,
            flows: stuck,
        })
    }
}

/// The state that the watch compares: flows and network at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    /// When.
    pub(super) time: Time,
    /// Flows alive, by number.
    pub(super) flows: Vec<UnfinishedFlow>,
    /// Flows that have completed.
    pub(super) completed: u64,
    /// Packet-hops so far.
    pub(super) packet_hops: u64,
    /// Whether packets wait in queues of switches.
    pub(super) packets_wait: bool,
}

impl Look {
    /// Flows that are alive at both looks: their earlier and their present state.
    fn pairs<'l>(
        &'l self,
        before: &'l Self,
    ) -> impl Iterator<Item = [&'l UnfinishedFlow; 2]> + Clone {
        self.flows.iter().filter_map(|new| {
            let number = new.flow.id;
            let old = before
                .flows
                .binary_search_by_key(&number, |each| each.flow.id);
            old.ok().map(|place| [&before.flows[place], new])
        })
    }

    /// Whether flows make progress although no flow that is alive at both looks has had an ACK. A
    /// flow has completed. Or a flow retransmits nothing, and has sent since or waits for its
    /// pacing. Or no flow retransmits anything, and packets wait in a network in which packets
    /// move.
    fn gets_on(&self, before: &Self) -> bool {
        let repeats = |[old, new]: &[&UnfinishedFlow; 2]| {
            old.counters.retransmitted != new.counters.retransmitted
        };
        let sends = |[old, new]: [&UnfinishedFlow; 2]| {
            let waits = self.time <= new.next_send && new.next_send < Time::MAX;
            old.sent < new.sent || waits
        };
        let mut pairs = self.pairs(before);
        let moves = self.packets_wait && before.packet_hops < self.packet_hops;
        self.completed > before.completed
            || (moves && !pairs.clone().any(|pair| repeats(&pair)))
            || pairs.any(|pair| !repeats(&pair) && sends(pair))
    }
}

#[cfg(test)]
mod tests;
