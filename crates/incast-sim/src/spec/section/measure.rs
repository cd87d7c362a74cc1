//! `[measure]`: which time series a run records, beside flows and counters.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_net::{MeasureConfig, RowLimit};
use incast_topology::{Ports, Topology};
use incast_units::{NodeId, OneOf, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use super::flow_rows::WrittenRows;
use super::measuring_window::{TrafficFacts, measuring_window};
use super::named_ports::{Nodes, find_all, indices};
use super::trace::{self, PacketTraceSection};

/// The most switch ports that `auto` records one by one.
const AUTO_PORTS: usize = 64;
/// The most flows that `auto` records one by one.
const AUTO_FLOWS: f64 = 256.0;

/// The smallest limit on the rows of a series.
const MIN_ROWS: u64 = 1000;

/// Which time series to record. Totals over the network are always recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Measure")]
pub(crate) struct MeasureSection {
    /// Whether every PFC frame is recorded.
    #[schemars(extend("default" = true))]
    pub(crate) pauses: Option<bool>,
    /// Whether round trips of packets are counted; a table says from when on.
    #[schemars(extend("default" = false))]
    pub(crate) round_trips: Option<OneOf<bool, RoundTripMeasure>>,
    /// Whether the age of INT is measured when an ACK brings it to the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) int_age: Option<bool>,
    /// Whether the latency of each flow's slowest packet is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) packet_latency: Option<bool>,
    /// Whether each flow's FCT is divided into its parts, such as waiting in queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) breakdown: Option<bool>,
    /// Whether senders count the feedback on each entropy of flows that take several paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) entropies: Option<bool>,
    /// Begin of the measuring window, over which goodput, Jain's index and queues are averaged.
    /// Written, it also limits the Poisson flows of FCT statistics to those that start from here
    /// on. Default for averages: after a fifth of the time in which Poisson traffic arrives.
    /// Default for FCTs: after a third of that time. Without Poisson traffic: the begin of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<Time>,
    /// End of the measuring window, and of all samples. Default for averages: the last arrival of
    /// Poisson traffic. Default for FCTs: after two thirds of the time in which that traffic
    /// arrives. Without Poisson traffic, and for samples: the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Time>,
    /// The flows that FCT statistics count. `"steady"`: of Poisson traffic those that start in the
    /// middle third of its arrivals, of other traffic all. `"all"`: all flows. `"window"`: of all
    /// traffic, those that start from `from` to `until`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "steady"))]
    pub(crate) fct: Option<FctFlows>,
    /// The most rows that each series of queues, flows or PFC frames may have. A longer series
    /// keeps every second sample, or every fourth, and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 4_000_000))]
    pub(crate) rows: Option<u64>,
    /// The flows whose share of their max-min fair rate is computed: `"all"`, `"none"`, or `"auto"`
    /// (all if at most 256 are expected).
    #[schemars(extend("default" = "auto"))]
    pub(crate) fair_share: Option<Which>,
    /// The recording of queues of switch ports.
    pub(crate) queues: QueueMeasure,
    /// The recording of rates, windows and progress of flows.
    pub(crate) flows: FlowMeasure,
    /// Whether packets are traced; a table says which of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) packets: Option<OneOf<bool, PacketTraceSection>>,
}

/// Which round trips of packets are counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RoundTripMeasure {
    /// Round trips count if their ACK arrives at this time or later.
    pub(crate) from: Time,
}

/// Which queues are recorded one by one, and how often all queues are sampled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct QueueMeasure {
    /// The switch ports whose queues are recorded one by one: `"all"`, `"none"`, `"auto"` (all if
    /// there are at most 64), or a list such as `["switch 17 port 16", "switch 18"]`.
    #[schemars(extend("default" = "auto"))]
    pub(crate) ports: Option<OneOf<Which, Vec<String>>>,
    /// Time between two samples.
    #[schemars(extend("default" = "1us"))]
    pub(crate) every: Option<Time>,
}

