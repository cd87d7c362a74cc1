//! The benchmark command, which `./dev bench` builds and starts.

use std::process::ExitCode;

/// The same memory allocator as in the Python extension (incast-py).
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    incast_dev::bench::main(std::env::args_os().skip(1))
}
