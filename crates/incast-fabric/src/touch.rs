//! Prefetching. With many nodes, a node's memory has left the cache when its next window comes. A
//! window would load the items of its queues one cache miss after the other. Loaded ahead, the
//! misses overlap.

use std::collections::VecDeque;

/// Bytes of a cache line.
const LINE: usize = 64;
/// Most cache lines of a queue that are prefetched: about as many as a window reads.
const MAX_LINES: usize = 4;

/// Loads the first items of a queue, one per cache line, and adds them to `sum`. Also loads the
/// last item, after which the next one is pushed.
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
