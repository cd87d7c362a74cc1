//! Leftovers of killed runs beside a results folder: the next run restores valuable ones, and
//! removes the rest.

use std::fs::{self, DirEntry};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock::{self, TriedLock};
use super::summary_head::SummaryHead;
use super::{Spare, checksums, entries, exchange, holds_results, is_ours, replace_in_two_steps};

/// The age of an abandoned folder, where locks do not tell: no results take so long to write.
pub(super) const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// The folder beside `target` with a user's unfinished results, `.<name>.unfinished-<user>`. With
/// one fixed name it is found at once, however many files are beside the target. Other users cannot
/// write to it.
pub(super) fn unfinished(target: &Path) -> Option<PathBuf> {
    of_user(target, "unfinished", rustix::process::geteuid().as_raw())
}

/// A path in this folder: `<role>-<kernel>-<number>`.
pub(super) fn sibling(target: &Path, role: &str, number: u64) -> Option<PathBuf> {
    let kernel = lock::kernel();
    Some(unfinished(target)?.join(format!("{role}-{kernel}-{number:016x}")))
}

/// The path of a user's new results while they replace another user's, under the lock of the
/// parent.
pub(super) fn replacing(target: &Path) -> Option<PathBuf> {
    of_user(target, "replacing", rustix::process::geteuid().as_raw())
}

/// The new path for another user's results, which are now at `beside`: only that user can remove
/// them. The parent must be locked.
pub(super) fn replaced(target: &Path, beside: &Path) -> Option<PathBuf> {
    let owner = fs::metadata(beside).ok()?.uid();
    replaced_of(target, owner).find(|place| place.symlink_metadata().is_err())
}

/// The possible paths for a user's replaced results: `.<name>.replaced-<user>`,
/// `.<name>.replaced-2-<user>`, and so on.
fn replaced_of(target: &Path, user: u32) -> impl Iterator<Item = PathBuf> + use<'_> {
    (1..).map_while(move |number: u64| match number {
        1 => of_user(target, "replaced", user),
        _ => of_user(target, &format!("replaced-{number}"), user),
    })
}

fn of_user(target: &Path, what: &str, user: u32) -> Option<PathBuf> {
    let (parent, name) = (target.parent()?, target.file_name()?.to_string_lossy());
    Some(parent.join(format!(".{name}.{what}-{user}")))
}

/// Restores leftovers of killed runs beside `target`, and removes the user's other ones. Returns
/// the folders that were restored from. The parent must be locked.
pub(super) fn clean(target: &Path) -> Vec<PathBuf> {
    let Some(unfinished) = unfinished(target) else {
        return Vec::new();
    };
    let user = rustix::process::geteuid().as_raw();
    let mut missing = 0;
    for replaced in replaced_of(target, user) {
        // Some numbers may be missing, removed by hand or by a killed process.
        if !is_folder(&replaced) {
            missing += 1;
            if missing == 16 {
                break;
            }
            continue;
        }
        missing = 0;
        if entries(&replaced).all(|each| is_ours(&each)) {
            // Replaced by another user, with permission. One that cannot be removed does no harm.
            let _ = fs::remove_dir_all(replaced);
        }
    }
    let mut brought_back = finish_replacing(target);
    if !is_folder(&unfinished) {
        return brought_back;
    }
    // New results come first, because they were to replace the old ones.
    let found = ["new-", "old-"]
        .iter()
        .flat_map(|role| {
            let found = entries(&unfinished).filter(move |entry| is_abandoned(entry, role));
            found.collect::<Vec<_>>()
        })
        .filter(|entry| bring_back(&entry.path(), target))
        .map(|entry| entry.path());
    brought_back.extend(found);
    // Fails, as intended, if the folder is not empty.
    let _ = fs::remove_dir(unfinished);
    brought_back
}

/// Handles the leftover of a process that was killed while it replaced another user's results: the
/// new results, or the other user's.
fn finish_replacing(target: &Path) -> Vec<PathBuf> {
    let Some(beside) = replacing(target).filter(|beside| is_folder(beside)) else {
        return Vec::new();
    };
    let is_back = bring_back(&beside, target);
    if let Some(replaced) = replaced(target, &beside) {
        // If this fails, the folder does no harm where it is.
        let _ = fs::rename(&beside, replaced);
    }
    if is_back { vec![beside] } else { Vec::new() }
}

/// Whether a path is a folder, and not a link to one: in a folder that other users may write to, a
/// link could lead anywhere.
fn is_folder(path: &Path) -> bool {
    let facts = path.symlink_metadata();
    facts.is_ok_and(|facts| facts.is_dir())
}

/// Whether a folder was left by a process that has ended.
fn is_abandoned(entry: &DirEntry, role: &str) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let Some(number) = name.strip_prefix(role) else {
        return false;
    };
    let is_number = |digit: char| digit.is_ascii_hexdigit() || digit == '-';
    if !number.chars().all(is_number) || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
        return false;
    }
    // Locks of other machines may not be visible here.
    let is_local = number
        .split_once('-')
        .is_some_and(|(kernel, _)| !kernel.is_empty() && kernel == lock::kernel());
    match lock::tried(&entry.path()) {
        TriedLock::Free if is_local => true,
        TriedLock::Taken => false,
        TriedLock::Free | TriedLock::Unknown => {
            let age = entry.metadata().and_then(|facts| facts.modified());
            let age = age.ok().and_then(|modified| modified.elapsed().ok());
            age.is_some_and(|age| age > ABANDONED)
        }
    }
}

/// Moves finished results to the target, if the target is missing or may be replaced by them, and
/// other files into it. Then removes the leftover. Returns whether anything was restored.
fn bring_back(leftover: &Path, target: &Path) -> bool {
    let is_missing = target.symlink_metadata().is_err();
    let is_finished = SummaryHead::of(leftover).is_some() && checksums::are_met(leftover);
    if is_missing && is_finished {
        return fs::rename(leftover, target).is_ok();
    }
    let gives_way = || holds_results(target) && Spare::Better.standing(target, leftover).is_none();
    if is_finished && gives_way() {
        return take_place(leftover, target).is_ok();
    }
    retire(leftover, target)
}

/// Puts a leftover in the place of the target, whose old content becomes the leftover.
fn take_place(leftover: &Path, target: &Path) -> io::Result<()> {
    if exchange(leftover, target).is_ok() {
        retire(leftover, target);
        return Ok(());
    }
    let number = RandomState::new().hash_one(leftover);
    let old = sibling(target, "old", number).ok_or(ErrorKind::InvalidInput)?;
    replace_in_two_steps(leftover, target, &old)?;
    retire(&old, target);
    Ok(())
}

/// Moves files that are not results to the target, if the target exists; removes the leftover if no
/// such files remain. Returns whether a file was moved.
fn retire(leftover: &Path, target: &Path) -> bool {
    let is_missing = target.symlink_metadata().is_err();
    let mut moved = false;
    for entry in entries(leftover).filter(|entry| !is_ours(entry)) {
        let place = target.join(entry.file_name());
        if !is_missing && place.symlink_metadata().is_err() {
            moved |= fs::rename(entry.path(), place).is_ok();
        }
    }
    if entries(leftover).all(|entry| is_ours(&entry)) {
        // One that cannot be removed does no harm where it is.
        let _ = fs::remove_dir_all(leftover);
    }
    moved
}
