//! Long work that Ctrl-C ends at once.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;

/// Time between two checks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Runs `work` on a thread of its own, while this thread checks for signals. An exception of a
/// signal handler ends the waiting. The work then continues, at most until the program ends, and
/// its outcome is dropped.
///
/// # Errors
/// The exception of a signal handler; or the system's error, if it has no more threads.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    let worker = std::thread::Builder::new().spawn(move || {
        // After an interrupt no thread receives the outcome.
        let _ = sender.send(work());
    })?;
    // `detach` needs a closure that is `Send`: the mutex lets the closure borrow the receiver.
    let receiver = std::sync::Mutex::new(receiver);
    let wait = || {
        let receiver = receiver.lock().expect("one thread waits");
        receiver.recv_timeout(LOOK_EVERY)
    };
    loop {
        match py.detach(wait) {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    match worker.join() {
        Err(cause) => std::panic::resume_unwind(cause),
        Ok(()) => unreachable!("the work gives its outcome, or panics"),
    }
}
