//! A table of per-flow state: reusable slots, found by flow number.
//!
//! Packets of one flow often follow each other, so recently used flows are in a small cache in
//! front of the hash map.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use incast_engine::CheckedIndex;
use rustc_hash::FxHasher;

use crate::flow::NO_FLOW;

/// Number of entries of the cache; a power of two.
const RECENT: usize = 16;

/// State of every flow, in slots.
#[derive(Clone, Debug)]
pub(super) struct FlowTable<T> {
    /// States by slot. A free slot keeps its last state.
    slots: Vec<T>,
    free: Vec<u32>,
    by_flow: HashMap<u32, u32, BuildHasherDefault<FxHasher>>,
    /// By the low bits of a flow's number: flow and slot.
    recent: [(u32, u32); RECENT],
}

impl<T> Default for FlowTable<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            by_flow: HashMap::default(),
            recent: [(NO_FLOW, 0); RECENT],
        }
    }
}

impl<T> FlowTable<T> {
    /// Adds the state of a new flow; returns its slot.
    pub(super) fn insert(&mut self, flow: u32, value: T) -> u32 {
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        if slot as usize == self.slots.len() {
            self.slots.push(value);
        } else {
            self.slots[slot as usize] = value;
        }
        self.by_flow.insert(flow, slot);
        slot
    }

    /// The flows and their states, in any order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let flows = self.by_flow.iter();
        flows.map(|(flow, slot)| (*flow, &self.slots[*slot as usize]))
    }

    /// Frees the slot of a flow, which may be reused at once, and returns its last state.
    pub(super) fn remove(&mut self, flow: u32) -> Option<&T> {
        let slot = self.by_flow.remove(&flow)?;
        let recent = &mut self.recent[flow as usize % RECENT];
        if recent.0 == flow {
            recent.0 = NO_FLOW;
        }
        self.free.push(slot);
        Some(&self.slots[slot as usize])
    }

    #[inline(always)]
    pub(super) fn slot_of(&mut self, flow: u32) -> Option<u32> {
        let (known, slot) = self.recent[flow as usize % RECENT];
        if known == flow {
            return Some(slot);
        }
        self.look_up(flow)
    }

    #[inline(never)]
    fn look_up(&mut self, flow: u32) -> Option<u32> {
        let slot = self.by_flow.get(&flow).copied()?;
        self.recent[flow as usize % RECENT] = (flow, slot);
        Some(slot)
    }

    /// The state of a flow, and its slot.
    #[inline(always)]
    pub(super) fn find(&mut self, flow: u32) -> Option<(u32, &mut T)> {
        let slot = self.slot_of(flow)?;
        Some((slot, self.get_mut(slot)))
    }

    /// The state of a flow, without an update of the cache.
    pub(super) fn peek(&self, flow: u32) -> Option<&T> {
        self.get(*self.by_flow.get(&flow)?)
    }

    /// The state in a slot, which may be free.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<&T> {
        self.slots.get(slot as usize)
    }

    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut T {
        self.slots.at_mut(slot as usize)
    }

    /// The states in all slots, including free slots.
    pub(super) fn slots(&self) -> &[T] {
        &self.slots
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_flow.is_empty()
    }

    /// Number of flows.
    pub(super) fn len(&self) -> usize {
        self.by_flow.len()
    }
}

impl<T: Default> FlowTable<T> {
    /// The state of a flow; added with its default if it is new.
    #[inline(always)]
    pub(super) fn entry(&mut self, flow: u32) -> &mut T {
        let slot = match self.slot_of(flow) {
            Some(slot) => slot,
            None => self.insert(flow, T::default()),
        };
        self.get_mut(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States are found while flows whose numbers share a cache entry come and go.
    #[test]
    fn flows_keep_their_states() {
        let mut table = FlowTable::<Vec<u32>>::default();
        let flows: Vec<u32> = (0..40).map(|n| n * RECENT as u32 / 2).collect();
        for round in 0..3 {
            for &flow in &flows {
                table.entry(flow).push(flow + round);
            }
        }
        assert_eq!(table.remove(8), Some(&vec![8, 9, 10]));
        assert_eq!((table.len(), table.slots().len()), (39, 40));
        assert_eq!((table.slot_of(8), table.remove(8)), (None, None));
        assert_eq!(table.insert(1_000_000, vec![7]), 1);
        assert_eq!(table.entry(8), &[0_u32; 0]);
        for flow in [0, 16, 24, 312] {
            assert_eq!(table.entry(flow), &[flow, flow + 1, flow + 2]);
        }
        assert_eq!((table.len(), table.slots().len()), (41, 41));
    }
}
