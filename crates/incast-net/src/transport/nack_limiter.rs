//! NACKs of one flow, at its receiver: at most one per sequence number and interval.

use incast_units::Time;

/// The last NACK of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct NackLimiter {
    /// The packet of the last NACK, and the time from which its NACK may be repeated.
    last: Option<(u32, Time)>,
}

impl NackLimiter {
    /// Whether a NACK for packet `expected`, which is missing, is sent at `now`.
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
        // A NACK for another packet need not wait.
        assert!(asks(4, 51));
    }
}
