use incast_units::{NodeId, Rate, Time};

use super::*;
use crate::write_graph;
use incast_topology::{Link, Machines, ParallelLinks, TopologySpec};

const STAR: &str = "\
# three hosts
hosts h0 h1
switches tor0
hosts h2
link h0 tor0 100Gbps 1us
link h1 tor0 100Gbps 1us 1e-6
link tor0 h2 40Gbps 500ns
";

fn graph(text: &str) -> Result<Topology, String> {
    parse(text, FileFormat::Graph)
}

#[test]
fn names_are_numbered_hosts_first() {
    let topology = graph(STAR).unwrap();
    assert_eq!((topology.hosts, topology.switches), (3, 1));
    assert_eq!(topology.labels, ["h0", "h1", "h2", "tor0"]);
    let tor = NodeId(3);
    let link = |a, b, gbps, ns| Link::new(a, b, Rate::from_gbps(gbps), Time::from_ns(ns));
    let expected = [
        link(NodeId(0), tor, 100, 1_000),
        Link {
            error_rate: 1e-6,
            ..link(NodeId(1), tor, 100, 1_000)
        },
        link(tor, NodeId(2), 40, 500),
    ];
    assert_eq!(topology.links, expected);
}

/// 100 Gb/s from h0 to tor0, 25 Gb/s back; the network is the same after writing and reading.
#[test]
fn the_directions_of_a_link_may_differ() {
    let text = STAR.replace("h0 tor0 100Gbps", "h0 tor0 100Gbps,25Gbps");
    let topology = graph(&text).unwrap();
    let gbps = topology.links[0]
        .rates()
        .map(|rate| rate.as_bps() / 1_000_000_000);
    assert_eq!(gbps, [100, 25]);
    let mut written = Vec::new();
    write_graph(&topology, &mut written).unwrap();
    let again = parse(&written, FileFormat::Graph).unwrap();
    assert_eq!(again.links, topology.links);
}

#[test]
fn parallel_links_must_be_allowed() {
    let text = "hosts a b\nswitches s t\nlink a s 1Gbps 1us\nlink b t 1Gbps 1us\n\
                link s t 1Gbps 1us\nlink t s 1Gbps 1us\n";
    assert_eq!(
        graph(text).unwrap_err(),
        "net.txt:6: link 3 (3–2) repeats link 2; \
         two nodes have one link unless parallel links are allowed"
    );
    let topology = graph(&format!("parallel-links\n{text}")).unwrap();
    assert_eq!(topology.parallel_links, ParallelLinks::Allowed);
}

/// Host h1 has two more links, one of them to the same switch: its NICs are ends 1, 2 and 3.
#[test]
fn a_host_has_a_nic_for_each_link() {
    let more = "switches tor1\nlink h1 tor0 40Gbps 1us\nlink tor1 h1 40Gbps 1us\n";
    let topology = graph(&(STAR.to_owned() + more + "link tor0 tor1 40Gbps 1us\n")).unwrap();
    assert_eq!((topology.hosts, topology.switches), (5, 2));
    assert_eq!(topology.machines, Some(machines()));
    let ends: Vec<_> = topology
        .links
        .iter()
        .map(|link| (link.a.0, link.b.0))
        .collect();
    assert_eq!(ends, [(0, 5), (1, 5), (5, 4), (2, 5), (6, 3), (5, 6)]);
    let labels = [
        "h0", "h1 NIC 0", "h1 NIC 1", "h1 NIC 2", "h2", "tor0", "tor1",
    ];
    assert_eq!(topology.labels, labels);
    assert_eq!(topology.host_names().unwrap(), ["h0", "h1", "h2"]);
    let mut text = Vec::new();
    write_graph(&topology, &mut text).unwrap();
    assert_eq!(parse(&text, FileFormat::Graph).unwrap(), topology);
}

fn machines() -> Machines {
    Machines::new([1, 3, 1]).named(["h0", "h1", "h2"].map(str::to_owned).to_vec())
}

