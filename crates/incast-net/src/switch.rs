//! A switch: shared memory, store and forward, one egress port for each link.
//!
//! A [`Switch`] runs the [`pipeline`] event by event. A [`FastSwitch`] reaches the same state with
//! fewer events, in two ways: [`lazy`] computes departures when a port is next touched,
//! [`port_by_port`] processes a window one egress port at a time. A [`DirectSwitch`] skips steps
//! that change nothing. All of them share their parts: the [`EgressPort`] with its queues and its
//! link, the [`Buffer`], the programs and the samples.

mod arbiter;
mod arrival;
mod committed_sends;
mod departures;
mod direct;
mod faulty;
mod header_turns;
mod lane_queue;
mod lazy;
mod options;
mod pipeline;
mod port;
mod port_by_port;
mod port_queue;
mod queue_sample;
mod sampling;
mod waiting_ports;

use std::sync::Arc;

use incast_engine::NodeTies;
use incast_units::{FlowId, NodeId, Time};

use crate::buffer::{Buffer, EgressFacts};
use crate::clock::Ties;
use crate::config::AckClass;
use crate::context::NetContext;
use crate::diagnostics;
use crate::measure::MeasureConfig;
use crate::measure::{PacketEvent, Sampling};
use crate::programs::{Programs, SwitchFacts, Verdict};
use crate::routing::EcmpSelector;
use crate::routing::ForwardingTable;
use crate::shared::Shared;
use crate::transmitter::Transmitter;
use crate::violation::Violation;
use crate::wire::{Class, Packet, Pass};

pub(crate) use self::direct::DirectSwitch;
pub(crate) use self::faulty::FaultySwitch;
pub(crate) use self::lazy::FastSwitch;
pub use self::options::PortArbitration;
pub(crate) use self::waiting_ports::{ArrivalPort, WaitingPort};

use self::port::EgressPort;
use self::port_queue::PortQueue;

/// A switch that handles each event when it happens.
#[derive(Clone, Debug)]
pub(crate) struct Switch<const WORDS: usize> {
    pub(crate) node: NodeId,
    /// Number of the switch's first port, counted over all nodes.
    first_port: u32,
    shared: Arc<Shared>,
    forwarding: ForwardingTable,
    selector: EcmpSelector,
    /// Whether ACKs belong to the data class.
    acks_among_data: bool,
    /// Whether every end of a transmission is an event, rather than only those after which a packet
    /// leaves.
    ends_are_events: bool,
    /// The order of simultaneous arrivals; `None`: by port.
    ties: Option<NodeTies>,
    programs: Programs<WORDS>,
    buffer: Buffer,
    pub(crate) ports: Vec<EgressPort<WORDS>>,
    /// Ports at which packets wait. May contain others, which are removed later.
    backlogged: Vec<u16>,
    /// Ports whose samples may be above zero; samples of all other ports are zero.
    sampled: Vec<u16>,
    sampling: Sampling,
    /// Time of the next observation of the ports, by a sample or a program.
    next_observation: Time,
}

/// Names and numbers of a switch.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SwitchIdentity<'t> {
    pub(crate) node: NodeId,
    /// The tier in the switch's name, if any.
    pub(crate) tier: Option<&'t str>,
    /// The switch's number in the file of the topology.
    pub(crate) original: u32,
    /// The number of host 0 in the file of the topology, if the other hosts follow it.
    pub(crate) first_host: u32,
    /// Number of the switch's first port, counted over all nodes.
    pub(crate) first_port: u32,
}

