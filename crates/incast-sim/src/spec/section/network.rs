//! `[network]`: the graph, and how packets cross it.

use std::path::Path;

use incast_cc::Needs;
use incast_diagnostic::{Diagnostic, Placed};
use incast_net::{
    AckPolicy, Balance, Carried, CnpConfig, Contention, FlowControl, HostProgramSpec, IntSource,
    PacketSizes, PortArbitration, RecoveryKind, Routing, SwitchProgram,
};
use incast_signals::{CreditOptions, EcnOff, EcnOptions, ProgramOptions as _};
use incast_topology::{NextHopOrder, Routes, Topology};
use incast_units::{Bytes, OneOf, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ack_every::AckEvery;
use super::buffers::{BufferSection, FlowControlKind, PfcSection};
use super::drops::{DropSection, Sharing};
use super::filled_in;
use super::jitter::JitterSection;
use super::model::ModelSection;
use super::packets::PacketsSection;
use super::queue_limit::Bdp;
use super::recovery::{Losing, RecoverySection, needs_timeout};
use super::topology::TopologySection;
use crate::spec::base_rtt::RttFormula;
use crate::spec::profile::{Choices, Profile};

/// The network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Network")]
pub(crate) struct NetworkSection {
    /// The named set of model choices; `[network.model]` changes single choices.
    #[serde(default)]
    pub(crate) profile: Profile,
    /// The reaction to a full buffer.
    #[serde(default)]
    pub(crate) flow_control: FlowControlKind,
    /// The pair of hosts whose base RTT and window are given to a flow's congestion control.
    #[serde(default)]
    pub(crate) base_rtt: BaseRttScope,
    /// The largest base RTT. Its window is this time at the rate of hosts. Default: the largest
    /// base RTT of any pair of hosts, on its longest path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) largest_base_rtt: Option<Time>,
    /// Receivers send one ACK for this many data packets, and one for the last packet. Or they send
    /// one for this many bytes on the wire, and sooner where Ultra Ethernet does: for marks, first
    /// packets of flows, duplicates, and packets that ask for an ACK. Default: 1, or as the
    /// algorithm needs it; under profile `uet-htsim` 16 KiB.
    #[serde(default)]
    pub(crate) ack_every: Option<AckEvery>,
    /// How packets are routed where there are several paths. Default: `symmetric-ecmp` if the
    /// algorithm needs ACKs on the path of their data, else `ecmp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) routing: Option<Routing>,
    /// How the packets of one flow are spread over its paths, by the entropies that the sender
    /// gives to packets. Default: `flow`, all packets take one path; under profile `uet-htsim`
    /// `mixed`.
    #[serde(default, skip_serializing_if = "Balance::keeps_path")]
    pub(crate) balance: Balance,
    /// Which data packet leaves next at every egress port of a switch: the one that came first, or
    /// one packet of each ingress port in turn.
    #[serde(default, skip_serializing_if = "PortArbitration::is_fifo")]
    pub(crate) arbitration: PortArbitration,
    /// The order of equal-cost next hops; a hash picks a position in it. `default`: by-port;
    /// `hpcc-ns3`: descending-node; under symmetric ECMP: ascending-node.
    #[serde(default)]
    pub(crate) next_hop_order: Option<NextHopOrder>,
    /// Which packets carry INT. Default: `data` or `acks` as the algorithm needs it, else `off`.
    #[serde(default)]
    pub(crate) int: Option<IntSource>,
    /// With INT on ACKs: how often switches refresh the values that they write. Default: the values
    /// are always current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) int_table_period: Option<Time>,
    /// Whether data packets carry the time at which they left the sender. Default: if the algorithm
    /// needs it.
    #[serde(default)]
    pub(crate) timestamps: Option<bool>,
    /// The shortest time between two CNPs of a flow, by which receivers report marks. Default: no
    /// CNPs, or as the algorithm needs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cnp_interval: Option<Time>,
    /// The delay of every link, in place of the delays in the topology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) link_delay: Option<Time>,
    /// The rate of hosts' links, in place of the rate in the topology. Links between switches keep
    /// their ratio to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) link_rate: Option<Rate>,
    /// Random extra delays of data packets that leave NICs and switches. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) jitter: Option<JitterSection>,
    /// The most by which clocks are slow, in parts per million. Transmissions take longer by the
    /// same factor. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1000))]
    pub(crate) clock_ppm: Option<u32>,
    /// The graph: a name, a kind with its parameters, or a file.
    pub(crate) topology: TopologySection,
    /// The number of planes: separate copies of the network, in each of which every host has a NIC.
    /// Default: 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 64))]
    pub(crate) planes: u32,
    /// Sizes on the wire.
    #[serde(default)]
    pub(crate) packets: PacketsSection,
    /// The switches' packet buffer.
    #[serde(default)]
    pub(crate) buffer: BufferSection,
    /// Priority flow control, with `flow_control = "pfc"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pfc: Option<PfcSection>,
    /// Admission to the buffer, with `flow_control = "none"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drop: Option<DropSection>,
    /// Which packets switches mark. Default: `"off"`, or as the algorithm needs it. Under profile
    /// `uet-htsim`: between 0.2 and 0.8 BDP, except at the last hop where receivers grant credit.
    #[serde(default)]
    pub(crate) ecn: Option<OneOf<EcnOff, EcnOptions>>,
    /// Recovery from losses.
    #[serde(default)]
    pub(crate) recovery: RecoverySection,
    /// Choices on which network models differ.
    #[serde(default)]
    pub(crate) model: ModelSection,
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

/// The pair of hosts whose base RTT is given to a flow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BaseRttScope {
    /// The pair with the largest base RTT of the network, for every flow.
    #[default]
    Global,
    /// The flow's own pair of hosts.
    Path,
}

/// The signals that algorithms get, beside those of every ACK.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signals {
    pub(crate) int: IntSource,
    pub(crate) programs: Vec<SwitchProgram>,
    pub(crate) timestamps: bool,
    pub(crate) ecn: Option<EcnOptions>,
    pub(crate) cnp: CnpConfig,
}

