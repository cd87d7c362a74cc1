//! Statistics of flows, taken as flows complete: no row of a flow is needed for them.
//!
//! Whether a counted flow is late is known when the arrivals of its entry have ended. Until a flow
//! of the entry starts later than a counted one ended, that one is undecided.

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

/// What statistics of flows tell apart.
pub(crate) struct StatisticsScope<'a> {
    /// By traffic entry: which flows count.
    pub(crate) entries: Vec<CountedStarts>,
    /// The names of traffic entries, if these are told apart.
    pub(crate) traffic: &'a [String],
    /// By traffic entry.
    pub(crate) tenants: &'a [Option<String>],
    /// Up to so many completed flows, each number is kept; of more, the bins of numbers.
    pub(crate) exact: u64,
}

/// Statistics of the flows of a run.
pub(crate) struct FlowStatistics {
    /// How many more flows may complete before only the bins of numbers are kept; none afterwards.
    exact: Option<u64>,
    pub(super) rule: CountingRule,
    /// By traffic entry.
    pub(super) entries: Vec<EntryStatistics>,
    /// By traffic entry, if these are told apart.
    parties: Vec<PartyStatistics>,
    tenants: Vec<TenantStatistics>,
    /// By traffic entry: the place of its tenant.
    tenant_of: Vec<Option<usize>>,
    counted: FctValues,
    /// FCTs of completed flows that do not count.
    others: FctValues,
    /// Completed flows that count and may be late; in the end, those that are.
    undecided: Vec<FlowFct>,
    /// How many of them there are when they are looked through.
    decide_at: usize,
    /// Flows that count and had not completed, when arrivals were to go on.
    pub(super) unfinished: Vec<UnfinishedFct>,
    /// Mean goodput of completed flows that count.
    pub(super) goodput: MeanRate,
    /// Of all flows.
    pub(super) counters: CounterSums,
    /// The time of all flows from start to finish, or to the end of the run, in ps.
    pub(super) alive_ps: u128,
}

/// A traffic entry.
pub(super) struct EntryStatistics {
    /// Flows that started,
    pub(super) flows: u64,
    /// those of them that count,
    pub(super) counted: u64,
    /// and the payload of all of them.
    pub(super) payload: u64,
    /// FCTs of completed flows in ps, of open-loop traffic.
    pub(super) fcts: Option<FlowValues>,
    /// How long flows of open-loop traffic had taken that had not completed.
    pub(super) ages: Vec<Time>,
}

struct TenantStatistics {
    name: String,
    own: PartyStatistics,
}

/// A counted flow that had not completed.
#[derive(Copy, Clone, Debug)]
pub(super) struct UnfinishedFct {
    pub(super) tag: u16,
    size: u64,
    /// How long it had taken when arrivals ended.
    age: Time,
}

/// Undecided flows are looked through when there are twice as many as were left, and these more.
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

    /// The place of a tenant, which is one of its own if the name is new.
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

    /// Whom a flow of this entry belongs to.
    fn parties_of(&mut self, tag: u16) -> impl Iterator<Item = &mut PartyStatistics> {
        let entry = usize::from(tag);
        let tenant = self.tenant_of.get(entry).copied().flatten();
        let tenant = tenant.map(|place| &mut self.tenants[place].own);
        self.parties.get_mut(entry).into_iter().chain(tenant)
    }

    /// From now on only the bins of numbers are kept.
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

    /// A flow has completed.
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

    /// A flow that started; what is known of its entry.
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

    /// Counts all that are not late, as far as the starts that are known say.
    fn decide(&mut self) {
        let undecided = std::mem::take(&mut self.undecided);
        for flow in undecided {
            match self.rule.age_if_late(&flow) {
                Some(_) => self.undecided.push(flow),
                None => self.count(&flow),
            }
        }
    }

    /// The run has ended, with these flows unfinished.
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
                // No flow is faster than alone.
                party.late.push(LateSample::unfinished(1.0));
            }
        }
    }

    /// Counted flows that ended after the arrivals of their entry did.
    pub(super) fn late(&self) -> &[FlowFct] {
        &self.undecided
    }

    /// FCTs of completed flows that count, beside counted flows that had not completed.
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

    /// Traffic entries by name, in their order; no roles; tenants in the order of their traffic.
    /// Each flow is a message.
    pub(super) fn parties(&self, traffic: &[String]) -> [Vec<Party>; 3] {
        let entries = traffic.iter().zip(&self.parties);
        let entries = entries.map(|(name, own)| own.party(name));
        let tenants = self.tenants.iter();
        let tenants = tenants.map(|tenant| tenant.own.party(&tenant.name));
        [entries.collect(), Vec::new(), tenants.collect()]
    }
}
