//! Whose turn it is to send.

use incast_units::Time;

use crate::NicScheduler;

use super::qp::QpTable;
use linear_scan::LinearScan;
use round_robin::RoundRobin;

mod linear_scan;
mod round_robin;

/// When a QP may send.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Not before something happens: all is sent, or the window is full.
    Blocked,
    /// At once.
    Now,
    /// When its pacing allows.
    At(Time),
}

/// The order in which a NIC serves its QPs.
#[derive(Debug)]
pub(super) enum Scheduler {
    RoundRobin(RoundRobin),
    LinearScan(LinearScan),
}

impl Scheduler {
    pub(super) fn new(kind: NicScheduler) -> Self {
        match kind {
            NicScheduler::RoundRobin => Self::RoundRobin(RoundRobin::default()),
            NicScheduler::LinearScan => Self::LinearScan(LinearScan::default()),
        }
    }

    pub(super) fn add(&mut self, slot: u32) {
        match self {
            Self::RoundRobin(_) => {}
            Self::LinearScan(scan) => scan.add(slot),
        }
    }

    pub(super) fn remove(&mut self, slot: u32) {
        match self {
            Self::RoundRobin(robin) => robin.set_turn(slot, Turn::Blocked),
            Self::LinearScan(scan) => scan.finish(slot),
        }
    }

    #[inline(always)]
    pub(super) fn set_turn(&mut self, slot: u32, turn: Turn) {
        if let Self::RoundRobin(robin) = self {
            robin.set_turn(slot, turn);
        }
    }

    /// The QP that sends now, if any may.
    #[inline(always)]
    pub(super) fn pick(&mut self, now: Time, paused: bool, qps: &QpTable) -> Option<u32> {
        match self {
            Self::RoundRobin(robin) if paused => {
                robin.wake(now);
                None
            }
            Self::RoundRobin(robin) => robin.pick(now),
            Self::LinearScan(scan) => scan.pick(now, paused, qps),
        }
    }

    /// When the next QP may send; `now` if one may already.
    #[inline]
    pub(super) fn next_turn(&self, now: Time) -> Option<Time> {
        match self {
            Self::RoundRobin(robin) => robin.next_turn(now),
            Self::LinearScan(_) => None,
        }
    }

    /// The earliest send time of any QP that has bytes left, window or not.
    pub(super) fn earliest_turn(&self, qps: &QpTable) -> Option<Time> {
        match self {
            Self::RoundRobin(_) => None,
            Self::LinearScan(scan) => scan.earliest_turn(qps),
        }
    }
}
