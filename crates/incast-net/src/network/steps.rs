//! The nodes of a network, and the two engines that can run them, behind one face.

use incast_engine::{Conductor, Events, Node, NodeShape, Run, Serial};
use incast_units::{NodeId, Time};

use crate::context::NetContext;
use crate::host::{ALARMS, Host, START};
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
    fn alarms(&self) -> usize {
        match self {
            Self::Host(_) => ALARMS,
            Self::Switch(switch) => switch.alarms(),
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
    fn on_alarm(&mut self, alarm: usize, context: &mut C) {
        match self {
            Self::Host(host) => Node::on_alarm(&mut **host, alarm, context),
            Self::Switch(switch) => Node::on_alarm(&mut **switch, alarm, context),
        }
    }

    fn end_window(&mut self, end: Time, context: &mut C) {
        match self {
            Self::Host(host) => host.end_window(end, context),
            Self::Switch(switch) => switch.end_window(end, context),
        }
    }

    #[inline]
    fn undergo<E: Events<C>>(&mut self, events: E) {
        match self {
            Self::Host(host) => events.happen_to(&mut **host),
            Self::Switch(switch) => events.happen_to(&mut **switch),
        }
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for Host<'_, WORDS> {
    const ONE_PORT: bool = true;

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
    fn on_alarm(&mut self, alarm: usize, context: &mut C) {
        context.local().enter(NodeId(self.number.into()));
        self.on_alarm(alarm, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for Switch<'_, WORDS> {
    #[inline]
    fn take_all(&mut self, mail: &mut [Run<Packet<WORDS>>], context: &mut C) -> bool {
        self.sweep(mail, context)
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
    fn on_alarm(&mut self, alarm: usize, context: &mut C) {
        context.local().enter(self.node);
        self.on_alarm(alarm, context);
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
    fn settle(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L));

    /// The logs of all threads.
    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a;
}

impl<'n, const WORDS: usize, L: Log> Engine<NetNode<'n, WORDS>, L>
    for Conductor<'_, '_, NetNode<'n, WORDS>, Packet<WORDS>, L>
{
    #[inline]
    fn next_step(&self) -> Option<Time> {
        self.next_window()
    }

    #[inline]
    fn step_of(&self, time: Time) -> (Time, Time) {
        self.round_of(time)
    }

    #[inline]
    fn run(&mut self, start: Time, end: Time, stop: Time, starting: &[(usize, Time)]) -> Time {
        for &(node, at) in starting {
            self.wake(node, START, at);
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

    fn settle(&mut self, node: usize, act: impl FnOnce(&mut NetNode<'n, WORDS>, &mut L)) {
        self.settle(node, act);
    }

    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a,
    {
        self.locals_mut()
    }
}

/// One global queue, and the log of its one thread.
pub(super) struct OneQueue<'n, const WORDS: usize, L> {
    pub(super) serial: Serial<NetNode<'n, WORDS>, Packet<WORDS>>,
    pub(super) log: L,
}

impl<'n, const WORDS: usize, L: Log> Engine<NetNode<'n, WORDS>, L> for OneQueue<'n, WORDS, L> {
    fn next_step(&self) -> Option<Time> {
        self.serial.next_time()
    }

    fn step_of(&self, time: Time) -> (Time, Time) {
        (time, time + Time::from_ps(1))
    }

    fn run(&mut self, start: Time, end: Time, _stop: Time, starting: &[(usize, Time)]) -> Time {
        let woken: Vec<(usize, usize)> = starting.iter().map(|&(node, _)| (node, START)).collect();
        self.serial.run_instant(start, &woken, &mut self.log);
        end
    }

    fn nodes<'a>(&'a self) -> impl Iterator<Item = &'a NetNode<'n, WORDS>>
    where
        'n: 'a,
    {
        self.serial.nodes().iter()
    }

    fn node_mut(&mut self, node: usize) -> &mut NetNode<'n, WORDS> {
        &mut self.serial.nodes_mut()[node]
    }

    fn settle(&mut self, node: usize, act: impl FnOnce(&mut NetNode<'n, WORDS>, &mut L)) {
        act(&mut self.serial.nodes_mut()[node], &mut self.log);
    }

    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a,
    {
        std::iter::once(&mut self.log)
    }
}
