//! A NIC's view of an algorithm.

use incast_units::Time;

use crate::{Ack, CongestionControl, SendLimit};

/// The controller of one flow: any [`CongestionControl`], as a NIC holds it.
///
/// A NIC asks for the limit after every ACK. Here handling the ACK and asking for the limit are one
/// virtual call.
pub trait FlowController: CongestionControl {
    /// Handles an ACK and writes the new limit into `limit`.
    fn answer_ack(&mut self, now: Time, ack: &Ack<'_>, limit: &mut SendLimit);
}

dyn_clone::clone_trait_object!(FlowController);

impl<T: CongestionControl> FlowController for T {
    fn answer_ack(&mut self, now: Time, ack: &Ack<'_>, limit: &mut SendLimit) {
        self.on_ack(now, ack);
        *limit = self.limit();
    }
}
