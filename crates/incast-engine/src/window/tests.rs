//! A ring of nodes that pass numbers on: the order of events, timers, and independence of the order
//! of nodes.

use super::*;
use crate::node::Context;

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

/// A node that adds its own id to a number and passes it on, alternately right and left, and keeps
/// a log.
struct Relay {
    id: u64,
    log: Vec<(u64, u64)>,
}

const DELAY: Time = Time::from_ns(700);

impl NodeShape for Relay {
    fn timers(&self) -> usize {
        2
    }

    fn ports(&self) -> usize {
        2
    }
}

impl<C: Context<Message = Number, Local = u64>> Node<C> for Relay {
    fn on_message(&mut self, port: usize, number: &mut Number, context: &mut C) {
        *context.local() += 1;
        let now = context.now();
        self.log
            .push((now.as_ps(), number.value * 10 + port as u64));
        if number.value < 400 {
            let out = (number.value as usize + port) % 2;
            let value = number.value + self.id + 1;
            let at = now + DELAY + Time::from_ps(value % 13);
            context.send(out, &Number { at, value }, at);
            context.set_timer(1, now + Time::from_ns(value % 900));
        }
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        self.log.push((context.now().as_ps(), timer as u64));
        if timer == 0 {
            let at = context.now() + DELAY;
            context.send(0, &Number { at, value: self.id }, at);
        }
    }
}

/// A ring: port 1 of node i leads to port 0 of node i + 1.
fn ring(size: usize, order: NodeOrder) -> WindowEngine<Relay, Number> {
    let nodes = (0..size as u64)
        .map(|id| Relay {
            id,
            log: Vec::new(),
        })
        .collect();
    let peers: Vec<u32> = (0..size)
        .flat_map(|i| {
            let left = (i + size - 1) % size;
            let right = (i + 1) % size;
            [left as u32 * 2 + 1, right as u32 * 2]
        })
        .collect();
    WindowEngine::new(nodes, &peers, DELAY, order)
}

fn run(order: NodeOrder) -> (u64, Vec<Vec<(u64, u64)>>) {
    run_with(order, |_, _, _| {})
}

/// Runs all windows; `before` is called before each.
fn run_with(
    order: NodeOrder,
    mut before: impl FnMut(&mut WindowEngine<Relay, Number>, Time, &mut u64),
) -> (u64, Vec<Vec<(u64, u64)>>) {
    let mut windows = ring(9, order);
    for node in 0..9 {
        windows.ensure_timer(node, 0, Time::from_ns(100 * node as u64));
    }
    let mut handled = 0;
    while let Some(start) = windows.next_window() {
        before(&mut windows, start, &mut handled);
        windows.run_span(start, start + windows.span(), Time::MAX, &mut handled);
    }
    let logs = (0..9).map(|node| windows.node(node));
    (handled, logs.map(|node| node.log.clone()).collect())
}

#[test]
fn every_node_sees_time_in_order() {
    let (handled, logs) = run(NodeOrder::Ascending);
    assert!(handled > 100);
    for log in logs {
        assert!(log.is_sorted_by_key(|&(time, _)| time));
    }
}

#[test]
fn the_order_of_nodes_does_not_matter() {
    let reference = run(NodeOrder::Ascending);
    for seed in 0..5 {
        assert_eq!(run(NodeOrder::Shuffled(seed)), reference);
    }
}

/// Some nodes run ahead of others in parts of a window. Their logs do not change, and include the
/// messages that were announced before.
#[test]
fn running_ahead_does_not_matter() {
    let reference = run(NodeOrder::Ascending);
    for seed in 0..20 {
        let mut random = RandomStream::of_network(seed, 0, NetworkPurpose::Scheduling);
        let mut told = 0;
        let found = run_with(NodeOrder::Ascending, |windows, start, handled| {
            windows.arrivals_of_window(start, &mut |_, _, messages| told += messages.len() as u64);
            for _ in 0..(random.uniform() * 12.0) as usize {
                let node = (random.uniform() * 9.0) as usize;
                let part = DELAY.as_ps() as f64 * random.uniform();
                windows.run_ahead(node, start, start + Time::from_ps(part as u64), handled);
            }
        });
        assert_eq!(found, reference);
        assert_eq!(told, reference.0);
    }
}

/// Nodes that run ahead to the ends of windows leave no events in the windows, and no memory in
/// use: a ring of nine nodes has 18 links.
#[test]
fn running_ahead_leaves_no_memory_behind() {
    let mut most = 0;
    run_with(NodeOrder::Ascending, |windows, start, handled| {
        for node in 0..9 {
            windows.run_ahead(node, start, start + DELAY, handled);
        }
        most = most.max(windows.state.router.spare.count());
    });
    assert!(most <= 18, "{most}");
}

#[test]
fn a_timer_that_moves_expires_once() {
    struct Mover(Vec<u64>);
    impl NodeShape for Mover {
        fn timers(&self) -> usize {
            2
        }
        fn ports(&self) -> usize {
            0
        }
    }
    impl<C: Context<Message = Number>> Node<C> for Mover {
        fn on_message(&mut self, _: usize, _: &mut Number, _: &mut C) {}
        fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
            self.0.push(context.now().as_ns());
            if timer == 0 {
                context.set_timer(1, Time::from_ns(300));
                context.set_timer(1, Time::from_ns(5_000_000));
                context.set_timer(1, Time::from_ns(200));
            }
        }
    }
    let mut windows = WindowEngine::new(vec![Mover(Vec::new())], &[], DELAY, NodeOrder::Ascending);
    windows.ensure_timer(0, 0, Time::from_ns(10));
    while let Some(start) = windows.next_window() {
        windows.run_span(start, start + DELAY, Time::MAX, &mut ());
    }
    assert_eq!(windows.node(0).0, [10, 200]);
}
