//! The thread that leads the others.

use std::ops::Range;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

use incast_units::Time;

use super::partitioning::{Edge, Load, Plan};
use super::{ParallelRunner, Partitioning, Round, Shard};
use crate::node::{Message, Node, NodeShape};
use crate::windows::WindowContext;
use incast_random::{NetworkPurpose, RandomStream};

/// Rounds with less work than this in the one before are run by the coordinator alone; in messages
/// and timers handled.
const WORTH_WAKING: u64 = 150;
/// Messages and timers handled before nodes are divided for the first time, and again.
const FIRST_LOOK: u64 = 50_000;
const NEXT_LOOK: u64 = 1_000_000;
/// A plan has to be this much better than the one in force, in hundredths.
const WORTH_MOVING: u64 = 5;
/// Together, threads have to be this much quicker than one alone, in hundredths; they are not
/// where others need the processors.
const WORTH_SHARING: f64 = 5.0;
/// At first one thread works alone until the partitioning has been looked at so often; each time that
/// sharing turns out not to be worth it, twice as often as before.
const LOOKS_ALONE: u32 = 2;
const MOST_LOOKS_ALONE: u32 = 32;
/// A random partitioning stays for at most so many rounds.
const MOST_RANDOM_ROUNDS: usize = 12;
/// Windows that a round may have.
const MOST_WINDOWS: u64 = 1 << 16;

/// Leads a [`ParallelRunner`]: chooses rounds, and has all nodes in its hands between them.
pub struct Coordinator<'s, 'c, N, M, L> {
    runner: &'c ParallelRunner<N, M, L>,
    scope: &'s Scope<'s, 'c>,
    /// All shards, but during a round those that other threads run.
    shards: Vec<Option<MutexGuard<'c, Shard<N, M, L>>>>,
    /// Threads started so far, by shard from 1 on.
    workers: Vec<ScopedJoinHandle<'s, ()>>,
    /// How often workers have said that they are done.
    done: u64,
    /// By node: its shard.
    plan: Plan,
    /// Length of a window.
    length: Time,
    /// Length of a round.
    reach: Time,
    /// By sending port: the node, and the node at the other end.
    ends: Vec<[u32; 2]>,
    /// By node: what a message costs it.
    weights: Vec<u64>,
    /// Handled by all shards when it was last asked.
    handled: u64,
    /// Handled in the last round.
    recent: u64,
    /// Handled by shards that have no nodes now.
    elsewhere: u64,
    watch: Watch,
    random: RandomStream,
}

/// When the partitioning is looked at again, and what has passed since it was last.
#[derive(Debug)]
struct Watch {
    /// When so many messages and timers have been handled.
    look_at: u64,
    since: Time,
    windows: u64,
    /// Rounds until nodes are divided at random.
    random_rounds: u64,
    pace: Pace,
}

/// How quickly the work goes by the clock on the wall, alone and together. Results do not depend
/// on it, only who gets them.
#[derive(Debug)]
struct Pace {
    since: Instant,
    /// Handled then.
    handled: u64,
    /// Seconds for each message or timer when one thread worked alone last.
    alone: f64,
    /// Looks until others may help again.
    looks_alone: u32,
    next_looks_alone: u32,
}

impl Pace {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            handled: 0,
            alone: f64::INFINITY,
            looks_alone: 0,
            next_looks_alone: LOOKS_ALONE,
        }
    }

    /// So much has been handled by so many threads. Whether one should work alone now.
    fn wants_one(&mut self, handled: u64, threads: usize) -> bool {
        let now = Instant::now();
        let work = handled.saturating_sub(self.handled).max(1);
        let pace = (now - self.since).as_secs_f64() / work as f64;
        (self.since, self.handled) = (now, handled);
        self.judge(pace, threads)
    }

    fn judge(&mut self, pace: f64, threads: usize) -> bool {
        if threads == 1 {
            self.alone = pace;
            self.looks_alone = self.looks_alone.saturating_sub(1);
        } else if pace * (100.0 + WORTH_SHARING) > self.alone * 100.0 {
            self.looks_alone = self.next_looks_alone;
            self.next_looks_alone = (self.next_looks_alone * 2).min(MOST_LOOKS_ALONE);
        }
        self.looks_alone > 0
    }
}

