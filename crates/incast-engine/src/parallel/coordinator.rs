//! The coordinator: the calling thread, which runs the nodes round by round and leads the workers.

mod rounds;

use std::sync::Arc;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;
use std::thread::{Builder, Scope, ScopedJoinHandle};

use incast_units::Time;

use super::parking::Meanwhile;
use super::partitioning::{LinkLoad, MeasuredLoad, ShardPlan};
use super::repartitioning::Repartitioning;
use super::shard::{NO_TURN, RoundReport, Shard, Task};
use super::{ParallelRunner, Partitioning};
use crate::message::Message;
use crate::node::{Node, NodeShape};
use crate::window::{Division, Outline, WindowContext};

/// More signals than any thread waits for.
const MANY_SIGNALS: u64 = 1 << 32;
/// Largest number of turns in a round.
const MAX_TURNS: u64 = 1 << 16;

/// Leads a [`ParallelRunner`]: chooses synchronisation rounds, and holds all nodes between them.
pub struct Coordinator<'s, 'c, N, M, L> {
    runner: &'c ParallelRunner<N, M, L>,
    scope: &'s Scope<'s, 'c>,
    /// Shards by number; `None` for shards that workers run during a round.
    shards: Vec<Option<MutexGuard<'c, Shard<N, M, L>>>>,
    /// Threads started so far, by shard from 1 on.
    workers: Vec<ScopedJoinHandle<'s, ()>>,
    /// Number of tasks that workers have reported as done.
    done: u64,
    plan: ShardPlan,
    /// Numbers of the whole network, set when work is first divided.
    outline: Option<Arc<Outline>>,
    /// The shard of each node; `None` while all nodes are in the first shard.
    division: Option<Arc<Division>>,
    /// Number of turns in a round.
    turns: u64,
    /// Time before which all nodes have handled all events.
    pub(super) done_until: Time,
    /// Arrival of the last message so far.
    active_until: Time,
    /// Messages and timers that all shards have handled.
    handled: u64,
    /// Messages and timers handled in the last round.
    recent: u64,
    /// Messages and timers handled by shards that have no nodes any more.
    elsewhere: u64,
    repartitioning: Repartitioning,
}

