//! Descendants of the artifact: files that are read, and files that are refused.

use incast_net::FlowControl;

use super::*;

/// A configuration as ConWeave's run script writes it, shortened.
const CONWEAVE: &str = "\
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
FLOW_INPUT_FILE mix/in.txt
CNP_OUTPUT_FILE mix/cnp.txt
FLOWGEN_START_TIME 2.0
FLOWGEN_STOP_TIME 2.1
BUFFER_SIZE 9
CC_MODE 3
LB_MODE 0
ENABLE_PFC 1
ENABLE_IRN 0
CONWEAVE_TX_EXPIRY_TIME 1000
RATE_AI 50Mb/s
RATE_HAI 50Mb/s
MIN_RATE 100Mb/s
DCTCP_RATE_AI 1000Mb/s
L2_ACK_INTERVAL 1
HAS_WIN 1
INT_MULTI 1
KMAX_MAP 1 100000000000 400
KMIN_MAP 1 100000000000 100
PMAX_MAP 1 100000000000 0.2
LOAD 50
RANDOM_SEED 1
";
const CONWEAVE_FLOWS: &str = "2\n0 1 3 5000 2.000000000\n1 0 3 1 2.000040000\n";
const DATACENTER: &str = "3 1 1 2\n2\n0 2 100000000000.0 1us 0\n1 2 100000000000 1us 0\n";

fn with(config: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Import, String>) {
    let folder = folder(config);
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let file = folder.path().join("config.txt");
    let import = import_hpcc_ns3(&HpccImport::of(&file)).map_err(|error| {
        error
            .to_string()
            .replace(&format!("{}/", folder.path().display()), "")
    });
    (folder, import)
}

#[test]
fn conweave_is_read_with_flows_that_have_no_port() {
    let (folder, import) = with(CONWEAVE, &[("flow.txt", CONWEAVE_FLOWS)]);
    let import = import.unwrap();
    assert!(import.toml.contains("a configuration of ConWeave's ns-3"));
    let spec = valid(folder.path(), &import);
    let flows: Vec<_> = spec.flows().unwrap().map(Result::unwrap).collect();
    let found: Vec<_> = flows.iter().map(|flow| (flow.start, flow.size)).collect();
    let expected = [
        (Time::ZERO, Bytes::new(5_000)),
        (Time::from_ns(39_999), Bytes::new(1)),
    ];
    assert_eq!(found, expected);
    // ConWeave's runs end with their flows.
    assert_eq!(spec.stop(), None);
    let of = |key: &str| {
        let entry = import.report.iter().find(|entry| entry.key == key);
        entry.unwrap_or_else(|| panic!("{key}")).outcome.clone()
    };
    assert!(matches!(of("LB_MODE"), ImportOutcome::Used(_)));
    for key in [
        "LOAD",
        "RANDOM_SEED",
        "FLOWGEN_STOP_TIME",
        "CNP_OUTPUT_FILE",
    ] {
        assert!(matches!(of(key), ImportOutcome::NotUsed(_)), "{key}");
    }
}

#[test]
fn conweave_without_pfc_may_drop() {
    let config = CONWEAVE.replace("ENABLE_PFC 1", "ENABLE_PFC 0");
    let (folder, import) = with(&config, &[("flow.txt", CONWEAVE_FLOWS)]);
    let spec = valid(folder.path(), &import.unwrap());
    assert!(matches!(spec.network().flow_control, FlowControl::Drop(_)));
}

#[test]
fn what_conweave_balances_otherwise_is_refused() {
    for (from, to, expected) in [
        (
            "LB_MODE 0",
            "LB_MODE 9",
            "config.txt:9: LB_MODE: ConWeave is not in this version: each flow has one path; \
             write 0, which is ECMP",
        ),
        (
            "LB_MODE 0",
            "LB_MODE 6",
            "config.txt:9: LB_MODE: LetFlow is not in this version: each flow has one path; \
             write 0, which is ECMP",
        ),
        (
            "ENABLE_IRN 0",
            "ENABLE_IRN 1",
            "config.txt:11: ENABLE_IRN: IRN, with its window of one BDP, is not in this version; \
             write 0, or set network.recovery in a scenario of yours",
        ),
    ] {
        let (_folder, import) = with(&CONWEAVE.replace(from, to), &[("flow.txt", CONWEAVE_FLOWS)]);
        assert_eq!(import.unwrap_err(), expected);
    }
}

/// Any key that only ConWeave has makes a configuration one of ConWeave.
#[test]
fn one_key_of_conweave_suffices() {
    let config = format!("{CONFIG}\nLOAD 50\n");
    let (_folder, import) = with(&config, &[]);
    assert!(import.unwrap().toml.contains("ConWeave"));
}

#[test]
fn flows_keep_the_layout_of_the_first() {
    let (_folder, import) = with(
        CONWEAVE,
        &[("flow.txt", "2\n0 1 3 5000 2.0\n0 1 3 100 5000 2.0\n")],
    );
    assert_eq!(
        import.unwrap_err(),
        "flow.txt:3: end of line: `2.0` is too much; \
         a line is `source destination priority_group size_bytes start_s`"
    );
    let (_folder, import) = with(CONFIG, &[("flow.txt", "1\n0 1 3 100 5000\n")]);
    assert_eq!(
        import.unwrap_err(),
        "flow.txt:2: start_s: the line ends before it; a line is \
         `source destination priority_group destination_port size_bytes start_s`: \
         is the file cut off?"
    );
}

#[test]
fn ns3_datacenter_counts_its_tors_and_has_rates_without_unit() {
    let (folder, import) = with(CONFIG, &[("topology.txt", DATACENTER)]);
    let import = import.unwrap();
    assert!(import.toml.contains("a configuration of ns3-datacenter"));
    let spec = valid(folder.path(), &import);
    let rates: Vec<_> = spec.topology().links.iter().map(|link| link.rate).collect();
    assert_eq!(rates, [Rate::from_gbps(100); 2]);
}

#[test]
fn simai_is_refused_by_name() {
    let config = CONFIG.replace("FLOW_FILE flow.txt", "");
    let (_folder, import) = with(&format!("{config}\nQP_MON_INTERVAL 100\n"), &[]);
    let message = import.unwrap_err();
    let expected = "QP_MON_INTERVAL: this is a configuration of SimAI, whose flows come from a \
                    workload of collectives, not from a file; write the collectives as \
                    [[traffic]], e.g. kind = \"all-reduce\", or give flows with --flows";
    assert!(message.ends_with(expected), "{message}");
    // A configuration with flows is read: SimAI's keys in it are outputs.
    let config = format!("{CONFIG}\nQP_MON_INTERVAL 100\nNIC_TOTAL_PAUSE_TIME 0\n");
    let (folder, import) = with(&config, &[("topology.txt", GPUS)]);
    assert_eq!(
        valid(folder.path(), &import.unwrap())
            .topology()
            .machine_count(),
        2
    );
    let (_folder, import) = with(&config.replace("PAUSE_TIME 0", "PAUSE_TIME 7"), &[]);
    assert_eq!(
        import.unwrap_err(),
        "config.txt:64: NIC_TOTAL_PAUSE_TIME: NICs that stop for a while are not in this version; \
         write 0"
    );
}

/// Two GPUs at an NVSwitch and a switch.
const GPUS: &str = "4 2 1 1 4 H100\n2 3\n0 2 400Gbps 1us 0\n1 2 400Gbps 1us 0\n\
                    0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n";
