//! The state of the requests of one host's flows: the place of each, the time of the next one, and
//! its contents.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_cc::ControlReply;
use incast_signals::RateRequestOptions;
use incast_signals::s_perc::{CONTROL_PACKET, CompactRate, ControlRecord, UNIT_WEIGHT, weight};
use incast_units::{NodeId, Rate, Time};

use super::speculation::{Speculating, Speculations};
use super::weight_averages::WeightAverages;
use crate::clock::Clock;
use crate::flow::Flow;
use crate::host::flow_table::FlowTable;
use crate::host::programs::HostFacts;
use crate::measure::MeanWeight;
use crate::programs::s_perc::link::{LinkShares, LinkState};
use crate::programs::{OverAllocated, SwitchProgram};
use crate::wire::{Address, Kind, Packet, Pass};

/// The rate requests of one host.
#[derive(Clone, Debug)]
pub(super) struct RateRequests {
    /// The host.
    pub(super) node: NodeId,
    options: RateRequestOptions,
    /// State of the NIC's own link, where each link computes rates.
    link: Option<LinkState>,
    /// RTT from which demands are computed.
    rtt: Time,
    clock: Clock,
    /// Whether a leave request follows the last packet of a flow, rather than its last ACK.
    pub(super) leaves_when_sent: bool,
    flows: FlowTable<RequestingFlow>,
    /// Time and flow of next requests. An entry is stale unless the flow's `place` has this time.
    due: BinaryHeap<Reverse<(Time, u32)>>,
    /// Flows that have started and whose last ACK has not arrived: n, the divisor of weights.
    connections: u64,
    speculations: Option<Speculations>,
    /// Mean weights of flows; `None` if flows have no weights.
    weight_averages: Option<WeightAverages>,
}

/// The rate requests of a flow.
#[derive(Clone, Debug)]
struct RequestingFlow {
    destination: u32,
    source_port: u16,
    /// The record of the flow's last request or reply.
    words: [u64; ControlRecord::WORDS],
    /// When the last request left.
    sent_at: Time,
    place: PacketPlace,
    /// Whether the flow's next request is a leave request.
    is_leaving: bool,
    speculation: Option<Speculating>,
}

/// Where a flow's request or reply is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum PacketPlace {
    InFlight,
    /// The packet is at this host; the next request is due at this time.
    AtHost(Time),
}

/// The contents of a rate reply for the QP of its flow.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Returned {
    pub(super) reply: ControlReply,
    /// After speculation: the PSN from which data are sent on.
    pub(super) resumes_at: Option<u32>,
    /// Whether this is the flow's first reply, from which on data may leave.
    pub(super) is_first: bool,
}

impl RateRequests {
    pub(super) fn new(options: RateRequestOptions, host: &HostFacts<'_>) -> Self {
        let shared = host.shared;
        let (mut link, mut speculations, mut rtt) = (None, None, Time::ZERO);
        for program in &shared.config.programs {
            match program {
                SwitchProgram::SPerc(options) => {
                    link = Some(LinkState::new(host.rate, &LinkShares::from(options)));
                    rtt = options.rtt.unwrap_or_default();
                }
                SwitchProgram::OneRtt(options) => {
                    let seed = shared.config.seed;
                    speculations = Some(Speculations::new(options, host.node, seed));
                }
                _ => {}
            }
        }
        Self {
            node: host.node,
            options,
            link,
            rtt,
            clock: shared.config.model.clock,
            leaves_when_sent: !shared.loses_packets(),
            flows: FlowTable::default(),
            due: BinaryHeap::new(),
            connections: 0,
            speculations,
            weight_averages: options.weights.then(WeightAverages::default),
        }
    }

    /// A flow starts; called before all other methods for this flow.
    pub(super) fn open_connection(&mut self, flow: u32, now: Time) {
        if let Some(weights) = &mut self.weight_averages {
            weights.begin(flow, self.connections, now);
        }
        if let Some(speculations) = &mut self.speculations {
            speculations.note_connections(self.connections, now);
        }
        self.connections += 1;
    }