impl<'s, 'c, N, M, L> Coordinator<'s, 'c, N, M, L>
where
    N: NodeShape + Send,
    M: Message + Send,
    L: Send,
    for<'w> N: Node<WindowContext<'w, M, L>>,
{
    pub(super) fn new(runner: &'c ParallelRunner<N, M, L>, scope: &'s Scope<'s, 'c>) -> Self {
        let count = runner.shards.len();
        let shards: Vec<_> = (0..count).map(|n| Some(runner.lock(n))).collect();
        let engine = &shards[0].as_ref().expect("the first shard").engine;
        Self {
            plan: ShardPlan::single(engine.nodes().count()),
            outline: None,
            division: None,
            turns: 1,
            done_until: Time::ZERO,
            active_until: Time::ZERO,
            runner,
            scope,
            shards,
            workers: Vec::new(),
            done: 0,
            handled: 0,
            recent: 0,
            elsewhere: 0,
            repartitioning: Repartitioning::new(runner.threads, count, runner.delays.len()),
        }
    }

    fn shard(&self, number: usize) -> &Shard<N, M, L> {
        self.shards[number].as_ref().expect("between rounds")
    }

    fn shard_mut(&mut self, number: usize) -> &mut Shard<N, M, L> {
        self.shards[number].as_mut().expect("between rounds")
    }

    /// The shard of a node, and the node's number in the shard.
    fn place_of(&self, node: usize) -> (usize, usize) {
        let division = self.division.as_ref();
        division.map_or((0, node), |division| division.place_of(node))
    }

    /// A node, to be changed between rounds.
    pub fn node_mut(&mut self, node: usize) -> &mut N {
        let (shard, place) = self.place_of(node);
        self.shard_mut(shard).engine.node_mut(place)
    }

    /// All nodes, by number.
    pub fn nodes(&self) -> impl Iterator<Item = &N> {
        (0..self.plan.shard_of_node.len()).map(|node| {
            let (shard, place) = self.place_of(node);
            self.shard(shard).engine.node(place)
        })
    }

    /// The state that each thread's nodes share.
    pub fn locals_mut(&mut self) -> impl Iterator<Item = &mut L> {
        let shards = self.shards.iter_mut();
        shards.map(|shard| &mut shard.as_mut().expect("between rounds").local)
    }

    /// Calls `act` with a node and the state that its thread's nodes share.
    pub fn with_node(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L)) {
        let (shard, place) = self.place_of(node);
        let Shard { engine, local, .. } = self.shard_mut(shard);
        act(engine.node_mut(place), local);
    }

    /// The last time before the next work at which all nodes can stand.
    #[inline]
    pub fn next_window(&self) -> Option<Time> {
        let first = &self.shard(0).engine;
        let turn = match self.plan.shards {
            1 => first.first_turn()?,
            _ => {
                let shards = self.shards[..self.plan.shards].iter().flatten();
                let turn = shards.map(|shard| shard.report.first).min();
                turn.filter(|&turn| turn < NO_TURN)?
            }
        };
        Some(first.window_of_turn(turn).max(self.done_until))
    }

    /// The last time up to `time` at which all nodes can stand, and the end of the span that begins
    /// there.
    #[inline]
    pub fn span_of(&self, time: Time) -> (Time, Time) {
        let engine = &self.shard(0).engine;
        let start = engine.window_of(time);
        let length = match self.plan.shards {
            // Nodes are partitioned between spans. Until the first time, other threads have no
            // work.
            1 if self.repartitioning.is_before_first() => engine.length(),
            1 => engine.span(),
            _ => engine.span().max(self.round_length()),
        };
        (start, start.saturating_add(length))
    }

    /// The first time after `time` at which all nodes can stand.
    pub fn end_of_window(&self, time: Time) -> Time {
        let engine = &self.shard(0).engine;
        engine.window_of(time) + engine.length()
    }

    /// Simulated time of a round's turns, in whole windows.
    fn round_length(&self) -> Time {
        let engine = &self.shard(0).engine;
        let windows = self.turns * engine.step().as_ps() / engine.length().as_ps();
        engine.length() * windows.max(1)
    }

    /// Sets a timer of a node from outside, unless it already expires earlier.
    pub fn ensure_timer(&mut self, node: usize, timer: usize, at: Time) {
        let (shard, place) = self.place_of(node);
        let Shard { engine, report, .. } = self.shard_mut(shard);
        engine.ensure_timer(place, timer, at);
        report.first = report.first.min(engine.turn_of(place, at));
    }

    /// Runs the events from `start` to `end`, a span or a part of one, but none at or after `stop`.
    /// May end earlier after many events. Returns the end of the last window, or part of one, that
    /// had work.
    pub fn run(&mut self, start: Time, end: Time, stop: Time) -> Time {
        self.run_at_work((start, end, stop), &mut || false)
    }

    /// Like [`run`](Self::run), where `span` is start, end and stop. Does `meanwhile` while this
    /// thread would wait for others.
    pub fn run_at_work(&mut self, span: (Time, Time, Time), meanwhile: Meanwhile<'_>) -> Time {
        let (start, end, stop) = span;
        let (last, end, rounds) = if self.plan.shards == 1 {
            let Shard { engine, local, .. } = self.shard_mut(0);
            let before = engine.turns();
            let (last, end) = engine.run_span(start, end, stop, local);
            let turns = engine.turns() - before;
            let active = engine.active_until();
            self.handled = engine.handled() + self.elsewhere;
            self.active_until = self.active_until.max(active);
            (last, end, turns)
        } else {
            self.run_shards(span, meanwhile)
        };
        self.done_until = end.min(stop);
        if self.repartitioning.is_due(rounds, self.handled) && end <= stop {
            self.repartition(end);
        }
        last
    }

    /// Runs a span round by round. Returns three values: the end of the last window, or part of
    /// one, that had work; the end of the span; and the number of rounds.
    fn run_shards(
        &mut self,
        (start, mut end, stop): (Time, Time, Time),
        meanwhile: Meanwhile<'_>,
    ) -> (Time, Time, u64) {
        let shards = self.plan.shards;
        let engine = &self.shard(0).engine;
        let limit = engine.limit_of_span(self.handled, self.runner.delays.len());
        let least = |reports: &Self, of: fn(&RoundReport) -> u64| {
            let shards = &reports.shards[..shards];
            let turns = shards.iter().flatten().map(|shard| of(&shard.report));
            turns.min().expect("at least one shard")
        };
        let (mut turn, mut rounds) = (least(self, |report| report.first), 0);
        while turn < NO_TURN && self.shard(0).engine.start_of_turn(turn) < end.min(stop) {
            let (first, span) = (turn..turn + self.turns, (start, end, stop));
            let count = match self.repartitioning.is_worth_waking(self.recent) {
                true => self.run_rounds(first, span, limit, meanwhile),
                false => self.run_round_alone(first, span),
            };
            self.count_handled(count);
            if self.handled > limit {
                let last = turn + count * self.turns - 1;
                end = end.min(self.shard(0).engine.meeting_after(last));
            }
            turn = least(self, |report| report.next);
            rounds += count;
        }
        let ends = (0..shards).map(|number| self.shard(number).report.end);
        let last = ends.max().expect("at least one shard");
        let active = (0..shards).map(|number| self.shard(number).report.active_until);
        self.active_until = active.fold(self.active_until, Time::max);
        (last.max(start), end, rounds)
    }

    /// Time from one turn to the next: the delay of the shortest link.
    pub fn step(&self) -> Time {
        self.shard(0).engine.step()
    }

    /// Arrival of the last message, rounded up to the shortest link delay so that it does not
    /// depend on the partition.
    pub fn active_until(&self) -> Time {
        self.active_until
    }

    /// Adopts another partition at `time`, the end of a round, if a better one is found.
    fn repartition(&mut self, time: Time) {
        if self.repartitioning.is_postponed() {
            return;
        }
        let outline = self.outline();
        let load = self.take_load(time, &outline);
        let chosen = self.repartitioning.choose(&load, &self.plan, self.handled);
        if let Some(plan) = chosen {
            match self.has_workers(plan.shards) {
                true => self.adopt(plan, time, outline),
                // The system allows no more threads.
                false => self.repartitioning.end(),
            }
        }
    }

    /// Numbers of the whole network. At the first call all nodes are in one shard.
    fn outline(&mut self) -> Arc<Outline> {
        let outline = self.outline.take();
        let outline = outline.unwrap_or_else(|| Arc::new(self.shard(0).engine.outline()));
        Arc::clone(self.outline.insert(outline))
    }

    /// The load since the last call.
    fn take_load(&mut self, time: Time, outline: &Outline) -> MeasuredLoad {
        let mut arrivals = vec![0; outline.peers.len()];
        for shard in self.shards.iter_mut().flatten() {
            shard.engine.take_arrivals(outline, &mut arrivals);
        }
        self.repartitioning.grant(&mut arrivals);
        let mut work = vec![0; outline.weights.len()];
        for (&node, messages) in outline.node_of_port.iter().zip(&arrivals) {
            work[node as usize] += messages * outline.weights[node as usize];
        }
        let (span, rounds) = self.repartitioning.take_span(time);
        MeasuredLoad {
            work,
            sides: outline.sides.clone(),
            links: self.link_loads(outline, &arrivals),
            rounds,
            span,
        }
    }

    /// All links; `arrivals` has the number of messages that arrived at each port.
    fn link_loads(&self, outline: &Outline, arrivals: &[u64]) -> Vec<LinkLoad> {
        let peers = outline.peers.iter().enumerate();
        let links = peers.map(|(port, &peer)| (port, peer as usize));
        let delays = &self.runner.delays;
        links
            .filter(|&(port, peer)| port < peer)
            .map(|(port, peer)| LinkLoad {
                ends: [port, peer].map(|end| outline.node_of_port[end]),
                delay: delays[port].min(delays[peer]),
                messages: arrivals[port] + arrivals[peer],
            })
            .collect()
    }

    /// Moves nodes to the shards of `plan`, at `time`.
    fn adopt(&mut self, plan: ShardPlan, time: Time, outline: Arc<Outline>) {
        let division = Division::new(outline, &plan.shard_of_node, plan.shards);
        let division = Arc::new(division);
        let first = self.shard(0).engine.first_turn_at(time);
        let shards = self.plan.shards.max(plan.shards);
        self.run_tasks(shards, || Task::Pack(division.clone()));
        self.run_tasks(shards, || Task::Unpack(division.clone(), (first, time)));
        let engine = &self.shard(0).engine;
        self.turns = engine.turns_within(plan.lookahead).min(MAX_TURNS);
        self.elsewhere = self.handled_by(plan.shards..self.shards.len());
        (self.plan, self.division) = (plan, Some(division));
    }

    /// Frees all nodes, each on the thread of its shard.
    pub(super) fn free(&mut self) {
        self.run_tasks(self.plan.shards, || Task::Free);
    }

    /// Starts missing workers for this number of shards. Returns whether all are there.
    fn has_workers(&mut self, shards: usize) -> bool {
        let runner = self.runner;
        if matches!(runner.threads.partitioning, Partitioning::Rehearsed(_)) {
            return true;
        }
        for number in self.workers.len() + 1..shards {
            let worker = Builder::new().spawn_scoped(self.scope, move || runner.work(number));
            match worker {
                Ok(worker) => self.workers.push(worker),
                Err(_) => return false,
            }
        }
        true
    }
}

impl<N, M, L> Drop for Coordinator<'_, '_, N, M, L> {
    /// Ends the workers. If this thread panics, workers that have not begun their rounds never
    /// will, and the others must not wait for them.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.runner.is_broken.store(true, Ordering::SeqCst);
            for peer in &self.runner.peers {
                peer.signal(MANY_SIGNALS);
            }
        }
        self.shards.clear();
        self.runner.is_ending.store(true, Ordering::SeqCst);
        for start in &self.runner.starts {
            start.signal(1);
        }
    }
}
