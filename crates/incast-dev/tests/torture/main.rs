//! Torture: damaged inputs for every parser, random networks on several threads, and relations
//! between runs of random scenarios.
//!
//! A test takes valid inputs, damages them at random, and passes them to a reader. The reader must
//! return a message that names the mistake, or a usable result: never a panic, an endless wait, or
//! an unreadable message. `./dev torture` gives each test a million inputs and prints the counts;
//! `./dev test` gives each test ten thousand.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `INCAST_TORTURE_INPUTS` | damaged inputs for each reader | 10 000 |
//! | `INCAST_TORTURE_SEED` | seed of the damage: equal seeds give equal inputs | 1 |

mod damage;
mod experiments;
mod networks;
mod outcome;
mod random_scenario;
mod relations;
mod scenarios;
mod tables;
mod traffic;

use std::cell::RefCell;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::Instant;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

use outcome::{Counts, Outcome};

/// Passes random inputs to `check`, and prints how many were refused and accepted. Their number is
/// `INCAST_TORTURE_INPUTS` over `share`.
///
/// # Panics
/// If `check` panics; the message has the smallest input that makes it panic.
fn torture<T: Debug>(
    name: &str,
    share: u32,
    inputs: &impl Strategy<Value = T>,
    check: impl Fn(&T) -> Outcome,
) {
    let cases = (number("INCAST_TORTURE_INPUTS", 10_000) / share).max(1);
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&number("INCAST_TORTURE_SEED", 1).to_le_bytes());
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let counts = RefCell::new(Counts::default());
    let result = runner.run(inputs, |input| {
        let start = Instant::now();
        let outcome = check(&input);
        counts.borrow_mut().add(outcome, start.elapsed());
        Ok(())
    });
    println!("{name}: {}", counts.borrow());
    if let Err(TestError::Fail(reason, input)) = result {
        panic!("{name}: {reason}, with {input:?}");
    }
}

/// A number from the environment.
fn number(variable: &str, default: u32) -> u32 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable}: `{text}` is not a whole number")),
        Err(_) => default,
    }
}

/// Writes a new file in place of an old one. If a file is truncated and rewritten instead, ext4
/// writes it to the disk at once, which takes some milliseconds.
fn write(file: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let file = file.as_ref();
    // There may be no old file.
    let _ = std::fs::remove_file(file);
    std::fs::write(file, content).expect("the disk has room");
}

/// A file of the repository.
fn repository(file: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(file)
}

/// The texts of a folder's files with this extension.
fn texts(folder: &str, ending: &str) -> Vec<String> {
    let files = std::fs::read_dir(repository(folder)).expect("the folder is in the repository");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("the file is text");
    paths.iter().map(read).collect()
}