impl<const WORDS: usize> Switch<WORDS> {
    pub(crate) fn new(
        identity: SwitchIdentity<'_>,
        links: Vec<(Transmitter, EgressFacts)>,
        buffer: Buffer,
        shared: &Arc<Shared>,
        forwarding: ForwardingTable,
        measure: &MeasureConfig,
    ) -> Self {
        let SwitchIdentity {
            node, first_port, ..
        } = identity;
        let rates: Vec<_> = links.iter().map(|(_, facts)| facts.rate).collect();
        let facts = SwitchFacts {
            node,
            rates: &rates,
            first_port,
            seed: shared.config.seed,
            full_packet: shared.full_packet(),
            cnp_size: shared.cnp_size,
        };
        let programs = Programs::new(
            &shared.config.programs,
            shared.int_writing::<WORDS>(),
            &facts,
        );
        let sampling = Sampling::new(measure.queue_interval, measure.until);
        let ecn = shared.config.ecn.as_ref();
        let marking = ecn.and_then(|ecn| ecn.of_tier(identity.tier));
        let rule = buffer.port_rule();
        let ports = (first_port..).zip(links).map(|(number, (link, facts))| {
            let is_recorded = measure.queue_ports.contains(&number);
            let queue = PortQueue::new(shared.config.arbitration, rates.len());
            let rate = facts.rate;
            let marking = marking
                .as_deref()
                .filter(|ecn| ecn.marks_at(facts.faces_host));
            let port = EgressPort::new(link, rate, queue, shared, marking, is_recorded, number);
            match rule {
                Some(rule) => port.with_buffer_of_its_own(rule, facts, shared),
                None => port,
            }
        });
        Self {
            node,
            first_port,
            shared: Arc::clone(shared),
            forwarding,
            selector: EcmpSelector::new(shared.config.path_choice(), identity.original)
                .with_first_host(identity.first_host),
            acks_among_data: shared.config.model.ack_class == AckClass::Data,
            ties: shared.config.tie_order(0, 0).of_node(node.0),
            ends_are_events: shared.config.model.ties == Ties::Insertion,
            buffer,
            ports: ports.collect(),
            backlogged: Vec::new(),
            sampled: Vec::new(),
            next_observation: sampling.next().min(programs.next_observation()),
            sampling,
            programs,
        }
    }

    /// The egress port of a packet.
    #[inline(always)]
    fn lookup(&mut self, packet: &Packet<WORDS>) -> usize {
        self.forwarding.port(packet, &self.selector)
    }

    /// The class in whose queue a packet waits.
    #[inline(always)]
    fn queue_class(&self, packet: &Packet<WORDS>) -> Class {
        let is_data = packet.is_data() || self.acks_among_data && packet.is_ack();
        if is_data { Class::Data } else { Class::Control }
    }

