//! Tells the crate the digest of its engine: a hash of the sources that decide results.
//!
//! Sources count by their path and their text, whatever ends a line, so that the digest is the
//! same on every machine. Tests are left out.

use std::env;
use std::fs;
use std::hash::Hasher as _;
use std::io;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

/// Sources that results depend on, in the folder of all crates: the crates of the engine, the code
/// that calls algorithms in Python, and the versions of external crates.
const SOURCES: [&str; 15] = [
    "incast-cc/src",
    "incast-engine/src",
    "incast-fabric/src",
    "incast-import/src",
    "incast-net/src",
    "incast-random/src",
    "incast-registry/src",
    "incast-signals/src",
    "incast-sim/src",
    "incast-topology/src",
    "incast-units/src",
    "incast-workload/src",
    "incast-py/src/algorithm",
    "../python/incast/algorithm.py",
    "../Cargo.lock",
];

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let crates = own.parent().expect("a folder of crates");
    let mut hasher = XxHash3_64::new();
    for source in SOURCES {
        let path = crates.join(source);
        println!("cargo:rerun-if-changed={}", path.display());
        let mut files = Vec::new();
        collect(&path, source, &mut files)?;
        files.sort();
        for (name, file) in files {
            let text = fs::read_to_string(file)?.replace("\r\n", "\n");
            for part in [&name, &text] {
                hasher.write(&(part.len() as u64).to_le_bytes());
                hasher.write(part.as_bytes());
            }
        }
    }
    println!("cargo:rustc-env=INCAST_ENGINE={:016x}", hasher.finish());
    Ok(())
}

/// The sources at or below a path, by name.
fn collect(path: &Path, name: &str, found: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    if !path.is_dir() {
        found.push((name.to_owned(), path.to_owned()));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?.path();
        let last = entry.file_name().and_then(|name| name.to_str());
        let last = last.ok_or_else(|| io::Error::other("a source has a strange name"))?;
        let counts = entry.is_dir() || entry.extension().is_some_and(|end| end == "rs");
        if counts && !["tests", "tests.rs"].contains(&last) {
            collect(&entry, &format!("{name}/{last}"), found)?;
        }
    }
    Ok(())
}
