//! The cases: the scenario files in `benches/`, and the null network.

use std::path::{Path, PathBuf};

use incast_sim::{Diagnostic, FabricSpec, ScenarioKind, Source, Spec, ValidFabricSpec, ValidSpec};

use super::error::BenchError;

/// The name of the null network's case.
const NULL: &str = "null";
/// The scenario whose flows the null network carries.
const OF_NULL: &str = "clos-320-short";

/// The network that carries a scenario's flows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum CaseNetwork {
    /// The scenario's own.
    Whole,
    /// The null network.
    Null,
    /// A memory fabric, in place of a network.
    Fabric,
}

/// A scenario that is measured.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The name of the file, without its extension.
    pub(super) name: String,
    /// The description in the first line of the file.
    pub(super) summary: String,
    pub(super) network: CaseNetwork,
    source: Source,
}

impl Case {
    /// The cases with these names; all cases, in alphabetical order, if there are no names.
    pub(super) fn select(names: &[String]) -> Result<Vec<Self>, BenchError> {
        match names {
            [] => Self::all(),
            _ => names.iter().map(|name| Self::named(name)).collect(),
        }
    }

    /// The case with this name. Only its file is read, so that other cases add no cost.
    fn named(name: &str) -> Result<Self, BenchError> {
        let file = |name: &str| folder().join(format!("{name}.toml"));
        if name == NULL {
            return Self::read(&file(OF_NULL)).map(|carried| null(&carried));
        }
        let file = file(name);
        if file.is_file() {
            return Self::read(&file);
        }
        let known = Self::all()?.into_iter().map(|case| case.name);
        Err(BenchError::UnknownCase {
            name: name.to_owned(),
            known: known.collect(),
        })
    }

    fn all() -> Result<Vec<Self>, BenchError> {
        let folder = folder();
        let unreadable = |source| BenchError::file(&folder, source);
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                files.push(path);
            }
        }
        let cases = files.iter().map(|file| Self::read(file));
        let mut cases = cases.collect::<Result<Vec<_>, _>>()?;
        let carried = cases.iter().find(|case| case.name == OF_NULL);
        let null = carried.map(null);
        cases.extend(null);
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(cases)
    }

    fn read(file: &Path) -> Result<Self, BenchError> {
        let source = Source::from_file(file)?;
        let first = source.text.lines().next().unwrap_or_default();
        Ok(Self {
            name: file.file_stem().unwrap_or_default().display().to_string(),
            summary: first.trim_start_matches('#').trim().to_owned(),
            network: match ScenarioKind::of(&source)? {
                ScenarioKind::Network => CaseNetwork::Whole,
                ScenarioKind::Fabric => CaseNetwork::Fabric,
            },
            source,
        })
    }

    /// The scenario, ready to run.
    pub(super) fn scenario(&self) -> Result<ValidSpec, Diagnostic> {
        Spec::parse(&self.source, &[]).and_then(Spec::validate)
    }

    /// The scenario of a fabric, ready to run.
    pub(super) fn fabric(&self) -> Result<ValidFabricSpec, Diagnostic> {
        FabricSpec::parse(&self.source, &[]).and_then(FabricSpec::validate)
    }
}

/// The case of the null network.
fn null(carried: &Case) -> Case {
    Case {
        name: NULL.to_owned(),
        summary: format!("the packets of {OF_NULL} through mailboxes and queues alone: the floor"),
        network: CaseNetwork::Null,
        source: carried.source.clone(),
    }
}

/// The folder of the scenarios.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_valid_and_says_what_it_is() {
        let cases = Case::select(&[]).unwrap();
        for name in ["star-incast", "null"] {
            assert!(cases.iter().any(|case| case.name == name), "{name}");
        }
        for case in cases {
            assert!(!case.summary.is_empty(), "{}", case.name);
            let problem = match case.network {
                CaseNetwork::Fabric => case.fabric().err(),
                _ => case.scenario().err(),
            };
            assert_eq!(problem, None, "{}", case.name);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = Case::select(&["clos-321".to_owned()]).unwrap_err();
        let message = error.to_string();
        let begin = "unknown case `clos-321`; there are: ai-128-400g-dcqcn, ";
        assert!(message.starts_with(begin), "{message}");
    }
}
