//! Statistics of flows, computed as flows complete, without rows of flows.
//!
//! Whether a counted flow is late is known when the arrivals of its entry have ended. A counted
//! flow is undecided until another flow of its entry starts after its end.

use incast_net::{FlowRecord, UnfinishedFlow};
use incast_units::Time;

use super::counted::{CountingRule, FlowFct};
use super::distribution::LateSample;
use super::fcts::{FctFacts, FctValues, LateFcts};
use super::parties::{Party, PartyStatistics};
use super::rates::MeanRate;
use super::recovery::CounterSums;
use super::values::FlowValues;
use crate::spec::CountedStarts;

/// The distinctions that statistics of flows make.
pub(crate) struct StatisticsScope<'a> {
    /// Which flows count, for each traffic entry.
    pub(crate) entries: Vec<CountedStarts>,
    /// The names of traffic entries, if entries are distinguished.
    pub(crate) traffic: &'a [String],
    /// The tenant of each traffic entry, if it has one.
    pub(crate) tenants: &'a [Option<String>],
    /// The most completed flows whose values are kept one by one; with more flows, only bins are
    /// kept.
    pub(crate) exact: u64,
}

/// Statistics of the flows of a run.
pub(crate) struct FlowStatistics {
    /// How many more flows may complete before only bins are kept; `None` afterwards.
    exact: Option<u64>,
    pub(super) rule: CountingRule,
    /// Statistics of each traffic entry.
    pub(super) entries: Vec<EntryStatistics>,
    /// For each traffic entry, if entries are distinguished.
    parties: Vec<PartyStatistics>,
    tenants: Vec<TenantStatistics>,
    /// For each traffic entry, the index of its tenant.
    tenant_of: Vec<Option<usize>>,
    counted: FctValues,
    /// FCTs of completed flows that do not count.
    others: FctValues,
    /// Completed flows that count and may be late; at the end of the run, the late ones.
    undecided: Vec<FlowFct>,
    /// The number of undecided flows at which they are checked next.
    decide_at: usize,
    /// Counted flows that had not completed at the last arrival of their entry.
    pub(super) unfinished: Vec<UnfinishedFct>,
    /// Mean goodput of completed flows that count.
    pub(super) goodput: MeanRate,
    /// Counters summed over all flows.
    pub(super) counters: CounterSums,
    /// Sum over all flows of the time from start to finish, or to the end of the run, in ps.
    pub(super) alive_ps: u128,
}

/// A traffic entry.
pub(super) struct EntryStatistics {
    /// Number of flows that started.
    pub(super) flows: u64,
    /// Number of started flows that count.
    pub(super) counted: u64,
    /// Payload of all started flows.
    pub(super) payload: u64,
    /// FCTs of completed flows in ps, for open-loop traffic.
    pub(super) fcts: Option<FlowValues>,
    /// Ages of unfinished flows at the end of the run, for open-loop traffic.
    pub(super) ages: Vec<Time>,
}

struct TenantStatistics {
    name: String,
    own: PartyStatistics,
}

/// A counted flow that did not complete.
#[derive(Copy, Clone, Debug)]
pub(super) struct UnfinishedFct {
    pub(super) tag: u16,
    size: u64,
    /// The flow's age at the last arrival.
    age: Time,
}

/// Undecided flows are checked again when there are twice as many as were left after the last
/// check, plus this number.
const UNDECIDED: usize = 1024;

impl FlowStatistics {
    pub(crate) fn new(scope: StatisticsScope<'_>) -> Self {
        let StatisticsScope {
            entries,
            traffic,
            tenants,
            exact,
        } = scope;
        let entry = |each: &CountedStarts| EntryStatistics {
            flows: 0,
            counted: 0,
            payload: 0,
            fcts: each.arrivals.map(|_| FlowValues::whole_numbers()),
            ages: Vec::new(),
        };
        let mut statistics = Self {
            exact: Some(exact),
            entries: entries.iter().map(entry).collect(),
            rule: CountingRule::new(entries),
            parties: traffic.iter().map(|_| PartyStatistics::new()).collect(),
            tenants: Vec::new(),
            tenant_of: Vec::new(),
            counted: FctValues::new(),
            others: FctValues::new(),
            undecided: Vec::new(),
            decide_at: UNDECIDED,
            unfinished: Vec::new(),
            goodput: MeanRate::default(),
            counters: CounterSums::default(),
            alive_ps: 0,
        };
        for name in tenants {
            let place = name.as_ref().map(|name| statistics.tenant(name));
            statistics.tenant_of.push(place);
        }
        statistics
    }

    /// The index of a tenant; a new name gets a new index.
    fn tenant(&mut self, name: &str) -> usize {
        let known = self.tenants.iter().position(|tenant| tenant.name == name);
        known.unwrap_or_else(|| {
            self.tenants.push(TenantStatistics {
                name: name.to_owned(),
                own: PartyStatistics::new(),
            });
            self.tenants.len() - 1
        })
    }

    /// The parties that flows of this entry belong to: the entry, and its tenant.
    fn parties_of(&mut self, tag: u16) -> impl Iterator<Item = &mut PartyStatistics> {
        let entry = usize::from(tag);
        let tenant = self.tenant_of.get(entry).copied().flatten();
        let tenant = tenant.map(|place| &mut self.tenants[place].own);
        self.parties.get_mut(entry).into_iter().chain(tenant)
    }

