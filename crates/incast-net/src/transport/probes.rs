//! Probes: a sender without ACKs asks for one, and learns from the probe's round trip whether
//! packets were lost.
//!
//! ```text
//! ACK ──── after·T, or T + delay·T if all has been sent ────► probe ──── again·T ────► probe
//!                                                               │
//!          its ACK is back within T + delay·T ◄─────────────────┘
//! ```
//!
//! T is the base RTT. A probe waits in the queues of data. If these are short for the probe, they
//! were short for the packets before it, so packets still missing are lost. Only the ACK of the
//! latest probe counts. This is the recovery of a lost tail in SLEEK (uet-htsim,
//! `uec.cpp:1065-1094`, `:2154-2171`), where T is the shortest RTT so far.

use incast_diagnostic::Diagnostic;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When senders probe, in base RTTs.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Probes {
    /// Queueing delay of a probe below which missing packets count as lost.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub delay: f64,
    /// Time from the last ACK to the first probe. Once all data have been sent, the time is one
    /// base RTT plus `delay`.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub after: f64,
    /// Time from a probe to the next one.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub again: f64,
}

impl Default for Probes {
    fn default() -> Self {
        Self {
            delay: 1.0,
            after: 3.0,
            again: 5.0,
        }
    }
}

impl Probes {
    /// # Errors
    /// A time that is out of range.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        let times = [
            ("delay", self.delay, 0.0),
            ("after", self.after, 0.1),
            ("again", self.again, 0.1),
        ];
        for (key, value, least) in times {
            if !(least..=1000.0).contains(&value) {
                let what = format!("`{value}` is out of range");
                let wrong = Diagnostic::new(what, format!("write {least} to 1000 base RTTs"));
                return Err(wrong.at(key));
            }
        }
        Ok(())
    }
}

/// Base of the numbers of probes, above the transmission numbers of any flow.
const FIRST: u64 = 1 << 47;

/// The probes of one flow.
#[derive(Clone, Debug)]
pub(super) struct Prober {
    options: Probes,
    base_rtt: Time,
    /// Time of the next probe; [`Time::MAX`] before the first ACK.
    due: Time,
    /// Whether a probe is to leave now.
    is_due: bool,
    sent: u64,
    last_left: Time,
}

/// Whether the sender has data left to send.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum StillToSend {
    Nothing,
    Some,
}

impl Prober {
    pub(super) fn new(options: Probes, base_rtt: Time) -> Self {
        Self {
            options,
            base_rtt: base_rtt.max(Time::from_ns(1)),
            due: Time::MAX,
            is_due: false,
            sent: 0,
            last_left: Time::ZERO,
        }
    }

    fn rtts(&self, number: f64) -> Time {
        Time::from_ps((self.base_rtt.as_ps() as f64 * number) as u64)
    }

    /// Time of the next probe.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Sets the time of the next probe after an ACK.
    pub(super) fn on_ack(&mut self, now: Time, backlog: StillToSend) {
        self.due = now
            + match backlog {
                StillToSend::Some => self.rtts(self.options.after),
                StillToSend::Nothing => self.base_rtt + self.rtts(self.options.delay),
            };
    }

    /// Notes at the timer that a probe is due, and sets the time of the next one.
    pub(super) fn on_timer(&mut self, now: Time) {
        if self.due <= now {
            self.is_due = true;
            self.due = now + self.rtts(self.options.again);
        }
    }

    /// Whether a probe is to leave now; resets this state.
    pub(super) fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.is_due)
    }

    /// The number of a probe that leaves now.
    pub(super) fn send(&mut self, now: Time) -> u64 {
        self.last_left = now;
        self.sent += 1;
        FIRST + self.sent
    }

    /// Whether this is the number of the latest probe.
    pub(super) fn is_latest(&self, number: u64) -> bool {
        self.sent > 0 && number == FIRST + self.sent
    }

    /// Whether the latest probe, whose ACK comes now, shows losses.
    pub(super) fn shows_loss(&self, now: Time) -> bool {
        let queued = (now - self.last_left).saturating_sub(self.base_rtt);
        queued < self.rtts(self.options.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    fn prober() -> Prober {
        let options = Probes {
            delay: 0.5,
            ..Probes::default()
        };
        Prober::new(options, US(10))
    }

    /// T = 10 us. With data left a probe leaves three RTTs after the ACK at 100 us, and again five
    /// RTTs later. Without data left it leaves 10 + 5 us after an ACK.
    #[test]
    fn a_silent_flow_probes() {
        let mut prober = prober();
        assert_eq!(prober.due(), Time::MAX);
        prober.on_timer(US(1_000));
        assert!(!prober.take_due());
        prober.on_ack(US(100), StillToSend::Some);
        assert_eq!(prober.due(), US(130));
        prober.on_timer(US(129));
        assert!(!prober.take_due());
        prober.on_timer(US(130));
        assert!(prober.take_due() && !prober.take_due());
        assert_eq!(prober.due(), US(180));
        prober.on_ack(US(150), StillToSend::Nothing);
        assert_eq!(prober.due(), US(165));
    }

    /// A probe left at 20 us. If its ACK arrives before 35 us, after an RTT and the 5 us of
    /// `delay`, it shows losses. The ACK of an older probe shows nothing.
    #[test]
    fn the_latest_probe_shows_losses_if_it_comes_back_soon() {
        let mut prober = prober();
        assert!(!prober.is_latest(FIRST));
        let first = prober.send(US(3));
        assert!(prober.is_latest(first));
        let second = prober.send(US(20));
        assert!(!prober.is_latest(first) && prober.is_latest(second));
        assert!(prober.shows_loss(US(28)));
        assert!(prober.shows_loss(US(35) - Time::from_ps(1)));
        assert!(!prober.shows_loss(US(35)));
    }

    #[test]
    fn times_out_of_range_are_refused() {
        for (key, wrong) in [("delay", -1.0), ("after", 0.0), ("again", f64::NAN)] {
            let mut options = Probes::default();
            match key {
                "delay" => options.delay = wrong,
                "after" => options.after = wrong,
                _ => options.again = wrong,
            }
            let refused = options.check().expect_err("it is refused").to_string();
            assert!(refused.contains(key), "{refused}");
        }
        assert!(Probes::default().check().is_ok());
    }
}
