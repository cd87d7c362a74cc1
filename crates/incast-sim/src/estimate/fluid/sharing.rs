//! The links of hosts, if each serves all flows alike that are there: how long they live, and which
//! of them meet.
//!
//! A flow is at the link of its source and at that of its destination, and lives until both have
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
    /// Packets of each.
    pub(super) packets: f64,
    /// How long the links of their source and of their destination take for all of them, in ps,
    /// each alone.
    pub(super) times: [f64; 2],
}

/// What the flows of an entry spend, summed, in ps.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(super) struct Lives {
    /// From their start until their senders know that they are served.
    pub(super) all: f64,
    /// Of that, after their first packet, and beside others on their way into a host.
    pub(super) shared: f64,
    /// What links into hosts carry of them while there are several flows.
    pub(super) contended: f64,
}

/// The links of all hosts.
pub(super) struct SharedLinks {
    /// By host: the link from it, and that to it.
    from: Vec<SharedLink>,
    to: Vec<SharedLink>,
    sums: Sums,
}

/// What flows that have been served have spent.
struct Sums {
    /// What happens later does not count, in ps.
    stop: f64,
    /// From when a flow is served until its sender knows, in ps.
    base_rtt: f64,
    /// By visit: how long it was at the link that served it first, in ps.
    sooner: Vec<Option<f64>>,
    by_entry: Vec<Lives>,
}

impl SharedLinks {
    pub(super) fn new(hosts: usize, entries: usize, stop: f64, base_rtt: f64) -> Self {
        Self {
            from: vec![SharedLink::default(); hosts],
            to: vec![SharedLink::default(); hosts],
            sums: Sums {
                stop,
                base_rtt,
                sooner: Vec::new(),
                by_entry: vec![Lives::default(); entries],
            },
        }
    }

    /// Adds flows from one host to another that start now, and not before any that were added.
    pub(super) fn add(&mut self, [source, destination]: [usize; 2], start: f64, visit: Visit) {
        let number = self.sums.sooner.len();
        self.sums.sooner.push(None);
        let moment = start.min(self.sums.stop);
        let ends = [
            (&mut self.from[source], End::Source),
            (&mut self.to[destination], End::Destination),
        ];
        for (link, end) in ends {
            link.follow(moment, &mut self.sums);
            link.begin(Call { visit, number, end });
        }
    }

    /// What all flows have spent by the end.
    pub(super) fn end(mut self) -> Vec<Lives> {
        for link in self.from.iter_mut().chain(&mut self.to) {
            link.follow(self.sums.stop, &mut self.sums);
            for Reverse(one) in std::mem::take(&mut link.visits) {
                self.sums.add(&one, &link.progress);
            }
        }
        self.sums.by_entry
    }
}

/// What has happened at a link so far, in ps.
#[derive(Copy, Clone, Default)]
struct LinkProgress {
    now: f64,
    /// What a visit would have been served that has been there from the beginning; and of that,
    /// while there were several flows.
    service: f64,
    shared_service: f64,
    /// For how long there were several flows.
    shared: f64,
}

#[derive(Clone, Default)]
struct SharedLink {
    progress: LinkProgress,
    /// Who is served; who leaves first is first.
    visits: BinaryHeap<Reverse<Served>>,
    /// Flows of them.
    flows: f64,
}

/// A visit at one of its two links.
#[derive(Copy, Clone)]
struct Call {
    visit: Visit,
    /// Visits are counted from 0.
    number: usize,
    end: End,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum End {
    Source,
    Destination,
}

/// A visit that is served.
#[derive(Copy, Clone)]
struct Served {
    call: Call,
    began: LinkProgress,
    /// The service at which it leaves.
    until: f64,
}

impl SharedLink {
    fn begin(&mut self, call: Call) {
        self.flows += call.visit.flows;
        self.visits.push(Reverse(Served {
            call,
            began: self.progress,
            until: self.progress.service + call.visit.times[call.end as usize],
        }));
    }

