//! The graph of the network: names, the order of a link's two ends, and nodes that take no part.

use incast_sim::Results;
use toml::Value;

use super::Relation;
use super::base::{Base, put};
use super::columns::{TextColumns, assert_same_flows, assert_same_run};
use super::graph::NamedGraph;
use super::listed::entry;

/// A network gives the same run if it is written to a file and read.
pub(super) fn network_from_a_file(base: &Base) -> Relation {
    on_graph(
        base,
        |graph| graph,
        |results| assert_same_run(results, &base.results),
    )
}

/// Other names of hosts and switches change no result.
pub(super) fn renamed_nodes(base: &Base) -> Relation {
    on_graph(base, NamedGraph::renamed, |results| {
        assert_same_run(results, &base.results)
    })
}

/// Exchanging the two ends of each link changes no result.
pub(super) fn flipped_links(base: &Base) -> Relation {
    on_graph(base, NamedGraph::flipped, |results| {
        assert_same_run(results, &base.results)
    })
}

/// Hosts that neither send nor receive change no flow.
pub(super) fn idle_hosts(base: &Base) -> Relation {
    let graph = NamedGraph::of(base.spec.topology());
    // The reserve of each additional port reduces the shared buffer.
    let has_paused = base.results.summary.pfc.pauses > 0;
    if !has_no_choice(base) || has_paused || !graph.has_hosts_at_last_switch() {
        return Relation::DoesNotApply;
    }
    on_graph(
        base,
        |graph| graph.with_idle_hosts(2),
        |results| assert_same_flows(results, &base.results),
    )
}

/// Two separate copies of the network, each with all flows, give the base's results twice.
pub(super) fn disjoint_copies(base: &Base) -> Relation {
    if !has_no_choice(base) {
        return Relation::DoesNotApply;
    }
    let twice = base.flows.iter().flat_map(|flow| [*flow; 2]);
    let twice: Vec<_> = twice.collect();
    let copies = base.run_with(|scenario| {
        put(scenario, "network.planes", 2);
        put(scenario, "traffic", vec![entry(&twice)]);
    });
    let Some(copies) = copies else {
        return Relation::DoesNotApply;
    };
    let numbers = ["flow_id", "source_port", "source_nic", "destination_nic"];
    let both = TextColumns::flows(&copies).sorted_by("flow_id");
    let expected = TextColumns::flows(&base.results)
        .sorted_by("flow_id")
        .without(&numbers);
    for plane in 0..2 {
        let nics = both.numbers("source_nic");
        let own = both.rows(|row| nics[row] == Some(plane));
        own.without(&numbers)
            .assert_are(&expected, &format!("flows of plane {plane}"));
    }
    Relation::Holds
}

/// Whether numbers of flows and ports have no influence: paths are unique, and nothing is random.
fn has_no_choice(base: &Base) -> bool {
    let packets = &base.results.summary.packets;
    let kind = base
        .setting("network.topology.kind")
        .and_then(Value::as_str);
    let (planes, balance) = (
        base.setting("network.planes"),
        base.setting("network.balance"),
    );
    let algorithm = base.spec.algorithm_name();
    let draws = ["lgc", "prob"]
        .iter()
        .any(|drawing| algorithm.contains(drawing));
    !base.flows.is_empty()
        && ["star", "dumbbell", "parking-lot"].contains(&kind.unwrap_or_default())
        && planes.is_none_or(|planes| planes.as_integer() == Some(1))
        && balance.is_none_or(|balance| balance.as_str() == Some("flow"))
        && !base.is("network.model.ties", "hash")
        && !base.has_faults()
        && !draws
        && packets.dropped + packets.marked == 0
}

/// The run on a graph that is made from the base's network.
fn on_graph(
    base: &Base,
    change: impl FnOnce(NamedGraph) -> NamedGraph,
    check: impl FnOnce(&Results),
) -> Relation {
    let graph = change(NamedGraph::of(base.spec.topology()));
    let results = base.run_with(|scenario| {
        if !base.flows.is_empty() {
            put(scenario, "traffic", vec![entry(&base.flows)]);
        }
        graph.put_into(scenario, base);
    });
    let Some(results) = results else {
        return Relation::DoesNotApply;
    };
    check(&results);
    Relation::Holds
}
