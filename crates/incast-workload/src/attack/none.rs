//! No attack: the base line that attacks are compared with. Attackers are known by name, and their
//! messages pass whole.

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
