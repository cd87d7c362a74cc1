//! Long work that Ctrl-C ends at once.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;

/// Time between two looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Does work on a thread of its own, while this one looks for signals. What their handlers raise
/// ends the waiting; the work then goes on to its end, or that of the program, and its outcome is
/// dropped.
///
/// # Errors
/// What a signal's handler raises; or the system's, if it has no more threads.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    let worker = std::thread::Builder::new().spawn(move || {
        // After an interrupt, nothing waits for it any more.
        let _ = sender.send(work());
    })?;
    // A receiver may not be shared, but lent to the closure that waits without the interpreter.
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
