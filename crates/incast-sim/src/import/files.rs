//! Files to import, and paths from one folder to another.

use std::path::{Component, Path, PathBuf};

use crate::spec::{SpecError, unreadable};

/// A configuration is a page of text; more than this is something else.
const LARGEST: u64 = 1 << 20;

/// The text of a small file.
pub(super) fn read(path: &Path) -> Result<String, SpecError> {
    let name = path.display().to_string();
    let wrong = |what: String| SpecError {
        file: Some(name.clone()),
        line: None,
        key: String::new(),
        what,
        hint: "give the configuration file".to_owned(),
    };
    let size = std::fs::metadata(path)
        .map_err(|error| unreadable(&name, &error))?
        .len();
    if size > LARGEST {
        return Err(wrong(format!("{size} bytes are no configuration")));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(&name, &error))?;
    String::from_utf8(bytes).map_err(|_| wrong("this is not text".to_owned()))
}

/// The folder of a file.
pub(super) fn folder(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// Scenarios write paths with slashes.
pub(super) fn slashed(path: &Path) -> String {
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}

/// How to name `file` in a scenario that stands in `folder`: by the way there, or in full if they
/// have nothing in common.
pub(super) fn seen_from(folder: &Path, file: &Path) -> PathBuf {
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
