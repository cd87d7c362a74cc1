//! The choice of the channel that sends next on a link.

use crate::config::Arbitration;
use crate::packet::{CHANNELS, Channel};

/// Chooses the channel of one link that sends next.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Arbiter {
    policy: Arbitration,
    /// Channels in order of priority, highest first.
    order: [u8; CHANNELS],
}

impl Arbiter {
    pub(crate) fn new(policy: Arbitration) -> Self {
        Self {
            policy,
            order: [0, 1, 2],
        }
    }

    /// The channels in order of priority, highest first.
    #[inline]
    pub(crate) fn order(&self) -> [Channel; CHANNELS] {
        self.order.map(usize::from)
    }

    /// A channel sends.
    #[inline]
    pub(crate) fn grant(&mut self, channel: Channel) {
        let [first, second, third] = self.order;
        let channel = channel as u8;
        self.order = match self.policy {
            _ if channel == third => self.order,
            _ if channel == first => [second, third, first],
            Arbitration::LeastRecentlyUsed => [first, third, second],
            Arbitration::RoundRobin => [third, first, second],
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// §6.2.5: channel 0 is skipped for want of tokens while channels 1 and 2 send. Round robin
    /// comes to channel 2 first after channel 1, though channel 0 has waited longer. The least
    /// recently used channel is 0.
    #[test]
    fn the_arbiters_differ_where_a_channel_was_skipped() {
        let after = |policy| {
            let mut arbiter = Arbiter::new(policy);
            for channel in [0, 2, 1] {
                arbiter.grant(channel);
            }
            arbiter.order()[0]
        };
        assert_eq!(after(Arbitration::RoundRobin), 2);
        assert_eq!(after(Arbitration::LeastRecentlyUsed), 0);
    }
}
