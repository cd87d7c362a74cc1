//! The next send time of a QP: one gap after the last packet.

use incast_cc::{Pacing, SendLimit};
use incast_random::{NetworkPurpose, RandomStream};
use incast_units::{Bytes, Rate, Time};

use crate::clock::Clock;
use crate::measure::SendState;

/// Poisson pacing: send times lag the current time by at most this many mean gaps, which limits the
/// burst after a busy link.
const MISSED_GAPS_MAX: u64 = 64;
/// Pacing on schedule: send times lag the current time by at most this many gaps. A NIC whose QPs
/// together stay below its rate delays a packet by about one gap.
const LATE_GAPS_MAX: u64 = 2;

/// The next send time of a QP, or of QPs that are paced together.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    /// Earliest time of the next packet.
    pub(crate) next_send: Time,
    /// Wire bytes of the last packet and the rate for which `gap` was computed.
    gap_key: (u64, Rate),
    gap: Time,
}

/// Random gaps of the packets of one host.
#[derive(Clone, Debug)]
pub(crate) struct RandomGaps {
    random: RandomStream,
    /// Of the NIC.
    line_rate: Rate,
    clock: Clock,
}

impl RandomGaps {
    pub(crate) fn new(seed: u64, host: u32, line_rate: Rate, clock: Clock) -> Self {
        Self {
            random: RandomStream::of_network(seed, host.into(), NetworkPurpose::Pacing),
            line_rate,
            clock,
        }
    }

    /// Exponentially distributed.
    fn exponential(&mut self, mean: Time) -> Time {
        let drawn = mean.as_ps() as f64 * self.random.exponential();
        self.clock.round_down(Time::from_ps(drawn.round() as u64))
    }

    /// The packet's transmission time at line rate plus an exponentially distributed delay. The
    /// mean of the sum is `mean`, unless the transmission alone takes longer.
    #[inline(never)]
    fn beside_packet(&mut self, size: u64, mean: Time) -> Time {
        let packet = self
            .clock
            .transmission_time(Bytes::new(size), self.line_rate);
        packet + self.exponential(mean.saturating_sub(packet))
    }
}

impl Pacer {
    pub(crate) fn new(now: Time) -> Self {
        Self {
            next_send: now,
            gap_key: (0, Rate::default()),
            gap: Time::ZERO,
        }
    }

    /// The state at `now` of a packet that only its pacing can hold. A pacer on hold waits for a
    /// grant.
    pub(super) fn send_state(&self, now: Time) -> SendState {
        match self.next_send {
            Time::MAX => SendState::Grant,
            at if at > now => SendState::Pacing(at),
            _ => SendState::Ready,
        }
    }

    /// Sets the next send time, when a packet of `size` bytes on the wire leaves now.
    #[inline(always)]
    pub(crate) fn pace(
        &mut self,
        now: Time,
        size: u64,
        limit: &SendLimit,
        clock: Clock,
        random: &mut RandomGaps,
    ) {
        let gap = self.gap_of(size, limit.rate, clock);
        self.next_send = match limit.pacing {
            Pacing::Regular => now + gap,
            Pacing::OnSchedule => self.scheduled_send_time(now, gap),
            Pacing::Exponential => now + random.beside_packet(size, gap),
            Pacing::Poisson => self.poisson_send_time(now, gap, random),
        };
    }

    /// The next gap starts at the previous scheduled send time, or [`LATE_GAPS_MAX`] gaps before
    /// now, if this is later.
    #[inline(never)]
    fn scheduled_send_time(&self, now: Time, gap: Time) -> Time {
        let earliest = now.saturating_sub(gap * LATE_GAPS_MAX);
        self.next_send.max(earliest) + gap
    }

    /// The next gap starts at the previous scheduled send time, not at the time of departure, so
    /// that a busy link does not lower the mean rate.
    #[inline(never)]
    fn poisson_send_time(&self, now: Time, gap: Time, random: &mut RandomGaps) -> Time {
        let earliest = now.saturating_sub(gap * MISSED_GAPS_MAX);
        self.next_send.max(earliest) + random.exponential(gap)
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
    #[inline(always)]
    pub(crate) fn reschedule(&mut self, old_rate: Rate, rate: Rate, clock: Clock) {
        let (last_size, _) = self.gap_key;
        let old_gap = self.gap_of(last_size, old_rate, clock);
        let new_gap = self.gap_of(last_size, rate, clock);
        self.next_send = (self.next_send + new_gap).saturating_sub(old_gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Send times in ns of packets of 1000 B at 50 Gb/s, 160 ns each. Each packet leaves later than
    /// its send time by an entry of `late_ns`.
    fn departures(pacing: Pacing, late_ns: &[u64]) -> Vec<u64> {
        let limit = SendLimit {
            pacing,
            ..SendLimit::paced(Rate::from_gbps(50))
        };
        let mut random = RandomGaps::new(1, 0, Rate::from_gbps(100), Clock::Picoseconds);
        let mut pacer = Pacer::new(Time::ZERO);
        let mut next = Vec::new();
        for &late in late_ns {
            let now = pacer.next_send + Time::from_ns(late);
            pacer.pace(now, 1000, &limit, Clock::Picoseconds, &mut random);
            next.push(pacer.next_send.as_ps() / 1000);
        }
        next
    }

    /// 30 ns late, in time, 20 ns late: the gaps start at 30, 190 and 370 ns.
    #[test]
    fn a_regular_gap_begins_at_the_departure() {
        assert_eq!(departures(Pacing::Regular, &[30, 0, 20]), [190, 350, 530]);
    }

    /// The gaps start at 0, 160 and 320 ns. 1000 ns late, at 1480 ns, two gaps are credited: 1480 −
    /// 320 + 160 = 1320.
    #[test]
    fn a_gap_on_schedule_begins_when_the_packet_was_to_leave() {
        let times = departures(Pacing::OnSchedule, &[30, 0, 20, 1000]);
        assert_eq!(times, [160, 320, 480, 1320]);
    }

    /// A packet takes 80 ns on a link of 100 Gb/s, and the delay after it is 80 ns on average. Each
    /// packet leaves 500 ns late: 2000 packets take 2000 · (500 + 160) ns, with a deviation of 80
    /// ns · √2000 = 3.6 us. The delay itself is exponential: e^-1 = 36.8 % are longer than its
    /// mean, with a deviation of 1.1 %.
    #[test]
    fn an_exponential_delay_begins_at_the_end_of_the_packet() {
        let times = departures(Pacing::Exponential, &[500; 2000]);
        let total = times[1999];
        assert!(total.abs_diff(1_320_000) < 4 * 3_600, "{total}");
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0] - 500);
        assert!(gaps.clone().all(|gap| gap >= 80));
        let longer = gaps.filter(|gap| *gap > 160).count();
        assert!(longer.abs_diff(736) < 4 * 22, "{longer}");
    }

    /// Late departures do not shift the times of a Poisson process: 2000 gaps of 160 ns on average,
    /// with a deviation of 160 ns · √2000 = 7.2 us. Some gaps are shorter than a packet.
    #[test]
    fn a_poisson_process_does_not_wait_for_late_packets() {
        let times = departures(Pacing::Poisson, &[500; 2000]);
        let total = times[1999];
        assert!(total.abs_diff(320_000) < 4 * 7_200, "{total}");
        assert!(times.windows(2).any(|pair| pair[1] - pair[0] < 80));
    }
}
