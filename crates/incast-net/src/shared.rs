//! Constants of a run, shared by all nodes.

use std::sync::Arc;

use incast_cc::Needs;
use incast_diagnostic::Diagnostic;
use incast_signals::int::{IntLayout, IntWriter};
use incast_units::{Bytes, Rate, Time};

use crate::cnp::CnpConfig;
use crate::config::{AckClass, FlowControl, NetworkConfig};
use crate::diagnostics;
use crate::faults::FaultPlan;
use crate::host::NicScheduler;
use crate::marker::Ns3MarkingStreams;
use crate::measure::{CompletedBy, MeasureConfig, PacketFacts, RecordOrder};
use crate::programs::{IntWriting, SwitchProgram};
use crate::timing_errors::TimingErrors;
use crate::transport::{AckPolicy, RecoveryKind, TransferFacts};
use crate::wire::{Carried, Kind, Packet, PacketLayout, PacketParts};
use incast_signals::int::IntSource;

/// The configuration, and constants derived from it.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: NetworkConfig,
    pub(crate) layout: IntLayout,
    /// The contents of each word of a packet.
    pub(crate) words: PacketLayout,
    /// Payload of a full packet.
    pub(crate) mtu: u64,
    /// Bytes of headers of a data packet, INT and timestamp included.
    pub(crate) data_overhead: u64,
    pub(crate) ack_size: u16,
    pub(crate) cnp_size: u16,
    pub(crate) pfc_size: u16,
    /// Whether packets may be lost, or assumed lost, and sent again.
    pub(crate) lossy: bool,
    pub(crate) sends_cnps: bool,
    /// Whether ACKs collect INT themselves, and carry the number of flows at their receiver.
    pub(crate) int_on_acks: bool,
    /// Whether transmissions are numbered, as under selective repeat.
    pub(crate) numbered: bool,
    /// Whether ACKs name early packets.
    pub(crate) names_early: bool,
    /// Whether ACKs carry the number of received bytes.
    pub(crate) counts_received: bool,
    /// Whether every packet that is early, or fills a gap, is acknowledged at once.
    pub(crate) acks_early_at_once: bool,
    /// Whether all packets of a flow take one path.
    pub(crate) keeps_paths: bool,
    /// Whether packets carry their send time internally: as timestamps, or to measure round trips
    /// or latencies.
    pub(crate) stamped: bool,
    /// Start of counting round trips; [`Time::MAX`] if they are not counted.
    pub(crate) round_trips_from: Time,
    /// Whether the longest packet latency of each flow is measured.
    pub(crate) measures_packet_latency: bool,
    /// Whether the parts of each flow's FCT are summed up.
    pub(crate) breakdown: Option<CompletedBy>,
    /// Whether packets carry their time on links. They do if this time does not follow from the
    /// path of the flow's last packet, or the last packet is not known.
    pub(crate) times_links: bool,
    /// Whether senders count the feedback on each entropy.
    pub(crate) counts_entropies: bool,
    /// The order of the INT records in ACKs, if their ages are measured.
    pub(crate) measures_int_age: Option<RecordOrder>,
    /// Whether hosts have a short path for packets in order: no pause of data stops ACKs at the
    /// host, QPs take turns, and no QPs share a congestion state.
    pub(crate) has_short_path: bool,
    /// Whether hosts watch for changes of paths: with faults, because INT alone does not show such
    /// changes.
    pub(crate) watches_paths: bool,
    /// Faults of links, if any.
    pub(crate) faults: Option<Arc<FaultPlan>>,
    /// Whether any flow's limit may name a sequence number, or the bytes that may leave.
    pub(crate) limits_sequence: bool,
    /// Random streams that all switches share, if any.
    pub(crate) ns3_marking_streams: Option<Ns3MarkingStreams>,
}

/// Facts that determine the number of words of a packet, in addition to configuration and
/// measuring.
#[derive(Copy, Clone, Debug)]
pub(crate) struct WantedWords {
    /// Switches on the longest path.
    pub(crate) longest_path: usize,
    /// The fields that host programs write into packets.
    pub(crate) programs: PacketParts,
}

