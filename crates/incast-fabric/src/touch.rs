//! Loads ahead of use. With many nodes, a node's memory has left the cache when its next window
//! comes. What a window takes from its queues, one miss after the other, can be loaded before, many
//! misses at a time.

use std::collections::VecDeque;

/// Bytes of a cache line.
const LINE: usize = 64;
/// Largest number of lines of a queue that are loaded: about what a window takes.
const MAX_LINES: usize = 4;

/// Loads the first items of a queue, one of each line, into `sum`; and the last, behind which the
/// next one goes.
#[inline]
pub(crate) fn touch<T>(queue: &VecDeque<T>, sum: &mut u64, value: impl Fn(&T) -> u64) {
    for line in 0..MAX_LINES {
        let Some(item) = queue.get(line * (LINE / size_of::<T>())) else {
            break;
        };
        *sum ^= value(item);
    }
    *sum ^= queue.back().map_or(0, value);
}
