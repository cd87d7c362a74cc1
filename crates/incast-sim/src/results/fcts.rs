//! FCTs of flows: of those that count, and of all, by size.

use serde::{Deserialize, Serialize};

use super::counted::{CountingRule, all};
use super::distribution::{Distribution, FctSample};
use super::table::Table;

/// FCTs of flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FctFacts {
    /// FCT over ideal FCT.
    pub fct_slowdown: Slowdowns,
    /// FCT, in ps.
    pub fct_ps: Distribution,
}

/// Slowdown of all flows, and by size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slowdowns {
    /// Of all flows.
    pub all: Distribution,
    /// By size, smallest first; sizes that no flow had are left out.
    pub by_size: Vec<SizeClass>,
}

/// Slowdown of the flows of some sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeClass {
    /// Flows are larger than this,
    pub from_bytes: u64,
    /// and at most this large; no limit if `None`.
    pub to_bytes: Option<u64>,
    /// Their slowdown.
    #[serde(flatten)]
    pub slowdown: Distribution,
}

/// Upper ends of the size classes, in bytes; KB are 1000 bytes.
const SIZES: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

impl FctFacts {
    /// Of completed flows that count, beside those of them that had not completed.
    pub(super) fn of_counted(flows: &Table, counting: &CountingRule<'_>) -> Self {
        let slowdowns = |belongs: &dyn Fn(u64) -> bool| {
            let completed = counting.completed(flows);
            let completed = completed.filter(|flow| belongs(flow.size));
            let cut = counting.unfinished().filter(|(_, size, _)| belongs(*size));
            let samples = completed.map(|flow| counting.slowdown(&flow));
            // No flow is faster than alone.
            Distribution::of_samples(samples.chain(cut.map(|_| FctSample::unfinished(1.0))))
        };
        let times = counting.completed(flows).map(|flow| counting.fct(&flow));
        let cut = counting.unfinished();
        let cut = cut.map(|(_, _, age)| FctSample::unfinished(age.as_ps() as f64));
        Self {
            fct_slowdown: Slowdowns::of(slowdowns),
            fct_ps: Distribution::of_samples(times.chain(cut)),
        }
    }

    pub(super) fn of_all(flows: &Table) -> Self {
        let slowdowns = |belongs: &dyn Fn(u64) -> bool| {
            let own = all(flows).filter(|flow| belongs(flow.size));
            Distribution::of(own.map(|flow| flow.slowdown))
        };
        Self {
            fct_slowdown: Slowdowns::of(slowdowns),
            fct_ps: Distribution::of(all(flows).map(|flow| flow.fct.as_ps() as f64)),
        }
    }
}

impl Slowdowns {
    /// `of_sizes`: the slowdown of the flows whose sizes belong.
    fn of(of_sizes: impl Fn(&dyn Fn(u64) -> bool) -> Distribution) -> Self {
        let classes = (0..=SIZES.len()).map(|class| SizeClass::of(class, &of_sizes));
        Self {
            all: of_sizes(&|_| true),
            by_size: classes.filter(|class| class.slowdown.count > 0).collect(),
        }
    }
}

impl SizeClass {
    fn of(class: usize, of_sizes: impl Fn(&dyn Fn(u64) -> bool) -> Distribution) -> Self {
        let from_bytes = if class == 0 { 0 } else { SIZES[class - 1] };
        let to_bytes = SIZES.get(class).copied();
        let belongs = |size| from_bytes < size && to_bytes.is_none_or(|limit| size <= limit);
        Self {
            from_bytes,
            to_bytes,
            slowdown: of_sizes(&belongs),
        }
    }
}
