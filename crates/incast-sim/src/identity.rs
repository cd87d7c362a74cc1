//! The identity of a run: all that determines its results, as one number. The engine is a part of
//! it.

use std::fmt;
use std::hash::Hasher as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use incast_workload::trace_of_rank;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use twox_hash::XxHash3_64;

use crate::file_error::FileError;
use crate::regular_file;
use crate::spec::ValidSpec;

/// The engine: a hash of the sources that determine results, as 16 hexadecimal digits. Results of
/// another engine may differ.
pub const ENGINE: &str = env!("INCAST_ENGINE");

/// A hash of the scenario with all defaults filled in, of the contents of its files, of the seed,
/// and of the [engine](ENGINE). Prints as 16 hexadecimal digits.
///
/// Two runs with the same identity have the same fingerprint, so that a second run is unnecessary.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity(u64);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Identity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        hexadecimal(deserializer).map(Self)
    }
}

/// Reads a hash that was printed as 16 hexadecimal digits.
pub(crate) fn hexadecimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.len() {
        16 => u64::from_str_radix(&text, 16).map_err(D::Error::custom),
        _ => Err(D::Error::custom("not 16 hexadecimal digits")),
    }
}

impl ValidSpec {
    /// The identity of the run that this scenario describes.
    ///
    /// # Errors
    /// If a file of the scenario can no longer be read.
    pub fn identity(&self) -> Result<Identity, FileError> {
        Ok(FileContents::of(self)?.identity(self))
    }
}

impl Identity {
    /// The identity of a canonical scenario, seed included, in which [`content`] replaces files.
    pub(crate) fn of(canonical: &str) -> Self {
        Self::under(ENGINE, canonical)
    }

    fn under(engine: &str, canonical: &str) -> Self {
        let mut hasher = XxHash3_64::new();
        for part in [engine, canonical] {
            hasher.write(&(part.len() as u64).to_le_bytes());
            hasher.write(part.as_bytes());
        }
        Self(hasher.finish())
    }
}

/// The contents of a scenario's files, as hashes.
pub(crate) struct FileContents(Vec<(PathBuf, String)>);

impl FileContents {
    /// Hashes the files as they are at this moment.
    pub(crate) fn of(spec: &ValidSpec) -> Result<Self, FileError> {
        let hashed = spec.files().into_iter().map(|file| {
            let hash = content(&file.path).map_err(|reason| FileError::read(&file.path, reason))?;
            Ok((file.path, hash))
        });
        hashed.collect::<Result<_, _>>().map(Self)
    }

    /// The identity of the run that reads files with these contents.
    pub(crate) fn identity(&self, spec: &ValidSpec) -> Identity {
        let held = |path: &Path| self.0.iter().find(|(file, _)| file == path);
        Identity::of(&spec.to_toml_with(|_, path| {
            let (_, hash) = held(path).expect("all files of the scenario were read");
            hash.clone()
        }))
    }

    /// Checks that the files still have these contents: flows are read during the run.
    pub(crate) fn check(&self) -> Result<(), FileError> {
        let mut files = self.0.iter();
        let changed = files.find(|(path, hash)| content(path).ok().as_ref() != Some(hash));
        changed.map_or(Ok(()), |(path, _)| {
            Err(FileError::Changed { path: path.clone() })
        })
    }
}

/// The text that replaces a file in a canonical scenario: a hash of its content. Traces of ranks
/// are several files, `NAME.0.et` and so on, which a scenario calls `NAME`; another file or folder
/// of this name is ignored.
fn content(path: &Path) -> io::Result<String> {
    let mut hash = Hash(XxHash3_64::new());
    let of_rank = |rank| trace_of_rank(path, rank);
    if path.is_file() || !of_rank(0).exists() {
        io::copy(&mut regular_file::open(path)?, &mut hash)?;
    }
    for file in (0..).map(of_rank).take_while(|file| file.exists()) {
        let mut opened = regular_file::open(&file)?;
        let length = io::copy(&mut opened, &mut hash)?;
        hash.0.write(&length.to_le_bytes());
    }
    Ok(format!("{:016x}", hash.0.finish()))
}

/// A hash as a writer, so that bytes can be copied into it.
struct Hash(XxHash3_64);

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the traces count: there may be nothing, a file or a folder with their common name.
    #[test]
    fn traces_of_ranks_count_beside_a_file_of_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let job = folder.path().join("job");
        let trace = |rank: u32, held: &str| {
            std::fs::write(folder.path().join(format!("job.{rank}.et")), held).unwrap();
        };
        let mut seen = Vec::new();
        let mut differs = || {
            let now = content(&job).unwrap();
            let is_new = !seen.contains(&now);
            seen.push(now);
            is_new
        };
        trace(0, "a");
        assert!(differs());
        trace(1, "b");
        assert!(differs());
        std::fs::write(&job, "beside").unwrap();
        assert!(differs());
        trace(1, "c");
        assert!(differs());
        std::fs::remove_file(&job).unwrap();
        std::fs::create_dir(&job).unwrap();
        assert!(differs());
    }

    #[test]
    fn another_scenario_is_another_identity() {
        let identity = Identity::of("seed = 1");
        assert_eq!(identity, Identity::of("seed = 1"));
        assert_ne!(identity, Identity::of("seed = 2"));
        assert_eq!(identity.to_string().len(), 16);
    }

    #[test]
    fn another_engine_is_another_identity() {
        let here = Identity::of("seed = 1");
        assert_eq!(here, Identity::under(ENGINE, "seed = 1"));
        assert_ne!(here, Identity::under("0123456789abcdef", "seed = 1"));
        assert_eq!(ENGINE.len(), 16);
    }

    /// The published XXH3 hash of the empty input.
    #[test]
    fn files_are_known_by_their_content() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert_eq!(content(file.path()).expect("readable"), "2d06800538d394c2");
    }
}