/// Facts of the switches that marking depends on.
pub(crate) struct MarkingFacts<'t> {
    /// The rates of the switches' ports, each once, in order.
    pub(crate) port_rates: Vec<Rate>,
    /// The tiers of the switches, each once; `None` stands for switches without a tier.
    pub(crate) tiers: Vec<Option<&'t str>>,
}

impl NetworkSection {
    /// The section with the profile's choices, and the algorithm's needs, for missing keys.
    /// Recovery is left to [`with_recovery`](Self::with_recovery).
    pub(crate) fn with_defaults(self, needs: &Needs, nic_rate: Rate) -> Self {
        let choices = self.profile.choices();
        let symmetric = needs.int == IntSource::Acks
            || build_programs(needs).is_ok_and(|programs| {
                let mut demands = programs.iter().map(SwitchProgram::demands);
                demands.any(|demands| demands.symmetric_paths)
            });
        let routing = self.routing.or(symmetric.then_some(Routing::SymmetricEcmp));
        let buffer = self.buffer.with_defaults(nic_rate);
        let packets = self.packets.with_defaults(choices);
        let (pfc, drop) = match self.flow_control {
            FlowControlKind::Pfc => {
                let pfc = self.pfc.unwrap_or_default().with_defaults(choices);
                (Some(pfc), self.drop)
            }
            FlowControlKind::None => {
                let (drop, size) = (self.drop.unwrap_or_default(), filled_in(buffer.size));
                let packet = filled_in(packets.mtu) + filled_in(packets.data_header);
                (
                    self.pfc,
                    Some(drop.with_defaults(&choices.drop, size, packet)),
                )
            }
        };
        Self {
            routing,
            next_hop_order: self
                .next_hop_order
                .or(Some(next_hop_order(routing, choices))),
            ack_every: self
                .ack_every
                .or(Some(AckEvery::needed(needs, choices.ack_every))),
            int: self.int.or(Some(needs.int)),
            timestamps: self.timestamps.or(Some(needs.timestamp)),
            cnp_interval: self.cnp_interval.or(needs.cnp),
            packets,
            buffer,
            pfc,
            drop,
            ecn: Some(ecn_with_defaults(self.ecn, needs, choices.ecn)),
            model: self.model.with_defaults(choices, nic_rate),
            ..self
        }
    }

