//! The default name of a run.

use std::path::Path;

/// The name of a file without its ending, the default name of a run.
pub(crate) fn stem(file: &str) -> String {
    let path = Path::new(file);
    path.file_stem().map_or_else(
        || file.to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}
