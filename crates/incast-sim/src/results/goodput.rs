//! Goodput: of the whole network, and of flows.

use incast_net::{MeasuringWindow, Recording, Tick};
use incast_units::{Bytes, Time};
use serde::{Deserialize, Serialize};

use super::Measurements;
use super::flows::completion_times;
use super::rates::bps;
use super::table::Table;

/// Payload delivered.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goodput {
    /// Payload delivered in order, over the time from the first arrival to the end; or
    /// acknowledged in the measuring window, `None` if that holds no two samples.
    pub total: Option<f64>,
    /// Mean over completed flows of size / FCT.
    pub mean_per_flow: Option<f64>,
}

impl Goodput {
    pub(super) fn of(recording: &Recording, flows: &Table, measured: &Measurements) -> Self {
        let rates =
            completion_times(flows).map(|(size, fct)| bps(Bytes::new(size), Time::from_ps(fct)));
        let count = flows.rows();
        let total = match measured.window {
            MeasuringWindow::WHOLE => Some(bps(recording.delivered, measured.timing.duration())),
            window => within(&recording.flow_ticks, window),
        };
        Self {
            total,
            mean_per_flow: (count > 0).then(|| rates.sum::<f64>() / count as f64),
        }
    }
}

/// What was acknowledged from the first to the last sample in a window.
fn within(ticks: &[Tick], window: MeasuringWindow) -> Option<f64> {
    let begin = ticks.partition_point(|tick| tick.time < window.from);
    let end = ticks.partition_point(|tick| tick.time <= window.until);
    let (first, later) = ticks.get(begin..end)?.split_first()?;
    let last = later.last()?;
    let acked = later.iter().map(|tick| tick.acked).sum();
    Some(bps(Bytes::new(acked), last.time - first.time))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100, 200, 300, 400 B at 10, 20, 30, 40 µs. From 15 to 40 the first sample is at 20: 700 B in
    /// 20 µs are 280 Mb/s.
    #[test]
    fn a_window_counts_from_sample_to_sample() {
        let tick = |n: u64| Tick {
            time: Time::from_us(10 * n),
            acked: 100 * n,
            ..Tick::default()
        };
        let ticks: Vec<_> = (1..=4).map(tick).collect();
        let within = |from, until| {
            let (from, until) = (Time::from_us(from), Time::from_us(until));
            within(&ticks, MeasuringWindow { from, until })
        };
        assert_eq!(within(15, 40), Some(280e6));
        assert_eq!(within(10, 29), Some(160e6));
        assert_eq!(within(11, 29), None);
        assert_eq!(within(50, 90), None);
        assert_eq!(within(0, 9), None);
    }
}