    /// The section with defaults of recovery, for a network with these BDPs.
    pub(crate) fn with_recovery(self, links: Losing, bdp: &Bdp, needs: &Needs) -> Self {
        let choices = &self.profile.choices().recovery;
        let trims = self.trims();
        let drop = self.drop.as_ref();
        let queue = drop.filter(|drop| drop.sharing == Some(Sharing::PerPort));
        let queue = queue.map(|drop| bdp.with_leaving_packet(filled_in(drop.queue_limit)));
        let queue = queue.map(|queue| bdp.nic_rate.transmission_time(queue));
        let timeout = choices.timeout.timeout(bdp.rtt, queue);
        let every = filled_in(self.ack_every);
        let timeout = needs_timeout(self.flow_control, links, every).then_some(timeout);
        let mut recovery = self.recovery;
        if trims && self.flow_control == FlowControlKind::None {
            recovery = recovery.with_trimming();
        }
        Self {
            recovery: recovery.with_defaults(choices, self.flow_control, timeout, needs),
            ..self
        }
    }

    /// The graph.
    ///
    /// # Errors
    /// If the graph cannot be built or read, or its links cannot have the delay and rate of the
    /// section.
    pub(crate) fn build_topology(&self, folder: &Path) -> Result<Topology, Diagnostic> {
        let plane = self
            .topology
            .build(folder, self.link_delay, self.link_rate)?;
        let network = plane.in_planes(self.planes).at("network.planes")?;
        if self.routing == Some(Routing::SpanningTrees) && !network.is_connected() {
            let what = "no tree spans planes that are apart";
            let wrong = Diagnostic::new(what, "write \"ecmp\", or leave it out");
            return Err(wrong.at("network.routing"));
        }
        Ok(network)
    }

    /// The order of equal-cost next hops.
    pub(crate) fn order_of_next_hops(&self) -> NextHopOrder {
        filled_in(self.next_hop_order)
    }

    /// The routes between hosts.
    pub(crate) fn build_routes(&self, topology: &Topology) -> Routes {
        let order = self.order_of_next_hops();
        match self.build_routing() {
            Routing::Ecmp | Routing::SymmetricEcmp => Routes::shortest(topology, order),
            Routing::SpanningTrees => Routes::spanning_trees(topology, order),
        }
    }

    /// When receivers acknowledge data.
    pub(crate) fn acks(&self) -> AckPolicy {
        filled_in(self.ack_every).into()
    }

    /// How packets are routed.
    pub(crate) fn build_routing(&self) -> Routing {
        self.routing.unwrap_or_default()
    }

    /// The flow control of the run.
    ///
    /// # Errors
    /// If the section of this flow control is invalid, or there is a section for another flow
    /// control.
    pub(crate) fn build_flow_control(&self, bdp: &Bdp) -> Result<FlowControl, Diagnostic> {
        match self.flow_control {
            FlowControlKind::Pfc if self.trims() => Err(without_effect(
                "network.drop.trimming",
                "pfc",
                "every packet finds room",
            )),
            FlowControlKind::Pfc if self.drop.is_some() => Err(without_effect(
                "network.drop",
                "pfc",
                "nothing is ever dropped",
            )),
            FlowControlKind::None if self.pfc.is_some() => Err(without_effect(
                "network.pfc",
                "none",
                "no port is ever paused",
            )),
            FlowControlKind::Pfc => filled_in(self.pfc.as_ref()).build().map(FlowControl::Pfc),
            FlowControlKind::None => {
                let drop = filled_in(self.drop.as_ref()).build(bdp)?;
                Ok(FlowControl::Drop(drop))
            }
        }
    }

