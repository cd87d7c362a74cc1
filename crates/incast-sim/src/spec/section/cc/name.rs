//! Names of algorithms. A name may have parts (`hpcc+vai+sf`), or be that of a Python file with an
//! algorithm, with or without a class (`mine.py`, `mine.py:Mine`).

use std::fmt;

use incast_cc::{AlgorithmConfig, Part};
use incast_diagnostic::Diagnostic;
use incast_registry::Registered;
use serde::de::{self, DeserializeSeed};
use serde::{Deserialize, Deserializer};

use crate::spec::stem;

/// The row of the table that stands for algorithms outside of this program.
pub(super) const EXTERNAL: &str = "external";

/// An algorithm and its parts, each at most once, in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AlgorithmName {
    pub(super) base: &'static str,
    pub(super) parts: Vec<Part>,
    /// The name in results.
    text: String,
    /// The file and class of an external algorithm, if the name has them.
    pub(super) place: Option<ExternalPlace>,
}

/// A Python file and a class in it. The class is empty if the name leaves it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExternalPlace {
    pub(super) file: String,
    pub(super) class: String,
}

impl ExternalPlace {
    fn parse(name: &str) -> Option<Self> {
        let (file, class) = match name.rsplit_once(':') {
            Some((file, class)) if file.ends_with(ENDING) => (file, class),
            _ => (name, ""),
        };
        file.ends_with(ENDING).then(|| Self {
            file: file.to_owned(),
            class: class.to_owned(),
        })
    }
}

/// Whether a name is that of a Python file, with or without a class.
pub(super) fn is_in_a_file(name: &str) -> bool {
    ExternalPlace::parse(name).is_some()
}

/// The extension of Python files.
const ENDING: &str = ".py";

impl AlgorithmName {
    fn new(base: &'static str, mut parts: Vec<Part>) -> Self {
        parts.sort_unstable();
        let text = parts
            .iter()
            .fold(base.to_owned(), |text, part| text + "+" + part.name());
        Self {
            base,
            parts,
            text,
            place: None,
        }
    }

    /// Sets the name of the algorithm in results.
    pub(in crate::spec) fn rename(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    /// The value that the name implies for the key `file` or `class`.
    pub(super) fn said_of(&self, key: &str) -> Option<&str> {
        let place = self.place.as_ref()?;
        let said = match key {
            "file" => place.file.as_str(),
            "class" => place.class.as_str(),
            _ => "",
        };
        (!said.is_empty()).then_some(said)
    }

    /// The algorithm without its parts.
    pub(super) fn info(&self) -> &'static Registered {
        let mut all = AlgorithmConfig::available().iter();
        all.find(|info| info.name == self.base)
            .expect("the algorithm was looked up when its name was read")
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The name in the canonical text of the scenario.
    pub(super) fn written(&self) -> &str {
        match self.base {
            EXTERNAL => EXTERNAL,
            _ => &self.text,
        }
    }

    /// The names of the algorithm alone, and with every choice of its parts.
    pub(super) fn all_of(info: &Registered) -> Vec<String> {
        let mut all = vec![info.name.to_owned()];
        for part in AlgorithmConfig::parts_of(info.name) {
            let with: Vec<_> = all
                .iter()
                .map(|name| format!("{name}+{}", part.name()))
                .collect();
            all.extend(with);
        }
        all
    }

    fn parse(name: &str) -> Result<Self, Diagnostic> {
        if let Some(place) = ExternalPlace::parse(name) {
            return Ok(Self {
                base: EXTERNAL,
                parts: Vec::new(),
                text: stem(&place.file),
                place: Some(place),
            });
        }
        let (base, written) = split(name);
        let info = find(base)?;
        let mut parts = Vec::new();
        for part in written.into_iter().flat_map(|parts| parts.split('+')) {
            let part = find_part(info, part)?;
            if parts.contains(&part) {
                let what = format!("part `{}` is there twice", part.name());
                return Err(Diagnostic::new(what, "write it once"));
            }
            parts.push(part);
        }
        Ok(Self::new(info.name, parts))
    }
}

impl fmt::Display for AlgorithmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The algorithm's name and the text of its parts. `hpcc+++vai` begins with `hpcc++`, whose name
/// itself has plus signs.
fn split(name: &str) -> (&str, Option<&str>) {
    let names = AlgorithmConfig::available().iter().map(|info| info.name);
    let longest = names
        .filter(|known| known.contains('+'))
        .filter(|known| name == *known || name.starts_with(&format!("{known}+")))
        .max_by_key(|known| known.len());
    let begin = longest.map_or(0, str::len);
    match name[begin..].find('+') {
        None => (name, None),
        Some(place) => {
            let end = begin + place;
            (&name[..end], Some(&name[end + 1..]))
        }
    }
}

fn find(name: &str) -> Result<&'static Registered, Diagnostic> {
    let all = AlgorithmConfig::available();
    let found = all.iter().find(|info| info.name == name);
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|info| info.name).collect();
        Diagnostic::unknown("algorithm", name, names)
    })
}

/// The part of this name, which the algorithm must have.
fn find_part(info: &Registered, name: &str) -> Result<Part, Diagnostic> {
    let taken = AlgorithmConfig::parts_of(info.name);
    let part = Part::named(name).ok();
    match part.filter(|part| taken.contains(part)) {
        Some(part) => Ok(part),
        None if taken.is_empty() => {
            let what = format!("algorithm `{}` takes no parts", info.name);
            Err(Diagnostic::new(what, format!("write `{}`", info.name)))
        }
        None => {
            let names: Vec<_> = taken.iter().map(|part| part.name()).collect();
            let unknown = Diagnostic::unknown("part", name, names);
            let what = format!("{} of `{}`", unknown.what, info.name);
            Err(Diagnostic::new(what, unknown.hint))
        }
    }
}

/// Reads a name.
pub(super) struct NamedAlgorithm;

impl<'de> DeserializeSeed<'de> for NamedAlgorithm {
    type Value = AlgorithmName;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<AlgorithmName, D::Error> {
        let name = String::deserialize(deserializer)?;
        AlgorithmName::parse(&name).map_err(de::Error::custom)
    }
}
