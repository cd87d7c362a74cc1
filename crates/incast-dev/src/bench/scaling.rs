//! Forecasts of a case's run time on more threads than this machine has cores.
//!
//! Each number of threads is rehearsed: a single thread runs the parts of all threads, round by
//! round, and measures the time of each part ([`Rehearsal`]). In the real run a thread begins its
//! part of a round when it has finished the last round and has the messages of all other threads.
//! After some rounds all threads meet. Work outside of the parallel rounds is added as it is: flows
//! that begin and end, rounds with little work, the results.
//!
//! Parallel cores slow each other down, because they share caches and memory. This factor is
//! measured with as many simultaneous runs as there are cores, and multiplies every part. The
//! forecast ignores that the factor may grow with more cores, and that a part may gain from a
//! core's own caches. A run that is faster on one thread falls back to one thread; a rehearsal does
//! not.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use incast_engine::RoundPrice;
use incast_sim::{FlowRecord, Observer, Progress, Rehearsal, Threads, run_on};
use serde::{Deserialize, Serialize};

use super::case::{Case, CaseNetwork};
use super::error::BenchError;
use super::measurement::Measurement;
use super::{in_a_process, optimised_build, said_by_process, table};

/// The numbers of threads that are rehearsed.
const THREADS: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// Number of measurements of the time of a meeting, of which the least counts.
const MEASUREMENTS: u32 = 3;

/// The forecast run times of a case, by number of threads.
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    case: String,
    /// Run time on one thread, in seconds.
    alone: f64,
    /// Factor by which a run is slower if every core has a run.
    sharing: f64,
    /// Seconds that a thread takes to give another a task, and to learn that it is done.
    meeting: f64,
    forecasts: Vec<Forecast>,
}

/// The forecast for one number of threads.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Forecast {
    threads: usize,
    /// By the rehearsal.
    seconds: f64,
    /// The measured run time in seconds, if the machine has as many cores.
    measured: Option<f64>,
}

impl Curve {
    /// The curve as a table.
    fn table(&self) -> String {
        let heading = [
            "threads",
            "forecast",
            "sooner by",
            "efficiency",
            "measured",
            "error",
        ];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        for Forecast {
            threads,
            seconds: forecast,
            measured,
        } in &self.forecasts
        {
            let sooner = self.alone / forecast;
            let error = |seconds: f64| format!("{:+.1} %", 100.0 * (forecast / seconds - 1.0));
            rows.push(vec![
                threads.to_string(),
                format!("{forecast:.3} s"),
                format!("{sooner:.2}"),
                format!("{:.0} %", 100.0 * sooner / *threads as f64),
                measured.map_or("–".to_owned(), |seconds| format!("{seconds:.3} s")),
                measured.map_or("–".to_owned(), error),
            ]);
        }
        format!(
            "{}: {:.3} s on one thread; {:.2} times that where every core runs one; {:.1} µs for \
             two threads to meet\n{}",
            self.case,
            self.alone,
            self.sharing,
            self.meeting * 1e6,
            table::aligned(&rows, 0)
        )
    }
}

/// The figures of one rehearsal, in seconds.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Rehearsed {
    /// Wall-clock time of the whole run, on one thread.
    wall: f64,
    /// Sum of the times of all threads' parts, in rounds that threads share.
    all: f64,
    /// Time in shared rounds until the slowest thread has finished its parts, summed over meetings.
    longest: f64,
    /// Number of meetings.
    meetings: u64,
}

impl Rehearsed {
    fn in_a_process(case: &Case, threads: NonZeroUsize) -> Result<Self, BenchError> {
        let options = ["--scaling", "--threads", &threads.to_string()];
        let said = said_by_process(case, &options)?;
        serde_json::from_slice(&said).map_err(|source| BenchError::Measurement { source })
    }

    /// The forecast run time on `threads` threads, in seconds.
    fn forecast(&self, threads: usize, sharing: f64, price: RoundPrice) -> f64 {
        let meeting = price.of(threads as u32).as_secs_f64();
        self.wall - self.all + self.longest * sharing + self.meetings as f64 * meeting
    }
}

/// Keeps the result of a rehearsal.
#[derive(Debug, Default)]
struct Prompter(Option<Rehearsal>);

impl Observer for Prompter {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn finished(&mut self, _flows: &[FlowRecord]) {}

    fn rehearsed(&mut self, rehearsal: &Rehearsal) {
        self.0 = Some(*rehearsal);
    }
}

