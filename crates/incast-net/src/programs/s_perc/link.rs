//! The state of one link of s-PERC, over all its flows, and its answer to a rate request.
//!
//! ```text
//! SumE   Σ x·w of the flows that are limited elsewhere (E)
//! NumB   Σ w of those that are limited here (B)
//! MaxE   the largest x of E since the last round began; MaxE' since this one did
//!
//! process(packet of flow f, on the way out or back):
//!     SumE ← SumE − cE;  NumB ← NumB − cB          what is booked for f, by its record      (1)
//!     NumB ← NumB + w                              as if f were limited here                (2)
//!     b ← (c − SumE)/NumB                                                                   (3)
//!     e ← min b of f's other links with i = 0, and its host's demand                        (4)
//!     x ← e, s ← E  if e < b;  else x ← b, s ← B                                            (5)
//!     i ← 1 if b < MaxE, else 0                                                             (6)
//!     f leaves:  NumB ← NumB − w                                                            (7)
//!     else E:    NumB ← NumB − w;  SumE ← SumE + x·w;  MaxE, MaxE' ← max(·, x)              (8)
//! every T_round: MaxE ← MaxE';  MaxE' ← 0                                                   (9)
//! ```
//!
//! Rates are kb/s per unit weight, sums in 2⁻²⁰ kb/s. Both are whole numbers, so that (1) subtracts
//! exactly the amount that (8) has added. c = C·(1 − control share − headroom). A leaving flow's
//! packet does nothing on its way back. If e is less than 100 kb/s below b, it counts as equal to
//! b.
//!
//! c > SumE always: E needs e < b = (c − SumE)/NumB, and NumB ≥ w. Otherwise [`OverAllocated`] is
//! returned.

use incast_signals::s_perc::{
    Allocation, CompactRate, ControlRecord, DEFAULT_ROUND, RateClass, SPercOptions, UNIT_WEIGHT,
    weight,
};
use incast_units::{Rate, Time};

use crate::programs::OverAllocated;
use crate::wire::Pass;

/// A flow is limited elsewhere if e is below b by more than this, in kb/s (1e-4 Gb/s in the
/// authors' simulator).
const EPSILON: u64 = 100;

/// How all links divide their rates.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LinkShares {
    /// The share of a link's rate for data.
    data: f64,
    /// The share of a link's rate for rate requests and replies.
    control: f64,
    round: Time,
}

impl From<&SPercOptions> for LinkShares {
    fn from(options: &SPercOptions) -> Self {
        Self {
            data: 1.0 - options.control_share - options.headroom,
            control: options.control_share,
            round: options.round.unwrap_or(DEFAULT_ROUND),
        }
    }
}

/// A link's state.
#[derive(Clone, Debug)]
pub(crate) struct LinkState {
    /// c, in parts of 2²⁰ kb/s.
    capacity: u64,
    /// Rate of all rate requests together, in kb/s.
    control_capacity: u64,
    /// SumE.
    sum_elsewhere: u64,
    /// NumB.
    weights_here: u64,
    /// MaxE.
    largest_elsewhere: u64,
    /// MaxE'.
    largest_of_round: u64,
    round: Time,
    /// Rounds that have ended since time 0.
    rounds: u64,
    /// Number of flows on this link: those that have started and not left.
    flows: u64,
}

impl LinkState {
    pub(crate) fn new(rate: Rate, shares: &LinkShares) -> Self {
        let kbps = CompactRate::kbps_of(rate) as f64;
        Self {
            capacity: (kbps * shares.data).round() as u64 * UNIT_WEIGHT,
            control_capacity: (kbps * shares.control).round() as u64,
            sum_elsewhere: 0,
            weights_here: 0,
            largest_elsewhere: 0,
            largest_of_round: 0,
            round: shares.round,
            rounds: 0,
            flows: 0,
        }
    }

    /// Processes a rate request or reply that passes; this is link number `link` of its path.
    /// Returns b.
    pub(crate) fn process(
        &mut self,
        record: &mut ControlRecord<'_>,
        link: usize,
        pass: Pass,
        now: Time,
    ) -> Result<u64, OverAllocated> {
        let before = record.allocation(link);
        if record.leaves() && pass == Pass::Reverse {
            return Ok(before.limit.kbps());
        }
        self.end_rounds(now);
        self.count_flow(record, pass);
        let w = weight(record.connections());
        let w_before = match pass {
            Pass::Forward => weight(record.connections_before()),
            Pass::Reverse => w,
        };
        self.forget(before, w_before)?;
        self.weights_here += w;
        let limit = self.limit()?;
        let elsewhere = record.limit_elsewhere(link);
        let class = match elsewhere.saturating_add(EPSILON) < limit.kbps() {
            true => RateClass::Elsewhere,
            false => RateClass::Here,
        };
        let rate = match class {
            RateClass::Elsewhere => CompactRate::at_most(elsewhere),
            RateClass::Here => limit,
        };
        let found = Allocation {
            limit,
            rate,
            class,
            ignored: limit.kbps() < self.largest_elsewhere,
        };
        if record.leaves() {
            self.weights_here -= w;
        } else if class == RateClass::Elsewhere {
            self.weights_here -= w;
            self.sum_elsewhere += rate.kbps() * w;
            self.largest_elsewhere = self.largest_elsewhere.max(rate.kbps());
            self.largest_of_round = self.largest_of_round.max(rate.kbps());
        }
        record.set_allocation(link, found);
        record.limit_control_rate(self.control_capacity / self.flows.max(1));
        Ok(limit.kbps())
    }

    /// (9), for each round that has ended.
    fn end_rounds(&mut self, now: Time) {
        let rounds = now.as_ps() / self.round.as_ps();
        if rounds > self.rounds {
            self.largest_elsewhere = match rounds - self.rounds {
                1 => self.largest_of_round,
                _ => 0,
            };
            self.largest_of_round = 0;
            self.rounds = rounds;
        }
    }

    fn count_flow(&mut self, record: &ControlRecord<'_>, pass: Pass) {
        if pass == Pass::Forward {
            self.flows += u64::from(record.is_first());
            self.flows = self.flows.saturating_sub(record.leaves().into());
        }
    }

    /// (1): takes away the allocation of a flow with this weight.
    fn forget(&mut self, booked: Allocation, w: u64) -> Result<(), OverAllocated> {
        let (sum, share) = match booked.class {
            RateClass::Elsewhere => (&mut self.sum_elsewhere, booked.rate.kbps() * w),
            RateClass::Here => (&mut self.weights_here, w),
        };
        *sum = sum.checked_sub(share).ok_or(OverAllocated)?;
        Ok(())
    }

    /// (3), as packets carry it; at least one unit.
    fn limit(&self) -> Result<CompactRate, OverAllocated> {
        if self.sum_elsewhere >= self.capacity {
            return Err(OverAllocated);
        }
        let limit = (self.capacity - self.sum_elsewhere) / self.weights_here;
        Ok(CompactRate::at_most(limit.max(1)))
    }

    /// Books this many kb/s for flows that are limited elsewhere.
    #[cfg(test)]
    pub(super) fn book_for_test(&mut self, kbps: u64) {
        self.sum_elsewhere += kbps * UNIT_WEIGHT;
    }

    /// Allocations that are left when no flow is on the link; `None` if there are none.
    pub(crate) fn left_over(&self) -> Option<String> {
        let booked = [self.sum_elsewhere, self.weights_here, self.flows];
        (booked != [0; 3]).then(|| {
            let [sum, weights, flows] = booked;
            format!("SumE of {sum}, NumB of {weights} and {flows} flows of s-PERC are")
        })
    }
}
