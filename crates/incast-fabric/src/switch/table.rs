//! The reduction table: what a switch remembers of operations that it has replicated.

use std::collections::VecDeque;

use crate::packet::FabricPacket;

/// An operation whose responses a switch gathers.
#[derive(Copy, Clone, Debug)]
struct TableEntry {
    /// Responses that have not come.
    missing: u32,
    /// The response that leaves when all have come.
    combined: FabricPacket,
    /// Where the request came from, and the combined response goes.
    port: u16,
}

/// Entries, limited in number or not.
#[derive(Debug)]
pub(super) struct ReductionTable {
    entries: Vec<TableEntry>,
    free: Vec<u32>,
    in_use: u32,
    limit: u32,
    /// Inputs whose first packet waits for an entry.
    pub(super) waiting: VecDeque<u32>,
}

impl ReductionTable {
    pub(super) fn new(limit: Option<u32>) -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
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

    /// Takes an entry for a request that came by `port` and is answered by `missing` responses.
    pub(super) fn reserve(&mut self, request: &FabricPacket, port: u16, missing: u32) -> u32 {
        self.in_use += 1;
        let entry = TableEntry {
            missing,
            combined: request.response(),
            port,
        };
        if let Some(number) = self.free.pop() {
            self.entries[number as usize] = entry;
            return number;
        }
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    /// One response has come; says the combined one and its port if it was the last.
    #[inline]
    pub(super) fn gather(&mut self, entry: u32) -> Option<(FabricPacket, u16)> {
        let entry = &mut self.entries[entry as usize];
        entry.missing -= 1;
        (entry.missing == 0).then_some((entry.combined, entry.port))
    }

    pub(super) fn release(&mut self, entry: u32) {
        self.in_use -= 1;
        self.free.push(entry);
    }
}
