//! No control: an operation is injected as soon as the link and the receiver's buffer allow.

use super::{ControlState, InjectionControl, OwnOperation};
use crate::packet::Cycle;

/// No control.
#[derive(Debug, Default)]
pub(super) struct NoInjectionControl {
    outstanding: u32,
}

impl InjectionControl for NoInjectionControl {
    fn may_inject_from(&mut self, now: Cycle, _: &OwnOperation) -> Cycle {
        now
    }

    fn on_injection(&mut self, _: Cycle, _: &OwnOperation, _: Cycle) {
        self.outstanding += 1;
    }

    fn on_completion(&mut self, _: Cycle, _: &OwnOperation, _: Cycle) {
        self.outstanding -= 1;
    }

    fn state(&mut self, _: Cycle) -> ControlState {
        ControlState {
            outstanding: self.outstanding,
            ..ControlState::default()
        }
    }
}
