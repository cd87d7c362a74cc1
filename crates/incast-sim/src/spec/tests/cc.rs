//! Named sets of an algorithm's parameters.

use incast_cc::{AlgorithmConfig, HpccConfig};

use super::*;

fn hpcc(changes: &str) -> HpccConfig {
    let text = STAR.replacen("algorithm = \"hpcc\"", changes, 1);
    let spec = with(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    match spec.algorithm() {
        AlgorithmConfig::Hpcc(config) => config.clone(),
        other => panic!("{other:?}"),
    }
}

/// Wherever it stands, the set gives what nobody else gives.
#[test]
fn single_parameters_replace_those_of_the_set() {
    let artifact = HpccConfig {
        max_stage: 0,
        additive_increase: Rate::from_mbps(40),
        min_rate: Rate::from_gbps(1),
        ..HpccConfig::default()
    };
    let named = "algorithm = \"hpcc\"\nparameters = \"artifact\"\n";
    assert_eq!(hpcc(named), artifact);
    let changed = HpccConfig {
        max_stage: 3,
        fast_react: false,
        ..artifact
    };
    let single = "max_stage = 3\nfast_react = false\n";
    assert_eq!(hpcc(&format!("{named}{single}")), changed);
    assert_eq!(hpcc(&format!("{single}{named}")), changed);
}

#[test]
fn the_first_set_is_what_there_is_without_a_name() {
    let named = hpcc("algorithm = \"hpcc\"\nparameters = \"fairness\"");
    assert_eq!(named, HpccConfig::default());
}

/// The canonical text has the values themselves.
#[test]
fn a_set_and_its_values_are_one_scenario() {
    let named = star(&[("cc.parameters", "artifact")]);
    let spelt = star(&[
        ("cc.max_stage", "0"),
        ("cc.additive_increase", "40Mbps"),
        ("cc.min_rate", "1Gbps"),
    ]);
    assert_eq!(named.to_toml(), spelt.to_toml());
}
