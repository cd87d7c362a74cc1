//! Torture: damaged inputs for every parser, random networks on several threads, and relations
//! between runs of random scenarios.
//!
//! A test takes inputs that are right, damages them at random, and hands them to a reader. Whatever
//! comes out is a message that names the mistake, or something that can be used: never a panic, an
//! endless wait, or a message that cannot be read. `./dev torture` gives each test a million of
//! them and prints the counts; `./dev test` gives it ten thousand.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `INCAST_TORTURE_INPUTS` | damaged inputs for each reader | 10 000 |
//! | `INCAST_TORTURE_SEED` | of the damage: equal seeds give equal inputs | 1 |

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

/// Gives `check` as many random inputs as are asked for, one in `share`, and prints what became of
/// them.
///
/// # Panics
/// With the smallest input that makes `check` panic.
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

/// Writes a new file in the place of another: ext4 puts one that was emptied and written again on
/// the disk at once, which takes some milliseconds.
fn write(file: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let file = file.as_ref();
    // There may be none.
    let _ = std::fs::remove_file(file);
    std::fs::write(file, content).expect("the disk has room");
}

/// A file of the repository.
fn repository(file: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(file)
}

/// The texts of a folder's files with this ending.
fn texts(folder: &str, ending: &str) -> Vec<String> {
    let files = std::fs::read_dir(repository(folder)).expect("the folder is in the repository");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("the file is text");
    paths.iter().map(read).collect()
}
