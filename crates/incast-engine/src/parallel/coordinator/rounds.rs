//! Rounds: on several threads, on the calling thread alone, or rehearsed.

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

/// Largest number of rounds that threads run between two meetings with the coordinator.
const MAX_ROUNDS: u64 = 16;

impl<N, M, L> Coordinator<'_, '_, N, M, L>
where
    N: NodeShape + Send,
    M: Message + Send,
    L: Send,
    for<'w> N: Node<WindowContext<'w, M, L>>,
{
    /// Updates the counts of handled messages and timers after this many rounds.
    pub(super) fn count_handled(&mut self, rounds: u64) {
        let handled = self.handled_by(0..self.plan.shards) + self.elsewhere;
        self.recent = (handled - self.handled) / rounds;
        self.handled = handled;
    }

    /// Number of rounds from `turn` on that threads run without meeting: rounds before `until`,
    /// with not many more events than `limit`.
    fn rounds_together(&self, turn: u64, until: Time, limit: u64) -> u64 {
        let engine = &self.shard(0).engine;
        let in_time = |&count: &u64| engine.start_of_turn(turn + count * self.turns) < until;
        let allowed = limit.saturating_sub(self.handled) / self.recent.max(1);
        let more = allowed.min(MAX_ROUNDS - 1);
        1 + (1..=more).take_while(in_time).count() as u64
    }

    /// Runs rounds on several threads. `first`: the turns of the first round. The calling thread
    /// does `meanwhile` when it would otherwise wait. Returns the number of rounds.
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

    /// Runs a round with little work on the calling thread, without waking others. Returns 1, the
    /// number of rounds.
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

    /// Gives each of `shards` shards a task, and waits for all.
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

    /// Does the tasks of all threads on the calling thread, and times each.
    fn rehearse_tasks(&mut self, shards: usize) {
        let meeting = Rehearsal::of_tasks(shards, &mut |number| {
            self.run_task(number, &mut || false);
        });
        self.note_rehearsal(meeting);
    }

    /// Runs the rounds of all threads on the calling thread, and times each. Then does as much of
    /// `meanwhile` as the calling thread would have time for while it waited.
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
        // The part of the last piece that goes beyond the spare time delays the meeting.
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

    /// Panics with the message of a shard's worker.
    fn pass_on_panic(&mut self, number: usize) -> ! {
        let worker = self.workers.remove(number - 1);
        match worker.join() {
            Err(cause) => std::panic::resume_unwind(cause),
            Ok(()) => unreachable!("only a panic poisons a lock"),
        }
    }
}
