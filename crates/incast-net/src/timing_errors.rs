//! Errors of timing: links whose delay varies, and clocks that are slow. By default there are none.
//!
//! **Jitter.** Each data packet that leaves a port arrives late by a delay that is drawn for it,
//!
//! ```text
//! L ← max(U, L′ − g + 1 ps)        arrival = end of transmission + delay of the link + L
//! ```
//!
//! with U uniform in 0 … J, L′ the lateness of the data packet before, and g the time between the
//! ends of both transmissions. So packets arrive in the order in which they left, and L never
//! exceeds J, since g is 1 ps at least. Other packets (ACKs, PFC frames) are as late as the data
//! packet before. The port itself is free when the transmission ends: no rate is lost.
//!
//! **Clocks.** A node's clock is slow by s, uniform in 0 … `clock_ppm`: its transmissions take 1 +
//! s times as long. No clock is fast, so ideal FCTs stay lower bounds. Fractions of a picosecond
//! are carried over to the next packet, in units of 2⁻³² ps.

use incast_diagnostic::Diagnostic;
use incast_random::{NetworkPurpose, SplitMix64};
use incast_units::{NodeId, Rate, Time};

use crate::clock::Clock;
use crate::diagnostics;

/// Bounds of the lateness of packets and the slowness of clocks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TimingErrors {
    /// Largest lateness of a data packet from a NIC.
    pub nic_jitter: Time,
    /// Largest lateness of a data packet from a port of a switch.
    pub switch_jitter: Time,
    /// Largest slowness of a node's clock, in parts per million.
    pub clock_ppm: u32,
}

impl TimingErrors {
    /// Upper limits; real ports and clocks are much better.
    const MOST_JITTER: Time = Time::from_us(1);
    const MOST_PPM: u32 = 1_000;

    /// Checks the upper limits, and that the clock can express these errors.
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

    /// The jitter of the ports of a node of this kind.
    fn jitter(&self, is_nic: bool) -> Time {
        match is_nic {
            true => self.nic_jitter,
            false => self.switch_jitter,
        }
    }

    /// Upper bound of the additional time of several transmissions that take a total of `time`
    /// without errors. Rounded up, plus one picosecond per transmission for a fraction carried
    /// over.
    fn longest_stretch(&self, time: Time, transmissions: u64) -> Time {
        if self.clock_ppm == 0 {
            return Time::ZERO;
        }
        let stretch = u128::from(time.as_ps()) * u128::from(self.clock_ppm);
        Time::from_ps(stretch.div_ceil(1_000_000) as u64 + transmissions)
    }

    /// Upper bound of the lateness of a packet with this transmission time.
    pub(crate) fn latest(&self, transmission: Time) -> Time {
        self.nic_jitter.max(self.switch_jitter) + self.longest_stretch(transmission, 1)
    }

    /// Upper bound of the additional time until the last packet arrives after a switch has decided
    /// to pause its peer. Packets on the link are late. `transmissions` is the time of three: the
    /// packet that has just begun, a resume frame, and the pause frame.
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

/// A port of a network.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PortPlace {
    /// Whose.
    pub(crate) node: NodeId,
    /// Whether the port belongs to a NIC.
    pub(crate) is_nic: bool,
    /// The port's number, counted over all nodes.
    pub(crate) index: u32,
}

/// The timing errors of one sending end of a link.
#[derive(Clone, Debug)]
pub(crate) struct PortErrors {
    /// J.
    jitter: Time,
    draws: SplitMix64,
    /// The link's.
    delay: Time,
    /// s, in parts per billion.
    slow_ppb: u64,
    /// Additional time per byte, in 2⁻³² ps.
    stretch: u128,
    /// Additional time carried over to the next transmission, in 2⁻³² ps.
    kept: u32,
}

impl PortErrors {
    /// Sets the rate of the link.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        // 8·10¹² ps · bit/s, times 10⁻⁹ · 2³².
        const UNIT: u128 = 8_000 << 32;
        self.stretch = UNIT * u128::from(self.slow_ppb) / u128::from(rate.as_bps());
    }

    /// Bytes that leave per picosecond, from `exact` bytes without errors.
    pub(crate) fn bytes_per_ps(&self, exact: f64) -> f64 {
        exact / (1.0 + self.slow_ppb as f64 * 1e-9)
    }

    /// Additional time of a transmission of this size.
    pub(crate) fn stretch(&mut self, size: u64) -> Time {
        let longer = u128::from(size) * self.stretch + u128::from(self.kept);
        self.kept = longer as u32;
        Time::from_ps((longer >> 32) as u64)
    }

    /// Largest time carried over from earlier transmissions to one transmission.
    pub(crate) fn most_kept(&self) -> Time {
        Time::from_ps((self.stretch > 0).into())
    }

    /// Takes back the last transmission, which was revoked.
    pub(crate) fn take_back(&mut self, size: u64) {
        let longer = u128::from(size) * self.stretch;
        self.kept = self.kept.wrapping_sub(longer as u32);
    }

    /// The link's delay plus the lateness of the next data packet. `before`: this sum for the last
    /// data packet. `later`: time between the ends of both transmissions.
    pub(crate) fn next_delay(&mut self, before: Time, later: Time) -> Time {
        let least = (before + Time::from_ps(1)).saturating_sub(later);
        let drawn = self.draws.below(self.jitter.as_ps() + 1);
        least.max(self.delay + Time::from_ps(drawn))
    }
}

#[cfg(test)]
mod tests;
