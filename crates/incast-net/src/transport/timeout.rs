//! The loss timer of one flow: the retransmission timeout, with or without exponential back-off,
//! and the time at which overtaken packets count as lost.

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limit of doublings: successive timeouts grow to at most 2⁶ = 64 times the first.
const MAX_DOUBLINGS: u32 = 6;

/// The lengths of successive timeouts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backoff {
    /// Each timeout is twice as long as the one before, up to 64 times the first.
    #[default]
    Exponential,
    /// All timeouts have equal length (uet-htsim).
    None,
}

/// Which packets count as lost when a timeout expires.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeoutOf {
    /// All packets in flight: no ACK of new data has arrived for this time (as in RFC 6298).
    Flow,
    /// A packet that left this long ago. Each packet has a back-off of its own (as in Ultra
    /// Ethernet).
    Packet,
}

/// A timer that runs while packets are in flight, if the network may lose packets.
#[derive(Clone, Debug)]
pub(crate) struct RetransmissionTimer {
    of: TimeoutOf,
    /// The first timeout; [`Time::MAX`] if no packet times out.
    timeout: Time,
    /// Time at which the timeout expires; [`Time::MAX`] while it is stopped. For timeouts of
    /// packets, a lower bound at which the first packet's timeout is searched for.
    expiry: Time,
    /// Time at which the timer expires: at `expiry`, or before.
    deadline: Time,
    timeouts_in_a_row: u32,
    backoff: Backoff,
    /// Time up to which waiting has been counted.
    waited_until: Time,
}

impl RetransmissionTimer {
    pub(crate) fn new(timeout: Option<Time>, of: TimeoutOf, backoff: Backoff) -> Self {
        Self {
            of,
            timeout: timeout.unwrap_or(Time::MAX),
            expiry: Time::MAX,
            deadline: Time::MAX,
            timeouts_in_a_row: 0,
            backoff,
            waited_until: Time::ZERO,
        }
    }

    /// Whether the timeout is for the flow or for single packets.
    pub(super) fn of(&self) -> TimeoutOf {
        self.of
    }

    /// Time at which the timer expires; [`Time::MAX`] while it is stopped.
    pub(crate) fn deadline(&self) -> Time {
        self.deadline
    }

    /// A packet leaves: starts the timeout if it is stopped or would expire after the packet's own.
    /// Returns whether it did.
    pub(crate) fn start(&mut self, now: Time) -> bool {
        if self.timeout == Time::MAX {
            return false;
        }
        let expiry = now + self.length();
        let runs = match self.of {
            TimeoutOf::Flow => self.expiry != Time::MAX,
            TimeoutOf::Packet => self.expiry <= expiry,
        };
        if !runs {
            self.expiry = expiry;
            self.deadline = self.deadline.min(expiry);
        }
        !runs
    }

    /// Present length of the timeout.
    pub(crate) fn length(&self) -> Time {
        self.length_after(self.timeouts_in_a_row)
    }

    /// Length of the timeout after this number of successive timeouts.
    pub(super) fn length_after(&self, timeouts: u32) -> Time {
        match self.backoff {
            Backoff::Exponential => self.timeout * (1 << timeouts.min(MAX_DOUBLINGS)),
            Backoff::None => self.timeout,
        }
    }

    /// New data are acknowledged: restarts the flow's timeout if packets are `in_flight`, and
    /// cancels the wait for overtaken packets.
    pub(crate) fn on_progress(&mut self, now: Time, in_flight: bool) {
        if self.timeout == Time::MAX {
            return;
        }
        self.timeouts_in_a_row = 0;
        self.expiry = match (in_flight, self.of) {
            (false, _) => Time::MAX,
            (true, TimeoutOf::Flow) => now + self.timeout,
            (true, TimeoutOf::Packet) => self.expiry,
        };
        self.deadline = self.expiry;
    }

    /// Sets the time at which overtaken packets count as lost; [`Time::MAX`] if there are none.
    pub(crate) fn expect_loss(&mut self, loss_deadline: Time) {
        self.deadline = self.expiry.min(loss_deadline);
    }

