//! A cumulative distribution of sizes, made of straight lines.

use incast_units::Bytes;

use crate::error::Fault;
use crate::flow::LARGEST_FLOW;

/// A cumulative distribution of flow sizes: straight lines between points.
///
/// A vertical line is a size that many flows have exactly; a horizontal line is a range of sizes
/// that no flow has.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf {
    points: Vec<Point>,
}

#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Point {
    /// In bytes.
    pub(super) size: f64,
    /// Of all flows, those up to this size, in percent.
    pub(super) percent: f64,
}

/// What is wrong with a table: at which point, in which column.
#[derive(Debug)]
pub(super) struct BadPoint {
    pub(super) index: usize,
    pub(super) column: &'static str,
    pub(super) fault: Fault,
}

impl Cdf {
    /// Percentages from 0 to 100, and neither column ever falls.
    pub(super) fn new(points: Vec<Point>) -> Result<Self, BadPoint> {
        let bad = |index, column, fault| {
            Err(BadPoint {
                index,
                column,
                fault,
            })
        };
        if let Some(first) = points.first()
            && first.percent != 0.0
        {
            let percent = first.percent;
            return bad(0, "percent", Fault::TableStart { percent });
        }
        for (index, pair) in points.windows(2).enumerate() {
            if let Err((column, fault)) = check_step(pair[0], pair[1]) {
                return bad(index + 1, column, fault);
            }
        }
        let last = points.last().map_or(0.0, |point| point.percent);
        let end = points.len().saturating_sub(1);
        if last != 100.0 {
            return bad(end, "percent", Fault::TableEnd { percent: last });
        }
        let largest = points[end].size;
        if largest < 1.0 {
            return bad(end, "bytes", Fault::EmptyFlow);
        }
        if largest > LARGEST_FLOW.as_u64() as f64 {
            let size = largest.to_string();
            return bad(end, "bytes", Fault::FlowTooLarge { size });
        }
        Ok(Self { points })
    }

    /// Only these sizes occur; each percentage counts the flows up to its size.
    pub(super) fn steps(table: &[(f64, f64)]) -> Result<Self, BadPoint> {
        let mut points = Vec::with_capacity(2 * table.len());
        let mut below = 0.0;
        for &(size, percent) in table {
            points.push(Point {
                size,
                percent: below,
            });
            points.push(Point { size, percent });
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

    /// The size that this fraction of all flows, in [0, 1), stays below: whole bytes, rounded
    /// down, at least 1.
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

    /// The fraction of flows up to this size, before sizes are cut to whole bytes.
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

    /// The table: sizes in bytes with the fraction of flows up to each, to be plotted.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points
            .iter()
            .map(|point| (point.size, point.percent / 100.0))
    }
}

/// From one point to the next, both columns may rise, one may stay.
fn check_step(from: Point, to: Point) -> Result<(), (&'static str, Fault)> {
    for (column, previous, value) in [
        ("bytes", from.size, to.size),
        ("percent", from.percent, to.percent),
    ] {
        if value < previous {
            return Err((column, Fault::TableFalls { value, previous }));
        }
    }
    match from == to {
        true => Err(("bytes", Fault::TableRepeats)),
        false => Ok(()),
    }
}
