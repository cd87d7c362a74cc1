//! The results folder: written beside its place, then moved there, so that a reader never meets
//! half of it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::file_error::FileError;

#[cfg(test)]
mod tests;

pub(crate) const FLOWS: &str = "flows.parquet";
pub(crate) const SERIES: &str = "series.parquet";
pub(crate) const PORTS: &str = "ports.parquet";
pub(crate) const PACKETS: &str = "packets.parquet";
pub(crate) const ROUND_TRIPS: &str = "round_trips.parquet";
pub(crate) const MESSAGES: &str = "messages.parquet";
pub(crate) const COLLECTIVES: &str = "collectives.parquet";
pub(crate) const OPERATIONS: &str = "operations.parquet";
pub(crate) const CONTROLS: &str = "controls.parquet";
pub(crate) const QUEUES: &str = "queues.parquet";
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const SCENARIO: &str = "scenario.toml";

/// Files that belong to results and go when those are replaced. The report is written by others,
/// from the rest.
const RESULTS: [&str; 13] = [
    FLOWS,
    SERIES,
    PORTS,
    PACKETS,
    ROUND_TRIPS,
    MESSAGES,
    COLLECTIVES,
    OPERATIONS,
    CONTROLS,
    QUEUES,
    SUMMARY,
    SCENARIO,
    "report.html",
];

/// Lets `fill` write a folder, then puts that in the place of `folder`.
pub(crate) fn replace(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let target = TargetFolder::of(folder)?;
    let staging = Staging::beside(&target).map_err(|reason| FileError::write(folder, reason))?;
    fill(&staging.new).map_err(|error| error.moved(&staging.new, folder))?;
    staging
        .publish(&target)
        .map_err(|reason| FileError::write(folder, reason))
}

pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), FileError> {
    fs::write(path, text).map_err(|reason| FileError::write(path, reason))
}

/// Where results go.
struct TargetFolder {
    /// With symbolic links followed, if it exists.
    path: PathBuf,
    exists: bool,
}

impl TargetFolder {
    fn of(folder: &Path) -> Result<Self, FileError> {
        match folder.canonicalize() {
            Ok(path) if may_be_replaced(&path) => Ok(Self { path, exists: true }),
            Ok(_) => Err(FileError::NotResults {
                folder: folder.to_owned(),
            }),
            Err(reason) if reason.kind() == ErrorKind::NotFound => {
                let path = std::path::absolute(folder);
                let path = path.map_err(|reason| FileError::write(folder, reason))?;
                Ok(Self {
                    path,
                    exists: false,
                })
            }
            Err(reason) => Err(FileError::write(folder, reason)),
        }
    }
}

/// Whether a path is a folder that is empty or holds results.
fn may_be_replaced(path: &Path) -> bool {
    let is_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    is_empty || is_summary(&path.join(SUMMARY))
}

/// Whether a file is a summary of ours, not of some other program.
fn is_summary(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    summary.get("incast").is_some() && summary.get("fingerprint").is_some()
}

/// Folders beside the target.
struct Staging {
    /// The new results, until they are in place; removed with this.
    new: PathBuf,
    /// The old ones, until then; never removed before all of others' files have left it.
    old: PathBuf,
    /// Parents that had to be made, deepest first.
    made: Vec<PathBuf>,
}

impl Staging {
    /// Makes the folder for the new results. Its name is this process's own: what a crashed
    /// namesake left there goes.
    fn beside(target: &TargetFolder) -> io::Result<Self> {
        let nameless = || io::Error::from(ErrorKind::InvalidInput);
        let name = target
            .path
            .file_name()
            .ok_or_else(nameless)?
            .to_string_lossy();
        let parent = target.path.parent().ok_or_else(nameless)?;
        let sibling = |role: &str| parent.join(format!(".{name}.{role}-{}", std::process::id()));
        let missing = parent.ancestors().take_while(|ancestor| !ancestor.exists());
        let staging = Self {
            new: sibling("new"),
            old: sibling("old"),
            made: missing.map(Path::to_owned).collect(),
        };
        // If there is none, fine; if it cannot be removed, making it again will say so.
        let _ = fs::remove_dir_all(&staging.new);
        fs::create_dir_all(parent)?;
        fs::create_dir(&staging.new)?;
        Ok(staging)
    }

    /// Puts the new results in place, or, if that fails, leaves the old ones there.
    fn publish(mut self, target: &TargetFolder) -> io::Result<()> {
        if target.exists {
            fs::rename(&target.path, &self.old)?;
        }
        if let Err(reason) = fs::rename(&self.new, &target.path) {
            if target.exists {
                fs::rename(&self.old, &target.path)?;
            }
            return Err(reason);
        }
        self.made.clear();
        if target.exists {
            self.retire_old(&target.path)
                .map_err(|reason| self.left_over(&reason))?;
        }
        Ok(())
    }

    /// Moves what was beside the old results, and is not ours, beside the new ones; then the old
    /// ones go.
    fn retire_old(&self, target: &Path) -> io::Result<()> {
        for entry in fs::read_dir(&self.old)? {
            let entry = entry?;
            if !RESULTS.iter().any(|name| entry.file_name() == *name) {
                fs::rename(entry.path(), target.join(entry.file_name()))?;
            }
        }
        fs::remove_dir_all(&self.old)
    }

    fn left_over(&self, reason: &io::Error) -> io::Error {
        let old = self.old.display();
        io::Error::other(format!(
            "new results are there, old files are left in {old}: {reason}"
        ))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Not there after success; if it cannot be removed, it does no harm where it is.
        let _ = fs::remove_dir_all(&self.new);
        for parent in &self.made {
            // Fails, as it should, if another process has put something there meanwhile.
            let _ = fs::remove_dir(parent);
        }
    }
}
