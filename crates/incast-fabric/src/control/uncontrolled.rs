//! No control: an operation is injected as soon as the link and the receiver's buffer allow.

use incast_diagnostic::Diagnostic;

use super::parameters::parameters;
use super::scheme_options::SchemeOptions;
use super::{ControlState, InjectionControl, OwnOperation};
use crate::group::Group;
use crate::packet::Cycle;

/// Options of the scheme without control: none.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct UncontrolledOptions {}

parameters! { UncontrolledOptions {} }

impl SchemeOptions for UncontrolledOptions {
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn build(&self, _: u64, _: u16, _: u16, _: &[Group]) -> Box<dyn InjectionControl> {
        Box::new(NoInjectionControl::default())
    }
}

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
