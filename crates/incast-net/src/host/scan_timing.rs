//! When the NIC of the HPCC artifact scans its QPs (`qbb-net-device.cc`, `rdma-hw.cc`).
//!
//! The NIC scans whenever the link becomes free, a flow starts or an ACK comes or goes. A scan that
//! finds nothing to send lets the NIC sleep until the earliest send time of any unfinished QP,
//! unless the NIC sleeps already. If this time is past, the QP waits for its window, and an ACK
//! starts the next scan. A QP that becomes due while the NIC sleeps for another one may be late. A
//! timer of a controller (DCQCN's) changes the rate, but does not wake the NIC.

use incast_engine::Context;
use incast_units::Time;

use crate::context::NetContext;

use super::sending::Expiry;
use super::{Host, SEND, WAKE};

impl<const WORDS: usize> Host<'_, WORDS> {
    /// Sets the timer for the next scan, at the end of the transmission.
    pub(super) fn set_scan_timer<C: Context>(&mut self, context: &mut C) {
        if context.timer_deadline(SEND).is_none() {
            context.set_timer(SEND, self.nic.link.free_at());
        }
    }

    /// Sets the timer for the next scan after a scan that has found nothing to send.
    pub(super) fn sleep_until_eligible<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        if context.timer_deadline(WAKE).is_none()
            && let Some(next_send) = self.nic.scheduler.earliest_unfinished(&self.sender.own.qps)
            && next_send > context.now()
            && next_send < Time::MAX
        {
            context.set_timer(WAKE, next_send);
        }
    }

    /// A sleeping scan wakes for a QP whose pending packet may leave earlier than the scan
    /// expected.
    pub(super) fn wake_scan_early<C: NetContext<WORDS>>(&mut self, slot: u32, context: &mut C) {
        if !self.nic.scheduler.is_linear_scan() {
            return;
        }
        let qp = self.sender.own.qps.get_mut(slot);
        let next_send = qp.pacer.next_send;
        if qp.congestion.wakes_scan
            && context
                .timer_deadline(WAKE)
                .is_some_and(|wake| next_send < wake)
        {
            context.set_timer(WAKE, next_send.max(context.now()));
        }
    }

    /// Whether a timer that expired starts a scan. The artifact has no retransmission timers; after
    /// one of them no other event may start a scan.
    pub(super) fn scans_after(&self, expiry: &Expiry) -> bool {
        !self.nic.scheduler.is_linear_scan() || expiry.shows_loss
    }
}