/// Which flows are recorded one by one, and how often all flows are sampled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FlowMeasure {
    /// The flows that are recorded one by one: `"all"`, `"none"`, or `"auto"` (all if at most 256
    /// are expected).
    #[schemars(extend("default" = "auto"))]
    pub(crate) which: Option<Which>,
    /// Whether the probes of algorithms, which show their internal state, are recorded for all
    /// flows.
    #[schemars(extend("default" = false))]
    pub(crate) probes: Option<bool>,
    /// Time between two samples.
    #[schemars(extend("default" = "10us"))]
    pub(crate) every: Option<Time>,
    /// The flows that have a row in results: `"all"`, `"slowest 10000"`, `"sample 1 %"`, `"none"`,
    /// or `"auto"` (all where rows of all fit into memory, else the slowest 10000). Statistics
    /// always count all flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "auto"))]
    pub(crate) rows: Option<WrittenRows>,
}

/// How many ports or flows are recorded one by one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Which {
    /// All of them, if they are few.
    Auto,
    /// All.
    All,
    /// None.
    None,
}

/// The flows that FCT statistics count.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FctFlows {
    /// Of open-loop traffic, flows that start in the middle third of its arrivals, or in the
    /// measuring window that the scenario gives. Of other traffic all flows.
    #[default]
    Steady,
    /// All.
    All,
    /// Flows of any traffic that start in the measuring window.
    Window,
}

impl MeasureSection {
    /// The section with defaults: `auto` becomes all or none, by the numbers of switch ports and
    /// expected flows.
    pub(crate) fn with_defaults(self, switch_ports: usize, expected_flows: f64) -> Self {
        let few_flows = expected_flows <= AUTO_FLOWS;
        Self {
            pauses: self.pauses.or(Some(true)),
            round_trips: self.round_trips.or(Some(OneOf::Plain(bool::default()))),
            int_age: self.int_age,
            packet_latency: self.packet_latency,
            breakdown: self.breakdown,
            entropies: self.entropies,
            from: self.from,
            until: self.until,
            fct: self.fct,
            rows: self.rows,
            fair_share: Some(Which::settled(self.fair_share, few_flows)),
            queues: self.queues.with_defaults(switch_ports <= AUTO_PORTS),
            flows: self.flows.with_defaults(few_flows),
            packets: trace::with_defaults(self.packets),
        }
    }

    /// The measurements of the run.
    ///
    /// # Errors
    /// If an interval is zero, a port does not exist, or a trace or the measuring window would be
    /// empty.
    pub(crate) fn build(
        &self,
        topology: &Topology,
        ports: &Ports,
        stop: Option<Time>,
        open_loop: Option<(Time, Time)>,
    ) -> Result<MeasureConfig, Diagnostic> {
        let Self { queues, flows, .. } = self;
        self.check_fct().at("measure.fct")?;
        let flow_interval = positive(flows.every, "measure.flows.every")?;
        let context = TrafficFacts {
            open_loop,
            stop,
            every: flow_interval,
        };
        Ok(MeasureConfig {
            queue_interval: Some(positive(queues.every, "measure.queues.every")?),
            queue_ports: queues.selected(topology, ports)?,
            flow_interval: Some(flow_interval),
            flows: flows.which == Some(Which::All),
            pauses: filled_in(self.pauses),
            probes: filled_in(flows.probes),
            round_trips: match filled_in(self.round_trips.as_ref()) {
                OneOf::Plain(counted) => counted.then_some(Time::ZERO),
                OneOf::Nested(measure) => Some(measure.from),
            },
            int_age: self.int_age.unwrap_or_default(),
            packet_latency: self.packet_latency.unwrap_or_default(),
            breakdown: self.breakdown.unwrap_or_default(),
            entropies: self.entropies.unwrap_or_default(),
            packets: trace::build(&self.packets, topology, ports)?,
            row_limit: row_limit(self.rows, RowLimit::default()).at("measure.rows")?,
            until: self.until.or(stop).unwrap_or(Time::MAX),
            window: measuring_window(self.from, self.until, context)?,
        })
    }
}

