//! Locks on folders. The system releases them when their process ends, in any way.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use crate::file_error::FileError;

/// Called several times a second while waiting, with the folder that another process has locked,
/// and the time waited; decides whether to wait longer.
pub type LockWatch<'a> = &'a (dyn Fn(&Path, Duration) -> ControlFlow<()> + Sync);

/// Waits without limit.
pub(crate) fn wait_on(_folder: &Path, _waited: Duration) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The result of trying a lock without waiting.
pub(super) enum TriedLock {
    /// The lock was free, and has been released again.
    Free,
    /// Another process, or thread, has the lock.
    Taken,
    /// The system, or its disk, does not support locks.
    Unknown,
}

/// Locks a folder until the handle is dropped; `None` if locks are not supported. Our processes
/// hold a lock for milliseconds, unless they are suspended; other programs may hold one longer.
///
/// # Errors
/// If another process has the lock, and `watch` gives up waiting.
#[cfg(target_os = "linux")]
pub(super) fn exclusive(folder: &Path, watch: LockWatch<'_>) -> Result<Option<File>, FileError> {
    use std::time::Instant;

    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    const FIRST_PAUSE: Duration = Duration::from_millis(1);
    const MAX_PAUSE: Duration = Duration::from_millis(50);

    let Ok(handle) = File::open(folder) else {
        return Ok(None);
    };
    let (begin, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        match flock(&handle, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(handle)),
            Err(Errno::INTR) => continue,
            Err(Errno::WOULDBLOCK) => {}
            Err(_) => return Ok(None),
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(MAX_PAUSE);
        // Short waits are not reported.
        if pause == MAX_PAUSE && watch(folder, begin.elapsed()).is_break() {
            let folder = folder.to_owned();
            return Err(FileError::Locked { folder });
        }
    }
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
pub(super) fn exclusive(_folder: &Path, _watch: LockWatch<'_>) -> Result<Option<File>, FileError> {
    Ok(None)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn tried(_folder: &Path) -> TriedLock {
    TriedLock::Unknown
}

/// The name of the kernel that runs this process, within which its locks are visible; empty if
/// unknown.
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
