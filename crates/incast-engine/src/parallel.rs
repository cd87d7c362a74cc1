//! The window engine on several threads, each with a shard of the nodes.
//!
//! ```text
//! coordinator   choose rounds | shard 0: round, round, ... | wait for all | hand flows in ...
//! worker 1      wait          | shard 1: round, round, ... | wait
//! ```
//!
//! Let K, the *lookahead*, be the smallest delay of any link between two shards. An action in \[T,
//! T+K) in one shard cannot reach another before T+K. A synchronisation round therefore lets every
//! shard run its own windows from T to T+K. Messages to other shards are handed over as soon as the
//! last one has been sent, and taken in before the next round. Mailboxes stay FIFOs, so results
//! depend neither on the partition nor on the number of threads.
//!
//! The calling thread, as *coordinator*, holds all shards between series of rounds. It runs rounds
//! with little work alone. Where partitioning does not save time, all nodes return to one shard,
//! which costs no more than the engine on one thread.
//!
//! | file | holds |
//! |---|---|
//! | `shard` | the nodes of one thread, and their synchronisation rounds |
//! | `peers` | how threads keep step from round to round |
//! | `coordinator` | the loop over rounds; lets threads move nodes when a new plan is adopted |
//! | `repartitioning` | when to partition again, by events handled and by the wall clock |
//! | `partitioning` | which shard each node belongs to |
//! | `rehearsal` | the run time on more threads, measured on one |
//! | `parking` | how one thread waits for others |

mod coordinator;
mod parking;
mod partitioning;
mod peers;
mod rehearsal;
mod repartitioning;
mod shard;

use std::iter;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use incast_units::Time;

use self::parking::Parker;
use self::shard::Shard;
use crate::cpu_clock::thread_cpu_time;
use crate::message::Message;
use crate::node::{Node, NodeShape};
use crate::window::{Parcel, ShardMail, WindowContext, WindowEngine};

pub use self::coordinator::Coordinator;
pub use self::parking::Meanwhile;
pub use self::rehearsal::{Rehearsal, RoundPrice};

/// Largest number of threads.
const MAX_THREADS: usize = 256;

/// How nodes are partitioned among threads. Results do not depend on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Partitioning {
    /// By measured work, with neighbours together, if this saves time.
    Measured,
    /// As `Measured`, but the calling thread does the work of all threads and times each part. The
    /// run time on as many threads follows from these times and the price of signals between
    /// threads.
    Rehearsed(RoundPrice),
    /// At random, changed repeatedly, from this seed, to prove that results do not depend on it.
    Random(u64),
}

/// The number of threads that run a set of nodes, and the partitioning.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Number of threads, the calling one included.
    pub count: NonZeroUsize,
    /// How nodes are partitioned among the threads.
    pub partitioning: Partitioning,
}

impl Threads {
    /// The calling thread alone.
    pub const ONE: Self = Self::new(NonZeroUsize::MIN);

    /// This many threads, which share the work by measured load.
    pub const fn new(count: NonZeroUsize) -> Self {
        Self {
            count,
            partitioning: Partitioning::Measured,
        }
    }

    /// The calling thread, which measures the run time on this many threads.
    pub const fn rehearsed(count: NonZeroUsize, price: RoundPrice) -> Self {
        Self {
            count,
            partitioning: Partitioning::Rehearsed(price),
        }
    }
}

