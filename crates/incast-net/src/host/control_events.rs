//! Events of control packets at a host, around its [`ControlSide`].
//!
//! [`ControlSide`]: super::control::ControlSide

use incast_cc::Start;
use incast_units::{Rate, Time};

use crate::context::NetContext;
use crate::measure::{PacketEvent, Recorder};
use crate::packet::{Kind, Packet};
use crate::programs::OverAllocated;
use crate::{Flow, Violation};

use super::control::HasEnded;
use super::qp::QpUpdate;
use super::{Host, PORT};

impl<const WORDS: usize> Host<'_, WORDS> {
    /// A flow starts, whose QP is in this slot: its first control packet leaves, if it has any.
    pub(super) fn start_control<C: NetContext<WORDS>>(
        &mut self,
        flow: &Flow,
        slot: u32,
        context: &mut C,
    ) {
        let Some(control) = &mut self.control else {
            return;
        };
        let now = context.now();
        control.open_connection(flow.id.0, now);
        let qp = self.sender.qps.get_mut(slot);
        let start = qp.congestion.start();
        if start == Start::AfterControl {
            qp.hold();
        }
        if start != Start::AtOnce {
            let bytes = self.sender.bytes_left(flow.id.0);
            let request = control.start(flow, start == Start::Speculatively, bytes, now);
            self.queue_request(request, context);
        }
    }

    /// A request arrives at its destination, which sends it back, unless its flow leaves. `false`:
    /// there is nothing to send.
    pub(super) fn turn_around(&self, packet: &mut Packet<WORDS>) -> bool {
        if packet.control_record().leaves() {
            return false;
        }
        let size = packet.size;
        packet.become_reply(Kind::RateReply, size);
        true
    }

    /// A reply arrives at the sender of its flow.
    pub(super) fn on_rate_reply<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) -> QpUpdate {
        let now = context.now();
        let Some(control) = &mut self.control else {
            return QpUpdate::Unknown;
        };
        let returned = match control.on_reply(packet, now) {
            Ok(Some(returned)) => returned,
            Ok(None) => return QpUpdate::Unknown,
            Err(OverAllocated) => {
                self.fail_over_allocated(context);
                return QpUpdate::Unknown;
            }
        };
        match self.sender.on_control(packet.flow, &returned, now) {
            Ok((update, has_ended)) => {
                let ends = has_ended && control.leaves_when_sent || update == QpUpdate::Unknown;
                control.plan(packet.flow, ends.into(), now);
                update
            }
            Err(violation) => {
                context.local().fail(now, self.node, violation);
                QpUpdate::Unknown
            }
        }
    }

    /// A CNP that asks for a rate arrives: it is divided among the connections of this host, if
    /// they have weights.
    pub(super) fn weigh(&self, packet: &mut Packet<WORDS>) {
        if let Some(control) = &self.control
            && let Some((rate, congestion_point)) = packet.asked_rate()
        {
            let share = rate.as_bps() / u64::from(control.weight_divisor());
            packet.set_asked_rate(Rate::from_bps(share.max(1)), congestion_point);
        }
    }

    /// A flow has got its last ACK.
    pub(super) fn end_control(&mut self, flow: u32, now: Time, recorder: &mut Recorder) {
        if let Some(control) = &mut self.control {
            let weight = control.close_connection(flow, now);
            recorder.mean_weights.extend(weight);
            control.plan(flow, HasEnded::Yes, now);
        }
    }

    /// A data packet of the QP in this slot leaves.
    #[inline]
    pub(super) fn note_data_sent(&mut self, slot: u32, packet: &mut Packet<WORDS>, now: Time) {
        if let Some(control) = &mut self.control {
            let has_ended = self.sender.qps.get_mut(slot).transfer.has_sent_all();
            control.on_data_sent(packet, has_ended.into(), now);
        }
    }

    /// When the next request is due.
    pub(super) fn next_request(&self) -> Time {
        self.control
            .as_ref()
            .map_or(Time::MAX, |control| control.next_due())
    }

    /// Queues the requests that are due at `now`.
    pub(super) fn queue_due_requests<C: NetContext<WORDS>>(&mut self, now: Time, context: &mut C) {
        while let Some(control) = &mut self.control
            && let Some(flow) = control.take_due(now)
        {
            let bytes = self.sender.bytes_left(flow);
            let request = control.request(flow, bytes, now);
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
