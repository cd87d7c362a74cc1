//! The step that an algorithm built on HPCC may add.

use incast_units::Rate;

use crate::Ack;

/// The busiest hop of an ACK's path; index 0 and rate 0 on an idle path.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct BusiestHop {
    /// u, the largest of the path.
    pub(crate) utilisation: f64,
    /// Its place in the ACK's records.
    pub(crate) index: usize,
    /// B of its link, in bit/s.
    pub(crate) link_bps: f64,
}

/// A variant of HPCC. The default is HPCC itself.
pub(crate) trait Variant: Clone + Send {
    /// A fair share for this ACK. [`FairShare::Reference`] comes before ComputeWind,
    /// [`FairShare::Rate`] takes its place.
    #[inline(always)]
    fn fair_share(&self, _busiest: &BusiestHop, _ack: &Ack<'_>) -> Option<FairShare> {
        None
    }
}

/// Where a fair share takes effect.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum FairShare {
    /// The share is the reference rate; ComputeWind goes on from there.
    Reference(Rate),
    /// The share is the rate, and the reference rate.
    Rate(Rate),
}

/// HPCC itself.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Plain;

impl Variant for Plain {}
