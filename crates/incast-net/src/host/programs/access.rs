//! The part of a host that its programs see and change.

use incast_cc::{FlowController, Start};
use incast_units::{NodeId, Time};

use crate::clock::Clock;
use crate::host::sending::{Qp, SendSide};
use crate::measure::Recorder;
use crate::violation::Violation;
use crate::wire::Packet;

/// The host of a program at one moment. Calls for completed flows have no effect.
pub(crate) struct HostAccess<'h, 'a, const WORDS: usize> {
    pub(super) now: Time,
    pub(super) sender: &'h mut SendSide<'a>,
    pub(super) recorder: &'h mut Recorder,
    pub(super) acts: &'h mut Acts<WORDS>,
}

/// Acts of programs that the host has yet to carry out.
#[derive(Clone, Debug, Default)]
pub(super) struct Acts<const WORDS: usize> {
    /// Packets to send.
    pub(super) packets: Vec<Packet<WORDS>>,
    /// Slots of QPs whose next send time may have changed.
    pub(super) changed: Vec<u32>,
}

impl<const WORDS: usize> HostAccess<'_, '_, WORDS> {
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    pub(crate) fn recorder(&mut self) -> &mut Recorder {
        self.recorder
    }

    /// Queues a packet of the program's own behind the packets in the control queue.
    pub(crate) fn send(&mut self, packet: Packet<WORDS>) {
        self.acts.packets.push(packet);
    }

    /// Reports a violation at this host, which ends the run.
    #[cold]
    pub(crate) fn fail(&mut self, violation: Violation) {
        let node = NodeId(self.sender.base.number);
        self.recorder.fail(self.now, node, violation);
    }
}

/// Flows of this host.
impl<const WORDS: usize> HostAccess<'_, '_, WORDS> {
    /// How a flow starts; `None` if it has completed.
    pub(crate) fn start_of(&mut self, flow: u32) -> Option<Start> {
        let (_, qp) = self.sender.own.qps.find(flow)?;
        Some(qp.congestion.start())
    }

    /// Keeps a flow that starts from sending until it is [restarted](Self::restart).
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

    /// Tells the sender that the packets of a flow from `psn` on were dropped; the sender goes on
    /// with them.
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

    /// Tells the controller of a flow something, which may change its limit.
    pub(crate) fn tell(&mut self, flow: u32, news: impl FnOnce(&mut dyn FlowController)) {
        self.change(flow, |qp, clock| {
            qp.change(clock, |congestion| congestion.tell(news));
        });
    }

    /// Tells the controller of a flow something. The next packet may then leave at once, whatever
    /// its send time was.
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
