//! The times at which nodes are partitioned again: after a number of events, and only if several
//! threads are faster by the wall clock. Results do not depend on this, only the run time does.

use std::time::Instant;

use incast_random::{NetworkPurpose, RandomStream};
use incast_units::Time;

use super::partitioning::{MeasuredLoad, ShardPlan, fluctuation_percent};
use super::{Partitioning, Threads};

/// Work of a round, in messages and timers handled, below which the coordinator runs the next round
/// alone.
const WAKE_THRESHOLD: u64 = 150;
/// Smallest number of messages and timers handled before the first partitioning; at least one per
/// port.
const FIRST_INTERVAL: u64 = 50_000;
/// Smallest number of messages and timers handled between further examinations.
const INTERVAL: u64 = 1_000_000;
/// The same per port and thread. An examination takes the calling thread as long as two or three
/// messages per port, while all other threads wait. It should take a twentieth of the time between
/// two examinations. A new plan is examined sooner.
const INTERVAL_PER_PORT: u64 = 60;
const INTERVAL_PER_PORT_OF_NEW: u64 = 15;
/// Smallest improvement that a new plan has to promise, in percent of the estimated cost, beyond
/// the usual changes of its shards' load.
const MIN_GAIN_PERCENT: u64 = 5;
/// A random partition lasts for fewer rounds than this.
const MAX_RANDOM_ROUNDS: usize = 12;

/// Decides when nodes are partitioned again, and chooses the plan.
#[derive(Debug)]
pub(super) struct Repartitioning {
    partitioning: Partitioning,
    max_shards: usize,
    /// Number of messages and timers handled at the next examination of the partition.
    next_at: u64,
    /// Whether the next examination is the first one.
    is_first: bool,
    /// Simulated time of the last examination.
    since: Time,
    /// Rounds since the last examination; turns if one thread ran all nodes.
    rounds: u64,
    /// Rounds until the next random partition.
    random_rounds: usize,
    pace: Pace,
    search: PlanSearch,
    random: RandomStream,
}

/// Largest number of examinations from one search for a better plan to the next, while the plan
/// fits. The same limit holds while the plan has fewer parts than there are threads, which more
/// work could change.
const MAX_SEARCH_INTERVAL: u32 = 32;
const MAX_SEARCH_INTERVAL_OF_FEWER: u32 = 4;
/// Largest increase of the plan's cost for the same work, since it was found, with which the plan
/// still fits, in percent.
const MAX_MISFIT_PERCENT: u64 = 10;

/// The choice of examinations at which a better plan is searched. The search and the move of nodes
/// take as long as some tens of thousands of events (with 8,192 hosts a hundred thousand). They
/// gain nothing while the load changes only by chance, so searches then become less frequent.
#[derive(Debug)]
struct PlanSearch {
    /// Examinations left until the next search.
    left: u32,
    /// Number of examinations from the last search to the next.
    interval: u32,
    /// Estimated cost of the plan, and its work, at the last search.
    searched_at: (u64, u64),
}

impl PlanSearch {
    const fn new() -> Self {
        Self {
            left: 0,
            interval: 1,
            searched_at: (0, 0),
        }
    }

    /// Whether a plan is searched for at this examination. The present plan has this cost for this
    /// much work.
    fn is_due(&mut self, (cost, work): (u64, u64)) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        let (then, work_then) = self.searched_at;
        let now = u128::from(cost) * u128::from(work_then) * 100;
        let most = u128::from(then) * u128::from(work) * u128::from(100 + MAX_MISFIT_PERCENT);
        is_due || now > most
    }

    /// Notes the result of a search: whether it `found` a better plan, whether the plan now has a
    /// part for each thread, and the plan's cost.
    fn note(&mut self, found: bool, is_whole: bool, cost_and_work: (u64, u64)) {
        let longest = match is_whole {
            true => MAX_SEARCH_INTERVAL,
            false => MAX_SEARCH_INTERVAL_OF_FEWER,
        };
        self.interval = match found {
            true => 1,
            false => (2 * self.interval).min(longest),
        };
        self.left = self.interval - 1;
        self.searched_at = cost_and_work;
    }
}

impl Repartitioning {
    pub(super) fn new(threads: Threads, max_shards: usize, ports: usize) -> Self {
        let first = FIRST_INTERVAL.max(ports as u64);
        let (first, seed) = match threads.partitioning {
            Partitioning::Measured | Partitioning::Rehearsed(_) => (first, 0),
            Partitioning::Random(seed) => (0, seed),
        };
        Self {
            partitioning: threads.partitioning,
            max_shards,
            next_at: if max_shards == 1 { u64::MAX } else { first },
            is_first: max_shards > 1 && first > 0,
            since: Time::ZERO,
            rounds: 0,
            random_rounds: 0,
            pace: Pace::new(),
            search: PlanSearch::new(),
            random: RandomStream::of_network(seed, 1, NetworkPurpose::Scheduling),
        }
    }

