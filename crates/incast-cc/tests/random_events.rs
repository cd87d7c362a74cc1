//! Random but possible sequences of events for every algorithm of the registry, with each of its
//! parameter sets and every combination of its parts.
//!
//! Every registered algorithm is tested.

use incast_cc::conformance::check_events;
use incast_cc::{AlgorithmConfig, Part};

/// Sequences of events for each algorithm with one parameter set.
const SEQUENCES: u32 = 96;

/// Every combination of an algorithm's parts.
fn compositions(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut found = vec![Vec::new()];
    for part in parts {
        let with = |chosen: &Vec<Part>| [chosen.as_slice(), &[*part]].concat();
        let with: Vec<_> = found.iter().map(with).collect();
        found.extend(with);
    }
    found
}

/// Every algorithm with each of its parameter sets and every combination of its parts.
fn configurations() -> Vec<(String, AlgorithmConfig)> {
    let mut found = Vec::new();
    for info in AlgorithmConfig::built_in() {
        let sets = info.sets();
        // The first set is the default.
        let others = sets.iter().skip(1).map(|set| Some(set.name));
        for set in std::iter::once(None).chain(others) {
            for parts in compositions(AlgorithmConfig::parts_of(info.name)) {
                let name = format!("{} {} {parts:?}", info.name, set.unwrap_or("default"));
                let config = AlgorithmConfig::with_parts(info.name, set, &parts);
                found.push((name, config.expect("it is registered")));
            }
        }
    }
    found
}

#[test]
fn answers_stay_sound_under_any_events() {
    for (name, config) in configurations() {
        if let Err(unsound) = check_events(&config, 1, SEQUENCES) {
            panic!("{name}: {unsound}");
        }
    }
}
