//! The algorithm for each `CC_MODE`.

use incast_cc::{DcqcnConfig, DctcpConfig, Parameters, RateWindow, TimelyConfig};

use super::*;

/// The algorithm and the report of the configuration, with each `from` replaced by `to`.
fn algorithm(changes: &[(&str, &str)]) -> (AlgorithmConfig, Vec<ImportedKey>) {
    let mut config = CONFIG.to_owned();
    for (from, to) in changes {
        assert!(config.contains(from), "{from}");
        config = config.replacen(from, to, 1);
    }
    let folder = folder(&config);
    let import = import_hpcc_ns3(&HpccImport::of(&folder.path().join("config.txt"))).unwrap();
    let spec = valid(folder.path(), &import);
    (spec.algorithm().clone(), import.report)
}

fn set<P: Parameters>(name: &str) -> P {
    let set = P::SETS.iter().find(|set| set.name == name).unwrap();
    (set.values)()
}

/// Keys that only some modes read, and that the report lists as used.
fn used(report: &[ImportedKey]) -> Vec<&str> {
    let of_cc = |entry: &&ImportedKey| match &entry.outcome {
        ImportOutcome::Used(what) => what.starts_with("cc."),
        ImportOutcome::NotUsed(_) => false,
    };
    report
        .iter()
        .filter(of_cc)
        .map(|entry| entry.key.as_str())
        .collect()
}

/// `run.py --cc dcqcn` at 100 Gb/s gives the parameter set `artifact`.
#[test]
fn mode_1_is_dcqcn() {
    let (algorithm, report) = algorithm(&[
        ("CC_MODE 3", "CC_MODE 1"),
        ("RATE_AI 50Mb/s", "RATE_AI 20Mb/s"),
        ("RATE_HAI 50Mb/s", "RATE_HAI 200Mb/s"),
        ("HAS_WIN 1", "HAS_WIN 0"),
    ]);
    let expected = set::<DcqcnConfig>("artifact");
    assert_eq!(algorithm, AlgorithmConfig::Dcqcn(expected));
    let keys = [
        "CC_MODE",
        "ALPHA_RESUME_INTERVAL",
        "RATE_DECREASE_INTERVAL",
        "CLAMP_TARGET_RATE",
        "RP_TIMER",
        "EWMA_GAIN",
        "FAST_RECOVERY_TIMES",
        "RATE_AI",
        "RATE_HAI",
        "MIN_RATE",
        "HAS_WIN",
    ];
    assert_eq!(used(&report), keys);
}

/// Every key changes a parameter of its own; microseconds are rounded down.
#[test]
fn the_keys_of_mode_1_reach_their_parameters() {
    let (algorithm, _) = algorithm(&[
        ("CC_MODE 3", "CC_MODE 1"),
        ("ALPHA_RESUME_INTERVAL 1", "ALPHA_RESUME_INTERVAL 50.9"),
        ("RATE_DECREASE_INTERVAL 4", "RATE_DECREASE_INTERVAL 5"),
        ("CLAMP_TARGET_RATE 0", "CLAMP_TARGET_RATE 1"),
        ("RP_TIMER 300", "RP_TIMER 55"),
        ("EWMA_GAIN 0.00390625", "EWMA_GAIN 0.125"),
        ("FAST_RECOVERY_TIMES 1", "FAST_RECOVERY_TIMES 3"),
        ("RATE_AI 50Mb/s", "RATE_AI 21Mb/s"),
        ("RATE_HAI 50Mb/s", "RATE_HAI 210Mb/s"),
        ("MIN_RATE 1000Mb/s", "MIN_RATE 100Mb/s"),
    ]);
    let expected = DcqcnConfig {
        alpha_interval: Time::from_us(50),
        decrease_interval: Time::from_us(5),
        clamp_target: true,
        increase_interval: Time::from_us(55),
        gain: 0.125,
        fast_recovery: 3,
        additive_increase: Rate::from_mbps(21),
        hyper_increase: Rate::from_mbps(210),
        min_rate: Rate::from_mbps(100),
        window: RateWindow::Variable,
        ..set("artifact")
    };
    assert_eq!(algorithm, AlgorithmConfig::Dcqcn(expected));
}

