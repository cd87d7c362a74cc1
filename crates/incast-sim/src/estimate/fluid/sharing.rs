//! Links, if each serves all flows alike that are there: how long they live, and what of that in
//! congestion.
//!
//! A flow is at the link of its source and at its bottleneck beyond, and lives until both have
//! served it; what happens at one does not change the other. Its source sends as fast as it serves
//! the flow: a bottleneck that takes longer is congested. Otherwise flows wait at their sources.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// Flows of an entry between the same hosts that start together.
#[derive(Copy, Clone, Debug)]
pub(super) struct Visit {
    /// The number of their traffic entry.
    pub(super) entry: u16,
    /// How many flows they are; they follow each other.
    pub(super) flows: f64,
    /// Packets of each.
    pub(super) packets: f64,
    /// How long the links of their source and their bottleneck take for all of them, in ps, each
    /// alone.
    pub(super) times: [f64; 2],
    /// The numbers of their congestion state and of their persistent QP, if they are not their own.
    pub(super) state: Option<usize>,
    pub(super) qp: Option<usize>,
}

/// What the flows of an entry spend, summed, in ps.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(super) struct Lives {
    /// Time from the start of flows until their senders know that they are served.
    pub(super) all: f64,
    /// The part of that time after the first packet, and in congestion; none for flows that share a
    /// state.
    pub(super) congested: f64,
    /// What shared congestion states spend in congestion.
    pub(super) states: f64,
    /// What bottlenecks carry of them while there are several flows.
    pub(super) contended: f64,
}

/// The links of all hosts.
pub(super) struct SharedLinks {
    /// By host: its link. By port: its link as a bottleneck.
    sources: Vec<SharedLink>,
    bottlenecks: Vec<SharedLink>,
    sums: Sums,
}

/// What flows that have been served have spent.
struct Sums {
    /// What happens later does not count, in ps.
    stop: f64,
    /// Time from when a flow is served until its sender knows, in ps.
    base_rtt: f64,
    /// By visit: the link that served it first.
    sooner: Vec<Option<Service>>,
    /// By congestion state: until when its time is counted, in ps.
    counted_until: Vec<f64>,
    by_entry: Vec<Lives>,
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
            sums: Sums {
                stop,
                base_rtt,
                sooner: Vec::new(),
                counted_until: Vec::new(),
                by_entry: vec![Lives::default(); entries],
            },
        }
    }

    /// Adds flows from a host through a port that start now, and not before any that were added.
    pub(super) fn add(&mut self, [source, bottleneck]: [usize; 2], start: f64, visit: Visit) {
        let number = self.sums.sooner.len();
        self.sums.sooner.push(None);
        let moment = start.min(self.sums.stop);
        let ends = [
            (&mut self.sources[source], End::Source),
            (&mut self.bottlenecks[bottleneck], End::Bottleneck),
        ];
        for (link, end) in ends {
            link.follow(moment, &mut self.sums);
            link.begin(Call { visit, number, end });
        }
    }

    /// What all flows have spent by the end.
    pub(super) fn end(mut self) -> Vec<Lives> {
        for link in self.sources.iter_mut().chain(&mut self.bottlenecks) {
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
    /// How long the link had several flows.
    shared: f64,
}

#[derive(Clone, Default)]
struct SharedLink {
    progress: LinkProgress,
    /// Who is served, or waits behind others of its QP; who leaves first is first.
    visits: BinaryHeap<Reverse<Served>>,
    /// Flows of them.
    flows: f64,
    /// How many are served at once.
    served: usize,
    /// By persistent QP: its visits, and the service at which the last of them leaves.
    queues: HashMap<usize, (usize, f64)>,
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
    Bottleneck,
}

/// What a visit has had of a link, in ps.
#[derive(Copy, Clone)]
struct Service {
    time: f64,
    /// How long all of it would take at that speed.
    whole: f64,
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
        let mut until = self.progress.service + call.visit.times[call.end as usize];
        let queue = call.visit.qp.map(|qp| self.queues.entry(qp).or_default());
        match queue {
            Some((visits @ 1.., last)) => {
                until += *last - self.progress.service;
                (*visits, *last) = (*visits + 1, until);
            }
            first => {
                self.served += 1;
                first.into_iter().for_each(|queue| *queue = (1, until));
            }
        }
        self.visits.push(Reverse(Served {
            call,
            began: self.progress,
            until,
        }));
    }

    /// Takes away the first.
    fn end(&mut self, call: &Call) {
        self.visits.pop();
        self.flows -= call.visit.flows;
        let queue = call.visit.qp.and_then(|qp| self.queues.get_mut(&qp));
        let left = queue.map_or(0, |(visits, _)| {
            *visits -= 1;
            *visits
        });
        self.served -= usize::from(left == 0);
    }

    /// Serves all until a moment.
    fn follow(&mut self, moment: f64, sums: &mut Sums) {
        while let Some(Reverse(first)) = self.visits.peek().copied() {
            let served = self.served as f64;
            let end = self.progress.now + (first.until - self.progress.service).max(0.0) * served;
            if end > moment {
                self.pass((moment - self.progress.now).max(0.0));
                break;
            }
            self.pass(end - self.progress.now);
            self.end(&first.call);
            sums.add(&first, &self.progress);
        }
        self.progress.now = self.progress.now.max(moment);
    }

    fn pass(&mut self, time: f64) {
        let each = time / self.served as f64;
        self.progress.now += time;
        self.progress.service += each;
        if self.flows > 1.0 {
            self.progress.shared += time;
            self.progress.shared_service += each;
        }
    }
}

