//! Paths of files to import, and relative paths between folders.

use std::path::{Component, Path, PathBuf};

use incast_diagnostic::{Diagnostic, Placed};

use crate::diagnostics;

/// The largest configuration file, in bytes; usual ones are a page of text.
const MAX_BYTES: u64 = 1 << 20;

/// The text of a small file.
pub(crate) fn read(path: &Path) -> Result<String, Diagnostic> {
    read_small(path).in_file(path.display())
}

fn read_small(path: &Path) -> Result<String, Diagnostic> {
    let hint = "give the configuration file";
    let unreadable = |error| Diagnostic::unreadable(&error);
    let facts = std::fs::metadata(path).map_err(unreadable)?;
    if !facts.is_file() {
        return Err(diagnostics::no_regular_file());
    }
    let size = facts.len();
    if size > MAX_BYTES {
        let what = format!("{size} bytes are no configuration");
        return Err(Diagnostic::new(what, hint));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| Diagnostic::new("this is not text", hint))
}

/// The folder of a file.
pub(crate) fn folder(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// The nearest file with this relative path in a folder above, and the number of folders up.
pub(crate) fn above(folder: &Path, named: &str) -> Option<(PathBuf, usize)> {
    let here = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let here = here.canonicalize().ok()?;
    let above = (1..).zip(here.ancestors().skip(1));
    let mut files = above.map(|(up, folder)| (folder.join(named), up));
    files.find(|(file, _)| file.is_file())
}

/// The path with slashes, as scenarios have it.
pub(crate) fn slashed(path: &Path) -> String {
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}

/// The path of `file` in a scenario that is in `folder`: relative, or absolute if the two have no
/// folder in common.
pub(crate) fn seen_from(folder: &Path, file: &Path) -> PathBuf {
    let absolute = |path: &Path| {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        path.canonicalize()
            .or_else(|_| std::path::absolute(path))
            .unwrap_or(path.to_owned())
    };
    let (from, to) = (absolute(folder), absolute(file));
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared <= 1 {
        return to.into_iter().collect();
    }
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_folder_to_file() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for folder in ["a/b", "c"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["a/b/flow.txt", "c/fat.txt"] {
            std::fs::write(at(file), "").unwrap();
        }
        assert_eq!(
            seen_from(&at("a/b"), &at("a/b/flow.txt")),
            Path::new("flow.txt")
        );
        assert_eq!(
            seen_from(&at("a/b"), &at("c/fat.txt")),
            Path::new("../../c/fat.txt")
        );
        assert_eq!(
            seen_from(&at("c"), &at("a/b/flow.txt")),
            Path::new("../a/b/flow.txt")
        );
    }
}
