//! A random network of nodes that pass numbers on, set timers and revoke messages, run by one
//! thread and by several.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::*;
use crate::node::Context;
use crate::window::NodeOrder;
use incast_random::{NetworkPurpose, RandomStream, mix};

#[derive(Debug, Clone, Copy)]
struct Number {
    at: Time,
    value: u64,
}

impl Message for Number {
    fn time_bits(&self) -> u64 {
        self.at.as_ps()
    }
}

/// A node whose next action depends on all messages and times so far. `hops` ends a chain of
/// messages.
#[derive(Debug)]
struct Relay {
    state: u64,
    heard: u64,
    hops: u64,
    delays: Vec<Time>,
    /// By port: arrival of the last message sent there.
    last: Vec<Time>,
    gate: Option<Arc<Gate>>,
}

/// Far longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Stops all threads but one until this thread has done other work.
#[derive(Debug)]
struct Gate {
    free: ThreadId,
    is_open: AtomicBool,
}

impl Gate {
    fn pass(&self) {
        let begin = Instant::now();
        while thread::current().id() != self.free && !self.is_open.load(Ordering::SeqCst) {
            assert!(begin.elapsed() < PATIENCE, "nothing else is done");
            thread::yield_now();
        }
    }
}

impl Relay {
    fn hear(&mut self, now: Time, what: u64) {
        if let Some(gate) = &self.gate {
            gate.pass();
        }
        self.state = mix(self.state ^ mix(now.as_ps()) ^ what);
        self.heard += 1;
    }

    /// Sends a number that arrives at the earliest possible time, or a little later; sometimes
    /// revokes it and sends it again.
    fn say<C: Context<Message = Number>>(&mut self, hops: u64, context: &mut C) {
        let port = self.state as usize % self.delays.len();
        let jitter = Time::from_ps((self.state >> 8) % 3_000_000);
        let at = (context.now() + self.delays[port] + jitter).max(self.last[port]);
        let value = self.state << 8 | hops;
        context.send(port, &Number { at, value }, at);
        if (self.state >> 40).is_multiple_of(8) {
            let back = context.revoke(port).expect("it was sent just now");
            assert_eq!(back.value, value);
            let at = at + Time::from_ps(self.state >> 50);
            self.last[port] = at;
            context.send(port, &Number { at, value }, at);
        } else {
            self.last[port] = at;
        }
    }
}

impl NodeShape for Relay {
    fn timers(&self) -> usize {
        2
    }

    fn ports(&self) -> usize {
        self.delays.len()
    }
}

impl<C: Context<Message = Number, Local = u64>> Node<C> for Relay {
    fn on_message(&mut self, port: usize, number: &mut Number, context: &mut C) {
        *context.local() += 1;
        self.hear(context.now(), number.value ^ port as u64);
        let hops = number.value % 256;
        if hops > 0 {
            self.say(hops - 1, context);
            match self.state >> 60 {
                0..4 => {
                    let wait = Time::from_ps((self.state >> 20) % 40_000_000_000);
                    context.set_timer(1, context.now() + wait);
                }
                4 => context.cancel_timer(1),
                _ => {}
            }
        }
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        self.hear(context.now(), timer as u64);
        if timer == 0 {
            self.say(self.hops, context);
        }
    }
}

/// A ring with chords; delays of 300 ns to 20 us. Short links join even numbers to odd ones.
fn network(nodes: usize, seed: u64, hops: u64) -> (WindowEngine<Relay, Number>, Vec<Time>) {
    gated_network(nodes, seed, hops, None)
}

