//! NSCC: one flow.

use incast_units::{Bytes, Time};

use super::constants::Constants;
use super::{NsccAllowance, NsccConfig, NsccLosses, NsccPeriodEnd};
use crate::number::{float, rounded_down};
use crate::parts::{MeasuredCongestion, Policy};
use crate::rtt_epoch::RttEpoch;
use crate::{Ack, CongestionControl, FlowContext, Loss, LossKind, SendLimit, Sent};

/// One flow under NSCC. Sizes are bytes on the wire.
#[derive(Clone, Debug)]
pub(super) struct Nscc<P> {
    config: NsccConfig,
    constants: Constants,
    /// W.
    pub(super) window: u64,
    /// W_max.
    pub(super) max_window: u64,
    /// T_m.
    pub(super) base_rtt: Time,
    /// d̄ in ps, and the time of its last sample.
    pub(super) average: u64,
    averaged: Option<Time>,
    /// F in bytes. May become negative: ACKs count in units that are rounded up.
    pub(super) in_flight: i64,
    /// Bytes that ACKs have reported as received, exactly and rounded up to units.
    received_exactly: u64,
    received_in_units: u64,
    /// inc.
    pub(super) increase: u64,
    /// Bytes received since the last adjustment.
    pub(super) received: u64,
    pub(super) adjusted: Time,
    pub(super) decreased: Time,
    /// Eq. (8): bytes received without a queue, and whether they exceed the window.
    pub(super) without_queue: u64,
    pub(super) is_fast: bool,
    pub(super) quick: QuickAdapt,
    /// Whether the flow has sent a packet.
    has_begun: bool,
    parts: P,
    /// The round trip for which Variable AI's tokens were drawn.
    epoch: RttEpoch,
    tokens: f64,
}

/// State of quick adapt.
#[derive(Clone, Debug, Default)]
pub(super) struct QuickAdapt {
    /// Bytes that have arrived in the current period.
    pub(super) achieved: u64,
    /// Bytes that have arrived or were lost since quick adapt last acted.
    pub(super) ignored: u64,
    /// Until this many bytes have arrived, marked ACKs change nothing.
    pub(super) to_ignore: u64,
    /// Whether a packet was trimmed in this period.
    pub(super) is_triggered: bool,
    /// End of the current period; `None` before the first.
    pub(super) end: Option<Time>,
}

/// The signals of an ACK or NACK.
#[derive(Copy, Clone, Debug)]
struct Signs {
    is_loss: bool,
    marked: bool,
    /// d, in ps.
    delay: u64,
}

impl<P: Policy> Nscc<P> {
    pub(super) fn new(config: &NsccConfig, context: &FlowContext, parts: P) -> Self {
        let constants = Constants::new(config, context);
        let base_rtt = constants.base_rtt;
        let max_window = constants.max_window(base_rtt);
        Self {
            config: config.clone(),
            window: constants.initial_window.unwrap_or(max_window),
            max_window,
            base_rtt,
            average: 0,
            averaged: None,
            in_flight: 0,
            received_exactly: 0,
            received_in_units: 0,
            increase: 0,
            received: 0,
            adjusted: Time::ZERO,
            decreased: Time::ZERO,
            without_queue: 0,
            is_fast: false,
            quick: QuickAdapt::default(),
            has_begun: false,
            parts,
            epoch: RttEpoch::default(),
            tokens: 1.0,
            constants,
        }
    }

    /// Whether a period with end `end` is over at `now`.
    fn is_over(&self, end: Time, now: Time) -> bool {
        match self.config.period_end {
            NsccPeriodEnd::Reached => now >= end,
            NsccPeriodEnd::Exceeded => now > end,
        }
    }

    fn bound_window(&mut self) {
        self.window = self
            .window
            .max(self.constants.min_window)
            .min(self.max_window);
    }

    /// Lowers the window by `bytes`, at most to the smallest window.
    fn lower_window(&mut self, bytes: u64) {
        let lowered = self.window.saturating_sub(bytes);
        self.window = lowered.max(self.constants.min_window);
    }

    /// Eq. (4): lowers T_m, which never rises, and with it the largest window.
    fn lower_base_rtt(&mut self, round_trip: Time) {
        if round_trip < self.base_rtt {
            self.base_rtt = round_trip;
            self.max_window = self.constants.max_window(round_trip);
        }
    }

