//! A common type for the nodes of a network, on every execution path.

use incast_engine::{Events, Node, NodeShape, PortBatch};
use incast_units::Time;
use rustc_hash::FxHashSet;

use crate::context::NetContext;
use crate::faults::FaultSide;
use crate::flow::Flow;
use crate::host::{FastHost, FaultyHost, Host, Machine, NicContext, START, TIMERS};
use crate::measure::{Log as _, PortCounters, Recorder, TrimCounters, UnfinishedFlow};
use crate::switch::WaitingPort;
use crate::switch::{DirectSwitch, FastSwitch, FaultySwitch, Switch};
use crate::transmitter::Transmitter;
use crate::wire::Packet;

/// A host, a switch, or a machine: hosts that are its NICs, where sends wait for events at any of
/// them. `H` and `S` are the types of one [`ExecutionPath`](crate::ExecutionPath).
#[derive(Clone, Debug)]
pub(super) enum NetNode<'a, const WORDS: usize, H, S> {
    Host(Box<H>),
    Switch(Box<S>),
    Machine(Box<Machine<'a, WORDS, H>>),
}

/// Nodes of the plain path.
pub(super) type PlainNode<'a, const WORDS: usize> =
    NetNode<'a, WORDS, Host<'a, WORDS>, Switch<WORDS>>;
/// Nodes of the direct path.
pub(super) type DirectNode<'a, const WORDS: usize> =
    NetNode<'a, WORDS, Host<'a, WORDS>, DirectSwitch<WORDS>>;
/// Nodes of a network whose links have faults.
pub(super) type FaultyNode<'a, const WORDS: usize> =
    NetNode<'a, WORDS, FaultyHost<'a, WORDS>, FaultySwitch<WORDS>>;
/// Nodes of the fast path.
pub(super) type FastNode<'a, const WORDS: usize> =
    NetNode<'a, WORDS, FastHost<'a, WORDS>, FastSwitch<WORDS>>;

/// The interface of a node to the run loop. Hosts of every path own a plain host, switches a plain
/// switch.
pub(super) trait RunLoopNode {
    /// Announces changes of links before this time. Calls `set` for each timer that they need, with
    /// its first time.
    fn announce_changes(&mut self, before: Time, set: &mut dyn FnMut(usize, Time));

    /// Appends pairs of a fault and a flow that has not recovered from it.
    fn append_recovering(&self, all: &mut FxHashSet<(u32, u32)>);

    /// Adds a flow that starts at this host, or at a NIC of this machine. Returns the timer that
    /// starts it.
    fn add_flow(&mut self, flow: Flow) -> usize;

    /// Time and timer at which the first send that waits at this node starts or has to be woken, if
    /// any does so by itself.
    fn next_waiting(&self) -> Option<(Time, usize)>;

    /// Appends the counters of its ports.
    fn append_counters(&self, all: &mut Vec<PortCounters>);
    /// Appends the counters of trimming of its ports; `None` for ports that never trim.
    fn append_trims(&self, all: &mut Vec<Option<TrimCounters>>);

    /// Packets sent by its ports, PFC frames excluded.
    fn packet_hops(&self) -> u64;

    /// Whether packets wait in its queues; for switches.
    fn holds_packets(&self) -> bool;

    /// Calls `see` for the sending end of each of its links, in order of ports.
    fn for_each_link(&self, see: &mut dyn FnMut(&Transmitter));

    /// Whether data of a port have been paused since `since` or longer; for switches.
    fn is_paused_since(&self, since: Time) -> bool;

    /// Appends the ports of this switch at which data wait.
    fn append_waiting_ports(&self, all: &mut Vec<WaitingPort>);

    /// Appends the flows of this host that have not completed.
    fn append_unfinished(&self, all: &mut Vec<UnfinishedFlow>);

    /// Adds this host's counts of flows that are not complete.
    fn add_open(&self, recorder: &mut Recorder);

