//! The interface of all kinds of traffic: settings, which are checked, and then give flows.

use std::fmt;
use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_random::TrafficStreams;
use incast_registry::NamedSet;
use incast_units::{HostId, Time};

use crate::files::Files;
use crate::flow::FlowStream;
use crate::network::Network;
use crate::sizes::{FlowSizes, SizeSpec};
use crate::tasks::TaskGraph;

/// A kind of traffic: its type holds the options, and has the methods of
/// [`TrafficSpec`](super::TrafficSpec).
pub(crate) trait TrafficKind: Sized + 'static {
    /// Named sets of options, such as those of a paper.
    const SETS: &'static [NamedSet<Self>] = &[];
}

/// The payload that sources of open-loop traffic offer.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct OfferedLoad {
    /// The load as a fraction of the rates of the sources' NICs.
    pub load: f64,
    /// Sum of the rates of the sources' NICs, in bit/s.
    pub nic_rates_bps: f64,
    /// Mean number of flows that arrive in a picosecond.
    pub flows_per_ps: f64,
    /// E\[X²\] / E\[X\]² of the flow sizes X.
    pub size_spread: f64,
}

impl OfferedLoad {
    /// Relative standard deviation of the load over seeds. For N Poisson arrivals with sizes X it
    /// is √(E\[X²\] / (E\[X\]² · N)).
    pub fn spread(&self, duration: Time) -> f64 {
        let flows = self.flows_per_ps * duration.as_ps() as f64;
        (self.size_spread / flows).sqrt()
    }
}

/// A traffic entry whose settings have been checked.
pub(super) trait CheckedTraffic: fmt::Debug + Send + Sync {
    /// The flows, drawn from these streams.
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic>;

    /// Number of flows: exact, or the average over seeds.
    fn expected_flows(&self) -> f64;

    /// Begin and end of arrivals of open-loop traffic, expected over seeds; `None` for traffic that
    /// is listed, or whose flows wait for each other.
    fn open_loop(&self) -> Option<(Time, Time)> {
        None
    }

    /// The load that open-loop traffic offers, expected over seeds; `None` for other traffic.
    fn offered_load(&self) -> Option<OfferedLoad> {
        None
    }

    /// The hosts that send or receive, in any order, possibly several times; `None` if only the
    /// flows tell.
    fn hosts(&self) -> Option<Vec<HostId>> {
        None
    }

    /// The task graph, if flows wait for each other; such traffic has no other flows.
    fn task_graph(&self) -> Option<Arc<dyn TaskGraph>> {
        None
    }

    /// The collective over shuffled rings, if the traffic is a collective over rings.
    fn shuffled(&self) -> Result<Option<Box<dyn CheckedTraffic>>, Diagnostic> {
        Ok(None)
    }
}

/// The network and the files that settings are checked against.
#[derive(Copy, Clone)]
pub(super) struct TrafficContext<'a> {
    pub(super) network: &'a Network,
    /// Opens the files that the scenario names.
    pub(super) files: &'a Arc<dyn Files>,
}

impl TrafficContext<'_> {
    /// The distribution of the key `sizes`; an error if its largest size is too large for the
    /// network.
    pub(super) fn sizes(&self, spec: &SizeSpec) -> Result<FlowSizes, Diagnostic> {
        let sizes = spec.validate(self.files.as_ref())?;
        self.network.check_flow_size(sizes.largest()).at("sizes")?;
        Ok(sizes)
    }
}
