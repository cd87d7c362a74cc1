//! U of FNCC: an average over the utilisations of a path's hops. Each hop's record covers a time of
//! its own.
//!
//! In HPCC the records of all hops are about the same data packets, and the largest u_i of an ACK
//! belongs to one hop. In FNCC the records cover different, short times. While several hops are
//! busy, the largest u_i is then too large on average, and more so with more hops. There are three
//! averages:
//!
//! ```text
//! printed:   for each hop i whose u_i is the largest so far:  U ← (1 − τ_i/T)·U + (τ_i/T)·u_i
//! single:    j ← argmax u_i                                   U ← (1 − τ_j/T)·U + (τ_j/T)·u_j
//! per hop:   for each hop i:  U_i ← (1 − τ_i/T)·U_i + (τ_i/T)·u_i,            U ← max U_i
//! ```
//!
//! τ_i is at most T; here T is the time over which U averages. A record with the same time as the
//! previous record (an unrefreshed row of a switch's table) has no new information: u_i stays, τ_i
//! = 0.

use incast_signals::int::{HopRecords, RecordReader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FnccConfig;
use crate::hpcc::{BusiestHop, FlowConstants, averaged};

/// How U averages over the hops of a path.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UtilisationAverage {
    /// Inside the loop over hops, at every hop busier than all previous hops (Algorithm 3).
    #[default]
    Printed,
    /// Once per ACK, after the loop, from the utilisation of the busiest hop.
    Single,
    /// Every hop has its own average; U is the largest.
    PerHop,
}

/// The utilisation of the last hop that is compared with the threshold of last-hop speedup.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LastHopMeasure {
    /// u_h of the latest record (Algorithm 2).
    #[default]
    Latest,
    /// The average: U_h, or U if hops have no averages of their own.
    Average,
}

/// U, and the averages of hops.
#[derive(Clone, Debug)]
pub(super) struct Averages {
    form: UtilisationAverage,
    measure: LastHopMeasure,
    /// The time over which U averages, in base RTTs and in ns.
    rtts: f64,
    over_ns: f64,
    hops: Vec<HopUtilisation>,
}

/// One hop of the path.
#[derive(Copy, Clone, Debug)]
struct HopUtilisation {
    /// u_i of the last record with new information.
    latest: f64,
    /// The utilisation with the throughput capped at the link's rate.
    bounded: f64,
    /// U_i.
    average: f64,
}

impl Averages {
    pub(super) fn new(config: &FnccConfig) -> Self {
        Self {
            form: config.average,
            measure: config.last_hop_measure,
            rtts: config.averaging_rtts,
            over_ns: 0.0,
            hops: Vec::new(),
        }
    }

    /// Starts the averages of `hops` hops, after their first record.
    pub(super) fn begin(&mut self, hops: usize, constants: &FlowConstants) {
        self.over_ns = self.rtts * constants.base_rtt_ns;
        let hop = HopUtilisation {
            latest: 0.0,
            bounded: 0.0,
            average: constants.config.initial_utilisation,
        };
        self.hops = vec![hop; hops];
    }

    /// Updates U; `None` without records.
    #[inline(always)]
    pub(super) fn measure<'a, R: RecordReader + 'a>(
        &mut self,
        reader: R,
        records: impl Iterator<Item = HopRecords<'a, R>>,
        constants: &FlowConstants,
        utilisation: &mut f64,
    ) -> Option<BusiestHop> {
        let (form, over_ns) = (self.form, self.over_ns);
        // Values of the busiest hop: its u as compared, τ, and u with capped throughput.
        let (mut largest, mut elapsed_ns, mut bounded) = (0.0, 0.0, 0.0);
        let (mut busiest, mut measured) = (BusiestHop::default(), false);
        for (index, (record, hop)) in records.zip(&mut self.hops).enumerate() {
            let elapsed = reader.ns(record.elapsed());
            if elapsed > 0.0 {
                hop.read(&record, constants);
                if form == UtilisationAverage::PerHop {
                    hop.average = averaged(hop.average, hop.latest, elapsed, over_ns);
                }
            }
            let load = match form {
                UtilisationAverage::PerHop => hop.average,
                UtilisationAverage::Printed | UtilisationAverage::Single => hop.latest,
            };
            measured = true;
            if load > largest {
                (largest, elapsed_ns, bounded) = (load, elapsed, hop.bounded);
                (busiest.index, busiest.link_bps) = (index, record.link_bps());
                if form == UtilisationAverage::Printed {
                    *utilisation = averaged(*utilisation, load, elapsed, over_ns);
                }
            }
            record.remember();
        }
        match form {
            UtilisationAverage::Printed => {}
            UtilisationAverage::Single => {
                *utilisation = averaged(*utilisation, largest, elapsed_ns, over_ns);
            }
            UtilisationAverage::PerHop => *utilisation = largest,
        }
        busiest.utilisation = match self.measure {
            LastHopMeasure::Latest => bounded,
            LastHopMeasure::Average if largest > 0.0 => *utilisation,
            LastHopMeasure::Average => 0.0,
        };
        measured.then_some(busiest)
    }
}

impl HopUtilisation {
    /// Computes u_i from a record by Eq. (1). Counters are rounded to the record's units, so over
    /// short times the throughput may exceed the link's rate.
    #[inline(always)]
    fn read<R: RecordReader>(&mut self, record: &HopRecords<'_, R>, constants: &FlowConstants) {
        let throughput = record.sent_bps() / record.link_bps();
        let queue = match record.has_empty_queue() {
            true => 0.0,
            false => constants.queue_share(record),
        };
        self.latest = throughput + queue;
        self.bounded = throughput.min(1.0) + queue;
    }
}
