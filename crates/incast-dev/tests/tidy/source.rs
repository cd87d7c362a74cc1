//! The files of the repository, as text and as syntax trees.

use std::fs;
use std::path::{Path, PathBuf};

/// One source file.
pub(crate) struct Source {
    /// The path, relative to the root of the repository.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Source {
    /// Whether the whole file is a test.
    pub(crate) fn is_test(&self) -> bool {
        self.path.components().any(|part| {
            let part = part.as_os_str();
            part == "tests" || part == "tests.rs"
        })
    }

    /// The code of the file, and its tests.
    pub(crate) fn code_and_tests(&self) -> (&str, &str) {
        match self.text.split_once("#[cfg(test)]\nmod tests {") {
            _ if self.is_test() => ("", &self.text),
            Some(parts) => parts,
            None => (&self.text, ""),
        }
    }

    /// The syntax tree, tests included.
    pub(crate) fn syntax(&self) -> syn::File {
        syn::parse_file(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.shown()))
    }

    pub(crate) fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// One file.
pub(crate) fn file(path: &str) -> Source {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let path = path.into();
    Source { path, text }
}

/// All files below `folder` with one of these extensions; empty if the folder does not exist.
pub(crate) fn files(folder: &str, endings: &[&str]) -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if ending.is_some_and(|ending| endings.contains(&ending)) {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(&root).unwrap().to_owned();
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// All Rust files of the workspace.
pub(crate) fn rust() -> Vec<Source> {
    files("crates", &["rs"])
}

/// Whether an item is compiled for tests only.
pub(crate) fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        list.is_ok_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

/// Fails if anything was found, and lists it.
#[track_caller]
pub(crate) fn none(found: &[String], rule: &str) {
    assert!(found.is_empty(), "{rule}:\n  {}", found.join("\n  "));
}
