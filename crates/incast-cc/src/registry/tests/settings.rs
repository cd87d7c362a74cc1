//! Named sets of settings, and settings that an algorithm refuses.

use super::*;

/// The settings in which each named set differs from the default, by the tables at the heads of the
/// files. In DCQCN 5/1024 is 0.0048828125, 1023/1024 is 0.9990234375, and 32 767 blocks of 64 B are
/// 2 097 088 B.
const SETS: &str = r#"{
    "dcqcn artifact-slow": {
        "alpha_interval": "50us", "decrease_interval": "50us", "increase_interval": "55us"
    },
    "dcqcn isolation": { "min_rate": "100Mbps" },
    "dcqcn paper": {
        "form": "paper", "notification": "cnp", "alpha_interval": "55us",
        "increase_interval": "55us", "byte_counter": "10MB", "fast_recovery": 5,
        "additive_increase": "40Mbps", "hyper_increase": "400Mbps", "min_rate": "100Mbps"
    },
    "dcqcn connectx": {
        "notification": "cnp", "gain": 0.0048828125, "initial_alpha": 0.9990234375,
        "byte_counter": "2097088B", "additive_increase": "5Mbps", "hyper_increase": "50Mbps",
        "min_rate": "1Mbps"
    },
    "dctcp artifact": { "form": "rate", "additive_increase": "615Mbps" },
    "fncc plus": { "average": "per-hop", "averaging_rtts": 0.5, "last_hop_measure": "average" },
    "hpcc artifact": { "max_stage": 0, "additive_increase": "40Mbps", "min_rate": "1Gbps" },
    "nscc uet-htsim": {
        "qa_threshold": 4.0, "packet": "payload", "average_weight": 0.0125,
        "unmarked_delay": 0.25, "needs_sample": false, "period_end": "exceeded",
        "losses": "timeouts", "allowance": "next-packet", "received_unit": "1B", "bdp": "floats"
    },
    "rccc uet-htsim": { "speculative": 1.5, "idle_turns": "of-demands", "grants_after_end": true },
    "swift fairness": {
        "base_target": "5us", "per_hop": "2us", "flow_scaling_range": "25us",
        "fs_max_packets": 50.0, "additive_increase": "50Mbps", "initial_window": "bdp",
        "min_window": "100Mbps", "max_window": "bdp", "pacing": "always"
    },
    "timely paper": {
        "update": "segment", "additive_increase": "10Mbps", "hyper_increase": "50Mbps",
        "hyper_after": 4, "low_counts": false, "scaled_steps": true, "min_rate": "10Mbps"
    },
    "timely patched": {
        "update": "segment", "additive_increase": "10Mbps", "hyper_increase": "50Mbps",
        "hyper_after": 4, "low_counts": false, "scaled_steps": true, "min_rate": "10Mbps",
        "variant": "patched", "decrease": 0.008
    }
}"#;

