//! Named sets of an algorithm's parameters, and parts in an algorithm's name.

use incast_cc::{
    AlgorithmConfig, HpccConfig, SamplingFrequencyConfig, SwiftConfig, VariableAiConfig, Window,
};

use super::*;

fn hpcc(changes: &str) -> HpccConfig {
    let text = STAR.replacen("algorithm = \"hpcc\"", changes, 1);
    let spec = with(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    match spec.algorithm() {
        AlgorithmConfig::Hpcc(config) => config.clone(),
        other => panic!("{other:?}"),
    }
}

/// The set gives the values of missing keys, wherever its name is in the table.
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

/// Keys beside a file's name add what the name leaves out, and may repeat the name.
#[test]
fn the_class_of_a_file_may_stand_in_a_key_of_its_own() {
    for cc in [
        "algorithm = \"mine.py\"\nclass = \"B\"",
        "algorithm = \"mine.py:B\"\nfile = \"mine.py\"\nclass = \"B\"",
        "algorithm = \"external\"\nfile = \"mine.py\"\nclass = \"B\"",
    ] {
        let text = STAR.replacen("algorithm = \"hpcc\"", cc, 1);
        let spec = Spec::parse(&Source::from_text("run.toml", text), &[]).expect(cc);
        match &spec.scenario.cc.algorithm {
            AlgorithmConfig::External(config) => {
                assert_eq!(
                    (config.file.as_str(), config.class.as_str()),
                    ("mine.py", "B")
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn keys_that_contradict_the_name_of_a_file_are_told() {
    for (cc, expected) in [
        (
            "algorithm = \"mine.py:A\"\nclass = \"B\"",
            "run.toml:7: cc.class: `B` contradicts `algorithm`, which says `A`; write it there, or \
             remove it",
        ),
        (
            "file = \"other.py\"\nalgorithm = \"mine.py\"",
            "run.toml:6: cc.file: `other.py` contradicts `algorithm`, which says `mine.py`; write \
             it there, or remove it",
        ),
    ] {
        let text = STAR.replacen("algorithm = \"hpcc\"", cc, 1);
        assert_eq!(with(&text, &[]).expect_err(cc).to_string(), expected);
    }
}

/// The canonical text has the values of the set, not its name.
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

#[test]
fn a_part_has_its_defaults_where_nothing_is_said() {
    let named = hpcc("algorithm = \"hpcc+vai+sf\"\n");
    let both = HpccConfig {
        vai: Some(VariableAiConfig::default()),
        sf: Some(SamplingFrequencyConfig::default()),
        ..HpccConfig::default()
    };
    assert_eq!(named, both);
    let changed = hpcc("algorithm = \"hpcc+vai+sf\"\nvai = { ai_cap = 50 }\nsf.acks = 10\n");
    let expected = HpccConfig {
        vai: Some(VariableAiConfig {
            ai_cap: 50.0,
            ..VariableAiConfig::default()
        }),
        sf: Some(SamplingFrequencyConfig {
            acks: 10,
            ..SamplingFrequencyConfig::default()
        }),
        ..HpccConfig::default()
    };
    assert_eq!(changed, expected);
}

/// Parts may be named in any order; results and canonical text have a fixed order.
#[test]
fn parts_have_an_order() {
    let name = |written| {
        star(&[("cc.algorithm", written)])
            .algorithm_name()
            .to_owned()
    };
    assert_eq!(name("hpcc+prob+sf+vai"), "hpcc+vai+sf+prob");
    assert_eq!(name("hpcc+sf"), "hpcc+sf");
    let swapped = star(&[("cc.algorithm", "hpcc+sf+vai")]);
    assert_eq!(
        swapped.to_toml(),
        star(&[("cc.algorithm", "hpcc+vai+sf")]).to_toml()
    );
}

/// The plus signs of `hpcc++` do not begin parts.
#[test]
fn a_name_may_have_pluses_of_its_own() {
    assert_eq!(
        star(&[("cc.algorithm", "hpcc++")]).algorithm_name(),
        "hpcc++"
    );
    let refused = |name: &str| with(STAR, &[("cc.algorithm", &format!("{name:?}"))]);
    let message = refused("hpcc+++vai").expect_err("a part").to_string();
    assert!(
        message.contains("`hpcc++` takes no parts; write `hpcc++`"),
        "{message}"
    );
}

/// HPCC measures congestion as bytes of queue, Swift as time. Variable AI and Sampling Frequency
/// replace Swift's flow scaling, in every set and by default.
#[test]
fn parts_fit_their_algorithm() {
    let swift = |changes: &[(&str, &str)]| -> SwiftConfig {
        match star(changes).algorithm() {
            AlgorithmConfig::Swift(config) => config.clone(),
            other => panic!("{other:?}"),
        }
    };
    let fairness = ("cc.parameters", "fairness");
    let composed = swift(&[("cc.algorithm", "swift+vai"), fairness]);
    assert!(!composed.flow_scaling);
    assert_eq!(composed.vai.unwrap().ai_divisor, Time::from_ns(30));
    let rate = Window::Rate(Rate::from_mbps(50));
    assert_eq!(composed.additive_increase, rate);
    let told = [("cc.algorithm", "swift+sf"), ("cc.flow_scaling", "true")];
    assert!(swift(&told).flow_scaling);
    assert!(swift(&[("cc.algorithm", "swift+prob")]).flow_scaling);
}

/// Swift needs timestamps: 1000 + 48 + 8 bytes.
#[test]
fn swift_has_timestamps() {
    let swift = star(&[("cc.algorithm", "swift")]);
    assert!(swift.network().timestamps);
    assert_eq!(swift.wire_size(Bytes::new(1000)), Bytes::new(1056));
}
