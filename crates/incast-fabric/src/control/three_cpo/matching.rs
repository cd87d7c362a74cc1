//! Matching of own and remote operations of one group, for both types of traffic (§6.2.2).
//!
//! ```text
//! unmatched[j]     own flits not matched by member j's (+), or j's not matched by own (−)
//! outstanding[j]   −(flits of j's that have not expired)
//! local            own flits outstanding
//! outstanding[j] ≤ unmatched[j] ≤ local
//! ```

use std::collections::VecDeque;

use crate::packet::Cycle;

/// Flits of requests and flits of responses.
pub(super) type Flits = [i32; 2];

/// A remote operation that can be matched until it expires.
#[derive(Copy, Clone, Debug)]
struct RemoteFlits {
    arrived: Cycle,
    from: u16,
    flits: [u16; 2],
}

/// Of one member.
#[derive(Copy, Clone, Debug, Default)]
struct MemberFlits {
    unmatched: Flits,
    outstanding: Flits,
}

/// The arrays of the matching in one group.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    own: usize,
    /// By endpoint.
    members: Vec<MemberFlits>,
    local: Flits,
    remote: VecDeque<RemoteFlits>,
}

impl Matching {
    /// The matching of endpoint `own` in a fabric of `endpoints` endpoints.
    pub(super) fn new(own: u16, endpoints: u16) -> Self {
        Self {
            own: own.into(),
            members: vec![MemberFlits::default(); endpoints.into()],
            local: [0; 2],
            remote: VecDeque::new(),
        }
    }

    /// An own operation is injected. Returns the remote flits that it matches.
    pub(super) fn send(&mut self, flits: Flits, members: &[u16]) -> Flits {
        let mut matched = [0; 2];
        for &member in members {
            let member = usize::from(member);
            if member != self.own {
                let unmatched = &mut self.members[member].unmatched;
                for side in 0..2 {
                    matched[side] += (-unmatched[side]).clamp(0, flits[side]);
                    unmatched[side] += flits[side];
                }
            }
        }
        for (local, flits) in self.local.iter_mut().zip(flits) {
            *local += flits;
        }
        matched
    }

    /// A remote operation arrives. Returns the own flits that it matches.
    #[inline]
    pub(super) fn receive(&mut self, from: u16, flits: Flits, now: Cycle) -> Flits {
        let member = &mut self.members[usize::from(from)];
        let mut matched = [0; 2];
        for side in 0..2 {
            matched[side] = member.unmatched[side].clamp(0, flits[side]);
            member.unmatched[side] -= flits[side];
            member.outstanding[side] -= flits[side];
        }
        self.remote.push_back(RemoteFlits {
            arrived: now,
            from,
            flits: flits.map(|flits| u16::try_from(flits).expect("fewer flits than 2^16")),
        });
        matched
    }

    /// An own operation completes: its flits no longer contend.
    pub(super) fn complete(&mut self, flits: Flits) {
        for (local, flits) in self.local.iter_mut().zip(flits) {
            *local -= flits;
        }
        let local = self.local;
        for member in &mut self.members {
            for (unmatched, local) in member.unmatched.iter_mut().zip(local) {
                *unmatched = (*unmatched).min(local);
            }
        }
    }

    /// Forgets remote operations that arrived `hold` cycles ago, the oldest first.
    #[inline]
    pub(super) fn expire(&mut self, now: Cycle, hold: Cycle) {
        while let Some(&oldest) = self.remote.front()
            && oldest.arrived.saturating_add(hold) <= now
        {
            self.remote.pop_front();
            let member = &mut self.members[usize::from(oldest.from)];
            for side in 0..2 {
                member.outstanding[side] += i32::from(oldest.flits[side]);
                member.unmatched[side] = member.unmatched[side].max(member.outstanding[side]);
            }
        }
    }