    /// Serves all until a moment.
    fn follow(&mut self, moment: f64, sums: &mut Sums) {
        while let Some(Reverse(first)) = self.visits.peek().copied() {
            let visits = self.visits.len() as f64;
            let end = self.progress.now + (first.until - self.progress.service).max(0.0) * visits;
            if end > moment {
                self.pass((moment - self.progress.now).max(0.0));
                break;
            }
            self.pass(end - self.progress.now);
            self.visits.pop();
            self.flows -= first.call.visit.flows;
            sums.add(&first, &self.progress);
        }
        self.progress.now = self.progress.now.max(moment);
    }

    fn pass(&mut self, time: f64) {
        let each = time / self.visits.len() as f64;
        self.progress.now += time;
        self.progress.service += each;
        if self.flows > 1.0 {
            self.progress.shared += time;
            self.progress.shared_service += each;
        }
    }
}

impl Sums {
    /// Adds what has been served.
    fn add(&mut self, served: &Served, progress: &LinkProgress) {
        let Call { visit, number, end } = served.call;
        let (flows, began) = (visit.flows, &served.began);
        let lives = &mut self.by_entry[usize::from(visit.entry)];
        // Of flows that follow each other, the one in the middle stands for all.
        let middle = (1.0 + 1.0 / flows) / 2.0;
        if end == End::Destination {
            let later = 1.0 - 1.0 / visit.packets;
            lives.shared += flows * middle * later * (progress.shared - began.shared);
            lives.contended += progress.shared_service - began.shared_service;
        }
        let time = progress.now - began.now;
        if let Some(sooner) = self.sooner[number].replace(time) {
            let life = middle * sooner.max(time) + self.base_rtt;
            lives.all += flows * life.min(self.stop - began.now);
        }
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

    fn visit(entry: u16, time: f64) -> Visit {
        Visit {
            entry,
            flows: 1.0,
            packets: 10.0,
            times: [time; 2],
        }
    }

    fn lives(all: f64, shared: f64, contended: f64) -> Lives {
        Lives {
            all,
            shared,
            contended,
        }
    }

    /// Two flows from hosts 0 and 1 to host 2.
    fn meet(stop: f64) -> Vec<Lives> {
        let mut links = SharedLinks::new(3, 2, stop, 0.0);
        links.add([0, 2], 0.0, visit(0, 100.0));
        links.add([1, 2], 30.0, visit(1, 20.0));
        links.end()
    }

    /// Alone until 30, the first has 70 left; with the second's 20 both get half: the second leaves
    /// at 70, the first at 120.
    #[test]
    fn flows_that_meet_are_served_alike() {
        let both = [lives(120.0, 36.0, 20.0), lives(40.0, 36.0, 20.0)];
        assert_eq!(meet(f64::MAX), both);
    }

    /// Until 50 the two have been there for 50 and 20, of which 20 together.
    #[test]
    fn what_happens_after_the_stop_does_not_count() {
        assert_eq!(
            meet(50.0),
            [lives(50.0, 18.0, 10.0), lives(20.0, 18.0, 10.0)]
        );
    }

    /// Two flows of 10 from host 0 leave it at 20, and share no link into a host. From a link four
    /// times as fast they leave at 5.
    #[test]
    fn flows_live_until_both_links_have_served_them() {
        let of_times = |times| {
            let mut links = SharedLinks::new(3, 1, f64::MAX, 1.0);
            for destination in [1, 2] {
                links.add(
                    [0, destination],
                    0.0,
                    Visit {
                        times,
                        ..visit(0, 0.0)
                    },
                );
            }
            links.end()[0]
        };
        assert_eq!(of_times([10.0, 10.0]), lives(42.0, 0.0, 0.0));
        assert_eq!(of_times([2.5, 10.0]), lives(22.0, 0.0, 0.0));
    }

    /// Four flows of 10 that follow each other live 10, 20, 30 and 40. Each is one packet, which
    /// meets nothing after it.
    #[test]
    fn flows_of_a_visit_follow_each_other() {
        let mut links = SharedLinks::new(2, 1, f64::MAX, 0.0);
        let four = Visit {
            flows: 4.0,
            packets: 1.0,
            ..visit(0, 40.0)
        };
        links.add([0, 1], 0.0, four);
        assert_eq!(links.end(), [lives(100.0, 0.0, 40.0)]);
    }
}