    /// The last ACK of a flow has arrived. Returns its mean weight.
    pub(super) fn close_connection(&mut self, flow: u32, now: Time) -> Option<MeanWeight> {
        let weights = self.weight_averages.as_mut();
        let mean = weights.and_then(|weights| weights.end(flow, self.connections, now));
        if let Some(speculations) = &mut self.speculations {
            speculations.note_connections(self.connections, now);
        }
        self.connections -= 1;
        mean
    }

    /// n: open connections, by which weights are divided; 1 without weights.
    pub(super) fn weight_divisor(&self) -> u16 {
        match self.options.weights {
            true => u16::try_from(self.connections).unwrap_or(u16::MAX).max(1),
            false => 1,
        }
    }

    /// Prepares the first request of a flow whose connection is open.
    pub(super) fn start(&mut self, flow: &Flow, speculates: bool, now: Time) {
        let mut words = [0; ControlRecord::WORDS];
        let mut record = ControlRecord::new(&mut words);
        match self.link {
            Some(_) => record.begin(),
            None => record.begin_without_links(),
        }
        let speculations = self.speculations.as_mut().filter(|_| speculates);
        let speculation = speculations.map(|all| all.begin(self.connections, now));
        if let Some(speculation) = &speculation {
            record.set_speculative_connections(speculation.connections());
        }
        let requesting = RequestingFlow {
            destination: flow.destination.0,
            source_port: flow.source_port,
            words,
            sent_at: now,
            place: PacketPlace::AtHost(now),
            is_leaving: false,
            speculation,
        };
        self.flows.insert(flow.id.0, requesting);
    }

    /// The next request of a flow that has this many bytes on the wire left to send. The request
    /// counts as sent.
    pub(super) fn request<const WORDS: usize>(
        &mut self,
        number: u32,
        bytes: u64,
        now: Time,
    ) -> Result<Packet<WORDS>, OverAllocated> {
        let connections = self.weight_divisor();
        let demand = match self.options.host_demand {
            true => demand(bytes, connections, self.rtt),
            false => CompactRate::UNLIMITED,
        };
        let speculations = self.speculations.as_ref();
        let sent_at = speculations.map_or(now, |all| all.clock().read(now));
        let (_, flow) = self.flows.find(number).expect("the flow sends requests");
        let mut record = ControlRecord::new(&mut flow.words);
        record.begin_trip(connections, demand, sent_at);
        if flow.is_leaving {
            record.leave();
        }
        let leaves = record.leaves();
        if let Some(link) = &mut self.link {
            link.process(&mut record, 0, Pass::Forward, now)?;
        }
        let address = Address::new(self.node.0, flow.destination, flow.source_port);
        let packet = Packet::new(Kind::RateRequest, CONTROL_PACKET.as_u64() as u16);
        let mut packet = packet.of_flow(number, 0, address);
        packet.words[..ControlRecord::WORDS].copy_from_slice(&flow.words);
        (flow.place, flow.sent_at) = (PacketPlace::InFlight, now);
        if leaves {
            self.flows.remove(number);
        }
        Ok(packet)
    }

