//! A common interface to the two engines that can run the nodes of a network.

use incast_engine::{
    Coordinator, EventQueueContext, EventQueueEngine, Meanwhile, Message as _, Node, NodeShape,
    WindowContext, WindowEngine,
};
use incast_topology::Machines;
use incast_units::{HostId, NodeId, Time};

use super::nodes::Foresight;
use crate::clock::INSTANT;
use crate::measure::Log;
use crate::wire::{Kind, Packet};

/// The largest number of instants that one step joins, so that the run loop can check the clock.
const MOST_INSTANTS: usize = 64;

/// A timer that the run loop sets: flows start at a host, or links change.
#[derive(Copy, Clone, Debug)]
pub(super) struct Starting {
    pub(super) node: usize,
    pub(super) timer: usize,
    pub(super) at: Time,
}

/// The numbers of hosts and switches in the engine. They differ from the topology's if machines
/// with several NICs are one node each.
#[derive(Copy, Clone, Debug)]
pub(super) struct EngineNumbers<'a> {
    pub(super) machines: Option<&'a Machines>,
}

impl EngineNumbers<'_> {
    /// The engine's node for this host, or for the machine of this NIC.
    pub(super) fn of_host(self, host: HostId) -> usize {
        let machine = self.machines.map(|machines| machines.of(host).0);
        machine.unwrap_or(host).index()
    }

    /// The topology's node for this node of the engine; for a machine, its first NIC.
    pub(super) fn node(self, number: usize) -> NodeId {
        let number = number as u32;
        NodeId(match self.machines {
            None => number,
            Some(machines) if number < machines.count() => machines.nics(HostId(number)).start,
            Some(machines) => number - machines.count() + machines.ends(),
        })
    }
}

/// The progress of a step.
#[derive(Copy, Clone, Debug)]
pub(super) struct StepEnd {
    /// End of the last part of the step that had work, including timers that were only set again.
    pub(super) worked_until: Time,
    /// When the last packet arrived, rounded up to the shortest link delay. Depends only on the
    /// model.
    pub(super) active_until: Time,
}

/// An engine that runs the nodes step by step: a step is a synchronisation round or an instant.
pub(super) trait Engine<N, L> {
    /// Whether a step may join the steps after it, up to a given later end, while there is nothing
    /// to report.
    const JOINS_STEPS: bool = false;

    /// Start of the next step that has work.
    fn next_step(&self) -> Option<Time>;

    /// Start and end of the step that holds `time`.
    fn step_of(&self, time: Time) -> (Time, Time);

    /// End of the shortest step that starts at `start`.
    fn earliest_end(&self, start: Time) -> Time {
        self.step_of(start).1
    }

    /// The latest start of a step at which a search for stalls sees nearly all events before
    /// `time`.
    fn look_before(&self, time: Time) -> Time {
        self.step_of(time).0
    }

    /// Runs a step: `step` has its start, its end, and the time before which to stop. First sets
    /// the timers `starting`. Does `meanwhile` while the calling thread would wait for others.
    fn run(
        &mut self,
        step: (Time, Time, Time),
        starting: &[Starting],
        meanwhile: Meanwhile<'_>,
    ) -> StepEnd;

