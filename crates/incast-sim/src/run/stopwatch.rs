//! Measures the time of a run.

use std::time::{Duration, Instant};

use incast_engine::thread_cpu_time;

/// Wall-clock time, and processor time of this thread.
pub(super) struct Stopwatch {
    wall: Instant,
    cpu: Option<Duration>,
    /// Time that was measured before this stopwatch started.
    before: (Duration, Duration),
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self::resume((Duration::ZERO, Duration::ZERO))
    }

    /// A stopwatch that begins with this much time.
    pub(super) fn resume(before: (Duration, Duration)) -> Self {
        Self {
            wall: Instant::now(),
            cpu: thread_cpu_time(),
            before,
        }
    }

    /// Wall-clock and processor time; if the system does not measure processor time, wall-clock
    /// time twice.
    pub(super) fn elapsed(&self) -> (Duration, Duration) {
        let wall = self.wall.elapsed();
        let cpu = thread_cpu_time()
            .zip(self.cpu)
            // In a forked process, which an external algorithm may make, processor time begins at
            // zero.
            .map(|(now, start)| now.saturating_sub(start));
        let (wall_before, cpu_before) = self.before;
        (wall + wall_before, cpu.unwrap_or(wall) + cpu_before)
    }
}
