use incast_units::{HostId, NodeId, Rate, Time};

use super::*;
use crate::{NextHopOrder, Ports, Routes};

fn parse(text: &str) -> Result<TopologySpec, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

#[test]
fn every_name_is_a_valid_network() {
    for (name, summary) in TopologySpec::names() {
        let spec = TopologySpec::named(name).unwrap();
        let topology = spec.build().unwrap();
        let size = spec.size();
        assert_eq!(u64::from(topology.hosts), size.hosts, "{name}");
        assert_eq!(u64::from(topology.switches), size.switches, "{name}");
        assert_eq!(topology.links.len() as u64, size.links, "{name}");
        assert!(!summary.is_empty() && !summary.contains('\n'), "{name}");
    }
}

#[test]
fn names_are_distinct() {
    let mut names: Vec<_> = TopologySpec::names()
        .iter()
        .map(|(name, _)| *name)
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), TopologySpec::names().len());
}

#[test]
fn every_kind_is_a_name_for_its_defaults() {
    for (name, _) in TopologySpec::names() {
        let spec = TopologySpec::named(name).unwrap();
        if let Ok(kind) = parse(&format!("kind = \"{name}\"")) {
            assert_eq!(kind, spec, "{name}");
        }
    }
}

#[test]
fn what_is_written_reads_back() {
    for (name, _) in TopologySpec::names() {
        let spec = TopologySpec::named(name).unwrap();
        let text = toml::to_string(&spec).unwrap();
        assert_eq!(parse(&text).as_ref(), Ok(&spec), "{text}");
    }
}

#[test]
fn parameters_are_text_with_units() {
    let spec = parse("kind = \"fat-tree\"\nk = 4\nagg_rate = \"400Gbps\"\ndelay = \"500ns\"");
    let expected = FatTree {
        k: 4,
        agg_rate: Some(Rate::from_gbps(400)),
        delay: Time::from_ns(500),
        ..FatTree::default()
    };
    assert_eq!(spec, Ok(TopologySpec::FatTree(expected)));
}

#[test]
fn unknown_kinds_and_parameters_are_refused() {
    let message = |text| parse(text).unwrap_err();
    assert_eq!(
        message("kind = \"fattree\""),
        "unknown topology `fattree`; did you mean `fat-tree`? (available: clos-320, clos-64, \
         dragonfly, dumbbell, fat-tree, leaf-spine, parking-lot, rail-optimised, star, \
         torus)"
    );
    assert_eq!(
        message("kind = \"star\"\nk = 4"),
        "unknown field `k`, expected one of `hosts`, `rate`, `delay`, `host_delays`"
    );
    assert_eq!(
        message("kind = \"star\"\nrate = 100"),
        "`100` has no unit; write e.g. `100Gbps`"
    );
    assert_eq!(message("k = 4"), "missing field `kind`");
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let message = |name| TopologySpec::named(name).unwrap_err().to_string();
    let available = "available: clos-320, clos-64, dragonfly, dumbbell, fat-tree, fat-tree-128, \
                     leaf-spine, leaf-spine-144, parking-lot, rail-optimised, star, star-97, \
                     torus";
    assert_eq!(
        message("clos-32"),
        format!("unknown topology `clos-32`; did you mean `clos-320`? ({available})")
    );
    assert_eq!(
        message("fattree"),
        format!("unknown topology `fattree`; did you mean `fat-tree`? ({available})")
    );
    assert_eq!(
        message("hypercube"),
        format!("unknown topology `hypercube`; {available}")
    );
}

/// In the schema, the key `kind` of each shape has the shape's name as its only value.
#[test]
fn the_schema_tells_kinds_apart() {
    let schema = schemars::schema_for!(TopologySpec).to_value();
    let kinds: Vec<_> = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["properties"]["kind"]["const"].as_str().unwrap())
        .collect();
    let expected = [
        "star",
        "dumbbell",
        "parking-lot",
        "fat-tree",
        "leaf-spine",
        "clos-320",
        "clos-64",
        "dragonfly",
        "torus",
        "rail-optimised",
    ];
    assert_eq!(kinds, expected);
}

/// On every named network every host reaches every other, and each next hop is nearer to the
/// destination.
#[test]
fn every_pair_is_connected() {
    for (name, _) in TopologySpec::names() {
        let topology = TopologySpec::named(name).unwrap().build().unwrap();
        let ports = Ports::new(&topology);
        let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
        let hosts = || (0..topology.hosts).map(HostId);
        for (source, destination) in hosts().flat_map(|a| hosts().map(move |b| (a, b))) {
            let path = routes.path(&ports, source, destination, |node, hops| {
                (source.index() + node.index()) % hops.len()
            });
            let last = path.inspect(|hop| assert!(hop.node != NodeId::from(destination)));
            assert_eq!(
                last.count() as u32,
                routes.hops(source, destination).unwrap(),
                "{name}"
            );
        }
    }
}