    /// Whether the scenario makes switches trim packets.
    fn trims(&self) -> bool {
        self.drop.as_ref().is_some_and(DropSection::trims)
    }

    /// Which packet is dropped when a packet finds its queue full; under PFC no packet ever is.
    pub(crate) fn contention(&self) -> Contention {
        let drop = self.drop.as_ref();
        drop.and_then(|drop| drop.contention).unwrap_or_default()
    }

    /// The signals that algorithms get. `algorithms`: the name and needs of each; `together`: the
    /// needs of all.
    ///
    /// # Errors
    /// If the scenario switches off a signal that an algorithm needs, or signals contradict each
    /// other.
    pub(crate) fn build_signals(
        &self,
        algorithms: &[(&str, &Needs)],
        together: &Needs,
        switches: &MarkingFacts<'_>,
        packets: &PacketSizes,
    ) -> Result<Signals, Diagnostic> {
        let every = filled_in(self.ack_every);
        every.check().at("network.ack_every")?;
        for (name, needs) in algorithms {
            self.check_needs(name, needs)?;
        }
        let int = self.build_int()?;
        let timestamps = filled_in(self.timestamps);
        let carried = Carried::new(packets, int, timestamps);
        let packet = packets.mtu + packets.data_header + carried.data;
        let ecn = self.build_ecn(switches, packet)?;
        Ok(Signals {
            int,
            programs: build_programs(together)?,
            timestamps,
            cnp: self.build_cnp(ecn.as_ref())?,
            ecn,
        })
    }

    /// Checks that the scenario does not switch off a signal that an algorithm needs.
    fn check_needs(&self, algorithm: &str, needs: &Needs) -> Result<(), Diagnostic> {
        let missing = |key: &str, what: &str, hint: &str| {
            let what = format!("algorithm `{algorithm}` needs {what}");
            Err(Diagnostic::new(what, hint).at(key))
        };
        if needs.per_packet_ack && filled_in(self.ack_every) != AckEvery::Packets(1) {
            return missing("network.ack_every", "one ACK per packet", "write 1");
        }
        if needs.selective_repeat && self.recovery.kind == Some(RecoveryKind::GoBackN) {
            let hint = "write \"selective\", or leave it out";
            return missing("network.recovery.kind", "selective repeat", hint);
        }
        let source = filled_in(self.int);
        if needs.int != IntSource::Off && source != needs.int {
            let (what, hint) = match (needs.int, source) {
                (IntSource::Acks, _) => ("INT on ACKs", "write \"acks\", or leave it out"),
                (_, IntSource::Acks) => ("INT on data", "write \"data\", or leave it out"),
                _ => ("INT", "write \"data\", or leave it out"),
            };
            return missing("network.int", what, hint);
        }
        if needs.timestamp && !filled_in(self.timestamps) {
            let hint = "write true, or leave it out";
            return missing("network.timestamps", "timestamps", hint);
        }
        match self.ecn {
            Some(OneOf::Plain(EcnOff::Off)) if needs.ecn.is_some() => {
                let hint = "leave it out, or give thresholds";
                missing("network.ecn", "ECN marks", hint)
            }
            _ => Ok(()),
        }
    }

    fn build_int(&self) -> Result<IntSource, Diagnostic> {
        let source = filled_in(self.int);
        let wrong = match self.int_table_period {
            Some(Time::ZERO) if source == IntSource::Acks => Diagnostic::new(
                "a table that is refreshed all the time",
                "leave it out for that, or write e.g. \"1us\"",
            ),
            Some(_) if source != IntSource::Acks => Diagnostic::new(
                "has no effect unless switches write INT into ACKs",
                "remove it, or write network.int = \"acks\"",
            ),
            _ => return Ok(source),
        };
        Err(wrong.at("network.int_table_period"))
    }