#[test]
fn mode_7_is_timely() {
    let (algorithm, report) = algorithm(&[
        ("CC_MODE 3", "CC_MODE 7"),
        ("RATE_AI 50Mb/s", "RATE_AI 100Mb/s"),
        ("RATE_HAI 50Mb/s", "RATE_HAI 500Mb/s"),
        ("HAS_WIN 1", "HAS_WIN 0"),
    ]);
    let expected = set::<TimelyConfig>("artifact");
    assert_eq!(algorithm, AlgorithmConfig::Timely(expected));
    let keys = ["CC_MODE", "RATE_AI", "RATE_HAI", "MIN_RATE", "HAS_WIN"];
    assert_eq!(used(&report), keys);
}

#[test]
fn mode_8_is_dctcp() {
    let (algorithm, report) = algorithm(&[
        ("CC_MODE 3", "CC_MODE 8"),
        ("EWMA_GAIN 0.00390625", "EWMA_GAIN 0.0625"),
        ("DCTCP_RATE_AI 1000Mb/s", "DCTCP_RATE_AI 615Mb/s"),
    ]);
    let expected = set::<DctcpConfig>("artifact");
    assert_eq!(algorithm, AlgorithmConfig::Dctcp(expected));
    let keys = [
        "CC_MODE",
        "EWMA_GAIN",
        "MIN_RATE",
        "DCTCP_RATE_AI",
        "HAS_WIN",
        "VAR_WIN",
    ];
    assert_eq!(used(&report), keys);
}

#[test]
fn a_window_that_does_not_vary_is_fixed() {
    let (algorithm, _) = algorithm(&[("CC_MODE 3", "CC_MODE 8"), ("VAR_WIN 1", "VAR_WIN 0")]);
    let AlgorithmConfig::Dctcp(dctcp) = algorithm else {
        panic!("DCTCP")
    };
    assert_eq!(dctcp.window, RateWindow::Fixed);
}

/// ACK_HIGH_PRIO 1, which `run.py` sets for DCQCN and TIMELY: pauses do not stop ACKs.
#[test]
fn acks_of_high_priority_are_not_paused() {
    let folder = folder(&CONFIG.replace("ACK_HIGH_PRIO 0", "ACK_HIGH_PRIO 1"));
    let import = import_hpcc_ns3(&HpccImport::of(&folder.path().join("config.txt"))).unwrap();
    let spec = valid(folder.path(), &import);
    assert!(!spec.network().model.ack_pausable_at_host);
}

#[test]
fn what_these_modes_cannot_do_is_told() {
    for (mode, from, to, expected) in [
        (
            "CC_MODE 1",
            "RP_TIMER 300",
            "RP_TIMER 0.5",
            "config.txt:19: RP_TIMER: `0.5` us is less than the artifact can wait; \
             write whole microseconds, e.g. 4",
        ),
        (
            "CC_MODE 1",
            "RP_TIMER 300",
            "",
            "config.txt: RP_TIMER: is missing, and the artifact's default of 0 ends in a loop; \
             write whole microseconds, e.g. 4",
        ),
        (
            "CC_MODE 1",
            "ENABLE_QCN 1",
            "ENABLE_QCN 0",
            "config.txt:1: ENABLE_QCN: DCQCN without marks stays at line rate; write 1",
        ),
        (
            "CC_MODE 8",
            "ENABLE_QCN 1",
            "ENABLE_QCN 0",
            "config.txt:1: ENABLE_QCN: DCTCP without marks stays at line rate; write 1",
        ),
        (
            "CC_MODE 7",
            "RATE_HAI 50Mb/s",
            "",
            "config.txt: RATE_HAI: is missing, and the artifact has no default; add e.g. `50Mb/s`",
        ),
    ] {
        let config = CONFIG.replacen("CC_MODE 3", mode, 1).replacen(from, to, 1);
        assert_eq!(import(&config).err().as_deref(), Some(expected));
    }
}
