//! Credit that receivers grant their senders, in pull packets (RCCC of Ultra Ethernet).
//!
//! ```text
//! data ───── credit that the flow asks for ─────► pacer of the receiver's NIC
//! credit ◄── pull: all that the flow was granted ◄─┘ a pull at a time
//! ```
//!
//! Credit is counted in quanta on the wire. A pull names the sum since the start of the flow, so
//! the next pull makes up for a lost one. Where the packets of a flow take several paths,
//! successive pulls have different entropies; else all pulls have the entropy of the data.
//! [`pacer`] chooses the flow that is served. The algorithm decides how a sender uses its credit. A
//! flow that has lost all its packets or its credit [asks by itself](requests).

mod oversubscription;
mod pacer;
mod requests;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use incast_cc::{Backlog, Credit};
use incast_signals::CreditOptions;
use incast_units::{Bytes, Time};
use rustc_hash::FxHasher;

use self::oversubscription::{CountedArrival, GrantedShare};
use self::pacer::PullPacer;
use self::requests::Requests;
use super::{
    Delivery, Hears, HostAccess, HostFacts, HostProgram, HostProgramOptions, ReceivedPart,
};
use crate::clock::Clock;
use crate::flow::Flow;
use crate::host::sending::Qp;
use crate::wire::{Address, Kind, Packet, PacketParts, TrimmedAt};

/// Number of entropies that the pulls of a flow take in turn (uet-htsim, `uec.cpp:2900`: 7 bits).
const ENTROPIES: u16 = 1 << 7;

/// The credit of one host: requests of the flows that it sends, and grants to the flows that it
/// receives.
#[derive(Clone, Debug)]
struct ReceiverCredits {
    host: u32,
    clock: Clock,
    quantum: u64,
    /// Bytes on the wire of a pull, and of a request.
    size: u16,
    /// Bytes of headers of a data packet.
    overhead: u64,
    pacer: PullPacer,
    /// The granted share of the link's rate, if the network is oversubscribed.
    share: Option<Box<GrantedShare>>,
    /// Whether successive pulls have different entropies.
    spreads: bool,
    /// By flow that this host receives: its source, and the entropy of its last pull.
    sources: HashMap<u32, (u32, u16), BuildHasherDefault<FxHasher>>,
    /// Flows that this host sends.
    requests: Requests,
}

impl HostProgramOptions for CreditOptions {
    fn carries(&self) -> PacketParts {
        PacketParts {
            credit: true,
            ..PacketParts::default()
        }
    }

    fn build<const WORDS: usize>(&self, host: &HostFacts<'_>) -> Box<dyn HostProgram<WORDS>> {
        let shared = host.shared;
        let bdp = host.rate.bytes_in(shared.config.base_rtt).as_u64() as f64;
        let window = (self.window * bdp) as u64;
        Box::new(ReceiverCredits {
            host: host.node.0,
            clock: shared.config.model.clock,
            quantum: self.quantum.as_u64().max(1),
            size: shared.ack_size,
            overhead: shared.data_overhead,
            pacer: PullPacer::new(self, host.rate, window),
            share: self.oversubscription.map(|ratio| {
                let (base_rtt, seed) = (shared.config.base_rtt, shared.config.seed);
                Box::new(GrantedShare::new(ratio, base_rtt, seed, host.node.0))
            }),
            spreads: !shared.keeps_paths,
            sources: HashMap::default(),
            requests: Requests::new(shared.config.recovery.timeout),
        })
    }
}

impl CountedArrival {
    /// The kind of a data packet, or of the header of a trimmed packet.
    fn of<const WORDS: usize>(packet: &Packet<WORDS>) -> Self {
        match (packet.is(Kind::Trimmed), packet.marked()) {
            (false, false) => Self::Unmarked,
            (false, true) => Self::Marked,
            (true, _) if packet.trimmed_at() == TrimmedAt::LastHop => Self::TrimmedAtLastHop,
            (true, _) => Self::TrimmedBefore,
        }
    }
}

impl ReceiverCredits {
    /// Time at which this host acts next for credit, rounded up to a clock unit.
    fn next(&self) -> Time {
        let share = self.share.as_ref().map_or(Time::MAX, |share| share.due());
        let first = self.pacer.due().min(self.requests.next()).min(share);
        self.clock.round_up(first)
    }

    /// The credit that a flow asks for, in quanta. `flows`: flows of the host that wait for the
    /// link.
    fn wanted(&self, qp: &Qp, flows: u32) -> u64 {
        let (payload, packets) = qp.transfer.unsent();
        let left = Bytes::new(payload + u64::from(packets) * self.overhead);
        let wanted = qp.congestion.credit_wanted(&Backlog { left, flows });
        wanted.as_u64().div_ceil(self.quantum)
    }

