//! Calls into parsers of other crates, which panic on some damaged files.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is expected, so that it is not printed.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// The result of `read`. Its panic is not printed, but returned as an error.
pub fn without_panic<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if !EXPECTED.get() {
                previous(info);
            }
        }));
    });
    let before = EXPECTED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    EXPECTED.set(before);
    result.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the reader failed").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_message() {
        assert_eq!(without_panic(|| 7), Ok(7));
        let damaged = || -> u32 { panic!("column {} is damaged", 3) };
        assert_eq!(without_panic(damaged), Err("column 3 is damaged".into()));
        let failed = || -> u32 { std::panic::panic_any(7_u8) };
        assert_eq!(without_panic(failed), Err("the reader failed".into()));
        assert!(!EXPECTED.get());
    }
}
