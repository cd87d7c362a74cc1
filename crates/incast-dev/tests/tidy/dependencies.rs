//! Third-party crates must satisfy `deny.toml`: licences, duplicates, sources.
//!
//! `cargo deny check` checks more (advisories), but is not installed on every machine.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::source::{none, root};

/// The parts of `deny.toml` that are checked here.
#[derive(Deserialize)]
struct Policy {
    licenses: Licences,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The parts of the output of `cargo metadata` that are used here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// The registry; `None` for packages of this repository.
    source: Option<String>,
}

/// The part of `about.toml` that is checked here.
#[derive(Deserialize)]
struct Collected {
    accepted: Vec<String>,
}

fn policy() -> Policy {
    read("deny.toml")
}

fn read<T: DeserializeOwned>(file: &str) -> T {
    let text = fs::read_to_string(root().join(file)).unwrap();
    toml::from_str(&text).unwrap()
}

/// Packages for all platforms, including dependencies of tests and builds.
fn packages() -> Vec<Package> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root());
    let output = command.args(["metadata", "--format-version", "1", "--locked"]);
    let output = output.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {told}");
    let metadata: Metadata = serde_json::from_slice(&output.stdout).unwrap();
    metadata.packages
}

/// Whether these licences satisfy an SPDX licence expression. `/` is an old form of `OR`.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ");
    let spaced = spaced.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let met = any(&mut rest, allowed);
    assert!(rest.is_empty(), "`{expression}`: `{rest:?}` is left");
    met
}

/// Alternatives between `OR`, each of which consists of terms between `AND`.
fn any(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut met = all(rest, allowed);
    while take(rest, "OR") {
        met |= all(rest, allowed);
    }
    met
}

fn all(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut met = one(rest, allowed);
    while take(rest, "AND") {
        met &= one(rest, allowed);
    }
    met
}

fn one(rest: &mut &[&str], allowed: &[String]) -> bool {
    if take(rest, "(") {
        let met = any(rest, allowed);
        assert!(take(rest, ")"), "a parenthesis stays open");
        return met;
    }
    let (name, after) = rest.split_first().expect("the name of a licence");
    *rest = after;
    let mut licence = (*name).to_owned();
    if take(rest, "WITH") {
        let (exception, after) = rest.split_first().expect("an exception");
        *rest = after;
        licence = format!("{licence} WITH {exception}");
    }
    allowed.contains(&licence)
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    match rest.split_first() {
        Some((first, after)) if *first == word => {
            *rest = after;
            true
        }
        _ => false,
    }
}

#[test]
fn every_crate_may_be_in_a_program_under_apache_2() {
    let allowed = policy().licenses.allow;
    let refused = packages().into_iter().filter_map(|package| {
        let licence = package.license.unwrap_or_else(|| "none".to_owned());
        let name = format!("{} {}: {licence}", package.name, package.version);
        (!is_met(&licence, &allowed)).then_some(name)
    });
    let refused: Vec<_> = refused.collect();
    none(&refused, "licences that deny.toml does not allow");
}

/// `about.toml` collects the texts of all allowed licences for wheels.
#[test]
fn licences_that_are_allowed_are_collected() {
    let collected: Collected = read("about.toml");
    assert_eq!(collected.accepted, policy().licenses.allow);
}

/// Every package except ours is from one registry.
#[test]
fn crates_come_from_the_registry() {
    let mut others: Vec<String> = Vec::new();
    let mut registries: BTreeMap<String, u32> = BTreeMap::new();
    for package in packages() {
        match package.source {
            None if package.name.starts_with("incast-") => {}
            Some(source) if source.starts_with("registry+") => {
                *registries.entry(source).or_default() += 1;
            }
            source => others.push(format!("{} from {source:?}", package.name)),
        }
    }
    none(&others, "crates that are not from the registry");
    assert_eq!(registries.len(), 1, "{registries:?}");
}

#[test]
fn duplicates_are_named_and_needed() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        versions
            .entry(package.name)
            .or_default()
            .push(package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    let skipped: Vec<_> = policy()
        .bans
        .skip
        .into_iter()
        .map(|each| each.name)
        .collect();
    let found: Vec<_> = versions.keys().cloned().collect();
    assert_eq!(found, skipped, "deny.toml, bans.skip: {versions:?}");
}

#[test]
fn expressions_are_met_by_their_parts() {
    let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("MIT AND (GPL-3.0 OR Zlib)", true),
        ("(MIT OR Zlib) AND GPL-3.0", false),
        ("GPL-3.0 OR MIT AND Zlib", true),
        ("Apache-2.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
    ] {
        assert_eq!(is_met(expression, &allowed), expected, "{expression}");
    }
}
