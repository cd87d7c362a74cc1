//! Repository chores: the benchmark command. The tidy test is in `tests/`.

pub mod bench;
