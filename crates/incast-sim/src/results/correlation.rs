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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Option<f64> {
        correlation(pairs.iter().copied())
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
