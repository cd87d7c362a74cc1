//! Fair rates: every port computes a rate for its flows, and sends it to their sources.
//!
//! Taheri et al., "RoCC: Robust Congestion Control for RDMA", CoNEXT 2020, §3: a PI controller of
//! the queue, whose gains follow the rate itself. In each period T, with the queue Q and the rate F
//! in the paper's units:
//!
//! ```text
//! F ← F_min                                   if Q ≥ Q_max and F > F_max/8           (1)
//! F ← F/2                                     if Q − Q_old ≥ Q_mid and F > F_max/8   (2)
//! F ← F − α·(Q − Q_ref) − β·(Q − Q_old)       otherwise                              (3)
//! α, β ← α̃/r, β̃/r;  r = 1, 2, 4 … 32: the first for which F ≥ F_max/2r               (4)
//! F ← F within F_min … F_max;  Q_old ← Q
//! ```
//!
//! The paper's flow table has exactly the flows with packets in the queue, so the queue itself
//! serves as the table here. In each period a CNP with F goes to the source of each of these flows.
//! No CNP is sent while F is F_max and the queue is below Q_ref.
//!
//! A port with an empty queue has no timer: its missed periods are computed at the next one. F
//! starts at F_max.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use incast_signals::s_perc::CompactRate;
use incast_signals::{FairRateLaw, FairRateOptions};
use incast_units::{Rate, Time};
use rustc_hash::FxHasher;

use super::{
    Offer, OverAllocated, PortView, Program, ProgramDemands, SwitchFacts, SwitchProgramOptions,
};
use crate::wire::{Address, Kind, Packet, Pass};

/// The controllers of a switch's ports.
#[derive(Clone, Debug)]
pub(crate) struct FairRates {
    ports: Vec<Controller>,
    /// Number of the switch's first port, counted over all nodes.
    first_port: u32,
    cnp_size: u16,
    /// Flows that have already got a CNP in a port's current update.
    told: HashSet<u32, BuildHasherDefault<FxHasher>>,
}

/// A port's controller.
#[derive(Clone, Debug)]
struct Controller {
    law: FairRateLaw,
    /// F, in units.
    rate: f64,
    /// Q_old, in bytes.
    queue: u64,
    /// Update periods from the start of the run to the last update.
    periods: u64,
}

/// F_max/8: below this rate there is no sudden decrease.
const STEADY_SHARE: f64 = 8.0;
/// The largest ratio of (4).
const MAX_RATIO: f64 = 32.0;

impl SwitchProgramOptions for FairRateOptions {
    fn demands(&self) -> ProgramDemands {
        ProgramDemands {
            packet_sources: true,
            one_path: Some("a fair rate is for flows through one port"),
            ..ProgramDemands::default()
        }
    }

    fn build<const WORDS: usize>(&self, switch: &SwitchFacts<'_>) -> Box<dyn Program<WORDS>> {
        let rates = switch.rates.iter();
        Box::new(FairRates {
            ports: rates.map(|rate| Controller::new(self.law(*rate))).collect(),
            first_port: switch.first_port,
            cnp_size: switch.cnp_size,
            told: HashSet::default(),
        })
    }
}

impl<const WORDS: usize> Program<WORDS> for FairRates {
    fn sees_rate_requests(&self) -> bool {
        true
    }

    /// Limits a rate request to the smallest rate on its path.
    fn on_rate_request(
        &mut self,
        packet: &mut Packet<WORDS>,
        port: usize,
        pass: Pass,
        now: Time,
        offer: &mut Offer,
    ) -> Result<(), OverAllocated> {
        let rate = self.ports[port].rate_at(now);
        offer.rate = Some(rate);
        if pass == Pass::Forward {
            let number = self.first_port + port as u32;
            let kbps = CompactRate::kbps_of(rate);
            packet.control_record().limit_asked(kbps, number);
        }
        Ok(())
    }

