//! The configuration of a network: options, sizes, and the choices that its model leaves open.
//!
//! A *profile* names a value for every choice; the table of profiles is `spec/profile.rs` of
//! incast-sim. [`Model::standard`] and [`Model::hpcc_ns3`] are two rows of that table, for networks
//! that are built without a scenario. A test in incast-sim compares them with the table.

mod several_paths;

use incast_diagnostic::Diagnostic;
use incast_engine::TieOrder;
use incast_signals::EcnOptions;
use incast_signals::int::{IntFormat, IntSource};
use incast_topology::{Port, Ports, Topology};
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::buffer::{
    BufferConfig, Contention, DropBuffer, DropConfig, IngressLink, PfcConfig, PortBufferConfig,
};
use crate::clock::{Clock, Ties};
use crate::cnp::CnpConfig;
use crate::diagnostics;
use crate::host::{NicConfig, NicScheduler};
use crate::marker::MarkingRandom;
use crate::programs::SwitchProgram;
use crate::routing::{Balance, EcmpHash, PathChoice, Routing};
use crate::switch::PortArbitration;
use crate::timing_errors::TimingErrors;
use crate::transport::{
    AckPolicy, Backoff, LossDetection, RecoveryConfig, RecoveryKind, TimeoutOf,
};
use crate::wire::{Carried, LONGEST_HOP, PacketSizes};

/// All options of a network, except its graph and its traffic.
#[derive(Clone, Debug)]
pub struct NetworkConfig {
    /// The model's open choices.
    pub model: Model,
    /// How late packets on links are, and how slow clocks run.
    pub timing_errors: TimingErrors,
    /// The owners of limits that NICs enforce (QPs, destinations, ...), and the lifetime of QPs.
    pub nic: NicConfig,
    /// Sizes of packets and headers.
    pub packets: PacketSizes,
    /// The reaction to a full buffer.
    pub flow_control: FlowControl,
    /// The switches' shared buffer.
    pub buffer: BufferConfig,
    /// Options of ECN marking; `None`: switches do not mark.
    pub ecn: Option<EcnOptions>,
    /// The choice among equal-cost next hops.
    pub routing: Routing,
    /// How the packets of one flow are spread over its paths.
    pub balance: Balance,
    /// The balance of the flows of a traffic entry (a flow's tag), where it differs from `balance`;
    /// empty if no entry has its own.
    pub entry_balances: Vec<Option<Balance>>,
    /// Where INT comes from.
    pub int: IntSource,
    /// Refresh period of the values that switches write into ACKs; `None`: the values are live.
    pub int_table_period: Option<Time>,
    /// Which data packet of an egress port leaves next.
    pub arbitration: PortArbitration,
    /// Which packet is dropped when one finds its queue full.
    pub contention: Contention,
    /// Switch programs, in the order in which they run.
    pub programs: Vec<SwitchProgram>,
    /// Data packets carry the time at which they left.
    pub timestamps: bool,
    /// How receivers report CE marks, besides the echo in ACKs.
    pub cnp: CnpConfig,
    /// When receivers acknowledge data.
    pub acks: AckPolicy,
    /// Recovery from losses.
    pub recovery: RecoveryConfig,
    /// The largest base RTT, from which host programs compute windows; zero if they need none.
    pub base_rtt: Time,
    /// Seed of all random streams of the network.
    pub seed: u64,
}

/// The open choices of a network model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// How serialisation delays and pacing gaps are rounded.
    pub clock: Clock,
    /// The order of events of one node at the same time.
    pub ties: Ties,
    /// How a flow picks one of several equal-cost next hops.
    pub ecmp: EcmpHash,
    /// The class of ACKs and NACKs.
    pub ack_class: AckClass,
    /// Whether a pause of the data class also stops the ACKs of a host's NIC.
    pub ack_pausable_at_host: bool,
    /// Fields of INT records.
    pub int_format: IntFormat,
    /// Order in which a NIC serves its QPs.
    pub nic_scheduler: NicScheduler,
    /// Where the random numbers of marking come from.
    pub marking_random: MarkingRandom,
}

