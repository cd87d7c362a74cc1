//! Rate requests of a host's flows (the papers' "control packets"): when they leave, what they say
//! and return.
//!
//! ```text
//! flow starts ─ request ──► links … destination ──► reply ─┬─ rate, packets let through ─► QP
//!                  ▲                                       │
//!                  └─────────── minimum spacing ◄──────────┴─ all sent: leave request
//! ```
//!
//! A flow with requests has one out at a time. The next goes out when the reply is back, at most as
//! often as the links' control shares allow. After the last data packet (in a lossy network, after
//! the last ACK) a leave request goes out, which is not returned. So a flow may have completed
//! before its last request is gone: the state of requests is kept here, apart from the QP.
//!
//! Where switches find rates link by link (s-PERC), the link of this NIC is the first of them.

mod speculation;
mod weight_averages;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_cc::{ControlReply, Start};
use incast_signals::RateRequestOptions;
use incast_signals::s_perc::{CONTROL_PACKET, CompactRate, ControlRecord, UNIT_WEIGHT, weight};
use incast_units::{NodeId, Rate, Time};

use self::speculation::{Speculating, Speculations};
use self::weight_averages::WeightAverages;
use super::{Delivery, Hears, HostAccess, HostFacts, HostProgram, HostProgramOptions};
use crate::clock::Clock;
use crate::flow::Flow;
use crate::host::PORT;
use crate::host::flow_table::FlowTable;
use crate::host::sending::Qp;
use crate::measure::MeanWeight;
use crate::programs::s_perc::link::{LinkShares, LinkState};
use crate::programs::{OverAllocated, SwitchProgram};
use crate::violation::Violation;
use crate::wire::{Address, Kind, Packet, Pass};

impl HostProgramOptions for RateRequestOptions {
    fn carries_records(&self) -> bool {
        true
    }

    fn measures_weights(&self) -> bool {
        self.weights
    }

    fn build<const WORDS: usize>(&self, host: &HostFacts<'_>) -> Box<dyn HostProgram<WORDS>> {
        Box::new(RateRequests::new(*self, host))
    }
}

/// The rate requests of one host.
#[derive(Clone, Debug)]
struct RateRequests {
    /// The host.
    node: NodeId,
    options: RateRequestOptions,
    /// The NIC's own link, where switches find rates link by link.
    link: Option<LinkState>,
    /// RTT from which demands are computed.
    rtt: Time,
    clock: Clock,
    /// Whether a flow leaves its links with its last packet; else with its last ACK.
    leaves_when_sent: bool,
    flows: FlowTable<RequestingFlow>,
    /// (time, flow) of next requests; stale unless the flow's `place` has this time.
    due: BinaryHeap<Reverse<(Time, u32)>>,
    /// Flows that have started and whose last ACK has not arrived (the n of weights).
    connections: u64,
    speculations: Option<Speculations>,
    /// Mean weights of flows, if they have weights.
    weight_averages: Option<WeightAverages>,
}

/// The rate requests of a flow.
#[derive(Clone, Debug)]
struct RequestingFlow {
    destination: u32,
    source_port: u16,
    /// The record of its last request or reply.
    words: [u64; ControlRecord::WORDS],
    /// When the last request left.
    sent_at: Time,
    place: PacketPlace,
    /// Its next request leaves the links.
    is_leaving: bool,
    speculation: Option<Speculating>,
}

/// Where a flow's request or reply is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum PacketPlace {
    InFlight,
    /// At this host; the next request is due then.
    AtHost(Time),
}

/// What a rate reply tells the QP of its flow.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Returned {
    reply: ControlReply,
    /// After speculation: the PSN from which data are sent on.
    resumes_at: Option<u32>,
    /// Whether it is the flow's first reply: data may leave from now on.
    is_first: bool,
}

impl<const WORDS: usize> HostProgram<WORDS> for RateRequests {
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::RateRequest, Kind::RateReply]
    }

    fn hears(&self) -> Hears {
        Hears {
            sent: true,
            ..Hears::default()
        }
    }

    /// The first rate request of the flow leaves, if it sends any.
    fn on_start(&mut self, flow: &Flow, host: &mut HostAccess<'_, '_, WORDS>) {
        let (number, now) = (flow.id.0, host.now());
        self.open_connection(number, now);
        let start = host.start_of(number);
        if start == Some(Start::AfterControl) {
            host.hold(number);
        }
        if start != Some(Start::AtOnce) {
            let speculates = start == Some(Start::Speculatively);
            self.start(flow, speculates, now);
            self.send_request(number, host);
        }
    }

    fn on_sent(&mut self, packet: &mut Packet<WORDS>, qp: &Qp, now: Time) {
        self.on_data_sent(packet, qp.transfer.has_sent_all(), now);
    }

    /// The last ACK of a flow has arrived: its next request leaves the links.
    fn on_end(&mut self, flow: u32, host: &mut HostAccess<'_, '_, WORDS>) {
        let weight = self.close_connection(flow, host.now());
        host.recorder().mean_weights.extend(weight);
        self.plan(flow, Leaving::Yes, host.now());
    }

    /// Divides the rate that a CNP asks for among the connections of this host, if they have
    /// weights.
    fn on_cnp(&mut self, cnp: &mut Packet<WORDS>) {
        if let Some((rate, congestion_point)) = cnp.asked_rate() {
            let share = rate.as_bps() / u64::from(self.weight_divisor());
            cnp.set_asked_rate(Rate::from_bps(share.max(1)), congestion_point);
        }
    }

    /// A request turns into the reply, unless it leaves the links; a reply has a rate.
    fn on_packet(
        &mut self,
        packet: &mut Packet<WORDS>,
        host: &mut HostAccess<'_, '_, WORDS>,
    ) -> Delivery {
        if packet.kind() == Kind::RateReply {
            self.take_reply(packet, host);
            return Delivery::Taken;
        }
        if packet.control_record().leaves() {
            return Delivery::Taken;
        }
        let size = packet.size();
        packet.become_reply(Kind::RateReply, size);
        Delivery::Returned
    }

    fn next_due(&self) -> Time {
        self.due.peek().map_or(Time::MAX, |due| due.0.0)
    }

    fn on_due(&mut self, host: &mut HostAccess<'_, '_, WORDS>) {
        while let Some(flow) = self.take_due(host.now()) {
            self.send_request(flow, host);
        }
    }

    fn left_over(&self) -> Option<String> {
        if !self.flows.is_empty() {
            return Some(format!("{} flows with rate requests are", self.flows.len()));
        }
        self.link.as_ref().and_then(LinkState::left_over)
    }
}

