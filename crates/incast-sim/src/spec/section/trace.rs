//! `measure.packets`: which packets are traced, one by one.

use incast_diagnostic::Diagnostic;
use incast_net::TraceConfig;
use incast_topology::{Ports, Topology};
use incast_units::{FlowId, OneOf, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use super::named_ports::{Nodes, find_all};

/// Events that are kept if the scenario does not say: about half a gigabyte.
const LIMIT: u64 = 10_000_000;

/// Which packet events are recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PacketTrace")]
pub(crate) struct PacketTraceSection {
    /// At which ports: `"all"`, or a list such as `["switch 17 port 16", "host 3"]`.
    #[schemars(extend("default" = "all"))]
    pub(crate) ports: Option<OneOf<All, Vec<String>>>,
    /// Of which flows: `"all"`, PFC frames included, or a list of their numbers, without.
    #[schemars(extend("default" = "all"))]
    pub(crate) flows: Option<OneOf<All, Vec<u32>>>,
    /// Whether what keeps these flows is recorded, too: in `senders.parquet` what keeps the next
    /// packet of each at its sender, and among the packets those of other flows that leave a port
    /// while one of theirs waits there. For flows that are listed.
    #[schemars(extend("default" = false))]
    pub(crate) causes: Option<bool>,
    /// From this time on.
    #[schemars(extend("default" = "0s"))]
    pub(crate) from: Option<Time>,
    /// Before this time. Default: to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Time>,
    /// At most this many. If there are more, the trace ends early, and results say when.
    #[schemars(extend("default" = 10_000_000))]
    pub(crate) limit: Option<u64>,
}

/// No choice is made.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum All {
    /// All of them.
    All,
}

/// What `measure.packets` asks for.
pub(crate) type TraceRequest = Option<OneOf<bool, PacketTraceSection>>;

/// With every key of the trace, if there is one; no trace is no key.
pub(crate) fn with_defaults(packets: TraceRequest) -> TraceRequest {
    let trace = match packets? {
        OneOf::Plain(false) => return None,
        OneOf::Plain(true) => PacketTraceSection::default(),
        OneOf::Nested(trace) => trace,
    };
    Some(OneOf::Nested(trace.with_defaults()))
}

/// The trace, if there is one.
///
/// # Errors
/// If it can hold nothing, or names a port that does not exist.
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
