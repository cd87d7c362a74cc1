//! Whose turn it is to send.
//!
//! A QP's turn is a time: it may send then or later, at [`Time::MAX`] not before something
//! happens, because all is sent or the window is full.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::few::{FEW, Few};
use self::linear_scan::LinearScan;
use self::round_robin::RoundRobin;
use super::qp::QpTable;

mod few;
mod linear_scan;
mod round_robin;

/// The order in which a NIC serves its QPs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NicScheduler {
    /// Round robin among the QPs that may send.
    RoundRobin,
    /// The ns-3 artifact's linear scan.
    // With its habits: finished QPs are swept out while scanning, and the NIC sleeps on when a QP
    // that waits for its window was due first.
    LinearScan,
}

/// The order in which a NIC serves its QPs, and when the first of them may send.
#[derive(Debug)]
pub(super) struct Scheduler {
    order: Order,
    earliest: Time,
}

#[derive(Debug)]
enum Order {
    /// Round robin, as long as there are few QPs.
    Few(Few),
    /// Round robin.
    Many(RoundRobin),
    LinearScan(LinearScan),
}

impl Scheduler {
    pub(super) fn new(kind: NicScheduler) -> Self {
        let order = match kind {
            NicScheduler::RoundRobin => Order::Few(Few::default()),
            NicScheduler::LinearScan => Order::LinearScan(LinearScan::default()),
        };
        let earliest = Time::MAX;
        Self { order, earliest }
    }

    /// A QP is created, in this slot.
    pub(super) fn add(&mut self, slot: u32) {
        match &mut self.order {
            Order::Few(few) if slot as usize >= FEW => {
                self.order = Order::Many(RoundRobin::from_few(few));
            }
            Order::Few(_) | Order::Many(_) => {}
            Order::LinearScan(scan) => scan.add(slot),
        }
    }

    pub(super) fn remove(&mut self, slot: u32) {
        match &mut self.order {
            Order::LinearScan(scan) => scan.finish(slot),
            _ => self.set_turn(slot, Time::MAX, Time::ZERO),
        }
    }

    /// A QP may send from then on.
    #[inline(always)]
    pub(super) fn set_turn(&mut self, slot: u32, at: Time, now: Time) {
        if let Order::Few(few) = &mut self.order {
            self.earliest = few.set_turn(slot, at);
        } else {
            self.set_turn_of_many(slot, at, now);
        }
    }

    #[inline(never)]
    fn set_turn_of_many(&mut self, slot: u32, at: Time, now: Time) {
        if let Order::Many(robin) = &mut self.order {
            robin.set_turn(slot, at, now);
            self.earliest = robin.earliest();
        }
    }

    /// The QP that sends now, if any may.
    pub(super) fn pick(&mut self, now: Time, paused: bool, qps: &QpTable) -> Option<u32> {
        match &mut self.order {
            Order::LinearScan(scan) => scan.pick(now, paused, qps),
            _ => (!paused && self.earliest <= now).then(|| self.serve(now)),
        }
    }

    /// The QP that sends now, where the time of one has come at least; not by linear scan.
    #[inline(always)]
    pub(super) fn serve(&mut self, now: Time) -> u32 {
        debug_assert!(self.earliest <= now, "nobody's turn");
        match &mut self.order {
            Order::Few(few) => few.serve(now),
            _ => self.serve_one_of_many(now),
        }
    }

    #[inline(never)]
    fn serve_one_of_many(&mut self, now: Time) -> u32 {
        match &mut self.order {
            Order::Many(robin) => robin.pick(now).expect("somebody's turn"),
            Order::Few(_) | Order::LinearScan(_) => unreachable!("they have their own"),
        }
    }

    /// When the first QP may send; [`Time::MAX`] if none may, or the scan has to find out.
    #[inline(always)]
    pub(super) fn earliest(&self) -> Time {
        self.earliest
    }

    /// The earliest send time of any QP that has bytes left, window or not.
    pub(super) fn earliest_unfinished(&self, qps: &QpTable) -> Option<Time> {
        match &self.order {
            Order::LinearScan(scan) => scan.earliest_turn(qps),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
