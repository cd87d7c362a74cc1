//! The results folder. It is written beside its final place, flushed to the disk, then moved there,
//! so that a reader never finds an incomplete folder, not even after a power cut.

use std::fs::{self, DirEntry, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::file_error::FileError;
use crate::regular_file;

mod checksums;
mod leftovers;
mod lock;
mod spare;
mod summary_head;
#[cfg(test)]
mod tests;

pub use checksums::{check as check_file, sizes_match};
pub use lock::LockWatch;
pub(crate) use lock::wait_on;
pub use spare::{Spare, other_run};
use summary_head::SummaryHead;

pub(crate) const FLOWS: &str = "flows.parquet";
pub(crate) const SERIES: &str = "series.parquet";
pub(crate) const PORTS: &str = "ports.parquet";
pub(crate) const PACKETS: &str = "packets.parquet";
pub(crate) const SENDERS: &str = "senders.parquet";
pub(crate) const COMPANY: &str = "company.parquet";
pub(crate) const PAUSE_CAUSES: &str = "pause_causes.parquet";
pub(crate) const ROUND_TRIPS: &str = "round_trips.parquet";
pub(crate) const ENTROPIES: &str = "entropies.parquet";
pub(crate) const MESSAGES: &str = "messages.parquet";
pub(crate) const COLLECTIVES: &str = "collectives.parquet";
pub(crate) const RANKS: &str = "ranks.parquet";
pub(crate) const CRITICAL_PATH: &str = "critical_path.parquet";
pub(crate) const FAULTS: &str = "faults.parquet";
pub(crate) const OPERATIONS: &str = "operations.parquet";
pub(crate) const CONTROLS: &str = "controls.parquet";
pub(crate) const QUEUES: &str = "queues.parquet";
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const SCENARIO: &str = "scenario.toml";
const CHECKSUMS: &str = "checksums.json";
/// The report, which is written later, by the Python package: it has no checksum.
const REPORT: &str = "report.html";

/// Files that belong to results, and are removed when the results are replaced.
const RESULTS: [&str; 21] = [
    FLOWS,
    SERIES,
    PORTS,
    PACKETS,
    SENDERS,
    COMPANY,
    PAUSE_CAUSES,
    ROUND_TRIPS,
    ENTROPIES,
    MESSAGES,
    COLLECTIVES,
    RANKS,
    CRITICAL_PATH,
    FAULTS,
    OPERATIONS,
    CONTROLS,
    QUEUES,
    SUMMARY,
    SCENARIO,
    CHECKSUMS,
    REPORT,
];

/// Lets `fill` write a new folder, and puts it in the place of `folder`.
pub(crate) fn replace(
    folder: &Path,
    spare: Spare,
    watch: LockWatch<'_>,
    fill: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let target = TargetFolder::of(folder)?;
    let staging = Staging::beside(&target, folder, watch)?;
    let moved = |error: FileError| error.moved(&staging.new, folder);
    fill(&staging.new).map_err(moved)?;
    checksums::write(&staging.new).map_err(moved)?;
    flush(&staging.new).map_err(|reason| FileError::write(folder, reason))?;
    staging.publish(folder, spare, watch)
}

/// Copies results from one folder to another, whole or not at all.
///
/// # Errors
/// If a file differs from its checksum, or the folder cannot be written.
pub fn copy_results(from: &Path, to: &Path, watch: LockWatch<'_>) -> Result<(), FileError> {
    let present = RESULTS.iter().filter(|name| **name != CHECKSUMS);
    let present: Vec<_> = present.filter(|name| from.join(name).exists()).collect();
    replace(to, Spare::Nothing, watch, |staging| {
        for name in present {
            let file = from.join(name);
            if *name != REPORT {
                checksums::check(&file)?;
            }
            regular_file::check(&file).map_err(|reason| FileError::read(&file, reason))?;
            fs::copy(&file, staging.join(name)).map_err(|reason| FileError::read(&file, reason))?;
        }
        Ok(())
    })
}

/// Restores results that killed runs have left beside a results folder, and removes the rest.
/// Returns the folders that were restored from.
///
/// # Errors
/// If another process has locked the folder's parent, and `watch` gives up waiting.
pub fn recover(folder: &Path, watch: LockWatch<'_>) -> Result<Vec<PathBuf>, FileError> {
    let known = folder
        .canonicalize()
        .or_else(|_| std::path::absolute(folder));
    let Ok(target) = known else {
        return Ok(Vec::new());
    };
    let _lock = lock::exclusive(target.parent().unwrap_or(&target), watch)?;
    Ok(leftovers::clean(&target))
}

pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), FileError> {
    fs::write(path, text).map_err(|reason| FileError::write(path, reason))
}

