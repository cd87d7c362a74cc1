//! Records how the benchmark was compiled: figures of different builds must not be compared.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for (name, value) in [
        ("PROFILE", variable("PROFILE")),
        ("OPT_LEVEL", variable("OPT_LEVEL")),
        ("TARGET", variable("TARGET")),
        ("RUSTFLAGS", rust_flags()),
        ("RUSTC", rustc_version()),
    ] {
        println!("cargo::rustc-env=INCAST_BUILD_{name}={value}");
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The compiler flags in `CARGO_ENCODED_RUSTFLAGS`, which are separated by ASCII's unit separator.
fn rust_flags() -> String {
    variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ")
}

fn rustc_version() -> String {
    let output = Command::new(variable("RUSTC")).arg("--version").output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