impl Sums {
    /// Adds what has been served, or is cut off.
    fn add(&mut self, served: &Served, progress: &LinkProgress) {
        let Call { visit, number, end } = served.call;
        let began = &served.began;
        if end == End::Bottleneck {
            let several = progress.shared_service - began.shared_service;
            let lives = &mut self.by_entry[usize::from(visit.entry)];
            lives.contended += several.min(visit.times[end as usize]);
        }
        let time = progress.now - began.now;
        let part = (progress.service - began.service) / (served.until - began.service).max(1.0);
        let service = Service {
            time,
            whole: time / part.clamp(f64::EPSILON, 1.0),
        };
        if let Some(sooner) = self.sooner[number].replace(service) {
            let (source, bottleneck) = match end {
                End::Source => (service, sooner),
                End::Bottleneck => (sooner, service),
            };
            self.add_life(&visit, began.now, source, bottleneck);
        }
    }

    fn add_life(&mut self, visit: &Visit, began: f64, source: Service, bottleneck: Service) {
        let flows = visit.flows;
        // Of flows that follow each other, the one in the middle stands for all.
        let middle = (1.0 + 1.0 / flows) / 2.0;
        let life = middle * source.time.max(bottleneck.time) + self.base_rtt;
        let excess = bottleneck.whole / source.whole.max(1.0) - 1.0;
        // Twice as fast a source has its flow in congestion all the time.
        let congested = excess.clamp(0.0, 1.0);
        let of_state = visit
            .state
            .map(|state| self.count_for(state, began, began + bottleneck.time));
        let lives = &mut self.by_entry[usize::from(visit.entry)];
        lives.all += flows * life.min(self.stop - began);
        match of_state {
            Some(time) => lives.states += congested * time,
            None => {
                let later = 1.0 - 1.0 / visit.packets;
                lives.congested += congested * flows * middle * later * bottleneck.time;
            }
        }
    }

