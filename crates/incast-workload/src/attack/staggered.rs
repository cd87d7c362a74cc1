//! Staggered QPs (dissertation, §3.5.2): one piece after the other, each on a new QP. A QP sends at
//! line rate until its first feedback arrives. So pieces of one BDP each, one base RTT apart, are
//! never slowed down.
//!
//! Piece i starts i·`spacing` after the message, on lane i: it does not wait for the piece before.

use super::{Attack, AttackNumbers};
use crate::flow::Flow;

#[derive(Debug)]
pub(super) struct Staggered;

impl Attack for Staggered {
    fn pieces(&self, message: &Flow, numbers: &AttackNumbers) -> u64 {
        numbers.cuts(message)
    }

    fn piece(&self, message: &Flow, index: u64, numbers: &AttackNumbers) -> (Flow, u16) {
        let piece = Flow {
            start: numbers.start(message, index),
            size: numbers.cut(message, index),
            ..*message
        };
        (piece, index as u16)
    }
}
