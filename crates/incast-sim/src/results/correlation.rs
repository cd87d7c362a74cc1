//! Correlation of two measures of the same things.

/// Pearson's correlation coefficient; `None` of fewer than two pairs, or if either never varies.
///
/// `pairs` is walked through twice: once for the means, once for how far values are from them.
pub(crate) fn correlation(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let (mut count, mut sum_x, mut sum_y) = (0_u64, 0.0, 0.0);
    for (x, y) in pairs.clone() {
        count += 1;
        sum_x += x;
        sum_y += y;
    }
    let (mean_x, mean_y) = (sum_x / count as f64, sum_y / count as f64);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    let scale = (xx * yy).sqrt();
    (scale > 0.0).then(|| (xy / scale).clamp(-1.0, 1.0))
}

/// The correlation of pairs that come one after the other, by how far each is from the means before
/// it.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Correlation {
    count: f64,
    mean_x: f64,
    mean_y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Correlation {
    pub(crate) fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        let (dx, dy) = (x - self.mean_x, y - self.mean_y);
        self.mean_x += dx / self.count;
        self.mean_y += dy / self.count;
        self.xx += dx * (x - self.mean_x);
        self.yy += dy * (y - self.mean_y);
        self.xy += dx * (y - self.mean_y);
    }

    pub(crate) fn coefficient(&self) -> Option<f64> {
        let scale = (self.xx * self.yy).sqrt();
        (scale > 0.0).then(|| (self.xy / scale).clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Option<f64> {
        let mut one_by_one = Correlation::default();
        pairs.iter().for_each(|(x, y)| one_by_one.add(*x, *y));
        let all = correlation(pairs.iter().copied());
        let (coefficient, other) = (one_by_one.coefficient(), all.unwrap_or_default());
        assert_eq!(coefficient.is_some(), all.is_some());
        assert!((coefficient.unwrap_or_default() - other).abs() < 1e-12);
        all
    }

    #[test]
    fn lines_rise_or_fall() {
        assert_eq!(of(&[(0.0, 5.0), (1.0, 7.0), (2.0, 9.0)]), Some(1.0));
        assert_eq!(of(&[(0.0, 9.0), (1.0, 7.0), (2.0, 5.0)]), Some(-1.0));
    }

    /// Means 1 and 2; deviations (-1, -1), (0, 1), (1, 0): 1 / √(2 · 2).
    #[test]
    fn three_points_by_hand() {
        assert_eq!(of(&[(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)]), Some(0.5));
    }

    #[test]
    fn what_never_varies_is_not_correlated() {
        assert_eq!(of(&[(0.0, 5.0), (0.0, 7.0)]), None);
        assert_eq!(of(&[(0.0, 5.0), (1.0, 5.0)]), None);
        assert_eq!(of(&[(3.0, 5.0)]), None);
        assert_eq!(of(&[]), None);
    }
}