impl WantedWords {
    fn layout(
        self,
        parts: PacketParts,
        config: &NetworkConfig,
    ) -> Result<PacketLayout, Diagnostic> {
        let int_words = match config.int {
            IntSource::Off => 0,
            _ => self.longest_path * config.model.int_format.words_per_hop(),
        };
        let layout = PacketLayout::new(parts | self.programs, int_words);
        match parts.time_on_links && !layout.fits_two_lines() {
            true => Err(diagnostics::no_room_for_breakdown()),
            false => Ok(layout),
        }
    }
}

/// Whether hosts have a short path for packets in order.
fn has_short_path(config: &NetworkConfig) -> bool {
    config.model.nic_scheduler == NicScheduler::RoundRobin
        && !config.model.ack_pausable_at_host
        && !config.nic.shares_states()
}

/// Whether the time on links of the packet that completes a flow follows from the flow's path.
fn takes_exact_times(config: &NetworkConfig) -> bool {
    config.keeps_paths()
        && !config.recovery.has_probes()
        && config.timing_errors == TimingErrors::default()
}

/// The packet that completes a flow. `lossy`: packets may be lost. `timed`: their times on links do
/// not follow from the path.
fn completed_by(lossy: bool, timed: bool) -> CompletedBy {
    match lossy || timed {
        true => CompletedBy::Answered { timed },
        false => CompletedBy::Sent,
    }
}

impl Shared {
    pub(crate) fn new(
        config: NetworkConfig,
        measure: &MeasureConfig,
        rates: Vec<Rate>,
        nodes: usize,
        faults: Option<Arc<FaultPlan>>,
        wanted: WantedWords,
        needs: &Needs,
    ) -> Result<Self, Diagnostic> {
        if (needs.sequence_limit || needs.room) && config.nic.shares_states() {
            return Err(diagnostics::sequence_limit_of_several());
        }
        let (layout, sizes) = (int_layout(&config, rates)?, &config.packets);
        let carried = Carried::new(sizes, config.int, config.timestamps);
        let full = sizes.mtu + sizes.data_header + carried.data;
        let size = |bytes: Bytes| {
            u16::try_from(bytes.as_u64()).map_err(|_| diagnostics::packet_too_large(bytes))
        };
        size(full)?;
        let numbered = config.recovery.kind == RecoveryKind::Selective;
        let any_order = numbered && !config.recovery.loss_detection.needs_order();
        let drops = matches!(config.flow_control, FlowControl::Drop(_));
        let lossy = drops || config.recovery.timeout.is_some() || any_order;
        let watches_paths = faults.is_some() && config.int != IntSource::Off;
        let speculation = speculates(&config.programs);
        let random = config.model.marking_random;
        let changes = speculation || faults.is_some() || !takes_exact_times(&config);
        let breakdown = measure.breakdown.then(|| completed_by(lossy, changes));
        let times_links = breakdown == Some(CompletedBy::Answered { timed: true });
        let stamped = config.timestamps
            || matches!(breakdown, Some(CompletedBy::Answered { .. }))
            || measure.round_trips.is_some()
            || measure.packet_latency
            || watches_paths;
        let parts = PacketParts {
            timestamp: stamped,
            transmission: numbered,
            path: watches_paths,
            speculation,
            // These words are also used by the path of INT, and by speculative packets.
            sack: any_order && config.int == IntSource::Off && !speculation,
            received: needs.received_bytes && !speculation,
            time_on_links: times_links,
            records: false,
            credit: false,
        };
        let words = wanted.layout(parts, &config)?;
        Ok(Self {
            mtu: sizes.mtu.as_u64(),
            data_overhead: (sizes.data_header + carried.data).as_u64(),
            ack_size: size((sizes.ack + carried.ack).max(sizes.minimum))?,
            cnp_size: size(sizes.cnp)?,
            pfc_size: size(sizes.pfc_frame)?,
            lossy,
            numbered,
            names_early: parts.sack,
            counts_received: parts.received,
            acks_early_at_once: !any_order || matches!(config.acks, AckPolicy::Packets(_)),
            keeps_paths: config.keeps_paths(),
            round_trips_from: measure.round_trips.unwrap_or(Time::MAX),
            measures_packet_latency: measure.packet_latency,
            breakdown,
            times_links,
            counts_entropies: measure.entropies,
            measures_int_age: measure.int_age.then(|| record_order(config.int)),
            stamped,
            words,
            watches_paths,
            faults,
            limits_sequence: needs.sequence_limit || needs.room,
            sends_cnps: config.cnp != CnpConfig::Off,
            int_on_acks: config.int == IntSource::Acks,
            has_short_path: has_short_path(&config),
            ns3_marking_streams: Ns3MarkingStreams::new(random, config.seed, nodes),
            layout,
            config,
        })
    }
}

