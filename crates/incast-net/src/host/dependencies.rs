//! Sends that wait at a host. They are told of the host's events, and start when they are ready.

use incast_units::{FlowId, Time};

use super::{Host, START};
use crate::context::NetContext;
use crate::flow::{Flow, Milestone};
use crate::waiting::{EndedFlow, WaitingHost, WaitingSends};
use crate::wire::{Kind, Packet};

impl<'a, const WORDS: usize> Host<'a, WORDS> {
    /// Adds the sends that wait for events at this host.
    pub(crate) fn with_waiting_sends(mut self, sends: Option<Box<dyn WaitingSends + 'a>>) -> Self {
        let clock = self.sender.base.clock;
        self.waiting = sends.map(|sends| WaitingHost::new(sends, clock));
        self
    }

    /// The host as a NIC of a machine. The machine keeps the waiting sends.
    pub(crate) fn as_nic_of_machine(mut self) -> Self {
        self.waiting = Some(WaitingHost::of_machine());
        self
    }

    /// Takes the flow ends that have not been passed to the machine.
    pub(crate) fn take_flow_ends(&mut self) -> Vec<EndedFlow> {
        let waiting = self.waiting.as_mut();
        waiting.map_or_else(Vec::new, WaitingHost::take_flow_ends)
    }

    /// Adds a flow that the machine has found ready.
    pub(crate) fn add_ready(&mut self, flow: Flow) {
        let waiting = self.waiting.as_mut();
        waiting.expect("a NIC of a machine").add_ready(flow);
    }

    /// If a flow has just been received in full, sends that wait for it may start.
    pub(super) fn on_flow_received<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let Some(flow) = self.receiver.just_received.take() else {
            return;
        };
        let Some(waiting) = &mut self.waiting else {
            return;
        };
        let reached = waiting.on_flow_end(EndedFlow::Received(FlowId(flow)), context.now());
        self.go_on(reached, context);
    }

    /// If the last ACK of a flow has just arrived, sends that wait for it may start.
    pub(super) fn on_flow_acknowledged<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let Some(waiting) = &mut self.waiting else {
            return;
        };
        let Some(flow) = self.sender.take_completed() else {
            return;
        };
        let reached = waiting.on_flow_end(EndedFlow::Acknowledged(flow), context.now());
        self.go_on(reached, context);
    }

    /// Whether a flow may end at this host when this packet arrives. If packets can come out of
    /// order, any packet that arrives after its flow's last packet may be the missing one. `last`:
    /// flows whose last packets arrive shortly before.
    pub(crate) fn may_end_flow(&self, packet: &Packet<WORDS>, last: &[u32]) -> bool {
        match packet.kind() {
            Kind::LastData => true,
            Kind::Data | Kind::DataWithAckRequest => {
                let flow = packet.flow();
                let is_late = || last.contains(&flow) || self.receiver.has_last_of(flow);
                self.sender.base.shared.numbered && is_late()
            }
            Kind::Ack => self.sender.is_ended_by(packet.flow(), packet.psn()),
            _ => false,
        }
    }

    /// Records milestones, and sets the timer for sends that have become ready.
    fn go_on<C: NetContext<WORDS>>(&mut self, reached: Vec<Milestone>, context: &mut C) {
        context.local().milestones.extend(reached);
        if let Some(next) = self.next_waiting()
            && context.timer_deadline(START).is_none_or(|at| at > next)
        {
            context.set_timer(START, next);
        }
    }

    /// Earliest start of a send that is ready, or earliest wake-up of the waiting sends.
    pub(crate) fn next_waiting(&self) -> Option<Time> {
        self.waiting.as_ref().and_then(WaitingHost::next_time)
    }
}
