//! Checks of the window of counted flows: was the network steady?
//!
//! ```text
//! excess(W) = Σ max(FCT − W, 0) / Σ FCT     over all flows of the entry
//! ```
//!
//! This is the share of flows under way at a random time that started more than W before. If it is
//! large for W = warm-up, the network was still filling.

use incast_units::Time;
use serde::{Deserialize, Serialize};

use super::flow_statistics::FlowStatistics;
use super::values::FlowValues;
use crate::spec::Span;

/// The largest share of flows under way that may be older than the warm-up.
const MAX_EXCESS: f64 = 0.03;
/// A sufficient duration of arrivals is three times the warm-up at which this share of flows under
/// way is older than the warm-up.
const SETTLED_EXCESS: f64 = 0.02;
const PARTS: u64 = 3;

/// The counted flows of an entry of open-loop traffic.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountedFacts {
    /// Number of the traffic entry.
    pub traffic: u16,
    /// Begin of the time in which counted flows start; all flows count if begin and end are
    /// missing.
    pub from_ps: Option<u64>,
    /// End of the time in which counted flows start, excluded.
    pub until_ps: Option<u64>,
    /// The earliest start of a flow.
    pub arrivals_from_ps: u64,
    /// The start of the last flow.
    pub arrivals_until_ps: u64,
    /// Counted flows.
    pub flows: u64,
    /// Number of all flows of the entry.
    pub of: u64,
    /// Number of counted flows that ended after the last arrival, or had not ended.
    pub late: u64,
    /// Time from the begin of arrivals to the first counted start.
    pub warm_up_ps: u64,
    /// The share of flows under way that are older than the warm-up.
    pub older_than_warm_up: f64,
    /// Whether this share is so small that FCTs no longer depend on the duration of arrivals.
    /// `None` if no flow counts, or the run ended within two thirds of the arrivals.
    pub steady: Option<bool>,
    /// The least sufficient duration of arrivals, estimated from the counted flows.
    pub steady_duration_ps: u64,
}

impl FlowStatistics {
    /// Facts on every entry of open-loop traffic that had flows, in a run that ended at `end`.
    pub(super) fn counted_facts(&self, end: Time) -> Vec<CountedFacts> {
        let numbered = (0..).zip(self.rule.entries());
        let open_loop = numbered.filter_map(|(tag, entry)| Some((tag, entry.arrivals?)));
        open_loop
            .filter_map(|(tag, arrivals)| self.facts_of(tag, arrivals, end))
            .collect()
    }

    fn facts_of(&self, tag: u16, arrivals: Span, end: Time) -> Option<CountedFacts> {
        let entry = self.rule.entries()[usize::from(tag)];
        let own = &self.entries[usize::from(tag)];
        let warm_up = entry.warm_up()?;
        let excess = Excess::of(own.fcts.clone()?, &own.ages);
        let late = self.late().iter().filter(|flow| flow.tag == tag).count();
        let cut = self
            .unfinished
            .iter()
            .filter(|flow| flow.tag == tag)
            .count();
        let older_than_warm_up = excess.beyond(warm_up);
        let steady = steady(older_than_warm_up, end, arrivals.middle_third().until);
        (own.flows > 0).then(|| CountedFacts {
            traffic: tag,
            from_ps: entry.window.map(|window| window.from.as_ps()),
            until_ps: entry.window.map(|window| window.until.as_ps()),
            arrivals_from_ps: arrivals.from.as_ps(),
            arrivals_until_ps: self.rule.last_start(tag).as_ps(),
            flows: own.counted,
            of: own.flows,
            late: (late + cut) as u64,
            warm_up_ps: warm_up.as_ps(),
            older_than_warm_up,
            steady: steady.filter(|_| own.counted > 0),
            steady_duration_ps: PARTS * excess.time_at(SETTLED_EXCESS).as_ps(),
        })
    }
}