/// Changed settings, and the key that is refused; `-`: none, as for values at a limit.
const CHANGES: &str = r#"
    dcqcn             min_rate         { "min_rate": "0bps" }
    dcqcn             -                { "min_rate": "1bps" }
    dcqcn             byte_counter     { "byte_counter": "0B" }
    dctcp             min_rate         { "min_rate": "0bps" }
    lgc               capacity         { "capacity": "0bps" }
    lgc               initial_window   { "initial_window": "0 packets" }
    lgc               initial_window   { "initial_window": "0B" }
    lgc               initial_window   { "initial_window": "0bps" }
    lgc               -                { "initial_window": "1B" }
    lgc               initial_window   { "initial_window": "1B", "initial_share": 0.5 }
    lgc               -                { "initial_share": 0.5 }
    lgc               -                { "fixed_growth": 0.2 }
    lgc               fixed_growth     { "fixed_growth": 0.2, "initial_growth": 0.4 }
    lgc               fixed_growth     { "fixed_growth": 0.2, "converged_growth": 0.2 }
    lgc               -                { "converged_growth": 0.4, "initial_growth": 0.4 }
    lgc               converged_growth { "converged_growth": 0.5, "initial_growth": 0.4 }
    lgc               near             { "near": 0.1, "far": 0.1 }
    lgc               -                { "near": 0.1, "far": 0.2 }
    nscc              reference_rate   { "reference_rate": "0bps" }
    nscc              reference_rtt    { "reference_rtt": "0us" }
    nscc              received_unit    { "received_unit": "0B" }
    nscc with credits credits.quantum  { "credits": { "quantum": "0B" } }
    nscc with credits -                {}
    rccc              quantum          { "quantum": "0B" }
    rccc              pull             { "quantum": "1KB", "pull": "999B" }
    rccc              -                { "quantum": "1KB", "pull": "1KB" }
    rccc              oversubscription { "oversubscription": 0.99 }
    rccc              -                { "oversubscription": 1.0 }
    rccc              -                { "oversubscription": 1000.0 }
    rccc              oversubscription { "oversubscription": 1000.1 }
    rocc              min_rate         { "min_rate": "0bps" }
    rocc              middle_queue     { "middle_queue": "0B" }
    rocc              middle_queue     { "reference_queue": "9KB", "middle_queue": "9KB" }
    rocc              -                { "reference_queue": "9KB", "middle_queue": "10KB" }
    rocc              period           { "period": "30us", "recovery_interval": "30us" }
    rocc              -                { "period": "30us", "recovery_interval": "31us" }
    rocc with 1rc     1rc.epoch        { "1rc": { "epoch": "0us" } }
    rocc with 1rc     1rc.clock_skew   { "1rc": { "clock_skew": "1.001us" } }
    rocc with 1rc     -                { "1rc": { "clock_skew": "1us" } }
    s-perc            round            { "round": "0us" }
    s-perc            threshold        { "exempt": "none", "threshold": "1KB" }
    s-perc            -                { "exempt": "threshold", "threshold": "1KB" }
    s-perc            -                { "exempt": "none" }
    s-perc with 1rc   1rc.epoch        { "1rc": { "epoch": "0us" } }
    swift             fs_max_packets   { "fs_min_packets": 9.0, "fs_max_packets": 9.0 }
    swift             -                { "fs_min_packets": 8.9, "fs_max_packets": 9.0 }
    timely            min_rtt          { "min_rtt": "0us" }
    timely            reference_rtt    { "reference_rtt": "0us" }
    timely            min_rate         { "min_rate": "0bps" }
    timely            low_threshold    { "low_threshold": "501us" }
    timely            -                { "low_threshold": "500us" }
"#;

#[test]
fn sets_are_those_of_the_heads() {
    let mut found = Map::new();
    for info in AlgorithmConfig::available() {
        let default = settings(&chosen(info.name));
        // The first set is the default.
        for set in info.sets().iter().skip(1) {
            let name = format!("{} {}", info.name, set.name);
            let mut own = settings(&chosen(&name));
            own.retain(|key, value| default.get(key) != Some(value));
            found.insert(name, own.into());
        }
    }
    let expected: Map<String, Value> = serde_json::from_str(SETS).expect("JSON");
    assert_eq!(found, expected);
}

#[test]
fn wrong_settings_are_told_by_their_keys() {
    for row in CHANGES.lines().filter(|row| !row.is_empty()) {
        let (words, changes) = row.split_at(row.find('{').expect("settings"));
        let (algorithm, key) = words.trim().rsplit_once(' ').expect("two columns");
        let default = chosen(algorithm.trim());
        let mut all = settings(&default);
        let changes: Map<String, Value> = serde_json::from_str(changes).expect("JSON");
        all.extend(changes);
        let changed = AlgorithmConfig::read(default.name(), Value::Object(all)).expect("settings");
        let wrong = changed.check().err().map(|error| error.place.key);
        assert_eq!(wrong.as_deref().unwrap_or("-"), key, "{row}");
    }
}

/// The settings that each part changes: its own, and those that go with it by the heads.
const PARTS: &str = "
    fncc prob           prob
    fncc sf             sf
    fncc vai            vai
    hpcc prob           prob
    hpcc sf             sf
    hpcc vai            vai
    nscc credits        credits spares_last_hop
    nscc sf             sf
    nscc vai            vai
    rocc 1rc            1rc
    rocc weights        weights
    s-perc 1rc          1rc exempt
    s-perc weights      weights
    swift prob          prob
    swift sf            flow_scaling sf
    swift vai           flow_scaling vai
";

#[test]
fn parts_are_settings() {
    let mut found = Vec::new();
    for info in AlgorithmConfig::available() {
        let default = settings(&chosen(info.name));
        for part in AlgorithmConfig::parts_of(info.name) {
            let name = part.name();
            let with = settings(&chosen(&format!("{} with {name}", info.name)));
            let changed = with
                .into_iter()
                .filter(|(key, value)| default.get(key) != Some(value));
            let keys: Vec<_> = changed.map(|(key, _)| key).collect();
            found.push(format!("{} {name} {}", info.name, keys.join(" ")));
        }
    }
    found.sort();
    let rows = PARTS.lines().filter(|row| !row.is_empty());
    let words = rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(found, words.collect::<Vec<_>>());
}