/// Waits until all files in a folder are on the disk, and the folder, too.
fn flush(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // Copies of read-only files are read-only; Windows flushes only files that are open for
        // writing.
        let file = match cfg!(windows) {
            true => OpenOptions::new().write(true).open(path)?,
            false => File::open(path)?,
        };
        file.sync_all()?;
    }
    flush_entries(folder);
    Ok(())
}

/// Waits until the names in a folder are on the disk, if the system and its disk support it.
fn flush_entries(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Exchanges two folders atomically, if the system supports it.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Replaces a folder on systems that cannot exchange two: the folder at `place` is moved to `old`.
fn replace_in_two_steps(new: &Path, place: &Path, old: &Path) -> io::Result<()> {
    fs::rename(place, old)?;
    fs::rename(new, place).or_else(|reason| {
        fs::rename(old, place)?;
        Err(reason)
    })
}

/// Where results go.
struct TargetFolder {
    /// The path with symbolic links resolved, if it exists.
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

/// Whether results may be written to a path: it is free, an empty folder, or a folder with results,
/// possibly damaged ones.
pub fn may_be_replaced(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => path.canonicalize().is_ok_and(|path| holds_results(&path)),
        Err(reason) => reason.kind() == ErrorKind::NotFound,
    }
}

fn holds_results(path: &Path) -> bool {
    let is_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    is_empty || SummaryHead::of(path).is_some() || holds_damaged_results(path)
}

/// Whether a folder has only files of results, whatever they contain: a power cut, or a full disk,
/// may have left any of them empty.
fn holds_damaged_results(path: &Path) -> bool {
    let has = |name: &str| path.join(name).is_file();
    let is_all_ours = || entries(path).all(|entry| is_ours(&entry));
    has(SCENARIO) && (has(FLOWS) || has(OPERATIONS)) && is_all_ours()
}

/// The entries of a folder; none if it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Temporary folders for new and old results, beside the target.
struct Staging {
    /// The target's parent, whose lock protects everything beside the target.
    parent: PathBuf,
    /// The new results, until they are in place; removed when this value is dropped.
    new: PathBuf,
    /// The old results; removed only after all files that are not results have been moved out.
    old: PathBuf,
    /// Whether the old results are another user's.
    is_of_others: bool,
    /// Parent folders that had to be created, deepest first.
    made: Vec<PathBuf>,
    /// A lock that shows other processes that this one is alive.
    _alive: Option<File>,
}

impl Staging {
    /// Creates the folder for the new results, under a name that no other thread or machine uses.
    /// Leftovers of killed processes are restored or removed.
    fn beside(
        target: &TargetFolder,
        folder: &Path,
        watch: LockWatch<'_>,
    ) -> Result<Self, FileError> {
        let unwritable = |reason| FileError::write(folder, reason);
        let own = RandomState::new().hash_one(std::process::id());
        let sibling = |role: &str| {
            let path = leftovers::sibling(&target.path, role, own);
            path.ok_or_else(|| unwritable(ErrorKind::InvalidInput.into()))
        };
        let (new, old) = (sibling("new")?, sibling("old")?);
        let parent = target.path.parent().unwrap_or(Path::new("/"));
        let missing = parent.ancestors().take_while(|ancestor| !ancestor.exists());
        let mut staging = Self {
            parent: parent.to_owned(),
            new,
            old,
            is_of_others: false,
            made: missing.map(Path::to_owned).collect(),
            _alive: None,
        };
        fs::create_dir_all(parent).map_err(unwritable)?;
        // The parent stays locked until the new folder has its own lock, so that no process takes
        // it for a leftover.
        let _lock = lock::exclusive(parent, watch)?;
        leftovers::clean(&target.path);
        make_unfinished(&staging.new).map_err(unwritable)?;
        staging._alive = lock::exclusive(&staging.new, watch)?;
        Ok(staging)
    }

    /// Puts the new results in place; if that fails, the old ones stay. The parent is locked
    /// meanwhile, so that processes check and replace one after the other.
    fn publish(
        mut self,
        folder: &Path,
        spare: Spare,
        watch: LockWatch<'_>,
    ) -> Result<(), FileError> {
        let unwritable = |reason| FileError::write(folder, reason);
        let _lock = lock::exclusive(&self.parent, watch)?;
        let target = TargetFolder::of(folder)?;
        if let Some(standing) = spare.standing(&target.path, &self.new) {
            let folder = folder.to_owned();
            return Err(FileError::Spared { folder, standing });
        }
        self.take_place(&target).map_err(unwritable)?;
        self.made.clear();
        if let Some(parent) = target.path.parent() {
            flush_entries(parent);
        }
        if target.exists {
            let retired = self.retire_old(&target.path);
            // Another user's old results are removed by that user's next run.
            if !self.is_of_others {
                retired.map_err(|reason| unwritable(self.left_over(&reason)))?;
            }
        }
        Ok(())
    }

    fn take_place(&mut self, target: &TargetFolder) -> io::Result<()> {
        if !target.exists {
            return fs::rename(&self.new, &target.path);
        }
        match exchange(&self.new, &target.path) {
            Err(reason) if reason.kind() == ErrorKind::PermissionDenied => {
                return match entries(&target.path).all(|entry| is_ours(&entry)) {
                    true => self.take_place_of_others(&target.path),
                    false => Err(reason),
                };
            }
            Err(_) => return replace_in_two_steps(&self.new, &target.path, &self.old),
            Ok(()) => {}
        }
        // After the exchange the old results have the path of the new ones.
        if fs::rename(&self.new, &self.old).is_err() {
            std::mem::swap(&mut self.new, &mut self.old);
        }
        Ok(())
    }

    /// Replaces another user's results. Only their folder may be renamed: files in it cannot be
    /// moved.
    fn take_place_of_others(&mut self, target: &Path) -> io::Result<()> {
        let invalid = || io::Error::from(ErrorKind::InvalidInput);
        let beside = leftovers::replacing(target).ok_or_else(invalid)?;
        fs::rename(&self.new, &beside)?;
        if let Err(reason) = exchange(&beside, target) {
            fs::rename(&beside, &self.new)?;
            return Err(reason);
        }
        self.old = leftovers::replaced(target, &beside).ok_or_else(invalid)?;
        self.is_of_others = true;
        fs::rename(&beside, &self.old)
    }

    /// Moves files that are not results from the old folder to the new one, then removes the old
    /// folder.
    fn retire_old(&self, target: &Path) -> io::Result<()> {
        for entry in entries(&self.old) {
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

/// Creates a folder and its parent, which another process may remove in between while it is empty.
fn make_unfinished(folder: &Path) -> io::Result<()> {
    let above = folder.parent().unwrap_or(folder);
    for _ in 0..100 {
        // A link of another user could lead anywhere.
        if above.is_symlink() {
            return Err(ErrorKind::NotADirectory.into());
        }
        match fs::create_dir_all(above).and_then(|()| fs::create_dir(folder)) {
            Err(reason) if reason.kind() == ErrorKind::NotFound => {}
            made => return made,
        }
    }
    Err(ErrorKind::NotFound.into())
}

/// Whether a file belongs to results, and is removed with them.
fn is_ours(entry: &DirEntry) -> bool {
    RESULTS.iter().any(|name| entry.file_name() == *name)
}

impl Drop for Staging {
    fn drop(&mut self) {
        // After success the folder does not exist; one that cannot be removed does no harm there.
        let _ = fs::remove_dir_all(&self.new);
        // Fails, as intended, if other processes use the folder.
        let _ = self.new.parent().map(fs::remove_dir);
        for parent in &self.made {
            // Fails, as intended, if another process has created files there.
            let _ = fs::remove_dir(parent);
        }
    }
}
