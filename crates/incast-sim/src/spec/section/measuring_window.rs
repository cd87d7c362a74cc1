//! The measuring window: from `measure.from` to `measure.until`. By default, the time in which the
//! network carries open-loop traffic at a steady load.

use incast_diagnostic::Diagnostic;
use incast_net::MeasuringWindow;
use incast_units::Time;

/// One part in this many of the time of open-loop arrivals is left out at its begin.
const RAMP_UP: u64 = 5;
/// The fewest samples of flows in a default window. If there would be fewer, the window is the
/// whole run.
const MIN_SAMPLES: u64 = 10;

/// Facts of the scenario that a measuring window depends on.
#[derive(Copy, Clone, Debug)]
pub(super) struct TrafficFacts {
    /// When the first and the last flow of open-loop traffic arrive; `None` without such traffic.
    pub(super) open_loop: Option<(Time, Time)>,
    /// The stop time of the run.
    pub(super) stop: Option<Time>,
    /// Time between two samples of flows.
    pub(super) every: Time,
}

/// The window from `from` to `until`. With open-loop traffic, a missing begin is when a fifth of
/// the time of its arrivals has passed, and a missing end is the last arrival. Without such traffic
/// they are begin and end of the run.
///
/// # Errors
/// If the window is empty, or holds fewer than two samples of flows.
pub(super) fn measuring_window(
    from: Option<Time>,
    until: Option<Time>,
    context: TrafficFacts,
) -> Result<MeasuringWindow, Diagnostic> {
    let TrafficFacts {
        open_loop,
        stop,
        every,
    } = context;
    let end = stop.unwrap_or(Time::MAX);
    let settled = open_loop.map(|(begin, last)| {
        let last = last.min(end);
        let ramp_up = last.saturating_sub(begin).as_ps() / RAMP_UP;
        (begin + Time::from_ps(ramp_up), last)
    });
    if from.is_none() && until.is_none() {
        let long =
            |&(from, until): &(Time, Time)| until.saturating_sub(from) >= every * MIN_SAMPLES;
        let window = settled.filter(long);
        return Ok(
            window.map_or(MeasuringWindow::WHOLE, |(from, until)| MeasuringWindow {
                from,
                until,
            }),
        );
    }
    if let Some(from) = from {
        check_begin(from, until, settled.map(|(_, last)| last), stop)?;
    }
    let until = until
        .or(settled.map(|(_, last)| last))
        .unwrap_or(end)
        .min(end);
    let settled_from = settled.map(|(from, _)| from).filter(|from| *from < until);
    let from_is_written = from.is_some();
    let from = from.or(settled_from).unwrap_or_default();
    let window = MeasuringWindow { from, until };
    match window.until.saturating_sub(window.from) >= every * 2 {
        true => Ok(window),
        false if from_is_written => Err(too_short(window, every).at("measure.from")),
        false => Err(too_short(window, every).at("measure.until")),
    }
}

/// Checks that a window with begin `from` does not begin after its end.
fn check_begin(
    from: Time,
    until: Option<Time>,
    last_arrival: Option<Time>,
    stop: Option<Time>,
) -> Result<(), Diagnostic> {
    let what = match (until, last_arrival, stop) {
        (Some(until), ..) if from >= until => {
            format!("measuring begins at {from}, but ends at {until}, by measure.until")
        }
        (_, _, Some(stop)) if from >= stop => {
            format!("measuring begins at {from}, but the run stops at {stop}, by run.stop")
        }
        (None, Some(last), _) if from >= last => {
            format!(
                "measuring begins at {from}, but ends when the last flow of open-loop traffic has \
                 arrived, at {last}"
            )
        }
        _ => return Ok(()),
    };
    let hint = match until {
        Some(_) => "write an earlier measure.from, or a later end",
        None => "write an earlier measure.from, or a later measure.until",
    };
    Err(Diagnostic::new(what, hint).at("measure.from"))
}

