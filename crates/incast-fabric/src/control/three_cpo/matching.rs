//! Matching of own and remote operations of one group, for one type of traffic (§6.2.2).
//!
//! ```text
//! unmatched[j]     own flits not matched by member j's (+), or j's not matched by own (−)
//! outstanding[j]   −(flits of j's that have not expired)
//! local            own flits outstanding
//! outstanding[j] ≤ unmatched[j] ≤ local
//! ```

use std::collections::VecDeque;

use crate::packet::Cycle;

/// Flits of a remote operation that can be matched until they expire.
#[derive(Copy, Clone, Debug)]
struct RemoteFlits {
    arrived: Cycle,
    from: u16,
    flits: i32,
}

/// The arrays of one group and one type of traffic; members by number.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    own: usize,
    unmatched: Vec<i32>,
    outstanding: Vec<i32>,
    local: i32,
    remote: VecDeque<RemoteFlits>,
}

impl Matching {
    /// For the endpoint `own` of this many.
    pub(super) fn new(own: u16, endpoints: u16) -> Self {
        Self {
            own: own.into(),
            unmatched: vec![0; endpoints.into()],
            outstanding: vec![0; endpoints.into()],
            local: 0,
            remote: VecDeque::new(),
        }
    }

    /// An own operation is injected. Says how many remote flits it matches.
    pub(super) fn send(&mut self, flits: i32, members: &[u16]) -> i32 {
        let mut matched = 0;
        for &member in members {
            let member = usize::from(member);
            if member != self.own {
                let unmatched = &mut self.unmatched[member];
                matched += (-*unmatched).clamp(0, flits);
                *unmatched += flits;
            }
        }
        self.local += flits;
        matched
    }

    /// A remote operation arrives. Says how many own flits it matches.
    pub(super) fn receive(&mut self, from: u16, flits: i32, now: Cycle) -> i32 {
        let member = usize::from(from);
        let matched = self.unmatched[member].clamp(0, flits);
        self.unmatched[member] -= flits;
        self.outstanding[member] -= flits;
        let arrived = now;
        self.remote.push_back(RemoteFlits {
            arrived,
            from,
            flits,
        });
        matched
    }

    /// An own operation completes: what it sent contends no more.
    pub(super) fn complete(&mut self, flits: i32) {
        self.local -= flits;
        let local = self.local;
        for unmatched in &mut self.unmatched {
            *unmatched = (*unmatched).min(local);
        }
    }

    /// Forgets remote operations that arrived `hold` cycles ago, the oldest first.
    pub(super) fn expire(&mut self, now: Cycle, hold: Cycle) {
        while let Some(oldest) = self.remote.front()
            && oldest.arrived.saturating_add(hold) <= now
        {
            let member = usize::from(oldest.from);
            self.outstanding[member] += oldest.flits;
            self.unmatched[member] = self.unmatched[member].max(self.outstanding[member]);
            self.remote.pop_front();
        }
    }

    /// Own flits unmatched, remote flits unmatched, over all members.
    pub(super) fn unmatched(&self) -> (u64, u64) {
        let sum = |sign: i32| {
            let positive = self
                .unmatched
                .iter()
                .map(|&flits| (sign * flits).max(0) as u64);
            positive.sum()
        };
        (sum(1), sum(-1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [u16; 4] = [0, 1, 2, 3];

    fn unmatched(matching: &Matching) -> &[i32] {
        &matching.unmatched[..3]
    }

    /// Fig. 6.5, endpoint 3 of four, operations of one flit: three remote ones come and take
    /// nothing; the first own one matches them, 1 + 3 = 4 tokens; the second has none to match,
    /// 1 token; then each remote one takes 1.
    #[test]
    fn operations_match_as_in_figure_6_5() {
        let mut matching = Matching::new(3, 4);
        for from in 0..3 {
            assert_eq!(matching.receive(from, 1, 0), 0);
        }
        assert_eq!(unmatched(&matching), [-1, -1, -1]);
        assert_eq!(1 + matching.send(1, &ALL), 4);
        assert_eq!(unmatched(&matching), [0, 0, 0]);
        assert_eq!(1 + matching.send(1, &ALL), 1);
        assert_eq!(unmatched(&matching), [1, 1, 1]);
        for from in 0..3 {
            assert_eq!(matching.receive(from, 1, 9), 1);
        }
        assert_eq!(unmatched(&matching), [0, 0, 0]);
    }

    /// Fig. 6.6: two own operations, of which member 2 matches one. After the first response one
    /// own flit is outstanding, and no entry exceeds that; after the second none is. Remote
    /// operations that come later take nothing.
    #[test]
    fn completed_operations_match_no_more_as_in_figure_6_6() {
        let mut matching = Matching::new(3, 4);
        matching.send(1, &ALL);
        matching.receive(0, 1, 1);
        matching.receive(1, 1, 1);
        matching.receive(2, 1, 1);
        matching.receive(2, 1, 1);
        matching.send(1, &ALL);
        assert_eq!(unmatched(&matching), [1, 1, 0]);
        matching.complete(1);
        assert_eq!(unmatched(&matching), [1, 1, 0]);
        matching.complete(1);
        assert_eq!(unmatched(&matching), [0, 0, 0]);
        assert_eq!(matching.receive(0, 1, 500), 0);
        assert_eq!(matching.receive(1, 1, 500), 0);
    }

    /// Fig. 6.7: remote operations of 0 at cycles 10 and 20, of 1 at 20, held for 100 cycles. At
    /// 110 the first expires: outstanding[0] goes from −2 to −1 and takes unmatched along; at 120
    /// all are forgotten, and an own operation matches nothing.
    #[test]
    fn remote_operations_expire_as_in_figure_6_7() {
        let mut matching = Matching::new(3, 4);
        for (from, now) in [(0, 10), (0, 20), (1, 20)] {
            matching.receive(from, 1, now);
        }
        matching.expire(109, 100);
        assert_eq!(unmatched(&matching), [-2, -1, 0]);
        matching.expire(110, 100);
        assert_eq!(unmatched(&matching), [-1, -1, 0]);
        assert_eq!(matching.outstanding[..3], [-1, -1, 0]);
        matching.expire(120, 100);
        assert_eq!(unmatched(&matching), [0, 0, 0]);
        assert_eq!(matching.send(1, &ALL), 0);
    }

    /// An own operation takes an entry from −1 to 0 while outstanding is −1; expiry then takes
    /// outstanding to 0 and leaves unmatched.
    #[test]
    fn what_is_matched_does_not_expire_again() {
        let mut matching = Matching::new(3, 4);
        matching.receive(0, 9, 0);
        assert_eq!(matching.send(9, &[0, 3]), 9);
        matching.expire(100, 100);
        assert_eq!((matching.unmatched[0], matching.outstanding[0]), (0, 0));
    }

    /// A write of 9 flits matches 9 of the 10 that came; own flits beyond count as own.
    #[test]
    fn an_operation_matches_no_more_than_its_own_flits() {
        let mut matching = Matching::new(3, 4);
        matching.receive(0, 9, 0);
        matching.receive(0, 1, 0);
        assert_eq!(matching.send(9, &[0, 3]), 9);
        assert_eq!(matching.unmatched[0], -1);
        assert_eq!(matching.send(9, &[0, 3]), 1);
        assert_eq!(matching.unmatched(), (8, 0));
    }
}
