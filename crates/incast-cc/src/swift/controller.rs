//! One flow under Swift: Eqs. (2) to (6), and the resulting send limit.

use incast_units::{Bytes, Rate, Time};

use super::target::TargetDelay;
use super::{DelayReading, SwiftConfig, SwiftPacing};
use crate::parts::{MeasuredCongestion, Policy, RateChange};
use crate::rtt_epoch::RttEpoch;
use crate::{Ack, CongestionControl, FlowContext, Loss, LossKind, SendLimit};

/// One flow. Windows are in bytes of payload, delays in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Swift<P> {
    config: SwiftConfig,
    target: TargetDelay,
    line_rate: Rate,
    /// T.
    base_rtt: Time,
    /// The BDP.
    base_window: f64,
    /// Payload of a full packet.
    packet: f64,
    /// Size of a full packet on the wire.
    wire_packet: f64,
    /// AI.
    increase: f64,
    /// W_min.
    smallest: f64,
    /// W_max.
    largest: f64,
    /// W.
    pub(super) window: f64,
    /// W_r; the same as W without `sf`.
    pub(super) reference: f64,
    /// RTT of the last ACK.
    pub(super) round_trip: Time,
    /// t of the last ACK.
    last_target: f64,
    pub(super) last_decrease: Option<Time>,
    /// Timeouts since the last ACK.
    timeouts: u32,
    /// The RTT epoch since the last update of the reference, or since the last drawing of tokens.
    epoch: RttEpoch,
    /// Tokens of Variable AI for this round trip, without `sf`.
    tokens: f64,
    parts: P,
    limit: SendLimit,
}

impl<P: Policy> CongestionControl for Swift<P> {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let Some(round_trip) = ack.round_trip else {
            return;
        };
        self.round_trip = round_trip;
        self.timeouts = 0;
        let delay = round_trip.as_ps() as f64;
        let target = self
            .target
            .delay(ack.switch_hops, self.window / self.packet);
        self.last_target = target;
        if P::HAS_PARTS {
            self.observe(ack, delay, target);
        }
        if P::HAS_PARTS && self.parts.counts_acks() {
            self.set_from_reference(now, ack, delay, target);
        } else if delay < target {
            self.grow(ack.newly_acked);
        } else {
            self.shrink(now, self.decrease(delay, target));
        }
        self.limit = self.send_limit();
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        self.timeouts = match loss.kind {
            LossKind::Timeout => self.timeouts + 1,
            LossKind::Nack | LossKind::Trimmed { .. } => 0,
        };
        if self.timeouts >= self.config.timeouts_to_minimum {
            self.decrease_to(now, self.smallest);
        } else if self.may_decrease(now) {
            self.decrease_to(now, self.reference * (1.0 - self.config.max_decrease));
        }
        self.limit = self.send_limit();
    }

    fn limit(&self) -> SendLimit {
        self.limit
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("window_bytes", self.window);
        record("reference_window_bytes", self.reference);
        record("target_delay_us", self.last_target / 1e6);
        self.parts.probe(record);
    }
}

impl<P: Policy> Swift<P> {
    pub(super) fn new(config: &SwiftConfig, context: &FlowContext, parts: P) -> Self {
        let smallest = config.min_window.in_bytes(context);
        let largest = config.max_window.in_bytes(context).max(smallest);
        let window = config
            .initial_window
            .in_bytes(context)
            .clamp(smallest, largest);
        let mut swift = Self {
            config: config.clone(),
            target: TargetDelay::new(config),
            line_rate: context.line_rate,
            base_rtt: context.base_rtt,
            base_window: context.base_window.as_u64() as f64,
            packet: context.mtu.as_u64() as f64,
            wire_packet: context.wire_mtu.as_u64() as f64,
            increase: config.additive_increase.in_bytes(context),
            smallest,
            largest,
            window,
            reference: window,
            round_trip: context.base_rtt,
            last_target: 0.0,
            last_decrease: None,
            timeouts: 0,
            epoch: RttEpoch::default(),
            tokens: 1.0,
            parts,
            limit: SendLimit::paced(context.line_rate),
        };
        swift.limit = swift.send_limit();
        swift
    }