    /// Passes an ACK that arrives by port `ingress` to the programs, which may write into it.
    #[inline(always)]
    fn pass_ack_to_programs<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        if !packet.is_ack() || !self.programs.see_acks() {
            return;
        }
        let now = context.now();
        if !self
            .programs
            .on_ack(packet, ingress, now, &self.ports[ingress])
        {
            let most = packet.hops();
            let diagnostic = diagnostics::too_many_hops(most + 1, most);
            context.local().fail(now, self.node, diagnostic);
        }
    }

    /// Passes a rate request or reply to the programs, which write into it. It leaves by port
    /// `egress`. Data of its flow leave by the same port or, for a reply, by `ingress`.
    pub(super) fn pass_request_to_programs<C: NetContext<WORDS>>(
        &mut self,
        ingress: usize,
        egress: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let Some(pass) = packet
            .kind()
            .rate_pass()
            .filter(|_| self.programs.see_rate_requests)
        else {
            return;
        };
        let port = match pass {
            Pass::Forward => egress,
            Pass::Reverse => ingress,
        };
        let now = context.now();
        if self
            .programs
            .on_rate_request(packet, port, pass, now)
            .is_err()
        {
            let (node, port) = (self.node, port as u32);
            let violation = Violation::OverAllocated { node, port };
            context.local().fail(now, node, violation);
        }
    }

    /// Drops and logs a speculative packet that would leave by port `egress`, if a program decides
    /// so; returns whether it did.
    pub(super) fn drop_speculative<C: NetContext<WORDS>>(
        &mut self,
        egress: usize,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) -> bool {
        let speculation = match self.programs.see_speculation && packet.is_data() {
            true => packet.speculation(),
            false => None,
        };
        let now = context.now();
        if speculation.is_none_or(|speculation| {
            self.programs.on_speculation(&speculation, egress, now) == Verdict::Pass
        }) {
            return false;
        }
        let queue = &self.ports[egress].queue;
        context.note(PacketEvent::Drop, egress, packet, || {
            queue.bytes_without_pfc()
        });
        context.local().speculative_dropped += 1;
        true
    }

    /// Number of timers: one for each port, and one for the programs if any is periodic.
    pub(crate) fn timers(&self) -> usize {
        self.ports.len() + usize::from(self.programs.have_timer())
    }

    /// Number of the programs' timer.
    fn program_timer(&self) -> usize {
        self.ports.len()
    }

    /// Adds a port to the list of backlogged ports.
    #[inline]
    fn note_backlog<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        if !self.ports[port].is_backlogged {
            self.list_backlogged(port, context);
        }
    }

    #[inline(never)]
    fn list_backlogged<C: NetContext<WORDS>>(&mut self, port: usize, context: &mut C) {
        self.ports[port].is_backlogged = true;
        self.backlogged.push(port as u16);
        self.sample_port(port);
        self.schedule_programs(context);
    }

    /// Removes ports without waiting packets from the list of backlogged ports.
    fn forget_empty_queues(&mut self) {
        let ports = &mut self.ports;
        self.backlogged.retain(|&number| {
            let port = &mut ports[usize::from(number)];
            port.is_backlogged = !port.queue.is_empty();
            port.is_backlogged
        });
    }

    /// Appends the ports at which data wait.
    pub(crate) fn append_waiting_ports(&self, all: &mut Vec<WaitingPort>) {
        let Buffer::Pfc(buffer) = &self.buffer else {
            return;
        };
        for (number, port) in self.ports.iter().enumerate() {
            let mut came_by: Vec<ArrivalPort> = Vec::new();
            for packet in port.queue.data() {
                let ingress = packet.ingress();
                let index = self.first_port + ingress as u32;
                if came_by.iter().all(|known| known.index != index) {
                    came_by.push(ArrivalPort {
                        index,
                        pauses_since: buffer.pauses_since(buffer.account(ingress, packet.lane())),
                        flow: FlowId(packet.flow()),
                    });
                }
            }
            if !came_by.is_empty() {
                all.push(WaitingPort {
                    node: self.node,
                    port: number as u32,
                    index: self.first_port + number as u32,
                    paused_since: port.egress.link.paused_since(),
                    came_by,
                });
            }
        }
    }

    /// The packets, bytes and pauses that are left in a network that should be empty; `None` if
    /// there are none.
    pub(crate) fn left_over(&self) -> Option<String> {
        let (bytes, paused) = match &self.buffer {
            Buffer::Pfc(buffer) => buffer.left_over(),
            Buffer::Drop(buffer) => (buffer.used(), 0),
        };
        let held = self
            .ports
            .iter()
            .filter(|port| !port.egress.link.paused().is_empty());
        let paused = paused + held.count();
        let waiting: u32 = self.ports.iter().map(|port| port.queue.packets()).sum();
        if waiting > 0 || bytes > 0 {
            return Some(format!(
                "{waiting} packets in queues and {bytes} bytes in the buffer are"
            ));
        }
        let programs = self.programs.left_over();
        programs.or_else(|| (paused > 0).then(|| format!("{paused} paused ports are")))
    }
}

/// The smallest time after `now`: as an exclusive bound it includes `now`.
#[inline]
fn after(now: Time) -> Time {
    now + Time::from_ps(1)
}

impl<const WORDS: usize> AsRef<Switch<WORDS>> for Switch<WORDS> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<const WORDS: usize> AsMut<Switch<WORDS>> for Switch<WORDS> {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}
