//! Errors of timing: links whose delay varies, and clocks that are slow. None, unless asked for.
//!
//! **Jitter.** Each data packet that leaves a port arrives late by a delay that is drawn for it,
//!
//! ```text
//! L ← max(U, L′ − g + 1 ps)        arrival = end of transmission + delay of the link + L
//! ```
//!
//! with U uniform in 0 … J, L′ the lateness before, and g from the end of the transmission before
//! to that of this one. So packets arrive in the order in which they left, and L never exceeds J,
//! since g is 1 ps at least. What else leaves (ACKs, PFC frames) is as late as the data packet
//! before it. The port itself is free when the transmission ends: no rate is lost.
//!
//! **Clocks.** A node's clock is slow by s, uniform in 0 … `clock_ppm`: what it sends takes 1 + s
//! times as long. No clock is fast, so ideal FCTs stay lower bounds. What is less than a picosecond
//! is kept for the next packet, in units of 2⁻³² ps.

use incast_diagnostic::Diagnostic;
use incast_random::{NetworkPurpose, SplitMix64};
use incast_units::{NodeId, Rate, Time};

use crate::clock::Clock;
use crate::diagnostics;

/// How late packets may be, and how slow clocks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TimingErrors {
    /// A data packet that leaves a NIC is late by up to this.
    pub nic_jitter: Time,
    /// The most jitter of packets from ports of switches.
    pub switch_jitter: Time,
    /// A node's clock is slow by up to so many parts per million.
    pub clock_ppm: u32,
}

impl TimingErrors {
    /// Ports and clocks are better than this, by far.
    const MOST_JITTER: Time = Time::from_us(1);
    const MOST_PPM: u32 = 1_000;

    /// Whether such errors can be had on a clock that rounds so.
    pub(crate) fn check(&self, clock: Clock) -> Result<(), Diagnostic> {
        let jitters = [
            ("jitter.nic", self.nic_jitter),
            ("jitter.switch", self.switch_jitter),
        ];
        for (key, jitter) in jitters {
            if jitter > Self::MOST_JITTER {
                return Err(diagnostics::too_much_jitter(jitter, Self::MOST_JITTER).at(key));
            }
        }
        if self.clock_ppm > Self::MOST_PPM {
            return Err(diagnostics::clocks_too_slow(self.clock_ppm, Self::MOST_PPM));
        }
        match clock {
            Clock::Picoseconds => Ok(()),
            Clock::Nanoseconds if self.have_jitter() => Err(diagnostics::too_coarse_for("jitter")),
            Clock::Nanoseconds if self.clock_ppm > 0 => {
                Err(diagnostics::too_coarse_for("clock_ppm"))
            }
            Clock::Nanoseconds => Ok(()),
        }
    }

    fn have_jitter(&self) -> bool {
        self.nic_jitter.max(self.switch_jitter) > Time::ZERO
    }

    /// The jitter of a node's ports.
    fn jitter(&self, is_nic: bool) -> Time {
        match is_nic {
            true => self.nic_jitter,
            false => self.switch_jitter,
        }
    }

    /// By how much transmissions that take this long together, each of at most so many, take longer
    /// at most: rounded up, and a picosecond for each that was kept from before.
    fn longest_stretch(&self, time: Time, transmissions: u64) -> Time {
        if self.clock_ppm == 0 {
            return Time::ZERO;
        }
        let stretch = u128::from(time.as_ps()) * u128::from(self.clock_ppm);
        Time::from_ps(stretch.div_ceil(1_000_000) as u64 + transmissions)
    }

    /// How much later than without errors a packet arrives at most whose transmission takes this
    /// long.
    pub(crate) fn latest(&self, transmission: Time) -> Time {
        self.nic_jitter.max(self.switch_jitter) + self.longest_stretch(transmission, 1)
    }

    /// How much longer than without errors a switch waits at most for the last packet that arrives
    /// after it has decided to pause its peer. What was on the link is late, and so are the pause
    /// frame and the transmissions before and of it: three of this time together.
    pub(crate) fn later_pause(&self, peer_is_nic: bool, transmissions: Time) -> Time {
        let jitters = self.jitter(peer_is_nic) + self.switch_jitter;
        jitters + self.longest_stretch(transmissions, 3)
    }

    /// The errors of a port; `None` if it has none.
    pub(crate) fn of_port(&self, seed: u64, port: &PortPlace, delay: Time) -> Option<PortErrors> {
        let jitter = self.jitter(port.is_nic);
        if jitter == Time::ZERO && self.clock_ppm == 0 {
            return None;
        }
        let draws = SplitMix64::of_network(seed, port.index.into(), NetworkPurpose::Jitter);
        let node = port.node.0.into();
        let mut of_node = SplitMix64::of_network(seed, node, NetworkPurpose::ClockRate);
        Some(PortErrors {
            jitter,
            draws,
            delay,
            slow_ppb: of_node.below(u64::from(self.clock_ppm) * PPB_OF_PPM + 1),
            stretch: 0,
            kept: 0,
        })
    }
}

const PPB_OF_PPM: u64 = 1_000;

/// Which port of a network.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PortPlace {
    /// Whose.
    pub(crate) node: NodeId,
    /// Whether the port is one of a NIC.
    pub(crate) is_nic: bool,
    /// Its number, counted over all nodes.
    pub(crate) index: u32,
}

/// The errors of one sending end of a link.
#[derive(Clone, Debug)]
pub(crate) struct PortErrors {
    /// J.
    jitter: Time,
    draws: SplitMix64,
    /// The link's.
    delay: Time,
    /// s, in parts per billion.
    slow_ppb: u64,
    /// What a byte takes longer, in 2⁻³² ps.
    stretch: u128,
    /// What transmissions have been too short, in 2⁻³² ps.
    kept: u32,
}

impl PortErrors {
    /// The link has this rate from now on.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        // 8·10¹² ps · bit/s, times 10⁻⁹ · 2³².
        const UNIT: u128 = 8_000 << 32;
        self.stretch = UNIT * u128::from(self.slow_ppb) / u128::from(rate.as_bps());
    }

    /// What leaves per picosecond, of so many bytes without errors.
    pub(crate) fn bytes_per_ps(&self, exact: f64) -> f64 {
        exact / (1.0 + self.slow_ppb as f64 * 1e-9)
    }

    /// What a transmission of this size takes longer.
    pub(crate) fn stretch(&mut self, size: u64) -> Time {
        let longer = u128::from(size) * self.stretch + u128::from(self.kept);
        self.kept = longer as u32;
        Time::from_ps((longer >> 32) as u64)
    }

    /// How much longer than its bytes alone a transmission takes at most.
    pub(crate) fn most_kept(&self) -> Time {
        Time::from_ps((self.stretch > 0).into())
    }

    /// Takes back the last transmission: it does not happen after all.
    pub(crate) fn take_back(&mut self, size: u64) {
        let longer = u128::from(size) * self.stretch;
        self.kept = self.kept.wrapping_sub(longer as u32);
    }

    /// The link's delay with the lateness of a data packet, whose transmission ends so much later
    /// than the one before; and with the lateness before.
    pub(crate) fn next_delay(&mut self, before: Time, later: Time) -> Time {
        let least = (before + Time::from_ps(1)).saturating_sub(later);
        let drawn = self.draws.below(self.jitter.as_ps() + 1);
        least.max(self.delay + Time::from_ps(drawn))
    }
}

#[cfg(test)]
mod tests;
