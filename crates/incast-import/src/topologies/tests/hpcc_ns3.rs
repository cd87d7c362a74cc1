use std::fmt::Write;

use incast_units::{NodeId, Rate, Time};

use super::*;
use incast_topology::TopologySpec;

/// Two switches with two hosts each.
const PLAIN: &str = "\
6 2 5
4 5
0 4 100Gbps 1000ns 0.000000
1 4 100Gbps 1000ns 0
2 5 100Gbps 1000ns 0
3 5 40Gbps 0.001ms 0.5
4 5 400Gbps 1us 0
";

fn hpcc(text: &str) -> Result<Topology, String> {
    parse(text, FileFormat::HpccNs3)
}

#[test]
fn a_plain_file_keeps_its_numbers() {
    let topology = hpcc(PLAIN).unwrap();
    assert_eq!((topology.hosts, topology.switches), (4, 2));
    assert!(topology.original_ids.is_empty());
    assert_eq!(topology.links.len(), 5);
    let link = topology.links[3];
    assert_eq!((link.a, link.b), (NodeId(3), NodeId(5)));
    assert_eq!(
        (link.rate, link.delay),
        (Rate::from_gbps(40), Time::from_us(1))
    );
    assert_eq!(link.error_rate, 0.5);
}

/// The same network with switches 0 and 3, which may be listed in any order: hosts 1, 2, 4, 5
/// become 0 to 3, switches 0 and 3 become 4 and 5.
#[test]
fn switches_may_have_any_numbers() {
    let text = "\
6 2 5
3 0
1 0 100Gbps 1000ns 0
2 0 100Gbps 1000ns 0
4 3 100Gbps 1000ns 0
5 3 40Gbps 1000ns 0.5
0 3 400Gbps 1000ns 0
";
    let topology = hpcc(text).unwrap();
    assert_eq!(topology.original_ids, [1, 2, 4, 5, 0, 3]);
    assert_eq!(topology.links, hpcc(PLAIN).unwrap().links);
    assert_eq!(topology.node_of(3), Some(NodeId(5)));
    assert_eq!(topology.original_id(NodeId(0)), 1);
}

#[test]
fn a_network_may_have_no_switches() {
    let topology = hpcc("2 0 1\n\n0 1 100Gbps 1us 0\n").unwrap();
    assert_eq!((topology.hosts, topology.switches), (2, 0));
}

/// The builder's network is the same after it is written as the artifact writes it, and read.
#[test]
fn the_fat_tree_of_the_artifact_reads_back() {
    let built = TopologySpec::named("clos-320").unwrap().build().unwrap();
    let mut text = "376 56 480\n".to_owned();
    let ids: Vec<_> = (320..376).map(|id| id.to_string()).collect();
    writeln!(text, "{}", ids.join(" ")).unwrap();
    for link in &built.links {
        writeln!(text, "{} {} {} 1000ns 0.000000", link.a, link.b, link.rate).unwrap();
    }
    assert_eq!(hpcc(&text).unwrap().links, built.links);
}