    /// The unit of [`StepEnd::active_until`].
    fn unit(&self) -> Time;

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
        self.span_of(time)
    }

    fn earliest_end(&self, start: Time) -> Time {
        self.end_of_window(start)
    }

    #[inline]
    fn run(
        &mut self,
        step: (Time, Time, Time),
        starting: &[Starting],
        meanwhile: Meanwhile<'_>,
    ) -> StepEnd {
        for each in starting {
            self.ensure_timer(each.node, each.timer, each.at);
        }
        StepEnd {
            worked_until: self.run_at_work(step, meanwhile),
            active_until: self.active_until(),
        }
    }

    fn unit(&self) -> Time {
        self.step()
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
    const JOINS_STEPS: bool = true;

    fn next_step(&self) -> Option<Time> {
        self.next_time()
    }

    fn step_of(&self, time: Time) -> (Time, Time) {
        (time, time + INSTANT)
    }

    fn run(
        &mut self,
        (start, end, _): (Time, Time, Time),
        starting: &[Starting],
        _: Meanwhile<'_>,
    ) -> StepEnd {
        let woken = starting.iter().map(|each| (each.node, each.timer));
        self.run_instant(start, woken);
        let mut last = start;
        for _ in 1..MOST_INSTANTS {
            match self.next_time() {
                Some(next) if next < end && !self.local_mut().has_news() => last = next,
                _ => break,
            }
            self.run_instant(last, []);
        }
        StepEnd {
            worked_until: last + INSTANT,
            active_until: last + INSTANT,
        }
    }

    fn unit(&self) -> Time {
        INSTANT
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

/// An engine in which single hosts can run their part of a step before all other nodes.
pub(super) trait RunsAhead<N, L>: Engine<N, L> {
    /// Appends the times in the step from `start` on at which a flow may end, each with its host.
    /// Appends none if a step is an instant.
    fn ends_of_flows(&mut self, start: Time, moments: &mut Vec<(Time, usize)>);

    /// Runs the events of a host in `part`, which lies in a step, after setting the timers
    /// `starting`.
    fn run_ahead(&mut self, host: usize, part: (Time, Time), starting: &[Starting]);
}

impl<const WORDS: usize, L, N> RunsAhead<N, L> for EventQueueEngine<N, Packet<WORDS>, L>
where
    L: Log,
    N: for<'c> Node<EventQueueContext<'c, Packet<WORDS>, L>> + NodeShape,
{
    fn ends_of_flows(&mut self, _start: Time, _moments: &mut Vec<(Time, usize)>) {}

    fn run_ahead(&mut self, _host: usize, _part: (Time, Time), _starting: &[Starting]) {
        unreachable!("a step is an instant");
    }
}

/// The window engine on one thread, without a coordinator, so that it can be kept and copied.
#[derive(Clone)]
pub(super) struct OneThread<N, M, L> {
    windows: WindowEngine<N, M>,
    /// Searches for stalls happen at multiples of this time, as in a run by a coordinator.
    look_unit: Time,
    log: L,
}

impl<N, M, L> OneThread<N, M, L> {
    pub(super) fn new(windows: WindowEngine<N, M>, look_unit: Time, log: L) -> Self {
        Self {
            windows,
            look_unit,
            log,
        }
    }
}

impl<N: NodeShape, const WORDS: usize, L> OneThread<N, Packet<WORDS>, L> {
    fn set_timers(&mut self, starting: &[Starting]) {
        for each in starting {
            self.windows.ensure_timer(each.node, each.timer, each.at);
        }
    }
}

impl<const WORDS: usize, L, N> Engine<N, L> for OneThread<N, Packet<WORDS>, L>
where
    L: Log,
    N: for<'c> Node<WindowContext<'c, Packet<WORDS>, L>> + NodeShape,
{
    fn next_step(&self) -> Option<Time> {
        self.windows.next_window()
    }

    fn step_of(&self, time: Time) -> (Time, Time) {
        let start = self.windows.window_of(time);
        (start, start + self.windows.length())
    }

    fn look_before(&self, time: Time) -> Time {
        Time::from_ps(time.as_ps() / self.look_unit.as_ps() * self.look_unit.as_ps())
    }

    fn run(
        &mut self,
        (start, end, stop): (Time, Time, Time),
        starting: &[Starting],
        _: Meanwhile<'_>,
    ) -> StepEnd {
        self.set_timers(starting);
        StepEnd {
            worked_until: self.windows.run_span(start, end, stop, &mut self.log).0,
            active_until: self.windows.active_until(),
        }
    }

    fn unit(&self) -> Time {
        self.windows.step()
    }

    fn nodes<'a>(&'a self) -> impl Iterator<Item = &'a N>
    where
        N: 'a,
    {
        self.windows.nodes()
    }

    fn node_mut(&mut self, node: usize) -> &mut N {
        self.windows.node_mut(node)
    }

    fn with_node(&mut self, node: usize, act: impl FnOnce(&mut N, &mut L)) {
        act(self.windows.node_mut(node), &mut self.log);
    }

    fn logs<'a>(&'a mut self) -> impl Iterator<Item = &'a mut L>
    where
        L: 'a,
    {
        std::iter::once(&mut self.log)
    }
}

impl<const WORDS: usize, L, N> RunsAhead<N, L> for OneThread<N, Packet<WORDS>, L>
where
    L: Log,
    N: for<'c> Node<WindowContext<'c, Packet<WORDS>, L>> + NodeShape + Foresight<WORDS>,
{
    fn ends_of_flows(&mut self, start: Time, moments: &mut Vec<(Time, usize)>) {
        let mut last = Vec::new();
        self.windows
            .arrivals_of_window(start, &mut |number, node, packets| {
                last.clear();
                for packet in packets {
                    if node.may_end_flow(packet, &last) {
                        moments.push((packet.time(start), number));
                    }
                    if packet.kind() == Kind::LastData {
                        last.push(packet.flow());
                    }
                }
            });
    }

    fn run_ahead(&mut self, host: usize, (start, until): (Time, Time), starting: &[Starting]) {
        self.set_timers(starting);
        self.windows.run_ahead(host, start, until, &mut self.log);
    }
}
