//! Locks on folders. The system releases them when a process ends, however it ends.

use std::fs::File;
use std::path::Path;

/// What a lock that was asked for without waiting says.
pub(super) enum TriedLock {
    /// It was free, and is again.
    Free,
    /// Another process, or thread, has it.
    Taken,
    /// The system, or its disk, has no such locks.
    Unknown,
}

/// Waits for a folder's lock, which is held until the handle is dropped; none where there are no
/// locks.
#[cfg(target_os = "linux")]
pub(super) fn exclusive(folder: &Path) -> Option<File> {
    use rustix::fs::{FlockOperation, flock};
    let handle = File::open(folder).ok()?;
    flock(&handle, FlockOperation::LockExclusive).ok()?;
    Some(handle)
}

/// Whether a folder is locked.
#[cfg(target_os = "linux")]
pub(super) fn tried(folder: &Path) -> TriedLock {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;
    let Ok(handle) = File::open(folder) else {
        return TriedLock::Unknown;
    };
    match flock(&handle, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => TriedLock::Free,
        Err(Errno::WOULDBLOCK) => TriedLock::Taken,
        Err(_) => TriedLock::Unknown,
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn exclusive(_folder: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn tried(_folder: &Path) -> TriedLock {
    TriedLock::Unknown
}

/// The kernel that runs this process, as far as its locks reach; empty if it has no name.
pub(super) fn kernel() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let digits = |text: String| {
        text.chars()
            .filter(char::is_ascii_hexdigit)
            .take(8)
            .collect()
    };
    boot.map(digits).unwrap_or_default()
}
