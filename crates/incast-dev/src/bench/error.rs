//! Reasons why a measurement fails.

use std::io;
use std::path::{Path, PathBuf};

use incast_sim::{Diagnostic, RunError};
use thiserror::Error;

/// A reason why a measurement fails.
#[derive(Debug, Error)]
pub(super) enum BenchError {
    #[error("unknown option `{option}`; `./dev bench --help` lists them")]
    UnknownOption { option: String },
    #[error("{option}: no value follows; write e.g. `{option} FILE`")]
    NoValue { option: String },
    #[error("--repeat: `{value}` is not a number of times; write e.g. `--repeat 3`")]
    Repeat { value: String },
    #[error("--threads: `{value}` is not a number of threads; write e.g. `--threads 2`")]
    Threads { value: String },
    #[error("unknown case `{name}`; there are: {}", known.join(", "))]
    UnknownCase { name: String, known: Vec<String> },
    #[error("--here: {cases} cases; name one")]
    NotOneCase { cases: usize },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(
        "{}: not figures of this command: {source}; `./dev bench --json FILE` writes them",
        path.display()
    )]
    Baseline {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("{0}")]
    Spec(#[from] Diagnostic),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("{case}: {messages}")]
    CaseFailed { case: String, messages: String },
    #[error(
        "{case}: two runs had different results ({} and {}); this is a defect of the simulator",
        fingerprints[0], fingerprints[1]
    )]
    Unsteady {
        case: String,
        fingerprints: [String; 2],
    },
    #[error("{alone}: {option} has no meaning beside it; leave one of them out")]
    NotBeside {
        alone: &'static str,
        option: &'static str,
    },
    #[error("--scaling: `{case}` is no network with a scenario; leave it out")]
    NotRehearsed { case: String },
    #[error(
        "{option}: valgrind, which counts instructions, cannot be started ({source}); install it \
         (on Debian and Ubuntu: the package valgrind), or leave {option} out"
    )]
    NoValgrind {
        option: &'static str,
        source: io::Error,
    },
    #[error(
        "--budget: {} does not tell its source files ({reason}); build it with `--profile \
         bench`, as `./dev bench` does",
        program.display()
    )]
    NoLines { program: PathBuf, reason: String },
    #[error("{case}: valgrind counted nothing; it said: {said}")]
    NotCounted { case: String, said: String },
    #[error("the process that measures said something else than figures: {source}")]
    Measurement { source: serde_json::Error },
}

impl BenchError {
    pub(super) fn file(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, source }
    }

    pub(super) fn no_lines(program: &Path, reason: &str) -> Self {
        Self::NoLines {
            program: program.to_owned(),
            reason: reason.to_owned(),
        }
    }

    pub(super) fn no_valgrind(option: &'static str, source: io::Error) -> Self {
        Self::NoValgrind { option, source }
    }
}
