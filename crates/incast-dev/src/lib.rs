//! Tools of the repository: the benchmark command. The tidy test is in `tests/`.

pub mod bench;
