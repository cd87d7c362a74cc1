//! Several threads, each with a part of the nodes.
//!
//! ```text
//! coordinator   choose the round | run part 0 | wait for all | collect, hand flows in, choose ...
//! worker 1    wait             | run part 1 | wait
//! ```
//!
//! Let K be the smallest delay of any link between two parts. What a part does in \[T, T+K) cannot
//! reach another before T+K. So a round lets every part run its own windows from T to T+K; what
//! it sends to others is handed over at the end, and taken in before the next round. Mailboxes
//! stay FIFOs, so nothing that happens depends on the partitioning, nor on the number of threads.
//!
//! The thread that began, the *coordinator*, has all parts in its hands between rounds. As long as
//! rounds have little work it runs all parts itself; if that goes on, all nodes come together in
//! one part, which costs nothing more than if there were no others.

mod coordinator;
mod parking;
mod partitioning;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use cpu_time::ThreadTime;
use incast_units::Time;

use self::parking::Bell;
use crate::node::{Message, Node, NodeShape};
use crate::windows::{Batch, WindowContext, WindowEngine};

pub use self::coordinator::Coordinator;

/// Most threads that are of use; more are not started.
const MOST_THREADS: usize = 256;

/// How nodes are divided among threads. Results do not depend on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Partitioning {
    /// By measured work, neighbours together, where that saves time.
    Measured,
    /// At random, again and again, to prove that it does not matter.
    Random(u64),
}

/// How many threads run a set of nodes, and how they divide it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Threads {
    /// The calling thread is one of them.
    pub count: NonZeroUsize,
    /// Who runs what.
    pub partitioning: Partitioning,
}

impl Threads {
    /// The calling thread alone.
    pub const ONE: Self = Self::new(NonZeroUsize::MIN);

    /// So many threads, which divide the work as they measure it.
    pub const fn new(count: NonZeroUsize) -> Self {
        Self {
            count,
            partitioning: Partitioning::Measured,
        }
    }
}

/// A part of the nodes, and what one thread needs to run it.
#[derive(Debug)]
struct Shard<N, M, L> {
    windows: WindowEngine<N, M>,
    local: L,
    /// By sending port: the shard of the node that receives.
    homes: Vec<u16>,
    /// When the first of the mail arrives that was handed over in the last round.
    first_mail: Time,
    round: Round,
    /// End of the last window that was run.
    end: Time,
}

/// What is to be run: windows that begin in a stretch of time.
#[derive(Copy, Clone, Debug, Default)]
struct Round {
    start: Time,
    end: Time,
    /// End of the run.
    stop: Time,
}

/// Nodes and the threads that run them.
#[derive(Debug)]
pub struct ParallelRunner<N, M, L> {
    shards: Vec<Mutex<Shard<N, M, L>>>,
    /// By sender and receiver: mail on its way between shards.
    mail: Vec<Mutex<Batch<M>>>,
    /// By shard: rung when its thread is to run a round.
    bells: Vec<Bell>,
    /// Rung by every thread but the coordinator when it has run a round.
    done: Bell,
    /// Processor time of threads that have ended, in ns.
    helpers_cpu: AtomicU64,
    helpers: AtomicUsize,
    quits: AtomicBool,
    threads: Threads,
    /// By sending port: delay of its link.
    delays: Vec<Time>,
}

