//! The null network: a benchmark that only moves packets.
//!
//! Its hosts send a scenario's flows one after the other, at half the rate of their links. At this
//! rate about as many packets find a link busy as under HPCC. Its switches look up the next port,
//! queue packets that find the link busy in a FIFO, and forward them. Its receivers answer every
//! packet with an ACK. There is no INT, no buffer accounting, no PFC, no ECN and no algorithm, and
//! nothing is measured. Packets have the same sizes as the scenario's, on the wire and in memory,
//! and take paths of the same length.
//!
//! Its instructions per packet-hop are a lower bound for every network on the engine. Further
//! instructions are the cost of the network model.

mod host;
mod packet;
mod switch;

use std::time::{Duration, Instant};

use incast_engine::{
    Context, Coordinator, Events, Node, NodeOrder, NodeShape, ParallelRunner, Threads,
    WindowEngine, thread_cpu_time,
};
use incast_random::mix;
use incast_sim::ValidSpec;
use incast_topology::{Ports, Routes, Topology};
use incast_units::{HostId, NodeId, Time};

use self::host::{NullHost, NullTransfer, WireSizes};
use self::packet::{NullLink, NullPacket};
use self::switch::NullSwitch;

/// A network and the flows it carries.
pub(super) struct NullNetwork<'a> {
    topology: &'a Topology,
    ports: &'a Ports,
    routes: &'a Routes,
    sizes: WireSizes,
    /// The flows of each host, in order of start.
    transfers: Vec<Vec<NullTransfer>>,
    /// Number of data packets.
    packets: u64,
    /// Links crossed by data packets and ACKs.
    packet_hops: u64,
}

/// The result of a run of the null network.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct NullOutcome {
    /// Hash of all arrival times.
    pub(super) fingerprint: u64,
    pub(super) packet_hops: u64,
    /// Arrival time of the last packet.
    pub(super) end: Time,
    pub(super) wall: Duration,
    /// Processor time of all threads.
    pub(super) cpu: Duration,
}

impl<'a> NullNetwork<'a> {
    /// A network without flows.
    fn new(topology: &'a Topology, ports: &'a Ports, routes: &'a Routes, sizes: WireSizes) -> Self {
        Self {
            topology,
            ports,
            routes,
            sizes,
            transfers: vec![Vec::new(); topology.hosts as usize],
            packets: 0,
            packet_hops: 0,
        }
    }

    /// The network and the flows of a scenario.
    ///
    /// # Errors
    /// If a flow file can no longer be read; the error is text.
    pub(super) fn of(scenario: &'a ValidSpec) -> Result<Self, String> {
        let packets = &scenario.network().packets;
        let header = scenario.wire_size(packets.mtu) - packets.mtu;
        let sizes = WireSizes {
            payload: packets.mtu.as_u64(),
            header: header.as_u64(),
            // An ACK echoes the bytes that data packets carry beside their headers.
            ack: (packets.ack + header - packets.data_header).as_u64(),
        };
        let (topology, ports) = (scenario.topology(), scenario.ports());
        let mut network = Self::new(topology, ports, scenario.routes(), sizes);
        for flow in scenario.flows().map_err(|error| error.to_string())? {
            let flow = flow.map_err(|error| error.to_string())?;
            network.add(
                flow.source,
                flow.destination,
                flow.start,
                flow.size.as_u64(),
            );
        }
        Ok(network)
    }

    /// Adds a flow of `bytes` bytes, which starts no earlier than the flows before.
    fn add(&mut self, source: HostId, destination: HostId, start: Time, bytes: u64) {
        let packets = bytes.div_ceil(self.sizes.payload);
        let hops = self.routes.hops(source, destination);
        self.packet_hops += 2 * packets * u64::from(hops.expect("all hosts are connected"));
        self.transfers[source.index()].push(NullTransfer {
            start,
            bytes,
            destination: destination.0 as u16,
            spread: mix(self.packets),
        });
        self.packets += packets;
    }

