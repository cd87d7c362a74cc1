//! Control packets of a host's flows: when they leave, what they say, what they bring back.
//!
//! ```text
//! flow starts ─ request ──► links … destination ──► reply ─┬─ rate, packets let through ─► QP
//!                  ▲                                       │
//!                  └──────── gap of control packets ◄──────┴─ all sent: leave request
//! ```
//!
//! Each flow has one control packet out at a time. The next leaves when it is back, but not sooner
//! than the links' shares for control packets allow; when all data have been sent, it says that
//! the flow leaves, and does not come back. So the flow may have completed before its last control
//! packets are gone: their state is kept here, apart from the QP.
//!
//! Where switches find rates link by link (s-PERC), the link of this NIC is the first of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incast_cc::{ControlPackets, ControlReply};
use incast_signals::s_perc::{CONTROL_PACKET, CompactRate, ControlRecord, UNIT_WEIGHT, weight};
use incast_units::{NodeId, Rate, Time};

use super::flow_table::FlowTable;
use super::life_weights::LifeWeights;
use super::speculation::{Speculating, Speculations};
use crate::measure::MeanWeight;
use crate::packet::{Kind, Packet, Pass};
use crate::programs::OverAllocated;
use crate::programs::SwitchProgram;
use crate::programs::s_perc::link::{LinkShares, LinkState};
use crate::shared::Shared;
use crate::{Clock, Flow};

/// The control packets of one host.
pub(super) struct ControlSide {
    /// The host.
    number: u16,
    wishes: ControlPackets,
    /// The NIC's own link, where switches find rates link by link.
    link: Option<LinkState>,
    /// The RTT by which the host reckons what a flow can use.
    rtt: Time,
    clock: Clock,
    /// Whether a flow leaves its links with its last packet; else with its last ACK.
    pub(super) leaves_when_sent: bool,
    flows: FlowTable<ControlledFlow>,
    /// Times of the next requests; stale unless the flow still has it.
    due: BinaryHeap<Reverse<(Time, u32)>>,
    /// Connections that are open.
    connections: u64,
    speculations: Option<Speculations>,
    /// Mean weights of flows, if they have weights.
    life_weights: Option<LifeWeights>,
}

/// The control packets of a flow, as its host knows them.
#[derive(Clone, Debug)]
struct ControlledFlow {
    destination: u16,
    source_port: u16,
    /// The record of its last control packet.
    words: [u64; ControlRecord::WORDS],
    /// When the last request left.
    sent_at: Time,
    whereabouts: Whereabouts,
    /// All its data have been sent.
    is_ending: bool,
    speculation: Option<Speculating>,
}

/// Where a flow's control packet is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Whereabouts {
    /// On its way.
    Out,
    /// Here, to leave at this time.
    Home(Time),
}

/// The news of a reply for the QP of its flow.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Returned {
    pub(super) reply: ControlReply,
    /// The first of the flow: data may be sent from now on, from this packet.
    pub(super) resumes_at: Option<u32>,
    /// Whether it was the first.
    pub(super) is_first: bool,
}

impl ControlSide {
    /// That of a host with a link of this rate, if any flow has control packets. Flows that share
    /// congestion states have none.
    pub(super) fn new(
        node: NodeId,
        rate: Rate,
        shared: &Shared,
        wishes: Option<ControlPackets>,
    ) -> Option<Self> {
        let wishes = wishes.filter(|_| !shared.config.nic.shares_states())?;
        let (mut link, mut speculations, mut rtt) = (None, None, Time::ZERO);
        for program in &shared.config.programs {
            match program {
                SwitchProgram::SPerc(options) => {
                    link = Some(LinkState::new(rate, &LinkShares::from(options)));
                    rtt = options.rtt.unwrap_or_default();
                }
                SwitchProgram::OneRtt(options) => {
                    speculations = Some(Speculations::new(options, node, shared.config.seed));
                }
                _ => {}
            }
        }
        Some(Self {
            number: node.0 as u16,
            wishes,
            link,
            rtt,
            clock: shared.config.model.clock,
            leaves_when_sent: !shared.lossy,
            flows: FlowTable::default(),
            due: BinaryHeap::new(),
            connections: 0,
            speculations,
            life_weights: wishes.weights.then(LifeWeights::default),
        })
    }

    /// A connection opens: before anything else is said of its flow.
    pub(super) fn open_connection(&mut self, flow: u32, now: Time) {
        if let Some(weights) = &mut self.life_weights {
            weights.begin(flow, self.connections, now);
        }
        if let Some(speculations) = &mut self.speculations {
            speculations.note_connections(self.connections, now);
        }
        self.connections += 1;
    }

    /// A flow has got its last ACK. Returns its weight.
    pub(super) fn close_connection(&mut self, flow: u32, now: Time) -> Option<MeanWeight> {
        let weights = self.life_weights.as_mut();
        let mean = weights.and_then(|weights| weights.end(flow, self.connections, now));
        if let Some(speculations) = &mut self.speculations {
            speculations.note_connections(self.connections, now);
        }
        self.connections -= 1;
        mean
    }

    /// n of a flow of this host.
    pub(super) fn weight_divisor(&self) -> u16 {
        match self.wishes.weights {
            true => u16::try_from(self.connections).unwrap_or(u16::MAX).max(1),
            false => 1,
        }
    }

    /// The first control packet of a flow, whose connection is open.
    pub(super) fn start<const WORDS: usize>(
        &mut self,
        flow: &Flow,
        speculates: bool,
        bytes: u64,
        now: Time,
    ) -> Result<Packet<WORDS>, OverAllocated> {
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
        let controlled = ControlledFlow {
            destination: flow.destination.0 as u16,
            source_port: flow.source_port,
            words,
            sent_at: now,
            whereabouts: Whereabouts::Home(now),
            is_ending: false,
            speculation,
        };
        self.flows.insert(flow.id.0, controlled);
        self.request(flow.id.0, bytes, now)
    }