    fn next_timer(&self, now: Time) -> Option<Time> {
        let next = |port: &Controller| {
            let period = port.law.period;
            period * (now.as_ps() / period.as_ps() + 1)
        };
        self.ports.iter().map(next).min()
    }

    fn on_timer(
        &mut self,
        now: Time,
        ports: &[&dyn PortView<WORDS>],
        out: &mut Vec<Packet<WORDS>>,
    ) {
        for (index, (controller, port)) in self.ports.iter_mut().zip(ports).enumerate() {
            if !now.as_ps().is_multiple_of(controller.law.period.as_ps()) {
                continue;
            }
            let rate = controller.end_period(now, port.data_bytes());
            let Some(rate) = rate else {
                continue;
            };
            self.told.clear();
            let congestion_point = self.first_port + index as u32;
            port.each_waiting(&mut |packet| {
                if self.told.insert(packet.flow()) {
                    out.push(cnp(packet, self.cnp_size, rate, congestion_point));
                }
            });
        }
    }
}

/// A CNP to the source of a packet.
fn cnp<const WORDS: usize>(
    packet: &Packet<WORDS>,
    size: u16,
    rate: Rate,
    congestion_point: u32,
) -> Packet<WORDS> {
    let (source, destination) = (packet.destination(), packet.source());
    let address = Address::new(source, destination, packet.entropy());
    let mut cnp = Packet::new(Kind::Cnp, size).of_flow(packet.flow(), packet.psn(), address);
    cnp.set_asked_rate(rate, congestion_point);
    cnp
}

impl Controller {
    fn new(law: FairRateLaw) -> Self {
        Self {
            rate: law.largest_rate(),
            queue: 0,
            periods: 0,
            law,
        }
    }

    /// Ends a period with this many bytes in the queue. Returns the rate to send, if any.
    fn end_period(&mut self, now: Time, queue: u64) -> Option<Rate> {
        let periods = now.as_ps() / self.law.period.as_ps();
        self.make_up_for((periods - self.periods).saturating_sub(1));
        self.periods = periods;
        self.update(queue);
        let silent =
            self.rate >= self.law.largest_rate() && queue < self.law.reference_queue.as_u64();
        (!silent).then(|| self.law.rate(self.rate))
    }

    /// Computes the periods that this port missed, with an empty queue.
    fn make_up_for(&mut self, mut missed: u64) {
        // With an empty queue nothing changes once F has reached F_max.
        while missed > 0 && (self.queue > 0 || self.rate < self.law.largest_rate()) {
            self.update(0);
            missed -= 1;
        }
    }

    /// F at this time.
    fn rate_at(&self, now: Time) -> Rate {
        let mut current = self.clone();
        current.make_up_for(now.as_ps() / self.law.period.as_ps() - self.periods);
        self.law.rate(current.rate)
    }

    /// Eqs. (1) to (4).
    fn update(&mut self, queue: u64) {
        let law = &self.law;
        let (least, largest) = (law.least_rate(), law.largest_rate());
        let growth = queue as f64 - self.queue as f64;
        let steady = self.rate <= largest / STEADY_SHARE;
        self.rate = if !steady && queue >= law.largest_queue.as_u64() {
            least
        } else if !steady && growth >= law.middle_queue.as_u64() as f64 {
            self.rate / 2.0
        } else {
            let excess = queue as f64 - law.reference_queue.as_u64() as f64;
            let ratio = ratio(self.rate, largest);
            let (alpha, beta) = (law.queue_gain / ratio, law.growth_gain / ratio);
            self.rate - alpha * law.in_units(excess) - beta * law.in_units(growth)
        };
        self.rate = self.rate.clamp(least, largest);
        self.queue = queue;
    }
}

/// r of Eq. (4).
fn ratio(rate: f64, largest: f64) -> f64 {
    let mut ratio = 1.0;
    while rate < largest / (2.0 * ratio) && ratio < MAX_RATIO {
        ratio *= 2.0;
    }
    ratio
}

#[cfg(test)]
mod tests;