#[test]
fn errors_say_where_what_was_wrong_and_what_would_be_right() {
    let link = "a line is `a b rate delay error_rate`";
    let header = "a line is `nodes switches links`";
    for (edits, expected) in [
        (
            vec![("6 2 5", "6 2")],
            format!("1: links: the line ends before it; {header}: is the file cut off?"),
        ),
        (
            vec![("6 2 5", "6 2 5 7")],
            format!("1: end of line: `7` is too much; {header}"),
        ),
        (
            vec![("6 2 5", "six 2 5")],
            "1: nodes: `six` is not a whole number; give digits only, e.g. `376`".into(),
        ),
        (
            vec![("6 2 5", "6 -2 5")],
            "1: switches: `-2` is negative; give zero or more".into(),
        ),
        (
            vec![("6 2 5", "6 2 99999999999")],
            "1: links: `99999999999` is too large; give at most 4294967295".into(),
        ),
        (
            vec![("6 2 5", "4000000000 2 5")],
            "1: 4000000000 nodes and 5 links are too many: at most 1048576 and 4194304".into(),
        ),
        (
            vec![("6 2 5", "2 2 5")],
            "1: 2 switches of 2 nodes leave no host; write fewer switches than nodes".into(),
        ),
        (
            vec![("\n4 5", "\n4")],
            "2: 1 switch numbers, but the first line announces 2 switches".into(),
        ),
        (
            vec![("\n4 5", "\n4 4")],
            "2: switch 4 is listed twice; list every switch once".into(),
        ),
        (
            vec![("\n4 5", "\n4 9")],
            "2: switch: node 9 does not exist; nodes are 0–5".into(),
        ),
        (
            vec![("0 4 100", "0 6 100")],
            "3: b: node 6 does not exist; nodes are 0–5".into(),
        ),
        (
            vec![("0 4 100Gbps", "0 4 100")],
            "3: rate: `100` has no unit, and ns-3 takes it for bit/s; write e.g. `100Gbps`".into(),
        ),
        (
            vec![("0 4 100Gbps 1000ns", "0 4 100Gbps 1000")],
            "3: delay: `1000` has no unit, and ns-3 takes it for seconds; write e.g. `1us`".into(),
        ),
        (
            vec![("0 4 100Gbps 1000ns", "0 4 100Gbps 0ns")],
            "3: link 0 (0–4): delay 0 is not allowed: simulated time advances by the smallest \
             link delay; write at least 1ns"
                .into(),
        ),
        (
            vec![("1 4 100Gbps 1000ns 0", "1 4 100Gbps 1000ns 2")],
            "4: error_rate: `2` is not a probability; write 0 to 1, e.g. `1e-6`".into(),
        ),
        (
            vec![("1 4 100Gbps 1000ns 0", "1 4 100Gbps")],
            format!("4: delay: the line ends before it; {link}: is the file cut off?"),
        ),
        (
            vec![("1 4 100Gbps 1000ns 0", "1 4 100Gbps 1000ns 0 x")],
            format!("4: end of line: `x` is too much; {link}"),
        ),
        (
            vec![("4 5 400Gbps", "4 4 400Gbps")],
            "7: link 4 (4–4): a link must join two different nodes".into(),
        ),
    ] {
        let message = hpcc(&edited(PLAIN, &edits)).unwrap_err();
        assert_eq!(message, format!("net.txt:{expected}"));
    }
}

#[test]
fn faults_of_the_whole_file_have_no_line() {
    for (edits, expected) in [
        (
            vec![("4 5 400Gbps 1us 0\n", "")],
            "the file ends after 4 links, but its first line announces 5",
        ),
        (
            vec![("6 2 5", "6 2 4"), ("4 5 400Gbps 1us 0\n", "")],
            "no path leads from host 0 to host 2; add the links that join them",
        ),
        (
            vec![("6 2 5", "6 2 1"), ("0 4 100Gbps", "4 5 100Gbps")],
            "no link joins a host; announce the links of at least one",
        ),
    ] {
        let message = hpcc(&edited(PLAIN, &edits)).unwrap_err();
        assert_eq!(message, format!("net.txt: {expected}"));
    }
    let message = hpcc("6 2 5").unwrap_err();
    let expected = "0 switch numbers, but the first line announces 2 switches";
    assert_eq!(message, format!("net.txt: {expected}"));
}

/// The network of a file, and the notes on it as text.
fn noted(text: &str) -> (Topology, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.txt");
    std::fs::write(&file, text).unwrap();
    let (topology, notes) = read_topology_with_notes(&file, &file, FileFormat::HpccNs3).unwrap();
    let told = notes.into_iter().map(|note| {
        let line = note.line.map_or("–".to_owned(), |line| line.to_string());
        format!("{line} | {} | {}", note.subject, note.outcome)
    });
    (topology, told.collect())
}

fn ends(topology: &Topology) -> Vec<(u32, u32)> {
    let links = topology.links.iter();
    links.map(|link| (link.a.0, link.b.0)).collect()
}