    /// The next control packet of a flow that has so many bytes on the wire to send; counted as
    /// sent.
    pub(super) fn request<const WORDS: usize>(
        &mut self,
        number: u32,
        bytes: u64,
        now: Time,
    ) -> Result<Packet<WORDS>, OverAllocated> {
        let connections = self.weight_divisor();
        let demand = match self.wishes.host_demand {
            true => demand(bytes, connections, self.rtt),
            false => CompactRate::UNLIMITED,
        };
        let clock = self.speculations.as_ref();
        let sent_at = clock.map_or(now, |speculations| speculations.clock().read(now));
        let (_, flow) = self.flows.find(number).expect("the flow is controlled");
        let mut record = ControlRecord::new(&mut flow.words);
        record.begin_trip(connections, demand, sent_at);
        if flow.is_ending {
            record.leave();
        }
        let leaves = record.leaves();
        if let Some(link) = &mut self.link {
            link.process(&mut record, 0, Pass::Forward, now)?;
        }
        let mut packet = Packet::new(Kind::RateRequest, CONTROL_PACKET.as_u64() as u16);
        packet.flow = number;
        packet.source = self.number;
        packet.destination = flow.destination;
        packet.source_port = flow.source_port;
        packet.words[..ControlRecord::WORDS].copy_from_slice(&flow.words);
        (flow.whereabouts, flow.sent_at) = (Whereabouts::Out, now);
        if leaves {
            self.flows.remove(number);
        }
        Ok(packet)
    }

    /// A reply is back.
    pub(super) fn on_reply<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        now: Time,
    ) -> Result<Option<Returned>, OverAllocated> {
        let Some((_, flow)) = self.flows.find(packet.flow) else {
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
        let next = flow.sent_at + gap_of(record.control_rate());
        let next = self.clock.round_up(next);
        record.end_trip();
        flow.words
            .copy_from_slice(&packet.words[..ControlRecord::WORDS]);
        flow.whereabouts = Whereabouts::Home(next.max(now));
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

    /// Plans the next request of a flow whose control packet is here. `has_ended`: all its data
    /// have been sent.
    pub(super) fn plan(&mut self, number: u32, has_ended: HasEnded, now: Time) {
        let Some((_, flow)) = self.flows.find(number) else {
            return;
        };
        flow.is_ending |= has_ended == HasEnded::Yes;
        let Whereabouts::Home(next) = flow.whereabouts else {
            return;
        };
        if !self.wishes.repeats {
            self.flows.remove(number);
            return;
        }
        let next = if flow.is_ending { now } else { next };
        flow.whereabouts = Whereabouts::Home(next);
        self.due.push(Reverse((next, number)));
    }

    /// A data packet of a flow leaves; `has_ended`: it is the last, unless packets get lost.
    pub(super) fn on_data_sent<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        has_ended: HasEnded,
        now: Time,
    ) {
        let Some((_, flow)) = self.flows.find(packet.flow) else {
            return;
        };
        if let (Some(all), Some(speculation)) = (&mut self.speculations, &mut flow.speculation) {
            packet.set_speculation(&all.number_packet(speculation));
        } else if has_ended == HasEnded::Yes && self.leaves_when_sent {
            self.plan(packet.flow, has_ended, now);
        }
    }

    /// The first flow whose next request is due.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u32> {
        while let Some(&Reverse((time, number))) = self.due.peek()
            && time <= now
        {
            self.due.pop();
            let flow = self.flows.find(number);
            if flow.is_some_and(|(_, flow)| flow.whereabouts == Whereabouts::Home(time)) {
                return Some(number);
            }
        }
        None
    }

    /// When the next request is due, or less; [`Time::MAX`] if none is.
    pub(super) fn next_due(&self) -> Time {
        self.due.peek().map_or(Time::MAX, |due| due.0.0)
    }

    /// Contents that are left after all flows have completed, if there are any.
    pub(super) fn left_over(&self) -> Option<String> {
        if !self.flows.is_empty() {
            return Some(format!(
                "{} flows with control packets are",
                self.flows.len()
            ));
        }
        self.link.as_ref().and_then(LinkState::left_over)
    }
}

/// Whether all data of a flow have been sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum HasEnded {
    Yes,
    No,
}

impl From<bool> for HasEnded {
    fn from(has_ended: bool) -> Self {
        if has_ended { Self::Yes } else { Self::No }
    }
}

/// The rate at which a flow sends so many bytes on the wire in an RTT, in kb/s per unit weight.
fn demand(bytes: u64, connections: u16, rtt: Time) -> CompactRate {
    let bits = u128::from(bytes) * 8 * u128::from(connections);
    let kbps = bits * 1_000_000_000 / u128::from(rtt.as_ps().max(1));
    CompactRate::at_most(u64::try_from(kbps).unwrap_or(u64::MAX).max(1))
}

/// w times a rate per unit weight; at least 1 kb/s.
fn weighted(kbps: u64, connections: u16) -> Rate {
    let product = u128::from(kbps) * u128::from(weight(connections));
    let kbps = (product / u128::from(UNIT_WEIGHT)).max(1);
    CompactRate::rate_of(kbps as u64)
}

/// From one request to the next at this rate.
fn gap_of(rate: CompactRate) -> Time {
    CompactRate::rate_of(rate.kbps()).transmission_time(CONTROL_PACKET)
}
