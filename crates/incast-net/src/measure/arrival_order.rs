//! In which order data packets arrive, at receivers that keep those that come early.
//!
//! A packet is *out of order* if one of its flow with a higher number came before it, as in RFC
//! 4737, §3.3: one that another overtook, or that was sent again. Its *distance* is how far its
//! number is behind the highest that came before. A packet that has come before counts as none.

use std::cmp::Reverse;
use std::ops::AddAssign;

use incast_units::{FlowId, NodeId};

use super::Histogram;

/// The data packets of one flow, at its receiver.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrivalOrder {
    /// Packets that have come, each counted once.
    pub received: u32,
    /// Received packets that were out of order.
    pub out_of_order: u32,
    /// The largest of their distances.
    pub largest_distance: u32,
    /// The distances of all out-of-order packets together.
    pub distances: u64,
    /// The most payload that waited at a time for packets before it.
    pub most_waiting: u64,
}

/// The data packets of all flows of a run, or of those of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrivalOrders {
    /// Packets that have come, each counted once.
    pub received: u64,
    /// By flow, in order: those of which any packet came early.
    pub flows: Vec<(FlowId, ArrivalOrder)>,
    /// How often there was which distance.
    pub distances: Histogram,
    /// The most payload that waited at a time at one receiver, for packets before it.
    pub most_waiting: Option<PayloadWait>,
}

/// Payload that waited at a receiver; the more is the larger, of equal ones that of the lower node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PayloadWait {
    /// In bytes.
    pub payload: u64,
    /// Where.
    pub node: Reverse<NodeId>,
}

impl ArrivalOrder {
    /// A packet is out of order by this distance.
    pub(crate) fn count(&mut self, distance: u32) {
        self.out_of_order += 1;
        self.distances += u64::from(distance);
        self.largest_distance = self.largest_distance.max(distance);
    }
}

impl ArrivalOrders {
    /// A flow ends, at its receiver or with the run.
    pub(crate) fn end_flow(&mut self, flow: FlowId, received: u32, order: Option<ArrivalOrder>) {
        self.received += u64::from(received);
        if let Some(order) = order {
            self.flows.push((flow, ArrivalOrder { received, ..order }));
        }
    }

    /// So much payload waits at a receiver.
    #[inline]
    pub(crate) fn wait(&mut self, payload: u64, node: NodeId) {
        let node = Reverse(node);
        self.most_waiting = self.most_waiting.max(Some(PayloadWait { payload, node }));
    }

    pub(crate) fn sort(&mut self) {
        self.flows.sort_unstable_by_key(|(flow, _)| *flow);
    }
}

/// Adds what another thread has seen.
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

    /// Two threads, either way round: the more payload of both, of equal payload the lower node.
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