    /// Whether nodes are still to be partitioned for the first time.
    #[inline]
    pub(super) fn is_before_first(&self) -> bool {
        self.is_first
    }

    /// At the first partitioning, adds the mean number of messages to each port: little is known
    /// about most ports so early.
    pub(super) fn grant(&self, arrivals: &mut [u64]) {
        if self.is_first {
            let mean = arrivals.iter().sum::<u64>() / arrivals.len().max(1) as u64;
            arrivals
                .iter_mut()
                .for_each(|messages| *messages += mean.max(1));
        }
    }

    /// Counts rounds, or turns with work if one thread runs all nodes. Returns whether the
    /// partition is to be examined, after `handled` events.
    #[inline]
    pub(super) fn is_due(&mut self, rounds: u64, handled: u64) -> bool {
        self.rounds += rounds;
        handled >= self.next_at
    }

    /// Ends repartitioning: nodes stay where they are.
    pub(super) fn end(&mut self) {
        self.next_at = u64::MAX;
    }

    /// Whether workers should help with a round, if the round before it had this much work.
    pub(super) fn is_worth_waking(&mut self, work: u64) -> bool {
        match self.partitioning {
            Partitioning::Measured | Partitioning::Rehearsed(_) => work >= WAKE_THRESHOLD,
            Partitioning::Random(_) => self.random.uniform() < 0.5,
        }
    }

    /// Whether a random partition stays for another round.
    pub(super) fn is_postponed(&mut self) -> bool {
        let is_postponed = self.random_rounds > 0;
        self.random_rounds = self.random_rounds.saturating_sub(1);
        is_postponed
    }

    /// Simulated time and rounds since the last call; `now` is the end of a round.
    pub(super) fn take_span(&mut self, now: Time) -> (Time, u64) {
        let span = (now.saturating_sub(self.since), self.rounds);
        (self.since, self.rounds) = (now, 0);
        span
    }

    /// The plan to adopt instead of the `current` one, if any.
    pub(super) fn choose(
        &mut self,
        load: &MeasuredLoad,
        current: &ShardPlan,
        handled: u64,
    ) -> Option<ShardPlan> {
        let chosen = match self.partitioning {
            Partitioning::Random(_) => return Some(self.random_plan(load)),
            Partitioning::Measured if self.pace.wants_one_thread(handled, current.shards) => {
                self.search = PlanSearch::new();
                (current.shards > 1).then(|| ShardPlan::single(load.work.len()))
            }
            Partitioning::Measured | Partitioning::Rehearsed(_) => self.better_plan(load, current),
        };
        let (shards, per_port) = match &chosen {
            Some(plan) => (plan.shards, INTERVAL_PER_PORT_OF_NEW),
            None => (current.shards, INTERVAL_PER_PORT),
        };
        let interval = per_port * 2 * load.links.len() as u64 * shards as u64;
        self.next_at = handled + interval.max(INTERVAL);
        self.is_first = false;
        chosen
    }

    fn better_plan(&mut self, load: &MeasuredLoad, current: &ShardPlan) -> Option<ShardPlan> {
        let (old, work) = (load.cost(current), load.work.iter().sum());
        if !self.search.is_due((old, work)) {
            return None;
        }
        let (plan, new) = load.best_plan(self.max_shards);
        let least_gain = MIN_GAIN_PERCENT + fluctuation_percent(plan.shards);
        let is_better = new + old * least_gain / 100 < old;
        let cost = if is_better { new } else { old };
        let kept = if is_better { &plan } else { current };
        let is_whole = kept.shards == self.max_shards;
        self.search.note(is_better, is_whole, (cost, work));
        is_better.then_some(plan)
    }

    fn random_plan(&mut self, load: &MeasuredLoad) -> ShardPlan {
        let mut below = |limit: usize| (self.random.uniform() * limit as f64) as usize;
        self.random_rounds = below(MAX_RANDOM_ROUNDS);
        let shards = below(self.max_shards) + 1;
        let nodes = load.work.iter();
        let shard_of_node = nodes.map(|_| below(shards) as u16).collect();
        ShardPlan::new(shard_of_node, shards, &load.links)
    }
}

