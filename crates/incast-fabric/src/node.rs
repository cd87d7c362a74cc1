//! A node of the engine: a switch and the endpoints linked to it.
//!
//! Endpoints belong to the node of their ToR, so every link between nodes ends at a switch. Flits
//! and credits on such a link have an effect only after crossing the switch. So a window of the
//! engine lasts a link's delay plus a switch's latency, not the link's delay alone.

mod series;

use std::sync::Arc;

use incast_engine::{Context, Node, NodeShape, PortBatch};
use incast_units::Time;

use crate::endpoint::{Endpoint, TorLink};
use crate::measure::PacketStart;
use crate::packet::{BufferCredit, Cycle, FabricPacket, LinkMessage, NEVER, OperationKind, Ticket};
use crate::store::PacketStore;
use crate::switch::{FabricFacts, FabricSwitch, SwitchLinks};

pub(crate) use self::series::NodeSeries;

/// Number of the node's timer in the engine.
pub(crate) const TIMER: usize = 0;

/// A switch with its endpoints.
#[derive(Debug)]
pub(crate) struct FabricNode {
    pub(crate) number: u16,
    facts: Arc<FabricFacts>,
    pub(crate) switch: FabricSwitch,
    pub(crate) endpoints: Vec<Endpoint>,
    /// Flits sent by the switch's ports.
    pub(crate) switched_flits: u64,
    /// Packets sent by the switch's ports, not counting probes.
    pub(crate) switched_packets: u64,
    pub(crate) series: NodeSeries,
    /// Start of every packet, if starts are recorded.
    pub(crate) starts: Option<Vec<PacketStart>>,
    outbox: Vec<(u16, LinkMessage)>,
}

impl FabricNode {
    pub(crate) fn new(
        number: u16,
        facts: &Arc<FabricFacts>,
        endpoints: Vec<Endpoint>,
        series: NodeSeries,
        starts: Option<Vec<PacketStart>>,
    ) -> Self {
        Self {
            number,
            facts: Arc::clone(facts),
            switch: FabricSwitch::new(number, &facts.config),
            endpoints,
            switched_flits: 0,
            switched_packets: 0,
            series,
            starts,
            outbox: Vec::new(),
        }
    }

    pub(crate) fn facts(&self) -> &FabricFacts {
        &self.facts
    }

    /// Cycle of the next event.
    pub(crate) fn next_event(&self) -> Option<Cycle> {
        let wakes = self.endpoints.iter().map(Endpoint::wake);
        let first = wakes.min().unwrap_or(NEVER);
        let first = self.switch.next_event().unwrap_or(NEVER).min(first);
        (first < NEVER).then_some(first)
    }

    /// A message arrives over a link between switches.
    #[inline]
    fn receive(&mut self, port: u16, message: &LinkMessage) {
        match message {
            LinkMessage::Packet(packet) => self.switch.arrive_by_link(port, packet),
            LinkMessage::Credit(credit) => self.switch.expect_credit(port, *credit),
        }
    }

    /// Prefetches the data that the window reads first. The cache misses of these loads overlap;
    /// without prefetching they would follow each other.
    fn touch(&self, inbox: &[PortBatch<LinkMessage>]) {
        let messages = inbox.iter().filter_map(|batch| batch.rest().first());
        let mut sum: u64 = messages.map(LinkMessage::ready).fold(0, |sum, at| sum ^ at);
        self.switch.touch(&mut sum);
        for endpoint in &self.endpoints {
            endpoint.touch(&mut sum);
        }
        std::hint::black_box(sum);
    }

    /// Handles all events of a window, which ends at `end`. Also takes the samples that are due up
    /// to the last event: between events the state does not change.
    fn run_window(&mut self, end: Cycle) {
        while let Some(next) = self.next_event()
            && next < end
        {
            let until = match self.series.next() {
                Some(at) if at <= next => {
                    self.series.sample(at, &self.switch, &mut self.endpoints);
                    continue;
                }
                Some(at) => at.min(end),
                None => end,
            };
            self.run_until(until);
        }
    }

