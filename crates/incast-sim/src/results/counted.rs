//! Which flows statistics of FCT count.
//!
//! Open-loop traffic first fills the network until it is steady; after the last arrival the network
//! drains. Only flows that start in a window count, by the rule of `spec/counted_starts.rs`. A
//! counted flow that ends after the last arrival is **late**: its competitors became fewer. Flows
//! that are not late have exactly the FCT that they would have if arrivals continued.

use incast_net::FlowRecord;
use incast_units::{Bytes, Time};

use super::distribution::LateSample;
use super::rates::bps;
use crate::spec::CountedStarts;

/// The properties of a flow that statistics of FCT need.
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

/// The counting rule of a run, for each traffic entry.
#[derive(Clone, Debug)]
pub(super) struct CountingRule {
    entries: Vec<CountedStarts>,
    /// The start of each entry's last flow so far.
    last_starts: Vec<Time>,
}

impl CountingRule {
    pub(super) fn new(entries: Vec<CountedStarts>) -> Self {
        Self {
            last_starts: vec![Time::ZERO; entries.len()],
            entries,
        }
    }

    /// The counted starts of each traffic entry.
    pub(super) fn entries(&self) -> &[CountedStarts] {
        &self.entries
    }

    /// The start of an entry's last flow so far.
    pub(super) fn last_start(&self, tag: u16) -> Time {
        self.last_starts[usize::from(tag)]
    }

    /// Notes the start of a flow of this entry.
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

    /// Whether counted flows of this entry can be late: arrivals are open-loop, and the window
    /// leaves flows out.
    pub(super) fn knows_late_flows(&self, tag: u16) -> bool {
        let CountedStarts { arrivals, window } = self.entries[usize::from(tag)];
        arrivals.is_some() && window.is_some()
    }

    /// The last arrival of the entry, after which its counted flows are late; `None` if flows of
    /// this entry cannot be late.
    pub(super) fn arrivals_end(&self, tag: u16) -> Option<Time> {
        self.knows_late_flows(tag).then(|| self.last_start(tag))
    }

    /// The age of a late flow at the last arrival; `None` for other flows.
    pub(super) fn age_if_late(&self, flow: &FlowFct) -> Option<Time> {
        let end = self.arrivals_end(flow.tag)?;
        (flow.start + flow.fct > end).then(|| end.saturating_sub(flow.start))
    }

    /// The slowdown of a late flow; `None` for other flows. A slowdown is at least 1, except if
    /// failed links reroute a flow over faster ones.
    pub(super) fn late_slowdown(&self, flow: &FlowFct) -> Option<LateSample> {
        let age = self.age_if_late(flow)?;
        let share = age.as_ps() as f64 / flow.fct.as_ps().max(1) as f64;
        Some(LateSample {
            value: flow.slowdown,
            at_least: (flow.slowdown * share).max(flow.slowdown.min(1.0)),
        })
    }

    /// The FCT of a late flow in picoseconds; `None` for other flows.
    pub(super) fn late_fct(&self, flow: &FlowFct) -> Option<LateSample> {
        self.age_if_late(flow).map(|age| LateSample {
            value: flow.fct.as_ps() as f64,
            at_least: age.as_ps() as f64,
        })
    }
}
