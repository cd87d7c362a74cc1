//! Fair rates that switches compute (RoCC): the parameters, by link rate.
//!
//! Taheri et al., "RoCC: Robust Congestion Control for RDMA", CoNEXT 2020, tables of §5 and §6:
//!
//! |        | 10 Gb/s  | 40 Gb/s  | 100 Gb/s   |
//! |--------|----------|----------|------------|
//! | Q_ref  | 75 KB    | 150 KB   | 300 KB     |
//! | Q_mid  | 150 KB   | 300 KB   | 600 KB     |
//! | Q_max  | 210 KB   | 360 KB   | 660 KB     |
//! | α̃, β̃   | 0.3, 1.5 | 0.3, 1.5 | 0.45, 2.25 |
//!
//! with T = 40 µs, rates in units of 10 Mb/s, queues in units of 600 B, F_min 100 Mb/s, F_max the
//! link's rate. A link of another rate takes the set with the nearest rate by ratio, with queues
//! scaled by this ratio. (The set for 10 Gb/s is from a testbed of software switches with T = 100
//! µs. Here T is 40 µs, because a sender without feedback for 55 µs assumes that congestion is
//! over.)

use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProgramOptions;

/// The parameters of every port. Parameters that are `None` follow the rate of the port's link.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FairRateOptions {
    /// T.
    pub period: Option<Time>,
    /// Q_ref.
    pub reference_queue: Option<Bytes>,
    /// Q_mid.
    pub middle_queue: Option<Bytes>,
    /// Q_max.
    pub largest_queue: Option<Bytes>,
    /// α̃.
    pub queue_gain: Option<f64>,
    /// β̃.
    pub growth_gain: Option<f64>,
    /// F_min.
    pub min_rate: Option<Rate>,
}

/// The law of one port, with all its parameters.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct FairRateLaw {
    /// T, the time between two updates.
    pub period: Time,
    /// Q_ref, the target queue length.
    pub reference_queue: Bytes,
    /// Q_mid: growth of the queue by this much in one period halves the rate.
    pub middle_queue: Bytes,
    /// Q_max: a queue of this length sets the rate to its minimum.
    pub largest_queue: Bytes,
    /// α̃, the gain of the queue's excess over `reference_queue`.
    pub queue_gain: f64,
    /// β̃, the gain of the queue's growth in one period.
    pub growth_gain: f64,
    /// F_min.
    pub min_rate: Rate,
    /// F_max, the link's rate.
    pub link_rate: Rate,
}

/// ΔF.
const RATE_UNIT: Rate = Rate::from_mbps(10);
/// ΔQ.
const QUEUE_UNIT: Bytes = Bytes::new(600);
/// T.
const PERIOD: Time = Time::from_us(40);
/// F_min.
const MIN_RATE: Rate = Rate::from_mbps(100);

/// The published parameter sets, by link rate.
const PUBLISHED: [FairRateLaw; 3] = [
    FairRateLaw {
        period: PERIOD,
        reference_queue: Bytes::new(75_000),
        middle_queue: Bytes::new(150_000),
        largest_queue: Bytes::new(210_000),
        queue_gain: 0.3,
        growth_gain: 1.5,
        min_rate: MIN_RATE,
        link_rate: Rate::from_gbps(10),
    },
    FairRateLaw {
        period: PERIOD,
        reference_queue: Bytes::new(150_000),
        middle_queue: Bytes::new(300_000),
        largest_queue: Bytes::new(360_000),
        queue_gain: 0.3,
        growth_gain: 1.5,
        min_rate: MIN_RATE,
        link_rate: Rate::from_gbps(40),
    },
    FairRateLaw {
        period: PERIOD,
        reference_queue: Bytes::new(300_000),
        middle_queue: Bytes::new(600_000),
        largest_queue: Bytes::new(660_000),
        queue_gain: 0.45,
        growth_gain: 2.25,
        min_rate: MIN_RATE,
        link_rate: Rate::from_gbps(100),
    },
];

impl ProgramOptions for FairRateOptions {
    const PROGRAM: &'static str = "fair-rates";
}

