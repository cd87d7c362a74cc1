//! The benchmark command: runs the scenarios in `benches/` and prints their cost.
//!
//! A case is a scenario file, or the null network with the flows of a scenario. Each case is
//! measured in a process of its own, so that the peak memory is that of the case. Instructions are
//! counted in a second process, under valgrind, in which times have no meaning.

mod arguments;
mod budget;
mod build_info;
mod case;
mod error;
mod instructions;
mod measurement;
mod null;
mod report;
mod scaling;
mod table;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use arguments::{Arguments, USAGE};
use budget::{Budget, Budgets};
use build_info::BuildInfo;
use case::Case;
use error::BenchError;
use measurement::Measurement;
use report::{Report, Row};

/// Runs the command with these arguments (without the program's name).
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match Arguments::parse(arguments).and_then(|arguments| answer(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(arguments: &Arguments) -> Result<(), BenchError> {
    if arguments.help {
        print!("{USAGE}");
        return Ok(());
    }
    let cases = Case::select(&arguments.cases)?;
    if arguments.list {
        print!("{}", table::cases(&cases));
        return Ok(());
    }
    if arguments.here {
        let case = only(&cases)?;
        let threads = arguments.threads.unwrap_or(NonZeroUsize::MIN);
        return match arguments.scaling {
            true => scaling::rehearse_here(case, threads),
            false => measure_here(case, threads),
        };
    }
    match (arguments.budget, arguments.scaling) {
        (true, _) => divide(arguments, &cases),
        (_, true) => {
            let cases = scaling::fitting(cases, !arguments.cases.is_empty())?;
            scaling::forecast(&cases, arguments.repeat)
        }
        _ => compare(arguments, &cases),
    }
}

/// The only case in the list, to run in this process.
fn only(cases: &[Case]) -> Result<&Case, BenchError> {
    match cases {
        [case] => Ok(case),
        _ => Err(BenchError::NotOneCase { cases: cases.len() }),
    }
}

/// Prints the figures of one case as JSON, for the process that measures it, and for profilers.
fn measure_here(case: &Case, threads: NonZeroUsize) -> Result<(), BenchError> {
    let measurement = Measurement::here(case, threads)?;
    println!("{}", measurement.to_json());
    Ok(())
}

/// Prints the cost of each part of the simulator.
fn divide(arguments: &Arguments, cases: &[Case]) -> Result<(), BenchError> {
    instructions::check_valgrind("--budget")?;
    let program = this_program()?;
    let budget = |case: &Case| {
        eprintln!("{} …", case.name);
        Budget::measure(&program, case)
    };
    let budgets = Budgets {
        build: optimised_build(),
        caches: budget::CACHES,
        cases: cases.iter().map(budget).collect::<Result<_, _>>()?,
    };
    print!("{}", table::budgets(&budgets));
    match &arguments.json {
        Some(file) => budgets.write(file),
        None => Ok(()),
    }
}

/// How this program was built; prints a warning if its figures have little meaning.
fn optimised_build() -> BuildInfo {
    let build = BuildInfo::of_this_program();
    if !build.is_optimised() {
        eprintln!("warning: built without optimisation; `./dev bench` builds with it");
    }
    build
}

fn compare(arguments: &Arguments, cases: &[Case]) -> Result<(), BenchError> {
    let baseline = arguments
        .baseline
        .as_deref()
        .map(Report::read)
        .transpose()?;
    let build = optimised_build();
    if let Some(difference) = baseline
        .as_ref()
        .and_then(|baseline| build.difference(&baseline.build))
    {
        eprintln!("warning: the baseline was built otherwise: {difference}");
    }
    if arguments.instructions {
        instructions::check_valgrind("--instructions")?;
    }
    let rows = cases.iter().map(|case| row(case, arguments));
    let report = Report {
        build,
        cases: rows.collect::<Result<_, _>>()?,
    };
    print!("{}", table::figures(&report, baseline.as_ref()));
    match &arguments.json {
        Some(file) => report.write(file),
        None => Ok(()),
    }
}

/// The figures of a case on one thread, and its speed-up on several threads.
fn row(case: &Case, arguments: &Arguments) -> Result<Row, BenchError> {
    eprintln!("{} …", case.name);
    let mut alone = in_a_process(case, NonZeroUsize::MIN)?;
    let mut wall = alone.wall_seconds;
    let mut together: Option<Measurement> = None;
    for round in 0..arguments.repeat {
        // Runs on one and on several threads alternate, so that load of the machine affects both
        // equally.
        if round > 0 {
            let again = in_a_process(case, NonZeroUsize::MIN)?.same_as(&alone, case)?;
            wall = wall.min(again.wall_seconds);
            if again.cpu_seconds < alone.cpu_seconds {
                alone = again;
            }
        }
        if let Some(threads) = arguments.threads {
            let again = in_a_process(case, threads)?.same_as(&alone, case)?;
            if together
                .as_ref()
                .is_none_or(|best| again.wall_seconds < best.wall_seconds)
            {
                together = Some(again);
            }
        }
    }
    alone.wall_seconds = wall;
    let instructions = match arguments.instructions {
        true => Some(instructions::count(&this_program()?, case)?),
        false => None,
    };
    Ok(Row::of(&case.name, alone, together.as_ref(), instructions))
}

fn in_a_process(case: &Case, threads: NonZeroUsize) -> Result<Measurement, BenchError> {
    Measurement::from_json(&said_by_process(
        case,
        &["--threads", &threads.to_string()],
    )?)
}

/// The output of a process that runs the case with these options.
fn said_by_process(case: &Case, options: &[&str]) -> Result<Vec<u8>, BenchError> {
    let output = Command::new(this_program()?)
        .args(["--here", &case.name])
        .args(options)
        .output()
        .map_err(|source| BenchError::file(Path::new("bench"), source))?;
    if !output.status.success() {
        return Err(BenchError::CaseFailed {
            case: case.name.clone(),
            messages: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    Ok(output.stdout)
}

fn this_program() -> Result<PathBuf, BenchError> {
    std::env::current_exe().map_err(|source| BenchError::file(Path::new("bench"), source))
}
