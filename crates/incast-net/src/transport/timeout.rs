//! The timer of one flow's losses: the retransmission timeout, with exponential back-off or
//! without, and the moment at which packets that were overtaken count as lost.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Timeouts in a row double the timeout up to 2⁶ = 64 times.
const MAX_DOUBLINGS: u32 = 6;

/// How long timeouts in a row are.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backoff {
    /// Each twice as long as the one before, up to 64 times the first.
    #[default]
    Exponential,
    /// All as long as the first (uet-htsim).
    None,
}

/// Runs while packets are in flight, if the network may lose packets.
#[derive(Clone, Debug)]
pub(crate) struct RetransmissionTimer {
    /// [`Time::MAX`] if nothing times out.
    timeout: Time,
    /// When the timeout expires; [`Time::MAX`] while it is stopped.
    expiry: Time,
    /// When the timer expires: with the timeout, or before it.
    deadline: Time,
    timeouts_in_a_row: u32,
    backoff: Backoff,
}

impl RetransmissionTimer {
    pub(crate) fn new(timeout: Option<Time>, backoff: Backoff) -> Self {
        Self {
            timeout: timeout.unwrap_or(Time::MAX),
            expiry: Time::MAX,
            deadline: Time::MAX,
            timeouts_in_a_row: 0,
            backoff,
        }
    }

    /// When it expires; [`Time::MAX`] while it is stopped.
    pub(crate) fn deadline(&self) -> Time {
        self.deadline
    }

    /// A packet leaves: starts the timeout if it is stopped, and says whether it was.
    pub(crate) fn start(&mut self, now: Time) -> bool {
        if self.expiry != Time::MAX || self.timeout == Time::MAX {
            return false;
        }
        self.expiry = now + self.length();
        self.deadline = self.deadline.min(self.expiry);
        true
    }

    /// How long the timeout is now.
    pub(crate) fn length(&self) -> Time {
        self.timeout * (1 << self.timeouts_in_a_row.min(MAX_DOUBLINGS))
    }

    /// New data are acknowledged: starts the timeout anew while packets are `in_flight`. No packet
    /// counts as overtaken.
    pub(crate) fn on_progress(&mut self, now: Time, in_flight: bool) {
        if self.timeout == Time::MAX {
            return;
        }
        self.timeouts_in_a_row = 0;
        self.expiry = match in_flight {
            true => now + self.timeout,
            false => Time::MAX,
        };
        self.deadline = self.expiry;
    }

    /// Packets that were overtaken count as lost at `loss_deadline`; [`Time::MAX`] if none was.
    pub(crate) fn expect_loss(&mut self, loss_deadline: Time) {
        self.deadline = self.expiry.min(loss_deadline);
    }

    /// Whether the timeout expires by `now`; it is stopped then, and the next packet starts it.
    pub(crate) fn expires(&mut self, now: Time) -> bool {
        let expires = self.expiry <= now;
        if expires {
            (self.expiry, self.deadline) = (Time::MAX, Time::MAX);
        }
        expires
    }

    /// A loss was found by timeout: the next timeout is longer, if timeouts in a row are.
    pub(crate) fn back_off(&mut self) {
        self.timeouts_in_a_row += u32::from(self.backoff == Backoff::Exponential);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    #[test]
    fn timeouts_without_backoff_are_equal() {
        let mut timer = RetransmissionTimer::new(Some(US(100)), Backoff::None);
        for _ in 0..3 {
            assert!(timer.start(Time::ZERO));
            assert_eq!(timer.deadline(), US(100));
            assert!(timer.expires(US(100)));
            timer.back_off();
        }
    }

    /// 100 us, then 200, 400, ... 6,400, and no more; progress sets it back to 100.
    #[test]
    fn timeouts_in_a_row_double_the_timeout() {
        let mut timer = RetransmissionTimer::new(Some(US(100)), Backoff::Exponential);
        for round in 0..9 {
            assert!(timer.start(Time::ZERO));
            assert!(!timer.start(US(1)), "it runs already");
            assert_eq!(timer.deadline(), US(100 << round.min(6)));
            assert!(!timer.expires(timer.deadline() - Time::from_ps(1)));
            assert!(timer.expires(timer.deadline()));
            timer.back_off();
        }
        timer.on_progress(US(7), true);
        assert_eq!(timer.deadline(), US(107));
        timer.on_progress(US(8), false);
        assert_eq!(timer.deadline(), Time::MAX);
    }

    /// Due at 150 us; packets that were overtaken count as lost at 70 us.
    #[test]
    fn a_loss_may_be_expected_before_the_timeout() {
        let mut timer = RetransmissionTimer::new(Some(US(100)), Backoff::Exponential);
        timer.on_progress(US(50), true);
        timer.expect_loss(US(70));
        assert_eq!(timer.deadline(), US(70));
        assert!(!timer.start(US(60)) && !timer.expires(US(70)));
        timer.expect_loss(Time::MAX);
        assert_eq!(timer.deadline(), US(150));
        timer.expect_loss(US(180));
        assert!(timer.expires(US(150)));
        assert_eq!(timer.deadline(), Time::MAX);
    }

    #[test]
    fn losses_are_expected_without_a_timeout_too() {
        let mut timer = RetransmissionTimer::new(None, Backoff::Exponential);
        timer.expect_loss(US(70));
        assert!(!timer.start(US(60)) && !timer.expires(US(70)));
        assert_eq!(timer.deadline(), US(70));
    }

    #[test]
    fn without_a_timeout_it_never_runs() {
        let mut timer = RetransmissionTimer::new(None, Backoff::Exponential);
        assert!(!timer.start(Time::ZERO));
        timer.on_progress(US(1), true);
        assert_eq!(timer.deadline(), Time::MAX);
    }
}
