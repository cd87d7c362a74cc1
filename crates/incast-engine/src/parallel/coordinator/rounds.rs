//! Rounds: side by side, by the calling thread alone, or rehearsed.

use std::ops::Range;
use std::time::{Duration, Instant};

use incast_units::Time;

use super::Coordinator;
use crate::message::Message;
use crate::node::{Node, NodeShape};
use crate::parallel::Partitioning;
use crate::parallel::parking::Meanwhile;
use crate::parallel::rehearsal::{Rehearsal, RoundPrice, Timetable};
use crate::parallel::shard::{SyncRounds, Task};
use crate::window::WindowContext;

/// Largest number of rounds that threads run without meeting.
const MAX_ROUNDS: u64 = 16;

impl<N, M, L> Coordinator<'_, '_, N, M, L>
where
    N: NodeShape + Send,
    M: Message + Send,
    L: Send,
    for<'w> N: Node<WindowContext<'w, M, L>>,
{
    /// Takes note of what was handled in so many rounds.
    pub(super) fn count_handled(&mut self, rounds: u64) {
        let handled = self.handled_by(0..self.plan.shards) + self.elsewhere;
        self.recent = (handled - self.handled) / rounds;
        self.handled = handled;
    }

    /// How many rounds from `turn` on threads should run without meeting, before `until`, and
    /// before much more than `limit` is handled.
    fn rounds_together(&self, turn: u64, until: Time, limit: u64) -> u64 {
        let engine = &self.shard(0).engine;
        let in_time = |&count: &u64| engine.start_of_turn(turn + count * self.turns) < until;
        let allowed = limit.saturating_sub(self.handled) / self.recent.max(1);
        let more = allowed.min(MAX_ROUNDS - 1);
        1 + (1..=more).take_while(in_time).count() as u64
    }

    /// Runs rounds, the first of which has these turns, side by side; and what can be done while
    /// the calling thread would wait. Returns their number.
    pub(super) fn run_rounds(
        &mut self,
        first: Range<u64>,
        span: (Time, Time, Time),
        limit: u64,
        meanwhile: Meanwhile<'_>,
    ) -> u64 {
        let count = self.rounds_together(first.start, span.1.min(span.2), limit);
        let rounds = SyncRounds {
            first,
            count,
            shards: self.plan.shards,
            span,
        };
        match self.runner.threads.partitioning {
            Partitioning::Rehearsed(price) => self.rehearse(&rounds, price, meanwhile),
            Partitioning::Measured | Partitioning::Random(_) => {
                self.give_tasks(rounds.shards, || Task::Run(rounds.clone()));
                self.run_together(rounds.shards, meanwhile);
            }
        }
        count
    }

    /// Runs a round of little work: no other thread is woken for it. Returns 1, their number.
    pub(super) fn run_round_alone(&mut self, turns: Range<u64>, span: (Time, Time, Time)) -> u64 {
        let runner = self.runner;
        for number in 0..self.plan.shards {
            let shard = self.shard_mut(number);
            shard.run_round(turns.clone(), span, runner, number, || {});
        }
        1
    }

    pub(super) fn handled_by(&self, shards: Range<usize>) -> u64 {
        let handled = shards.map(|number| self.shard(number).report.handled);
        handled.sum()
    }

    fn give_tasks(&mut self, shards: usize, task: impl Fn() -> Task) {
        for number in 0..shards {
            self.shard_mut(number).task = task();
        }
    }

    /// Lets each of so many shards do such a task.
    pub(super) fn run_tasks(&mut self, shards: usize, task: impl Fn() -> Task) {
        self.give_tasks(shards, task);
        match self.runner.threads.partitioning {
            Partitioning::Rehearsed(_) => self.rehearse_tasks(shards),
            Partitioning::Measured | Partitioning::Random(_) => {
                self.run_together(shards, &mut || false);
            }
        }
    }

    fn run_task(&mut self, number: usize, meanwhile: Meanwhile<'_>) {
        let runner = self.runner;
        self.shard_mut(number).run(runner, number, meanwhile);
    }

    /// Lets the calling thread do the tasks of all threads, and takes the time of each.
    fn rehearse_tasks(&mut self, shards: usize) {
        let (_, meeting) = Rehearsal::of_tasks(0..shards, |number| {
            self.run_task(number, &mut || false);
        });
        self.note_rehearsal(meeting);
    }

    /// Runs the rounds of all threads, and takes the time of each. Then does as much other work as
    /// the calling thread would have had time for while it waited.
    fn rehearse(&mut self, rounds: &SyncRounds, price: RoundPrice, meanwhile: Meanwhile<'_>) {
        let (start, runner) = (Instant::now(), self.runner);
        let mut timetable = Timetable::new(rounds.shards, price);
        for turns in rounds.each() {
            for number in 0..rounds.shards {
                let shard = self.shard_mut(number);
                let start = Instant::now();
                let mut outer = Duration::ZERO;
                shard.run_round(turns.clone(), rounds.span, runner, number, || {
                    outer = start.elapsed();
                });
                timetable.run(number, outer, start.elapsed() - outer);
            }
            timetable.end_round();
        }
        let (spare, work) = (timetable.waiting(0), Instant::now());
        while work.elapsed() < spare && meanwhile() {}
        // What of the last piece is left when all others are done holds them up.
        let late = work.elapsed().saturating_sub(spare);
        let longest = timetable.longest() + late;
        self.note_rehearsal(Rehearsal::of_meeting(longest, start.elapsed()));
    }

    fn note_rehearsal(&self, meeting: Rehearsal) {
        let rehearsal = &self.runner.rehearsal;
        let mut rehearsal = rehearsal.lock().expect("a panic never holds this lock");
        *rehearsal += meeting;
    }

    /// Lets each thread run its shard, and waits for all.
    fn run_together(&mut self, shards: usize, meanwhile: Meanwhile<'_>) {
        for number in 1..shards {
            self.shards[number] = None;
            self.runner.starts[number].signal(1);
        }
        self.run_task(0, meanwhile);
        self.done += shards as u64 - 1;
        let runner = self.runner;
        runner.done.wait_at_work(self.done, meanwhile);
        for number in 1..shards {
            match runner.shards[number].lock() {
                Ok(shard) => self.shards[number] = Some(shard),
                Err(_) => self.pass_on_panic(number),
            }
        }
    }

    /// Panics as the worker of a shard did, with its message.
    fn pass_on_panic(&mut self, number: usize) -> ! {
        let worker = self.workers.remove(number - 1);
        match worker.join() {
            Err(cause) => std::panic::resume_unwind(cause),
            Ok(()) => unreachable!("only a panic poisons a lock"),
        }
    }
}