/// Prints a rehearsal of one case for this number of threads as JSON, for the process that measures
/// it.
pub(super) fn rehearse_here(case: &Case, threads: NonZeroUsize) -> Result<(), BenchError> {
    let scenario = case.scenario()?;
    let mut prompter = Prompter::default();
    let price = price(MEASUREMENTS);
    let results = run_on(&scenario, Threads::rehearsed(threads, price), &mut prompter)?;
    let rehearsal = prompter.0.unwrap_or_default();
    let rehearsed = Rehearsed {
        wall: results.summary.effort.wall_seconds,
        all: rehearsal.all.as_secs_f64(),
        longest: rehearsal.longest.as_secs_f64(),
        meetings: rehearsal.meetings,
    };
    let json = serde_json::to_string(&rehearsed);
    println!("{}", json.expect("numbers have a JSON form"));
    Ok(())
}

/// The least of several measurements of a meeting.
fn price(measurements: u32) -> RoundPrice {
    let prices = (0..measurements).map(|_| RoundPrice::measure());
    let least = prices.min_by_key(|price| price.of_two);
    least.expect("at least one measurement")
}

/// The cases that can be rehearsed. If cases were `named`, others are refused.
pub(super) fn fitting(cases: Vec<Case>, named: bool) -> Result<Vec<Case>, BenchError> {
    let fits = |case: &Case| case.network == CaseNetwork::Whole;
    match cases.iter().find(|case| !fits(case)) {
        Some(other) if named => Err(BenchError::NotRehearsed {
            case: other.name.clone(),
        }),
        _ => Ok(cases.into_iter().filter(fits).collect()),
    }
}

/// Prints forecasts of each case's run time.
pub(super) fn forecast(cases: &[Case], repeat: u32) -> Result<(), BenchError> {
    println!("{}", optimised_build().describe());
    for case in cases {
        eprintln!("{} …", case.name);
        println!("\n{}", curve(case, repeat)?.table());
    }
    Ok(())
}

fn curve(case: &Case, repeat: u32) -> Result<Curve, BenchError> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let alone = fastest(case, NonZeroUsize::MIN, repeat)?;
    let sharing = (together(case, cores, repeat)? / alone).max(1.0);
    let price = price(repeat);
    let mut forecasts = Vec::new();
    for threads in THREADS {
        let count = NonZeroUsize::new(threads).expect("two or more");
        let seconds = least(repeat, || {
            let rehearsed = Rehearsed::in_a_process(case, count)?;
            Ok(rehearsed.forecast(threads, sharing, price))
        })?;
        let measured = match count <= cores {
            true => Some(fastest(case, count, repeat)?),
            false => None,
        };
        forecasts.push(Forecast {
            threads,
            seconds,
            measured,
        });
    }
    Ok(Curve {
        case: case.name.clone(),
        alone,
        sharing,
        meeting: price.of_two.as_secs_f64(),
        forecasts,
    })
}

/// Wall-clock time of the fastest of several runs, in seconds.
fn fastest(case: &Case, threads: NonZeroUsize, repeat: u32) -> Result<f64, BenchError> {
    least(repeat, || Ok(in_a_process(case, threads)?.wall_seconds))
}

/// Mean wall-clock time of `runs` simultaneous runs on one thread each, in seconds; the least of
/// several measurements.
fn together(case: &Case, runs: NonZeroUsize, repeat: u32) -> Result<f64, BenchError> {
    let one = || in_a_process(case, NonZeroUsize::MIN);
    least(repeat, || {
        let all: Vec<Measurement> = thread::scope(|scope| {
            let started: Vec<_> = (0..runs.get()).map(|_| scope.spawn(one)).collect();
            let ended = started.into_iter().map(|run| run.join().expect("no panic"));
            ended.collect::<Result<_, _>>()
        })?;
        let seconds: f64 = all.iter().map(|run| run.wall_seconds).sum();
        Ok(seconds / runs.get() as f64)
    })
}

/// The least of several measurements.
fn least(
    repeat: u32,
    mut measure: impl FnMut() -> Result<f64, BenchError>,
) -> Result<f64, BenchError> {
    let mut least = f64::INFINITY;
    for _ in 0..repeat {
        least = least.min(measure()?);
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Of 10 s, 8 s are parts of all threads. The slowest thread takes 3 s, or 3.6 s with a factor
    /// of 1.2. 16 threads meet 1000 times, in 3 + 28 · 0.1 us each: 2 + 3.6 + 0.0058 s.
    #[test]
    fn a_forecast_is_the_longest_parts_and_what_is_done_alone() {
        let rehearsed = Rehearsed {
            wall: 10.0,
            all: 8.0,
            longest: 3.0,
            meetings: 1_000,
        };
        let price = RoundPrice {
            of_two: Duration::from_nanos(3_000),
            signal: Duration::from_nanos(100),
        };
        let seconds = rehearsed.forecast(16, 1.2, price);
        assert!((seconds - 5.6058).abs() < 1e-9, "{seconds}");
    }
}
