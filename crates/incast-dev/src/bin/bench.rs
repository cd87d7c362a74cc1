//! The benchmark command; `./dev bench` builds and starts it.

use std::process::ExitCode;

fn main() -> ExitCode {
    incast_dev::bench::main(std::env::args_os().skip(1))
}
