//! The reduction table: the number of operations that a switch can keep state for, and the inputs
//! that wait for an entry. The state itself is in the [`PacketStore`](crate::store::PacketStore).

use std::collections::VecDeque;

/// Number of entries, which may be unlimited.
#[derive(Debug)]
pub(super) struct ReductionTable {
    in_use: u32,
    limit: u32,
    /// Inputs whose first packet waits for an entry.
    pub(super) waiting: VecDeque<u32>,
}

impl ReductionTable {
    pub(super) fn new(limit: Option<u32>) -> Self {
        Self {
            in_use: 0,
            limit: limit.unwrap_or(u32::MAX),
            waiting: VecDeque::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.in_use >= self.limit
    }

    pub(super) fn in_use(&self) -> u32 {
        self.in_use
    }

    pub(super) fn reserve(&mut self) {
        self.in_use += 1;
    }

    pub(super) fn release(&mut self) {
        self.in_use -= 1;
    }
}