impl Model {
    /// A careful model of today's hardware (profile `default`).
    pub fn standard() -> Self {
        Self {
            clock: Clock::Picoseconds,
            ties: Ties::Port,
            ecmp: EcmpHash::Mixed,
            ack_class: AckClass::Control,
            ack_pausable_at_host: false,
            int_format: IntFormat::quantised(1, 16),
            nic_scheduler: NicScheduler::RoundRobin,
            marking_random: MarkingRandom::Own,
        }
    }

    /// Transmission time of a packet of `size` over a link of this rate.
    pub fn transmission_time(&self, size: Bytes, rate: Rate) -> Time {
        self.clock.time_on_link(self.ties, size, rate)
    }

    /// The model of the ns-3 artifact of HPCC, SIGCOMM 2019 (profile `hpcc-ns3`).
    pub fn hpcc_ns3(int_multiplier: u64, ack_high_priority: bool) -> Self {
        Self {
            clock: Clock::Nanoseconds,
            ties: Ties::Insertion,
            ecmp: EcmpHash::Murmur3,
            ack_class: AckClass::Data,
            ack_pausable_at_host: !ack_high_priority,
            int_format: IntFormat::quantised(int_multiplier as u32, 17),
            nic_scheduler: NicScheduler::LinearScan,
            marking_random: MarkingRandom::Ns3,
        }
    }
}

impl NetworkConfig {
    /// The standard model and sizes, a buffer of 32 MiB, ECMP, an ACK for each packet and go-back-N
    /// without a timeout; no signals, and no programs. For networks that are made without a
    /// scenario.
    pub fn standard(flow_control: FlowControl) -> Self {
        Self {
            model: Model::standard(),
            timing_errors: TimingErrors::default(),
            nic: NicConfig::default(),
            packets: PacketSizes::default(),
            flow_control,
            buffer: BufferConfig {
                size: Bytes::new(32 << 20),
                reserve: Bytes::new(4096),
            },
            ecn: None,
            routing: Routing::Ecmp,
            balance: Balance::default(),
            entry_balances: Vec::new(),
            int: IntSource::Off,
            int_table_period: None,
            arbitration: PortArbitration::Fifo,
            contention: Contention::default(),
            programs: Vec::new(),
            timestamps: false,
            cnp: CnpConfig::Off,
            acks: AckPolicy::Packets(1),
            recovery: RecoveryConfig {
                kind: RecoveryKind::GoBackN,
                loss_detection: LossDetection::default(),
                nack_interval: Time::from_us(50),
                timeout: None,
                timeout_of: TimeoutOf::Flow,
                backoff: Backoff::default(),
            },
            base_rtt: Time::ZERO,
            seed: 1,
        }
    }

    /// Whether switches trim data packets that find no room.
    pub fn trims(&self) -> bool {
        matches!(
            &self.flow_control,
            FlowControl::Drop(DropConfig::PerPort(PortBufferConfig {
                trimming: Some(_),
                ..
            }))
        )
    }

    /// The rule by which switches pick one of several next hops.
    pub fn path_choice(&self) -> PathChoice {
        match self.routing {
            Routing::Ecmp => PathChoice::Ecmp(self.model.ecmp),
            Routing::SymmetricEcmp => PathChoice::SymmetricEcmp,
            Routing::SpanningTrees => PathChoice::SpanningTrees,
        }
    }

    /// The order of simultaneous arrivals at a node, in windows; the `nics` NICs are `hosts` nodes
    /// of the engine.
    pub(crate) fn tie_order(&self, nics: u32, hosts: u32) -> TieOrder {
        match self.model.ties {
            Ties::Port | Ties::Insertion => TieOrder::ByPort,
            Ties::Hash => TieOrder::hashed(self.seed, nics, hosts),
        }
    }

    /// Whether all packets of a flow take one path: its sender keeps the entropy, and switches
    /// choose by entropy alone.
    pub fn keeps_paths(&self) -> bool {
        self.balances()
            .all(|balance| self.keeps_path_under(balance))
    }

