//! Parallel QPs (dissertation, §3.5.1): one message over several QPs to the same destination, all
//! at once. Where each QP gets its fair share, k QPs get k shares.
//!
//! With `piece` a message has ⌈size/piece⌉ pieces, the last one with what is left (§3.6.2: a 1 MB
//! flow becomes six of 150 KB and one of 100 KB); with `qps` it has that many, equal to within a
//! byte. Piece i takes lane i.

use incast_units::Bytes;

use super::{Attack, AttackNumbers};
use crate::flow::Flow;

#[derive(Debug)]
pub(super) struct Parallel;

impl Attack for Parallel {
    fn pieces(&self, message: &Flow, numbers: &AttackNumbers) -> u64 {
        match numbers.qps {
            Some(qps) => u64::from(qps).min(message.size.as_u64()),
            None => numbers.cuts(message),
        }
    }

    fn piece(&self, message: &Flow, index: u64, numbers: &AttackNumbers) -> (Flow, u16) {
        let size = match numbers.qps {
            Some(_) => share(message.size, index, self.pieces(message, numbers)),
            None => numbers.cut(message, index),
        };
        (Flow { size, ..*message }, index as u16)
    }
}

/// The size of one of this many equal pieces; the first ones have a byte more if it does not
/// divide.
fn share(size: Bytes, index: u64, pieces: u64) -> Bytes {
    let (each, rest) = (size.as_u64() / pieces, size.as_u64() % pieces);
    Bytes::new(each + u64::from(index < rest))
}
