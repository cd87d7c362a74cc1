//! Instruction counts by valgrind, which do not depend on the load of the machine.

use std::path::Path;
use std::process::Command;

use super::case::Case;
use super::error::BenchError;

/// The cheapest valgrind tool that counts instructions: cachegrind, without its models of caches
/// and branches.
const COUNTER: [&str; 4] = [
    "--tool=cachegrind",
    "--cache-sim=no",
    "--branch-sim=no",
    "--cachegrind-out-file=/dev/null",
];

/// Checks that valgrind, which `option` needs, is installed, before the other measurements begin.
pub(super) fn check_valgrind(option: &'static str) -> Result<(), BenchError> {
    let version = Command::new("valgrind").arg("--version").output();
    version
        .map(drop)
        .map_err(|source| BenchError::no_valgrind(option, source))
}

/// Counts the instructions of one run of a case.
pub(super) fn count(program: &Path, case: &Case) -> Result<u64, BenchError> {
    let output = Command::new("valgrind")
        .args(COUNTER)
        .arg(program)
        .args(["--here", &case.name])
        .output()
        .map_err(|source| BenchError::no_valgrind("--instructions", source))?;
    let said = String::from_utf8_lossy(&output.stderr);
    // Valgrind prints a count even for a program that crashed.
    let is_complete = output.status.success();
    let count = instructions(&said).filter(|_| is_complete);
    count.ok_or_else(|| BenchError::NotCounted {
        case: case.name.clone(),
        said: said.trim().to_owned(),
    })
}

/// The count in a line like `==4242== I   refs:      1,234,567`.
fn instructions(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("refs:"))?;
    let (_, count) = line.split_once("refs:")?;
    let digits: String = count.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_what_valgrind_says() {
        let said = "==595== Command: target/release/bench --here star-incast\n\
                    ==595== \n\
                    ==595== I   refs:      1,945,491,304\n";
        assert_eq!(instructions(said), Some(1_945_491_304));
        assert_eq!(instructions("valgrind: Unknown tool"), None);
    }
}