    /// Whether the timeout expires by `now`. If so, it is stopped until the next packet leaves.
    pub(crate) fn expires(&mut self, now: Time) -> bool {
        let expires = self.expiry <= now;
        if expires {
            (self.expiry, self.deadline) = (Time::MAX, Time::MAX);
        }
        expires
    }

    /// Sets the time of the first timeout of a packet in flight; [`Time::MAX`] if there is none.
    pub(super) fn expect(&mut self, expiry: Time) {
        (self.expiry, self.deadline) = (expiry, expiry);
    }

    /// Counts a successive timeout, which may lengthen the next one.
    pub(crate) fn back_off(&mut self) {
        self.timeouts_in_a_row += 1;
    }

    /// Counts the waiting from `sent` until `now`. Returns the part that was not counted before.
    pub(super) fn wait(&mut self, sent: Time, now: Time) -> Time {
        let since = sent.max(self.waited_until);
        self.waited_until = now;
        now - since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    #[test]
    fn timeouts_without_backoff_are_equal() {
        let mut timer = RetransmissionTimer::new(Some(US(100)), TimeoutOf::Flow, Backoff::None);
        for _ in 0..3 {
            assert!(timer.start(Time::ZERO));
            assert_eq!(timer.deadline(), US(100));
            assert!(timer.expires(US(100)));
            timer.back_off();
        }
    }

    /// 100 us, then 200, 400, ... 6,400, and no more; progress resets the timeout to 100 us.
    #[test]
    fn timeouts_in_a_row_double_the_timeout() {
        let mut timer =
            RetransmissionTimer::new(Some(US(100)), TimeoutOf::Flow, Backoff::Exponential);
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

    /// The timeout is due at 150 us; overtaken packets count as lost at 70 us.
    #[test]
    fn a_loss_may_be_expected_before_the_timeout() {
        let mut timer =
            RetransmissionTimer::new(Some(US(100)), TimeoutOf::Flow, Backoff::Exponential);
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
        let mut timer = RetransmissionTimer::new(None, TimeoutOf::Flow, Backoff::Exponential);
        timer.expect_loss(US(70));
        assert!(!timer.start(US(60)) && !timer.expires(US(70)));
        assert_eq!(timer.deadline(), US(70));
    }

    /// Packets that leave at 0 and 40 us time out at 100 and 140 us. ACKs do not postpone this. At
    /// 140 us the first packet, sent again at 100 us, is due at 300 us. A packet that leaves at 160
    /// us is due earlier.
    #[test]
    fn a_packet_has_a_timeout_of_its_own() {
        let mut timer =
            RetransmissionTimer::new(Some(US(100)), TimeoutOf::Packet, Backoff::Exponential);
        assert!(timer.start(US(0)) && !timer.start(US(40)));
        timer.on_progress(US(50), true);
        assert_eq!(timer.deadline(), US(100));
        assert!(timer.expires(US(100)));
        timer.expect(US(140));
        assert!(!timer.start(US(100)));
        assert!(timer.expires(US(140)));
        timer.expect(US(100) + timer.length_after(1));
        assert_eq!(timer.deadline(), US(300));
        assert!(timer.start(US(160)));
        assert_eq!(timer.deadline(), US(260));
        timer.on_progress(US(170), false);
        assert_eq!(timer.deadline(), Time::MAX);
    }

    /// From 0 to 100 us and from 40 to 140 us are 140 us in total; from 200 to 300 us are 100 us
    /// more.
    #[test]
    fn what_is_waited_for_at_one_time_counts_once() {
        let mut timer = RetransmissionTimer::new(None, TimeoutOf::Packet, Backoff::None);
        let waits =
            [(0, 100), (40, 140), (200, 300)].map(|(sent, now)| timer.wait(US(sent), US(now)));
        assert_eq!(waits, [US(100), US(40), US(100)]);
    }

    #[test]
    fn without_a_timeout_it_never_runs() {
        let mut timer = RetransmissionTimer::new(None, TimeoutOf::Flow, Backoff::Exponential);
        assert!(!timer.start(Time::ZERO));
        timer.on_progress(US(1), true);
        assert_eq!(timer.deadline(), Time::MAX);
    }
}