/// Whether the network was steady. Old flows show that it was not, at any time. Their absence shows
/// something only in a long enough run, because they may not have become old yet.
fn steady(older_than_warm_up: f64, end: Time, needed: Time) -> Option<bool> {
    let is_steady = older_than_warm_up <= MAX_EXCESS;
    (!is_steady || end >= needed).then_some(is_steady)
}

/// FCTs in ps, the largest first, for shares of flow time beyond a given time.
struct Excess {
    /// Distinct FCTs, each with its number of flows.
    fcts: Vec<(f64, u64)>,
    sum_ps: f64,
}

impl Excess {
    fn of(fcts: FlowValues, ages: &[Time]) -> Self {
        let ages = ages.iter().map(|age| age.as_ps() as f64);
        let mut fcts: Vec<_> = fcts.ranked(ages).counts().collect();
        fcts.reverse();
        let sum_ps = fcts.iter().map(|(fct, flows)| fct * *flows as f64).sum();
        Self { fcts, sum_ps }
    }

    /// Σ max(FCT − `time`, 0) / Σ FCT; 0 if there are no flows.
    fn beyond(&self, time: Time) -> f64 {
        let time = time.as_ps() as f64;
        let longer = self.fcts.iter().take_while(|(fct, _)| *fct > time);
        let beyond: f64 = longer
            .map(|(fct, flows)| (fct - time) * *flows as f64)
            .sum();
        super::rates::ratio(beyond, self.sum_ps)
    }

    /// The time beyond which `share` lies. If the k longest FCTs are above it, with sum S_k, the
    /// time is (S_k − share · Σ FCT) / k.
    fn time_at(&self, share: f64) -> Time {
        let (mut longest_ps, mut longest) = (0.0, 0);
        for (index, (fct, flows)) in self.fcts.iter().enumerate() {
            longest_ps += fct * *flows as f64;
            longest += flows;
            let time_ps = (longest_ps - share * self.sum_ps) / longest as f64;
            let next = self.fcts.get(index + 1).map_or(0.0, |(fct, _)| *fct);
            if time_ps >= next {
                return Time::from_ps(time_ps as u64);
            }
        }
        Time::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excess(us: &[u64]) -> Excess {
        let ps = us.iter().map(|us| Time::from_us(*us).as_ps() as f64);
        Excess::of(ps.collect(), &[])
    }

    /// FCTs of 10, 4, 4 and 2 µs are 20 in all. Beyond 6: 4 of the first, 4/20. Beyond 3: 7 and
    /// twice 1, 9/20. Beyond 10: nothing.
    #[test]
    fn excess_is_the_share_of_flow_time_beyond() {
        let some = excess(&[4, 10, 2, 4]);
        assert!((some.beyond(Time::from_us(6)) - 0.2).abs() < 1e-12);
        assert!((some.beyond(Time::from_us(3)) - 0.45).abs() < 1e-12);
        assert_eq!(some.beyond(Time::from_us(10)), 0.0);
        assert_eq!(some.beyond(Time::ZERO), 1.0);
        assert_eq!(excess(&[]).beyond(Time::ZERO), 0.0);
    }

    /// At most 3 % is steady. A run of 1 ms that needs 2 ms can show only that the network is not
    /// steady.
    #[test]
    fn a_run_that_was_interrupted_soon_is_not_known_to_be_steady() {
        let (soon, needed) = (Time::from_us(1000), Time::from_us(2000));
        assert_eq!(steady(0.03, needed, needed), Some(true));
        assert_eq!(steady(0.03, soon, needed), None);
        assert_eq!(steady(0.031, needed, needed), Some(false));
        assert_eq!(steady(0.031, soon, needed), Some(false));
    }

    /// The inverse: 4/20 lies beyond 6 µs, 9/20 beyond 3 µs, all beyond 0.
    #[test]
    fn the_time_of_an_excess() {
        let some = excess(&[4, 10, 2, 4]);
        assert_eq!(some.time_at(0.2), Time::from_us(6));
        assert_eq!(some.time_at(0.45), Time::from_us(3));
        assert_eq!(some.time_at(1.0), Time::ZERO);
        assert_eq!(excess(&[]).time_at(0.02), Time::ZERO);
    }
}
