//! The two engines that can run the nodes of a network, behind one face.

use incast_engine::{
    Coordinator, EventQueueContext, EventQueueEngine, Node, NodeShape, WindowContext,
};
use incast_units::Time;

use crate::host::START;
use crate::measure::Log;
use crate::packet::Packet;

/// A timer that the run loop sets: flows start at a host, or links change.
#[derive(Copy, Clone, Debug)]
pub(super) struct Starting {
    pub(super) node: usize,
    pub(super) timer: usize,
    pub(super) at: Time,
}

impl Starting {
    /// Flows start at this host.
    pub(super) fn flows(node: usize, at: Time) -> Self {
        Self {
            node,
            timer: START,
            at,
        }
    }
}

/// An engine that runs the nodes step by step: a step is a synchronisation round, or an instant.
pub(super) trait Engine<N, L> {
    /// Start of the next step that has work.
    fn next_step(&self) -> Option<Time>;

    /// Start and end of the step that holds `time`.
    fn step_of(&self, time: Time) -> (Time, Time);

    /// Runs the step from `start` to `end`, or the part of it before `stop`, with these timers set
    /// from outside. Says when the last of it ended that had work.
    fn run(&mut self, start: Time, end: Time, stop: Time, starting: &[Starting]) -> Time;

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

impl<const WORDS: usize, L, N> Engine<N, L> for Coordinator<'_, '_, N, Packet<WORDS>, L>
where
    L: Log,
    N: for<'c> Node<WindowContext<'c, Packet<WORDS>, L>> + NodeShape + Send,
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
    fn run(&mut self, start: Time, end: Time, stop: Time, starting: &[Starting]) -> Time {
        for each in starting {
            self.ensure_timer(each.node, each.timer, each.at);
        }
        self.run(start, end, stop)
    }

    fn nodes<'a>(&'a self) -> impl Iterator<Item = &'a N>
    where
        N: 'a,
    {
        self.nodes()
    }

    fn node_mut(&mut self, node: usize) -> &mut N {
        self.node_mut(node)
    }

    fn with_node(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L)) {
        self.with_node(node, act);
    }

    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a,
    {
        self.locals_mut()
    }
}

impl<const WORDS: usize, L, N> Engine<N, L> for EventQueueEngine<N, Packet<WORDS>, L>
where
    L: Log,
    N: for<'c> Node<EventQueueContext<'c, Packet<WORDS>, L>> + NodeShape,
{
    fn next_step(&self) -> Option<Time> {
        self.next_time()
    }

    fn step_of(&self, time: Time) -> (Time, Time) {
        (time, time + Time::from_ps(1))
    }

    fn run(&mut self, start: Time, end: Time, _stop: Time, starting: &[Starting]) -> Time {
        let woken = starting.iter().map(|each| (each.node, each.timer));
        let woken: Vec<(usize, usize)> = woken.collect();
        self.run_instant(start, &woken);
        end
    }

    fn nodes<'a>(&'a self) -> impl Iterator<Item = &'a N>
    where
        N: 'a,
    {
        self.nodes().iter()
    }

    fn node_mut(&mut self, node: usize) -> &mut N {
        self.node_mut(node)
    }

    fn with_node(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L)) {
        self.with_node(node, act);
    }

    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a,
    {
        std::iter::once(self.local_mut())
    }
}
