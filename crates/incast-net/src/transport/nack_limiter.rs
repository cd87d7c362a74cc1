//! NACKs of one flow, at its receiver: at most one for a sequence number in an interval.

use incast_units::Time;

/// Remembers the last NACK of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct NackLimiter {
    /// The packet that was asked for, and the time from which it may be asked for again.
    last: Option<(u32, Time)>,
}

impl NackLimiter {
    /// Whether packet `expected`, which is missing, is asked for now.
    pub(crate) fn asks_for(&mut self, expected: u32, now: Time, interval: Time) -> bool {
        if self
            .last
            .is_some_and(|(packet, until)| packet == expected && now < until)
        {
            return false;
        }
        self.last = Some((expected, now + interval));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_asked_for_once_in_an_interval() {
        let (mut limiter, us) = (NackLimiter::default(), Time::from_us);
        let mut asks = |packet, now| limiter.asks_for(packet, us(now), us(50));
        assert!(asks(3, 0));
        assert!(!asks(3, 49));
        assert!(asks(3, 50));
        // Another packet does not wait.
        assert!(asks(4, 51));
    }
}
