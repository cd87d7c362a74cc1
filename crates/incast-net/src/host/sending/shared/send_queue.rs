//! The order of flows under one limit: QPs take turns, the flows of a QP are served in order of
//! start.

use std::collections::{BTreeMap, VecDeque};

use super::options::QpName;

/// The flows under one limit that have data to send.
#[derive(Clone, Debug, Default)]
pub(super) struct SendQueue {
    /// QPs with data to send, the next one first.
    turns: VecDeque<QpName>,
    /// The QP that had the last turn.
    served: Option<QpName>,
    /// By QP: its flows with data to send, in order of start.
    flows: BTreeMap<QpName, VecDeque<Entry>>,
}

/// A flow's start order and slot; orders the flows of a QP.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) order: u64,
    pub(super) slot: u32,
}

impl SendQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// The flow that sends next.
    pub(super) fn front(&self) -> Option<u32> {
        let qp = self.turns.front()?;
        let first = self.flows.get(qp)?.front()?;
        Some(first.slot)
    }

    /// Ends the turn of the first QP. A QP that has just been removed has passed its turn on
    /// already.
    pub(super) fn end_turn(&mut self, qp: QpName) {
        self.served = Some(qp);
        if self.turns.front() == Some(&qp) {
            self.turns.rotate_left(1);
        }
    }

    /// Adds a flow that has data to send. A QP without other flows goes last, but before the QP
    /// that has just had its turn.
    pub(super) fn insert(&mut self, qp: QpName, entry: Entry) {
        let flows = self.flows.entry(qp).or_default();
        if flows.is_empty() {
            let served_is_last = self.served.is_some() && self.turns.back() == self.served.as_ref();
            let place = self.turns.len() - usize::from(served_is_last);
            self.turns.insert(place, qp);
        }
        let place = flows.partition_point(|other| *other < entry);
        flows.insert(place, entry);
    }

    /// Removes a flow that has no more data to send.
    pub(super) fn remove(&mut self, qp: QpName, entry: Entry) {
        let Some(flows) = self.flows.get_mut(&qp) else {
            return;
        };
        flows.retain(|other| *other != entry);
        if flows.is_empty() {
            self.flows.remove(&qp);
            self.turns.retain(|other| *other != qp);
        }
    }
}

#[cfg(test)]
mod tests {
    use incast_units::HostId;

    use super::*;

    fn entry(order: u64) -> Entry {
        Entry {
            order,
            slot: 10 + order as u32,
        }
    }

    /// Serves the front `times` times; no flow ends.
    fn serve(queue: &mut SendQueue, names: &[QpName], times: usize) -> Vec<u32> {
        let mut served = Vec::new();
        for _ in 0..times {
            let qp = queue.turns[0];
            assert!(names.contains(&qp));
            served.extend(queue.front());
            queue.end_turn(qp);
        }
        served
    }

    #[test]
    fn qps_take_turns() {
        let names = [QpName::OfFlow(7), QpName::OfFlow(8), QpName::OfFlow(9)];
        let mut queue = SendQueue::default();
        for (order, name) in (0..).zip(names) {
            queue.insert(name, entry(order));
        }
        assert_eq!(serve(&mut queue, &names, 5), [10, 11, 12, 10, 11]);
        // 12 is next; it ends, and the turn passes to the next QP.
        queue.remove(names[2], entry(2));
        queue.end_turn(names[2]);
        assert_eq!(serve(&mut queue, &names, 3), [10, 11, 10]);
        // 10 has just had its turn: a new QP goes after 11, and before 10.
        queue.insert(names[2], entry(2));
        assert_eq!(serve(&mut queue, &names, 4), [11, 12, 10, 11]);
    }

    #[test]
    fn flows_of_a_qp_come_in_order() {
        let names = [QpName::Lane(HostId(1), 0), QpName::Lane(HostId(1), 1)];
        let mut queue = SendQueue::default();
        queue.insert(names[0], entry(0));
        queue.insert(names[1], entry(1));
        queue.insert(names[0], entry(2));
        assert_eq!(serve(&mut queue, &names, 4), [10, 11, 10, 11]);
        queue.remove(names[0], entry(0));
        assert_eq!(serve(&mut queue, &names, 2), [12, 11]);
        // Flow 0 has lost a packet: it goes before flow 2 again.
        queue.insert(names[0], entry(0));
        assert_eq!(serve(&mut queue, &names, 1), [10]);
        queue.remove(names[1], entry(1));
        queue.remove(names[0], entry(0));
        queue.remove(names[0], entry(2));
        assert!(queue.is_empty());
        assert_eq!(queue.front(), None);
    }
}
