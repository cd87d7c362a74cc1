//! Files as users have them: read as ns-3 reads them, with notes on the parts that ns-3 does not
//! read.

use super::*;

/// The report's entries whose keys begin with `begin`, as `key | value | outcome`.
fn told(import: &Import, begin: &str) -> Vec<String> {
    let entries = import.report.iter();
    let entries = entries.filter(|entry| entry.key.starts_with(begin));
    entries
        .map(|entry| format!("{} | {} | {}", entry.key, entry.value, entry.outcome))
        .collect()
}

fn imported(
    files: &[(&str, &str)],
    change: impl FnOnce(&mut HpccImport<'_>),
) -> (tempfile::TempDir, Result<Import, String>) {
    let folder = folder(CONFIG);
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let config = folder.path().join("config.txt");
    let mut given = HpccImport::of(&config);
    change(&mut given);
    let import = import_hpcc_ns3(&given).map_err(|error| {
        let folder = format!("{}/", folder.path().display());
        error.to_string().replace(&folder, "")
    });
    (folder, import)
}

/// Switch 0, hosts 1 to 3: node 1 is host 0, node 2 is host 1.
#[test]
fn flows_go_by_the_numbers_of_the_topology_file() {
    let star = "4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 10us 0\n0 3 100Gbps 100us 0\n";
    let files = [
        ("topology.txt", star),
        ("flow.txt", "2\n2 1 3 100 1000 2\n3 1 3 100 7 2\n"),
    ];
    let (folder, import) = imported(&files, |_| {});
    let spec = valid(folder.path(), &import.unwrap());
    let flows = spec.flows().unwrap().map(Result::unwrap);
    let pairs: Vec<_> = flows
        .map(|flow| (flow.source.0, flow.destination.0))
        .collect();
    assert_eq!(pairs, [(1, 0), (2, 0)]);
    let names = spec.topology().host_names().unwrap();
    assert_eq!(names, ["node1", "node2", "node3"]);
    let files = [
        ("topology.txt", star),
        ("flow.txt", "1\n0 1 3 100 1000 2\n"),
    ];
    assert_eq!(
        imported(&files, |_| {}).1.unwrap_err(),
        "flow.txt:2: source: node 0 of the topology file is no host with a link; its hosts are \
         nodes 1, 2, 3"
    );
}

#[test]
fn lines_that_ns3_does_not_read_are_noted() {
    let net = format!("{PAIR}\nThe first line: nodes, switches, links\n");
    let flows = "1\n0 1 3 100 1000 2\n1 0 3 100 1000 2\n\nsource destination …\n";
    let files = [("topology.txt", &net[..]), ("flow.txt", flows)];
    let (folder, import) = imported(&files, |_| {});
    let import = import.unwrap();
    assert!(import.toml.contains("count = \"first\""), "{}", import.toml);
    assert_eq!(valid(folder.path(), &import).flows().unwrap().count(), 1);
    let notes = [told(&import, "topology.txt"), told(&import, "flow.txt")].concat();
    assert_eq!(
        notes,
        [
            "topology.txt:6 | 1 more line | not used: after the 2 links ns-3 reads nothing",
            "flow.txt:3 | 2 more lines | not used: ns-3 reads as many flows as the first line \
             says; --count ignore reads all",
        ]
    );
    // With all flows, at the user's request, the lines of notes are invalid flows.
    let all = imported(&files, |given| given.count = Some(FlowCount::Ignore)).1;
    assert!(
        all.unwrap_err()
            .starts_with("flow.txt:5: source: `source` is not")
    );
    let flows = flows.replace("source destination …\n", "");
    let files = [("topology.txt", &net[..]), ("flow.txt", &flows)];
    let (folder, all) = imported(&files, |given| given.count = Some(FlowCount::Ignore));
    assert_eq!(
        valid(folder.path(), &all.unwrap()).flows().unwrap().count(),
        2
    );
}

#[test]
fn fewer_flows_than_announced_are_a_mistake_that_names_the_option() {
    let files = [("flow.txt", "3\n0 1 3 100 1000 2\n1 0 3 100 1000 2\n")];
    let message = imported(&files, |_| {}).1.unwrap_err();
    assert!(
        message.ends_with("(`incast import` has `--count ignore`)"),
        "{message}"
    );
    let all = imported(&files, |given| given.count = Some(FlowCount::Ignore)).1;
    assert!(all.unwrap().toml.contains("count = \"ignore\""));
}

#[test]
fn groups_may_be_read_as_equals() {
    let files = [("flow.txt", "2\n0 1 3 100 1000 2\n1 0 4 100 1000 2\n")];
    let message = imported(&files, |_| {}).1.unwrap_err();
    assert!(
        message.ends_with("(`incast import` has `--priorities ignore`)"),
        "{message}"
    );
    let all = imported(&files, |given| given.priorities = Some(Strictness::Ignore)).1;
    assert!(all.unwrap().toml.contains("priorities = \"ignore\""));
}

/// `sim/examples/exp/config.txt` names `examples/exp/flow.txt`, as ns3-datacenter does.
#[test]
fn files_are_seen_from_any_folder_above() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("sim/examples/exp");
    std::fs::create_dir_all(&folder).unwrap();
    let config = CONFIG
        .replace("FILE topology.txt", "FILE examples/exp/topology.txt")
        .replace("FLOW_FILE flow.txt", "FLOW_FILE examples/exp/flow.txt");
    for (name, text) in [
        ("config.txt", &config[..]),
        ("topology.txt", PAIR),
        ("flow.txt", FLOWS),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let import = import_hpcc_ns3(&HpccImport::of(&folder.join("config.txt"))).unwrap();
    assert!(
        import.toml.contains("file = \"topology.txt\""),
        "{}",
        import.toml
    );
    assert_eq!(valid(&folder, &import).topology().hosts, 2);
    assert_eq!(
        told(&import, "FLOW_FILE"),
        ["FLOW_FILE | examples/exp/flow.txt | used: traffic[0]; seen from 2 folders above"]
    );
}

#[test]
fn a_file_that_stands_elsewhere_is_named() {
    let config = CONFIG.replace("FLOW_FILE flow.txt", "FLOW_FILE /data/run/flow.txt");
    assert_eq!(
        import(&config).unwrap_err(),
        "config.txt:7: FLOW_FILE: there is no file `/data/run/flow.txt`, nor in any folder \
         above; a `flow.txt` stands here: give it with --flows"
    );
}

#[test]
fn settings_of_a_fork_are_an_error_that_names_them() {
    let config =
        format!("{CONFIG}ENABLE_MYCC 1\nNO_CC_NODE 1 0\nGPUT_OUTPUT_FILE g.txt\nENABLE_X 0\n");
    assert_eq!(
        import(&config).unwrap_err(),
        "config.txt:62: ENABLE_MYCC: is no setting of the artifact, NO_CC_NODE in line 63 neither; \
         what they change is not here; give --ignore ENABLE_MYCC --ignore NO_CC_NODE to import the \
         rest"
    );
    let folder = folder(&config);
    let file = folder.path().join("config.txt");
    let ignoring = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let given = HpccImport {
            ignore: &names,
            ..HpccImport::of(&file)
        };
        import_hpcc_ns3(&given)
    };
    let import = ignoring(&["ENABLE_MYCC", "NO_CC_NODE"]).unwrap();
    assert_eq!(
        [
            told(&import, "NO_CC"),
            told(&import, "GPUT"),
            told(&import, "ENABLE_X")
        ]
        .concat(),
        [
            "NO_CC_NODE | 1 0 | not used: to be ignored",
            "GPUT_OUTPUT_FILE | g.txt | not used: an output of a fork, with no effect on its \
             experiment",
            "ENABLE_X | 0 | not used: 0: what it switches on is off",
        ]
    );
    let wrong = ignoring(&["ENABLE_MYC"]).unwrap_err();
    assert!(
        wrong.to_string().ends_with("did you mean `ENABLE_MYCC`?"),
        "{wrong}"
    );
}

