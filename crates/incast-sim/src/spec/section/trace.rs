//! `measure.packets`: which packet events a run records.

use incast_diagnostic::Diagnostic;
use incast_net::TraceConfig;
use incast_topology::{Ports, Topology};
use incast_units::{FlowId, OneOf, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use super::named_ports::{Nodes, find_all};

/// The default limit on events: about half a gigabyte.
const LIMIT: u64 = 10_000_000;

/// Which packet events are recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PacketTrace")]
pub(crate) struct PacketTraceSection {
    /// The ports whose events are recorded: `"all"`, or a list such as `["switch 17 port 16", "host
    /// 3"]`.
    #[schemars(extend("default" = "all"))]
    pub(crate) ports: Option<OneOf<All, Vec<String>>>,
    /// The flows whose events are recorded: `"all"`, which includes PFC frames, or a list of flow
    /// numbers.
    #[schemars(extend("default" = "all"))]
    pub(crate) flows: Option<OneOf<All, Vec<u32>>>,
    /// Whether the causes of delays are recorded, too, for listed flows. `senders.parquet` then has
    /// the reason why each flow's next packet waits at its sender. The trace then also has packets
    /// of other flows that leave a port while a packet of a listed flow waits there.
    #[schemars(extend("default" = false))]
    pub(crate) causes: Option<bool>,
    /// Begin of the trace.
    #[schemars(extend("default" = "0s"))]
    pub(crate) from: Option<Time>,
    /// End of the trace, excluded. Default: the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Time>,
    /// The most events that are recorded. If there are more, the trace ends early, and results say
    /// when.
    #[schemars(extend("default" = 10_000_000))]
    pub(crate) limit: Option<u64>,
}

/// The choice of all ports or all flows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum All {
    /// All ports or all flows.
    All,
}

/// The value of `measure.packets`.
pub(crate) type TraceRequest = Option<OneOf<bool, PacketTraceSection>>;

/// The trace with all keys filled in; `None` without a trace.
pub(crate) fn with_defaults(packets: TraceRequest) -> TraceRequest {
    let trace = match packets? {
        OneOf::Plain(false) => return None,
        OneOf::Plain(true) => PacketTraceSection::default(),
        OneOf::Nested(trace) => trace,
    };
    Some(OneOf::Nested(trace.with_defaults()))
}

/// The packet trace of the run, if the scenario has one.
///
/// # Errors
/// If the trace would be empty, or names a port that does not exist.
pub(crate) fn build(
    packets: &TraceRequest,
    topology: &Topology,
    ports: &Ports,
) -> Result<Option<TraceConfig>, Diagnostic> {
    match packets {
        Some(OneOf::Nested(trace)) => trace.build(topology, ports).map(Some),
        _ => Ok(None),
    }
}

impl PacketTraceSection {
    fn with_defaults(self) -> Self {
        Self {
            ports: self.ports.or(Some(OneOf::Plain(All::All))),
            flows: self.flows.or(Some(OneOf::Plain(All::All))),
            causes: self.causes.or(Some(false)),
            from: self.from.or(Some(Time::ZERO)),
            until: self.until,
            limit: self.limit.or(Some(LIMIT)),
        }
    }

    fn build(&self, topology: &Topology, ports: &Ports) -> Result<TraceConfig, Diagnostic> {
        let from = filled_in(self.from);
        let until = self.until.unwrap_or(Time::MAX);
        if until <= from {
            let diagnostic = Diagnostic::new(
                format!("nothing happens from {from} until {until}"),
                "write a time after `from`",
            );
            return Err(diagnostic.at("measure.packets.until"));
        }
        let limit = filled_in(self.limit);
        if limit == 0 {
            let diagnostic = Diagnostic::new(
                "a trace of 0 events is none",
                "write how many to keep at most, or `packets = false`",
            );
            return Err(diagnostic.at("measure.packets.limit"));
        }
        let flows = self.flows()?;
        let causes = filled_in(self.causes);
        if causes && flows.is_none() {
            let diagnostic = Diagnostic::new(
                "what keeps flows is recorded of flows that are listed",
                "list them: `flows = [3, 17]`",
            );
            return Err(diagnostic.at("measure.packets.causes"));
        }
        Ok(TraceConfig {
            ports: self.ports(topology, ports)?,
            flows,
            causes,
            from,
            until,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
        })
    }

    fn ports(&self, topology: &Topology, ports: &Ports) -> Result<Option<Vec<u32>>, Diagnostic> {
        const KEY: &str = "measure.packets.ports";
        match filled_in(self.ports.as_ref()) {
            OneOf::Plain(All::All) => Ok(None),
            OneOf::Nested(names) if names.is_empty() => Err(none_of("ports", KEY)),
            OneOf::Nested(names) => find_all(names, KEY, Nodes::All, topology, ports).map(Some),
        }
    }

    fn flows(&self) -> Result<Option<Vec<FlowId>>, Diagnostic> {
        match filled_in(self.flows.as_ref()) {
            OneOf::Plain(All::All) => Ok(None),
            OneOf::Nested(ids) if ids.is_empty() => Err(none_of("flows", "measure.packets.flows")),
            OneOf::Nested(ids) => {
                let mut ids: Vec<FlowId> = ids.iter().copied().map(FlowId).collect();
                ids.sort_unstable();
                ids.dedup();
                Ok(Some(ids))
            }
        }
    }
}

fn none_of(what: &str, key: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        format!("a trace of no {what} is none"),
        format!("list {what}, or write \"all\""),
    );
    diagnostic.at(key)
}
