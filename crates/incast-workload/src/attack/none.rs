//! No attack: the baseline for comparisons with attacks. Flows have roles, and all messages stay
//! whole.

use super::{Attack, AttackNumbers};
use crate::flow::Flow;

#[derive(Debug)]
pub(super) struct Untouched;

impl Attack for Untouched {
    fn pieces(&self, _message: &Flow, _numbers: &AttackNumbers) -> u64 {
        1
    }

    fn piece(&self, message: &Flow, _index: u64, _numbers: &AttackNumbers) -> (Flow, u16) {
        (*message, 0)
    }
}
