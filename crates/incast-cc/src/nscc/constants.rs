//! Constants computed from the parameters and the flow: Eqs. (1) and (2).

use incast_units::{Rate, Time};

use super::{NsccConfig, NsccProduct, NsccUnit};
use crate::FlowContext;
use crate::number::{float, rounded_down};

/// Picosecond-bits per second in a byte: converts bytes over bit/s into ps.
const BIT_PS: f64 = 8e12;

/// Constants of a flow.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// C.
    pub(super) line_rate: Rate,
    /// T.
    pub(super) base_rtt: Time,
    /// Bytes of a full packet on the wire.
    pub(super) packet: u64,
    /// target, in ps.
    pub(super) target: u64,
    /// α, per byte and ps.
    pub(super) alpha: f64,
    /// f, per byte.
    pub(super) fair_increase: f64,
    /// fast_increase·a.
    pub(super) fast_increase: f64,
    /// η, in bytes.
    pub(super) eta: f64,
    /// Delay in ps above which quick adapt acts.
    pub(super) qa_threshold: f64,
    pub(super) adjust_bytes: u64,
    pub(super) adjust_period: Time,
    pub(super) min_window: u64,
    /// W_max, in BDPs.
    max_window: f64,
    /// The first window in bytes, if it differs from the largest.
    pub(super) initial_window: Option<u64>,
    bdp: NsccProduct,
}

impl Constants {
    pub(super) fn new(config: &NsccConfig, context: &FlowContext) -> Self {
        let (line_rate, base_rtt) = (context.line_rate, context.base_rtt);
        let packet = context.wire_mtu.as_u64();
        let unit = match config.packet {
            NsccUnit::Wire => context.wire_mtu,
            NsccUnit::Payload => context.mtu,
        };
        let unit = float(unit.as_u64());
        let rtt = float(base_rtt.as_ps());
        let reference_rtt = float(config.reference_rtt.as_ps());
        let reference_bits = float(config.reference_rate.as_bps()) * reference_rtt;
        let bdp = config.bdp.configured(line_rate, base_rtt);
        let scale = float(bdp) / (reference_bits / BIT_PS);
        let in_rtts = config.target_delay;
        let in_rtts = in_rtts.unwrap_or(if context.trims { 0.75 } else { 1.0 });
        let target = rounded_down(rtt * in_rtts).max(1);
        let delay_scale = float(target) / reference_rtt;
        let threshold = config.qa_threshold;
        let threshold = threshold.unwrap_or(if context.trims { f64::INFINITY } else { 4.0 });
        Self {
            line_rate,
            base_rtt,
            packet,
            target,
            alpha: config.alpha * unit * scale * delay_scale / float(target),
            fair_increase: config.fair_increase * unit * scale,
            fast_increase: config.fast_increase * scale,
            eta: config.eta * unit * scale,
            qa_threshold: threshold * float(target),
            adjust_bytes: rounded_down(config.adjust_packets * float(packet)),
            adjust_period: Time::from_ps(rounded_down(config.adjust_period * rtt)),
            min_window: rounded_down(config.min_window * float(packet)).max(packet),
            max_window: config.max_window,
            initial_window: config
                .initial_window
                .map(|packets| rounded_down(packets * float(packet))),
            bdp: config.bdp,
        }
    }

    /// W_max for this base RTT, in bytes; at least the smallest window.
    pub(super) fn max_window(&self, base_rtt: Time) -> u64 {
        let bdp = match base_rtt == self.base_rtt {
            true => self.bdp.configured(self.line_rate, base_rtt),
            false => self.bdp.measured(self.line_rate, base_rtt),
        };
        rounded_down(self.max_window * float(bdp)).max(self.min_window)
    }
}

impl NsccProduct {
    /// C·T in bytes, for the configured base RTT.
    fn configured(self, rate: Rate, base_rtt: Time) -> u64 {
        match self {
            Self::Exact => rate.bytes_in(base_rtt).as_u64(),
            Self::Floats => {
                let bytes_per_second = float(rate.as_bps() / 8);
                rounded_down(float(base_rtt.as_ps()) / 1e12 * bytes_per_second)
            }
        }
    }

    /// C·T_m in bytes, for a measured base RTT.
    fn measured(self, rate: Rate, base_rtt: Time) -> u64 {
        match self {
            Self::Exact => rate.bytes_in(base_rtt).as_u64(),
            Self::Floats => {
                let us = float(base_rtt.as_ps()) / 1e6;
                rounded_down(us * float(rate.as_bps()) / 8e6)
            }
        }
    }
}
