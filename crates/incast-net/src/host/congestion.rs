//! Congestion state: a controller, its limit, and the pace that follows from it.
//!
//! A QP owns one. It holds no sequence numbers, so that QPs that a NIC limits together (per
//! destination or per source) can share one.

use incast_cc::{Ack, Cnp, FlowController, Loss, Needs, Pacing, SendLimit, Sent};
use incast_random::RandomStream;
use incast_units::{Bytes, Rate, Time};

use crate::Clock;

/// Exponential pacing: send times may lag the current time by at most this many mean gaps, which
/// caps the burst after a busy link.
const MISSED_GAPS_MAX: u64 = 64;

/// A controller, its limit, and the pace of the flow.
pub(crate) struct CongestionState {
    controller: Box<dyn FlowController>,
    /// The controller's last answer.
    pub(crate) limit: SendLimit,
    /// Whether the controller needs neither calls for sent packets nor timers.
    pub(crate) is_ack_only: bool,
    /// Whether a change of rate reschedules the pending packet.
    reschedules_pending: bool,
    /// Whether the controller has heard an ACK.
    has_heard_ack: bool,
    /// Whether a new limit may wake the linear scan early. In the artifact `ChangeRate` updates the
    /// NIC's next-available event even if the rate is unchanged, from a flow's second ACK on: the
    /// INT of the first is only stored (`rdma-hw.cc`, `UpdateRateHp`).
    pub(crate) wakes_scan: bool,
    /// Earliest time of the next packet.
    pub(crate) next_send: Time,
    /// Wire bytes of the last packet and the rate for which `gap` was computed.
    gap_key: (u64, Rate),
    gap: Time,
}

impl CongestionState {
    pub(crate) fn new(controller: Box<dyn FlowController>, needs: &Needs, now: Time) -> Self {
        Self {
            limit: controller.limit(),
            is_ack_only: !needs.sent_packets && !needs.timers,
            reschedules_pending: needs.reschedules_pending,
            has_heard_ack: false,
            wakes_scan: false,
            controller,
            next_send: now,
            gap_key: (0, Rate::default()),
            gap: Time::ZERO,
        }
    }

    /// An ACK arrived.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack<'_>, clock: Clock) {
        let old_rate = self.limit.rate;
        self.controller.answer_ack(now, ack, &mut self.limit);
        self.reschedule(old_rate, clock);
    }

    /// Notes an ACK for the linear scan, after [`CongestionState::on_ack`].
    pub(crate) fn note_ack_for_scan(&mut self) {
        self.wakes_scan = self.reschedules_pending && self.has_heard_ack;
        self.has_heard_ack = true;
    }

    /// Packets were lost. The limit changes with [`CongestionState::refresh`].
    pub(crate) fn on_loss(&mut self, now: Time, loss: &Loss) {
        self.controller.on_loss(now, loss);
    }

    /// A CNP arrived. The limit changes with [`CongestionState::refresh`].
    pub(crate) fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.controller.on_cnp(now, cnp);
    }

    /// Runs the controller's timer if its time has come. The limit changes with
    /// [`CongestionState::refresh`].
    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.controller.next_timer().is_some_and(|at| at <= now) {
            self.controller.on_timer(now);
        }
    }

    /// Asks the controller for its limit.
    pub(crate) fn refresh(&mut self, clock: Clock) {
        let old_rate = self.limit.rate;
        self.limit = self.controller.limit();
        self.reschedule(old_rate, clock);
    }

    /// A packet leaves now.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, sent: &Sent) {
        self.controller.on_sent(now, sent);
        self.limit = self.controller.limit();
    }

    /// Sets the time of the next packet; one of `size` bytes on the wire leaves now.
    #[inline]
    pub(crate) fn pace(&mut self, now: Time, size: u64, clock: Clock, random: &mut RandomStream) {
        let gap = self.gap_of(size, self.limit.rate, clock);
        self.next_send = match self.limit.pacing {
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

    /// After a change of rate, moves the send time of the pending packet, for controllers that need
    /// this.
    #[inline(always)]
    fn reschedule(&mut self, old_rate: Rate, clock: Clock) {
        if self.reschedules_pending && self.limit.rate != old_rate {
            let (last_size, _) = self.gap_key;
            let old_gap = self.gap_of(last_size, old_rate, clock);
            let new_gap = self.gap_of(last_size, self.limit.rate, clock);
            self.next_send = (self.next_send + new_gap).saturating_sub(old_gap);
        }
    }

    /// Time of the controller's timer; [`Time::MAX`] if there is none.
    #[inline]
    pub(crate) fn next_timer(&self) -> Time {
        if self.is_ack_only {
            return Time::MAX;
        }
        self.controller.next_timer().unwrap_or(Time::MAX)
    }

    /// Names and values of the controller's state that are worth plotting.
    pub(crate) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.controller.probe(record);
    }
}