    /// Eq. (5).
    fn average_delay(&mut self, now: Time, delay: u64, marked: bool) {
        let base_rtt = float(self.base_rtt.as_ps());
        let sample = match self.config.unmarked_delay {
            Some(in_rtts) if !marked && delay > self.constants.target => base_rtt * in_rtts,
            _ => float(delay),
        };
        let weight = match (self.config.average_weight, self.averaged) {
            (Some(weight), _) => weight,
            (None, None) => 1.0,
            (None, Some(last)) => (float((now - last).as_ps()) / base_rtt).min(1.0),
        };
        self.average = rounded_down(weight * sample + (1.0 - weight) * float(self.average));
        self.averaged = Some(now);
    }

    /// Eq. (12). Returns whether an ACK or NACK with these signals must change nothing else.
    fn adapt_quickly(&mut self, now: Time, signs: Signs) -> bool {
        let gate = self.max_window >> self.config.qa_gate;
        let length = self.base_rtt + Time::from_ps(self.constants.target);
        let end = self.quick.end;
        let is_over = end.is_none_or(|end| self.is_over(end, now));
        let quick = &mut self.quick;
        let mut holds = false;
        if quick.ignored < quick.to_ignore && signs.marked {
            holds = true;
        } else if is_over {
            let has_collapsed = quick.is_triggered
                || signs.is_loss
                || float(signs.delay) > self.constants.qa_threshold;
            if end.is_some() && has_collapsed && quick.achieved < gate {
                self.window = quick.achieved.max(self.constants.min_window);
                quick.to_ignore = self.in_flight.max(0) as u64;
                quick.ignored = 0;
                quick.is_triggered = false;
                holds = true;
            }
            quick.achieved = 0;
            quick.end = Some(now + length);
        }
        if holds {
            (self.increase, self.received) = (0, 0);
        }
        holds
    }

    /// Passes an ACK to the parts, and draws tokens at the start of a round trip.
    fn observe(&mut self, ack: &Ack<'_>, signs: Signs) {
        if !self.epoch.has_begun() {
            self.epoch.begin(ack);
            self.parts.begin(ack);
        }
        let above = signs.delay.saturating_sub(self.constants.target);
        let measured = MeasuredCongestion {
            amount: float(above),
            baseline: 0.0,
            congested: signs.marked && above > 0,
        };
        self.parts.observe(ack, measured);
        if self.epoch.is_over(ack) {
            self.tokens = self.parts.tokens().unwrap_or(1.0);
            self.parts.spend_tokens();
            self.epoch.begin(ack);
        }
    }

    /// Eqs. (6) to (9).
    fn react(&mut self, now: Time, newly: u64, signs: Signs) {
        match (signs.marked, signs.delay < self.constants.target) {
            (false, true) => self.increase_below_target(newly, signs.delay),
            (false, false) => {
                let increase = self.constants.fair_increase * self.tokens;
                self.add_to_increase(increase * float(newly));
            }
            (true, false) => self.decrease(now),
            (true, true) => {}
        }
        self.bound_window();
    }

    fn add_to_increase(&mut self, bytes: f64) {
        self.increase = rounded_down(float(self.increase) + bytes);
    }

    /// Eq. (8) if there is no queue, otherwise Eq. (6).
    fn increase_below_target(&mut self, newly: u64, delay: u64) {
        if delay < self.config.about_zero.as_ps() {
            self.without_queue += newly;
            self.is_fast |= self.without_queue > self.window;
            if self.is_fast {
                let grown = float(newly) * self.constants.fast_increase;
                self.window = rounded_down(float(self.window) + grown);
            }
        } else {
            (self.without_queue, self.is_fast) = (0, false);
        }
        if !self.is_fast {
            let below = self.constants.target - delay;
            self.add_to_increase(self.constants.alpha * float(newly) * float(below));
        }
    }

    /// Eq. (9).
    fn decrease(&mut self, now: Time) {
        (self.without_queue, self.is_fast) = (0, false);
        let (average, target) = (float(self.average), float(self.constants.target));
        // More than T_m must pass between two decreases, whether periods end at or after their end.
        let (decrease, is_due) = (true, now > self.decreased + self.base_rtt);
        if average <= target || !self.parts.updates_reference(decrease, is_due) {
            return;
        }
        self.parts.restart_count(decrease);
        let part = self.config.gamma * (average - target) / average;
        let left = (1.0 - part).max(1.0 - self.config.max_decrease);
        let window = rounded_down(float(self.window) * left);
        self.window = window.max(self.constants.min_window);
        self.decreased = now;
    }

