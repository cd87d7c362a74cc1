//! PLB: a flow keeps one path until it has been congested for some rounds; then it takes another.
//!
//! Qureshi et al., "PLB: Congestion Signals are Simple and Effective for Network Load Balancing",
//! SIGCOMM 2022; Linux, `net/ipv4/tcp_plb.c` and `tcp_dctcp.c`, whose constants these are.
//!
//! A round ends with the ACK that shows the arrival of all packets sent before the round began,
//! roughly an RTT. A round is congested if at least a share `congested` of its ACKs signals
//! congestion. After this many congested rounds in a row the flow draws another entropy for all
//! further packets:
//!
//! ```text
//! rounds ≥ rounds_before_change                          at the end of any round
//! rounds ≥ idle_rounds_before_change                     if no packet is in flight then
//! ```
//!
//! A timeout draws another entropy at once, and holds PLB back for a random time between
//! `pause_after_timeout` and twice that. The packets in flight at a change may be overtaken.
//!
//! An ACK signals congestion by its mark. With `delay`, for algorithms based on delay, it does so
//! by an RTT above `delay` instead. (The paper takes Swift's own target, which differs from flow to
//! flow.)
//!
//! | parameter                   | unit   | default | source                                    |
//! |-----------------------------|--------|---------|-------------------------------------------|
//! | `entropies`                 | 1      | 64      | as those that spray; Linux: 2³²           |
//! | `congested`                 | 1      | 0.5     | Linux, `tcp_plb_cong_thresh`, 128 of 256  |
//! | `rounds_before_change`      | rounds | 12      | Linux, `tcp_plb_rehash_rounds`            |
//! | `idle_rounds_before_change` | rounds | 3       | Linux, `tcp_plb_idle_rehash_rounds`       |
//! | `pause_after_timeout`       | time   | 60 s    | Linux, `tcp_plb_suspend_rto_sec`          |
//! | `delay`                     | time   | none    | the paper has Swift's target delay        |

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draws::RawDraws;
use super::{
    BalanceOptions, DEFAULT_ENTROPIES, FlowEntropy, LeavingPacket, PathFeedback, PathReport,
    PathSelector, PathUse, check_entropies,
};

/// A flow keeps one path until it has been congested for some rounds.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Plb {
    /// Number of entropies from which a flow draws.
    #[schemars(range(min = 1, max = 65536))]
    pub entropies: u32,
    /// The share of congested ACKs in a round from which the round is congested.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub congested: f64,
    /// Number of congested rounds in a row after which a flow takes another path.
    #[schemars(range(min = 1))]
    pub rounds_before_change: u32,
    /// The same number if no packet is in flight at the end of the last round; 0: no change of
    /// path.
    pub idle_rounds_before_change: u32,
    /// Shortest time after a timeout in which congestion changes no path. The time is drawn between
    /// this value and twice this value.
    pub pause_after_timeout: Time,
    /// RTT above which an ACK signals congestion. Default: marks signal congestion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Time>,
}

impl Default for Plb {
    fn default() -> Self {
        Self {
            entropies: DEFAULT_ENTROPIES,
            congested: 0.5,
            rounds_before_change: 12,
            idle_rounds_before_change: 3,
            pause_after_timeout: Time::from_ms(60_000),
            delay: None,
        }
    }
}

impl BalanceOptions for Plb {
    fn entropies(&self) -> u32 {
        self.entropies
    }

    fn path_use(&self) -> PathUse {
        PathUse::OneAtATime
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check_entropies(self.entropies)?;
        if !(0.0..=1.0).contains(&self.congested) {
            let what = format!("`{}` is no part of all ACKs", self.congested);
            return Err(Diagnostic::new(what, "write a number from 0 to 1")).at("congested");
        }
        if self.rounds_before_change == 0 {
            let wrong = Diagnostic::new("`0` is out of range", "write 1 or more");
            return Err(wrong).at("rounds_before_change");
        }
        Ok(())
    }

    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        Some(Box::new(PlbSelector::new(self, flow.first, flow.draws())))
    }
}

/// The path of one flow, and its record of congestion.
#[derive(Clone, Debug)]
pub(super) struct PlbSelector<D> {
    options: Plb,
    first: u16,
    draws: D,
    /// The entropy of all packets at present.
    entropy: u16,
    /// Packets that have been sent.
    sent: u32,
    /// PSN up to which all packets have to arrive before the round ends.
    round_end: u32,
    /// ACKs of this round, and the number of them that signal congestion.
    acks: u32,
    congested_acks: u32,
    /// Congested rounds in a row.
    congested_rounds: u32,
    /// The last timeout.
    timed_out_at: Option<Time>,
    /// Time before which congestion changes no path.
    paused_until: Time,
}

impl<D: RawDraws> PlbSelector<D> {
    pub(super) fn new(options: &Plb, first: u16, draws: D) -> Self {
        Self {
            options: *options,
            first,
            draws,
            entropy: first,
            sent: 0,
            round_end: 0,
            acks: 0,
            congested_acks: 0,
            congested_rounds: 0,
            timed_out_at: None,
            paused_until: Time::ZERO,
        }
    }

    fn on_ack(&mut self, report: &PathReport) {
        let tells = match self.options.delay {
            Some(delay) => report.now - report.stamp > delay,
            None => report.feedback == PathFeedback::Marked,
        };
        self.acks += 1;
        self.congested_acks += u32::from(tells);
        if report.expected >= self.round_end {
            self.end_round(report);
        }
    }

    fn end_round(&mut self, report: &PathReport) {
        let part = f64::from(self.congested_acks) / f64::from(self.acks);
        self.congested_rounds = match part >= self.options.congested {
            true => self.congested_rounds + 1,
            false => 0,
        };
        (self.acks, self.congested_acks, self.round_end) = (0, 0, self.sent);
        let of_idle = self.options.idle_rounds_before_change;
        let is_idle = report.expected >= self.sent;
        let is_enough = self.congested_rounds >= self.options.rounds_before_change
            || (is_idle && of_idle > 0 && self.congested_rounds >= of_idle);
        if is_enough && report.now >= self.paused_until {
            self.change_path();
        }
    }

    /// Handles a timeout once, as all packets in flight of a flow time out together.
    fn on_timeout(&mut self, now: Time) {
        if self.timed_out_at == Some(now) {
            return;
        }
        self.timed_out_at = Some(now);
        let pause = self.options.pause_after_timeout;
        let part = f64::from(self.draws.draw()) / f64::from(1_u32 << 31);
        let more = (pause.as_ps() as f64 * part) as u64;
        self.paused_until = now + pause + Time::from_ps(more);
        self.change_path();
    }

    /// Draws one of the other entropies.
    fn change_path(&mut self) {
        self.congested_rounds = 0;
        if self.options.entropies > 1 {
            let number = u32::from(self.entropy.wrapping_sub(self.first));
            let step = u32::from(self.draws.pick(self.options.entropies - 1)) + 1;
            let other = (number + step) % self.options.entropies;
            self.entropy = self.first.wrapping_add(other as u16);
        }
    }
}

impl<D: RawDraws> PathSelector for PlbSelector<D> {
    fn next(&mut self, packet: &LeavingPacket) -> u16 {
        self.sent = self.sent.max(packet.new_packets + 1);
        self.entropy
    }

    fn on_feedback(&mut self, report: &PathReport) {
        match report.feedback {
            PathFeedback::Good | PathFeedback::Marked => self.on_ack(report),
            PathFeedback::TimedOut => self.on_timeout(report.now),
            PathFeedback::Trimmed | PathFeedback::Lost => {}
        }
    }
}

#[cfg(test)]
mod tests;