    fn build_ecn(
        &self,
        switches: &MarkingFacts<'_>,
        packet: Bytes,
    ) -> Result<Option<EcnOptions>, Diagnostic> {
        match filled_in(self.ecn.as_ref()) {
            OneOf::Nested(options) => {
                // The BDP is not known yet, so a BDP of 1000 packets stands for it.
                let sized = options.clone().with_bdp(packet * 1_000);
                let ports = sized.check(&switches.port_rates, packet);
                let tiers = ports.and_then(|()| sized.check_tiers(&switches.tiers, packet));
                tiers.at("network.ecn")?;
                Ok(Some(options.clone()))
            }
            OneOf::Plain(EcnOff::Off) => Ok(None),
        }
    }

    fn build_cnp(&self, ecn: Option<&EcnOptions>) -> Result<CnpConfig, Diagnostic> {
        match self.cnp_interval {
            None => Ok(CnpConfig::Off),
            Some(_) if ecn.is_none() => {
                let diagnostic = Diagnostic::new(
                    "no packet is marked, so no CNP would ever be sent",
                    "remove it, or switch marking on with [network.ecn]",
                );
                Err(diagnostic.at("network.cnp_interval"))
            }
            Some(interval) => Ok(CnpConfig::Interval(interval)),
        }
    }

    /// The formula of base RTTs, with packet sizes.
    pub(crate) fn base_rtt_formula(&self, packets: &PacketSizes, signals: &Signals) -> RttFormula {
        let carried = Carried::new(packets, signals.int, signals.timestamps);
        let data = packets.mtu + packets.data_header + carried.data;
        let ack = (packets.ack + carried.ack).max(packets.minimum);
        let formula = self.profile.choices().base_rtt;
        formula.with_sizes(packets.mtu, data, ack)
    }
}

/// The switch programs that the algorithm asks for. Also checks that its host programs exist.
fn build_programs(needs: &Needs) -> Result<Vec<SwitchProgram>, Diagnostic> {
    HostProgramSpec::all_requested(needs).at("cc.algorithm")?;
    let programs = needs.programs.iter().map(SwitchProgram::requested);
    programs.collect::<Result<_, _>>().at("cc.algorithm")
}

/// The order of next hops by default. The paths of symmetric ECMP are symmetric only if next hops
/// have a consistent order.
fn next_hop_order(routing: Option<Routing>, choices: &Choices) -> NextHopOrder {
    match routing {
        Some(Routing::SymmetricEcmp) => NextHopOrder::AscendingNode,
        _ => choices.next_hop_order,
    }
}

fn ecn_with_defaults(
    written: Option<OneOf<EcnOff, EcnOptions>>,
    needs: &Needs,
    of_profile: Option<&EcnOptions>,
) -> OneOf<EcnOff, EcnOptions> {
    let recommended = of_profile.or(needs.ecn);
    let mut options = match (written, recommended) {
        (Some(OneOf::Plain(EcnOff::Off)), _) | (None, None) => return OneOf::Plain(EcnOff::Off),
        (Some(OneOf::Nested(options)), _) => options,
        (None, Some(_)) => EcnOptions::default(),
    };
    // Receivers that grant credit control the last hop; marks then only steer the choice of paths.
    let mut programs = needs.host_programs.iter();
    if of_profile.is_some() && programs.any(|program| program.name == CreditOptions::PROGRAM) {
        options.last_hop = options.last_hop.or(Some(false));
    }
    OneOf::Nested(options.with_defaults(recommended.unwrap_or(EcnOptions::HPCC_ARTIFACT)))
}

fn without_effect(key: &str, flow_control: &str, why: &str) -> Diagnostic {
    let what = format!("has no effect with flow_control = \"{flow_control}\": {why}");
    Diagnostic::new(what, "remove the section, or change network.flow_control").at(key)
}
