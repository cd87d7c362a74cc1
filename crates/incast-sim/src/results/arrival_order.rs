//! The order in which data packets arrived, and the payload that waited for earlier packets.

use std::collections::BTreeMap;

use incast_net::{ArrivalOrder, ArrivalOrders, Histogram, Recording};
use incast_units::{FlowId, percentile_index};
use serde::{Deserialize, Serialize};

use super::ports::PortNames;
use super::rates::ratio;

/// Packets that arrived out of order, over all flows.
///
/// A packet is out of order if a packet of its flow with a higher number arrived before it. Its
/// distance is the highest such number minus its own. Mean and maximum are exact; percentiles
/// (defined in [`Distribution`](super::Distribution)) up to a distance of 512, above at most 0.2 %
/// too high.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReorderingFacts {
    /// Data packets that arrived, each counted once.
    pub received_packets: u64,
    /// Received packets that were out of order.
    pub out_of_order_packets: u64,
    /// Share of received packets that were out of order; 0 if none arrived.
    pub out_of_order_share: f64,
    /// Number of flows with out-of-order packets.
    pub out_of_order_flows: u64,
    /// Distances of out-of-order packets, in packets; `None` if no packet was out of order.
    pub distance: Option<Distances>,
    /// The most payload of one flow that waited for earlier packets at one time.
    pub flow_buffer_bytes: u64,
    /// The most payload of all flows that waited at one receiver at one time.
    pub buffer_bytes: u64,
    /// The port through which that payload arrived; if there are several, the first.
    pub buffer_port: Option<String>,
}

/// Distances of out-of-order packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distances {
    /// Mean of the distances.
    pub mean: f64,
    /// The median.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
    /// The largest.
    pub max: u64,
    /// Number of distances in [1, 2), [2, 4), [4, 8), and so on.
    pub by_doubling: Vec<u64>,
}

impl ReorderingFacts {
    /// `None` if no receiver keeps out-of-order packets.
    pub(super) fn of_run(recording: &Recording, ports: &PortNames) -> Option<Self> {
        let orders = recording.arrival_orders.as_ref()?;
        Some(Self::of(orders, ports))
    }

    fn of(orders: &ArrivalOrders, ports: &PortNames) -> Self {
        let late = orders.flows.iter().map(|(_, order)| order);
        let out_of_order = orders.distances.total();
        let most = orders.most_waiting;
        let at = |waiting: incast_net::PayloadWait| {
            let mut names = ports.iter();
            names.find(|port| port.node == waiting.node.0)
        };
        Self {
            received_packets: orders.received,
            out_of_order_packets: out_of_order,
            out_of_order_share: ratio(out_of_order as f64, orders.received as f64),
            out_of_order_flows: late.clone().filter(|each| each.out_of_order > 0).count() as u64,
            distance: Distances::of(late.clone(), &orders.distances),
            flow_buffer_bytes: late.map(|each| each.most_waiting).max().unwrap_or(0),
            buffer_bytes: most.map_or(0, |most| most.payload),
            buffer_port: most.and_then(at).map(|port| port.label.clone()),
        }
    }
}

impl Distances {
    fn of<'a>(
        flows: impl Iterator<Item = &'a ArrivalOrder> + Clone,
        counted: &Histogram,
    ) -> Option<Self> {
        let count = counted.total();
        let max = flows.clone().map(|each| each.largest_distance).max()?;
        let max = u64::from(max);
        let at = |permille| {
            let bin = counted.bin_at(percentile_index(count, permille)?)?;
            Some((bin.end - 1).min(max))
        };
        let sum: u64 = flows.map(|each| each.distances).sum();
        Some(Self {
            mean: ratio(sum as f64, count as f64),
            p50: at(500)?,
            p99: at(990)?,
            max,
            by_doubling: by_doubling(counted),
        })
    }
}

/// Counts by powers of two, which no bin of the histogram crosses.
fn by_doubling(counted: &Histogram) -> Vec<u64> {
    let mut counts = Vec::new();
    for (distances, count) in counted.bins() {
        let doubling = distances.start.max(1).ilog2() as usize;
        counts.resize(counts.len().max(doubling + 1), 0);
        counts[doubling] += count;
    }
    counts
}

/// The arrival order of each flow, for the columns of flows.
pub(crate) type OrdersOfFlows = BTreeMap<FlowId, ArrivalOrder>;

/// The arrival orders of flows with out-of-order packets, by flow.
pub(crate) fn by_flow(orders: &ArrivalOrders) -> OrdersOfFlows {
    orders.flows.iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use incast_net::PayloadWait;
    use incast_topology::{Ports, TopologySpec};
    use incast_units::NodeId;

    use super::*;

    fn star() -> PortNames {
        let shape: TopologySpec = toml::from_str("kind = \"star\"\nhosts = 4").unwrap();
        let topology = shape.build().unwrap();
        PortNames::new(&topology, &Ports::new(&topology))
    }

    fn order(out_of_order: u32, largest_distance: u32, distances: u64) -> ArrivalOrder {
        ArrivalOrder {
            received: 50,
            out_of_order,
            largest_distance,
            distances,
            most_waiting: 1_000 * u64::from(largest_distance),
        }
    }

    /// Distances 1, 2, 3 of flow 0 and 9 of flow 1, of 200 packets: 2 %; the mean is 15/4. p50 is
    /// at index 2 of 1, 2, 3, 9. By powers of two: one in [1, 2), two in [2, 4), none in [4, 8),
    /// one in [8, 16).
    #[test]
    fn figures_are_of_all_flows() {
        let orders = ArrivalOrders {
            received: 200,
            flows: vec![(FlowId(0), order(3, 3, 6)), (FlowId(1), order(1, 9, 9))],
            distances: Histogram::from_iter([1, 2, 3, 9]),
            most_waiting: Some(PayloadWait {
                payload: 11_000,
                node: Reverse(NodeId(3)),
            }),
        };
        let expected = ReorderingFacts {
            received_packets: 200,
            out_of_order_packets: 4,
            out_of_order_share: 0.02,
            out_of_order_flows: 2,
            distance: Some(Distances {
                mean: 3.75,
                p50: 3,
                p99: 9,
                max: 9,
                by_doubling: vec![1, 2, 0, 1],
            }),
            flow_buffer_bytes: 9_000,
            buffer_bytes: 11_000,
            buffer_port: Some("host 3 port 0 → switch 4".to_owned()),
        };
        assert_eq!(ReorderingFacts::of(&orders, &star()), expected);
    }

    /// A packet waits at the receiver, but none arrived out of order: the first packet of the flow
    /// has not arrived by the end of the run.
    #[test]
    fn nothing_out_of_order_has_no_distances() {
        let none = ReorderingFacts::of(&ArrivalOrders::default(), &star());
        assert_eq!((none.distance, none.out_of_order_share), (None, 0.0));
        let waits = ArrivalOrders {
            received: 1,
            flows: vec![(FlowId(0), order(0, 0, 0))],
            ..ArrivalOrders::default()
        };
        assert_eq!(ReorderingFacts::of(&waits, &star()).distance, None);
    }
}
