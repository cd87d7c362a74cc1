//! What every kind of traffic is: settings, which are checked, and then tell their flows.

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

/// A kind of traffic: its type holds the options, and has the methods that the table lists.
pub(crate) trait TrafficKind: Sized + 'static {
    /// Named sets of options, such as those of a paper.
    const SETS: &'static [NamedSet<Self>] = &[];
}

/// The payload that sources of open-loop traffic offer.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct OfferedLoad {
    /// The load as a fraction of the rates of the sources' NICs.
    pub load: f64,
    /// These rates, summed, in bit/s.
    pub nic_rates_bps: f64,
    /// Flows that arrive in a picosecond.
    pub flows_per_ps: f64,
    /// E\[X²\] / E\[X\]² of the sizes X of flows.
    pub size_spread: f64,
}

impl OfferedLoad {
    /// Standard deviation of the load that a seed draws, over the load: of N flows that come by
    /// Poisson's law and have sizes X it is √(E\[X²\] / (E\[X\]² · N)).
    pub fn spread(&self, duration: Time) -> f64 {
        let flows = self.flows_per_ps * duration.as_ps() as f64;
        (self.size_spread / flows).sqrt()
    }
}

/// A kind of traffic whose settings are valid.
pub(super) trait CheckedTraffic: fmt::Debug + Send + Sync {
    /// The flows, drawn from these streams.
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic>;

    /// How many flows there will be: exactly, or on average.
    fn expected_flows(&self) -> f64;

    /// From when to when flows arrive however many are under way, expected over seeds; none of
    /// traffic that is given, or waits for itself.
    fn open_loop(&self) -> Option<(Time, Time)> {
        None
    }

    /// What open-loop traffic offers to the network, expected over seeds; none of other traffic.
    fn offered_load(&self) -> Option<OfferedLoad> {
        None
    }

    /// The hosts that send or receive, in any order and perhaps several times; none if that is not
    /// known before the flows are.
    fn hosts(&self) -> Option<Vec<HostId>> {
        None
    }

    /// The tasks that it is made of, if its flows wait for each other: it has no other flows.
    fn task_graph(&self) -> Option<Arc<dyn TaskGraph>> {
        None
    }

    /// The collective over shuffled rings, if the traffic is a collective.
    fn shuffled(&self) -> Result<Option<Box<dyn CheckedTraffic>>, Diagnostic> {
        Ok(None)
    }
}

/// The network and the files that settings are checked against.
#[derive(Copy, Clone)]
pub(super) struct TrafficContext<'a> {
    pub(super) network: &'a Network,
    /// The opener of the files that the scenario names.
    pub(super) files: &'a Arc<dyn Files>,
}

impl TrafficContext<'_> {
    /// The distribution of the key `sizes`, of which the network carries every size.
    pub(super) fn sizes(&self, spec: &SizeSpec) -> Result<FlowSizes, Diagnostic> {
        let sizes = spec.validate(self.files.as_ref())?;
        self.network.check_flow_size(sizes.largest()).at("sizes")?;
        Ok(sizes)
    }
}
