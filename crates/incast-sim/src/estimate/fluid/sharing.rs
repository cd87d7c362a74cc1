//! Links that share their rate equally among their flows; this gives the lifetimes of flows.
//!
//! A flow is at its source's link and at its bottleneck, and lives until both have served it. The
//! two links do not influence each other.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Flows of one entry that start together, between the same two hosts.
#[derive(Copy, Clone, Debug)]
pub(super) struct Visit {
    /// The number of the traffic entry.
    pub(super) entry: u16,
    /// Number of flows, which follow each other on the link.
    pub(super) flows: f64,
    /// Time for all of the flows alone, in ps, at their source's link and at their bottleneck.
    pub(super) times: [f64; 2],
}

/// The links of all hosts and ports.
pub(super) struct SharedLinks {
    /// The link of each host, for flows from it; and of each port, for flows whose bottleneck it
    /// is.
    sources: Vec<SharedLink>,
    bottlenecks: Vec<SharedLink>,
    lives: Lives,
}

/// Lifetimes of flows: from start until the last ACK.
struct Lives {
    /// The stop time in ps, at which lifetimes are cut off.
    stop: f64,
    /// Time in ps from the end of a flow's service to its last ACK.
    base_rtt: f64,
    /// For each visit, its time in ps at the link that served it first; `None` while neither has.
    sooner: Vec<Option<f64>>,
    /// Summed, in ps.
    by_entry: Vec<f64>,
}

impl SharedLinks {
    pub(super) fn new(
        [hosts, ports]: [usize; 2],
        entries: usize,
        stop: f64,
        base_rtt: f64,
    ) -> Self {
        Self {
            sources: vec![SharedLink::default(); hosts],
            bottlenecks: vec![SharedLink::default(); ports],
            lives: Lives {
                stop,
                base_rtt,
                sooner: Vec::new(),
                by_entry: vec![0.0; entries],
            },
        }
    }

    /// Adds flows from a host, with their bottleneck at a port. They start no earlier than those
    /// before.
    pub(super) fn add(&mut self, [source, bottleneck]: [usize; 2], start: f64, visit: Visit) {
        let number = self.lives.sooner.len();
        self.lives.sooner.push(None);
        let moment = start.min(self.lives.stop);
        let links = [&mut self.sources[source], &mut self.bottlenecks[bottleneck]];
        for (link, time) in links.into_iter().zip(visit.times) {
            link.follow(moment, &mut self.lives);
            link.begin(visit, number, time);
        }
    }

    /// The sum of lifetimes up to the stop time for each traffic entry, in ps.
    pub(super) fn end(mut self) -> Vec<f64> {
        for link in self.sources.iter_mut().chain(&mut self.bottlenecks) {
            link.follow(self.lives.stop, &mut self.lives);
            for Reverse(one) in std::mem::take(&mut link.visits) {
                self.lives.add(&one, link.now);
            }
        }
        self.lives.by_entry
    }
}

#[derive(Clone, Default)]
struct SharedLink {
    now: f64,
    /// The service, in ps, that a visit would have got since the beginning: the integral of 1 over
    /// the number of visits.
    service: f64,
    /// The visits in service; the one that ends first is at the top.
    visits: BinaryHeap<Reverse<Served>>,
}

/// A visit in service.
#[derive(Copy, Clone)]
struct Served {
    visit: Visit,
    /// The number of the visit, counted from 0.
    number: usize,
    began: f64,
    /// The link's `service` at which the visit ends.
    until: f64,
}

impl SharedLink {
    /// Adds flows that take `time` alone.
    fn begin(&mut self, visit: Visit, number: usize, time: f64) {
        self.visits.push(Reverse(Served {
            visit,
            number,
            began: self.now,
            until: self.service + time,
        }));
    }

    /// Advances the link to `moment`.
    fn follow(&mut self, moment: f64, lives: &mut Lives) {
        while let Some(Reverse(first)) = self.visits.peek().copied() {
            let served = self.visits.len() as f64;
            let end = self.now + (first.until - self.service).max(0.0) * served;
            if end > moment {
                self.pass((moment - self.now).max(0.0));
                break;
            }
            self.pass(end - self.now);
            self.visits.pop();
            lives.add(&first, self.now);
        }
        self.now = self.now.max(moment);
    }

    fn pass(&mut self, time: f64) {
        self.now += time;
        self.service += time / self.visits.len() as f64;
    }
}

impl Lives {
    /// Notes that one of the two links has served the flows, or that the run stops.
    fn add(&mut self, served: &Served, now: f64) {
        let time = now - served.began;
        let Some(sooner) = self.sooner[served.number].replace(time) else {
            return;
        };
        let Visit { entry, flows, .. } = served.visit;
        // The mean lifetime of flows that follow each other is that of the middle one.
        let middle = (1.0 + 1.0 / flows) / 2.0;
        let life = middle * time.max(sooner) + self.base_rtt;
        self.by_entry[usize::from(entry)] += flows * life.min(self.stop - served.began);
    }
}

impl Ord for Served {
    fn cmp(&self, other: &Self) -> Ordering {
        self.until.total_cmp(&other.until)
    }
}

impl PartialOrd for Served {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Served {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Served {}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(entry: u16, times: [f64; 2]) -> Visit {
        Visit {
            entry,
            flows: 1.0,
            times,
        }
    }

    /// Two flows from hosts 0 and 1 to host 2.
    fn meet(stop: f64) -> Vec<f64> {
        let mut links = SharedLinks::new([3, 3], 2, stop, 0.0);
        links.add([0, 2], 0.0, visit(0, [100.0; 2]));
        links.add([1, 2], 30.0, visit(1, [20.0; 2]));
        links.end()
    }

    /// Alone until 30, the first flow has 70 left; with the second flow of 20, each gets half: the
    /// second ends at 70, the first at 120. With a stop time of 50, both end at 50.
    #[test]
    fn flows_that_meet_are_served_alike() {
        assert_eq!(meet(f64::MAX), [120.0, 40.0]);
        assert_eq!(meet(50.0), [50.0, 20.0]);
    }

    /// Two flows of 10 from host 0 end there at 20, with different bottlenecks. With a host link
    /// four times as fast they end at 5 there, and at their bottlenecks at 10. The last ACK takes 1
    /// more.
    #[test]
    fn flows_live_until_both_links_have_served_them() {
        for (at_source, both) in [(10.0, 42.0), (2.5, 22.0)] {
            let mut links = SharedLinks::new([3, 3], 1, f64::MAX, 1.0);
            for destination in [1, 2] {
                links.add([0, destination], 0.0, visit(0, [at_source, 10.0]));
            }
            assert_eq!(links.end(), [both]);
        }
    }

    /// Four flows of 10 that follow each other live 10, 20, 30 and 40.
    #[test]
    fn flows_of_a_visit_follow_each_other() {
        let mut links = SharedLinks::new([2, 2], 1, f64::MAX, 0.0);
        let four = Visit {
            flows: 4.0,
            ..visit(0, [40.0; 2])
        };
        links.add([0, 1], 0.0, four);
        assert_eq!(links.end(), [100.0]);
    }
}