    /// Unmatched own flits and unmatched remote flits over all members, by type.
    pub(super) fn unmatched(&self) -> [(u64, u64); 2] {
        [0, 1].map(|side| {
            let sum = |sign: i32| {
                let flits = self.members.iter().map(|member| member.unmatched[side]);
                flits.map(|flits| (sign * flits).max(0) as u64).sum()
            };
            (sum(1), sum(-1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [u16; 4] = [0, 1, 2, 3];

    /// `flits` flits of each type.
    fn both(flits: i32) -> Flits {
        [flits; 2]
    }

    /// The values of members 0, 1 and 2; asserts that both types agree.
    fn of_three(matching: &Matching, flits: impl Fn(&MemberFlits) -> Flits) -> [i32; 3] {
        [0, 1, 2].map(|member| {
            let [requests, responses] = flits(&matching.members[member]);
            assert_eq!(requests, responses);
            requests
        })
    }

    fn unmatched(matching: &Matching) -> [i32; 3] {
        of_three(matching, |member| member.unmatched)
    }

    /// Fig. 6.5, endpoint 3 of four, operations of one flit. Three remote operations come and take
    /// nothing. The first own operation matches all three: 1 + 3 = 4 tokens. The second finds none
    /// to match: 1 token. Then each remote operation takes 1.
    #[test]
    fn operations_match_as_in_figure_6_5() {
        let mut matching = Matching::new(3, 4);
        for from in 0..3 {
            assert_eq!(matching.receive(from, both(1), 0), both(0));
        }
        assert_eq!(unmatched(&matching), [-1, -1, -1]);
        assert_eq!(matching.send(both(1), &ALL), both(4 - 1));
        assert_eq!(unmatched(&matching), [0, 0, 0]);
        assert_eq!(matching.send(both(1), &ALL), both(0));
        assert_eq!(unmatched(&matching), [1, 1, 1]);
        for from in 0..3 {
            assert_eq!(matching.receive(from, both(1), 9), both(1));
        }
        assert_eq!(unmatched(&matching), [0, 0, 0]);
    }

    /// Fig. 6.6: two own operations, of which member 2 matches one. After the first response one
    /// own flit is outstanding, and no entry exceeds 1. After the second response no own flit is
    /// outstanding. Remote operations that come later take nothing.
    #[test]
    fn completed_operations_match_no_more_as_in_figure_6_6() {
        let mut matching = Matching::new(3, 4);
        matching.send(both(1), &ALL);
        matching.receive(0, both(1), 1);
        matching.receive(1, both(1), 1);
        matching.receive(2, both(1), 1);
        matching.receive(2, both(1), 1);
        matching.send(both(1), &ALL);
        assert_eq!(unmatched(&matching), [1, 1, 0]);
        matching.complete(both(1));
        assert_eq!(unmatched(&matching), [1, 1, 0]);
        matching.complete(both(1));
        assert_eq!(unmatched(&matching), [0, 0, 0]);
        assert_eq!(matching.receive(0, both(1), 500), both(0));
        assert_eq!(matching.receive(1, both(1), 500), both(0));
    }

    /// Fig. 6.7: member 0's operations come at cycles 10 and 20, member 1's at 20; the hold is 100
    /// cycles. At 110 the first expires: outstanding[0] goes from −2 to −1, and unmatched[0] with
    /// it. At 120 all are forgotten, and an own operation matches nothing.
    #[test]
    fn remote_operations_expire_as_in_figure_6_7() {
        let mut matching = Matching::new(3, 4);
        for (from, now) in [(0, 10), (0, 20), (1, 20)] {
            matching.receive(from, both(1), now);
        }
        matching.expire(109, 100);
        assert_eq!(unmatched(&matching), [-2, -1, 0]);
        matching.expire(110, 100);
        assert_eq!(unmatched(&matching), [-1, -1, 0]);
        assert_eq!(
            of_three(&matching, |member| member.outstanding),
            [-1, -1, 0]
        );
        matching.expire(120, 100);
        assert_eq!(unmatched(&matching), [0, 0, 0]);
        assert_eq!(matching.send(both(1), &ALL), both(0));
    }

    /// An own operation raises unmatched from −1 to 0 while outstanding is −1. Expiry then raises
    /// outstanding to 0 and leaves unmatched at 0.
    #[test]
    fn what_is_matched_does_not_expire_again() {
        let mut matching = Matching::new(3, 4);
        matching.receive(0, both(9), 0);
        assert_eq!(matching.send(both(9), &[0, 3]), both(9));
        matching.expire(100, 100);
        assert_eq!(unmatched(&matching)[0], 0);
        assert_eq!(of_three(&matching, |member| member.outstanding)[0], 0);
    }

    /// A write of 9 flits matches 9 of 10 remote flits. Own flits beyond the remote ones stay
    /// unmatched.
    #[test]
    fn an_operation_matches_no_more_than_its_own_flits() {
        let mut matching = Matching::new(3, 4);
        matching.receive(0, both(9), 0);
        matching.receive(0, both(1), 0);
        assert_eq!(matching.send(both(9), &[0, 3]), both(9));
        assert_eq!(unmatched(&matching)[0], -1);
        assert_eq!(matching.send(both(9), &[0, 3]), both(1));
        assert_eq!(matching.unmatched(), [(8, 0); 2]);
    }
}