impl Shared {
    /// Payload bytes of a data packet.
    pub(crate) fn payload_of<const WORDS: usize>(&self, packet: &Packet<WORDS>) -> u64 {
        u64::from(packet.size()) - self.data_overhead
    }

    /// Whether a packet is a NACK for a trimmed packet. Such a NACK acknowledges no data, and its
    /// round trip is that of a header.
    pub(crate) fn tells_of_trimming<const WORDS: usize>(&self, packet: &Packet<WORDS>) -> bool {
        self.numbered && packet.is(Kind::Nack)
    }

    /// Whether switches or links may lose packets. A timeout alone does not count.
    pub(crate) fn loses_packets(&self) -> bool {
        matches!(self.config.flow_control, FlowControl::Drop(_)) || self.faults.is_some()
    }

    /// The common parameters of all transfers.
    pub(crate) fn of_transfers(&self, tag: u16) -> TransferFacts<'_> {
        let config = &self.config;
        TransferFacts {
            mtu: self.mtu,
            // Otherwise an ACK need not name all early packets, and no number of packets implies an
            // ACK.
            ack_every: match self.acks_early_at_once {
                true => config.acks.full_packets(config.packets.mtu),
                false => u32::MAX,
            },
            recovery: &config.recovery,
            balance: config.balance_of(tag),
            base_rtt: config.base_rtt,
            seed: config.seed,
            counts_entropies: self.counts_entropies,
            timeline: self.breakdown,
        }
    }

    /// Facts on packets, for the trace.
    pub(crate) fn packet_facts(&self) -> PacketFacts {
        PacketFacts {
            mtu: self.mtu,
            data_overhead: self.data_overhead,
            keeps_paths: self.keeps_paths,
        }
    }

    /// Size of a full data packet on the wire.
    pub(crate) fn full_packet(&self) -> Bytes {
        Bytes::new(self.mtu + self.data_overhead)
    }

    /// Whether ACKs travel in the data class, and hosts send them even while data are paused.
    pub(crate) fn acks_ignore_pauses(&self) -> bool {
        let model = &self.config.model;
        model.ack_class == AckClass::Data && !model.ack_pausable_at_host
    }

    /// Bytes of the largest packet, PFC frames excluded.
    pub(crate) fn largest(&self) -> u64 {
        let full = self.full_packet().as_u64();
        full.max(self.ack_size.max(self.cnp_size).into())
    }

    /// The packets into which switches write INT.
    pub(crate) fn int_writing<const WORDS: usize>(&self) -> IntWriting {
        let writer = || IntWriter::new(&self.layout, self.words.words_for_int(WORDS));
        match self.config.int {
            IntSource::Off => IntWriting::Off,
            IntSource::Data => IntWriting::OnData(writer()),
            IntSource::Acks => IntWriting::OnAcks(writer(), self.config.int_table_period),
        }
    }
}

/// The layout of INT records in a network with these rates.
fn int_layout(config: &NetworkConfig, rates: Vec<Rate>) -> Result<IntLayout, Diagnostic> {
    let count = rates.len();
    // Without INT the layout needs no rates.
    let told = match config.int {
        IntSource::Off => Vec::new(),
        _ => rates,
    };
    let layout = IntLayout::new(config.model.int_format, told);
    layout.ok_or_else(|| diagnostics::too_many_rates(count))
}

/// Whether flows start with speculative packets.
fn speculates(programs: &[SwitchProgram]) -> bool {
    let mut programs = programs.iter();
    programs.any(|program| matches!(program, SwitchProgram::OneRtt(_)))
}

fn record_order(int: IntSource) -> RecordOrder {
    match int {
        IntSource::Acks => RecordOrder::FromReceiver,
        IntSource::Off | IntSource::Data => RecordOrder::FromSender,
    }
}
