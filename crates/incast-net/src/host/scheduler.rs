//! The order in which a NIC serves its QPs.
//!
//! Every QP has a next send time, the earliest departure of its next packet. It is [`Time::MAX`] if
//! the QP waits for an ACK or rate reply, or has sent everything.

use incast_units::Time;

pub use self::options::NicScheduler;

use self::linear_scan::LinearScan;
use self::round_robin::RoundRobin;
use self::short_list::{SHORT_LIST_SLOTS, ShortList};
use super::sending::QpTable;
use crate::wire::Lanes;

mod linear_scan;
mod options;
mod round_robin;
mod short_list;

/// Serves the QPs of a NIC in turn, and keeps the earliest of their next send times.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    order: ServiceOrder,
    earliest: Time,
}

#[derive(Clone, Debug)]
enum ServiceOrder {
    /// Round robin among few QPs.
    ShortList(ShortList),
    /// Round robin among any number of QPs.
    Many(RoundRobin),
    /// The artifact's scan.
    LinearScan(LinearScan),
}

impl Scheduler {
    pub(super) fn new(kind: NicScheduler) -> Self {
        let order = match kind {
            NicScheduler::RoundRobin => ServiceOrder::ShortList(ShortList::default()),
            NicScheduler::LinearScan => ServiceOrder::LinearScan(LinearScan::default()),
        };
        let earliest = Time::MAX;
        Self { order, earliest }
    }

    /// Whether this is the linear scan, which keeps no next send times.
    pub(super) fn is_linear_scan(&self) -> bool {
        matches!(self.order, ServiceOrder::LinearScan(_))
    }

    /// A QP is created, in this slot.
    pub(super) fn add(&mut self, slot: u32) {
        match &mut self.order {
            ServiceOrder::ShortList(list) if slot as usize >= SHORT_LIST_SLOTS => {
                self.order = ServiceOrder::Many(RoundRobin::from_short_list(list));
            }
            ServiceOrder::ShortList(_) | ServiceOrder::Many(_) => {}
            ServiceOrder::LinearScan(scan) => scan.add(slot),
        }
    }

    /// A QP is complete.
    pub(super) fn remove(&mut self, slot: u32) {
        match &mut self.order {
            ServiceOrder::LinearScan(scan) => scan.finish(slot),
            _ => self.set_next_send(slot, Time::MAX, Time::ZERO),
        }
    }

    /// Sets the next send time of a QP.
    #[inline(always)]
    pub(super) fn set_next_send(&mut self, slot: u32, at: Time, now: Time) {
        if let ServiceOrder::ShortList(list) = &mut self.order {
            self.earliest = list.set_next_send(slot, at);
        } else {
            self.set_next_send_of_many(slot, at, now);
        }
    }

    #[inline(never)]
    fn set_next_send_of_many(&mut self, slot: u32, at: Time, now: Time) {
        if let ServiceOrder::Many(robin) = &mut self.order {
            robin.set_next_send(slot, at, now);
            self.earliest = robin.earliest();
        }
    }

    /// The QP that sends now, if any may; `paused` lanes are paused.
    pub(super) fn pick(&mut self, now: Time, paused: Lanes, qps: &QpTable) -> Option<u32> {
        match &mut self.order {
            ServiceOrder::LinearScan(scan) => scan.pick(now, paused, qps),
            _ => (self.earliest_unpaused(paused) <= now).then(|| self.serve(now)),
        }
    }

    /// The QP that sends now; at least one QP may send. Not for the linear scan.
    #[inline(always)]
    pub(super) fn serve(&mut self, now: Time) -> u32 {
        debug_assert!(self.earliest <= now, "no QP may send");
        match &mut self.order {
            ServiceOrder::ShortList(list) => list.serve(now),
            _ => self.serve_one_of_many(now),
        }
    }

    #[inline(never)]
    fn serve_one_of_many(&mut self, now: Time) -> u32 {
        match &mut self.order {
            ServiceOrder::Many(robin) => robin.pick(now).expect("a QP may send"),
            ServiceOrder::ShortList(_) | ServiceOrder::LinearScan(_) => {
                unreachable!("served elsewhere")
            }
        }
    }

    /// Number of QPs that wait for the link or for their pacing, the QP being served included. The
    /// linear scan does not know and returns 1.
    #[inline]
    pub(super) fn waiting(&self) -> u32 {
        match &self.order {
            ServiceOrder::ShortList(list) => list.waiting(),
            ServiceOrder::Many(robin) => robin.waiting(),
            ServiceOrder::LinearScan(_) => 1,
        }
    }

    /// Earliest next send time. May be [`Time::ZERO`] if a QP may send now; [`Time::MAX`] if there
    /// is none, and with the linear scan.
    #[inline(always)]
    pub(super) fn earliest(&self) -> Time {
        self.earliest
    }

    /// Earliest next send time while these lanes are paused. All data are in one lane, so any pause
    /// stops them.
    #[inline(always)]
    pub(super) fn earliest_unpaused(&self, paused: Lanes) -> Time {
        match paused.is_empty() {
            true => self.earliest,
            false => Time::MAX,
        }
    }

    /// With the linear scan: the earliest next send time of all QPs with bytes left, whether their
    /// windows are open or not.
    pub(super) fn earliest_unfinished(&self, qps: &QpTable) -> Option<Time> {
        match &self.order {
            ServiceOrder::LinearScan(scan) => scan.earliest_send_time(qps),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