    /// Takes all samples up to `series_end`, and counts pauses that still last at `end`, the end of
    /// the run.
    fn catch_up(&mut self, series_end: Time, end: Time, recorder: &mut Recorder);

    /// The contents of a node that should be empty; `None` if it is.
    fn left_over(&self) -> Option<String>;
}

/// A node that predicts which packets on their way to it may be the last of a flow.
pub(super) trait Foresight<const WORDS: usize> {
    /// Whether a flow may end here when this packet arrives: its receiver then has all data, or its
    /// sender learns this. `last`: flows whose last packets arrive earlier in the same window.
    fn may_end_flow(&self, packet: &Packet<WORDS>, last: &[u32]) -> bool;
}

impl<'a, const WORDS: usize, H, S> Foresight<WORDS> for NetNode<'a, WORDS, H, S>
where
    H: AsRef<Host<'a, WORDS>>,
{
    fn may_end_flow(&self, packet: &Packet<WORDS>, last: &[u32]) -> bool {
        match self {
            Self::Host(host) => host.as_ref().as_ref().may_end_flow(packet, last),
            Self::Switch(_) => false,
            Self::Machine(_) => unreachable!("networks that are driven have no task graphs"),
        }
    }
}

impl<const WORDS: usize> FaultSide for Host<'_, WORDS> {}
impl<const WORDS: usize> FaultSide for FastHost<'_, WORDS> {}
impl<const WORDS: usize> FaultSide for Switch<WORDS> {}
impl<const WORDS: usize> FaultSide for FastSwitch<WORDS> {}
impl<const WORDS: usize> FaultSide for DirectSwitch<WORDS> {}

impl<'a, const WORDS: usize, H, S> NetNode<'a, WORDS, H, S>
where
    H: AsRef<Host<'a, WORDS>> + AsMut<Host<'a, WORDS>>,
    S: AsRef<Switch<WORDS>> + AsMut<Switch<WORDS>>,
{
    /// The hosts of this node, and its switch.
    fn parts(&self) -> (&[H], Option<&S>) {
        match self {
            Self::Host(host) => (std::slice::from_ref(&**host), None),
            Self::Switch(switch) => (&[], Some(switch)),
            Self::Machine(machine) => (&machine.nics, None),
        }
    }

    fn hosts(&self) -> impl Iterator<Item = &Host<'a, WORDS>> {
        self.parts().0.iter().map(AsRef::as_ref)
    }

    fn switch(&self) -> Option<&Switch<WORDS>> {
        self.parts().1.map(AsRef::as_ref)
    }

    /// The sending ends of its links, in order of ports.
    fn links(&self) -> impl Iterator<Item = &Transmitter> {
        let of_hosts = self.hosts().map(|host| &host.nic.link);
        let ports = self.switch().map(|switch| switch.ports.iter());
        let of_switch = ports.into_iter().flatten().map(|port| &port.egress.link);
        of_hosts.chain(of_switch)
    }
}

