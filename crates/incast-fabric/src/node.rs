//! A node of the engine: a switch and the endpoints linked to it.
//!
//! Endpoints stand with their ToR, so that every link between nodes ends at a switch. What such a
//! link carries, flits or credits, matters only after the crossing: a window of the engine is a
//! link's flight and a switch's latency, not a link's flight alone.

use std::sync::Arc;

use incast_engine::{Context, Node, NodeShape, PortBatch};
use incast_units::Time;

use crate::endpoint::{Emission, Endpoint};
use crate::measure::{NodeSeries, PacketStart};
use crate::packet::{
    Credit, Cycle, FabricPacket, INJECTED_WRITES, LinkMessage, NEVER, OperationKind, RESPONSES,
    channel_of,
};
use crate::switch::{FabricFacts, FabricSwitch, SwitchAction};
use crate::wheel::Wheel;

/// The subject of a node's event: its kind in the upper bits, a number below.
const INPUT: u32 = 0;
const OUTPUT: u32 = 1;
const ENDPOINT: u32 = 2;
const TABLE: u32 = 3;
const NUMBER_BITS: u32 = 24;
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;

/// The engine's timer of a node.
pub(crate) const TIMER: usize = 0;

/// A switch with its endpoints.
#[derive(Debug)]
pub(crate) struct FabricNode {
    pub(crate) number: u16,
    facts: Arc<FabricFacts>,
    pub(crate) switch: FabricSwitch,
    pub(crate) endpoints: Vec<Endpoint>,
    wheel: Wheel,
    /// Flits sent by the switch's ports.
    pub(crate) switched_flits: u64,
    /// Packets sent by the switch's ports, probes left aside.
    pub(crate) switched_packets: u64,
    pub(crate) series: NodeSeries,
    /// Every packet's start, if that is recorded.
    pub(crate) starts: Option<Vec<PacketStart>>,
    due: Vec<u32>,
    due_endpoints: Vec<u32>,
    actions: Vec<SwitchAction>,
    emission: Emission,
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
        let mut node = Self {
            number,
            facts: Arc::clone(facts),
            switch: FabricSwitch::new(number, &facts.config),
            endpoints,
            wheel: Wheel::new(),
            switched_flits: 0,
            switched_packets: 0,
            series,
            starts,
            due: Vec::new(),
            due_endpoints: Vec::new(),
            actions: Vec::new(),
            emission: Emission::default(),
            outbox: Vec::new(),
        };
        for place in 0..node.endpoints.len() {
            let first = node.endpoints[place].first_due();
            node.wake_endpoint(place, first);
        }
        node
    }

    pub(crate) fn facts(&self) -> &FabricFacts {
        &self.facts
    }

    /// When the first event is due.
    pub(crate) fn first_event(&self) -> Option<Cycle> {
        self.wheel.next()
    }

    fn wake_endpoint(&mut self, place: usize, at: Cycle) {
        let endpoint = &mut self.endpoints[place];
        if at < endpoint.wake {
            endpoint.wake = at;
            self.wheel.push(at, ENDPOINT << NUMBER_BITS | place as u32);
        }
    }

    /// A message arrives by a link between switches.
    #[inline]
    fn receive(&mut self, port: u16, message: &LinkMessage) {
        match message {
            LinkMessage::Packet(packet) => self.arrive(port, channel_of(packet.leg), packet),
            LinkMessage::Credit(credit) => self.expect_credit(port, *credit),
        }
    }

    #[inline]
    fn arrive(&mut self, port: u16, channel: usize, packet: &FabricPacket) {
        if let Some(input) = self.switch.arrive(port, channel, packet) {
            self.wheel.push(packet.ready, INPUT << NUMBER_BITS | input);
        }
    }

    #[inline]
    fn expect_credit(&mut self, port: u16, credit: Credit) {
        if self.switch.expect_credit(port, credit) {
            let event = OUTPUT << NUMBER_BITS | u32::from(port);
            self.wheel.push(credit.ready, event);
        }
    }

    /// All events of a cycle.
    fn run_cycle(&mut self, now: Cycle) {
        self.sample_until(now);
        let mut due = std::mem::take(&mut self.due);
        self.wheel.take(now, &mut due);
        for &event in &due {
            let number = event & NUMBER;
            match event >> NUMBER_BITS {
                INPUT => self.switch.note_input(number),
                OUTPUT => self.switch.note_output(number),
                ENDPOINT => self.due_endpoints.push(number),
                // The table is looked at in every cycle that has events.
                _ => {}
            }
        }
        due.clear();
        self.due = due;
        self.run_endpoints(now);
        self.run_switch(now);
    }

    /// Takes the samples due by now. State has not changed since the last event.
    fn sample_until(&mut self, now: Cycle) {
        while let Some(at) = self.series.next()
            && at <= now
        {
            self.series.sample(at, &self.switch, &mut self.endpoints);
        }
    }

    fn run_endpoints(&mut self, now: Cycle) {
        let mut due = std::mem::take(&mut self.due_endpoints);
        let facts = Arc::clone(&self.facts);
        for &place in &due {
            let endpoint = &mut self.endpoints[place as usize];
            if endpoint.wake == now {
                endpoint.wake = NEVER;
                let next = endpoint.run_cycle(now, &facts, &mut self.emission);
                self.wake_endpoint(place as usize, next);
                self.emit(now, place as u16);
            }
        }
        due.clear();
        self.due_endpoints = due;
    }

    /// Passes what an endpoint sent on to the switch.
    fn emit(&mut self, now: Cycle, port: u16) {
        let ready = now + self.facts.config.hop();
        if let Some((channel, packet)) = self.emission.packet.take() {
            let packet = FabricPacket { ready, ..packet };
            let endpoint = self.number * self.facts.config.shape.endpoints_per_tor + port;
            self.record(now, PacketStart::from_endpoint(endpoint), &packet);
            debug_assert!(usize::from(channel) <= INJECTED_WRITES.max(RESPONSES));
            self.arrive(port, channel.into(), &packet);
        }
        let mut credits = std::mem::take(&mut self.emission.credits);
        for credit in credits.drain(..) {
            self.expect_credit(port, Credit { ready, ..credit });
        }
        self.emission.credits = credits;
    }

    fn record(&mut self, now: Cycle, place: (u16, u16), packet: &FabricPacket) {
        if let Some(starts) = &mut self.starts {
            starts.push(PacketStart::new(now, place, packet));
        }
    }

    fn run_switch(&mut self, now: Cycle) {
        let mut actions = std::mem::take(&mut self.actions);
        self.switch.run_cycle(now, &self.facts, &mut actions);
        for action in actions.drain(..) {
            match action {
                SwitchAction::Send(port, packet) => self.send(now, port, packet),
                SwitchAction::Return(port, credit) => self.give_back(now, port, credit),
                SwitchAction::WakeInput(at, input) => {
                    self.wheel.push(at, INPUT << NUMBER_BITS | input);
                }
                SwitchAction::WakeOutput(at, output) => {
                    self.wheel.push(at, OUTPUT << NUMBER_BITS | output);
                }
                SwitchAction::WakeTable(at) => self.wheel.push(at, TABLE << NUMBER_BITS),
            }
        }
        self.actions = actions;
    }

    fn send(&mut self, now: Cycle, port: u16, packet: FabricPacket) {
        let config = &self.facts.config;
        self.switched_flits += u64::from(packet.flits());
        self.switched_packets += u64::from(packet.kind != OperationKind::Probe);
        let own_ports = self.endpoints.len() as u16;
        let ready = if port < own_ports {
            now + config.flight()
        } else {
            now + config.hop()
        };
        let packet = FabricPacket { ready, ..packet };
        self.record(now, (self.number, port), &packet);
        if port < own_ports {
            self.endpoints[usize::from(port)].expect(&packet);
            self.wake_endpoint(port.into(), ready);
        } else {
            self.outbox
                .push((port - own_ports, LinkMessage::Packet(packet)));
        }
    }

    fn give_back(&mut self, now: Cycle, port: u16, credit: Credit) {
        let config = &self.facts.config;
        let own_ports = self.endpoints.len() as u16;
        if port < own_ports {
            let ready = now + config.flight();
            let credit = Credit { ready, ..credit };
            if self.endpoints[usize::from(port)].expect_credit(credit) {
                self.wake_endpoint(port.into(), ready);
            }
        } else {
            let ready = now + config.hop();
            let message = LinkMessage::Credit(Credit { ready, ..credit });
            self.outbox.push((port - own_ports, message));
        }
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

    /// A ToR runs its endpoints, too.
    fn weight(&self) -> u64 {
        1 + 2 * u64::from(!self.endpoints.is_empty())
    }
}

impl<C: Context<Message = LinkMessage>> Node<C> for FabricNode {
    fn on_message(&mut self, port: usize, message: &mut LinkMessage, _: &mut C) {
        self.receive((self.endpoints.len() + port) as u16, message);
    }

    fn on_timer_expiry(&mut self, _: usize, _: &mut C) {}

    fn process_window(&mut self, inbox: &mut [PortBatch<LinkMessage>], context: &mut C) -> bool {
        let (start, end) = (context.now().as_ps(), context.window_end().as_ps());
        self.wheel.advance(start);
        for batch in inbox {
            let port = (self.endpoints.len() + batch.port()) as u16;
            for message in batch.messages() {
                self.receive(port, message);
            }
        }
        while let Some(now) = self.wheel.next()
            && now < end
        {
            self.run_cycle(now);
            for (port, message) in self.outbox.drain(..) {
                let at = Time::from_ps(message.ready());
                context.send(port.into(), &message, at);
            }
        }
        if let Some(next) = self.wheel.next() {
            context.set_timer(TIMER, Time::from_ps(next));
        }
        true
    }
}
