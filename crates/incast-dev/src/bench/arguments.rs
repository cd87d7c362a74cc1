//! The command line.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::error::BenchError;

/// The text of `--help`.
pub(super) const USAGE: &str = "\
usage: ./dev bench [option…] [case…]

Runs the scenarios in benches/ (all of them, or those named) and prints, for each, packet-hops,
packet-hops per second of processor time, peak memory and fingerprint.

  --list           the cases, without running them
  --instructions   also count instructions, under valgrind: ten to twenty times slower
  --budget         instead, the cost of each part of the simulator per packet-hop, in
                   instructions and cache misses; under valgrind, too
  --scaling        instead, how soon each would end on 2 to 64 threads, forecast by running the part
                   of each thread alone; measured beside it as far as there are cores
  --threads N      also run each on N threads, and print the speed-up
  --repeat N       measure time N times and take the fastest (default 3)
  --json FILE      also write the figures to a file
  --baseline FILE  compare with figures that --json wrote
  --here           run the one case in this process and print JSON: for profilers
  --help           this text
";

/// The options of the command line, and the names of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Names of cases; empty for all.
    pub(super) cases: Vec<String>,
    /// Count instructions.
    pub(super) instructions: bool,
    /// Divide instructions and cache misses among parts of the simulator.
    pub(super) budget: bool,
    /// Forecast the run times on several threads; with `here`, rehearse one number of threads.
    pub(super) scaling: bool,
    /// Number of threads to measure in addition to one; with `here`, the number of threads.
    pub(super) threads: Option<NonZeroUsize>,
    /// Number of time measurements.
    pub(super) repeat: u32,
    /// File to write the figures to.
    pub(super) json: Option<PathBuf>,
    /// File of figures for comparison.
    pub(super) baseline: Option<PathBuf>,
    /// Only print the names of the cases.
    pub(super) list: bool,
    /// Run in this process.
    pub(super) here: bool,
    /// Only print the usage.
    pub(super) help: bool,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            cases: Vec::new(),
            instructions: false,
            budget: false,
            scaling: false,
            threads: None,
            repeat: 3,
            json: None,
            baseline: None,
            list: false,
            here: false,
            help: false,
        }
    }
}

impl Arguments {
    pub(super) fn parse(given: impl Iterator<Item = OsString>) -> Result<Self, BenchError> {
        let mut arguments = Self::default();
        let mut given = given;
        while let Some(argument) = given.next() {
            let text = argument.to_string_lossy().into_owned();
            let mut value = || {
                let option = text.clone();
                given.next().ok_or(BenchError::NoValue { option })
            };
            match text.as_str() {
                "--list" => arguments.list = true,
                "--instructions" => arguments.instructions = true,
                "--budget" => arguments.budget = true,
                "--scaling" => arguments.scaling = true,
                "--here" => arguments.here = true,
                "--help" | "-h" => arguments.help = true,
                "--threads" => arguments.threads = Some(threads(&value()?)?),
                "--repeat" => arguments.repeat = times(&value()?)?,
                "--json" => arguments.json = Some(value()?.into()),
                "--baseline" => arguments.baseline = Some(value()?.into()),
                option if option.starts_with('-') => {
                    return Err(BenchError::UnknownOption { option: text });
                }
                _ => arguments.cases.push(text),
            }
        }
        arguments.check_alone()?;
        Ok(arguments)
    }

    /// Refuses options that cannot be combined with a budget, which takes one run on one thread, or
    /// with a forecast.
    fn check_alone(&self) -> Result<(), BenchError> {
        let alone = match (self.budget, self.scaling && !self.here) {
            (true, _) => "--budget",
            (_, true) => "--scaling",
            _ => return Ok(()),
        };
        let others = [
            ("--instructions", self.instructions),
            ("--threads", self.threads.is_some()),
            ("--baseline", self.baseline.is_some()),
            ("--here", self.here),
            ("--scaling", self.budget && self.scaling),
            ("--json", self.scaling && self.json.is_some()),
        ];
        match others.into_iter().find(|&(_, given)| given) {
            Some((option, _)) => Err(BenchError::NotBeside { alone, option }),
            None => Ok(()),
        }
    }
}

fn times(value: &OsString) -> Result<u32, BenchError> {
    let value = value.to_string_lossy();
    match value.parse() {
        Ok(times) if times > 0 => Ok(times),
        _ => Err(BenchError::Repeat {
            value: value.into_owned(),
        }),
    }
}

fn threads(value: &OsString) -> Result<NonZeroUsize, BenchError> {
    let value = value.to_string_lossy();
    value.parse().map_err(|_| BenchError::Threads {
        value: value.into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, BenchError> {
        Arguments::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_and_cases_mix() {
        let arguments =
            parse("a --instructions --repeat 5 --threads 2 --json new --baseline old b");
        let expected = Arguments {
            cases: vec!["a".into(), "b".into()],
            instructions: true,
            threads: NonZeroUsize::new(2),
            repeat: 5,
            json: Some("new".into()),
            baseline: Some("old".into()),
            ..Arguments::default()
        };
        assert_eq!(arguments.unwrap(), expected);
    }

    #[test]
    fn mistakes_are_named() {
        for (line, message) in [
            (
                "--instruction",
                "unknown option `--instruction`; `./dev bench --help` lists them",
            ),
            (
                "clos-320 --json",
                "--json: no value follows; write e.g. `--json FILE`",
            ),
            (
                "--repeat 0",
                "--repeat: `0` is not a number of times; write e.g. `--repeat 3`",
            ),
            (
                "--threads two",
                "--threads: `two` is not a number of threads; write e.g. `--threads 2`",
            ),
            (
                "--baseline old --budget",
                "--budget: --baseline has no meaning beside it; leave one of them out",
            ),
            (
                "--scaling --threads 4",
                "--scaling: --threads has no meaning beside it; leave one of them out",
            ),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), message);
        }
    }
}
