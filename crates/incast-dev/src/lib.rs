//! Tools of the repository: the benchmark command. The tidy and torture tests are in `tests/`.

pub mod bench;
