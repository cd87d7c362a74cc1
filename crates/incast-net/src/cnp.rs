//! Congestion notification packets: how receivers report CE marks.
//!
//! A receiver answers a marked data packet with a CNP, at most one per flow and interval (DCQCN,
//! SIGCOMM 2015, §3.2: the NP state machine).

use incast_units::Time;

/// How receivers report CE marks to senders.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CnpConfig {
    /// By the echo in ACKs alone.
    Off,
    /// By CNPs, at most one per flow and interval.
    Interval(Time),
}

/// Limits the CNPs of one flow, at its receiver.
#[derive(Clone, Debug, Default)]
pub(crate) struct CnpLimiter {
    /// Earliest time of the next CNP.
    next: Time,
}

impl CnpLimiter {
    /// Whether a marked packet that arrives at `now` is answered by a CNP.
    pub(crate) fn answers_mark(&mut self, now: Time, config: CnpConfig) -> bool {
        let CnpConfig::Interval(interval) = config else {
            return false;
        };
        if now < self.next {
            return false;
        }
        self.next = now + interval;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks at 0, 3, 4, 7 and 9 us, one CNP per 4 us: CNPs at 0, 4 and 9.
    #[test]
    fn one_cnp_is_sent_in_an_interval() {
        let config = CnpConfig::Interval(Time::from_us(4));
        let mut limiter = CnpLimiter::default();
        let mut answers = |us: u64| limiter.answers_mark(Time::from_us(us), config);
        assert_eq!(
            [0, 3, 4, 7, 9].map(&mut answers),
            [true, false, true, false, true]
        );
        assert!(!CnpLimiter::default().answers_mark(Time::ZERO, CnpConfig::Off));
    }
}
