//! What an algorithm built on HPCC may change, without being a copy of it.

use incast_units::Rate;

use crate::Ack;

/// A variant of HPCC. The answers given here are those of HPCC itself.
pub(crate) trait Variant: Clone + Send {
    /// Whether it may want to know if the busiest hop is that of the first record.
    const SEES_FIRST_HOP: bool = false;

    /// Whether it does, at this utilisation of the busiest hop.
    #[inline]
    fn concerns(&self, _busiest: f64) -> bool {
        false
    }

    /// The busiest hop is that of the first record, at a link of so many bit/s: what goes before
    /// the law on this ACK.
    fn overrides(&self, _link_bps: f64, _ack: &Ack<'_>) -> Override {
        unreachable!("HPCC does not ask for it")
    }
}

/// What a variant puts in place of what the law has.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Override {
    /// This reference rate; the law goes on from there.
    Reference(Rate),
    /// This rate, which is also the reference.
    Rate(Rate),
}

/// HPCC itself.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Plain;

impl Variant for Plain {}
