//! `[measure]`: which time series to record beside flows and counters.

use incast_diagnostic::Diagnostic;
use incast_net::MeasureConfig;
use incast_topology::{Ports, Topology};
use incast_units::{NodeId, OneOf, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use super::trace::{self, PacketTraceSection};

/// Up to so many switch ports are recorded one by one under `auto`.
const AUTO_PORTS: usize = 64;
/// Up to so many flows are recorded one by one under `auto`.
const AUTO_FLOWS: f64 = 256.0;

/// Which time series to record. Totals over the network are always recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Measure")]
pub(crate) struct MeasureSection {
    /// Whether every PFC frame is recorded.
    #[schemars(extend("default" = true))]
    pub(crate) pauses: Option<bool>,
    /// Whether the round trips of packets are counted.
    #[schemars(extend("default" = false))]
    pub(crate) round_trips: Option<bool>,
    /// Whether the age of INT is measured, when ACKs bring it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) int_age: Option<bool>,
    /// Whether the latency of each flow's slowest packet is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) packet_latency: Option<bool>,
    /// Samples end here. Default: with the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Time>,
    /// Of which flows to reckon the share of their max-min fair rate: `"all"`, `"none"`, or
    /// `"auto"` (all if at most 256 are expected).
    #[schemars(extend("default" = "auto"))]
    pub(crate) fair_share: Option<Which>,
    /// Queues of switch ports.
    pub(crate) queues: QueueMeasure,
    /// Rates, windows and progress of flows.
    pub(crate) flows: FlowMeasure,
    /// Whether every packet is traced, or which of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub(crate) packets: Option<OneOf<bool, PacketTraceSection>>,
}

/// Which queues are recorded one by one, and how often all are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct QueueMeasure {
    /// The ports: `"all"` of switches, `"none"`, `"auto"` (all if there are at most 64), or a
    /// list such as `["switch 17 port 16", "switch 18"]`.
    #[schemars(extend("default" = "auto"))]
    pub(crate) ports: Option<OneOf<Which, Vec<String>>>,
    /// Time between two samples.
    #[schemars(extend("default" = "1us"))]
    pub(crate) every: Option<Time>,
}

/// Which flows are recorded one by one, and how often all are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FlowMeasure {
    /// `"all"`, `"none"`, or `"auto"` (all if at most 256 are expected).
    #[schemars(extend("default" = "auto"))]
    pub(crate) which: Option<Which>,
    /// Whether what their algorithms show of their state is recorded, too, of all flows.
    #[schemars(extend("default" = false))]
    pub(crate) probes: Option<bool>,
    /// Time between two samples.
    #[schemars(extend("default" = "10us"))]
    pub(crate) every: Option<Time>,
}

/// How many are recorded one by one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Which {
    /// All, if they are few.
    Auto,
    /// All.
    All,
    /// None.
    None,
}

impl MeasureSection {
    /// With intervals, and with `auto` settled by how much there is to record, where keys are
    /// missing.
    pub(crate) fn with_defaults(self, switch_ports: usize, expected_flows: f64) -> Self {
        let few_flows = expected_flows <= AUTO_FLOWS;
        Self {
            pauses: self.pauses.or(Some(true)),
            round_trips: self.round_trips.or(Some(false)),
            int_age: self.int_age,
            packet_latency: self.packet_latency,
            until: self.until,
            fair_share: Some(Which::settled(self.fair_share, few_flows)),
            queues: self.queues.with_defaults(switch_ports <= AUTO_PORTS),
            flows: self.flows.with_defaults(few_flows),
            packets: trace::with_defaults(self.packets),
        }
    }