    /// Eqs. (10) and (11).
    fn adjust(&mut self, now: Time) {
        let period_end = self.adjusted + self.constants.adjust_period;
        let is_due = self.is_over(period_end, now);
        if self.received <= self.constants.adjust_bytes && !is_due {
            return;
        }
        self.window = self.window.saturating_add(self.increase / self.window);
        if now >= period_end {
            let increase = self.constants.eta * self.tokens;
            self.window = rounded_down(float(self.window) + increase);
            self.adjusted = now;
        }
        (self.increase, self.received) = (0, 0);
        self.bound_window();
    }

    /// Growth of the receiver's count in Eq. (3), in bytes, rounded to the unit of ACKs.
    fn count_received(&mut self, newly: Bytes) -> u64 {
        self.received_exactly += newly.as_u64();
        let unit = self.config.received_unit.as_u64();
        let in_units = self.received_exactly.next_multiple_of(unit);
        let before = std::mem::replace(&mut self.received_in_units, in_units);
        in_units - before
    }

    /// A packet was trimmed.
    fn on_trimmed(&mut self, now: Time, loss: &Loss, at_last_hop: bool) {
        let size = loss.wire.as_u64();
        if self.config.base_rtt_from_trims
            && let Some(round_trip) = loss.round_trip
        {
            self.lower_base_rtt(round_trip);
        }
        self.quick.ignored += size;
        let as_long = self.constants.base_rtt.as_ps();
        let signs = Signs {
            is_loss: true,
            marked: true,
            delay: 0,
        };
        self.average_delay(now, as_long, signs.marked);
        self.quick.is_triggered = true;
        let is_spared = self.config.spares_last_hop && at_last_hop;
        if !self.adapt_quickly(now, signs) && !is_spared {
            self.lower_window(size);
            self.bound_window();
        }
    }

    /// A loss that no trimmed packet reported: Eq. (13).
    fn on_lost(&mut self, kind: LossKind, size: u64) {
        match (self.config.losses, kind) {
            (NsccLosses::Timeouts, LossKind::Timeout) => self.lower_window(size),
            (NsccLosses::Timeouts, _) => {}
            (NsccLosses::Every, _) => {
                self.lower_window(size);
                self.quick.ignored += size;
            }
        }
    }
}

impl<P: Policy> CongestionControl for Nscc<P> {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let news = &ack.news;
        let newly = self.count_received(news.newly_received);
        let restored = news.restored.as_u64() as i64;
        self.in_flight += restored - newly as i64;
        self.quick.achieved += newly;
        self.quick.ignored += newly;
        self.received += newly;
        let sample = ack.round_trip.filter(|_| news.was_awaited);
        if sample.is_none() && self.config.needs_sample {
            return;
        }
        let mut delay = self.average;
        if let Some(mut round_trip) = sample {
            match news.answers_probe {
                true => round_trip = round_trip.max(self.base_rtt),
                false => self.lower_base_rtt(round_trip),
            }
            delay = (round_trip - self.base_rtt).as_ps();
            self.average_delay(now, delay, ack.marked);
        }
        let signs = Signs {
            is_loss: false,
            marked: ack.marked,
            delay,
        };
        if P::HAS_PARTS {
            self.observe(ack, signs);
        }
        if !self.adapt_quickly(now, signs) {
            self.react(now, newly, signs);
            self.adjust(now);
        }
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        let size = loss.wire.as_u64();
        match loss.kind {
            LossKind::Trimmed { last_hop, .. } => self.on_trimmed(now, loss, last_hop),
            kind => self.on_lost(kind, size),
        }
        self.in_flight -= size as i64;
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        if !self.has_begun {
            self.has_begun = true;
            (self.adjusted, self.decreased) = (now, now);
        }
        self.in_flight += sent.wire.as_u64() as i64;
    }

    fn limit(&self) -> SendLimit {
        let room = (self.window as i64 - self.in_flight).max(0) as u64;
        let room = match self.config.allowance {
            NsccAllowance::FullPacket if room < self.constants.packet => 0,
            _ => room,
        };
        SendLimit {
            window: Bytes::new(self.window),
            room: Bytes::new(room),
            ..SendLimit::paced(self.constants.line_rate)
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let us = |ps: u64| float(ps) / 1e6;
        record("congestion_window_bytes", float(self.window));
        record("max_window_bytes", float(self.max_window));
        record("in_flight_bytes", self.in_flight as f64);
        record("average_delay_us", us(self.average));
        record("base_rtt_us", us(self.base_rtt.as_ps()));
        self.parts.probe(record);
    }
}