    /// Handles all events before `end`, at most one window ahead: first the switch's, then each
    /// endpoint's. Packets from the switch reach an endpoint in time. Packets from endpoints affect
    /// the switch only after the window.
    fn run_until(&mut self, end: Cycle) {
        let facts = &*self.facts;
        let mut links = NodeLinks {
            facts,
            number: self.number,
            endpoints: &mut self.endpoints,
            outbox: &mut self.outbox,
            starts: &mut self.starts,
            flits: 0,
            packets: 0,
        };
        self.switch.run_until(end, facts, &mut links);
        self.switched_flits += links.flits;
        self.switched_packets += links.packets;
        for (port, endpoint) in self.endpoints.iter_mut().enumerate() {
            let mut link = TorLink {
                facts,
                switch: &mut self.switch,
                port: port as u16,
                starts: &mut self.starts,
            };
            endpoint.run_until(end, &mut link);
        }
    }
}

/// Where the packets and credits of a switch go.
struct NodeLinks<'a> {
    facts: &'a FabricFacts,
    /// The switch's.
    number: u16,
    endpoints: &'a mut [Endpoint],
    outbox: &'a mut Vec<(u16, LinkMessage)>,
    starts: &'a mut Option<Vec<PacketStart>>,
    /// Flits sent.
    flits: u64,
    /// Packets sent, not counting probes.
    packets: u64,
}

impl SwitchLinks for NodeLinks<'_> {
    #[inline]
    fn send(&mut self, now: Cycle, port: u16, packet: Ticket, store: &mut PacketStore) {
        self.flits += u64::from(packet.flits());
        self.packets += u64::from(packet.kind != OperationKind::Probe);
        if let Some(starts) = self.starts {
            let place = (self.number, port);
            starts.push(PacketStart::new(now, place, &store.packet(packet)));
        }
        let config = &self.facts.config;
        if let Some(endpoint) = self.endpoints.get_mut(usize::from(port)) {
            endpoint.expect(now + config.flight(), packet);
            return;
        }
        let message = FabricPacket {
            ready: now + config.hop(),
            ..store.packet(packet)
        };
        if store.is_only_copy(packet) {
            store.free(packet);
        }
        let port = port - self.endpoints.len() as u16;
        self.outbox.push((port, LinkMessage::Packet(message)));
    }

    #[inline]
    fn give_back(&mut self, port: u16, credit: BufferCredit) {
        let config = &self.facts.config;
        if let Some(endpoint) = self.endpoints.get_mut(usize::from(port)) {
            let ready = credit.ready + config.flight();
            endpoint.expect_credit(BufferCredit { ready, ..credit });
            return;
        }
        let ready = credit.ready + config.hop();
        let port = port - self.endpoints.len() as u16;
        self.outbox
            .push((port, LinkMessage::Credit(BufferCredit { ready, ..credit })));
    }
}

impl NodeShape for FabricNode {
    fn timers(&self) -> usize {
        TIMER + 1
    }

    fn ports(&self) -> usize {
        let shape = &self.facts.config.shape;
        usize::from(shape.ports_of(self.number) - shape.endpoints_of(self.number))
    }

    /// A ToR also runs its endpoints: most of its messages go to all endpoints, and each endpoint
    /// answers.
    fn weight(&self) -> u64 {
        1 + self.endpoints.len() as u64
    }
}

impl<C: Context<Message = LinkMessage>> Node<C> for FabricNode {
    fn on_message(&mut self, port: usize, message: &mut LinkMessage, _: &mut C) {
        self.receive((self.endpoints.len() + port) as u16, message);
    }

    fn on_timer_expiry(&mut self, _: usize, _: &mut C) {}

    fn process_window(
        &mut self,
        inbox: &mut [PortBatch<LinkMessage>],
        _: usize,
        context: &mut C,
    ) -> bool {
        let (start, end) = (context.now().as_ps(), context.window_end().as_ps());
        self.switch.advance(start);
        self.touch(inbox);
        for batch in inbox {
            let port = (self.endpoints.len() + batch.port()) as u16;
            for message in batch.rest() {
                self.receive(port, message);
            }
        }
        self.run_window(end);
        for (port, message) in self.outbox.drain(..) {
            let at = Time::from_ps(message.ready());
            context.send(port.into(), &message, at);
        }
        if let Some(next) = self.next_event() {
            context.set_timer(TIMER, Time::from_ps(next));
        }
        true
    }
}
