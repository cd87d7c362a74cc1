//! Statistics of flows' shares of their max-min fair rates.

use incast_units::percentile_index;
use serde::{Deserialize, Serialize};

/// The shares of their max-min fair rates that flows got: 1 is fair, less is too little. A
/// percentile is one of the values.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FairShares {
    /// Completed flows.
    pub count: u64,
    /// Mean of the shares.
    pub mean: f64,
    /// The least share.
    pub min: f64,
    /// 1st percentile.
    pub p1: f64,
    /// 5th percentile.
    pub p5: f64,
    /// The median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

impl FairShares {
    /// `None` if no flow completed.
    pub(crate) fn of(shares: &[Option<f64>]) -> Option<Self> {
        let mut sorted: Vec<f64> = shares.iter().copied().flatten().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.len() as u64;
        let at = |permille| percentile_index(count, permille).map(|index| sorted[index as usize]);
        Some(Self {
            count,
            min: *sorted.first()?,
            mean: sorted.iter().sum::<f64>() / count as f64,
            p1: at(10)?,
            p5: at(50)?,
            p50: at(500)?,
            p95: at(950)?,
            max: *sorted.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.1 to 2.0 in twenty steps: p1 and p5 are at index 0 and 1, p50 at 10, p95 at 19.
    #[test]
    fn twenty_shares() {
        let shares: Vec<_> = (1..=20)
            .rev()
            .map(|n| Some(f64::from(n) / 10.0))
            .chain([None])
            .collect();
        let found = FairShares::of(&shares).expect("shares");
        assert_eq!(
            (found.count, found.min, found.p1, found.p5),
            (20, 0.1, 0.1, 0.2)
        );
        assert_eq!((found.p50, found.p95, found.max), (1.1, 2.0, 2.0));
        assert!((found.mean - 1.05).abs() < 1e-12);
    }

    #[test]
    fn no_flow_completed() {
        assert_eq!(FairShares::of(&[None]), None);
    }
}
