//! Rate requests of a host's flows (the papers' "control packets"): their times, their contents,
//! and the handling of replies.
//!
//! ```text
//! flow starts ─ request ──► links … destination ──► reply ─┬─ rate, packets let through ─► QP
//!                  ▲                                       │
//!                  └─────────── minimum spacing ◄──────────┴─ all sent: leave request
//! ```
//!
//! A flow has at most one request in flight. The next goes out when the reply is back, at most as
//! often as the links' control shares allow. After the last data packet (in a lossy network, after
//! the last ACK) a leave request goes out, which is not returned. The state of requests is kept
//! here, apart from the QP, because a flow may complete before its leave request leaves.
//!
//! Where each link computes rates (s-PERC), the link of this NIC is the first one of the path.

mod requests;
mod speculation;
mod weight_averages;

use incast_cc::Start;
use incast_signals::RateRequestOptions;
use incast_units::{Rate, Time};

use self::requests::{Leaving, RateRequests};
use super::{Delivery, Hears, HostAccess, HostFacts, HostProgram, HostProgramOptions};
use crate::flow::Flow;
use crate::host::PORT;
use crate::host::sending::Qp;
use crate::programs::OverAllocated;
use crate::violation::Violation;
use crate::wire::{Kind, Packet, PacketParts};

impl HostProgramOptions for RateRequestOptions {
    fn carries(&self) -> PacketParts {
        PacketParts {
            records: true,
            ..PacketParts::default()
        }
    }

    fn measures_weights(&self) -> bool {
        self.weights
    }

    fn build<const WORDS: usize>(&self, host: &HostFacts<'_>) -> Box<dyn HostProgram<WORDS>> {
        Box::new(RateRequests::new(*self, host))
    }
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

    fn on_sent(&mut self, packet: &mut Packet<WORDS>, qp: &Qp, _waiting: u32, now: Time) -> Time {
        self.on_data_sent(packet, qp.transfer.has_sent_all(), now);
        self.next()
    }

    /// The last ACK of a flow has arrived: its next request is a leave request.
    fn on_end(&mut self, flow: u32, host: &mut HostAccess<'_, '_, WORDS>) {
        let weight = self.close_connection(flow, host.now());
        host.recorder().mean_weights.extend(weight);
        self.plan(flow, Leaving::Yes, host.now());
    }

    /// Divides the rate that a CNP names among the connections of this host, if they have weights.
    fn on_cnp(&mut self, cnp: &mut Packet<WORDS>) {
        if let Some((rate, congestion_point)) = cnp.asked_rate() {
            let share = rate.as_bps() / u64::from(self.weight_divisor());
            cnp.set_asked_rate(Rate::from_bps(share.max(1)), congestion_point);
        }
    }

    /// Turns a request into its reply, unless it is a leave request. Takes the rate from a reply.
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
        self.next()
    }

    fn on_due(&mut self, host: &mut HostAccess<'_, '_, WORDS>) {
        while let Some(flow) = self.take_due(host.now()) {
            self.send_request(flow, host);
        }
    }

    fn left_over(&self) -> Option<String> {
        self.left()
    }
}

/// Sending requests and taking replies.
impl RateRequests {
    /// Sends the next request of a flow.
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
