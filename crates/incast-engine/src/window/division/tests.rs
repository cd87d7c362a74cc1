//! Four nodes in a ring, where port 1 leads to port 0 of the next node: hand-computed numbers and
//! sizes.

use super::*;
use crate::window::NodeOrder;

#[derive(Copy, Clone, Debug)]
struct Letter(u64);

impl Message for Letter {
    fn time_bits(&self) -> u64 {
        self.0
    }
}

/// A node with two ports and this many timers.
#[derive(Debug, PartialEq, Eq)]
struct Silent(usize);

impl NodeShape for Silent {
    fn timers(&self) -> usize {
        self.0
    }

    fn ports(&self) -> usize {
        2
    }
}

type Shard = WindowEngine<Silent, Letter>;

fn ring() -> Shard {
    let nodes = [1, 0, 3, 2].map(Silent).into();
    let peers = [7, 2, 1, 4, 3, 6, 5, 0];
    WindowEngine::new(nodes, &peers, Time::from_ns(10), NodeOrder::Ascending)
}

/// Divides the nodes of `from` anew among two shards.
fn divide(outline: &Arc<Outline>, from: &mut [Shard], shard_of_node: [u16; 4]) -> Division {
    let division = Division::new(Arc::clone(outline), &shard_of_node, 2);
    let mut parcels: Vec<_> = from.iter_mut().map(|s| s.pack(&division)).collect();
    for (number, shard) in from.iter_mut().enumerate() {
        let own = parcels.iter_mut().map(|parcels| take(&mut parcels[number]));
        shard.unpack(number, &division, (1, Time::ZERO), own);
    }
    division
}

/// Shards of every second node: all links lead to the other shard, whose ports are numbered after
/// the four own ports. Shards of two neighbours: one link of each shard is inside it.
#[test]
fn mailboxes_are_numbered_in_the_shard_of_the_receiver() {
    let outline = Arc::new(ring().outline());
    let places = |division: &Division| [0, 1, 2, 3].map(|node| division.place_of(node));
    let division = Division::new(Arc::clone(&outline), &[0, 1, 0, 1], 2);
    assert_eq!(places(&division), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    assert_eq!(division.mailboxes, [7, 4, 5, 6, 5, 6, 7, 4]);
    let division = Division::new(outline, &[0, 0, 1, 1], 2);
    assert_eq!(places(&division), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(division.mailboxes, [5, 1, 2, 4, 5, 1, 2, 4]);
}

/// Node 2 moves to another shard, then node 1, then both return. Timers and messages move with
/// them.
#[test]
fn a_shard_is_as_large_as_its_part() {
    let mut shards = [ring(), ring().hollow()];
    let outline = Arc::new(shards[0].outline());
    shards[0].ensure_timer(2, 1, Time::from_ns(77));
    let sizes = |shards: &[Shard]| -> Vec<_> {
        let parts = shards.iter().map(|shard| {
            let state = &shard.state;
            let sizes = [state.timers.len(), state.arrivals.len()];
            (shard.nodes.len(), sizes, state.mailboxes.len())
        });
        parts.collect()
    };
    let whole = [(4, [14, 8], 8), (0, [0, 0], 0)];
    assert_eq!(sizes(&shards), whole);

    divide(&outline, &mut shards, [0, 0, 1, 0]);
    // Other shards' ports that lead to a shard: two to shard 0, from node 2, and two to shard 1.
    assert_eq!(sizes(&shards), [(3, [9, 6], 8), (1, [5, 2], 4)]);
    assert_eq!(shards[0].outer_nodes(), [false, true, true]);
    assert_eq!(shards[1].nodes, [Silent(3)]);
    assert_eq!(shards[1].state.timers[1], 77_000);
    assert_eq!(shards[1].first_turn(), Some(8));

    // Node 1 sends to node 2 by its port 1. This is port 3 of the network, and port 3 of both
    // shards.
    let number = shards[1].state.peers[0] as usize;
    assert_eq!(number, 2);
    let mailbox = &mut shards[1].state.mailboxes[number];
    let mut letters = vec![Letter(55_000)];
    mailbox.append(&mut letters, Time::ZERO, &mut Default::default(), |_| {
        60_000
    });
    let division = divide(&outline, &mut shards, [0, 1, 1, 0]);
    assert_eq!(sizes(&shards), [(2, [7, 4], 6), (2, [7, 4], 6)]);
    assert_eq!(division.mailboxes[3], 1);
    let mailbox = &shards[1].state.mailboxes[1];
    assert_eq!(mailbox.first(60_000)[0].0, 55_000);

    // Arrivals at the ports of nodes 0 and 3, and of nodes 1 and 2.
    shards[0].state.arrivals = vec![1, 2, 3, 4];
    shards[1].state.arrivals = vec![5, 6, 7, 8];
    let mut sums = [10; 8];
    for shard in &mut shards {
        shard.take_arrivals(&outline, &mut sums);
        assert_eq!(shard.state.arrivals, [0; 4]);
    }
    assert_eq!(sums, [11, 12, 15, 16, 17, 18, 13, 14]);

    divide(&outline, &mut shards, [0, 0, 0, 0]);
    assert_eq!(sizes(&shards), whole);
    assert_eq!(shards[0].nodes, [1, 0, 3, 2].map(Silent));
    let state = &shards[0].state;
    // Sources: one timer and two ports of node 0, two ports of node 1, then node 2.
    assert_eq!(
        (state.timers[5 + 1], state.mailboxes[3].is_empty()),
        (77_000, false)
    );
}
