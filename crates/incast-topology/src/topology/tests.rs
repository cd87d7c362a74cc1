use super::*;

fn link(a: u32, b: u32) -> Link {
    Link::new(NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1))
}

/// Hosts 0, 1 and 2 on switch 3.
fn star() -> Topology {
    Topology::new("star", 3, 1, vec![link(0, 3), link(1, 3), link(2, 3)])
}

fn message(change: impl FnOnce(&mut Topology)) -> String {
    let mut topology = star();
    change(&mut topology);
    topology.validate().unwrap_err().to_string()
}

#[test]
fn a_star_is_valid() {
    assert_eq!(star().validate(), Ok(()));
}

#[test]
fn two_hosts_on_one_link_are_valid() {
    assert_eq!(
        Topology::new("pair", 2, 0, vec![link(0, 1)]).validate(),
        Ok(())
    );
}

#[test]
fn errors_say_what_was_wrong_and_what_would_be_right() {
    let found = [
        message(|t| t.hosts = 0),
        message(|t| t.switches = NODES_MAX),
        message(|t| t.labels.push("tor0".into())),
        message(|t| t.links[2].b = NodeId(99)),
        message(|t| t.links[2].b = NodeId(2)),
        message(|t| t.links[1].rate = Rate::ZERO),
        message(|t| t.links[1].delay = Time::ZERO),
        message(|t| t.links[1].error_rate = 1.5),
        message(|t| t.links[1].error_rate = f64::NAN),
        message(|t| t.links.push(link(3, 1))),
        message(|t| t.links.truncate(2)),
        message(|t| t.links[0] = link(1, 2)),
        message(|t| {
            t.switches = 2;
            t.links[2].b = NodeId(4);
        }),
        Topology::new("pair", 2, 0, vec![link(0, 5)])
            .validate()
            .unwrap_err()
            .to_string(),
    ];
    let expected = [
        "a topology without hosts is not allowed: there must be at least 1",
        "1048579 nodes and 3 links are too many: at most 1048576 and 4194304",
        "a table of 1 entries does not fit 4 nodes: one for each, or none",
        "link 2 (2–99): node 99 does not exist; hosts are 0–2, switches 3",
        "link 2 (2–2): a link must join two different nodes",
        "link 1 (1–3): rate 0 is not allowed: nothing would ever leave; write e.g. `100Gbps`",
        "link 1 (1–3): delay 0 is not allowed: simulated time advances by the smallest link \
         delay; write at least 1ns",
        "link 1 (1–3): error rate 1.5 is not a probability; write 0 to 1, e.g. `1e-6`",
        "link 1 (1–3): error rate NaN is not a probability; write 0 to 1, e.g. `1e-6`",
        "link 3 (3–1) repeats link 1; two nodes have one link unless parallel links are allowed",
        "host 2 has no link; every host needs one",
        "host 0 has no link; every host needs one",
        "no path leads from host 0 to host 2; add the links that join them",
        "link 0 (0–5): node 5 does not exist; hosts are 0–1",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_host_has_one_link() {
    let mut topology = star();
    topology.switches = 2;
    topology.links.extend([link(3, 4), link(1, 4)]);
    let error = topology.validate().unwrap_err();
    assert_eq!(
        error.to_string(),
        "host 1 has 2 links; every host needs exactly one"
    );
}

/// A bundle of two links between switches 2 and 3.
#[test]
fn parallel_links_are_allowed_where_they_are_meant() {
    let links = vec![link(0, 2), link(1, 3), link(2, 3), link(3, 2)];
    let mut topology = Topology::new("bundle", 2, 2, links);
    let error = topology.validate().unwrap_err();
    assert_eq!(
        error.to_string(),
        "link 3 (3–2) repeats link 2; two nodes have one link unless parallel links are allowed"
    );
    topology.parallel_links = ParallelLinks::Allowed;
    assert_eq!(topology.validate(), Ok(()));
}

/// 65 537 links need port numbers 0 to 65 536: one too many for 16 bits.
#[test]
fn a_switch_has_as_many_ports_as_16_bits_can_number() {
    let star = |hosts| {
        Topology::new(
            "star",
            hosts,
            1,
            (0..hosts).map(|host| link(host, hosts)).collect(),
        )
    };
    assert_eq!(star(PORTS_MAX).validate(), Ok(()));
    assert_eq!(
        star(PORTS_MAX + 1).validate().unwrap_err().to_string(),
        "switch 65537 has 65537 links; a switch has at most 65536 ports"
    );
}

/// A chain of 17 000 switches with a host each: 17 000² = 289 000 000 > 2²⁸ = 268 435 456.
#[test]
fn a_routing_table_that_would_fill_the_memory_is_refused() {
    let hosts = (0..17_000).map(|host| link(host, 17_000 + host));
    let chain = (17_000..33_999).map(|switch| link(switch, switch + 1));
    let topology = Topology::new("chain", 17_000, 17_000, hosts.chain(chain).collect());
    assert_eq!(
        topology.validate().unwrap_err().to_string(),
        "17000 switches, 17000 of them with hosts, are too many: \
         their product is at most 268435456"
    );
}

#[test]
fn edges_of_any_graph_make_a_topology() {
    let edges = [(0, 3), (1, 3), (2, 3)];
    let edge = |(a, b)| (NodeId(a), NodeId(b), Rate::from_gbps(100), Time::from_us(1));
    assert_eq!(
        Topology::from_edges("star", 3, 1, edges.map(edge)),
        Ok(star())
    );
    let fewer = Topology::from_edges("star", 3, 1, edges[..2].iter().copied().map(edge));
    let expected = Diagnostic::new("host 2 has no link", "every host needs one");
    assert_eq!(fewer, Err(expected));
}

#[test]
fn nodes_without_labels_are_called_by_kind_and_number() {
    let mut topology = star();
    assert_eq!(topology.label(NodeId(2)), "host2");
    assert_eq!(topology.label(NodeId(3)), "switch3");
    topology.labels = ["a", "b", "c", "tor"].map(String::from).to_vec();
    assert_eq!(topology.label(NodeId(3)), "tor");
}

#[test]
fn names_are_those_of_the_users_file() {
    let mut topology = star();
    topology.labels = ["a", "b", "c", "tor"].map(String::from).to_vec();
    assert_eq!(topology.node_name(NodeId(2)), "host 2");
    assert_eq!(topology.node_name(NodeId(3)), "switch 3");
    topology.labelled_by = LabelledBy::File;
    assert_eq!(topology.node_name(NodeId(2)), "c");
    assert_eq!(topology.node_name(NodeId(3)), "tor");
}

#[test]
fn original_ids_are_found_in_both_directions() {
    let mut topology = star();
    assert_eq!(topology.original_id(NodeId(3)), 3);
    assert_eq!(topology.node_of(3), Some(NodeId(3)));
    assert_eq!(topology.node_of(4), None);
    topology.original_ids = vec![1, 2, 7, 0];
    for (node, id) in [(0, 1), (1, 2), (2, 7), (3, 0)] {
        assert_eq!(topology.original_id(NodeId(node)), id);
        assert_eq!(topology.node_of(id), Some(NodeId(node)));
    }
    assert_eq!(topology.node_of(3), None);
}

#[test]
fn the_smallest_delay_is_found() {
    let mut topology = star();
    topology.links[1].delay = Time::from_ns(10);
    assert_eq!(topology.smallest_delay(), Some(Time::from_ns(10)));
}
