//! Links, if each serves all flows alike that are there: how long they live.
//!
//! A flow is at the link of its source and at its bottleneck beyond, and lives until both have
//! served it; what happens at one does not change the other.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Flows of an entry between the same hosts that start together.
#[derive(Copy, Clone, Debug)]
pub(super) struct Visit {
    /// The number of their traffic entry.
    pub(super) entry: u16,
    /// How many flows they are; they follow each other.
    pub(super) flows: f64,
    /// How long the links of their source and their bottleneck take for all of them, in ps, each
    /// alone.
    pub(super) times: [f64; 2],
}

/// The links of all hosts.
pub(super) struct SharedLinks {
    /// By host: its link. By port: its link as a bottleneck.
    sources: Vec<SharedLink>,
    bottlenecks: Vec<SharedLink>,
    lives: Lives,
}

/// How long flows have lived, from their start until their senders know that they are served.
struct Lives {
    /// What happens later does not count, in ps.
    stop: f64,
    /// Time from when a flow is served until its sender knows, in ps.
    base_rtt: f64,
    /// By visit: how long it was at the link that served it first, in ps.
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

    /// Adds flows from a host through a port that start now, and not before any that were added.
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

    /// How long all flows have lived by the end: by entry, summed, in ps.
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
    /// What a visit would have been served so far that has been there from the beginning, in ps.
    service: f64,
    /// Who is served; who leaves first is first.
    visits: BinaryHeap<Reverse<Served>>,
}

/// A visit that is served.
#[derive(Copy, Clone)]
struct Served {
    visit: Visit,
    /// Visits are counted from 0.
    number: usize,
    began: f64,
    /// The service at which it leaves.
    until: f64,
}

impl SharedLink {
    /// Begins to serve flows that take so long alone.
    fn begin(&mut self, visit: Visit, number: usize, time: f64) {
        self.visits.push(Reverse(Served {
            visit,
            number,
            began: self.now,
            until: self.service + time,
        }));
    }

    /// Serves all until a moment.
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
    /// Adds flows that one of their links has served, or that are cut off.
    fn add(&mut self, served: &Served, now: f64) {
        let time = now - served.began;
        let Some(sooner) = self.sooner[served.number].replace(time) else {
            return;
        };
        let Visit { entry, flows, .. } = served.visit;
        // Of flows that follow each other, the one in the middle stands for all.
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

    /// Alone until 30, the first has 70 left; with the second's 20 both get half: the second leaves
    /// at 70, the first at 120. What happens after 50 does not count.
    #[test]
    fn flows_that_meet_are_served_alike() {
        assert_eq!(meet(f64::MAX), [120.0, 40.0]);
        assert_eq!(meet(50.0), [50.0, 20.0]);
    }

    /// Two flows of 10 from host 0 leave it at 20, and share no bottleneck. A link four times as
    /// fast they leave at 5, and their bottlenecks at 10. A sender knows after one more.
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
