//! A host, as its programs see it and act on it.

use incast_cc::{FlowController, Start};
use incast_units::{NodeId, Time};

use crate::clock::Clock;
use crate::host::sending::{Qp, SendSide};
use crate::measure::Recorder;
use crate::violation::Violation;
use crate::wire::Packet;

/// The host of a program at one moment. Flows that have completed are not found: what is done to
/// them has no effect.
pub(crate) struct HostAccess<'h, 'a, const WORDS: usize> {
    pub(super) now: Time,
    pub(super) sender: &'h mut SendSide<'a>,
    pub(super) recorder: &'h mut Recorder,
    pub(super) acts: &'h mut Acts<WORDS>,
}

/// What programs have done that the host has yet to follow.
#[derive(Clone, Debug, Default)]
pub(super) struct Acts<const WORDS: usize> {
    /// Packets to send.
    pub(super) packets: Vec<Packet<WORDS>>,
    /// Slots of QPs that may send at another time than before.
    pub(super) changed: Vec<u32>,
}

impl<const WORDS: usize> HostAccess<'_, '_, WORDS> {
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    pub(crate) fn recorder(&mut self) -> &mut Recorder {
        self.recorder
    }

    /// Sends a packet of the program's own, behind those that wait in the control queue.
    pub(crate) fn send(&mut self, packet: Packet<WORDS>) {
        self.acts.packets.push(packet);
    }

    /// An invariant does not hold here.
    #[cold]
    pub(crate) fn fail(&mut self, violation: Violation) {
        let node = NodeId(self.sender.base.number);
        self.recorder.fail(self.now, node, violation);
    }
}

/// Flows of this host.
impl<const WORDS: usize> HostAccess<'_, '_, WORDS> {
    /// How a flow starts.
    pub(crate) fn start_of(&mut self, flow: u32) -> Option<Start> {
        let (_, qp) = self.sender.own.qps.find(flow)?;
        Some(qp.congestion.start())
    }

    /// A flow that starts sends nothing until it is [restarted](Self::restart).
    pub(crate) fn hold(&mut self, flow: u32) {
        if let Some((_, qp)) = self.sender.own.qps.find(flow) {
            qp.hold();
        }
    }

    /// The QP of a flow; `None` if it has completed.
    pub(super) fn qp(&mut self, flow: u32) -> Option<&Qp> {
        self.sender.own.qps.find(flow).map(|(_, qp)| &*qp)
    }

    /// Bytes on the wire that a flow has yet to send; 0 if it has completed.
    pub(crate) fn bytes_left(&mut self, flow: u32) -> u64 {
        let overhead = self.sender.base.shared.data_overhead;
        self.sender.own.qps.find(flow).map_or(0, |(_, qp)| {
            let (payload, packets) = qp.transfer.unsent();
            payload + u64::from(packets) * overhead
        })
    }

    /// Whether all of a flow has been sent; `None` if it has completed.
    pub(crate) fn has_sent_all(&mut self, flow: u32) -> Option<bool> {
        let (_, qp) = self.sender.own.qps.find(flow)?;
        Some(qp.transfer.has_sent_all())
    }

    /// Packets of a flow from `psn` on were dropped, and its sender knows: it goes on with them.
    ///
    /// # Errors
    /// If one of them has been acknowledged.
    pub(crate) fn resume_at(&mut self, flow: u32, psn: u32) -> Result<(), Violation> {
        let mtu = self.sender.base.shared.mtu;
        let Some((_, qp)) = self.sender.own.qps.find(flow) else {
            return Ok(());
        };
        let resumed = qp.transfer.resume_at(psn, mtu);
        resumed.map_err(|acked| Violation::NoPrefix {
            flow: qp.transfer.flow.id,
            resumed: psn,
            acked,
        })
    }

    /// Tells the controller of a flow of something, after which it may have another limit.
    pub(crate) fn tell(&mut self, flow: u32, news: impl FnOnce(&mut dyn FlowController)) {
        self.change(flow, |qp, clock| {
            qp.change(clock, |congestion| congestion.tell(news));
        });
    }

    /// Tells the controller something, and the next packet may leave at once, whatever was planned.
    pub(crate) fn restart(&mut self, flow: u32, news: impl FnOnce(&mut dyn FlowController)) {
        let now = self.now;
        self.change(flow, |qp, _| qp.restart(now, news));
    }

    fn change(&mut self, flow: u32, change: impl FnOnce(&mut Qp, Clock)) {
        let clock = self.sender.base.clock;
        let own = &mut self.sender.own;
        if let Some((slot, qp)) = own.qps.find(flow) {
            change(qp, clock);
            own.schedule_timer(slot, self.now, clock);
            self.acts.changed.push(slot);
        }
    }
}
