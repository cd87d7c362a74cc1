//! How long a run takes.

use std::time::{Duration, Instant};

use incast_engine::thread_cpu_time;

/// Time on the clock and of this thread on the processor.
pub(super) struct Stopwatch {
    wall: Instant,
    cpu: Option<Duration>,
    /// What was counted before.
    before: (Duration, Duration),
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self::resume((Duration::ZERO, Duration::ZERO))
    }

    /// One that has counted this much.
    pub(super) fn resume(before: (Duration, Duration)) -> Self {
        Self {
            wall: Instant::now(),
            cpu: thread_cpu_time(),
            before,
        }
    }

    /// Wall and processor time; the wall time twice where the system does not count processor time.
    pub(super) fn elapsed(&self) -> (Duration, Duration) {
        let wall = self.wall.elapsed();
        let cpu = thread_cpu_time()
            .zip(self.cpu)
            // A copy of the process, which an algorithm outside of this program may make, has a
            // clock of its own.
            .map(|(now, start)| now.saturating_sub(start));
        let (wall_before, cpu_before) = self.before;
        (wall + wall_before, cpu.unwrap_or(wall) + cpu_before)
    }
}
