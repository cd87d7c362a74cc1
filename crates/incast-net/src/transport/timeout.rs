//! The retransmission timeout of one QP, with exponential back-off.

use incast_units::Time;

/// Timeouts in a row double the timeout up to 2⁶ = 64 times.
const MAX_DOUBLINGS: u32 = 6;

/// Runs while packets are in flight, if the network may lose packets.
#[derive(Clone, Debug)]
pub(crate) struct RetransmissionTimer {
    timeout: Option<Time>,
    /// [`Time::MAX`] while the timer is stopped.
    deadline: Time,
    timeouts_in_a_row: u32,
}

impl RetransmissionTimer {
    pub(crate) fn new(timeout: Option<Time>) -> Self {
        Self {
            timeout,
            deadline: Time::MAX,
            timeouts_in_a_row: 0,
        }
    }

    /// Expiry time; [`Time::MAX`] while the timer is stopped.
    pub(crate) fn deadline(&self) -> Time {
        self.deadline
    }

    /// A packet leaves: starts the timer if it is stopped, and says whether it was.
    pub(crate) fn start(&mut self, now: Time) -> bool {
        let Some(timeout) = self.timeout.filter(|_| self.deadline == Time::MAX) else {
            return false;
        };
        self.deadline = now + timeout * (1 << self.timeouts_in_a_row.min(MAX_DOUBLINGS));
        true
    }

    /// New data are acknowledged: starts the timer anew while packets are `in_flight`.
    pub(crate) fn on_progress(&mut self, now: Time, in_flight: bool) {
        let Some(timeout) = self.timeout else {
            return;
        };
        self.timeouts_in_a_row = 0;
        self.deadline = if in_flight { now + timeout } else { Time::MAX };
    }

    /// Whether the timer expires by `now`; it is stopped then, and the next packet starts it.
    pub(crate) fn expires(&mut self, now: Time) -> bool {
        let expires = self.deadline <= now;
        if expires {
            self.deadline = Time::MAX;
        }
        expires
    }

    /// A loss was found by timeout: the next timeout is twice as long.
    pub(crate) fn back_off(&mut self) {
        self.timeouts_in_a_row += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    /// 100 us, then 200, 400, ... 6,400, and no more; progress sets it back to 100.
    #[test]
    fn timeouts_in_a_row_double_the_timeout() {
        let mut timer = RetransmissionTimer::new(Some(US(100)));
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

    #[test]
    fn without_a_timeout_it_never_runs() {
        let mut timer = RetransmissionTimer::new(None);
        assert!(!timer.start(Time::ZERO));
        timer.on_progress(US(1), true);
        assert_eq!(timer.deadline(), Time::MAX);
    }
}
