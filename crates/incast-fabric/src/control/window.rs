//! Static windows limit the operations of a kind that are outstanding (SMMC; §6.1.4, Table 6.1).

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parameters::parameters;
use super::rate_limit::{RateLimit, RateLimitOptions};
use super::scheme_options::SchemeOptions;
use super::{ControlState, InjectionControl, OwnOperation};
use crate::group::Group;
use crate::packet::{Cycle, NEVER};

/// The operations that share one window.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowScope {
    /// Reads and writes have separate windows.
    Kind,
    /// All operations.
    All,
}

/// Options of static windows.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct WindowOptions {
    /// Most operations outstanding. There is no default: without a value, [`check`] fails.
    ///
    /// [`check`]: crate::ControlScheme::check
    pub window: Option<u32>,
    /// The operations that share one window.
    pub scope: WindowScope,
    /// The rate limit that applies in addition to the window.
    pub rate_limit: RateLimitOptions,
}

impl Default for WindowOptions {
    /// A window for each kind, whose size is still to be set.
    fn default() -> Self {
        Self {
            window: None,
            scope: WindowScope::Kind,
            rate_limit: RateLimitOptions::default(),
        }
    }
}

impl WindowOptions {
    /// A window of `window` operations for each kind.
    pub fn new(window: u32) -> Self {
        Self {
            window: Some(window),
            ..Self::default()
        }
    }
}

parameters! {
    WindowOptions {
        "window" => window,
            "Reads, and writes, that an endpoint may have outstanding. For scheme `window`.";
        "window_scope" => scope,
            "What a window limits: operations of each kind apart, or all together.";
        .. => rate_limit;
    }
}

impl SchemeOptions for WindowOptions {
    fn check(&self) -> Result<(), Diagnostic> {
        match self.window {
            None => {
                let what = "scheme `window` needs a window";
                Err(Diagnostic::new(what, "write window = 3").at("scheme"))
            }
            Some(0) => {
                let what = "a window of 0 lets nothing be sent";
                Err(Diagnostic::new(what, "write at least 1").at("window"))
            }
            Some(_) => self.rate_limit.check(),
        }
    }

    fn build(&self, seed: u64, endpoint: u16, _: u16, _: &[Group]) -> Box<dyn InjectionControl> {
        Box::new(StaticWindow::new(self, seed, endpoint))
    }
}

/// Static windows.
#[derive(Debug)]
pub(super) struct StaticWindow {
    window: u32,
    scope: WindowScope,
    rate_limit: RateLimit,
    /// Reads, writes.
    outstanding: [u32; 2],
}

impl StaticWindow {
    pub(super) fn new(options: &WindowOptions, seed: u64, endpoint: u16) -> Self {
        Self {
            window: options.window.unwrap_or_default(),
            scope: options.scope,
            rate_limit: RateLimit::new(&options.rate_limit, seed, endpoint),
            outstanding: [0; 2],
        }
    }
}

impl InjectionControl for StaticWindow {
    fn may_inject_from(&mut self, now: Cycle, operation: &OwnOperation) -> Cycle {
        let [reads, writes] = self.outstanding;
        let counted = match self.scope {
            WindowScope::Kind if operation.kind.is_write() => writes,
            WindowScope::Kind => reads,
            WindowScope::All => reads + writes,
        };
        if counted >= self.window {
            return NEVER;
        }
        self.rate_limit.may_inject_from(now, operation)
    }

    fn on_injection(&mut self, now: Cycle, operation: &OwnOperation, waited: Cycle) {
        self.outstanding[usize::from(operation.kind.is_write())] += 1;
        self.rate_limit.on_injection(now, operation, waited);
    }

    fn on_completion(&mut self, now: Cycle, operation: &OwnOperation, latency: Cycle) {
        self.outstanding[usize::from(operation.kind.is_write())] -= 1;
        self.rate_limit.on_completion(now, operation, latency);
    }

    fn state(&mut self, now: Cycle) -> ControlState {
        self.rate_limit.state(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::OperationKind;

    fn operation(kind: OperationKind) -> OwnOperation {
        OwnOperation {
            kind,
            target: 0,
            data: 8,
        }
    }

    /// With a window of 2 the third read waits for a response; a write does not wait.
    #[test]
    fn reads_and_writes_have_windows_of_their_own() {
        let mut window = StaticWindow::new(&WindowOptions::new(2), 1, 0);
        let (read, write) = (
            operation(OperationKind::ReadReduction),
            operation(OperationKind::WriteMulticast),
        );
        for now in [0, 100] {
            assert_eq!(window.may_inject_from(now, &read), now);
            window.on_injection(now, &read, 0);
        }
        assert_eq!(window.may_inject_from(200, &read), NEVER);
        assert_eq!(window.may_inject_from(200, &write), 200);
        window.on_completion(300, &read, 300);
        assert_eq!(window.may_inject_from(300, &read), 300);
    }

    #[test]
    fn a_window_of_nothing() {
        assert_eq!(
            WindowOptions::new(0).check().unwrap_err().to_string(),
            "window: a window of 0 lets nothing be sent; write at least 1"
        );
    }
}
