//! Counters of the order of arrival and of entropies in results.

use std::num::NonZeroUsize;

use arrow_array::types::{UInt32Type, UInt64Type};
use incast_sim::{Partitioning, Results, Threads, run_on};

use super::{LEAF_SPINE, SPRAY, results, valid};

/// Counters of order and entropies are the same on any number of threads. Under `random` packets
/// overtake each other, and all 64 entropies of a flow are in use. Packets of one path arrive in
/// order, and have no entropies to count.
#[test]
fn results_tell_the_order_of_arrival_and_of_entropies() {
    let counted = [("measure.entropies", "true"), ("cc.algorithm", "dctcp")];
    let sprayed = results(LEAF_SPINE, &[SPRAY, &counted]);
    let order = sprayed
        .summary
        .reordering
        .clone()
        .expect("selective repeat");
    let column =
        |results: &Results, name| results.flows.values::<UInt64Type>(name).collect::<Vec<_>>();
    // Each of 16 flows has 400 packets of 1000 B.
    assert_eq!(order.received_packets, 6_400);
    let late = column(&sprayed, "out_of_order_packets");
    assert_eq!(late.iter().sum::<u64>(), order.out_of_order_packets);
    assert!((0.05..0.9).contains(&order.out_of_order_share), "{order:?}");
    let distance = order.distance.expect("some are out of order");
    let furthest = column(&sprayed, "reordering_distance_max");
    assert_eq!(furthest.into_iter().max(), Some(distance.max));
    let sums: u64 = column(&sprayed, "reordering_distance_sum").iter().sum();
    assert_eq!(
        distance.mean,
        sums as f64 / order.out_of_order_packets as f64
    );
    let buffers = column(&sprayed, "reorder_buffer_bytes");
    // Each receiver has one flow.
    assert_eq!(buffers.into_iter().max(), Some(order.buffer_bytes));
    assert_eq!(order.flow_buffer_bytes, order.buffer_bytes);
    let in_use = sprayed.flows.values::<UInt32Type>("entropies");
    assert!(in_use.clone().all(|count| (60..=64).contains(&count)));
    let entropies = sprayed.entropies.as_ref().expect("they are counted");
    assert_eq!(entropies.rows() as u32, in_use.sum::<u32>());
    let sent = entropies.values::<UInt32Type>("sent_packets");
    assert_eq!(
        sent.map(u64::from).sum::<u64>(),
        sprayed.summary.packets.data
    );

    let spec = valid(LEAF_SPINE, &[SPRAY, &counted]).expect("it is valid");
    for count in [2, 3, 8] {
        let threads = Threads {
            count: NonZeroUsize::new(count).expect("some threads"),
            partitioning: Partitioning::Random(count as u64),
        };
        let outcome = run_on(&spec, threads, &mut ()).expect("it runs");
        assert_eq!(outcome.summary.reordering, sprayed.summary.reordering);
        let tables = |results: &Results| {
            let entropies = results.entropies.as_ref().expect("they are counted");
            [&results.flows, entropies].map(|table| table.batches().to_vec())
        };
        assert!(tables(&outcome) == tables(&sprayed));
    }

    let kept = results(LEAF_SPINE, &[&SPRAY[1..], &counted]);
    let order = kept.summary.reordering.expect("selective repeat");
    assert_eq!((order.out_of_order_packets, order.distance), (0, None));
    assert!(kept.entropies.is_none());
    assert!(
        kept.flows
            .values::<UInt32Type>("entropies")
            .all(|count| count == 1)
    );
}
