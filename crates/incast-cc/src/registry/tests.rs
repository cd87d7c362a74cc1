use serde_json::{Map, Value, value};

use super::*;

mod flows;
mod needs;
mod settings;

/// An algorithm alone, with a named set, or with a part: `dcqcn`, `dcqcn paper`, `rocc with 1rc`.
fn chosen(text: &str) -> AlgorithmConfig {
    let words: Vec<_> = text.split(' ').collect();
    let chosen = match words[..] {
        [name] => AlgorithmConfig::with_defaults(name, None),
        [name, set] => AlgorithmConfig::with_defaults(name, Some(set)),
        [name, "with", part] => {
            let part = Part::named(part).expect("a part");
            AlgorithmConfig::with_parts(name, None, &[part])
        }
        _ => panic!("`{text}` is no algorithm"),
    };
    chosen.expect(text)
}

/// All settings of an algorithm, as a scenario has them.
fn settings(algorithm: &AlgorithmConfig) -> Map<String, Value> {
    let written = algorithm.write(value::Serializer).expect("settings");
    written.as_object().expect("a table").clone()
}

/// A new algorithm wants a row in each table.
fn assert_every_algorithm_is_in<'a>(rows: impl Iterator<Item = &'a str>) {
    let rows: Vec<_> = rows.collect();
    for info in AlgorithmConfig::built_in() {
        assert!(rows.contains(&info.name), "{} has no row", info.name);
    }
}

/// A scenario that names the first set has the same values as a scenario that names none.
#[test]
fn the_first_set_of_parameters_is_the_default() {
    for algorithm in AlgorithmConfig::available() {
        let default = AlgorithmConfig::with_defaults(algorithm.name, None);
        if let Some(first) = algorithm.sets().first() {
            let named = AlgorithmConfig::with_defaults(algorithm.name, Some(first.name));
            assert_eq!(named, default);
        }
        assert!(AlgorithmConfig::with_defaults(algorithm.name, Some("")).is_err());
    }
}

#[test]
fn a_part_that_is_not_taken_is_refused() {
    let parts = [Part::VariableAi];
    assert!(AlgorithmConfig::with_parts("hpcc", None, &parts).is_ok());
    let refused = AlgorithmConfig::with_parts("dctcp", None, &parts).unwrap_err();
    assert_eq!(refused.what, "unknown part `vai`");
}

/// How much of the busiest link each algorithm wants to use: its η, s-PERC's headroom of 2 %,
/// RCCC's rate of credit. Reports draw this line.
#[test]
fn targets_are_those_of_the_heads() {
    let targets = [
        ("dcqcn", None),
        ("dctcp", None),
        ("ecn-tcp", None),
        ("fncc", Some(0.95)),
        ("hpcc", Some(0.95)),
        ("hpcc++", Some(0.95)),
        ("lgc", None),
        ("none", None),
        ("nscc", None),
        ("powertcp", Some(0.95)),
        ("rccc", Some(0.99)),
        ("rocc", None),
        ("s-perc", Some(0.98)),
        ("swift", None),
        ("theta-powertcp", None),
        ("timely", None),
    ];
    let found: Vec<_> = AlgorithmConfig::built_in()
        .iter()
        .map(|info| (info.name, chosen(info.name).target_utilisation()))
        .collect();
    assert_eq!(found, targets);
}
