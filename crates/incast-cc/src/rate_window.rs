//! The window of a flow whose algorithm sets a rate.

use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FlowContext;

/// The window of a flow whose algorithm sets a rate.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateWindow {
    /// No window: the rate alone limits the flow.
    #[default]
    None,
    /// W₀, the bytes in flight at line rate over one base RTT.
    Fixed,
    /// W₀·R/C: the bytes that the rate sends in one base RTT.
    Variable,
}

/// The rate of the flow's link, and the flow's window at this rate.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FlowLine {
    /// C, the highest rate of the flow.
    pub(crate) rate: Rate,
    /// W₀.
    base_window: Bytes,
    window: RateWindow,
}

impl FlowLine {
    pub(crate) fn new(context: &FlowContext, window: RateWindow) -> Self {
        Self {
            rate: context.line_rate,
            base_window: context.base_window,
            window,
        }
    }

    /// The window at `rate`, at least one byte.
    pub(crate) fn window_at(&self, rate: Rate) -> Bytes {
        match self.window {
            RateWindow::None => Bytes::MAX,
            RateWindow::Fixed => self.base_window.max(Bytes::new(1)),
            RateWindow::Variable => {
                let product = u128::from(self.base_window.as_u64()) * u128::from(rate.as_bps());
                let window = product / u128::from(self.rate.as_bps());
                Bytes::new(window as u64).max(Bytes::new(1))
            }
        }
    }

    /// `rate` limited to [`min_rate`, C]; if `min_rate` > C, C applies.
    pub(crate) fn clamp(&self, rate: Rate, min_rate: Rate) -> Rate {
        rate.max(min_rate).min(self.rate)
    }
}

/// `rate` · `factor`, rounded down to whole bits per second.
pub(crate) fn scaled(rate: Rate, factor: f64) -> Rate {
    Rate::from_bps((rate.as_bps() as f64 * factor) as u64)
}

#[cfg(test)]
mod tests {
    use incast_units::Time;

    use super::*;

    fn line(window: RateWindow) -> FlowLine {
        let context = FlowContext {
            flow: <_>::default(),
            line_rate: Rate::from_gbps(100),
            base_rtt: Time::from_ns(4_160),
            base_window: Bytes::new(52_000),
            mtu: Bytes::new(1_000),
            wire_mtu: Bytes::new(1_048),
            size: Bytes::new(1_000_000),
            trims: false,
            seed: 1,
        };
        FlowLine::new(&context, window)
    }

    /// 52 000 B · 30/100 = 15 600 B. At 1 kb/s, 52 000 · 10⁻⁸ is below one byte.
    #[test]
    fn a_variable_window_follows_the_rate() {
        let line = line(RateWindow::Variable);
        assert_eq!(line.window_at(Rate::from_gbps(30)), Bytes::new(15_600));
        assert_eq!(line.window_at(Rate::from_bps(1_000)), Bytes::new(1));
    }

    #[test]
    fn a_fixed_window_does_not() {
        let rate = Rate::from_gbps(30);
        assert_eq!(line(RateWindow::Fixed).window_at(rate), Bytes::new(52_000));
        assert_eq!(line(RateWindow::None).window_at(rate), Bytes::MAX);
    }

    /// ⅔ of 100 b/s is 66.7, rounded down to 66.
    #[test]
    fn rates_are_cut_to_whole_bits() {
        assert_eq!(scaled(Rate::from_bps(100), 2.0 / 3.0), Rate::from_bps(66));
    }

    #[test]
    fn line_rate_bounds_even_the_lowest_rate() {
        let line = line(RateWindow::None);
        let (low, high) = (Rate::from_gbps(1), Rate::from_gbps(400));
        assert_eq!(line.clamp(Rate::ZERO, low), low);
        assert_eq!(line.clamp(high, low), line.rate);
        assert_eq!(line.clamp(Rate::ZERO, high), line.rate);
    }
}
