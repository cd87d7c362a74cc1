//! Packets that arrive at a switch at the same time, ordered by port or by a hash.

use incast_net::{ExecutionPath, PacketEvent, Ties};
use incast_units::{NodeId, Time};

use crate::support::{Network, at, fat_tree, flow, several_threads, star};
use crate::tracing::everything;

/// Sixteen hosts send ten packets each to one host, in step. Returns, for each round, the flows in
/// the order in which their packets are enqueued.
fn rounds(ties: Ties, seed: u64) -> Vec<Vec<u32>> {
    let mut network = Network::new(star(17));
    (network.config.model.ties, network.config.seed) = (ties, seed);
    network.measure.packets = Some(everything());
    let flows: Vec<_> = (0..16).map(|host| flow(host, host, 16, 10_000)).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    let events = &outcome.recording.packets.as_ref().expect("a trace").events;
    let place = (NodeId(17), 16, PacketEvent::Enqueue);
    let enqueued = events
        .iter()
        .filter(|event| (event.node, event.port, event.event) == place);
    let enqueued: Vec<_> = enqueued
        .map(|event| (event.time, event.flow.expect("data").0))
        .collect();
    let rounds = enqueued.chunk_by(|(one, _), (next, _)| one == next);
    rounds
        .map(|round| round.iter().map(|(_, flow)| *flow).collect())
        .collect()
}

/// By port, the lowest number always comes first. By hash, each round and each seed has its own
/// order.
#[test]
fn no_port_always_comes_first() {
    let ascending: Vec<_> = (0..16).collect();
    let by_port = rounds(Ties::Port, 1);
    assert_eq!(by_port.len(), 10);
    assert!(by_port.iter().all(|round| *round == ascending));
    let hashed = rounds(Ties::Hash, 1);
    for (place, round) in hashed.iter().enumerate() {
        let mut flows = round.clone();
        flows.sort_unstable();
        assert_eq!(flows, ascending);
        assert!(!hashed[..place].contains(round), "{hashed:?}");
    }
    assert_eq!(hashed.len(), 10);
    assert_ne!(hashed, rounds(Ties::Hash, 2));
}

/// Many ties at many switches: event by event and port by port, on one and three threads.
#[test]
fn paths_and_threads_agree() {
    let mut network = Network::new(fat_tree(4));
    network.config.model.ties = Ties::Hash;
    let flows: Vec<_> = (1..16)
        .map(|host| {
            at(
                Time::from_ns(u64::from(host / 8)),
                flow(host, host, host / 8, 60_000),
            )
        })
        .collect();
    let outcomes = [
        (ExecutionPath::Plain, 1),
        (ExecutionPath::Fast, 1),
        (ExecutionPath::Fast, 3),
    ];
    let outcomes = outcomes.map(|(path, threads)| {
        (network.path, network.threads) = (path, several_threads(threads, 5));
        let outcome = network.run(&flows, &network.uncontrolled());
        format!("{:?}", (outcome.flows, outcome.recording.ports))
    });
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
    network.config.model.ties = Ties::Port;
    let outcome = network.run(&flows, &network.uncontrolled());
    assert_ne!(
        format!("{:?}", (outcome.flows, outcome.recording.ports)),
        outcomes[0]
    );
}