impl MeasureSection {
    fn check_fct(&self) -> Result<(), Diagnostic> {
        let has_window = self.from.is_some() || self.until.is_some();
        match self.fct {
            Some(FctFlows::Window) if !has_window => Err(Diagnostic::new(
                "`window` counts the flows that start in the measuring window, but there is none",
                "write measure.from, measure.until or both; or `steady`, or `all`",
            )),
            _ => Ok(()),
        }
    }
}

/// The most rows that a series may have: the number in the scenario, or the default.
///
/// # Errors
/// If the number is too small.
pub(crate) fn row_limit(rows: Option<u64>, default: RowLimit) -> Result<RowLimit, Diagnostic> {
    let Some(rows) = rows else {
        return Ok(default);
    };
    if rows < MIN_ROWS {
        let what = format!("{rows} rows are too few for a series");
        let hint = format!("write {MIN_ROWS} or more, or sample less often");
        return Err(Diagnostic::new(what, hint));
    }
    Ok(RowLimit(usize::try_from(rows).unwrap_or(usize::MAX)))
}

impl Which {
    /// Resolves `auto`, and a missing key: all if ports or flows are few, else none.
    fn settled(written: Option<Self>, few: bool) -> Self {
        match written {
            Some(Self::All) => Self::All,
            Some(Self::None) => Self::None,
            Some(Self::Auto) | None if few => Self::All,
            Some(Self::Auto) | None => Self::None,
        }
    }
}

fn positive(interval: Option<Time>, key: &str) -> Result<Time, Diagnostic> {
    match filled_in(interval) {
        Time::ZERO => {
            let diagnostic = Diagnostic::new("samples 0 apart never end", "write e.g. \"1us\"");
            Err(diagnostic.at(key))
        }
        interval => Ok(interval),
    }
}

impl FlowMeasure {
    fn with_defaults(self, few_flows: bool) -> Self {
        Self {
            which: Some(Which::settled(self.which, few_flows)),
            probes: self.probes.or(Some(false)),
            every: self.every.or(Some(Time::from_us(10))),
            rows: self.rows.filter(|rows| *rows != WrittenRows::Auto),
        }
    }
}

impl QueueMeasure {
    fn with_defaults(self, few_ports: bool) -> Self {
        let ports = match self.ports {
            Some(OneOf::Nested(names)) => OneOf::Nested(names),
            Some(OneOf::Plain(which)) => OneOf::Plain(Which::settled(Some(which), few_ports)),
            None => OneOf::Plain(Which::settled(None, few_ports)),
        };
        Self {
            ports: Some(ports),
            every: self.every.or(Some(Time::from_us(1))),
        }
    }

    /// The indices of the ports that are recorded one by one, in order.
    fn selected(&self, topology: &Topology, ports: &Ports) -> Result<Vec<u32>, Diagnostic> {
        let switches = (topology.hosts..topology.nodes()).map(NodeId);
        match filled_in(self.ports.as_ref()) {
            OneOf::Plain(Which::All) => {
                Ok(switches.flat_map(|node| indices(node, ports)).collect())
            }
            OneOf::Plain(_) => Ok(Vec::new()),
            OneOf::Nested(names) => {
                let key = "measure.queues.ports";
                find_all(names, key, Nodes::Switches, topology, ports)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_has_room_for_a_curve() {
        let rows = |rows| row_limit(rows, RowLimit(7000)).map(|limit| limit.0);
        assert_eq!(rows(None), Ok(7000));
        assert_eq!(rows(Some(1000)), Ok(1000));
        assert_eq!(
            rows(Some(999)).unwrap_err().to_string(),
            "999 rows are too few for a series; write 1000 or more, or sample less often"
        );
    }
}