impl<'s, 'c, N, M, L> Coordinator<'s, 'c, N, M, L>
where
    N: NodeShape + Send,
    M: Message + Send,
    L: Send,
    for<'w> N: Node<WindowContext<'w, M, L>>,
{
    pub(super) fn new(runner: &'c ParallelRunner<N, M, L>, scope: &'s Scope<'s, 'c>) -> Self {
        let shards: Vec<_> = (0..runner.shards.len())
            .map(|n| Some(runner.lock(n)))
            .collect();
        let first = shards[0].as_ref().expect("all are here");
        let length = first.windows.length();
        let receivers = first.windows.receivers();
        let peers = first.windows.peers().iter();
        let to = |&port: &u32| receivers[port as usize];
        let ends = receivers
            .iter()
            .zip(peers)
            .map(|(&from, peer)| [from, to(peer)]);
        let seed = match runner.threads.partitioning {
            Partitioning::Measured => 0,
            Partitioning::Random(seed) => seed,
        };
        let count = first.windows.count();
        let nodes = (0..count).map(|node| first.windows.node(node).expect("all are here"));
        Self {
            ends: ends.collect(),
            weights: nodes.map(N::weight).collect(),
            plan: Plan::whole(count),
            runner,
            scope,
            shards,
            workers: Vec::new(),
            done: 0,
            length,
            reach: length,
            handled: 0,
            recent: 0,
            elsewhere: 0,
            watch: Watch {
                look_at: match runner.threads.partitioning {
                    _ if runner.shards.len() == 1 => u64::MAX,
                    Partitioning::Measured => FIRST_LOOK,
                    Partitioning::Random(_) => 0,
                },
                since: Time::ZERO,
                windows: 0,
                random_rounds: 0,
                pace: Pace::new(),
            },
            random: RandomStream::of_network(seed, 1, NetworkPurpose::Scheduling),
        }
    }

    fn shard(&self, number: usize) -> &Shard<N, M, L> {
        self.shards[number].as_ref().expect("between rounds")
    }

    fn shard_mut(&mut self, number: usize) -> &mut Shard<N, M, L> {
        self.shards[number].as_mut().expect("between rounds")
    }

    fn home(&self, node: usize) -> usize {
        self.plan.homes[node].into()
    }

    /// A node, to hand something in.
    pub fn node_mut(&mut self, node: usize) -> &mut N {
        let home = self.home(node);
        let windows = &mut self.shard_mut(home).windows;
        windows.node_mut(node).expect("it is at home")
    }

    /// All nodes, by number.
    pub fn nodes(&self) -> impl Iterator<Item = &N> {
        (0..self.plan.homes.len()).map(|node| {
            let windows = &self.shard(self.home(node)).windows;
            windows.node(node).expect("it is at home")
        })
    }

    /// What each thread's nodes share.
    pub fn locals_mut(&mut self) -> impl Iterator<Item = &mut L> {
        let shards = self.shards.iter_mut();
        shards.map(|shard| &mut shard.as_mut().expect("between rounds").local)
    }

    /// Lets a node act on what its thread's nodes share.
    pub fn with_node(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L)) {
        let home = self.home(node);
        let Shard { windows, local, .. } = self.shard_mut(home);
        act(windows.node_mut(node).expect("it is at home"), local);
    }

    /// Start of the first window that has work.
    #[inline]
    pub fn next_window(&self) -> Option<Time> {
        let shards = self.shards[..self.plan.parts].iter().flatten();
        shards.filter_map(|shard| shard.next_window()).min()
    }

    /// Start of the window that holds `time`, and end of a round that begins with it.
    #[inline]
    pub fn sync_round_of(&self, time: Time) -> (Time, Time) {
        let start = self.shard(0).windows.window_of(time);
        (start, start.saturating_add(self.reach))
    }

    /// Sets a timer of a node, unless it goes off earlier anyway.
    pub fn ensure_timer(&mut self, node: usize, timer: usize, at: Time) {
        let home = self.home(node);
        self.shard_mut(home).windows.ensure_timer(node, timer, at);
    }

    /// Runs the windows that begin from `start` to `end`, a round or part of one, but nothing
    /// at or after `stop`. Says when the last of them ended.
    pub fn run(&mut self, start: Time, end: Time, stop: Time) -> Time {
        let end = if self.plan.parts == 1 {
            let Shard { windows, local, .. } = self.shard_mut(0);
            windows.run_window(start, stop, local);
            self.handled = windows.handled() + self.elsewhere;
            end
        } else {
            self.run_parts(Round { start, end, stop })
        };
        self.watch.windows += 1;
        if self.handled >= self.watch.look_at && end <= stop {
            self.look(end);
        }
        end
    }

    fn run_parts(&mut self, round: Round) -> Time {
        let parts = self.plan.parts;
        for number in 0..parts {
            self.shard_mut(number).round = round;
        }
        if self.is_worth_waking() {
            self.run_together(parts);
        } else {
            let runner = self.runner;
            for number in 0..parts {
                self.shard_mut(number).run_round(runner, number);
            }
        }
        let handled = self.handled_by(0..parts) + self.elsewhere;
        self.recent = handled - self.handled;
        self.handled = handled;
        let ends = (0..parts).map(|number| self.shard(number).end);
        ends.max().expect("some shard ran")
    }

    fn handled_by(&self, shards: Range<usize>) -> u64 {
        shards
            .map(|number| self.shard(number).windows.handled())
            .sum()
    }

    fn is_worth_waking(&mut self) -> bool {
        match self.runner.threads.partitioning {
            Partitioning::Measured => self.recent >= WORTH_WAKING,
            Partitioning::Random(_) => self.random.uniform() < 0.5,
        }
    }

    /// Lets each thread run its shard, and waits for all.
    fn run_together(&mut self, parts: usize) {
        for number in 1..parts {
            self.shards[number] = None;
            self.runner.bells[number].ring();
        }
        let runner = self.runner;
        self.shard_mut(0).run_round(runner, 0);
        self.done += parts as u64 - 1;
        runner.done.wait(self.done);
        for number in 1..parts {
            match runner.shards[number].lock() {
                Ok(shard) => self.shards[number] = Some(shard),
                Err(_) => self.pass_on_panic(number),
            }
        }
    }

    /// What went wrong in a worker goes wrong here, in the same words.
    fn pass_on_panic(&mut self, number: usize) -> ! {
        let worker = self.workers.remove(number - 1);
        match worker.join() {
            Err(cause) => std::panic::resume_unwind(cause),
            Ok(()) => unreachable!("only a panic spoils a lock"),
        }
    }

    /// Looks whether another partitioning would be better, now that `time` has come.
    fn look(&mut self, time: Time) {
        let plan = match self.runner.threads.partitioning {
            Partitioning::Random(_) => self.random_plan(),
            Partitioning::Measured => self.measured_plan(time),
        };
        if let Some(plan) = plan {
            self.adopt(plan, time);
        }
    }

    fn random_plan(&mut self) -> Option<Plan> {
        if self.watch.random_rounds > 0 {
            self.watch.random_rounds -= 1;
            return None;
        }
        let mut below = |limit: usize| (self.random.uniform() * limit as f64) as usize;
        let rounds = below(MOST_RANDOM_ROUNDS);
        let parts = below(self.shards.len()) + 1;
        let homes = self
            .plan
            .homes
            .iter()
            .map(|_| below(parts) as u16)
            .collect();
        self.watch.random_rounds = rounds as u64;
        Some(Plan::new(homes, parts, &self.edges(&[])))
    }

    fn measured_plan(&mut self, time: Time) -> Option<Plan> {
        let load = self.take_load(time);
        self.watch.look_at = self.handled + NEXT_LOOK;
        if self.watch.pace.wants_one(self.handled, self.plan.parts) {
            let whole = Plan::whole(self.plan.homes.len());
            return (self.plan.parts > 1).then_some(whole);
        }
        let plan = load.best_plan(self.shards.len());
        let (new, old) = (load.cost(&plan), load.cost(&self.plan));
        (new + old * WORTH_MOVING / 100 < old).then_some(plan)
    }

    /// What was measured since this was asked last.
    fn take_load(&mut self, time: Time) -> Load {
        let mut traffic = vec![0; self.ends.len()];
        for shard in self.shards.iter_mut().flatten() {
            shard.windows.take_traffic(&mut traffic);
        }
        let mut work = vec![0; self.plan.homes.len()];
        for (&[node, _], messages) in self.ends.iter().zip(&traffic) {
            work[node as usize] += messages * self.weights[node as usize];
        }
        let load = Load {
            work,
            edges: self.edges(&traffic),
            windows: self.watch.windows,
            span: time.saturating_sub(self.watch.since),
        };
        (self.watch.since, self.watch.windows) = (time, 0);
        load
    }

    /// All links; `traffic` are the messages that arrived at each port, if that is known.
    fn edges(&self, traffic: &[u64]) -> Vec<Edge> {
        let peers = self.shard(0).windows.peers().iter().enumerate();
        let links = peers.filter(|&(port, &peer)| port < peer as usize);
        links
            .map(|(port, &peer)| Edge {
                ends: self.ends[port],
                delay: self.runner.delays[port].min(self.runner.delays[peer as usize]),
                messages: [port, peer as usize]
                    .iter()
                    .filter_map(|&port| traffic.get(port))
                    .sum(),
            })
            .collect()
    }

    /// Moves nodes to where a plan wants them.
    fn adopt(&mut self, plan: Plan, time: Time) {
        let (runner, count) = (self.runner, self.shards.len());
        let mut agenda = Vec::new();
        for number in 0..count {
            let shard = self.shard_mut(number);
            shard.take_in(runner, number);
            shard.first_mail = Time::MAX;
            shard.windows.drain_agenda(&mut agenda);
        }
        for (node, (&from, &to)) in self.plan.homes.iter().zip(&plan.homes).enumerate() {
            if from != to {
                let pair = self.shards.get_disjoint_mut([usize::from(from), to.into()]);
                let pair = pair.expect("two shards");
                let [from, to] = pair.map(|shard| shard.as_mut().expect("between rounds"));
                from.windows.move_node(node, &mut to.windows);
            }
        }
        let homes: Vec<u16> = self
            .ends
            .iter()
            .map(|&[_, receiver]| plan.homes[receiver as usize])
            .collect();
        for shard in self.shards.iter_mut().flatten() {
            shard.windows.advance(time);
            shard.windows.refill_agenda(&agenda);
            shard.homes.clone_from(&homes);
        }
        let windows = (plan.lookahead.as_ps() / self.length.as_ps()).min(MOST_WINDOWS);
        self.reach = match plan.parts {
            1 => self.length,
            _ => self.length * windows,
        };
        while self.workers.len() + 1 < plan.parts {
            let number = self.workers.len() + 1;
            self.workers
                .push(self.scope.spawn(move || runner.work(number)));
        }
        self.elsewhere = self.handled_by(plan.parts..count);
        self.plan = plan;
    }
}

impl<N, M, L> Drop for Coordinator<'_, '_, N, M, L> {
    /// Lets the others go.
    fn drop(&mut self) {
        self.shards.clear();
        self.runner.quits.store(true, Ordering::SeqCst);
        for bell in &self.runner.bells {
            bell.ring();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread takes 2 s for each; two take 1.2 s, then 1.95 s, which is not worth it, so one
    /// works alone until the second look, and after another trial that fails until the fourth.
    #[test]
    fn sharing_ends_where_it_is_not_worth_it() {
        let mut pace = Pace::new();
        let judged = [(2.0, 1), (1.2, 2), (1.95, 2), (2.0, 1), (2.0, 1), (3.0, 2)];
        let judged = judged.map(|(seconds, threads)| pace.judge(seconds, threads));
        assert_eq!(judged, [false, false, true, true, false, true]);
        let alone = (0..4).map(|_| pace.judge(2.0, 1));
        assert_eq!(alone.collect::<Vec<_>>(), [true, true, true, false]);
    }
}