/// A network whose nodes do nothing before a gate opens.
fn gated_network(
    nodes: usize,
    seed: u64,
    hops: u64,
    gate: Option<&Arc<Gate>>,
) -> (WindowEngine<Relay, Number>, Vec<Time>) {
    let mut random = RandomStream::of_network(seed, 7, NetworkPurpose::Scheduling);
    let mut below = |limit: usize| (random.uniform() * limit as f64) as usize;
    let mut links: Vec<(usize, usize)> = (0..nodes).map(|i| (i, (i + 1) % nodes)).collect();
    links.extend((0..nodes / 2).map(|_| (below(nodes), below(nodes))));
    let mut ports: Vec<Vec<(usize, Time)>> = vec![Vec::new(); nodes];
    for (link, &(one, other)) in links.iter().enumerate() {
        let delay = [300, 300, 1_000, 20_000][below(4)];
        let delay = if (one + other) % 2 == 0 {
            delay.max(600)
        } else {
            delay
        };
        let delay = if link == 0 { 300 } else { delay };
        ports[one].push((2 * link, Time::from_ns(delay)));
        ports[other].push((2 * link + 1, Time::from_ns(delay)));
    }
    let ends: Vec<usize> = ports.iter().flatten().map(|&(end, _)| end).collect();
    let index = |end: usize| ends.iter().position(|&each| each == end).unwrap() as u32;
    let peers: Vec<u32> = ends.iter().map(|end| index(end ^ 1)).collect();
    let delays = ports.iter().flatten().map(|&(_, delay)| delay).collect();
    let nodes = ports.into_iter().enumerate().map(|(id, ports)| Relay {
        state: mix(id as u64),
        heard: 0,
        hops,
        last: vec![Time::ZERO; ports.len()],
        delays: ports.into_iter().map(|(_, delay)| delay).collect(),
        gate: gate.cloned(),
    });
    let length = Time::from_ns(300);
    let windows = WindowEngine::new(nodes.collect(), &peers, length, NodeOrder::Ascending);
    (windows, delays)
}

/// The final state: each node's state and number of events, messages of all threads, end.
type Outcome = (Vec<(u64, u64)>, u64, Time);

/// Runs a network whose nodes start at different times.
fn run(seed: u64, threads: Threads, stop: Time) -> Outcome {
    let (windows, delays) = network(NODES, seed, 80);
    run_in(windows, delays, threads, stop)
}

/// Runs a network with two sides that alternate.
fn run_alternating(seed: u64, threads: Threads, stop: Time) -> Outcome {
    let (windows, delays) = network(NODES, seed, 80);
    let windows = windows.alternating(&delays);
    assert_eq!(windows.length(), Time::from_ns(600));
    run_in(windows, delays, threads, stop)
}

const NODES: usize = 40;

fn run_in(
    windows: WindowEngine<Relay, Number>,
    delays: Vec<Time>,
    threads: Threads,
    stop: Time,
) -> Outcome {
    let nodes = NODES;
    let runner = ParallelRunner::new(windows, delays, threads, || 0);
    let (states, sum, end) = runner.run(|coordinator| {
        let mut starts: Vec<usize> = (0..nodes).collect();
        let start_of = |node: usize| Time::from_ns(mix(node as u64) % 90_000);
        starts.sort_by_key(|&node| start_of(node));
        let mut starts = starts.into_iter().peekable();
        let mut last = Time::ZERO;
        loop {
            let next = starts.peek().map(|&node| start_of(node));
            let next = coordinator.next_window().into_iter().chain(next).min();
            let Some(next) = next.filter(|&next| next < stop) else {
                break;
            };
            let (start, end) = coordinator.span_of(next);
            while let Some(node) = starts.next_if(|&node| start_of(node) < end.min(stop)) {
                coordinator.ensure_timer(node, 0, start_of(node));
            }
            last = coordinator.run(start, end, stop).min(stop);
        }
        let states: Vec<_> = coordinator.nodes().map(|n| (n.state, n.heard)).collect();
        (states, coordinator.locals_mut().map(|sum| *sum).sum(), last)
    });
    (states, sum, end)
}

