//! Shuffled overlay (dissertation, §3.5.3): every base RTT the attacker sends on another pair of
//! source and destination, so that no congestion state of a QP or pair slows the attacker down.
//!
//! The attackers own n hosts. Over these there are n - 1 rings of equal cost that share no pair of
//! hosts ([`Rings`]). A message from s to d is cut as under the staggered attack, and its pieces go
//! along one ring after the other. Let d follow s in ring r of c rings. Then piece i goes from s to
//! the host that follows s in ring (r + i) mod c. If no ring has the pair (s, d), for instance
//! because d is not an attacker's host, the first piece goes to d, and piece i along ring (i - 1)
//! mod c. So the first piece has the destination of the message. Each of the next c - 1 pieces has
//! a new destination. Each host sends as much as without the attack.
//!
//! With `overlays` = k, k pieces start together along k rings (the paper's parallel form), and the
//! next k pieces a spacing later. Piece i takes lane ⌊i/c⌋, so that the QPs to one destination have
//! different lanes.

use incast_units::HostId;

use super::{Attack, AttackNumbers};
use crate::flow::Flow;
use crate::rings::Rings;

#[derive(Debug)]
pub(super) struct Shuffled;

impl Attack for Shuffled {
    fn pieces(&self, message: &Flow, numbers: &AttackNumbers) -> u64 {
        numbers.cuts(message)
    }

    fn piece(&self, message: &Flow, index: u64, numbers: &AttackNumbers) -> (Flow, u16) {
        let turn = index / u64::from(numbers.overlays);
        let overlay = numbers.overlay.as_ref();
        let along = overlay.and_then(|overlay| overlay.destination(message, index));
        let (destination, lane) = along.unwrap_or((message.destination, index as u16));
        let piece = Flow {
            start: numbers.start(message, turn),
            size: numbers.cut(message, index),
            destination,
            ..*message
        };
        (piece, lane)
    }

    fn takes_rings(&self) -> bool {
        true
    }
}

/// The rings of the attackers' hosts.
#[derive(Debug)]
pub(super) struct Overlay {
    /// In order.
    hosts: Vec<HostId>,
    rings: Rings,
}

impl Overlay {
    /// Rings over these hosts, which are at least two, in ascending order.
    pub(super) fn over(hosts: Vec<HostId>) -> Self {
        let rings = Rings::new(hosts.len() as u32);
        Self { hosts, rings }
    }

    /// The destination and the lane of piece `index`, if it goes along a ring.
    fn destination(&self, message: &Flow, index: u64) -> Option<(HostId, u16)> {
        let place = |host| self.hosts.binary_search(&host).ok().map(|at| at as u32);
        let source = place(message.source)?;
        let own = place(message.destination).and_then(|to| self.rings.with_pair(source, to));
        let rings = u64::from(self.rings.count());
        let turn = match own {
            Some(own) => u64::from(own) + index,
            None => index.checked_sub(1)?,
        };
        let next = self.rings.after((turn % rings) as u32, source);
        Some((self.hosts[next as usize], (index / rings) as u16))
    }
}
