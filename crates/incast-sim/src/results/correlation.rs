//! Pearson's correlation of two measures.

/// The means of pairs, in a first pass before [`Deviations`].
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Means {
    count: u64,
    sum_x: f64,
    sum_y: f64,
}

impl Means {
    pub(crate) fn add(&mut self, x: f64, y: f64) {
        self.count += 1;
        self.sum_x += x;
        self.sum_y += y;
    }
}

/// Pearson's correlation coefficient, in a second pass over the pairs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Deviations {
    mean_x: f64,
    mean_y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Deviations {
    pub(crate) fn from(means: Means) -> Self {
        Self {
            mean_x: means.sum_x / means.count as f64,
            mean_y: means.sum_y / means.count as f64,
            xx: 0.0,
            yy: 0.0,
            xy: 0.0,
        }
    }

    pub(crate) fn add(&mut self, x: f64, y: f64) {
        let (dx, dy) = (x - self.mean_x, y - self.mean_y);
        self.xx += dx * dx;
        self.yy += dy * dy;
        self.xy += dx * dy;
    }

    pub(crate) fn coefficient(&self) -> Option<f64> {
        coefficient(self.xx, self.yy, self.xy)
    }
}

/// The coefficient; `None` for fewer than two pairs, or if either measure is constant.
fn coefficient(xx: f64, yy: f64, xy: f64) -> Option<f64> {
    let scale = (xx * yy).sqrt();
    (scale > 0.0).then(|| (xy / scale).clamp(-1.0, 1.0))
}

/// The correlation of pairs in one pass, by deviations from the running means.
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
        coefficient(self.xx, self.yy, self.xy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Option<f64> {
        let mut one_by_one = Correlation::default();
        pairs.iter().for_each(|(x, y)| one_by_one.add(*x, *y));
        let mut means = Means::default();
        pairs.iter().for_each(|(x, y)| means.add(*x, *y));
        let mut deviations = Deviations::from(means);
        pairs.iter().for_each(|(x, y)| deviations.add(*x, *y));
        let all = deviations.coefficient();
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