/// Nodes and the threads that run them.
#[derive(Debug)]
pub struct ParallelRunner<N, M, L> {
    shards: Vec<Mutex<Shard<N, M, L>>>,
    /// By sender and receiver: messages in flight between shards.
    mail: Vec<Mutex<ShardMail<M>>>,
    /// By sender, then receiver: nodes that move to another shard.
    parcels: Vec<Mutex<Vec<Parcel<N, M>>>>,
    /// By shard: signalled when its thread has a task.
    starts: Vec<Parker>,
    /// Signalled by every worker that has done its task.
    done: Parker,
    /// By shard: signalled by every other shard when it has handed over the messages of a round.
    peers: Vec<Parker>,
    /// Whether a thread has panicked.
    is_broken: AtomicBool,
    /// Processor time of workers that have ended, in ns.
    worker_cpu: AtomicU64,
    /// Number of workers started so far.
    workers: AtomicUsize,
    is_ending: AtomicBool,
    rehearsal: Mutex<Rehearsal>,
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
    /// A runner for the nodes of `engine`; `delays` are the link delays at each port, counted over
    /// all nodes. `local` makes the state that the nodes of one thread share.
    ///
    /// # Panics
    /// If there is not one delay for every port, or one is shorter than the time from one turn to
    /// the next.
    pub fn new(
        engine: WindowEngine<N, M>,
        delays: Vec<Time>,
        threads: Threads,
        mut local: impl FnMut() -> L,
    ) -> Self {
        assert_eq!(delays.len(), engine.ports(), "a delay for each port");
        let count = threads.count.get().min(MAX_THREADS);
        if count > 1 {
            let fits = delays.iter().min().is_none_or(|&d| d >= engine.step());
            assert!(fits, "a link shorter than from turn to turn");
        }
        let others: Vec<_> = (1..count).map(|_| engine.hollow()).collect();
        let engines = iter::once(engine).chain(others);
        let shards = engines.map(|engine| Mutex::new(Shard::new(engine, local())));
        Self {
            shards: shards.collect(),
            mail: (0..count * count).map(|_| Mutex::default()).collect(),
            parcels: (0..count).map(|_| Mutex::default()).collect(),
            starts: (0..count).map(|_| Parker::default()).collect(),
            done: Parker::default(),
            peers: (0..count).map(|_| Parker::default()).collect(),
            is_broken: AtomicBool::new(false),
            worker_cpu: AtomicU64::new(0),
            workers: AtomicUsize::new(0),
            is_ending: AtomicBool::new(false),
            rehearsal: Mutex::default(),
            threads,
            delays,
        }
    }

    /// Lets `drive` run the nodes, round by round, and frees them. Workers are started when they
    /// are needed, and end with this call.
    pub fn run<R>(&self, drive: impl FnOnce(&mut Coordinator<'_, '_, N, M, L>) -> R) -> R {
        thread::scope(|scope| {
            let mut coordinator = Coordinator::new(self, scope);
            let outcome = drive(&mut coordinator);
            coordinator.free();
            outcome
        })
    }

    /// Number of workers started besides the calling thread, and their processor time; zero if the
    /// system does not count it.
    pub fn worker_usage(&self) -> (usize, Duration) {
        let cpu = self.worker_cpu.load(Ordering::SeqCst);
        let workers = self.workers.load(Ordering::SeqCst);
        (workers, Duration::from_nanos(cpu))
    }

    /// The measured times of the run, if it was [rehearsed](Partitioning::Rehearsed).
    pub fn rehearsal(&self) -> Option<Rehearsal> {
        let is_rehearsed = matches!(self.threads.partitioning, Partitioning::Rehearsed(_));
        is_rehearsed.then(|| {
            *self
                .rehearsal
                .lock()
                .expect("a panic never holds this lock")
        })
    }

    /// The loop of a worker thread: does a task of its shard at each signal, until the coordinator
    /// ends.
    fn work(&self, number: usize) {
        self.workers.fetch_add(1, Ordering::SeqCst);
        for task in 1.. {
            self.starts[number].wait(task);
            if self.is_ending.load(Ordering::SeqCst) {
                break;
            }
            // If a node panics, the coordinator learns of it by the poisoned lock.
            let _signal = SignalAtEnd(&self.done);
            self.lock(number).run(self, number, &mut || false);
        }
        let cpu = thread_cpu_time().unwrap_or_default().as_nanos() as u64;
        self.worker_cpu.fetch_add(cpu, Ordering::SeqCst);
    }

    /// # Panics
    /// If the thread of this shard has panicked.
    fn lock(&self, number: usize) -> MutexGuard<'_, Shard<N, M, L>> {
        self.shards[number].lock().expect("a thread that runs")
    }

    fn mail(&self, from: usize, to: usize) -> MutexGuard<'_, ShardMail<M>> {
        let mail = &self.mail[from * self.shards.len() + to];
        mail.lock().expect("a panic never holds this lock")
    }

    fn parcels(&self, from: usize) -> MutexGuard<'_, Vec<Parcel<N, M>>> {
        let parcels = self.parcels[from].lock();
        parcels.expect("a panic never holds this lock")
    }
}

struct SignalAtEnd<'a>(&'a Parker);

impl Drop for SignalAtEnd<'_> {
    fn drop(&mut self) {
        self.0.signal(1);
    }
}

#[cfg(test)]
mod tests;
