//! Goodput: of the whole network, and of flows.

use incast_net::{MeasuringWindow, Recording};
use incast_units::{Bytes, Time};
use serde::{Deserialize, Serialize};

use super::Measurements;
use super::rates::bps;

/// Payload delivered.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goodput {
    /// Payload delivered in order over the time from the first arrival to the end. With a measuring
    /// window: payload acknowledged in it; `None` if it has fewer than two samples.
    pub total: Option<f64>,
    /// Mean of size / FCT over completed flows that count, in bit/s.
    pub mean_per_flow: Option<f64>,
}

impl Goodput {
    pub(super) fn of(recording: &Recording, measured: &Measurements) -> Self {
        let total = match measured.window {
            MeasuringWindow::WHOLE => Some(bps(recording.delivered, measured.timing.duration())),
            window => within(recording, window, measured.timing.end),
        };
        Self {
            total,
            mean_per_flow: measured.statistics.goodput.mean(),
        }
    }
}

/// The goodput from the first to the last sample in a window. Each sample has the bytes
/// acknowledged since the one before; samples of idle time are left out.
fn within(recording: &Recording, window: MeasuringWindow, run_end: Time) -> Option<f64> {
    let ticks = &recording.flow_ticks;
    let interval = recording.kept_intervals.flows?.as_ps();
    let begin = interval * window.from.as_ps().div_ceil(interval);
    let until = window.until.min(run_end);
    let end = interval * (until.as_ps() / interval);
    if begin >= end {
        return None;
    }
    let (begin, end) = (Time::from_ps(begin), Time::from_ps(end));
    let inside = ticks
        .iter()
        .filter(|tick| begin < tick.time && tick.time <= end);
    let acked = inside.map(|tick| tick.acked).sum();
    Some(bps(Bytes::new(acked), end - begin))
}

#[cfg(test)]
mod tests {
    use incast_net::SampleIntervals;

    use super::*;

    /// 100, 200, 300, 400 B at 10, 20, 30, 40 µs. From 15 to 40 the first sample is at 20: 700 B in
    /// 20 µs are 280 Mb/s. Idle time without samples counts, too.
    #[test]
    fn a_window_counts_from_sample_to_sample() {
        let tick = |n: u64| incast_net::Tick {
            time: Time::from_us(10 * n),
            acked: 100 * n,
            ..incast_net::Tick::default()
        };
        let recording = Recording {
            flow_ticks: (1..=4).map(tick).collect(),
            kept_intervals: SampleIntervals {
                flows: Some(Time::from_us(10)),
                ..SampleIntervals::default()
            },
            ..Recording::default()
        };
        let within = |from, until, run_end| {
            let (from, until) = (Time::from_us(from), Time::from_us(until));
            within(
                &recording,
                MeasuringWindow { from, until },
                Time::from_us(run_end),
            )
        };
        assert_eq!(within(15, 40, 45), Some(280e6));
        assert_eq!(within(10, 29, 45), Some(160e6));
        assert_eq!(within(11, 29, 45), None);
        assert_eq!(within(50, 90, 45), None);
        assert_eq!(within(0, 9, 45), None);
        assert_eq!(within(0, 80, 100), Some(100e6));
        assert_eq!(within(50, 90, 100), Some(0.0));
    }
}
