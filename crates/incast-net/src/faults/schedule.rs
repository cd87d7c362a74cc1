//! The faults of one link, and their times.

use incast_units::{Rate, Time};

/// The faults of one link. Faults of one kind are in order of time and do not overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkSchedule {
    pub(super) down: Vec<Spell<Time>>,
    pub(super) degraded: Vec<Spell<Rate>>,
    pub(super) loss: Vec<Spell<f64>>,
}

/// One fault of a link, in [`from`, `until`).
#[derive(Copy, Clone, Debug)]
pub(crate) struct Spell<T> {
    pub(super) from: Time,
    pub(super) until: Time,
    /// Number of the fault in the plan.
    pub(super) fault: u32,
    /// Detection time, rate, or loss probability, by kind of fault.
    pub(super) value: T,
}

/// The state of a link for routes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Noticed {
    Up,
    Down,
}

impl LinkSchedule {
    /// The fault by which the link is down at some time from `start` to `end`, both included.
    pub(crate) fn down_within(&self, start: Time, end: Time) -> Option<u32> {
        let first = self.down.partition_point(|spell| spell.until <= start);
        let spell = self.down.get(first)?;
        (spell.from <= end).then_some(spell.fault)
    }

    /// The degraded rate of a transmission that starts at `time`; `None`: the link's own rate.
    pub(crate) fn rate_at(&self, time: Time) -> Option<Rate> {
        at(&self.degraded, time).map(|spell| spell.value)
    }

    /// The fault that may corrupt a packet whose transmission starts at `time`, and its
    /// probability.
    pub(crate) fn loss_at(&self, time: Time) -> Option<(u32, f64)> {
        at(&self.loss, time).map(|spell| (spell.fault, spell.value))
    }

    /// Times at which routes learn of changes of the link. A change that is shorter than its
    /// detection time is not noticed.
    pub(super) fn noticed(&self) -> Vec<(Time, Noticed)> {
        let mut changes = Vec::new();
        for (index, spell) in self.down.iter().enumerate() {
            let next = self.down.get(index + 1);
            let next = next.map_or(Time::MAX, |next| next.from);
            let down = spell.from.saturating_add(spell.value);
            if down < spell.until {
                changes.push((down, Noticed::Down));
            }
            let up = spell.until.saturating_add(spell.value);
            if spell.until < Time::MAX && up < next {
                changes.push((up, Noticed::Up));
            }
        }
        // Only changes count.
        let mut known = Noticed::Up;
        changes.retain(|&(_, now)| std::mem::replace(&mut known, now) != now);
        changes
    }
}

/// The spell that `time` lies in.
fn at<T: Copy>(spells: &[Spell<T>], time: Time) -> Option<Spell<T>> {
    let first = spells.partition_point(|spell| spell.until <= time);
    spells
        .get(first)
        .copied()
        .filter(|spell| spell.from <= time)
}
