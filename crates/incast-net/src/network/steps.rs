//! The nodes of a network, and the two engines that can run them, behind one face.

use incast_engine::{Coordinator, EventQueueEngine, Events, Node, NodeShape, PortBatch};
use incast_units::{NodeId, Time};

use crate::context::NetContext;
use crate::host::{Host, START, TIMERS};
use crate::packet::Packet;
use crate::switch::Switch;
use crate::trace::Log;

/// A host or a switch.
#[derive(Debug)]
pub(super) enum NetNode<'a, const WORDS: usize> {
    Host(Box<Host<'a, WORDS>>),
    Switch(Box<Switch<'a, WORDS>>),
}

impl<const WORDS: usize> NodeShape for NetNode<'_, WORDS> {
    fn timers(&self) -> usize {
        match self {
            Self::Host(_) => TIMERS,
            Self::Switch(switch) => switch.timers(),
        }
    }

    fn ports(&self) -> usize {
        match self {
            Self::Host(_) => 1,
            Self::Switch(switch) => switch.ports.len(),
        }
    }

    /// Measured: 95 to 130 ns at a host, which answers or calculates and sends, 50 to 56 ns at a
    /// switch, under HPCC and DCQCN.
    fn weight(&self) -> u64 {
        match self {
            Self::Host(_) => 2,
            Self::Switch(_) => 1,
        }
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for NetNode<'_, WORDS> {
    #[inline]
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        match self {
            Self::Host(host) => Node::on_message(&mut **host, port, packet, context),
            Self::Switch(switch) => Node::on_message(&mut **switch, port, packet, context),
        }
    }

    #[inline]
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        match self {
            Self::Host(host) => Node::on_timer_expiry(&mut **host, timer, context),
            Self::Switch(switch) => Node::on_timer_expiry(&mut **switch, timer, context),
        }
    }

    fn end_window(&mut self, end: Time, context: &mut C) {
        match self {
            Self::Host(host) => host.end_window(end, context),
            Self::Switch(switch) => switch.end_window(end, context),
        }
    }

    #[inline]
    fn dispatch<E: Events<C>>(&mut self, events: E) {
        match self {
            Self::Host(host) => events.deliver_to(&mut **host),
            Self::Switch(switch) => events.deliver_to(&mut **switch),
        }
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for Host<'_, WORDS> {
    const HAS_ONE_PORT: bool = true;

    #[inline]
    fn end_window(&mut self, end: Time, context: &mut C) {
        self.end_window(end, context);
    }

    #[inline]
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        context.receive(NodeId(self.number.into()), port, packet);
        self.on_message(packet, context);
    }

    #[inline]
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        context.local().enter(NodeId(self.number.into()));
        self.on_timer_expiry(timer, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for Switch<'_, WORDS> {
    #[inline]
    fn process_window(&mut self, inbox: &mut [PortBatch<Packet<WORDS>>], context: &mut C) -> bool {
        self.sweep(inbox, context)
    }

    #[inline]
    fn end_window(&mut self, end: Time, context: &mut C) {
        self.end_window(end, context);
    }

    #[inline]
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        context.receive(self.node, port, packet);
        self.on_message(port, packet, context);
    }

    #[inline]
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        context.local().enter(self.node);
        self.on_timer_expiry(timer, context);
    }
}

/// What runs the nodes, step by step: a step is a round of windows, or an instant.
pub(super) trait Engine<N, L> {
    /// Start of the next step that has work.
    fn next_step(&self) -> Option<Time>;

    /// Start and end of the step that holds `time`.
    fn step_of(&self, time: Time) -> (Time, Time);

    /// Runs the step from `start` to `end`, or the part of it before `stop`. At hosts named in
    /// `starting` flows start, at the times given. Says when the last of it ended that had work.
    fn run(&mut self, start: Time, end: Time, stop: Time, starting: &[(usize, Time)]) -> Time;

    fn nodes<'a>(&'a self) -> impl Iterator<Item = &'a N>
    where
        N: 'a;

    fn node_mut(&mut self, node: usize) -> &mut N;

    /// Lets a node write to its log.
    fn with_node(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L));

    /// The logs of all threads.
    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a;
}

impl<'n, const WORDS: usize, L: Log> Engine<NetNode<'n, WORDS>, L>
    for Coordinator<'_, '_, NetNode<'n, WORDS>, Packet<WORDS>, L>
{
    #[inline]
    fn next_step(&self) -> Option<Time> {
        self.next_window()
    }

    #[inline]
    fn step_of(&self, time: Time) -> (Time, Time) {
        self.sync_round_of(time)
    }

    #[inline]
    fn run(&mut self, start: Time, end: Time, stop: Time, starting: &[(usize, Time)]) -> Time {
        for &(node, at) in starting {
            self.ensure_timer(node, START, at);
        }
        self.run(start, end, stop)
    }

    fn nodes<'a>(&'a self) -> impl Iterator<Item = &'a NetNode<'n, WORDS>>
    where
        'n: 'a,
    {
        self.nodes()
    }

    fn node_mut(&mut self, node: usize) -> &mut NetNode<'n, WORDS> {
        self.node_mut(node)
    }

    fn with_node(&mut self, node: usize, act: impl FnOnce(&mut NetNode<'n, WORDS>, &mut L)) {
        self.with_node(node, act);
    }

    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a,
    {
        self.locals_mut()
    }
}

impl<'n, const WORDS: usize, L: Log> Engine<NetNode<'n, WORDS>, L>
    for EventQueueEngine<NetNode<'n, WORDS>, Packet<WORDS>, L>
{
    fn next_step(&self) -> Option<Time> {
        self.next_time()
    }

    fn step_of(&self, time: Time) -> (Time, Time) {
        (time, time + Time::from_ps(1))
    }

    fn run(&mut self, start: Time, end: Time, _stop: Time, starting: &[(usize, Time)]) -> Time {
        let woken: Vec<(usize, usize)> = starting.iter().map(|&(node, _)| (node, START)).collect();
        self.run_instant(start, &woken);
        end
    }

    fn nodes<'a>(&'a self) -> impl Iterator<Item = &'a NetNode<'n, WORDS>>
    where
        'n: 'a,
    {
        self.nodes().iter()
    }

    fn node_mut(&mut self, node: usize) -> &mut NetNode<'n, WORDS> {
        self.node_mut(node)
    }

    fn with_node(&mut self, node: usize, act: impl FnOnce(&mut NetNode<'n, WORDS>, &mut L)) {
        self.with_node(node, act);
    }

    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a,
    {
        std::iter::once(self.local_mut())
    }
}