/// The calling thread does deferred work while other threads run their rounds, without an effect on
/// results. The other threads go on only after some of this work.
#[test]
fn the_calling_thread_does_work_that_can_wait() {
    let reference = run(1, Threads::ONE, Time::MAX).0;
    let gate = Arc::new(Gate {
        free: thread::current().id(),
        is_open: AtomicBool::new(false),
    });
    let (windows, delays) = gated_network(NODES, 1, 80, Some(&gate));
    let threads = threads(3, Partitioning::Random(1));
    let runner = ParallelRunner::new(windows, delays, threads, || 0);
    let (states, pieces) = runner.run(|coordinator| {
        let mut pieces = 0;
        let mut work = || {
            pieces += 1;
            gate.is_open.store(true, Ordering::SeqCst);
            true
        };
        for node in 0..NODES {
            let at = Time::from_ns(mix(node as u64) % 90_000);
            coordinator.ensure_timer(node, 0, at);
        }
        while let Some(start) = coordinator.next_window() {
            let (start, end) = coordinator.span_of(start);
            coordinator.run_at_work((start, end, Time::MAX), &mut work);
        }
        let states: Vec<_> = coordinator.nodes().map(|n| (n.state, n.heard)).collect();
        (states, pieces)
    });
    assert_eq!(states, reference);
    assert!(pieces > 0);
}

fn threads(count: usize, partitioning: Partitioning) -> Threads {
    let count = NonZeroUsize::new(count).unwrap();
    Threads {
        count,
        partitioning,
    }
}

#[test]
fn the_partition_does_not_matter() {
    for seed in 0..4 {
        let reference = run(seed, Threads::ONE, Time::MAX);
        assert!(reference.1 > 2_500, "{}", reference.1);
        for count in [2, 3, 8] {
            let random = threads(count, Partitioning::Random(seed));
            assert_eq!(run(seed, random, Time::MAX), reference, "{count} threads");
        }
    }
}

/// Results are equal with common windows and with two alternating sides.
#[test]
fn sides_that_alternate_see_the_same() {
    for seed in 0..8 {
        let (states, sum, _) = run(seed, Threads::ONE, Time::MAX);
        let reference = run_alternating(seed, Threads::ONE, Time::MAX);
        assert_eq!((&reference.0, reference.1), (&states, sum), "seed {seed}");
        for count in [2, 3, 8] {
            let random = threads(count, Partitioning::Random(seed));
            let found = run_alternating(seed, random, Time::MAX);
            assert_eq!(found, reference, "seed {seed}, {count} threads");
        }
    }
}

#[test]
fn sides_that_alternate_may_stop_at_any_time() {
    for step in 0..40 {
        let stop = Time::from_ps(100_000_000 + 300_000 * step / 7);
        let reference = run(9, Threads::ONE, stop);
        assert!(reference.1 > 100 && reference.2 == stop, "{reference:?}");
        assert_eq!(run_alternating(9, Threads::ONE, stop), reference);
        for count in [2, 5] {
            let random = threads(count, Partitioning::Random(step));
            let found = run_alternating(9, random, stop);
            assert_eq!(found, reference, "{count} threads, {stop}");
        }
    }
}

/// After many events a span ends early, at a time at which all nodes can stand.
#[test]
fn spans_end_early() {
    for count in [1, 2, 5] {
        let random = threads(count, Partitioning::Random(3));
        let (windows, delays) = network(NODES, 1, 80);
        let runner = ParallelRunner::new(windows.alternating(&delays), delays, random, || 0);
        runner.run(|coordinator| {
            (0..NODES).for_each(|node| coordinator.ensure_timer(node, 0, Time::ZERO));
            let (mut until, mut before, mut early) = (Time::ZERO, 0, 0);
            while let Some(start) = coordinator.next_window() {
                assert!(start >= until, "{start} before {until}");
                let (start, end) = coordinator.span_of(start);
                coordinator.run(start, end, Time::MAX);
                let handled: u64 = coordinator.locals_mut().map(|sum| *sum).sum();
                assert!(handled - before < 600, "{handled} after {before}");
                (until, before) = (coordinator.done_until, handled);
                assert_eq!(until.as_ps() % 600_000, 0);
                early += u32::from(until < end);
            }
            assert!(early > 2, "{early} of spans, {count} threads");
        });
    }
}