    /// Passes an ACK to the parts. Without `sf`, tokens are drawn at the start of a round trip.
    fn observe(&mut self, ack: &Ack<'_>, delay: f64, target: f64) {
        if !self.epoch.has_begun() {
            self.epoch.begin(ack);
            self.parts.begin(ack);
        }
        let baseline = match self.config.congestion {
            DelayReading::AboveTarget => 0.0,
            DelayReading::AboveBaseRtt => target - self.base_rtt.as_ps() as f64,
            DelayReading::RoundTrip => target,
        };
        let measured = MeasuredCongestion {
            amount: (delay - target + baseline).max(0.0),
            baseline,
            congested: delay > target,
        };
        self.parts.observe(ack, measured);
        if !self.parts.counts_acks() && self.epoch.is_over(ack) {
            self.tokens = self.parts.tokens().unwrap_or(1.0);
            self.parts.spend_tokens();
            self.epoch.begin(ack);
        }
    }

    /// Eq. (2): the window grows by AI in a round trip, spread over its ACKs.
    fn grow(&mut self, acked: Bytes) {
        let share = acked.as_u64() as f64 / self.window.max(self.packet);
        self.set_window(self.window + self.increase * self.tokens * share);
    }

    /// The factor of Eq. (3).
    fn decrease(&self, delay: f64, target: f64) -> f64 {
        let wanted = 1.0 - self.config.beta * (delay - target) / delay;
        wanted.max(1.0 - self.config.max_decrease)
    }

    /// Eq. (3), once per RTT, unless probabilistic feedback ignores the decrease.
    fn shrink(&mut self, now: Time, factor: f64) {
        if !self.may_decrease(now) {
            return;
        }
        if self.parts.ignores(self.window, self.base_window) {
            if self.parts.ignores_for_an_epoch() {
                self.last_decrease = Some(now);
            }
            return;
        }
        self.decrease_to(now, self.window * factor);
    }

    /// Eq. (6).
    fn set_from_reference(&mut self, now: Time, ack: &Ack<'_>, delay: f64, target: f64) {
        let congested = delay > target;
        let factor = if congested {
            self.decrease(delay, target)
        } else {
            1.0
        };
        let increase = self.increase * self.parts.tokens().unwrap_or(1.0);
        let window = (self.reference * factor + increase).clamp(self.smallest, self.largest);
        let lower = window < self.reference;
        let decrease = self.parts.is_decrease(RateChange { congested, lower });
        let update = self
            .parts
            .updates_reference(decrease, self.epoch.is_over(ack));
        if update && congested && self.parts.ignores(self.reference, self.base_window) {
            if self.parts.ignores_for_an_epoch() {
                self.begin_epoch(ack, congested);
            }
            return;
        }
        self.window = window;
        if update {
            if lower {
                self.last_decrease = Some(now);
            }
            self.reference = window;
            self.parts.spend_tokens();
            self.begin_epoch(ack, decrease);
        }
    }

    fn begin_epoch(&mut self, ack: &Ack<'_>, decrease: bool) {
        self.parts.restart_count(decrease);
        self.epoch.begin(ack);
    }

    fn may_decrease(&self, now: Time) -> bool {
        let last = self.last_decrease;
        last.is_none_or(|last| now >= last + self.round_trip)
    }

    fn decrease_to(&mut self, now: Time, window: f64) {
        let before = self.reference;
        self.set_window(window);
        if self.reference < before {
            self.last_decrease = Some(now);
        }
    }

    pub(super) fn set_window(&mut self, window: f64) {
        self.window = window.clamp(self.smallest, self.largest);
        self.reference = self.window;
    }

    /// The send limit that follows from the window.
    pub(super) fn send_limit(&self) -> SendLimit {
        let packets = self.window / self.packet;
        let (window, rate) = match self.config.pacing {
            SwiftPacing::Always if self.window >= self.base_window => (self.window, self.line_rate),
            SwiftPacing::Always => (self.window, self.paced(self.window, self.base_rtt)),
            // The window's whole packets, clocked by ACKs.
            SwiftPacing::BelowOnePacket if packets >= 1.0 => {
                (packets.floor() * self.packet, self.line_rate)
            }
            // One packet in every RTT/W.
            SwiftPacing::BelowOnePacket => {
                (0.0, self.paced(packets * self.wire_packet, self.round_trip))
            }
        };
        SendLimit {
            // A packet may leave while fewer bytes than the window are in flight: a window of 1
            // byte allows one packet.
            window: Bytes::new((window as u64).max(1)),
            ..SendLimit::paced(rate)
        }
    }

    /// The rate that sends `bytes` in `time`.
    fn paced(&self, bytes: f64, time: Time) -> Rate {
        const BIT_PS: f64 = 8e12;
        let rate = (bytes * BIT_PS / time.as_ps() as f64) as u64;
        Rate::from_bps(rate.max(1)).min(self.line_rate)
    }
}
