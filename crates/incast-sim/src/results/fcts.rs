//! FCTs of flows, of counted and of all ones, by size.

use serde::{Deserialize, Serialize};

use super::counted::FlowFct;
use super::distribution::{Distribution, LateSample};
use super::values::FlowValues;

/// FCTs of flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FctFacts {
    /// FCT over ideal FCT.
    pub fct_slowdown: Slowdowns,
    /// FCT, in ps.
    pub fct_ps: Distribution,
}

/// Slowdown of flows, in total and by size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slowdowns {
    /// Slowdown of all flows.
    pub all: Distribution,
    /// Slowdown by size, smallest first; size classes without flows are left out.
    pub by_size: Vec<SizeClass>,
}

/// Slowdown of flows in one size class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeClass {
    /// Lower end of the class in bytes, excluded.
    pub from_bytes: u64,
    /// Upper end of the class in bytes, included; `None` for no limit.
    pub to_bytes: Option<u64>,
    /// Slowdown of flows of this class.
    #[serde(flatten)]
    pub slowdown: Distribution,
}

/// Upper ends of the size classes, in bytes; KB are 1000 bytes.
const SIZES: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// FCTs of completed flows.
#[derive(Clone)]
pub(super) struct FctValues {
    slowdowns: [FlowValues; SIZES.len() + 1],
    times_ps: FlowValues,
}

/// A late flow.
pub(super) struct LateFcts {
    pub(super) size: u64,
    pub(super) slowdown: Option<LateSample>,
    pub(super) fct: Option<LateSample>,
}

impl FctValues {
    pub(super) fn new() -> Self {
        Self {
            slowdowns: [(); SIZES.len() + 1].map(|()| FlowValues::ratios()),
            times_ps: FlowValues::whole_numbers(),
        }
    }

    /// All collected values: slowdowns of each size class, then FCTs.
    pub(super) fn values(&mut self) -> impl Iterator<Item = &mut FlowValues> {
        self.slowdowns.iter_mut().chain([&mut self.times_ps])
    }

    pub(super) fn push(&mut self, flow: &FlowFct) {
        self.slowdowns[class_of(flow.size)].push(flow.slowdown);
        self.times_ps.push(flow.fct.as_ps() as f64);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (own, other) in self.slowdowns.iter_mut().zip(&other.slowdowns) {
            own.merge(other);
        }
        self.times_ps.merge(&other.times_ps);
    }
}

impl FctFacts {
    /// Facts from the values of completed flows, and of late ones.
    pub(super) fn of(values: &FctValues, late: &[LateFcts]) -> Self {
        let times: Vec<_> = late.iter().filter_map(|each| each.fct).collect();
        Self {
            fct_slowdown: Slowdowns::of(&values.slowdowns, late),
            fct_ps: Distribution::of_values(values.times_ps.clone(), &times),
        }
    }
}

impl Slowdowns {
    fn of(classes: &[FlowValues; SIZES.len() + 1], late: &[LateFcts]) -> Self {
        let of_late = |belongs: &dyn Fn(&LateFcts) -> bool| -> Vec<_> {
            let own = late.iter().filter(|each| belongs(each));
            own.filter_map(|each| each.slowdown).collect()
        };
        let class = |(class, values): (usize, &FlowValues)| SizeClass {
            from_bytes: class.checked_sub(1).map_or(0, |before| SIZES[before]),
            to_bytes: SIZES.get(class).copied(),
            slowdown: Distribution::of_values(
                values.clone(),
                &of_late(&|each| class_of(each.size) == class),
            ),
        };
        let by_size = classes.iter().enumerate().map(class);
        let [first, others @ ..] = classes;
        let mut all = first.clone();
        others.iter().for_each(|values| all.merge(values));
        Self {
            all: Distribution::of_values(all, &of_late(&|_| true)),
            by_size: by_size.filter(|class| class.slowdown.count > 0).collect(),
        }
    }
}

/// The size class of a flow: the first whose upper end is at least `size`.
fn class_of(size: u64) -> usize {
    SIZES.partition_point(|end| *end < size)
}