/// Before the first partitioning spans are short, so that other threads do not wait for the end of
/// a long one.
#[test]
fn spans_are_short_until_nodes_are_divided() {
    let span = |threads| {
        let (windows, delays) = network(NODES, 1, 80);
        let runner = ParallelRunner::new(windows.alternating(&delays), delays, threads, || 0);
        runner.run(|coordinator| coordinator.span_of(Time::ZERO).1)
    };
    let two = |partitioning| span(threads(2, partitioning));
    let window = Time::from_ns(600);
    assert_eq!(span(Threads::ONE), window * 32);
    assert_eq!(two(Partitioning::Measured), window);
    assert_eq!(two(Partitioning::Random(1)), window * 32);
}

#[test]
fn a_run_may_stop_in_the_middle_of_a_window() {
    let stop = Time::from_ps(123_456_789);
    let reference = run(9, Threads::ONE, stop);
    assert!(reference.1 > 300 && reference.2 == stop, "{reference:?}");
    for count in [2, 5] {
        let random = threads(count, Partitioning::Random(count as u64));
        assert_eq!(run(9, random, stop), reference, "{count} threads");
    }
}

/// Sixteen nodes in a ring that set a timer every microsecond. One of them panics.
#[derive(Debug)]
struct Bomb {
    /// When, if ever.
    explodes: Option<Time>,
}

impl NodeShape for Bomb {
    fn timers(&self) -> usize {
        1
    }

    fn ports(&self) -> usize {
        2
    }
}

impl<C: Context<Message = Number>> Node<C> for Bomb {
    fn on_message(&mut self, _: usize, _: &mut Number, _: &mut C) {}

    fn on_timer_expiry(&mut self, _: usize, context: &mut C) {
        let is_time = self.explodes.is_some_and(|at| context.now() >= at);
        assert!(!is_time, "node 7 is broken");
        context.set_timer(0, context.now() + Time::from_us(1));
    }
}

/// The panic of a node ends the run with the node's message, on any thread. Other threads end, too:
/// in the same rounds, before their rounds, or waiting for the node's messages.
#[test]
fn a_panic_is_passed_on() {
    let peers = (0..32).map(|port: u32| (port + 31 + 2 * (port % 2)) % 32);
    let peers: Vec<u32> = peers.collect();
    let delays = vec![Time::from_us(1); 32];
    for seed in 0..400 {
        let at = Time::from_us([20, 300][seed as usize / 200]);
        let explodes = |node| (node == 7).then_some(at);
        let nodes = (0..16).map(|node| Bomb {
            explodes: explodes(node),
        });
        let nodes = nodes.collect();
        let windows = WindowEngine::new(nodes, &peers, Time::from_us(1), NodeOrder::Ascending);
        let windows = match seed % 2 {
            0 => windows,
            _ => windows.alternating(&delays),
        };
        let threads = threads(3 + seed as usize % 6, Partitioning::Random(seed));
        let runner = ParallelRunner::new(windows, delays.clone(), threads, || ());
        let drive = |coordinator: &mut Coordinator<'_, '_, _, Number, _>| {
            for node in 0..16 {
                coordinator.ensure_timer(node, 0, Time::from_us(node as u64));
            }
            while let Some(next) = coordinator.next_window() {
                let (start, end) = coordinator.span_of(next);
                coordinator.run(start, end, Time::MAX);
            }
        };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runner.run(drive)));
        let cause = caught.expect_err("a node panics");
        let words = cause.downcast_ref::<&str>().expect("its own words");
        assert!(words.contains("node 7 is broken"), "{words}");
    }
}