/// Smallest gain in speed of several threads over one, in percent. They do not reach it if other
/// processes need the processors.
const MIN_SPEED_UP_PERCENT: f64 = 5.0;
/// Number of examinations for which one thread works alone at first. It doubles each time that
/// several threads are not faster.
const FIRST_ALONE: u32 = 2;
const MAX_ALONE: u32 = 32;

/// The speed of the work by the wall clock, with one thread and with several.
#[derive(Debug)]
struct Pace {
    /// Wall-clock time of the last examination.
    since: Instant,
    /// Messages and timers handled by the last examination.
    handled: u64,
    /// Seconds per message or timer when one thread worked alone last.
    alone: f64,
    /// Number of examinations until other threads may help again.
    alone_left: u32,
    /// Number of examinations for which one thread works alone next time.
    alone_next: u32,
}

impl Pace {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            handled: 0,
            alone: f64::INFINITY,
            alone_left: 0,
            alone_next: FIRST_ALONE,
        }
    }

    /// Notes that this many events have been `handled`, lately by this number of threads. Returns
    /// whether one thread should work alone now.
    fn wants_one_thread(&mut self, handled: u64, threads: usize) -> bool {
        let now = Instant::now();
        let work = handled.saturating_sub(self.handled).max(1);
        let seconds = (now - self.since).as_secs_f64() / work as f64;
        (self.since, self.handled) = (now, handled);
        self.judge(seconds, threads)
    }

    fn judge(&mut self, seconds: f64, threads: usize) -> bool {
        if threads == 1 {
            self.alone = seconds;
            self.alone_left = self.alone_left.saturating_sub(1);
        } else if seconds * (100.0 + MIN_SPEED_UP_PERCENT) > self.alone * 100.0 {
            self.alone_left = self.alone_next;
            self.alone_next = (self.alone_next * 2).min(MAX_ALONE);
        }
        self.alone_left > 0
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    /// One of four ports had 80 messages, the others none: at first each gets 20 more, later none.
    #[test]
    fn messages_are_granted_at_first() {
        let threads = Threads::new(NonZeroUsize::MIN.saturating_add(1));
        let mut repartitioning = Repartitioning::new(threads, 2, 4);
        let mut grant = || {
            let mut arrivals = [0, 80, 0, 0];
            repartitioning.grant(&mut arrivals);
            repartitioning.is_first = false;
            arrivals
        };
        assert_eq!([grant(), grant()], [[20, 100, 20, 20], [0, 80, 0, 0]]);
    }

    /// Repeated searches find nothing better, then one does.
    #[test]
    fn a_search_in_vain_is_repeated_less_often() {
        let mut search = PlanSearch::new();
        let due: Vec<bool> = (0..20)
            .map(|examination| {
                let is_due = search.is_due((100, 1_000));
                if is_due {
                    search.note(examination == 14, true, (100, 1_000));
                }
                is_due
            })
            .collect();
        let at: Vec<usize> = (0..20).filter(|&number| due[number]).collect();
        assert_eq!(at, [0, 2, 6, 14, 15, 17]);
    }

    /// A plan costs 100 for work of 1000. It fits while its cost for work of 2000 is at most 220.
    #[test]
    fn a_plan_that_no_longer_fits_is_replaced_at_once() {
        let mut search = PlanSearch::new();
        for _ in 0..4 {
            search.note(false, true, (100, 1_000));
        }
        assert!(!search.is_due((220, 2_000)));
        assert!(search.is_due((221, 2_000)));
    }

    /// A plan of one part for several threads has the same cost per event, however many events a
    /// window has. It is reconsidered at least at every fourth examination.
    #[test]
    fn a_plan_of_fewer_parts_is_reconsidered() {
        let mut search = PlanSearch::new();
        for _ in 0..10 {
            search.note(false, false, (100, 1_000));
        }
        let due: Vec<bool> = (0..4).map(|_| search.is_due((100, 1_000))).collect();
        assert_eq!(due, [false, false, false, true]);
    }

    /// One thread takes 2 s for each examination. Two take 1.2 s, then 1.95 s, which is too slow.
    /// So one works alone for two examinations, and for four after another failed trial.
    #[test]
    fn sharing_ends_where_it_does_not_pay() {
        let mut pace = Pace::new();
        let judged = [(2.0, 1), (1.2, 2), (1.95, 2), (2.0, 1), (2.0, 1), (3.0, 2)];
        let judged = judged.map(|(seconds, threads)| pace.judge(seconds, threads));
        assert_eq!(judged, [false, false, true, true, false, true]);
        let alone = (0..4).map(|_| pace.judge(2.0, 1));
        assert_eq!(alone.collect::<Vec<_>>(), [true, true, true, false]);
    }
}
