//! The order of one node's events at the same time.
//!
//! By default the number of the source decides (alarms first, then ports). A simulator with one
//! global event queue decides otherwise: by insertion, that is, by when each event was
//! scheduled, then by when the event that scheduled it was scheduled, and so on. [`Lineage`]
//! keeps that history, so that its order can be had without its queue.

use std::fmt::Debug;

use incast_units::Time;

/// What decides between events of one node at the same time, before the source's number does.
pub trait Tie: Copy + Default + Debug + Send + 'static {
    /// Whether this event goes ahead of `other`, which has the same time.
    fn before(&self, other: &Self) -> bool;

    /// The key of an event at `at` that is scheduled now, by an event with this key.
    #[must_use]
    fn child(&self, now: Time, at: Time) -> Self;
}

/// No history: sources alone decide. Costs nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct Unordered;

impl Tie for Unordered {
    #[inline]
    fn before(&self, _other: &Self) -> bool {
        false
    }

    #[inline]
    fn child(&self, _now: Time, _at: Time) -> Self {
        Self
    }
}

/// Generations that a [`Lineage`] remembers.
const GENERATIONS: usize = 16;

/// How long before its time an event was scheduled, how long before that its parent was, and so
/// on, in nanoseconds, saturating. The default, all zero, is an event from outside: scheduled
/// last of all.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Lineage([u16; GENERATIONS]);

impl Tie for Lineage {
    /// Scheduled longer ago goes first.
    #[inline]
    fn before(&self, other: &Self) -> bool {
        self.0 > other.0
    }

    #[inline]
    fn child(&self, now: Time, at: Time) -> Self {
        let mut generations = [0; GENERATIONS];
        generations[1..].copy_from_slice(&self.0[..GENERATIONS - 1]);
        generations[0] = u16::try_from((at - now).as_ns()).unwrap_or(u16::MAX);
        Self(generations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two events at t = 2000 ns. One was scheduled at 900, the other at 950: the first leads.
    /// Scheduled at the same time, by events scheduled at 400 and 300: the second leads.
    #[test]
    fn the_older_schedule_leads() {
        let ns = Time::from_ns;
        let root = Lineage::default();
        let (old, young) = (root.child(ns(900), ns(2000)), root.child(ns(950), ns(2000)));
        assert!(old.before(&young) && !young.before(&old));
        let first = root.child(ns(400), ns(900)).child(ns(900), ns(2000));
        let second = root.child(ns(300), ns(900)).child(ns(900), ns(2000));
        assert!(second.before(&first) && !first.before(&second));
    }

    #[test]
    fn equals_do_not_lead() {
        let key = Lineage::default().child(Time::ZERO, Time::from_ns(5));
        assert!(!key.before(&key));
    }
}
