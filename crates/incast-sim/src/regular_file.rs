//! Files that are read to their end, which must be regular ones.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a regular file. Others are refused: a pipe or a device may never end, and opening it may
/// block.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// Checks that the path is a regular file.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    match path.metadata()?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is no regular file")),
    }
}