impl<'a, const WORDS: usize, H, S> RunLoopNode for NetNode<'a, WORDS, H, S>
where
    H: AsRef<Host<'a, WORDS>> + AsMut<Host<'a, WORDS>> + FaultSide,
    S: AsRef<Switch<WORDS>> + AsMut<Switch<WORDS>> + FaultSide,
{
    fn announce_changes(&mut self, before: Time, set: &mut dyn FnMut(usize, Time)) {
        let change = match self {
            Self::Host(host) => host.announce_changes(before),
            Self::Switch(switch) => switch.announce_changes(before),
            Self::Machine(machine) => return machine.announce_changes(before, set),
        };
        if let Some((timer, at)) = change {
            set(timer, at);
        }
    }

    fn append_recovering(&self, all: &mut FxHashSet<(u32, u32)>) {
        let (hosts, switch) = self.parts();
        hosts.iter().for_each(|host| host.append_recovering(all));
        if let Some(switch) = switch {
            switch.append_recovering(all);
        }
    }

    fn add_flow(&mut self, flow: Flow) -> usize {
        match self {
            Self::Host(host) => {
                host.as_mut().as_mut().add_flow(flow);
                START
            }
            Self::Switch(_) => unreachable!("flows start at hosts"),
            Self::Machine(machine) => machine.add_flow(flow),
        }
    }

    fn next_waiting(&self) -> Option<(Time, usize)> {
        match self {
            Self::Host(host) => Some((host.as_ref().as_ref().next_waiting()?, START)),
            Self::Switch(_) => None,
            Self::Machine(machine) => machine.next_waiting(),
        }
    }

    fn append_counters(&self, all: &mut Vec<PortCounters>) {
        all.extend(self.links().map(Transmitter::counters));
    }

    fn append_trims(&self, all: &mut Vec<Option<TrimCounters>>) {
        all.extend(self.hosts().map(|_| None));
        let ports = self.switch().into_iter().flat_map(|switch| &switch.ports);
        all.extend(ports.map(|port| port.trimmer.as_ref().map(|trimmer| trimmer.counters)));
    }

    fn holds_packets(&self) -> bool {
        let mut ports = self.switch().into_iter().flat_map(|switch| &switch.ports);
        ports.any(|port| port.holds_packets())
    }

    fn packet_hops(&self) -> u64 {
        let nics = self.hosts().map(|host| host.nic.link.packet_hops());
        let ports = self.switch().map_or(&[][..], |switch| &switch.ports);
        let ports = ports.iter().map(|port| port.egress.link.packet_hops());
        nics.sum::<u64>() + ports.sum::<u64>()
    }

    fn for_each_link(&self, see: &mut dyn FnMut(&Transmitter)) {
        self.links().for_each(see);
    }

    fn append_unfinished(&self, all: &mut Vec<UnfinishedFlow>) {
        self.hosts().for_each(|host| host.append_unfinished(all));
    }

    fn add_open(&self, recorder: &mut Recorder) {
        self.hosts().for_each(|host| host.add_open(recorder));
    }

    fn is_paused_since(&self, since: Time) -> bool {
        let mut ports = self.switch().into_iter().flat_map(|switch| &switch.ports);
        ports.any(|port| {
            port.egress
                .link
                .paused_since()
                .is_some_and(|at| at <= since)
        })
    }

    fn append_waiting_ports(&self, all: &mut Vec<WaitingPort>) {
        if let Some(switch) = self.switch() {
            switch.append_waiting_ports(all);
        }
    }

    fn catch_up(&mut self, series_end: Time, end: Time, recorder: &mut Recorder) {
        let hosts = match self {
            Self::Host(host) => std::slice::from_mut(&mut **host),
            Self::Machine(machine) => &mut machine.nics,
            Self::Switch(switch) => {
                let switch = switch.as_mut().as_mut();
                switch.take_samples(series_end, recorder);
                let links = switch.ports.iter_mut().map(|port| &mut port.egress.link);
                return links.for_each(|link| link.count_open_pause(end));
            }
        };
        for host in hosts {
            host.as_mut().catch_up(series_end, end, recorder);
        }
    }

    fn left_over(&self) -> Option<String> {
        let of_hosts = self.hosts().find_map(Host::left_over);
        of_hosts.or_else(|| self.switch()?.left_over())
    }
}

impl<'a, const WORDS: usize, H, S> NodeShape for NetNode<'a, WORDS, H, S>
where
    H: AsRef<Host<'a, WORDS>> + AsMut<Host<'a, WORDS>> + FaultSide,
    S: AsRef<Switch<WORDS>> + FaultSide,
{
    fn timers(&self) -> usize {
        match self {
            Self::Host(host) => TIMERS + host.fault_timers(),
            Self::Switch(switch) => switch.as_ref().as_ref().timers() + switch.fault_timers(),
            Self::Machine(machine) => machine.timers(),
        }
    }

    fn ports(&self) -> usize {
        match self {
            Self::Host(_) => 1,
            Self::Switch(switch) => switch.as_ref().as_ref().ports.len(),
            Self::Machine(machine) => machine.nics.len(),
        }
    }

    /// Measured under HPCC and DCQCN: 95 to 130 ns per event at a host, which answers or computes
    /// and sends, 50 to 56 ns at a switch.
    fn weight(&self) -> u64 {
        match self {
            Self::Host(_) | Self::Machine(_) => 2,
            Self::Switch(_) => 1,
        }
    }
}

