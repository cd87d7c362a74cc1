//! A machine: hosts that are its NICs, and the sends that wait for events at any of them.
//!
//! Each NIC is a host with a link, QPs and an address of its own. The waiting sends are common: the
//! end of a flow at one NIC may start flows of other NICs at that time. So the NICs are one node of
//! the engine. Port p belongs to NIC p, and the timers of the NICs come after the machine's timer.
//! At the machine's timer the waiting sends are woken, before any NIC acts at that time.

use incast_engine::{Context, EventPlace, Node};
use incast_units::{HostId, Time};

use super::{Host, PORT, START, TIMERS, set_timer};
use crate::clock::Clock;
use crate::context::NetContext;
use crate::faults::FaultSide;
use crate::flow::{Flow, Milestone};
use crate::waiting::{DependencyTracker, WaitingSends};
use crate::wire::Packet;

/// Timer: wake-up of the waiting sends.
const TOLD: usize = 0;

/// A machine with several NICs. Each NIC is a host of any execution path.
#[derive(Clone)]
pub(crate) struct Machine<'a, const WORDS: usize, H> {
    /// The NICs' hosts, by number.
    pub(crate) nics: Vec<H>,
    /// Number of the first NIC among all hosts.
    first: HostId,
    /// The waiting sends, if there are any.
    tracker: Option<DependencyTracker<'a>>,
}

/// The engine's interface for one NIC.
pub(crate) struct NicContext<'c, C> {
    inner: &'c mut C,
    /// The NIC's port.
    port: usize,
    /// Its first timer.
    timer: usize,
}

impl<'a, const WORDS: usize, H> Machine<'a, WORDS, H>
where
    H: AsRef<Host<'a, WORDS>> + AsMut<Host<'a, WORDS>> + FaultSide,
{
    /// `nics` are hosts from number `first` on, [as NICs of a machine](Host::as_nic_of_machine).
    pub(crate) fn new(
        first: HostId,
        nics: Vec<H>,
        (sends, clock): (Option<Box<dyn WaitingSends + 'a>>, Clock),
    ) -> Self {
        let tracker = sends.map(|sends| DependencyTracker::new(sends, clock));
        let mut machine = Self {
            nics,
            first,
            tracker,
        };
        machine.distribute(|_, _| ());
        machine
    }

    /// Number of timers of each NIC.
    fn nic_timers(&self) -> usize {
        TIMERS + self.nics[0].fault_timers()
    }

    pub(crate) fn timers(&self) -> usize {
        self.first_timer(self.nics.len())
    }

    /// Number of the first timer of a NIC.
    fn first_timer(&self, nic: usize) -> usize {
        TOLD + 1 + nic * self.nic_timers()
    }

    fn nic_of(&self, flow: &Flow) -> usize {
        (flow.source.0 - self.first.0) as usize
    }

    /// Passes flows that have become ready to their NICs. Calls `start` with each NIC and the start
    /// time.
    fn distribute(&mut self, mut start: impl FnMut(usize, Time)) {
        let Some(mut tracker) = self.tracker.take() else {
            return;
        };
        for flow in tracker.take_ready() {
            let nic = self.nic_of(&flow);
            self.nics[nic].as_mut().add_ready(flow);
            start(nic, flow.start);
        }
        self.tracker = Some(tracker);
    }

    /// Adds a flow. Returns the timer that starts it.
    pub(crate) fn add_flow(&mut self, flow: Flow) -> usize {
        let nic = self.nic_of(&flow);
        self.nics[nic].as_mut().add_flow(flow);
        self.first_timer(nic) + START
    }

    /// Earliest start of a send that is ready, or earliest wake-up of the waiting sends, with its
    /// timer.
    pub(crate) fn next_waiting(&self) -> Option<(Time, usize)> {
        let wake = self.tracker.as_ref().and_then(DependencyTracker::next_wake);
        let wake = wake.map(|time| (time, TOLD));
        let of_nic = |(nic, host): (usize, &H)| {
            let time = host.as_ref().next_waiting()?;
            Some((time, self.first_timer(nic) + START))
        };
        let starts = self.nics.iter().enumerate().filter_map(of_nic);
        starts.chain(wake).min()
    }

    /// Passes link changes before this time to the NICs, which may set timers.
    pub(crate) fn announce_changes(&mut self, before: Time, set: &mut dyn FnMut(usize, Time)) {
        for nic in 0..self.nics.len() {
            if let Some((timer, at)) = self.nics[nic].announce_changes(before) {
                set(self.first_timer(nic) + timer, at);
            }
        }
    }

    /// Tells the waiting sends of flow ends at a NIC.
    fn pass_on<C: NetContext<WORDS>>(&mut self, nic: usize, now: Time, context: &mut C) {
        let ends = self.nics[nic].as_mut().take_flow_ends();
        let Some(tracker) = self.tracker.as_mut().filter(|_| !ends.is_empty()) else {
            return;
        };
        let reached: Vec<Milestone> = ends
            .into_iter()
            .flat_map(|end| tracker.on_flow_end(end, now))
            .collect();
        self.go_on(reached, context);
    }

    /// Records milestones, and sets the timers for sends that have become ready.
    fn go_on<C: NetContext<WORDS>>(&mut self, reached: Vec<Milestone>, context: &mut C) {
        context.local().milestones.extend(reached);
        let (first, each) = (self.first_timer(0), self.nic_timers());
        self.distribute(|nic, at| {
            let timer = first + nic * each + START;
            if context.timer_deadline(timer).is_none_or(|set| set > at) {
                context.set_timer(timer, at);
            }
        });
        let next = self.tracker.as_ref().and_then(DependencyTracker::next_wake);
        set_timer(TOLD, next.unwrap_or(Time::MAX), context);
    }
}

impl<'a, const WORDS: usize, C, H> Node<C> for Machine<'a, WORDS, H>
where
    C: NetContext<WORDS>,
    H: AsRef<Host<'a, WORDS>> + AsMut<Host<'a, WORDS>> + FaultSide,
    H: for<'x> Node<NicContext<'x, C>>,
{
    fn on_message(&mut self, port: usize, packet: &mut Packet<WORDS>, context: &mut C) {
        let now = context.now();
        let mut own = NicContext::new(context, port, self.first_timer(port));
        self.nics[port].on_message(PORT, packet, &mut own);
        self.pass_on(port, now, context);
    }

    fn on_timer_expiry(&mut self, timer: usize, context: &mut C) {
        let now = context.now();
        if timer == TOLD {
            let tracker = self.tracker.as_mut();
            let reached = tracker.map_or_else(Vec::new, |tracker| tracker.wake(now));
            return self.go_on(reached, context);
        }
        let nic = (timer - self.first_timer(0)) / self.nic_timers();
        let first = self.first_timer(nic);
        let mut own = NicContext::new(context, nic, first);
        self.nics[nic].on_timer_expiry(timer - first, &mut own);
        self.pass_on(nic, now, context);
    }

    fn end_window(&mut self, end: Time, context: &mut C) {
        for nic in 0..self.nics.len() {
            let mut own = NicContext::new(context, nic, self.first_timer(nic));
            self.nics[nic].end_window(end, &mut own);
        }
    }
}

impl<const WORDS: usize, H> std::fmt::Debug for Machine<'_, WORDS, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine")
            .field("first", &self.first)
            .finish_non_exhaustive()
    }
}