    /// A packet of a flow that asks for credit arrives.
    fn take_demand<const WORDS: usize>(&mut self, packet: &Packet<WORDS>, now: Time) {
        let flow = packet.flow();
        let entropy = match self.spreads {
            true => 0,
            false => packet.entropy(),
        };
        let source = (packet.source(), entropy);
        self.sources.entry(flow).or_insert(source);
        self.pacer.demand(flow, packet.credit(), now);
        if !packet.is_data() {
            // A request, or a header whose payload has to be sent again.
            self.pacer.request(flow, now);
        }
    }

    /// Sends the pull that is due, if any.
    fn send_pull<const WORDS: usize>(&mut self, host: &mut HostAccess<'_, '_, WORDS>) {
        let Some(pull) = self.pacer.pull(host.now()) else {
            return;
        };
        let (source, entropy) = self.sources.get_mut(&pull.flow).expect("it has asked");
        if self.spreads {
            *entropy = (*entropy + 1) % ENTROPIES;
        }
        let address = Address::new(self.host, *source, *entropy);
        let mut packet = Packet::new(Kind::Pull, self.size).of_flow(pull.flow, 0, address);
        packet.set_credit(pull.granted);
        host.send(packet);
    }

    /// A flow of this host has neither sent nor received for a timeout: asks for a pull, if the
    /// flow waits for credit.
    fn send_request<const WORDS: usize>(&self, flow: u32, host: &mut HostAccess<'_, '_, WORDS>) {
        let Some(qp) = host
            .qp(flow)
            .filter(|qp| !qp.may_send() && !qp.transfer.has_sent_all())
        else {
            return;
        };
        let wanted = self.wanted(qp, 1);
        let packet = Packet::new(Kind::CreditRequest, self.size);
        let mut packet = packet.of_flow(flow, 0, qp.transfer.address);
        packet.set_credit(wanted);
        host.send(packet);
    }
}

impl<const WORDS: usize> HostProgram<WORDS> for ReceiverCredits {
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Pull, Kind::CreditRequest]
    }

    fn hears(&self) -> Hears {
        Hears {
            sent: true,
            data: true,
            ..Hears::default()
        }
    }

    fn on_start(&mut self, flow: &Flow, host: &mut HostAccess<'_, '_, WORDS>) {
        self.requests.open(flow.id.0, host.now());
    }

    fn on_sent(&mut self, packet: &mut Packet<WORDS>, qp: &Qp, waiting: u32, now: Time) -> Time {
        packet.set_credit(self.wanted(qp, waiting));
        self.requests.note(packet.flow(), now);
        self.next()
    }

    fn on_end(&mut self, flow: u32, _host: &mut HostAccess<'_, '_, WORDS>) {
        self.requests.close(flow);
    }

    fn on_data(
        &mut self,
        packet: &Packet<WORDS>,
        received: ReceivedPart,
        host: &mut HostAccess<'_, '_, WORDS>,
    ) {
        if let Some(share) = &mut self.share {
            share.count(CountedArrival::of(packet), host.now());
        }
        self.take_demand(packet, host.now());
        if received == ReceivedPart::All {
            self.pacer.end(packet.flow());
        }
    }

    fn on_packet(
        &mut self,
        packet: &mut Packet<WORDS>,
        host: &mut HostAccess<'_, '_, WORDS>,
    ) -> Delivery {
        let (flow, now) = (packet.flow(), host.now());
        if packet.kind() == Kind::CreditRequest {
            self.take_demand(packet, now);
            return Delivery::Taken;
        }
        let in_all = Some(Bytes::new(packet.credit() * self.quantum));
        let credit = Credit {
            in_all,
            ..Credit::default()
        };
        self.requests.note(flow, now);
        host.tell(flow, |controller| controller.on_credit(now, &credit));
        Delivery::Taken
    }

    fn next_due(&self) -> Time {
        self.next()
    }

    fn on_due(&mut self, host: &mut HostAccess<'_, '_, WORDS>) {
        if let Some(share) = self
            .share
            .as_mut()
            .filter(|share| share.due() <= host.now())
        {
            self.pacer.slow_to(share.end_period());
        }
        while self.pacer.due() <= host.now() {
            self.send_pull(host);
        }
        while let Some(flow) = self.requests.take_due(host.now()) {
            self.send_request(flow, host);
        }
    }
}