/// What a host does about requests and replies.
impl RateRequests {
    /// The next request of a flow leaves.
    fn send_request<const WORDS: usize>(
        &mut self,
        flow: u32,
        host: &mut HostAccess<'_, '_, WORDS>,
    ) {
        let bytes = host.bytes_left(flow);
        match self.request(flow, bytes, host.now()) {
            Ok(packet) => host.send(packet),
            Err(OverAllocated) => host.fail(self.over_allocated()),
        }
    }

    /// A rate reply arrives at the sender of its flow.
    fn take_reply<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        host: &mut HostAccess<'_, '_, WORDS>,
    ) {
        let (flow, now) = (packet.flow(), host.now());
        let returned = match self.on_reply(packet, now) {
            Ok(Some(returned)) => returned,
            Ok(None) => return,
            Err(OverAllocated) => return host.fail(self.over_allocated()),
        };
        if let Some(resumed) = returned.resumes_at
            && let Err(violation) = host.resume_at(flow, resumed)
        {
            return host.fail(violation);
        }
        let reply = returned.reply;
        match returned.is_first {
            true => host.restart(flow, |controller| controller.on_control(now, &reply)),
            false => host.tell(flow, |controller| controller.on_control(now, &reply)),
        }
        let leaves = match host.has_sent_all(flow) {
            Some(has_sent_all) => has_sent_all && self.leaves_when_sent,
            None => true,
        };
        self.plan(flow, leaves.into(), now);
    }

    fn over_allocated(&self) -> Violation {
        Violation::OverAllocated {
            node: self.node,
            port: PORT as u32,
        }
    }
}

impl RateRequests {
    fn new(options: RateRequestOptions, host: &HostFacts<'_>) -> Self {
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
            leaves_when_sent: !shared.lossy,
            flows: FlowTable::default(),
            due: BinaryHeap::new(),
            connections: 0,
            speculations,
            weight_averages: options.weights.then(WeightAverages::default),
        }
    }

    /// A flow starts; called before anything else about it.
    fn open_connection(&mut self, flow: u32, now: Time) {
        if let Some(weights) = &mut self.weight_averages {
            weights.begin(flow, self.connections, now);
        }
        if let Some(speculations) = &mut self.speculations {
            speculations.note_connections(self.connections, now);
        }
        self.connections += 1;
    }

    /// The last ACK of a flow has arrived. Returns its mean weight.
    fn close_connection(&mut self, flow: u32, now: Time) -> Option<MeanWeight> {
        let weights = self.weight_averages.as_mut();
        let mean = weights.and_then(|weights| weights.end(flow, self.connections, now));
        if let Some(speculations) = &mut self.speculations {
            speculations.note_connections(self.connections, now);
        }
        self.connections -= 1;
        mean
    }

    /// n: open connections, by which weights are divided; 1 without weights.
    fn weight_divisor(&self) -> u16 {
        match self.options.weights {
            true => u16::try_from(self.connections).unwrap_or(u16::MAX).max(1),
            false => 1,
        }
    }

    /// A flow, whose connection is open, is about to send its first request.
    fn start(&mut self, flow: &Flow, speculates: bool, now: Time) {
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

    /// The next request of a flow that has this many bytes on the wire left to send; counted as
    /// sent.
    fn request<const WORDS: usize>(
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
    fn on_reply<const WORDS: usize>(
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

    /// Plans the next request of a flow that has none in flight. `leaving`: that request is its
    /// last.
    fn plan(&mut self, number: u32, leaving: Leaving, now: Time) {
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

    /// A data packet of a flow leaves; `has_sent_all`: it is the last, unless packets get lost.
    fn on_data_sent<const WORDS: usize>(
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
    fn take_due(&mut self, now: Time) -> Option<u32> {
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
}

/// Whether a flow is to leave its links.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Leaving {
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
