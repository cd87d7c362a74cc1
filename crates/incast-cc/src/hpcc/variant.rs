//! The steps in which an algorithm based on HPCC may differ.

use incast_signals::int::{HopRecords, RecordReader};
use incast_units::Rate;

use super::{FlowConstants, MeasuredHops, averaged};
use crate::Ack;

/// The busiest hop of an ACK's path; index 0 and rate 0 on an idle path.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct BusiestHop {
    /// u, the largest utilisation of the path. A variant stores here the value that it compares
    /// with thresholds.
    pub(crate) utilisation: f64,
    /// Index of the hop in the ACK's records.
    pub(crate) index: usize,
    /// B, the rate of the hop's link, in bit/s.
    pub(crate) link_bps: f64,
}

/// A variant of HPCC: its measurement, and a step before ComputeWind.
pub(crate) trait Variant: Clone + Send {
    /// Starts with the first ACK, which has the records of `hops` hops.
    fn begin(&mut self, _hops: usize, _constants: &FlowConstants) {}

    /// MeasureInflight, lines 1 to 10: updates U and stores the records. Returns `None` if no hop
    /// is measured.
    fn measure<'a, R: RecordReader + 'a>(
        &mut self,
        reader: R,
        records: impl Iterator<Item = HopRecords<'a, R>>,
        hops: MeasuredHops,
        constants: &FlowConstants,
        utilisation: &mut f64,
    ) -> Option<BusiestHop>;

    /// A fair share for this ACK. [`FairShare::Reference`] is set before ComputeWind;
    /// [`FairShare::Rate`] replaces ComputeWind.
    #[inline(always)]
    fn fair_share(&self, _busiest: &BusiestHop, _ack: &Ack<'_>) -> Option<FairShare> {
        None
    }
}

/// Where a fair share takes effect.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum FairShare {
    /// In the reference rate, from which ComputeWind starts.
    Reference(Rate),
    /// In the rate and in the reference rate.
    Rate(Rate),
}

/// HPCC itself.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Plain;

impl Variant for Plain {
    #[inline(always)]
    fn measure<'a, R: RecordReader + 'a>(
        &mut self,
        reader: R,
        records: impl Iterator<Item = HopRecords<'a, R>>,
        hops: MeasuredHops,
        constants: &FlowConstants,
        utilisation: &mut f64,
    ) -> Option<BusiestHop> {
        let (mut busiest, mut elapsed, mut measured) = (BusiestHop::default(), 0, false);
        for (index, hop) in records.enumerate() {
            if hops == MeasuredHops::WithQueue && hop.has_empty_queue() {
                continue;
            }
            measured = true;
            let utilisation = constants.utilisation(&hop);
            if utilisation > busiest.utilisation {
                elapsed = hop.elapsed();
                let link_bps = hop.link_bps();
                busiest = BusiestHop {
                    utilisation,
                    index,
                    link_bps,
                };
            }
            hop.remember();
        }
        let elapsed_ns = reader.ns(elapsed);
        measured.then(|| {
            let (latest, over_ns) = (busiest.utilisation, constants.base_rtt_ns);
            *utilisation = averaged(*utilisation, latest, elapsed_ns, over_ns);
            busiest
        })
    }
}
