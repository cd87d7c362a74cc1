//! The benchmark command; `./dev bench` builds and starts it.

use std::process::ExitCode;

/// The memory management is that of the program (incast-py).
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    incast_dev::bench::main(std::env::args_os().skip(1))
}