    /// What of this time has not been counted for a congestion state; it is now.
    fn count_for(&mut self, state: usize, from: f64, until: f64) -> f64 {
        if self.counted_until.len() <= state {
            self.counted_until.resize(state + 1, 0.0);
        }
        let counted = &mut self.counted_until[state];
        let time = (until - from.max(*counted)).max(0.0);
        *counted = counted.max(until);
        time
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
            state: None,
            qp: None,
        }
    }

    fn lives(all: f64, congested: f64, contended: f64) -> Lives {
        Lives {
            all,
            congested,
            states: 0.0,
            contended,
        }
    }

    /// Two flows from hosts 0 and 1 to host 2.
    fn meet(stop: f64) -> Vec<Lives> {
        let mut links = SharedLinks::new([3, 3], 2, stop, 0.0);
        links.add([0, 2], 0.0, visit(0, 100.0));
        links.add([1, 2], 30.0, visit(1, 20.0));
        links.end()
    }

    fn are_near(found: &[Lives], expected: &[Lives]) {
        let numbers = |lives: &Lives| [lives.all, lives.congested, lives.states, lives.contended];
        for (found, expected) in found.iter().zip(expected) {
            let pairs = numbers(found).into_iter().zip(numbers(expected));
            for (found, expected) in pairs {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    }

    /// Alone until 30, the first has 70 left; with the second's 20 both get half: the second leaves
    /// at 70, the first at 120. Their sources would take 100 and 20: the first is in congestion for
    /// 20 % of its 120, but for one packet in ten; the second for all of its 40.
    #[test]
    fn flows_that_meet_are_served_alike() {
        let both = [lives(120.0, 0.2 * 108.0, 20.0), lives(40.0, 36.0, 20.0)];
        are_near(&meet(f64::MAX), &both);
    }

    /// Until 50 the two have been there for 50 and 20, of which 20 together: 40 and 10 are served,
    /// so all of them would take 125 and 40.
    #[test]
    fn what_happens_after_the_stop_does_not_count() {
        let both = [lives(50.0, 0.25 * 45.0, 10.0), lives(20.0, 18.0, 10.0)];
        are_near(&meet(50.0), &both);
    }

    /// Host 0 has four flows of 2.5 that take 10 beyond, and host 1 one of 40. Beyond, both QPs
    /// have half: the four, which follow each other, leave at 20, 40, 60 and 80, and the other at
    /// 80. Both sources are at least twice as fast, so the states of both QPs are in congestion all
    /// the time.
    #[test]
    fn flows_of_a_persistent_qp_follow_each_other() {
        let mut links = SharedLinks::new([3, 3], 1, f64::MAX, 0.0);
        for (source, times) in [(0, [2.5, 10.0]); 4].into_iter().chain([(1, [40.0; 2])]) {
            let (state, qp) = (Some(source), Some(source));
            let visit = Visit {
                times,
                state,
                qp,
                ..visit(0, 0.0)
            };
            links.add([source, 2], 0.0, visit);
        }
        let found = links.end()[0];
        let expected = Lives {
            all: 20.0 + 40.0 + 60.0 + 80.0 + 80.0,
            congested: 0.0,
            states: 80.0 + 80.0,
            contended: 80.0,
        };
        are_near(&[found], &[expected]);
    }

    /// Two flows of 10 from host 0 leave it at 20, and share no bottleneck. From a link four times
    /// as fast they leave at 5, and all but their first packets are in congestion.
    #[test]
    fn flows_live_until_both_links_have_served_them() {
        let of_times = |times| {
            let mut links = SharedLinks::new([3, 3], 1, f64::MAX, 1.0);
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
        assert_eq!(of_times([2.5, 10.0]), lives(22.0, 18.0, 0.0));
    }

    /// Four flows of 10 that follow each other live 10, 20, 30 and 40. Each is one packet, which
    /// meets nothing after it.
    #[test]
    fn flows_of_a_visit_follow_each_other() {
        let mut links = SharedLinks::new([2, 2], 1, f64::MAX, 0.0);
        let four = Visit {
            flows: 4.0,
            packets: 1.0,
            ..visit(0, 40.0)
        };
        links.add([0, 1], 0.0, four);
        assert_eq!(links.end(), [lives(100.0, 0.0, 40.0)]);
    }
}