#[test]
fn errors_say_where_what_was_wrong_and_what_would_be_right() {
    let link = "a line is `link a b rate delay [error_rate]`";
    for (edits, expected) in [
        (
            vec![("hosts h2", "host h2")],
            "4: unknown keyword `host`; did you mean `hosts`? \
             (available: hosts, link, parallel-links, switches)"
                .to_owned(),
        ),
        (
            vec![("hosts h2", "{\"nodes\": []}")],
            "4: unknown keyword `{\"nodes\":`; \
             available: hosts, link, parallel-links, switches"
                .into(),
        ),
        (
            vec![("hosts h2", "hosts")],
            "4: name: the line ends before it; a line is `keyword name name …`: is the file cut \
             off?"
                .into(),
        ),
        (
            vec![("hosts h2", "hosts tor0")],
            "4: node `tor0` is declared twice; give every node its own name".into(),
        ),
        (
            vec![("hosts h2", "parallel-links please")],
            "4: end of line: `please` is too much; a line is `parallel-links`".into(),
        ),
        (
            vec![("link h0 tor0", "link h0 tor1")],
            "5: node `tor1` is unknown; declare it above, with `hosts tor1` or `switches tor1`"
                .into(),
        ),
        (
            vec![(" 100Gbps 1us\n", " 100Gbps\n")],
            format!("5: delay: the line ends before it; {link}: is the file cut off?"),
        ),
        (
            vec![(" 100Gbps 1us\n", " 100 1us\n")],
            "5: rate: `100` has no unit; write e.g. `100Gbps`".into(),
        ),
        (
            vec![(" 100Gbps 1us\n", " 100Gbps,25 1us\n")],
            "5: rate: `25` has no unit; write e.g. `25Gbps`".into(),
        ),
        (
            vec![(" 100Gbps 1us\n", " 100Gbps,0Gbps 1us\n")],
            "5: link 0 (0–3): rate 0 is not allowed: nothing would ever leave; write e.g. \
             `100Gbps`"
                .into(),
        ),
        (
            vec![(" 100Gbps 1us\n", " 100Gbps 1 us\n")],
            "5: delay: `1` has no unit; write e.g. `1us`".into(),
        ),
        (
            vec![("1e-6", "1e-6 x")],
            format!("6: end of line: `x` is too much; {link}"),
        ),
        (
            vec![("1e-6", "inf")],
            "6: error_rate: `inf` is not a probability; write 0 to 1, e.g. `1e-6`".into(),
        ),
        (
            vec![("40Gbps 500ns", "40Gbps 0ns")],
            "7: link 2 (3–2): delay 0 is not allowed: simulated time advances by the smallest \
             link delay; write at least 1ns"
                .into(),
        ),
        (
            vec![("link tor0 h2 40Gbps 500ns\n", "")],
            "4: host 2 has no link; every host needs one (host 2 is `h2`)".into(),
        ),
        (
            vec![("link tor0 h2", "switches tor1\nlink tor1 h2")],
            "4: no path leads from host 0 to host 2; add the links that join them (host 2 is \
             `h2`)"
                .into(),
        ),
        (
            vec![("link tor0 h2", "link h1 h2")],
            "7: link 2 (1–2) joins two hosts, and there are other links; put a switch between them"
                .into(),
        ),
        (
            vec![("link tor0 h2", "link h2 h2")],
            "7: link 2 (2–2): a link must join two different nodes".into(),
        ),
        (
            vec![(
                "link tor0 h2 40Gbps",
                "link h0 tor0 1bps 0s\nlink tor0 h2 40Gbps",
            )],
            "7: link 2 (0–3): delay 0 is not allowed: simulated time advances by the smallest \
             link delay; write at least 1ns"
                .into(),
        ),
    ] {
        let message = graph(&edited(STAR, &edits)).unwrap_err();
        assert_eq!(message, format!("net.txt:{expected}"));
    }
    let message = graph("switches s\n").unwrap_err();
    assert_eq!(
        message,
        "net.txt: a topology without hosts is not allowed: there must be at least 1"
    );
}

#[test]
fn what_is_written_reads_back() {
    let named = TopologySpec::names()
        .into_iter()
        .map(|(name, _)| TopologySpec::named(name).unwrap());
    for built in named
        .map(|spec| spec.build().unwrap())
        .chain([graph(STAR).unwrap()])
    {
        let mut text = Vec::new();
        write_graph(&built, &mut text).unwrap();
        let back = parse(&text, FileFormat::Graph).unwrap();
        assert_eq!(
            Topology {
                name: back.name.clone(),
                labelled_by: back.labelled_by,
                ..built
            },
            back
        );
    }
}

#[test]
fn labels_that_cannot_be_names_are_replaced() {
    let mut topology = graph(STAR).unwrap();
    topology.labels = ["same", "same", "two words", ""].map(String::from).to_vec();
    let mut text = Vec::new();
    write_graph(&topology, &mut text).unwrap();
    let back = parse(&text, FileFormat::Graph).unwrap();
    assert_eq!(back.labels, ["host0", "host1", "host2", "switch3"]);
    assert_eq!(back.links, topology.links);
}
