//! Sizes of flows: one size, a published table, a user's table, or a mix.
//!
//! A size is drawn by inverse transform: u is uniform in [0, 100) %, and linear interpolation in
//! the table gives the size at u. Sizes are rounded down to whole bytes, and are at least 1 byte.
//! Loads are computed from the mean of the interpolated table (the trapezoid rule). This mean
//! ignores the rounding, which is half a byte in thousands.

use std::sync::Arc;

use incast_units::Bytes;

use incast_random::RandomStream;

use crate::cdf::Cdf;

mod published;
mod spec;

pub use published::Published;
pub use spec::{CdfPoint, MixPart, SizeSpec};

/// A valid distribution of flow sizes. Copies share their tables.
#[derive(Clone, Debug)]
pub enum FlowSizes {
    /// Every flow has this size.
    Fixed(Bytes),
    /// Sizes follow a table.
    Table(Arc<Cdf>),
    /// Several distributions, one of which is drawn for each flow.
    Mix(Arc<Mix>),
}

/// Several distributions, each with its share of the flows.
#[derive(Debug)]
pub struct Mix {
    parts: Vec<FlowSizes>,
    /// For each part, the share of flows in this part and all parts before; the last is 1.
    shares: Vec<f64>,
}

impl FlowSizes {
    /// The mean size in bytes, seldom a whole number.
    pub fn mean_bytes(&self) -> f64 {
        match self {
            Self::Fixed(size) => size.as_u64() as f64,
            Self::Table(table) => table.mean_bytes(),
            Self::Mix(mix) => mix.mean_of(Self::mean_bytes),
        }
    }

    /// The mean of the squares of sizes in bytes.
    pub fn mean_square_bytes(&self) -> f64 {
        match self {
            Self::Fixed(size) => (size.as_u64() as f64).powi(2),
            Self::Table(table) => table.mean_square_bytes(),
            Self::Mix(mix) => mix.mean_of(Self::mean_square_bytes),
        }
    }

    /// The size of the largest flow.
    pub(crate) fn largest(&self) -> Bytes {
        match self {
            Self::Fixed(size) => *size,
            Self::Table(table) => table.largest(),
            Self::Mix(mix) => {
                let parts = mix.parts.iter().map(Self::largest);
                parts.max().unwrap_or_default()
            }
        }
    }

    pub(crate) fn draw(&self, stream: &mut RandomStream) -> Bytes {
        match self {
            Self::Fixed(size) => *size,
            Self::Table(table) => table.quantile(stream.uniform()),
            Self::Mix(mix) => mix.pick(stream.uniform()).draw(stream),
        }
    }
}

impl Mix {
    /// A mix of parts with their weights, which are all above 0.
    fn new(weighted: Vec<(FlowSizes, f64)>) -> Self {
        let total: f64 = weighted.iter().map(|(_, weight)| weight).sum();
        let mut sum = 0.0;
        let shares = weighted.iter().map(|(_, weight)| {
            sum += weight;
            sum / total
        });
        Self {
            shares: shares.collect(),
            parts: weighted.into_iter().map(|(sizes, _)| sizes).collect(),
        }
    }

    /// The mean over all flows, from the means of the parts.
    fn mean_of(&self, of_part: impl Fn(&FlowSizes) -> f64) -> f64 {
        let before = [0.0].into_iter().chain(self.shares.iter().copied());
        let shares = self.shares.iter().zip(before).map(|(to, from)| to - from);
        let means = self.parts.iter().map(of_part);
        shares.zip(means).map(|(share, mean)| share * mean).sum()
    }

    /// The part that contains this fraction of the flows, in [0, 1).
    fn pick(&self, fraction: f64) -> &FlowSizes {
        let index = self.shares.partition_point(|share| *share <= fraction);
        &self.parts[index.min(self.parts.len() - 1)]
    }
}

#[cfg(test)]
mod tests;
