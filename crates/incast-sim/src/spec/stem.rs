//! What a run is called that has no name of its own.

use std::path::Path;

/// The name of a file without its ending: what a run without a name is called.
pub(crate) fn stem(file: &str) -> String {
    let path = Path::new(file);
    path.file_stem().map_or_else(
        || file.to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}
