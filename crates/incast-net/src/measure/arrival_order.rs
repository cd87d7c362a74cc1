//! The order in which data packets arrive, at receivers that keep early packets.
//!
//! A packet is *out of order* if a packet of its flow with a higher number arrived before, as in
//! RFC 4737, §3.3: it was overtaken or sent again. Its *distance* is the highest earlier number
//! less its own. Duplicates do not count.

use std::cmp::Reverse;
use std::ops::AddAssign;

use incast_units::{FlowId, NodeId};

use super::Histogram;

/// Arrivals of the data packets of one flow, at its receiver.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrivalOrder {
    /// Received packets, without duplicates.
    pub received: u32,
    /// Received packets that were out of order.
    pub out_of_order: u32,
    /// The largest of their distances.
    pub largest_distance: u32,
    /// The sum of the distances of all out-of-order packets.
    pub distances: u64,
    /// The largest payload that waited for earlier packets at any time.
    pub most_waiting: u64,
}

/// Arrivals of the data packets of all flows of a run, or of the flows of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrivalOrders {
    /// Received packets, without duplicates.
    pub received: u64,
    /// In order of flows: the flows that had early packets.
    pub flows: Vec<(FlowId, ArrivalOrder)>,
    /// Frequencies of distances.
    pub distances: Histogram,
    /// The largest payload that waited for earlier packets at one receiver at any time.
    pub most_waiting: Option<PayloadWait>,
}

/// Payload that waits at a receiver. Ordered by payload; of equal payloads, the one at the lower
/// node is larger.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PayloadWait {
    /// In bytes.
    pub payload: u64,
    /// Where.
    pub node: Reverse<NodeId>,
}

impl ArrivalOrder {
    /// Counts an out-of-order packet with this distance.
    pub(crate) fn count(&mut self, distance: u32) {
        self.out_of_order += 1;
        self.distances += u64::from(distance);
        self.largest_distance = self.largest_distance.max(distance);
    }
}

impl ArrivalOrders {
    /// Adds a flow that ends, at its receiver or with the run.
    pub(crate) fn end_flow(&mut self, flow: FlowId, received: u32, order: Option<ArrivalOrder>) {
        self.received += u64::from(received);
        if let Some(order) = order {
            self.flows.push((flow, ArrivalOrder { received, ..order }));
        }
    }

    /// Notes that this much payload waits at a receiver.
    #[inline]
    pub(crate) fn wait(&mut self, payload: u64, node: NodeId) {
        let node = Reverse(node);
        self.most_waiting = self.most_waiting.max(Some(PayloadWait { payload, node }));
    }

    pub(crate) fn sort(&mut self) {
        self.flows.sort_unstable_by_key(|(flow, _)| *flow);
    }
}

/// Adds the arrivals of another thread.
impl AddAssign for ArrivalOrders {
    fn add_assign(&mut self, other: Self) {
        self.received += other.received;
        self.flows.extend(other.flows);
        self.distances.merge(&other.distances);
        self.most_waiting = self.most_waiting.max(other.most_waiting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merging two threads in either order gives the larger payload, and of equal payloads the
    /// lower node.
    #[test]
    fn threads_add_up_in_any_order() {
        let part = |flow: u32, distance: u32, waiting: u64, node: u32| {
            let (mut part, mut order) = (ArrivalOrders::default(), ArrivalOrder::default());
            order.count(distance);
            part.distances.add(u64::from(distance), 1);
            part.wait(waiting, NodeId(node));
            part.end_flow(FlowId(flow), 7, Some(order));
            part.end_flow(FlowId(flow + 10), 3, None);
            part
        };
        let parts = [part(1, 4, 500, 2), part(0, 9, 500, 1)];
        let sum = |[mut one, other]: [ArrivalOrders; 2]| {
            one += other;
            one.sort();
            one
        };
        let both = sum(parts.clone());
        assert_eq!(both.received, 20);
        let order = ArrivalOrder {
            received: 7,
            out_of_order: 1,
            largest_distance: 9,
            distances: 9,
            most_waiting: 0,
        };
        assert_eq!(both.flows[0], (FlowId(0), order));
        assert_eq!(both.flows.len(), 2);
        assert_eq!(both.distances, Histogram::from_iter([4, 9]));
        let most = both.most_waiting.map(|most| (most.payload, most.node.0));
        assert_eq!(most, Some((500, NodeId(1))));
        let [one, other] = parts;
        assert_eq!(sum([other, one]), both);
    }
}
