//! How soon a case would end on more threads than this machine has cores.
//!
//! Each number of threads is rehearsed: one thread runs the part of every thread, round by round,
//! and takes the time of each ([`Rehearsal`]). A thread begins its part of a round when it has done
//! that of the round before, and has the messages of all others; after some rounds all meet. What
//! one thread does alone (flows that begin and end, rounds with little work, the results) it does
//! alone then, too. Cores that work side by side slow each other down by what they share; by how
//! much is measured with as many runs at once as there are cores, and counted for every part. How
//! that grows with more cores than there are is not known; nor is what a part gains that has a
//! core's caches to itself. A run that ends sooner on one thread goes back to one; a rehearsal does
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
/// How often signals are measured before a rehearsal.
const MEASUREMENTS: u32 = 3;

/// How soon a case ends on so many threads.
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    case: String,
    /// Seconds on one thread.
    alone: f64,
    /// How many times as long a run takes where every core has one.
    sharing: f64,
    /// Seconds for one thread to give another a task and to hear that it is done.
    meeting: f64,
    forecasts: Vec<Forecast>,
}

/// The measured scaling at one number of threads.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Forecast {
    threads: usize,
    /// By the rehearsal.
    seconds: f64,
    /// Seconds, if there are as many cores.
    measured: Option<f64>,
}

impl Curve {
    /// The curve as a table for people.
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
    /// Time of the whole run, on one thread.
    wall: f64,
    /// Time of the parts of all threads in rounds that they run together.
    all: f64,
    /// Time from meeting to meeting, until the last thread had done its parts.
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

    /// How long the run would take on so many threads, in seconds.
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

/// For the processes that measure: a rehearsal of one case for so many threads, as JSON.
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

/// The least of so many measurements.
fn price(measurements: u32) -> RoundPrice {
    let prices = (0..measurements).map(|_| RoundPrice::measure());
    let least = prices.min_by_key(|price| price.of_two);
    least.expect("at least one measurement")
}

/// The cases that can be rehearsed; others are refused if they were `named`.
pub(super) fn fitting(cases: Vec<Case>, named: bool) -> Result<Vec<Case>, BenchError> {
    let fits = |case: &Case| case.network == CaseNetwork::Whole;
    match cases.iter().find(|case| !fits(case)) {
        Some(other) if named => Err(BenchError::NotRehearsed {
            case: other.name.clone(),
        }),
        _ => Ok(cases.into_iter().filter(fits).collect()),
    }
}

/// Prints how soon each case would end on more threads.
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

/// Seconds on the clock of the fastest of several runs.
fn fastest(case: &Case, threads: NonZeroUsize, repeat: u32) -> Result<f64, BenchError> {
    least(repeat, || Ok(in_a_process(case, threads)?.wall_seconds))
}

/// Runs of one thread, as many at once: the mean of each time.
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

    /// Of 10 s, 8 are parts of all threads, of which the last is done after 3 s, and 3.6 beside
    /// other cores; 16 threads meet 1000 times in 3 + 28 · 0.1 us: 2 + 3.6 + 0.0058 s.
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
