//! The processor's clock: how long a thread has run, as opposed to how long it has existed.

use std::time::Duration;

/// Processor time that the calling thread has used so far; `None` on a system that does not count
/// it.
pub fn thread_cpu_time() -> Option<Duration> {
    read()
}

#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "openbsd",
    target_os = "dragonfly",
    target_vendor = "apple"
))]
fn read() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Some(Duration::new(seconds.ok()?, nanoseconds.ok()?))
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "openbsd",
    target_os = "dragonfly",
    target_vendor = "apple"
)))]
fn read() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::thread;

    use super::*;

    /// A thread that sleeps for 50 ms uses less processor time than 50 ms; a thread that works uses
    /// some.
    #[test]
    fn sleep_does_not_count() {
        let Some(start) = thread_cpu_time() else {
            return;
        };
        thread::sleep(Duration::from_millis(50));
        let slept = thread_cpu_time().map(|now| now - start);
        assert!(slept < Some(Duration::from_millis(40)), "{slept:?}");
        black_box((0..1_000_000_u64).map(black_box).sum::<u64>());
        let worked = thread_cpu_time().map(|now| now - start);
        assert!(worked > slept, "{worked:?}");
    }
}