    /// What a run records.
    ///
    /// # Errors
    /// If an interval is zero, a port does not exist, or a trace can hold nothing.
    pub(crate) fn build(
        &self,
        topology: &Topology,
        ports: &Ports,
        stop: Option<Time>,
    ) -> Result<MeasureConfig, Diagnostic> {
        let Self { queues, flows, .. } = self;
        Ok(MeasureConfig {
            queue_interval: Some(positive(queues.every, "measure.queues.every")?),
            queue_ports: queues.selected(topology, ports)?,
            flow_interval: Some(positive(flows.every, "measure.flows.every")?),
            flows: flows.which == Some(Which::All),
            pauses: filled_in(self.pauses),
            probes: filled_in(flows.probes),
            round_trips: filled_in(self.round_trips),
            int_age: self.int_age.unwrap_or_default(),
            packet_latency: self.packet_latency.unwrap_or_default(),
            packets: trace::build(&self.packets, topology, ports)?,
            until: self.until.or(stop).unwrap_or(Time::MAX),
        })
    }
}

impl Which {
    /// All or none; `auto`, and a missing key, mean all if they are few.
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

    /// Port indices, in order.
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

fn indices(node: NodeId, ports: &Ports) -> impl Iterator<Item = u32> + use<> {
    let first = ports.index(node, 0);
    first..first + ports.of(node).len() as u32
}

/// Whose ports may be named.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Nodes {
    /// Those of hosts and switches.
    All,
    /// Those of switches only.
    Switches,
}

/// Indices of the ports that a list of texts at `key` means, in order, each once.
pub(super) fn find_all(
    names: &[String],
    key: &str,
    nodes: Nodes,
    topology: &Topology,
    ports: &Ports,
) -> Result<Vec<u32>, Diagnostic> {
    let mut all = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let found = find(name, nodes, topology, ports)
            .map_err(|diagnostic| diagnostic.at(format!("{key}[{index}]")))?;
        all.extend(found);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The ports that a text means: `switch 17 port 16`, perhaps with ` → host 16` after it as results
/// print it, or all of `switch 17`. A node may go by its label.
fn find(
    name: &str,
    nodes: Nodes,
    topology: &Topology,
    ports: &Ports,
) -> Result<Vec<u32>, Diagnostic> {
    let wanted = name.split('→').next().unwrap_or_default().trim();
    let (node_name, port) = match wanted.rsplit_once(" port ") {
        Some((node, port)) => (node.trim(), Some(port.trim())),
        None => (wanted, None),
    };
    let node = node(node_name, topology)?;
    if nodes == Nodes::Switches && topology.is_host(node) {
        let hint = "name a switch; a host's queue is its QPs'";
        return Err(Diagnostic::new(format!("`{wanted}` is a host"), hint));
    }
    let Some(port) = port else {
        return Ok(indices(node, ports).collect());
    };
    let count = ports.of(node).len();
    match port.parse::<u16>() {
        Ok(port) if usize::from(port) < count => Ok(vec![ports.index(node, port)]),
        _ => {
            let what = format!("`{node_name}` has no port `{port}`");
            Err(Diagnostic::new(
                what,
                format!("it has ports 0 to {}", count.saturating_sub(1)),
            ))
        }
    }
}

fn node(name: &str, topology: &Topology) -> Result<NodeId, Diagnostic> {
    let by_label = topology.labels.iter().position(|label| label == name);
    if let Some(index) = by_label {
        return Ok(NodeId(index as u32));
    }
    let number = name
        .strip_prefix("switch ")
        .or_else(|| name.strip_prefix("host "));
    let node = number
        .and_then(|number| number.trim().parse().ok())
        .map(NodeId);
    let (hosts, nodes) = (topology.hosts, topology.nodes());
    node.filter(|node| node.0 < nodes && topology.is_host(*node) == name.starts_with("host "))
        .ok_or_else(|| {
            let what = format!("there is no node `{name}`");
            let hint = match topology.switches {
                0 => "this network has no switches".to_owned(),
                _ => format!(
                    "write e.g. \"switch {hosts} port 0\"; switches are {hosts} to {}",
                    nodes - 1
                ),
            };
            Diagnostic::new(what, hint)
        })
}