    /// Runs the network until all packets have arrived.
    ///
    /// # Panics
    /// If a packet does not arrive, or is not acknowledged.
    pub(super) fn run(&self, threads: Threads) -> NullOutcome {
        let runner = ParallelRunner::new(self.windows(), self.delays(), threads, || ());
        let (start, cpu_start) = (Instant::now(), thread_cpu_time());
        let (mut outcome, wall) = runner.run(|coordinator| {
            while let Some(window) = coordinator.next_window() {
                let (start, end) = coordinator.span_of(window);
                coordinator.run(start, end, Time::MAX);
            }
            (self.outcome(coordinator), start.elapsed())
        });
        outcome.wall = wall;
        let cpu = thread_cpu_time()
            .zip(cpu_start)
            .map(|(now, start)| now - start);
        outcome.cpu = cpu.unwrap_or_default() + runner.worker_usage().1;
        outcome
    }

    fn outcome(&self, coordinator: &Coordinator<'_, '_, NullNode, NullPacket, ()>) -> NullOutcome {
        let (mut data, mut acks, mut end, mut fingerprint) = (0, 0, Time::ZERO, 0);
        for node in coordinator.nodes() {
            let NullNode::Host(host) = node else { continue };
            let arrived = host.arrived();
            data += arrived.data;
            acks += arrived.acks;
            end = end.max(arrived.last);
            for number in [arrived.data, arrived.acks, arrived.times] {
                fingerprint = mix(fingerprint ^ number);
            }
        }
        assert_eq!(data, self.packets, "data packets are lost");
        assert_eq!(acks, self.packets, "ACKs are lost");
        NullOutcome {
            fingerprint,
            packet_hops: self.packet_hops,
            end,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    fn windows(&self) -> WindowEngine<NullNode, NullPacket> {
        let nodes = (0..self.topology.nodes()).map(|number| self.node(NodeId(number)));
        let ports = 0..self.ports.count() as u32;
        let peers: Vec<_> = ports.map(|port| self.ports.peer_index(port)).collect();
        let length = self.topology.smallest_delay().expect("there are links");
        let windows = WindowEngine::new(nodes.collect(), &peers, length, NodeOrder::Ascending);
        let mut windows = windows.alternating(&self.delays());
        for (host, transfers) in self.transfers.iter().enumerate() {
            if let Some(first) = transfers.first() {
                windows.ensure_timer(host, 0, first.start);
            }
        }
        windows
    }

    fn delays(&self) -> Vec<Time> {
        self.ports.iter().map(|port| port.delay).collect()
    }

    fn node(&self, node: NodeId) -> NullNode {
        let links = self.ports.of(node).iter().map(NullLink::new);
        match self.routes.host(node) {
            Some(host) => {
                let transfers = self.transfers[host.index()].clone();
                let mut links = links;
                let link = links.next().expect("a host has a link");
                NullNode::Host(Box::new(NullHost::new(host, link, self.sizes, transfers)))
            }
            None => {
                let hosts = (0..self.topology.hosts).map(HostId);
                let next_hops = hosts.map(|host| self.routes.next_hops(node, host));
                NullNode::Switch(Box::new(NullSwitch::new(node, links, next_hops)))
            }
        }
    }
}

/// A host or a switch. Each has one timer, which is set while it has packets to send.
#[derive(Debug)]
enum NullNode {
    Host(Box<NullHost>),
    Switch(Box<NullSwitch>),
}

impl NodeShape for NullNode {
    fn timers(&self) -> usize {
        1
    }

    fn ports(&self) -> usize {
        match self {
            Self::Host(_) => 1,
            Self::Switch(switch) => switch.ports(),
        }
    }
}

impl<C: Context<Message = NullPacket>> Node<C> for NullNode {
    fn on_message(&mut self, port: usize, packet: &mut NullPacket, context: &mut C) {
        match self {
            Self::Host(host) => host.on_message(port, packet, context),
            Self::Switch(switch) => switch.on_message(port, packet, context),
        }
    }

    fn on_timer_expiry(&mut self, _timer: usize, _context: &mut C) {}

    fn end_window(&mut self, end: Time, context: &mut C) {
        match self {
            Self::Host(host) => host.end_window(end, context),
            Self::Switch(switch) => switch.end_window(end, context),
        }
    }

    fn dispatch<E: Events<C>>(&mut self, events: E) {
        match self {
            Self::Host(host) => events.deliver_to(&mut **host),
            Self::Switch(switch) => events.deliver_to(&mut **switch),
        }
    }
}

#[cfg(test)]
mod tests;
