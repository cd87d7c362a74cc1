//! Which flows statistics of FCT count.
//!
//! Open-loop traffic fills the network before it is steady, and leaves it empty at the end. Counted
//! are flows that start in a window; the rule is `spec/counted_starts.rs`. A counted flow that ends
//! after arrivals did is **late**: from then on it had the network more and more for itself. Flows
//! that are not late have exactly the FCT that they would have if arrivals went on.

use incast_net::FlowRecord;
use incast_units::{Bytes, Time};

use super::distribution::LateSample;
use super::rates::bps;
use crate::spec::CountedStarts;

/// A flow with what statistics of FCT ask of it.
#[derive(Copy, Clone, Debug)]
pub(super) struct FlowFct {
    pub(super) tag: u16,
    pub(super) size: u64,
    pub(super) start: Time,
    pub(super) fct: Time,
    pub(super) slowdown: f64,
}

impl FlowFct {
    pub(super) fn of(flow: &FlowRecord, slowdown: f64) -> Self {
        Self {
            tag: flow.tag,
            size: flow.size.as_u64(),
            start: flow.start,
            fct: flow.finish - flow.start,
            slowdown,
        }
    }

    /// Size over FCT.
    pub(super) fn goodput_bps(&self) -> f64 {
        bps(Bytes::new(self.size), self.fct)
    }
}

/// The rule of a run, by traffic entry.
#[derive(Clone, Debug)]
pub(super) struct CountingRule {
    entries: Vec<CountedStarts>,
    /// When the last known flow of each entry started.
    last_starts: Vec<Time>,
}

impl CountingRule {
    pub(super) fn new(entries: Vec<CountedStarts>) -> Self {
        Self {
            last_starts: vec![Time::ZERO; entries.len()],
            entries,
        }
    }

    /// By traffic entry.
    pub(super) fn entries(&self) -> &[CountedStarts] {
        &self.entries
    }

    /// When the last known flow of an entry started.
    pub(super) fn last_start(&self, tag: u16) -> Time {
        self.last_starts[usize::from(tag)]
    }

    /// A flow of this entry has started.
    pub(super) fn note_start(&mut self, tag: u16, start: Time) {
        let last = &mut self.last_starts[usize::from(tag)];
        *last = (*last).max(start);
    }

    /// Whether some flows may not count.
    pub(super) fn leaves_out(&self) -> bool {
        self.entries.iter().any(|entry| entry.window.is_some())
    }

    /// Whether a flow counts.
    pub(super) fn counts(&self, tag: u16, start: Time) -> bool {
        self.entries[usize::from(tag)].counts(start)
    }

    /// Whether counted flows of this entry should have had arrivals around them.
    pub(super) fn knows_late_flows(&self, tag: u16) -> bool {
        let CountedStarts { arrivals, window } = self.entries[usize::from(tag)];
        arrivals.is_some() && window.is_some()
    }

    /// When the arrivals ended that a counted flow of this entry should have had around it; none
    /// where all flows count, or arrivals do not go on.
    pub(super) fn arrivals_end(&self, tag: u16) -> Option<Time> {
        self.knows_late_flows(tag).then(|| self.last_start(tag))
    }

    /// How long a late flow had taken when the arrivals ended; none of others.
    pub(super) fn age_if_late(&self, flow: &FlowFct) -> Option<Time> {
        let end = self.arrivals_end(flow.tag)?;
        (flow.start + flow.fct > end).then(|| end.saturating_sub(flow.start))
    }

    /// The slowdown of a late flow; none of others. No flow is faster than alone, unless links that
    /// fail send it around over faster ones.
    pub(super) fn late_slowdown(&self, flow: &FlowFct) -> Option<LateSample> {
        let age = self.age_if_late(flow)?;
        let share = age.as_ps() as f64 / flow.fct.as_ps().max(1) as f64;
        Some(LateSample {
            value: flow.slowdown,
            at_least: (flow.slowdown * share).max(flow.slowdown.min(1.0)),
        })
    }

    /// The flow's FCT in picoseconds, if it is late.
    pub(super) fn late_fct(&self, flow: &FlowFct) -> Option<LateSample> {
        self.age_if_late(flow).map(|age| LateSample {
            value: flow.fct.as_ps() as f64,
            at_least: age.as_ps() as f64,
        })
    }
}