/// ns-3 stops reading after the announced links.
#[test]
fn notes_after_the_links_are_not_read() {
    let text = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n\n\
                First line: node #, switch node #, link #\n\nsrc0 dst0 rate delay error_rate\n";
    let (topology, notes) = noted(text);
    assert_eq!(
        (topology.hosts, topology.switches, topology.links.len()),
        (3, 1, 3)
    );
    assert_eq!(
        notes,
        ["7 | 2 more lines | after the 3 links ns-3 reads nothing"]
    );
    // The lines after the links need not be text, nor short.
    let bytes = [text.as_bytes(), &[0xff, 0, b'\n'], &[b'x'; 2 << 20]].concat();
    let read = read_topology_from(&bytes[..], Path::new("net.txt"), FileFormat::HpccNs3);
    assert_eq!(read.map(|topology| topology.hosts).unwrap(), 3);
}

/// Some users shorten a file by its first line only: node 2 then has no link.
#[test]
fn a_host_whose_link_is_not_announced_is_left_out() {
    let text = "4 1 2\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n";
    let (topology, notes) = noted(text);
    assert_eq!((topology.hosts, topology.switches), (2, 1));
    assert_eq!(ends(&topology), [(0, 2), (1, 2)]);
    let expected = [
        "– | node 2 | no link joins it: left out",
        "5 | 1 more line | after the 2 links ns-3 reads nothing",
    ];
    assert_eq!(notes, expected);
}

/// Two links of each host give two NICs: ends 0 and 1 of host 0, 2 and 3 of host 1.
#[test]
fn a_host_with_two_links_has_two_nics() {
    let text = "4 2 4\n2 3\n0 2 25Gbps 1000ns 0.0\n0 3 25Gbps 1000ns 0.0\n\
                1 2 25Gbps 1000ns 0.0\n1 3 25Gbps 1000ns 0.0\n";
    let (topology, notes) = noted(text);
    assert_eq!(
        (topology.machine_count(), topology.hosts, topology.switches),
        (2, 4, 2)
    );
    assert_eq!(ends(&topology), [(0, 4), (1, 5), (2, 4), (3, 5)]);
    assert_eq!((topology.machine_numbers(), notes.len()), (None, 0));
    // With the switches first, hosts are nodes 2 and 3, and their NICs have these numbers, too.
    let text = "4 2 4\n0 1\n2 0 25Gbps 1us 0\n2 1 25Gbps 1us 0\n3 0 25Gbps 1us 0\n\
                3 1 25Gbps 1us 0\n";
    let topology = noted(text).0;
    assert_eq!(ends(&topology), [(0, 4), (1, 5), (2, 4), (3, 5)]);
    assert_eq!(topology.original_ids, [2, 2, 3, 3, 0, 1]);
    assert_eq!(topology.machine_numbers(), Some(vec![2, 3]));
    assert_eq!(topology.host_names().unwrap(), ["node2", "node3"]);
    assert_eq!(topology.node_name(NodeId(1)), "node2 NIC 1");
}

/// Switches 0 and 1, hosts 2 to 4: `first_host_number` is 2; with a gap between hosts it is 0.
#[test]
fn hosts_after_the_switches_are_counted_from_their_number() {
    let text = "5 2 4\n0 1\n2 0 1Gbps 1us 0\n3 0 1Gbps 1us 0\n4 1 1Gbps 1us 0\n0 1 1Gbps 1us 0\n";
    let topology = hpcc(text).unwrap();
    assert_eq!(topology.first_host_number(), 2);
    assert_eq!(topology.host_names().unwrap(), ["node2", "node3", "node4"]);
    let with_a_gap = edited(
        text,
        &[
            ("0 1\n", "0 3\n"),
            ("3 0 1Gbps", "1 0 1Gbps"),
            ("4 1", "4 3"),
            ("0 1 1Gbps", "0 3 1Gbps"),
        ],
    );
    assert_eq!(hpcc(&with_a_gap).unwrap().first_host_number(), 0);
    assert_eq!(hpcc(PLAIN).unwrap().first_host_number(), 0);
}

