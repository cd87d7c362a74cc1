//! The NIC of a host: the choice of the next packet, and its departure time.
//!
//! Packets of the control queue leave first (ACKs, NACKs, CNPs, rate requests and replies). Then
//! the scheduler picks a QP whose window and pacing allow a packet. A pause stops data and, with
//! `ack_pausable_at_host`, the control queue.

use incast_units::Time;

use crate::fifo::Fifo;
use crate::host::NicScheduler;
use crate::measure::NicLog;
use crate::transmitter::Transmitter;
use crate::wire::{Lane, Packet};

use super::scheduler::Scheduler;
use super::sending::QpTable;

/// The link of a host, and the packets and QPs that wait for the link.
#[derive(Clone)]
pub(crate) struct Nic<const WORDS: usize> {
    pub(crate) link: Transmitter,
    /// Control packets that wait for the link.
    control: Fifo<Packet<WORDS>>,
    /// Bytes on the wire of waiting control packets.
    control_bytes: u64,
    pub(super) scheduler: Scheduler,
    /// Whether a pause of data also stops the control queue.
    control_is_pausable: bool,
    /// Log of departures, if the parts of flow completion times are measured.
    pub(super) log: Option<Box<NicLog>>,
}

/// The packet that leaves next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum NextPacket {
    /// The first packet of the control queue.
    Control,
    /// A data packet of the QP in this slot.
    Data(u32),
}

impl<const WORDS: usize> Nic<WORDS> {
    pub(super) fn new(
        link: Transmitter,
        scheduler: NicScheduler,
        control_is_pausable: bool,
    ) -> Self {
        Self {
            link,
            control: Fifo::default(),
            control_bytes: 0,
            scheduler: Scheduler::new(scheduler),
            control_is_pausable,
            log: None,
        }
    }

    /// Notes what leaves.
    pub(super) fn with_log(mut self, log: Option<NicLog>) -> Self {
        self.log = log.map(Box::new);
        self
    }

    /// Adds a control packet to the queue.
    pub(super) fn enqueue_control(&mut self, packet: &Packet<WORDS>) {
        self.control.push_back(packet);
        self.control_bytes += u64::from(packet.size());
    }

    /// Removes the first packet of the control queue, which must not be empty.
    pub(super) fn dequeue_control(&mut self) -> Packet<WORDS> {
        let packet = *self.control.front_mut();
        self.control.pop_front();
        self.control_bytes -= u64::from(packet.size());
        packet
    }

    /// The packet that leaves at `now` if the link is free.
    pub(super) fn pick(&mut self, now: Time, qps: &QpTable) -> Option<NextPacket> {
        if self.control_may_leave() {
            return Some(NextPacket::Control);
        }
        let slot = self.scheduler.pick(now, self.link.paused(), qps)?;
        Some(NextPacket::Data(slot))
    }

    /// Whether a control packet waits and no pause stops it.
    #[inline]
    pub(super) fn control_may_leave(&self) -> bool {
        !self.control.is_empty() && !self.control_is_paused()
    }

    /// Whether the peer has paused any lane of data.
    #[inline(always)]
    pub(super) fn is_paused(&self) -> bool {
        !self.link.paused().is_empty()
    }

    #[inline]
    pub(super) fn control_is_paused(&self) -> bool {
        self.is_paused() && self.control_is_pausable
    }

    /// Whether pauses stop all packets.
    #[inline]
    pub(super) fn is_held(&self) -> bool {
        self.link.paused().are_all::<{ Lane::COUNT }>() && !self.control_may_leave()
    }

    #[inline]
    pub(super) fn has_control(&self) -> bool {
        !self.control.is_empty()
    }

    #[inline]
    pub(super) fn control_is_pausable(&self) -> bool {
        self.control_is_pausable
    }

    /// Earliest time from `from` on at which a packet can leave; [`Time::MAX`] if none can leave
    /// before the next event. Not for the linear scan: see [`super::scan_timing`].
    #[inline(always)]
    pub(super) fn next_departure(&self, from: Time) -> Time {
        let eligible = if self.control_may_leave() {
            Time::ZERO
        } else {
            self.scheduler.earliest_unpaused(self.link.paused())
        };
        eligible.max(self.link.free_at()).max(from)
    }

    /// Number of control packets that wait for the link.
    pub(super) fn control_packets(&self) -> usize {
        self.control.iter().count()
    }

    /// Bytes on the wire of waiting control packets.
    pub(super) fn control_bytes(&self) -> u64 {
        self.control_bytes
    }
}

#[cfg(test)]
mod tests {
    use incast_units::Rate;

    use super::*;
    use crate::config::Model;
    use crate::wire::{Kind, ONE_LINE};

    /// ACKs of 60 B and CNPs of 64 B are queued and removed alternately.
    #[test]
    fn waiting_bytes_are_those_of_the_queue() {
        let model = Model::standard();
        let link = Transmitter::new(&model, Rate::from_gbps(100), Time::from_us(1));
        let mut nic = Nic::<ONE_LINE>::new(link, model.nic_scheduler, false);
        let packets = [Packet::new(Kind::Ack, 60), Packet::new(Kind::Cnp, 64)];
        for pair in 0..50 {
            nic.enqueue_control(&packets[0]);
            assert_eq!(nic.control_bytes(), pair * 124 + 60);
            nic.enqueue_control(&packets[1]);
            assert_eq!(nic.control_bytes(), pair * 124 + 124);
        }
        for pair in (0..50).rev() {
            assert_eq!(nic.dequeue_control().size(), 60);
            assert_eq!(nic.control_bytes(), pair * 124 + 64);
            nic.dequeue_control();
            assert_eq!(nic.control_bytes(), pair * 124);
        }
    }
}