impl<N, M, L> ParallelRunner<N, M, L>
where
    N: NodeShape + Send,
    M: Message + Send,
    L: Send,
    for<'c> N: Node<WindowContext<'c, M, L>>,
{
    /// A runner for the nodes of `windows`; `delays` are those of the links at each port, counted
    /// over all nodes. Each thread gets one of what `local` makes.
    ///
    /// # Panics
    /// If there is not one delay for every port, or one is shorter than a window.
    pub fn new(
        windows: WindowEngine<N, M>,
        delays: Vec<Time>,
        threads: Threads,
        mut local: impl FnMut() -> L,
    ) -> Self {
        assert_eq!(delays.len(), windows.peers().len(), "a delay for each port");
        let count = threads.count.get().min(MOST_THREADS);
        if count > 1 {
            let shortest = delays.iter().min().is_none_or(|&d| d >= windows.length());
            assert!(shortest, "a link shorter than a window");
        }
        let ports = delays.len();
        let mut shard = |windows| {
            Mutex::new(Shard {
                windows,
                local: local(),
                homes: vec![0; ports],
                first_mail: Time::MAX,
                round: Round::default(),
                end: Time::ZERO,
            })
        };
        let others: Vec<_> = (1..count).map(|_| shard(windows.empty_part())).collect();
        let mut shards = vec![shard(windows)];
        shards.extend(others);
        Self {
            shards,
            mail: (0..count * count).map(|_| Mutex::default()).collect(),
            bells: (0..count).map(|_| Bell::default()).collect(),
            done: Bell::default(),
            helpers_cpu: AtomicU64::new(0),
            helpers: AtomicUsize::new(0),
            quits: AtomicBool::new(false),
            threads,
            delays,
        }
    }

    /// Lets `drive` run the nodes, round by round. Other threads are started when they are needed
    /// and end with it.
    pub fn run<R>(&self, drive: impl FnOnce(&mut Coordinator<'_, '_, N, M, L>) -> R) -> R {
        thread::scope(|scope| drive(&mut Coordinator::new(self, scope)))
    }

    /// How many threads were started beside the calling one, and the processor time they took;
    /// zero where the system does not count it.
    pub fn worker_usage(&self) -> (usize, Duration) {
        let cpu = self.helpers_cpu.load(Ordering::SeqCst);
        let helpers = self.helpers.load(Ordering::SeqCst);
        (helpers, Duration::from_nanos(cpu))
    }

    /// What the thread of a shard does until the coordinator lets it go.
    fn work(&self, number: usize) {
        let cpu = ThreadTime::try_now().ok();
        self.helpers.fetch_add(1, Ordering::SeqCst);
        for round in 1.. {
            self.bells[number].wait(round);
            if self.quits.load(Ordering::SeqCst) {
                break;
            }
            // Even if a node panics the coordinator hears of it, by the lock.
            let _ring = RingAtEnd(&self.done);
            self.lock(number).run_round(self, number);
        }
        if let Some(Ok(cpu)) = cpu.map(|start| start.try_elapsed()) {
            let cpu = cpu.as_nanos() as u64;
            self.helpers_cpu.fetch_add(cpu, Ordering::SeqCst);
        }
    }

    /// # Panics
    /// If the thread of that shard did.
    fn lock(&self, number: usize) -> MutexGuard<'_, Shard<N, M, L>> {
        self.shards[number].lock().expect("a thread that runs")
    }

    fn mail(&self, from: usize, to: usize) -> MutexGuard<'_, Batch<M>> {
        let batch = &self.mail[from * self.shards.len() + to];
        batch.lock().expect("whoever hands over does nothing else")
    }
}

struct RingAtEnd<'a>(&'a Bell);

impl Drop for RingAtEnd<'_> {
    fn drop(&mut self) {
        self.0.ring();
    }
}

impl<N, M, L> Shard<N, M, L>
where
    N: NodeShape + Send,
    M: Message + Send,
    L: Send,
    for<'c> N: Node<WindowContext<'c, M, L>>,
{
    fn run_round(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        let Round { start, end, stop } = self.round;
        self.take_in(runner, number);
        self.windows.advance(start);
        while let Some(window) = self.windows.next_window()
            && window < end.min(stop)
        {
            self.windows.run_window(window, stop, &mut self.local);
            self.end = window + self.windows.length();
        }
        let homes = &self.homes;
        let batch = |port: u32| runner.mail(number, homes[port as usize].into());
        self.first_mail = self.windows.hand_over(batch);
    }

    /// Takes in what other shards have sent to this one.
    fn take_in(&mut self, runner: &ParallelRunner<N, M, L>, number: usize) {
        for from in (0..runner.shards.len()).filter(|&from| from != number) {
            self.windows.take_in(&mut runner.mail(from, number));
        }
    }

    fn next_window(&self) -> Option<Time> {
        let mail = (self.first_mail < Time::MAX).then(|| self.windows.window_of(self.first_mail));
        self.windows.next_window().into_iter().chain(mail).min()
    }
}

#[cfg(test)]
mod tests;