/// ns-3 has one entry for each pair of neighbours: the last link between two nodes overwrites the
/// others.
#[test]
fn of_parallel_links_the_last_one_counts() {
    let text = "4 2 5\n2 3\n0 2 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 3 25Gbps 1000ns 0\n\
                3 2 25Gbps 1000ns 0\n2 3 40Gbps 1000ns 0\n";
    let (topology, notes) = noted(text);
    assert_eq!(ends(&topology), [(0, 2), (1, 3), (2, 3)]);
    assert_eq!(topology.links[2].rate, Rate::from_gbps(40));
    let expected = [
        "5 | link 2 3 | line 7 joins the same nodes, and ns-3 takes the last one",
        "6 | link 3 2 | line 7 joins the same nodes, and ns-3 takes the last one",
    ];
    assert_eq!(notes, expected);
}

/// First lines of forks; and numbers without a unit: ns-3 takes a rate in bit/s, truncated to whole
/// ones, and a delay in seconds.
#[test]
fn first_lines_of_forks_and_bare_numbers() {
    let plain = "0 2 25000000000 1us 0\n1 3 25000000000.0 0.000001 0\n2 3 25Gbps 1us 0\n";
    for head in [
        "4 2 3\n2 3\n",
        "4 2 1 3\n2 3\n",
        "4 2 1 3\n2 3\n2\n",
        "4 1 1 3\n2\n3\n",
        "4 2 1 1 3 H100 1\n2 3\n",
        "4 2 1 3 25000000000 25000000000\n2 3\n",
        "4 2 1 1 3 H100\n2 3\n",
        "4 2 3\n2\n3\n",
    ] {
        let topology = hpcc(&format!("{head}{plain}")).unwrap_or_else(|e| panic!("{head}: {e}"));
        assert_eq!((topology.hosts, topology.switches), (2, 2), "{head}");
        for link in &topology.links {
            assert_eq!(
                (link.rate, link.delay),
                (Rate::from_gbps(25), Time::from_us(1))
            );
        }
    }
}

/// Two servers of two GPUs: NVSwitches 4 and 5, switch 6. Each GPU has a NIC at its NVSwitch, and a
/// NIC at switch 6, which joins the servers.
#[test]
fn gpus_of_simai_have_a_nic_at_their_nvswitch() {
    let mut text = "7 2 2 1 8 H100\n4 5 6\n".to_owned();
    for gpu in 0..4 {
        let nvswitch = 4 + gpu / 2;
        writeln!(text, "{gpu} {nvswitch} 2400Gbps 0.000025ms 0").unwrap();
    }
    for gpu in 0..4 {
        writeln!(text, "{gpu} 6 200Gbps 0.0005ms 0").unwrap();
    }
    let topology = hpcc(&text).unwrap();
    assert_eq!(
        (topology.machine_count(), topology.hosts, topology.switches),
        (4, 8, 3)
    );
    let [nvlink, nic] = [topology.links[0], topology.links[4]];
    assert_eq!(
        (nvlink.rate, nvlink.delay),
        (Rate::from_gbps(2_400), Time::from_ns(25))
    );
    assert_eq!(
        (nic.rate, nic.delay),
        (Rate::from_gbps(200), Time::from_ns(500))
    );
    assert!(!topology.is_connected());
}

/// Switches 0 and 3; host 5 is our host 2.
#[test]
fn faults_are_told_in_the_numbers_of_the_file() {
    let text = "\
6 2 4
0 3
1 0 100Gbps 1us 0
2 0 100Gbps 1us 0
5 3 100Gbps 1us 0
4 3 100Gbps 1us 0
";
    assert_eq!(
        hpcc(text).unwrap_err(),
        "net.txt: no path leads from host 1 to host 4; add the links that join them"
    );
    let text = edited(text, &[("5 3", "5 1")]);
    assert_eq!(
        hpcc(&text).unwrap_err(),
        "net.txt:5: link 2 (5–1) joins two hosts, and there are other links; \
         put a switch between them"
    );
}
