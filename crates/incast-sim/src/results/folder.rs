//! The results folder: written beside its place, flushed to the disk, then moved there, so that a
//! reader never meets half of it, not even after a power cut.

use std::fs::{self, DirEntry, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    flush(&staging.new)
        .and_then(|()| staging.publish(&target))
        .map_err(|reason| FileError::write(folder, reason))
}

pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), FileError> {
    fs::write(path, text).map_err(|reason| FileError::write(path, reason))
}

/// How long ago a folder was begun that a killed process has left behind: no results take so long
/// to write.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Waits until all files in a folder are on the disk, and the folder, too.
fn flush(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let file = OpenOptions::new().write(true).open(entry?.path())?;
        file.sync_all()?;
    }
    flush_entries(folder);
    Ok(())
}

/// Waits until the names in a folder are on the disk, where the system and its disk can.
fn flush_entries(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Exchanges two folders in one step, where the system can.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
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
            Ok(path) if holds_results(&path) => Ok(Self { path, exists: true }),
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

/// Whether results may be written to a path: nothing is there, not even a link, or a folder that is
/// empty or holds results, damaged ones included.
pub fn may_be_replaced(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => path.canonicalize().is_ok_and(|path| holds_results(&path)),
        Err(reason) => reason.kind() == ErrorKind::NotFound,
    }
}

fn holds_results(path: &Path) -> bool {
    let is_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    is_empty || is_summary(&path.join(SUMMARY)) || holds_damaged_results(path)
}

/// Whether a folder has the files of results and nothing else, whatever is in them: a power cut, or
/// a full disk, may have left any of them empty.
fn holds_damaged_results(path: &Path) -> bool {
    let has = |name: &str| path.join(name).is_file();
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    has(SCENARIO) && (has(FLOWS) || has(OPERATIONS)) && entries.all(|entry| is_ours(&entry))
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
    /// Makes the folder for the new results, under a name that no other thread takes, nor a
    /// process of another machine on the same disk. What killed processes have left
    /// there goes.
    fn beside(target: &TargetFolder) -> io::Result<Self> {
        let nameless = || io::Error::from(ErrorKind::InvalidInput);
        let name = target
            .path
            .file_name()
            .ok_or_else(nameless)?
            .to_string_lossy();
        let parent = target.path.parent().ok_or_else(nameless)?;
        let own = RandomState::new().hash_one(std::process::id());
        let sibling = |role: &str| parent.join(format!(".{name}.{role}-{own:016x}"));
        let missing = parent.ancestors().take_while(|ancestor| !ancestor.exists());
        let staging = Self {
            new: sibling("new"),
            old: sibling("old"),
            made: missing.map(Path::to_owned).collect(),
        };
        fs::create_dir_all(parent)?;
        remove_abandoned(parent, &format!(".{name}.new-"));
        if target.exists {
            // Where there are no results, those may be the last ones.
            remove_abandoned(parent, &format!(".{name}.old-"));
        }
        fs::create_dir(&staging.new)?;
        Ok(staging)
    }

    /// Puts the new results in place, or, if that fails, leaves the old ones there.
    fn publish(mut self, target: &TargetFolder) -> io::Result<()> {
        if !target.exists {
            fs::rename(&self.new, &target.path)?;
        } else if exchange(&self.new, &target.path).is_ok() {
            // Where the new ones were, the old ones are now.
            if fs::rename(&self.new, &self.old).is_err() {
                std::mem::swap(&mut self.new, &mut self.old);
            }
        } else {
            self.replace_in_two_steps(target)?;
        }
        self.made.clear();
        if let Some(parent) = target.path.parent() {
            flush_entries(parent);
        }
        if target.exists {
            self.retire_old(&target.path)
                .map_err(|reason| self.left_over(&reason))?;
        }
        Ok(())
    }

    fn replace_in_two_steps(&self, target: &TargetFolder) -> io::Result<()> {
        fs::rename(&target.path, &self.old)?;
        fs::rename(&self.new, &target.path).or_else(|reason| {
            fs::rename(&self.old, &target.path)?;
            Err(reason)
        })
    }

    /// Moves what was beside the old results, and is not ours, beside the new ones; then the old
    /// ones go.
    fn retire_old(&self, target: &Path) -> io::Result<()> {
        for entry in fs::read_dir(&self.old)? {
            let entry = entry?;
            if !is_ours(&entry) {
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

/// Whether a file belongs to results, and goes with them.
fn is_ours(entry: &DirEntry) -> bool {
    RESULTS.iter().any(|name| entry.file_name() == *name)
}

/// Removes folders whose names begin like this, if they are old and hold nothing of others.
fn remove_abandoned(parent: &Path, prefix: &str) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let begun = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with(prefix);
    for entry in entries(parent).filter(begun) {
        let age = entry.metadata().and_then(|facts| facts.modified());
        let age = age.ok().and_then(|modified| modified.elapsed().ok());
        let is_old = age.is_some_and(|age| age > ABANDONED);
        if is_old && entries(&entry.path()).all(|entry| is_ours(&entry)) {
            // If it cannot be removed, it does no harm where it is.
            let _ = fs::remove_dir_all(entry.path());
        }
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