impl<'a, const WORDS: usize, C, H, S> Node<C> for NetNode<'a, WORDS, H, S>
where
    C: NetContext<WORDS>,
    H: Node<C> + for<'x> Node<NicContext<'x, C>>,
    H: AsRef<Host<'a, WORDS>> + AsMut<Host<'a, WORDS>> + FaultSide,
    S: Node<C> + AsRef<Switch<WORDS>>,
{
    #[inline]
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        match self {
            Self::Host(host) => host.on_message(port, packet, context),
            Self::Switch(switch) => switch.on_message(port, packet, context),
            Self::Machine(machine) => machine.on_message(port, packet, context),
        }
    }

    #[inline]
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        match self {
            Self::Host(host) => host.on_timer_expiry(timer, context),
            Self::Switch(switch) => switch.on_timer_expiry(timer, context),
            Self::Machine(machine) => machine.on_timer_expiry(timer, context),
        }
    }

    fn end_window(&mut self, end: Time, context: &mut C) {
        match self {
            Self::Host(host) => host.end_window(end, context),
            Self::Switch(switch) => switch.end_window(end, context),
            Self::Machine(machine) => machine.end_window(end, context),
        }
    }

    #[inline]
    fn dispatch<E: Events<C>>(&mut self, events: E) {
        match self {
            Self::Host(host) => events.deliver_to(&mut **host),
            Self::Switch(switch) => events.deliver_to(&mut **switch),
            Self::Machine(machine) => events.deliver_to(&mut **machine),
        }
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for Host<'_, WORDS> {
    const HAS_ONE_PORT: bool = true;

    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        context.receive(self.node, port, packet);
        self.on_arrival(packet, context);
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        context.local().enter(self.node);
        self.on_timer_expiry(timer, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for FastHost<'_, WORDS> {
    const HAS_ONE_PORT: bool = true;

    #[inline]
    fn on_message(&mut self, _port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        self.on_arrival(packet, context);
    }

    #[inline]
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        self.on_timer_expiry(timer, context);
    }

    #[inline]
    fn end_window(&mut self, end: Time, context: &mut C) {
        self.end_window(end, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for Switch<WORDS> {
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        context.receive(self.node, port, packet);
        self.on_arrival(port, packet, context);
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        context.local().enter(self.node);
        self.on_timer_expiry(timer, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for DirectSwitch<WORDS> {
    #[inline]
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        self.on_arrival(port, packet, context);
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        self.as_mut().on_timer_expiry(timer, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for FaultyHost<'_, WORDS> {
    const HAS_ONE_PORT: bool = true;

    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        self.on_message(port, packet, context);
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        self.on_timer_expiry(timer, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for FaultySwitch<WORDS> {
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        self.on_message(port, packet, context);
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        self.on_timer_expiry(timer, context);
    }
}

impl<const WORDS: usize, C: NetContext<WORDS>> Node<C> for FastSwitch<WORDS> {
    #[inline]
    fn process_window(
        &mut self,
        inbox: &mut [PortBatch<Packet<WORDS>>],
        count: usize,
        context: &mut C,
    ) -> bool {
        self.process_by_port(inbox, count, context)
    }

    #[inline]
    fn end_window(&mut self, end: Time, context: &mut C) {
        self.end_window(end, context);
    }

    #[inline]
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        self.on_arrival(port, packet, context);
    }

    #[inline]
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        self.on_timer_expiry(timer, context);
    }
}