fn too_short(window: MeasuringWindow, every: Time) -> Diagnostic {
    let MeasuringWindow { from, until } = window;
    let what = format!("from {from} to {until} there are no two samples of flows, {every} apart");
    let hint =
        "write an earlier measure.from, a later measure.until, or measure.flows.every of less";
    Diagnostic::new(what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(
        (from, until): (Option<u64>, Option<u64>),
        open_loop: Option<(u64, u64)>,
        stop: Option<u64>,
    ) -> Result<(u64, u64), String> {
        let us = |us: u64| {
            if us == u64::MAX {
                Time::MAX
            } else {
                Time::from_us(us)
            }
        };
        let context = TrafficFacts {
            open_loop: open_loop.map(|(from, until)| (us(from), us(until))),
            stop: stop.map(us),
            every: us(10),
        };
        let found = measuring_window(from.map(us), until.map(us), context);
        let back = |time: Time| {
            if time == Time::MAX {
                u64::MAX
            } else {
                time.as_ps() / 1_000_000
            }
        };
        found
            .map(|window| (back(window.from), back(window.until)))
            .map_err(|diagnostic| diagnostic.to_string())
    }

    const NOT_GIVEN: (Option<u64>, Option<u64>) = (None, None);

    #[test]
    fn without_open_loop_traffic_it_is_the_run() {
        assert_eq!(window(NOT_GIVEN, None, None), Ok((0, u64::MAX)));
        assert_eq!(window(NOT_GIVEN, None, Some(500)), Ok((0, u64::MAX)));
        assert_eq!(window((Some(100), None), None, Some(500)), Ok((100, 500)));
        assert_eq!(window((None, Some(300)), None, None), Ok((0, 300)));
    }

    /// Arrivals from 100 to 1100 µs give a window from 300 µs on.
    #[test]
    fn ramp_up_and_drain_of_open_loop_traffic_are_left_out() {
        let arrivals = Some((100, 1100));
        assert_eq!(window(NOT_GIVEN, arrivals, None), Ok((300, 1100)));
        assert_eq!(window(NOT_GIVEN, arrivals, Some(600)), Ok((200, 600)));
        assert_eq!(window((Some(50), None), arrivals, None), Ok((50, 1100)));
        assert_eq!(window((None, Some(2000)), arrivals, None), Ok((300, 2000)));
        assert_eq!(window((None, Some(250)), arrivals, None), Ok((0, 250)));
        // The window would be too short for samples 10 µs apart, so it is the whole run.
        assert_eq!(window(NOT_GIVEN, Some((0, 100)), None), Ok((0, u64::MAX)));
    }

    #[test]
    fn a_window_without_samples_is_a_mistake() {
        let message = window((Some(90), Some(100)), None, None).unwrap_err();
        assert_eq!(
            message,
            "measure.from: from 90us to 100us there are no two samples of flows, 10us apart; write \
             an earlier measure.from, a later measure.until, or measure.flows.every of less"
        );
        let message = window((None, Some(10)), None, None).unwrap_err();
        assert!(
            message.starts_with("measure.until: from 0s to 10us there are"),
            "{message}"
        );
    }

    #[test]
    fn a_window_that_ends_before_it_begins_is_a_mistake() {
        for (given, open_loop, stop, expected) in [
            (
                (Some(100), Some(100)),
                None,
                None,
                "measuring begins at 100us, but ends at 100us, by measure.until; write an earlier \
                 measure.from, or a later end",
            ),
            (
                (Some(700), None),
                None,
                Some(600),
                "measuring begins at 700us, but the run stops at 600us, by run.stop; write an \
                 earlier measure.from, or a later measure.until",
            ),
            (
                (Some(700), Some(900)),
                None,
                Some(600),
                "measuring begins at 700us, but the run stops at 600us, by run.stop; write an \
                 earlier measure.from, or a later end",
            ),
            (
                (Some(1100), None),
                Some((100, 1100)),
                None,
                "measuring begins at 1.1ms, but ends when the last flow of open-loop traffic has \
                 arrived, at 1.1ms; write an earlier measure.from, or a later measure.until",
            ),
        ] {
            let message = window(given, open_loop, stop).unwrap_err();
            assert_eq!(message, format!("measure.from: {expected}"));
        }
        assert_eq!(
            window((Some(1100), Some(1200)), Some((100, 1100)), None),
            Ok((1100, 1200))
        );
    }
}