impl FairRateOptions {
    /// The law of a port with this link rate.
    pub fn law(&self, link_rate: Rate) -> FairRateLaw {
        let published = FairRateLaw::published(link_rate);
        FairRateLaw {
            period: self.period.unwrap_or(published.period),
            reference_queue: self.reference_queue.unwrap_or(published.reference_queue),
            middle_queue: self.middle_queue.unwrap_or(published.middle_queue),
            largest_queue: self.largest_queue.unwrap_or(published.largest_queue),
            queue_gain: self.queue_gain.unwrap_or(published.queue_gain),
            growth_gain: self.growth_gain.unwrap_or(published.growth_gain),
            min_rate: self.min_rate.unwrap_or(published.min_rate),
            link_rate,
        }
    }
}

impl FairRateLaw {
    /// The published set for this link rate, or the nearest set, scaled.
    fn published(link_rate: Rate) -> Self {
        let own = link_rate.as_bps();
        let distance = |law: &&Self| {
            let other = law.link_rate.as_bps();
            let (more, less) = (own.max(other), own.min(other).max(1));
            u128::from(more) * 1_000_000 / u128::from(less)
        };
        let nearest = PUBLISHED.iter().min_by_key(distance);
        let nearest = nearest.expect("there are published sets");
        let scaled = |queue: Bytes| {
            let product = u128::from(queue.as_u64()) * u128::from(own);
            Bytes::new((product / u128::from(nearest.link_rate.as_bps())) as u64)
        };
        Self {
            reference_queue: scaled(nearest.reference_queue),
            middle_queue: scaled(nearest.middle_queue),
            largest_queue: scaled(nearest.largest_queue),
            link_rate,
            ..*nearest
        }
    }

    /// F_max in units.
    pub fn largest_rate(&self) -> f64 {
        self.link_rate.as_bps() as f64 / RATE_UNIT.as_bps() as f64
    }

    /// F_min in rate units; at most F_max.
    pub fn least_rate(&self) -> f64 {
        let least = self.min_rate.as_bps() as f64 / RATE_UNIT.as_bps() as f64;
        least.min(self.largest_rate())
    }

    /// `bytes` in queue units; negative for negative `bytes`.
    pub fn in_units(&self, bytes: f64) -> f64 {
        bytes / QUEUE_UNIT.as_u64() as f64
    }

    /// A rate in rate units as a [`Rate`], rounded down to bits per second.
    pub fn rate(&self, units: f64) -> Rate {
        Rate::from_bps((units * RATE_UNIT.as_bps() as f64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_rates_have_the_published_sets() {
        for law in PUBLISHED {
            assert_eq!(FairRateOptions::default().law(law.link_rate), law);
        }
    }

    /// 400 Gb/s is 4 · 100 Gb/s: queues of 1.2, 2.4 and 2.64 MB. 25 Gb/s is nearer to 40 Gb/s
    /// (ratio 1.6) than to 10 Gb/s (ratio 2.5): 150 KB · 25/40 = 93 750 B.
    #[test]
    fn other_rates_take_the_nearest_set_scaled() {
        let law = FairRateOptions::default().law(Rate::from_gbps(400));
        let queues = [law.reference_queue, law.middle_queue, law.largest_queue];
        assert_eq!(queues, [1_200_000, 2_400_000, 2_640_000].map(Bytes::new));
        assert_eq!((law.queue_gain, law.growth_gain), (0.45, 2.25));
        assert_eq!(law.largest_rate(), 40_000.0);
        let law = FairRateOptions::default().law(Rate::from_gbps(25));
        assert_eq!(law.reference_queue, Bytes::new(93_750));
        assert_eq!((law.period, law.queue_gain), (Time::from_us(40), 0.3));
    }

    #[test]
    fn given_values_hold_for_every_port() {
        let given = FairRateOptions {
            period: Some(Time::from_us(20)),
            reference_queue: Some(Bytes::new(50_000)),
            ..FairRateOptions::default()
        };
        for gbps in [10, 100] {
            let law = given.law(Rate::from_gbps(gbps));
            let found = (law.period, law.reference_queue);
            assert_eq!(found, (Time::from_us(20), Bytes::new(50_000)));
        }
    }
}
