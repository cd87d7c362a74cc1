//! How equally flows share the network, over time.

use incast_net::Tick;
use incast_units::Time;
use serde::Serialize;

/// Sharing counts as fair from this Jain index on.
const FAIR: f64 = 0.95;

/// Jain's index over a run: only of ticks at which at least two flows have been alive ever since
/// the tick before, for one flow alone is always fair.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Fairness {
    /// Mean over those ticks.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// At the last of them.
    pub r#final: f64,
    /// Time after the last arrival until the index reaches 0.95 and stays there up to the last
    /// of them; `None` if it never does.
    pub time_to_095_ps: Option<u64>,
}

impl Fairness {
    /// From the ticks of a run whose last flow started at `last_arrival`; `None` if no two flows
    /// were ever alive together.
    pub(crate) fn of(ticks: &[Tick], last_arrival: Time) -> Option<Self> {
        let shared = ticks.iter().filter(|tick| tick.whole >= 2);
        let indices: Vec<(Time, f64)> = shared
            .filter_map(|tick| Some((tick.time, jain_index(tick)?)))
            .collect();
        let values = || indices.iter().map(|(_, index)| *index);
        Some(Self {
            mean: values().sum::<f64>() / indices.len() as f64,
            min: values().min_by(f64::total_cmp)?,
            r#final: values().next_back()?,
            time_to_095_ps: fair_from(&indices, last_arrival)
                .map(|time| time.saturating_sub(last_arrival).as_ps()),
        })
    }
}

/// Jain's index of what flows got since the tick before, (Σx)² / (n·Σx²): 1 if all got the same,
/// 1/n if one got everything; `None` if none got anything.
///
/// x is the payload acknowledged, n the flows alive all that time.
pub(crate) fn jain_index(tick: &Tick) -> Option<f64> {
    let square_of_sum = u128::from(tick.acked_sum).pow(2);
    let sum_of_squares = u128::from(tick.whole) * tick.acked_square_sum;
    (sum_of_squares > 0).then(|| square_of_sum as f64 / sum_of_squares as f64)
}

/// The first tick after the last arrival from which on sharing stays fair.
fn fair_from(indices: &[(Time, f64)], last_arrival: Time) -> Option<Time> {
    let settled = indices
        .iter()
        .rev()
        .take_while(|(time, _)| *time > last_arrival);
    settled
        .take_while(|(_, index)| *index >= FAIR)
        .last()
        .map(|(time, _)| *time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tick at `us` for flows that got these bytes.
    fn tick(us: u64, acked: &[u64]) -> Tick {
        Tick {
            time: Time::from_us(us),
            alive: acked.len() as u64,
            whole: acked.len() as u64,
            acked: acked.iter().sum(),
            acked_sum: acked.iter().sum(),
            acked_square_sum: acked.iter().map(|x| u128::from(x * x)).sum(),
            ..Tick::default()
        }
    }

    /// (1 + 3)² / (2 · (1 + 9)) = 16 / 20.
    #[test]
    fn jains_index_by_hand() {
        assert_eq!(jain_index(&tick(1, &[1000, 3000])), Some(0.8));
        assert_eq!(jain_index(&tick(1, &[7, 7, 7])), Some(1.0));
        assert_eq!(jain_index(&tick(1, &[0, 0, 9])), Some(1.0 / 3.0));
        assert_eq!(jain_index(&tick(1, &[0, 0])), None);
    }

    /// Indices 0.8 (1 µs), 1 (2 µs), 0.8, 1, 1 (5 µs); the last flow came at 1.5 µs. Fair for
    /// good from 4 µs on: 2.5 µs after.
    #[test]
    fn a_relapse_counts() {
        let (fair, unfair) = (&[5, 5][..], &[1, 3][..]);
        let ticks = [(1, unfair), (2, fair), (3, unfair), (4, fair), (5, fair)];
        let ticks = ticks.map(|(us, acked)| tick(us, acked));
        let fairness = Fairness::of(&ticks, Time::from_ns(1_500)).expect("two flows");
        assert_eq!(fairness.mean, (0.8 + 1.0 + 0.8 + 1.0 + 1.0) / 5.0);
        assert_eq!((fairness.min, fairness.r#final), (0.8, 1.0));
        assert_eq!(fairness.time_to_095_ps, Some(2_500_000));
    }

    #[test]
    fn unfair_to_the_end() {
        let ticks = [tick(1, &[5, 5]), tick(2, &[1, 3])];
        let fairness = Fairness::of(&ticks, Time::ZERO).expect("two flows");
        assert_eq!(fairness.time_to_095_ps, None);
    }

    #[test]
    fn one_flow_alone_says_nothing() {
        assert_eq!(
            Fairness::of(&[tick(1, &[5]), tick(2, &[])], Time::ZERO),
            None
        );
    }
}