    /// Keeps only bins of values from now on.
    fn fold(&mut self) {
        let entries = self.entries.iter_mut();
        let fcts = entries.filter_map(|entry| entry.fcts.as_mut());
        let tenants = self.tenants.iter_mut().map(|tenant| &mut tenant.own);
        let parties = self.parties.iter_mut().chain(tenants);
        fcts.chain(parties.map(|party| &mut party.slowdowns))
            .chain(self.counted.values())
            .chain(self.others.values())
            .for_each(FlowValues::fold);
    }

    /// Adds a completed flow.
    pub(crate) fn push(&mut self, flow: &FlowRecord, slowdown: f64) {
        self.exact = self.exact.and_then(|left| {
            let less = left.checked_sub(1);
            if less.is_none() {
                self.fold();
            }
            less
        });
        let fct = FlowFct::of(flow, slowdown);
        let counts = self.rule.counts(fct.tag, fct.start);
        let entry = self.note(fct.tag, fct.start, fct.size);
        if let Some(fcts) = &mut entry.fcts {
            fcts.push(fct.fct.as_ps() as f64);
        }
        self.counters.add(&flow.counters);
        self.alive_ps += u128::from(fct.fct.as_ps());
        for party in self.parties_of(fct.tag) {
            party.add(&fct, counts);
        }
        if !counts {
            self.others.push(&fct);
            return;
        }
        self.goodput.add(fct.goodput_bps());
        if !self.rule.knows_late_flows(fct.tag) {
            self.count(&fct);
            return;
        }
        self.undecided.push(fct);
        if self.undecided.len() >= self.decide_at {
            self.decide();
            self.decide_at = 2 * self.undecided.len() + UNDECIDED;
        }
    }

    /// Adds a flow that started; returns the statistics of its entry.
    fn note(&mut self, tag: u16, start: Time, size: u64) -> &mut EntryStatistics {
        self.rule.note_start(tag, start);
        let counts = self.rule.counts(tag, start);
        let entry = &mut self.entries[usize::from(tag)];
        entry.flows += 1;
        entry.counted += u64::from(counts);
        entry.payload += size;
        entry
    }

    /// Counts a flow that is not late.
    fn count(&mut self, flow: &FlowFct) {
        self.counted.push(flow);
        for party in self.parties_of(flow.tag) {
            party.slowdowns.push(flow.slowdown);
        }
    }

    /// Counts the undecided flows that are not late by the starts known so far.
    fn decide(&mut self) {
        let undecided = std::mem::take(&mut self.undecided);
        for flow in undecided {
            match self.rule.age_if_late(&flow) {
                Some(_) => self.undecided.push(flow),
                None => self.count(&flow),
            }
        }
    }

    /// Ends the statistics, with the flows that did not complete.
    pub(crate) fn finish(&mut self, unfinished: &[UnfinishedFlow], end: Time) {
        for UnfinishedFlow { flow, counters, .. } in unfinished {
            let age = end.saturating_sub(flow.start);
            let entry = self.note(flow.tag, flow.start, flow.size.as_u64());
            if entry.fcts.is_some() {
                entry.ages.push(age);
            }
            self.counters.add(counters);
            self.alive_ps += u128::from(age.as_ps());
        }
        self.decide();
        let late = std::mem::take(&mut self.undecided);
        for flow in &late {
            let sample = self.rule.late_slowdown(flow);
            for party in self.parties_of(flow.tag) {
                party.late.extend(sample);
            }
        }
        self.undecided = late;
        let of_unfinished = unfinished.iter().filter_map(|each| {
            let (tag, start) = (each.flow.tag, each.flow.start);
            let arrivals_end = self.rule.arrivals_end(tag)?;
            self.rule.counts(tag, start).then(|| UnfinishedFct {
                tag,
                size: each.flow.size.as_u64(),
                age: arrivals_end.saturating_sub(start),
            })
        });
        self.unfinished = of_unfinished.collect();
        for flow in self.unfinished.clone() {
            for party in self.parties_of(flow.tag) {
                // The slowdown of any flow is at least 1.
                party.late.push(LateSample::unfinished(1.0));
            }
        }
    }

    /// Counted flows that ended after the last arrival of their entry.
    pub(super) fn late(&self) -> &[FlowFct] {
        &self.undecided
    }

    /// FCTs of completed flows that count, with bounds for those that are late or unfinished.
    pub(super) fn counted_fcts(&self) -> FctFacts {
        let late = self.undecided.iter().map(|flow| LateFcts {
            size: flow.size,
            slowdown: self.rule.late_slowdown(flow),
            fct: self.rule.late_fct(flow),
        });
        let unfinished = self.unfinished.iter().map(|flow| LateFcts {
            size: flow.size,
            slowdown: Some(LateSample::unfinished(1.0)),
            fct: Some(LateSample::unfinished(flow.age.as_ps() as f64)),
        });
        let late: Vec<_> = late.chain(unfinished).collect();
        FctFacts::of(&self.counted, &late)
    }

    /// FCTs of all completed flows, if some may not count.
    pub(super) fn all_fcts(&self) -> Option<FctFacts> {
        if !self.rule.leaves_out() {
            return None;
        }
        let mut all = self.counted.clone();
        all.merge(&self.others);
        self.undecided.iter().for_each(|flow| all.push(flow));
        Some(FctFacts::of(&all, &[]))
    }

    /// Statistics of named traffic entries in their order, of no roles, and of tenants in the order
    /// of their traffic. Each flow is a message.
    pub(super) fn parties(&self, traffic: &[String]) -> [Vec<Party>; 3] {
        let entries = traffic.iter().zip(&self.parties);
        let entries = entries.map(|(name, own)| own.party(name));
        let tenants = self.tenants.iter();
        let tenants = tenants.map(|tenant| tenant.own.party(&tenant.name));
        [entries.collect(), Vec::new(), tenants.collect()]
    }
}