    /// A rate reply arrives.
    pub(super) fn on_reply<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        now: Time,
    ) -> Result<Option<Returned>, OverAllocated> {
        let Some((_, flow)) = self.flows.find(packet.flow()) else {
            return Ok(None);
        };
        let mut record = packet.control_record();
        if let Some(link) = &mut self.link {
            link.process(&mut record, 0, Pass::Reverse, now)?;
        }
        let (is_first, let_through) = (record.is_first(), record.let_through());
        let (kbps, congestion_point) = match (&self.link, record.asked()) {
            (Some(_), _) => (record.least_rate(), None),
            (None, Some((kbps, port))) => (kbps, Some(port)),
            (None, None) => (u64::MAX, None),
        };
        let rate = weighted(kbps, record.connections());
        let next = flow.sent_at + spacing_at(record.control_rate());
        let next = self.clock.round_up(next);
        record.end_trip();
        flow.words
            .copy_from_slice(&packet.words[..ControlRecord::WORDS]);
        flow.place = PacketPlace::AtHost(next.max(now));
        let speculation = flow.speculation.take();
        if let (Some(speculations), Some(speculation)) = (&mut self.speculations, &speculation) {
            speculations.end(speculation);
        }
        Ok(Some(Returned {
            reply: ControlReply {
                rate,
                congestion_point,
            },
            resumes_at: speculation.map(|flow| flow.first_beyond(let_through.into())),
            is_first,
        }))
    }

    /// Plans the next request of a flow that has none in flight. `leaving`: whether it is a leave
    /// request.
    pub(super) fn plan(&mut self, number: u32, leaving: Leaving, now: Time) {
        let Some((_, flow)) = self.flows.find(number) else {
            return;
        };
        flow.is_leaving |= leaving == Leaving::Yes;
        let PacketPlace::AtHost(next) = flow.place else {
            return;
        };
        if !self.options.repeats {
            self.flows.remove(number);
            return;
        }
        let next = if flow.is_leaving { now } else { next };
        flow.place = PacketPlace::AtHost(next);
        self.due.push(Reverse((next, number)));
    }

    /// A data packet of a flow leaves; `has_sent_all`: it is the last one, unless packets get lost.
    pub(super) fn on_data_sent<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        has_sent_all: bool,
        now: Time,
    ) {
        let Some((_, flow)) = self.flows.find(packet.flow()) else {
            return;
        };
        if let (Some(all), Some(speculation)) = (&mut self.speculations, &mut flow.speculation) {
            packet.set_speculation(&all.number_packet(speculation));
        } else if has_sent_all && self.leaves_when_sent {
            self.plan(packet.flow(), Leaving::Yes, now);
        }
    }

    /// The first flow whose next request is due.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u32> {
        while let Some(&Reverse((time, number))) = self.due.peek()
            && time <= now
        {
            self.due.pop();
            let flow = self.flows.find(number);
            if flow.is_some_and(|(_, flow)| flow.place == PacketPlace::AtHost(time)) {
                return Some(number);
            }
        }
        None
    }

    /// Lower bound of the time of the next request; [`Time::MAX`] if none is planned.
    pub(super) fn next(&self) -> Time {
        self.due.peek().map_or(Time::MAX, |due| due.0.0)
    }

    /// Contents that are left after all flows have completed, if there are any.
    pub(super) fn left(&self) -> Option<String> {
        if !self.flows.is_empty() {
            return Some(format!("{} flows with rate requests are", self.flows.len()));
        }
        self.link.as_ref().and_then(LinkState::left_over)
    }
}

/// Whether a flow's next request is a leave request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    Yes,
    No,
}

impl From<bool> for Leaving {
    fn from(is_leaving: bool) -> Self {
        if is_leaving { Self::Yes } else { Self::No }
    }
}

/// The rate that sends `bytes` on the wire in one RTT, in kb/s per unit weight.
fn demand(bytes: u64, connections: u16, rtt: Time) -> CompactRate {
    let bits = u128::from(bytes) * 8 * u128::from(connections);
    let kbps = bits * 1_000_000_000 / u128::from(rtt.as_ps().max(1));
    CompactRate::at_most(u64::try_from(kbps).unwrap_or(u64::MAX).max(1))
}

/// A rate per unit weight times the weight 1/n; at least 1 kb/s.
fn weighted(kbps: u64, connections: u16) -> Rate {
    let product = u128::from(kbps) * u128::from(weight(connections));
    let kbps = (product / u128::from(UNIT_WEIGHT)).max(1);
    CompactRate::rate_of(kbps as u64)
}

/// Minimum spacing of requests at this rate.
fn spacing_at(rate: CompactRate) -> Time {
    CompactRate::rate_of(rate.kbps()).transmission_time(CONTROL_PACKET)
}
