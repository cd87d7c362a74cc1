//! What killed runs have left beside a results folder: found by the next run, which brings back
//! what is worth it and removes the rest.

use std::fs::{self, DirEntry};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock::{self, TriedLock};
use super::summary_head::SummaryHead;
use super::{Spare, checksums, entries, exchange, holds_results, is_ours, replace_in_two_steps};

/// How long ago a folder was begun that a killed process has left behind, where locks do not tell:
/// no results take so long to write.
pub(super) const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// The folder beside `target` of all that a user has not finished, `.<name>.unfinished-<user>`: it
/// tells at once whether anything is, however much else is beside the target. Others may not write
/// to it.
pub(super) fn unfinished(target: &Path) -> Option<PathBuf> {
    of_user(target, "unfinished", rustix::process::geteuid().as_raw())
}

/// The names of folders in it: `<role>-<kernel>-<number>`.
pub(super) fn sibling(target: &Path, role: &str, number: u64) -> Option<PathBuf> {
    let kernel = lock::kernel();
    Some(unfinished(target)?.join(format!("{role}-{kernel}-{number:016x}")))
}

/// Where a user's results stand while they take the place of another user's, with the lock of the
/// parent.
pub(super) fn replacing(target: &Path) -> Option<PathBuf> {
    of_user(target, "replacing", rustix::process::geteuid().as_raw())
}

/// Where the results of another user go that stand in `beside`, and were in the place of the
/// target: only that user can remove them. The parent has to be locked.
pub(super) fn replaced(target: &Path, beside: &Path) -> Option<PathBuf> {
    let owner = fs::metadata(beside).ok()?.uid();
    replaced_of(target, owner).find(|place| place.symlink_metadata().is_err())
}

/// Such places of a user: `.<name>.replaced-<user>`, `.<name>.replaced-2-<user>`, and so on.
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

/// Brings back what killed runs have left beside `target`, and removes what is ours. Gives the
/// folders from which something was brought back. The parent has to be locked.
pub(super) fn clean(target: &Path) -> Vec<PathBuf> {
    let Some(unfinished) = unfinished(target) else {
        return Vec::new();
    };
    let user = rustix::process::geteuid().as_raw();
    let mut missing = 0;
    for replaced in replaced_of(target, user) {
        // Some may have been removed by hand, or before this process's forerunner was killed.
        if !is_folder(&replaced) {
            missing += 1;
            if missing == 16 {
                break;
            }
            continue;
        }
        missing = 0;
        if entries(&replaced).all(|each| is_ours(&each)) {
            // By another user, with the same right. If it cannot be removed, no harm is done.
            let _ = fs::remove_dir_all(replaced);
        }
    }
    let mut brought_back = finish_replacing(target);
    if !is_folder(&unfinished) {
        return brought_back;
    }
    // New results come first: they were on their way to replace the old ones.
    let found = ["new-", "old-"]
        .iter()
        .flat_map(|role| {
            let found = entries(&unfinished).filter(move |entry| is_abandoned(entry, role));
            found.collect::<Vec<_>>()
        })
        .filter(|entry| bring_back(&entry.path(), target))
        .map(|entry| entry.path());
    brought_back.extend(found);
    // Fails, as it should, if something is left.
    let _ = fs::remove_dir(unfinished);
    brought_back
}

/// What a process has left that was killed while it replaced another user's results: its own, or
/// those.
fn finish_replacing(target: &Path) -> Vec<PathBuf> {
    let Some(beside) = replacing(target).filter(|beside| is_folder(beside)) else {
        return Vec::new();
    };
    let is_back = bring_back(&beside, target);
    if let Some(replaced) = replaced(target, &beside) {
        // If it fails, it does no harm where it is.
        let _ = fs::rename(&beside, replaced);
    }
    if is_back { vec![beside] } else { Vec::new() }
}

/// Whether a path is a folder, and no link to one: in a folder that others may write to, it could
/// lead anywhere.
fn is_folder(path: &Path) -> bool {
    let facts = path.symlink_metadata();
    facts.is_ok_and(|facts| facts.is_dir())
}

/// Whether a folder is a leftover of a process that has ended.
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
    // Locks of other machines need not be seen here.
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

/// Moves results that were finished to the target, if that is missing or gives way to them, and
/// files of others into it; then removes what is ours. Says whether something was brought back.
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

/// Puts a leftover in the place of what stands there, which then is the leftover.
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

/// Moves files of others to the target, if that is there, and removes what is ours if nothing else
/// is left. Says whether something was moved.
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
        // If it cannot be removed, it does no harm where it is.
        let _ = fs::remove_dir_all(leftover);
    }
    moved
}
