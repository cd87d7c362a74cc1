use std::fmt::Write;

use incast_units::{NodeId, Rate, Time};

use super::*;
use incast_topology::TopologySpec;

/// Two hosts on each of two switches.
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

/// The same network with switches 0 and 3, listed in any order: hosts 1, 2, 4, 5 become 0 to 3,
/// switches 0 and 3 become 4 and 5.
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

/// The builder's network, written as the artifact writes it, reads back as it was.
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
            "3: rate: `100` has no unit; write e.g. `100Gbps`".into(),
        ),
        (
            vec![("0 4 100Gbps 1000ns", "0 4 100Gbps 0.000001")],
            "3: delay: `0.000001` has no unit; write e.g. `0.000001us`".into(),
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
        (
            vec![("4 5 400Gbps 1us 0\n", "4 5 400Gbps 1us 0\n\ngarbage\n")],
            "9: the first line announces 5 links, and this line comes after the last".into(),
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
            vec![("6 2 5", "7 2 5")],
            "host 6 has no link; every host needs one",
        ),
    ] {
        let message = hpcc(&edited(PLAIN, &edits)).unwrap_err();
        assert_eq!(message, format!("net.txt: {expected}"));
    }
    let message = hpcc("6 2 5").unwrap_err();
    let expected = "0 switch numbers, but the first line announces 2 switches";
    assert_eq!(message, format!("net.txt: {expected}"));
}

/// The second link of switches 0 and 3 is in line 7; host 4 is our host 2.
#[test]
fn faults_are_told_in_the_numbers_of_the_file() {
    let text = "\
6 2 5
0 3
1 0 100Gbps 1us 0
2 0 100Gbps 1us 0
0 3 100Gbps 1us 0
5 3 100Gbps 1us 0
3 0 100Gbps 1us 0
";
    assert_eq!(
        hpcc(text).unwrap_err(),
        "net.txt:7: link 4 (3–0) repeats link 2; \
         two nodes have one link unless parallel links are allowed"
    );
    let text = edited(text, &[("3 0 100Gbps 1us 0\n", "1 3 100Gbps 1us 0\n")]);
    assert_eq!(
        hpcc(&text).unwrap_err(),
        "net.txt: host 1 has 2 links; every host needs exactly one"
    );
}
