//! A cumulative distribution of sizes, piecewise linear.

use incast_diagnostic::Diagnostic;
use incast_units::Bytes;

use crate::diagnostics;
use crate::flow::MAX_FLOW;

/// A cumulative distribution of flow sizes, linear between points.
///
/// A vertical line is a single size that many flows have. A horizontal line is a range of sizes
/// that no flow has.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf {
    points: Vec<Point>,
}

#[derive(Copy, Clone, Debug, PartialEq)]
struct Point {
    /// In bytes.
    size: f64,
    /// The percentage of flows up to this size.
    percent: f64,
}

/// A mistake in a table: the point, and a diagnostic that names the column.
#[derive(Debug)]
pub struct BadPoint {
    /// The point, counted from 0.
    pub index: usize,
    /// The mistake in the point.
    pub diagnostic: Diagnostic,
}

impl Cdf {
    /// A distribution from points: sizes in bytes, each with the percentage of flows up to this
    /// size.
    ///
    /// # Errors
    /// If percentages do not go from 0 to 100, a column decreases, or a size is impossible.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Result<Self, BadPoint> {
        let point = |(size, percent)| Point { size, percent };
        let points: Vec<_> = points.into_iter().map(point).collect();
        let bad = |index, diagnostic| Err(BadPoint { index, diagnostic });
        if let Some(first) = points.first()
            && first.percent != 0.0
        {
            let wrong = diagnostics::table_start(first.percent);
            return bad(0, wrong.at("percent"));
        }
        for (index, pair) in points.windows(2).enumerate() {
            if let Err(wrong) = check_step(pair[0], pair[1]) {
                return bad(index + 1, wrong);
            }
        }
        let last = points.last().copied().unwrap_or(point((0.0, 0.0)));
        let end = points.len().saturating_sub(1);
        if last.percent != 100.0 {
            return bad(end, diagnostics::table_end(last.percent).at("percent"));
        }
        if last.size < 1.0 {
            return bad(end, diagnostics::empty_flow().at("bytes"));
        }
        if last.size > MAX_FLOW.as_u64() as f64 {
            let size = last.size.to_string();
            return bad(end, diagnostics::flow_too_large(&size).at("bytes"));
        }
        Ok(Self { points })
    }

    /// A distribution of these sizes only; each percentage counts the flows up to its size.
    pub(super) fn steps(table: &[(f64, f64)]) -> Result<Self, BadPoint> {
        let mut points = Vec::with_capacity(2 * table.len());
        let mut below = 0.0;
        for &(size, percent) in table {
            points.extend([(size, below), (size, percent)]);
            below = percent;
        }
        Self::new(points)
    }

    /// The mean in bytes, by the trapezoid rule.
    pub fn mean_bytes(&self) -> f64 {
        let trapezoid = |pair: &[Point]| {
            (pair[0].size + pair[1].size) / 2.0 * (pair[1].percent - pair[0].percent)
        };
        self.points.windows(2).map(trapezoid).sum::<f64>() / 100.0
    }

    /// The mean of the squares of sizes in bytes: on a straight line from a to b it is
    /// (a² + ab + b²) / 3.
    pub fn mean_square_bytes(&self) -> f64 {
        let part = |pair: &[Point]| {
            let (a, b) = (pair[0].size, pair[1].size);
            (a * a + a * b + b * b) / 3.0 * (pair[1].percent - pair[0].percent)
        };
        self.points.windows(2).map(part).sum::<f64>() / 100.0
    }

    /// The largest size of any flow.
    pub(super) fn largest(&self) -> Bytes {
        Bytes::new(self.points.last().map_or(0, |point| point.size as u64))
    }

    /// The quantile at this fraction of all flows, in [0, 1): in whole bytes, rounded down, at
    /// least 1.
    pub fn quantile(&self, fraction: f64) -> Bytes {
        let percent = fraction * 100.0;
        let above = self
            .points
            .partition_point(|point| point.percent <= percent);
        let above = above.clamp(1, self.points.len() - 1);
        let (from, to) = (self.points[above - 1], self.points[above]);
        let slope = (to.size - from.size) / (to.percent - from.percent);
        let size = from.size + slope * (percent - from.percent);
        Bytes::new((size as u64).max(1))
    }

    /// The fraction of flows up to this size, before sizes are rounded down to bytes.
    pub fn fraction_up_to(&self, size: Bytes) -> f64 {
        let size = size.as_u64() as f64;
        let above = self.points.partition_point(|point| point.size <= size);
        let percent = match (self.points[..above].last(), self.points.get(above)) {
            (None, _) => 0.0,
            (Some(_), None) => 100.0,
            (Some(from), Some(to)) => {
                let slope = (to.percent - from.percent) / (to.size - from.size);
                from.percent + slope * (size - from.size)
            }
        };
        percent / 100.0
    }

    /// The points, for plots: sizes in bytes, with the fraction of flows up to each size.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points
            .iter()
            .map(|point| (point.size, point.percent / 100.0))
    }
}

/// Checks one step: no column decreases, and at least one increases.
fn check_step(from: Point, to: Point) -> Result<(), Diagnostic> {
    for (column, previous, value) in [
        ("bytes", from.size, to.size),
        ("percent", from.percent, to.percent),
    ] {
        // Comparisons with NaN are false, so NaN has a check of its own.
        if value.is_nan() || value < previous {
            return Err(diagnostics::table_falls(value, previous).at(column));
        }
    }
    match from == to {
        true => Err(diagnostics::table_repeats().at("bytes")),
        false => Ok(()),
    }
}
