//! The mean weight of each flow of a host over the flow's life.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use incast_signals::s_perc::weight;
use incast_units::{FlowId, Time};
use rustc_hash::FxHasher;

use crate::measure::MeanWeight;

/// The integral of 1/n over time, and its value when each flow started.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightAverages {
    /// ∫ 1/n dt up to the last change, in parts of 2²⁰ of a ps.
    sum: u128,
    changed: Time,
    begun: HashMap<u32, (u128, Time), BuildHasherDefault<FxHasher>>,
}

impl WeightAverages {
    /// A flow starts; `open` connections were open before.
    pub(super) fn begin(&mut self, flow: u32, open: u64, now: Time) {
        self.advance(open, now);
        self.begun.insert(flow, (self.sum, now));
    }

    /// A flow ends; `open` connections were open until now, its own among them.
    pub(super) fn end(&mut self, flow: u32, open: u64, now: Time) -> Option<MeanWeight> {
        self.advance(open, now);
        let (sum, begun) = self.begun.remove(&flow)?;
        let life = u128::from((now - begun).as_ps().max(1));
        Some(MeanWeight {
            flow: FlowId(flow),
            parts: ((self.sum - sum) / life) as u32,
        })
    }

    fn advance(&mut self, open: u64, now: Time) {
        let open = u16::try_from(open).unwrap_or(u16::MAX);
        let time = u128::from((now - self.changed).as_ps());
        self.sum += u128::from(weight(open)) * time;
        self.changed = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flow 1 is alone for 2 us, one of two for 4 us, alone for 2 us: (2 + 4/2 + 2)/8 = 3/4. Flow 2
    /// lives for the middle 4 us: 1/2.
    #[test]
    fn weights_are_averaged_over_time() {
        let mut weights = WeightAverages::default();
        let us = Time::from_us;
        weights.begin(1, 0, us(10));
        weights.begin(2, 1, us(12));
        let second = weights.end(2, 2, us(16)).unwrap();
        let first = weights.end(1, 1, us(18)).unwrap();
        assert_eq!((first.fraction(), second.fraction()), (0.75, 0.5));
        assert_eq!((first.flow, weights.end(1, 1, us(20))), (FlowId(1), None));
    }
}
