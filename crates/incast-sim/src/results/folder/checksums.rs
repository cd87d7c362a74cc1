//! Checksums of a results folder's files, which reveal files that were changed.

use std::collections::BTreeMap;
use std::fs;
use std::hash::Hasher as _;
use std::io::{self, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::{CHECKSUMS, FLOWS, OPERATIONS, PORTS, SERIES, entries};
use crate::file_error::FileError;
use crate::regular_file;

/// The largest file of checksums; a dozen checksums take a thousand bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The checksum of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checksum {
    bytes: u64,
    xxh3: String,
}

type Checksums = BTreeMap<String, Checksum>;

/// Writes the checksums of all files in a folder, except the report, which may change.
pub(super) fn write(folder: &Path) -> Result<(), FileError> {
    let mut checksums = Checksums::new();
    for entry in entries(folder).filter(|entry| entry.file_name() != super::REPORT) {
        let path = entry.path();
        let checksum = of(&path).map_err(|reason| FileError::read(&path, reason))?;
        checksums.insert(entry.file_name().to_string_lossy().into_owned(), checksum);
    }
    let text = serde_json::to_string_pretty(&checksums).expect("names and numbers are JSON");
    super::write_text(&folder.join(CHECKSUMS), &(text + "\n"))
}

fn of(file: &Path) -> io::Result<Checksum> {
    let mut reader = regular_file::open(file)?;
    let (mut hasher, mut bytes) = (XxHash3_64::new(), 0);
    // A small buffer is allocated quickly: most files have a few kB.
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer)? {
            0 => break,
            count => {
                hasher.write(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
    Ok(Checksum {
        bytes,
        xxh3: format!("{:016x}", hasher.finish()),
    })
}

/// The checksums of a folder; `None` without such a file, as in older versions. A dangling link is
/// an error.
fn read(folder: &Path) -> Option<Result<Checksums, FileError>> {
    let file = folder.join(CHECKSUMS);
    file.symlink_metadata().ok()?;
    let facts = file.metadata();
    let text = match facts.is_ok_and(|facts| facts.is_file() && facts.len() <= MAX_BYTES) {
        true => fs::read_to_string(&file).unwrap_or_default(),
        false => String::new(),
    };
    let damaged = |_| FileError::damaged(&file);
    Some(serde_json::from_str(&text).map_err(damaged))
}

/// Compares a file of results with its checksum.
///
/// # Errors
/// If the file differs.
pub fn check(file: &Path) -> Result<(), FileError> {
    let parts = file.parent().zip(file.file_name());
    let Some((folder, name)) = parts else {
        return Ok(());
    };
    let Some(checksums) = read(folder) else {
        return Ok(());
    };
    let checksums = checksums?;
    let written = checksums.get(&*name.to_string_lossy());
    let found = of(file).map_err(|reason| FileError::read(file, reason))?;
    match written == Some(&found) {
        true => Ok(()),
        false => Err(FileError::damaged(file)),
    }
}

/// Whether all tables that every run has exist, and all files have the sizes that were written.
/// Folders of older versions have no checksums and no sizes.
pub fn sizes_match(folder: &Path) -> bool {
    let has = |name: &&str| folder.join(name).is_file();
    let has_tables = [FLOWS, SERIES, PORTS].iter().all(has) || has(&OPERATIONS);
    has_tables && (read(folder).is_none() || are_met(folder))
}

/// Whether all files with checksums exist, and have the sizes that were written.
pub(super) fn are_met(folder: &Path) -> bool {
    let Some(Ok(checksums)) = read(folder) else {
        return false;
    };
    checksums.iter().all(|(name, checksum)| {
        let facts = folder.join(name).metadata();
        facts.is_ok_and(|facts| facts.is_file() && facts.len() == checksum.bytes)
    })
}
