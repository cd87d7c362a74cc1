//! Files that are read to their end.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file, if it is a regular one: a pipe or a device may never end, and opening one may wait
/// forever.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// Makes sure that it is one.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    match path.metadata()?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is no regular file")),
    }
}