    /// Whether all packets of a flow of this traffic entry take one path.
    pub fn keeps_path_of(&self, tag: u16) -> bool {
        self.keeps_path_under(self.balance_of(tag))
    }

    /// Whether all packets of a flow take one path under this balance.
    fn keeps_path_under(&self, balance: &Balance) -> bool {
        balance.keeps_path() && self.path_choice().is_stateless()
    }

    /// The balance of a flow of this traffic entry.
    pub fn balance_of(&self, tag: u16) -> &Balance {
        let own = self.entry_balances.get(usize::from(tag));
        own.and_then(Option::as_ref).unwrap_or(&self.balance)
    }

    /// All balances that flows may have.
    fn balances(&self) -> impl Iterator<Item = &Balance> {
        let own = self.entry_balances.iter();
        let of_entries = own.map(|own| own.as_ref().unwrap_or(&self.balance));
        let of_all = self.entry_balances.is_empty().then_some(&self.balance);
        of_entries.chain(of_all)
    }

    /// Checks the delays of links. Windows are as long as the smallest delay, in clock units. The
    /// arrival time in a packet is at most 70 s ahead.
    ///
    /// # Errors
    /// A link that is too short or too slow.
    pub fn check_delays(&self, ports: &Ports) -> Result<(), Diagnostic> {
        let tick = self.model.clock.unit();
        for port in ports.iter() {
            if port.delay < tick {
                return Err(diagnostics::delay_too_short(port.delay, tick));
            }
            self.check_link(port.rate, port.delay)?;
        }
        Ok(())
    }

    /// Checks that timing errors are small enough, and that the model's clock can express them.
    ///
    /// # Errors
    /// The timing error that is out of range.
    pub fn check_timing_errors(&self) -> Result<(), Diagnostic> {
        self.timing_errors.check(self.model.clock)
    }

    /// Checks that a packet's time on a link fits the arrival time in the packet.
    pub(crate) fn check_link(&self, rate: Rate, delay: Time) -> Result<(), Diagnostic> {
        let sending = self.model.transmission_time(self.full_packet(), rate);
        let later = self.timing_errors.latest(sending);
        let hop = sending.saturating_add(later).saturating_add(delay);
        match hop > LONGEST_HOP {
            true => Err(diagnostics::link_too_slow(rate, delay, hop)),
            false => Ok(()),
        }
    }

    /// The link by which packets arrive at this port of a switch.
    pub fn ingress_link(&self, port: &Port, topology: &Topology) -> IngressLink {
        let before_pause = self.packets.before_pause();
        let sending = self.model.transmission_time(before_pause, port.rate);
        let peer_is_nic = topology.is_host(port.peer);
        let link = &topology.links[port.link as usize];
        let [from_a, from_b] = link.rates();
        let arriving = if link.a == port.peer { from_a } else { from_b };
        IngressLink {
            rate: port.rate,
            arriving,
            delay: port.delay,
            later: self.timing_errors.later_pause(peer_is_nic, sending),
        }
    }

    /// Checks that switches that may drop let a full packet into an empty buffer.
    ///
    /// # Errors
    /// The limit that is smaller than the packet.
    pub fn check_drops(&self) -> Result<(), Diagnostic> {
        match &self.flow_control {
            FlowControl::Drop(drop) => DropBuffer::check(&self.buffer, drop, self.full_packet()),
            FlowControl::Pfc(_) => Ok(()),
        }
    }

    /// A full data packet on the wire.
    pub fn full_packet(&self) -> Bytes {
        let carried = Carried::new(&self.packets, self.int, self.timestamps);
        self.packets.mtu + self.packets.data_header + carried.data
    }
}

/// The class in which ACKs travel.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckClass {
    /// A class of their own, ahead of data, never paused.
    Control,
    /// The class of data: ACKs are queued, counted and paused as data.
    Data,
}

/// The reaction to a full buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowControl {
    /// Priority flow control: pause the sender before anything is lost.
    Pfc(PfcConfig),
    /// Drop; senders recover.
    Drop(DropConfig),
}
