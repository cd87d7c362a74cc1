use std::path::Path;

use incast_cc::{AlgorithmConfig, HpccConfig, RateWindow};
use incast_units::{Bytes, Rate, Time};

use super::config::keys;
use super::*;
use crate::scenario::{ImportOutcome, ImportedKey};
use incast_sim::{Profile, Source, Spec, ValidSpec};

mod as_ns3_reads;
mod damage;
mod dialects;
mod modes;
mod switches;

/// A configuration as the artifact's run script writes it for HPCC at 100 Gb/s, with a few more
/// words.
const CONFIG: &str = include_str!("tests/config.txt");

const PAIR: &str = "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n";
const FLOWS: &str = "2\n0 1 3 100 5000 2.000000000\n1 0 3 100 1 2.000040000\n";

/// A folder with a configuration, a topology and flows.
fn folder(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("config.txt", config),
        ("topology.txt", PAIR),
        ("flow.txt", FLOWS),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn import(config: &str) -> Result<Import, String> {
    let folder = folder(config);
    import_hpcc_ns3(&HpccImport::of(&folder.path().join("config.txt"))).map_err(|error| {
        error
            .to_string()
            .replace(&format!("{}/", folder.path().display()), "")
    })
}

fn valid(folder: &Path, import: &Import) -> ValidSpec {
    let source = Source {
        name: "imported.toml".to_owned(),
        text: import.toml.clone(),
        folder: folder.to_owned(),
    };
    let spec = Spec::parse(&source, &[]).and_then(Spec::validate);
    spec.unwrap_or_else(|error| panic!("{error}\n{}", import.toml))
}

#[test]
fn the_scenario_is_what_the_configuration_says() {
    let folder = folder(CONFIG);
    let import = import_hpcc_ns3(&HpccImport::of(&folder.path().join("config.txt"))).unwrap();
    let spec = valid(folder.path(), &import);
    assert_eq!((spec.name(), spec.profile()), ("config", Profile::HpccNs3));
    // 2.01 s − 2 s.
    assert_eq!(spec.stop(), Some(Time::from_ms(10)));
    let hpcc = HpccConfig {
        target_utilisation: 0.95,
        max_stage: 5,
        additive_increase: Rate::from_mbps(50),
        min_rate: Rate::from_mbps(1000),
        initial_utilisation: 1.0,
        fast_react: true,
        multi_rate: false,
        sample_feedback: false,
        window: RateWindow::Variable,
        ..HpccConfig::default()
    };
    assert_eq!(*spec.algorithm(), AlgorithmConfig::Hpcc(hpcc));
    let network = spec.network();
    assert_eq!(network.model, incast_net::Model::hpcc_ns3(4, false));
    assert_eq!(network.buffer.size, Bytes::new(32 * 1024 * 1024));
    assert_eq!(network.acks, incast_net::AckPolicy::Packets(1));
    let options = network.ecn.as_ref().expect("switches mark");
    let curve = options.curve(Rate::from_gbps(100), Bytes::new(1_048));
    let ecn = curve.expect("an entry for links of 100 Gb/s");
    assert_eq!(
        (ecn.k_min, ecn.k_max),
        (Bytes::new(400_000), Bytes::new(1_600_000))
    );
    let starts: Vec<_> = spec
        .flows()
        .unwrap()
        .map(|flow| flow.unwrap().start)
        .collect();
    // 2.00004 s as a double, truncated to nanoseconds, is 2 000 039 999 ns.
    assert_eq!(starts, [Time::ZERO, Time::from_ns(39_999)]);
}

#[test]
fn the_scenario_can_be_read_by_people() {
    let expected = r#"# From config.txt, a configuration of the HPCC ns-3 artifact.

[run]
name = "config"
stop = "10ms"

[network]
profile = "hpcc-ns3"
base_rtt = "global"
ack_every = 1

[network.topology]
file = "topology.txt"
format = "hpcc-ns3"

[network.packets]
mtu = "1KB"

[network.buffer]
size = "32MiB"

[[network.ecn.per_rate]]
link_rate = "100Gbps"
k_min = "400KB"
k_max = "1.6MB"
p_max = 0.2

[[network.ecn.per_rate]]
link_rate = "400Gbps"
k_min = "1.6MB"
k_max = "6.4MB"
p_max = 0.2

[network.model]
ack_pausable_at_host = true

[network.model.int_format]
multiplier = 4
queue_bits = 17

[cc]
algorithm = "hpcc"
target_utilisation = 0.95
max_stage = 5
additive_increase = "50Mbps"
min_rate = "1Gbps"
fast_react = true
multi_rate = false
sample_feedback = false
window = "variable"

[[traffic]]
kind = "file"
file = "flow.txt"
format = "hpcc-ns3"
base = "2s"
ns3_clock = true
"#;
    assert_eq!(import(CONFIG).unwrap().toml, expected);
}

/// The report has every key of the artifact.
#[test]
fn every_key_is_accounted_for() {
    let report = import(CONFIG).unwrap().report;
    for key in keys() {
        let entry = report.iter().find(|entry| entry.key == key);
        let entry = entry.unwrap_or_else(|| panic!("{key} is not in the report"));
        assert!(
            entry.line.is_some(),
            "{key} is not in the configuration of this test"
        );
    }
    assert_eq!(report.len(), keys().count());
    let of = |key: &str| report.iter().find(|entry| entry.key == key).unwrap();
    assert_eq!(
        of("RATE_AI").outcome.to_string(),
        "used: cc.additive_increase"
    );
    assert_eq!(
        of("QLEN_MON_FILE").outcome.to_string(),
        "not used: queues are in series.parquet"
    );
    assert_eq!(
        of("RP_TIMER").outcome.to_string(),
        "not used: only CC_MODE 1 (DCQCN) reads it"
    );
    assert_eq!(of("KMIN_MAP").value, "2 100000000000 400 400000000000 1600");
}

#[test]
fn repeated_keys_and_notes_are_told_with_their_line() {
    let config = format!("RATE_AI 1Gb/s\n# the second run\n{CONFIG}");
    let report = import(&config).unwrap().report;
    let expected = ImportedKey {
        line: Some(1),
        key: "RATE_AI".to_owned(),
        value: "1Gb/s".to_owned(),
        outcome: ImportOutcome::NotUsed("line 24 has the key again".to_owned()),
    };
    assert_eq!(report[0], expected);
    let remark = "the artifact reads over these words".to_owned();
    let expected = ImportedKey {
        line: Some(2),
        key: "#".to_owned(),
        value: "the second run".to_owned(),
        outcome: ImportOutcome::NotUsed(remark),
    };
    assert_eq!(report[1], expected);
}

/// The artifact's defaults: VAR_WIN 0, MULTI_RATE 1, MI_THRESH 5, MIN_RATE 100 Mb/s, 16 MiB.
#[test]
fn keys_left_out_have_the_artifacts_defaults() {
    let config = "TOPOLOGY_FILE topology.txt FLOW_FILE flow.txt CC_MODE 3 RATE_AI 50Mb/s \
                  L2_ACK_INTERVAL 1 KMIN_MAP 1 100000000000 400 KMAX_MAP 1 100000000000 1600 \
                  PMAX_MAP 1 100000000000 0.2";
    let folder = folder(config);
    let import = import_hpcc_ns3(&HpccImport::of(&folder.path().join("config.txt"))).unwrap();
    let spec = valid(folder.path(), &import);
    let AlgorithmConfig::Hpcc(hpcc) = spec.algorithm() else {
        panic!("HPCC")
    };
    assert!(hpcc.window == RateWindow::Fixed && hpcc.multi_rate && hpcc.fast_react);
    assert_eq!((hpcc.max_stage, hpcc.min_rate), (5, Rate::from_mbps(100)));
    assert_eq!(spec.network().buffer.size, Bytes::new(16 * 1024 * 1024));
    assert_eq!(spec.stop(), Some(Time::from_ms(1010)));
    let entry = import
        .report
        .iter()
        .find(|entry| entry.key == "VAR_WIN")
        .unwrap();
    assert_eq!((entry.line, entry.value.as_str()), (None, "default"));
    assert_eq!(entry.outcome, ImportOutcome::Used("cc.window".to_owned()));
}

#[test]
fn what_is_not_modelled_is_refused() {
    for (from, to, expected) in [
        (
            "CC_MODE 3",
            "CC_MODE 10",
            "config.txt:15: CC_MODE: mode 10 is HPCC-PINT, which this version does not have; \
             modes 1 (DCQCN), 3 (HPCC), 7 (TIMELY) and 8 (DCTCP) can be imported",
        ),
        (
            "CC_MODE 3",
            "CC_MODE 2",
            "config.txt:15: CC_MODE: `2` is no mode of the artifact; modes are 1 (DCQCN), \
             3 (HPCC), 7 (TIMELY), 8 (DCTCP) and 10 (HPCC-PINT)",
        ),
        (
            "HAS_WIN 1",
            "HAS_WIN 0",
            "config.txt:32: HAS_WIN: HPCC without a window divides by zero in the artifact; \
             write 1",
        ),
        (
            "ERROR_RATE_PER_LINK 0.0000",
            "ERROR_RATE_PER_LINK 1.5",
            "config.txt:27: ERROR_RATE_PER_LINK: `1.5` is not a probability; write 0 to 1",
        ),
        (
            "LINK_DOWN 0 0 0",
            "LINK_DOWN 1000 0 2",
            "config.txt:48: LINK_DOWN: profile hpcc-ns3 has no links that go down; \
             write 0 0 0, or give --ignore LINK_DOWN and add a [[fault]] to the scenario",
        ),
        (
            "L2_BACK_TO_ZERO 0",
            "L2_BACK_TO_ZERO 1",
            "config.txt:30: L2_BACK_TO_ZERO: going back to the beginning of a chunk is not in this \
             version; write 0: senders go back to the first lost packet",
        ),
        (
            "L2_ACK_INTERVAL 1",
            "L2_ACK_INTERVAL 0",
            "config.txt:29: L2_ACK_INTERVAL: with 0, which is also the default, the artifact's \
             flows never complete; write 1 for an ACK per packet",
        ),
        (
            "RATE_BOUND 1",
            "RATE_BOUND 0",
            "config.txt:44: RATE_BOUND: flows at line rate within their windows, without pacing, \
             are not modelled; write 1, or give --ignore RATE_BOUND: flows are paced then",
        ),
        (
            "SIMULATOR_STOP_TIME 2.01",
            "SIMULATOR_STOP_TIME 1.5",
            "config.txt:13: SIMULATOR_STOP_TIME: the run would stop at 1.5s, before traffic starts \
             at 2s; write a later time",
        ),
        (
            "SIMULATOR_STOP_TIME 2.01",
            "SIMULATOR_STOP_TIME soon",
            "config.txt:13: SIMULATOR_STOP_TIME: `soon` is not a time in seconds; write e.g. 2.5",
        ),
        (
            "KMIN_MAP 2 100000000000 400 400000000000 1600",
            "KMIN_MAP 0",
            "config.txt:53: KMIN_MAP: no link rate has a value in all of KMIN_MAP, KMAX_MAP and \
             PMAX_MAP; add the maps, as the artifact needs them",
        ),
        (
            "FLOW_FILE flow.txt",
            "FLOW_FILE mix/none.txt",
            "config.txt:7: FLOW_FILE: there is no file `mix/none.txt`, nor in any folder above; \
             give the file with --flows",
        ),
        (
            "FLOW_FILE flow.txt",
            "",
            "config.txt: FLOW_FILE: is missing; add it, or give the file with --flows",
        ),
    ] {
        assert!(CONFIG.contains(from), "{from}");
        assert_eq!(import(&CONFIG.replace(from, to)).unwrap_err(), expected);
    }
}

#[test]
fn marking_can_be_off() {
    let import = import(&CONFIG.replace("ENABLE_QCN 1", "ENABLE_QCN 0")).unwrap();
    assert!(import.toml.contains("ecn = \"off\""), "{}", import.toml);
}

/// An ACK for every 4000 bytes is one for every 4 packets of 1000.
#[test]
fn acks_may_be_sparse() {
    let import = import(&CONFIG.replace("L2_ACK_INTERVAL 1", "L2_ACK_INTERVAL 4000")).unwrap();
    assert!(import.toml.contains("ack_every = 4"), "{}", import.toml);
}

/// The artifact is run from the folder above its configurations: `mix/config.txt` names
/// `mix/flow.txt`.
#[test]
fn files_may_be_seen_from_the_folder_above() {
    let root = tempfile::tempdir().unwrap();
    let mix = root.path().join("mix");
    std::fs::create_dir(&mix).unwrap();
    std::fs::write(mix.join("topology.txt"), PAIR).unwrap();
    std::fs::write(mix.join("flow.txt"), FLOWS).unwrap();
    let config = CONFIG
        .replace("FILE topology.txt", "FILE mix/topology.txt")
        .replace("FLOW_FILE flow.txt", "FLOW_FILE mix/flow.txt");
    std::fs::write(mix.join("config.txt"), config).unwrap();
    let import = import_hpcc_ns3(&HpccImport::of(&mix.join("config.txt"))).unwrap();
    assert!(
        import.toml.contains("file = \"topology.txt\""),
        "{}",
        import.toml
    );
    assert_eq!(valid(&mix, &import).topology().hosts, 2);
}

#[test]
fn files_given_replace_those_named() {
    let folder = folder(&CONFIG.replace("topology.txt", "gone.txt"));
    let other = tempfile::tempdir().unwrap();
    let flows = other.path().join("few.txt");
    std::fs::write(&flows, "1\n0 1 3 100 7 0.5\n").unwrap();
    let topology = folder.path().join("topology.txt");
    let config = folder.path().join("config.txt");
    let given = HpccImport {
        topology: Some(&topology),
        flows: Some(&flows),
        ..HpccImport::of(&config)
    };
    let import = import_hpcc_ns3(&given).unwrap();
    let spec = valid(folder.path(), &import);
    let flow = spec.flows().unwrap().next().unwrap().unwrap();
    // Traffic that starts before 2 s keeps its start, and the run keeps its stop time.
    assert_eq!((flow.start, flow.size), (Time::from_ms(500), Bytes::new(7)));
    assert_eq!(spec.stop(), Some(Time::from_ms(2_010)));
    let entry = import
        .report
        .iter()
        .find(|entry| entry.key == "TOPOLOGY_FILE")
        .unwrap();
    assert!(matches!(entry.outcome, ImportOutcome::NotUsed(_)));
}

#[test]
fn files_that_are_no_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.txt");
    let message = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let error = import_hpcc_ns3(&HpccImport::of(&path))
            .unwrap_err()
            .to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        message(&[0xff, 0xfe, 0]),
        "config.txt: this is not text; give the configuration file"
    );
    assert_eq!(
        message(&vec![b' '; 2 << 20]),
        "config.txt: 2097152 bytes are no configuration; give the configuration file"
    );
    let missing = import_hpcc_ns3(&HpccImport::of(Path::new("nowhere.txt")))
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("nowhere.txt: there is no such file"),
        "{missing}"
    );
}
