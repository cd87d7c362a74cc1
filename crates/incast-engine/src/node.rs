//! The contract between nodes and the engine that runs them.

use incast_units::Time;

use crate::message::Message;
use crate::port_batch::PortBatch;

/// The sources of a node's events.
pub trait NodeShape {
    /// Number of the node's timers, which are numbered from 0.
    fn timers(&self) -> usize;

    /// Number of the node's ports, which are numbered from 0.
    fn ports(&self) -> usize;

    /// Cost of handling one message, relative to other nodes. Weights the work of a node when nodes
    /// are partitioned among threads.
    fn weight(&self) -> u64 {
        1
    }
}

/// A node, which owns its state and receives messages and expiries of its own timers.
pub trait Node<C: Context> {
    /// Whether every node of this type has at most one port. Its messages then arrive in order, so
    /// the engine does not sort them.
    const HAS_ONE_PORT: bool = false;

    /// A message arrives on `port`. The node may change it and send it on.
    fn on_message(&mut self, port: usize, message: &mut C::Message, context: &mut C);

    /// A timer that the node set expires.
    fn on_timer_expiry(&mut self, timer: usize, context: &mut C);

    /// Processes a whole window at once, timers included. The inbox has `count` messages, none of
    /// which has been taken. May reorder events if the final state is the same. Returns `false` if
    /// it cannot. The engine then delivers the messages that are left one by one, and all timers;
    /// timers before these messages must have no effect.
    ///
    /// [`Context::now`] is the start of the window. The node must not set timers that expire within
    /// it.
    #[inline(always)]
    fn process_window(
        &mut self,
        _inbox: &mut [PortBatch<C::Message>],
        _count: usize,
        _context: &mut C,
    ) -> bool {
        false
    }

    /// All events before `end`, the end of a window, have been handled. Messages sent from here
    /// arrive later; timers set here expire later.
    fn end_window(&mut self, _end: Time, _context: &mut C) {}

    /// Passes `events` to this node. A node type with several kinds passes them to its kind, so
    /// that the kind is matched once per window instead of once per event.
    fn dispatch<E: Events<C>>(&mut self, events: E)
    where
        Self: Sized,
    {
        events.deliver_to(self);
    }
}

/// The events of one node in one window.
pub trait Events<C: Context> {
    /// Calls the node's handlers for one event after the other.
    fn deliver_to<N: Node<C>>(self, node: &mut N);
}

/// The place of an event among simultaneous events, in the order in which they were scheduled.
/// Later places are greater.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPlace(u64);

impl EventPlace {
    pub(crate) fn numbered(number: u64) -> Self {
        Self(number)
    }
}

/// The actions of a node while it handles an event.
pub trait Context {
    /// Messages between nodes.
    type Message: Message;
    /// State shared by the nodes of one thread, for example a recorder. A node's changes to it must
    /// not depend on the order of nodes.
    type Local;

    /// Whether simultaneous events are delivered in the order in which they were scheduled, which
    /// is the order of their places. Otherwise a node's timers expire before its messages arrive,
    /// lower numbers before higher ones.
    const INSERTION_ORDER: bool;

    /// The time of the event.
    fn now(&self) -> Time;

    /// Moves [`now`](Self::now) to `time`, for a node that orders its messages itself.
    fn advance_to(&mut self, time: Time);

    /// Checks once, ahead of a loop that sends to `port`, that the node has this port: the
    /// compiler then drops the check from each send.
    ///
    /// # Panics
    /// If there is no such port.
    fn check_port(&self, port: usize);

    /// Sends a message out of `port`. It arrives at `at`, which must be its own time. `at` is at
    /// least the smallest link delay from now, and not before the arrival of earlier messages of
    /// this port.
    fn send(&mut self, port: usize, message: &Self::Message, at: Time);

    /// End of the window. A message sent during an event of this window may be revoked until
    /// then. Equals [`now`](Self::now) in an engine without windows.
    fn window_end(&self) -> Time;

    /// Revokes the last message sent out of `port`, if it was sent in this window.
    fn revoke(&mut self, port: usize) -> Option<Self::Message>;

    /// Takes a place for an event as if it were scheduled now. The event may be set later, or never
    /// if it would change nothing. Without insertion order all places are equal.
    #[inline(always)]
    fn take_place(&mut self) -> EventPlace {
        EventPlace::default()
    }

    /// Whether a simultaneous event with this place comes before the current one, or is the current
    /// one. Without insertion order timers come before messages.
    #[inline(always)]
    fn is_past(&self, _place: EventPlace) -> bool {
        true
    }

    /// Sets a timer whose expiry has a place taken before.
    #[inline(always)]
    fn set_timer_at_place(&mut self, timer: usize, at: Time, _place: EventPlace) {
        self.set_timer(timer, at);
    }

    /// Sets a timer; if it is set already, moves it.
    fn set_timer(&mut self, timer: usize, at: Time);

    /// Cancels a timer if it is set.
    fn cancel_timer(&mut self, timer: usize);

    /// Time at which a timer expires, if it is set.
    fn timer_deadline(&self, timer: usize) -> Option<Time>;

    /// The state shared by the nodes of this thread.
    fn local(&mut self) -> &mut Self::Local;
}