#[test]
fn many_settings_of_a_fork_are_counted() {
    let keys: String = (0..100)
        .map(|number| format!("MY_KEY_{number} 1\n"))
        .collect();
    let message = import(&format!("{CONFIG}{keys}")).unwrap_err();
    let told = "MY_KEY_15 in line 77 and 84 more neither; what they change is not here";
    assert!(message.contains(told), "{message}");
    assert!(message.len() < 1_000, "{message}");
}

/// A setting of the artifact itself may be ignored, too: its default is used.
#[test]
fn any_setting_may_be_ignored() {
    let folder = folder(&CONFIG.replace("LINK_DOWN 0 0 0", "LINK_DOWN 1000 0 2"));
    let file = folder.path().join("config.txt");
    let ignore = ["LINK_DOWN".to_owned()];
    let given = HpccImport {
        ignore: &ignore,
        ..HpccImport::of(&file)
    };
    let import = import_hpcc_ns3(&given).unwrap();
    assert_eq!(
        told(&import, "LINK_DOWN"),
        [
            "LINK_DOWN | 1000 0 2 | not used: to be ignored",
            "LINK_DOWN | default | used: no link goes down"
        ]
    );
}

#[test]
fn hosts_with_two_links_are_noted() {
    let dual = "4 2 4\n2 3\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n1 2 100Gbps 1us 0\n\
                1 3 100Gbps 1us 0\n";
    let (folder, import) = imported(&[("topology.txt", dual)], |_| {});
    let import = import.unwrap();
    assert_eq!(valid(folder.path(), &import).topology().machine_count(), 2);
    assert_eq!(
        told(&import, "topology.txt"),
        [
            "topology.txt | hosts with several NICs | not used: ns-3 picks the NIC by a hash of \
             the flow, this version the NICs in turn"
        ]
    );
}