impl<'c, C> NicContext<'c, C> {
    fn new(inner: &'c mut C, port: usize, timer: usize) -> Self {
        Self { inner, port, timer }
    }
}

impl<C: Context> Context for NicContext<'_, C> {
    type Message = C::Message;
    type Local = C::Local;

    const INSERTION_ORDER: bool = C::INSERTION_ORDER;

    fn now(&self) -> Time {
        self.inner.now()
    }

    fn advance_to(&mut self, time: Time) {
        self.inner.advance_to(time);
    }

    fn check_port(&self, port: usize) {
        self.inner.check_port(self.port + port);
    }

    fn send(&mut self, port: usize, message: &Self::Message, at: Time) {
        self.inner.send(self.port + port, message, at);
    }

    fn window_end(&self) -> Time {
        self.inner.window_end()
    }

    fn revoke(&mut self, port: usize) -> Option<Self::Message> {
        self.inner.revoke(self.port + port)
    }

    fn take_place(&mut self) -> EventPlace {
        self.inner.take_place()
    }

    fn is_past(&self, place: EventPlace) -> bool {
        self.inner.is_past(place)
    }

    fn set_timer_at_place(&mut self, timer: usize, at: Time, place: EventPlace) {
        self.inner.set_timer_at_place(self.timer + timer, at, place);
    }

    fn set_timer(&mut self, timer: usize, at: Time) {
        self.inner.set_timer(self.timer + timer, at);
    }

    fn cancel_timer(&mut self, timer: usize) {
        self.inner.cancel_timer(self.timer + timer);
    }

    fn timer_deadline(&self, timer: usize) -> Option<Time> {
        self.inner.timer_deadline(self.timer + timer)
    }

    fn local(&mut self) -> &mut Self::Local {
        self.inner.local()
    }
}
