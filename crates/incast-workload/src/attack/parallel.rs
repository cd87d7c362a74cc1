//! Parallel QPs (dissertation, §3.5.1): one message over several QPs to the same destination, all
//! at once. If each QP gets its fair share, k QPs get k shares.
//!
//! With `piece`, a message has ⌈size/piece⌉ pieces, and the last has the remaining bytes (§3.6.2: a
//! flow of 1 MB becomes six of 150 KB and one of 100 KB). With `qps`, a message has that number of
//! pieces, equal to within a byte. Piece i takes lane i.

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

/// The size of piece `index` of equal pieces; if the size does not divide, the first ones have a
/// byte more.
fn share(size: Bytes, index: u64, pieces: u64) -> Bytes {
    let (each, rest) = (size.as_u64() / pieces, size.as_u64() % pieces);
    Bytes::new(each + u64::from(index < rest))
}
