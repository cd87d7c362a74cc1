//! When a sender's next packet may leave: one gap after the last.

use incast_cc::{Pacing, SendLimit};
use incast_random::RandomStream;
use incast_units::{Bytes, Rate, Time};

use crate::Clock;

/// Exponential pacing: send times may lag the current time by at most this many mean gaps, which
/// caps the burst after a busy link.
const MISSED_GAPS_MAX: u64 = 64;

/// The time of the next packet of a QP, or of QPs that are paced together.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// Earliest time of the next packet.
    pub(crate) next_send: Time,
    /// Wire bytes of the last packet and the rate for which `gap` was computed.
    gap_key: (u64, Rate),
    gap: Time,
}

impl Pacer {
    pub(crate) fn new(now: Time) -> Self {
        Self {
            next_send: now,
            gap_key: (0, Rate::default()),
            gap: Time::ZERO,
        }
    }

    /// Sets the time of the next packet; one of `size` bytes on the wire leaves now.
    #[inline]
    pub(crate) fn pace(
        &mut self,
        now: Time,
        size: u64,
        limit: &SendLimit,
        clock: Clock,
        random: &mut RandomStream,
    ) {
        let gap = self.gap_of(size, limit.rate, clock);
        self.next_send = match limit.pacing {
            Pacing::Regular => now + gap,
            Pacing::Exponential => self.exponential_send_time(now, gap, clock, random),
        };
    }

    /// The next gap starts at the previous scheduled send time, not at the time of departure, so
    /// that a busy link does not lower the mean rate.
    fn exponential_send_time(
        &self,
        now: Time,
        gap: Time,
        clock: Clock,
        random: &mut RandomStream,
    ) -> Time {
        let drawn = gap.as_ps() as f64 * random.exponential();
        let drawn = clock.round_down(Time::from_ps(drawn.round() as u64));
        let earliest = now.saturating_sub(gap * MISSED_GAPS_MAX);
        self.next_send.max(earliest) + drawn
    }

    /// Transmission time of a packet at this rate. It is cached for the last size and rate: pacing
    /// and a change of rate usually ask for the same one.
    #[inline]
    fn gap_of(&mut self, size: u64, rate: Rate, clock: Clock) -> Time {
        let key = (size, rate);
        if self.gap_key != key {
            self.gap_key = key;
            self.gap = clock.transmission_time(Bytes::new(size), rate);
        }
        self.gap
    }

    /// Moves the send time of the pending packet, after a change of rate.
    #[inline]
    pub(crate) fn reschedule(&mut self, old_rate: Rate, rate: Rate, clock: Clock) {
        let (last_size, _) = self.gap_key;
        let old_gap = self.gap_of(last_size, old_rate, clock);
        let new_gap = self.gap_of(last_size, rate, clock);
        self.next_send = (self.next_send + new_gap).saturating_sub(old_gap);
    }
}
