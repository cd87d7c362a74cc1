//! Events of rate requests and replies at a host, around its [`RateRequests`].
//!
//! [`RateRequests`]: super::rate_requests::RateRequests

use incast_cc::Start;
use incast_units::{Rate, Time};

use crate::context::NetContext;
use crate::flow::Flow;
use crate::measure::{PacketEvent, Recorder};
use crate::programs::OverAllocated;
use crate::violation::Violation;
use crate::wire::{Kind, Packet};

use super::qp::QpUpdate;
use super::rate_requests::Leaving;
use super::{Host, PORT};

impl<const WORDS: usize> Host<'_, WORDS> {
    /// A flow starts, whose QP is in this slot: its first rate request leaves, if it sends any.
    pub(super) fn start_requests<C: NetContext<WORDS>>(
        &mut self,
        flow: &Flow,
        slot: u32,
        context: &mut C,
    ) {
        let Some(requests) = &mut self.requests else {
            return;
        };
        let now = context.now();
        requests.open_connection(flow.id.0, now);
        let qp = self.sender.qps.get_mut(slot);
        let start = qp.congestion.start();
        if start == Start::AfterControl {
            qp.hold();
        }
        if start != Start::AtOnce {
            let bytes = self.sender.bytes_left(flow.id.0);
            let request = requests.start(flow, start == Start::Speculatively, bytes, now);
            self.queue_request(request, context);
        }
    }

    /// Turns a request that arrives at its destination into the reply. `false`: it is a leave
    /// request, which is not returned.
    pub(super) fn reflect_request(&self, packet: &mut Packet<WORDS>) -> bool {
        if packet.control_record().leaves() {
            return false;
        }
        let size = packet.size();
        packet.become_reply(Kind::RateReply, size);
        true
    }

    /// A rate reply arrives at the sender of its flow.
    pub(super) fn on_rate_reply<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) -> QpUpdate {
        let now = context.now();
        let Some(requests) = &mut self.requests else {
            return QpUpdate::Unknown;
        };
        let returned = match requests.on_reply(packet, now) {
            Ok(Some(returned)) => returned,
            Ok(None) => return QpUpdate::Unknown,
            Err(OverAllocated) => {
                self.fail_over_allocated(context);
                return QpUpdate::Unknown;
            }
        };
        match self.sender.on_rate_reply(packet.flow(), &returned, now) {
            Ok((update, has_sent_all)) => {
                let leaves =
                    has_sent_all && requests.leaves_when_sent || update == QpUpdate::Unknown;
                requests.plan(packet.flow(), leaves.into(), now);
                update
            }
            Err(violation) => {
                context.local().fail(now, self.node, violation);
                QpUpdate::Unknown
            }
        }
    }

    /// Divides the rate that a CNP asks for among the connections of this host, if they have
    /// weights.
    pub(super) fn divide_asked_rate(&self, packet: &mut Packet<WORDS>) {
        if let Some(requests) = &self.requests
            && let Some((rate, congestion_point)) = packet.asked_rate()
        {
            let share = rate.as_bps() / u64::from(requests.weight_divisor());
            packet.set_asked_rate(Rate::from_bps(share.max(1)), congestion_point);
        }
    }

    /// The last ACK of a flow has arrived: its next request leaves the links.
    pub(super) fn end_requests(&mut self, flow: u32, now: Time, recorder: &mut Recorder) {
        if let Some(requests) = &mut self.requests {
            let weight = requests.close_connection(flow, now);
            recorder.mean_weights.extend(weight);
            requests.plan(flow, Leaving::Yes, now);
        }
    }

    /// A data packet of the QP in this slot leaves.
    #[inline]
    pub(super) fn on_data_sent(&mut self, slot: u32, packet: &mut Packet<WORDS>, now: Time) {
        if let Some(requests) = &mut self.requests {
            let has_sent_all = self.sender.qps.get_mut(slot).transfer.has_sent_all();
            requests.on_data_sent(packet, has_sent_all, now);
        }
    }

    /// Lower bound of the time of the next request; [`Time::MAX`] if none is planned.
    pub(super) fn next_request(&self) -> Time {
        self.requests
            .as_ref()
            .map_or(Time::MAX, |requests| requests.next_due())
    }

    /// Queues the requests that are due at `now`.
    pub(super) fn queue_due_requests<C: NetContext<WORDS>>(&mut self, now: Time, context: &mut C) {
        while let Some(requests) = &mut self.requests
            && let Some(flow) = requests.take_due(now)
        {
            let bytes = self.sender.bytes_left(flow);
            let request = requests.request(flow, bytes, now);
            self.queue_request(request, context);
        }
    }

    fn queue_request<C: NetContext<WORDS>>(
        &mut self,
        request: Result<Packet<WORDS>, OverAllocated>,
        context: &mut C,
    ) {
        match request {
            Ok(packet) => {
                let queued = || self.nic.control_bytes();
                context.note(PacketEvent::Enqueue, PORT, &packet, queued);
                self.nic.enqueue_control(&packet);
            }
            Err(OverAllocated) => self.fail_over_allocated(context),
        }
    }

    #[cold]
    fn fail_over_allocated<C: NetContext<WORDS>>(&self, context: &mut C) {
        let violation = Violation::OverAllocated {
            node: self.node,
            port: PORT as u32,
        };
        let now = context.now();
        context.local().fail(now, self.node, violation);
    }
}
