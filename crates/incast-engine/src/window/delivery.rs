//! The delivery of a node's events of one window: timers and messages, in order.

use incast_units::Time;

use super::context::WindowContext;
use super::event_key::{EventKey, NO_EVENT};
use super::inbox::{Inbox, SortedInbox, empty, occupied};
use crate::checked_index::CheckedIndex;
use crate::message::Message;
use crate::node::{Events, Node};
use crate::ties::NodeTies;

/// The events of one node in one window.
pub(super) struct WindowEvents<'a, 'c, M, L> {
    pub(super) inbox: &'a mut Inbox<M>,
    /// The order of simultaneous messages; `None`: by port.
    pub(super) ties: Option<NodeTies>,
    pub(super) context: &'a mut WindowContext<'c, M, L>,
}

impl<'c, M: Message, L> Events<WindowContext<'c, M, L>> for WindowEvents<'_, 'c, M, L> {
    #[inline(never)]
    fn deliver_to<N: Node<WindowContext<'c, M, L>>>(self, node: &mut N) {
        let Self {
            inbox,
            ties,
            context,
        } = self;
        let count = inbox.count();
        if N::HAS_ONE_PORT {
            deliver_unsorted(inbox, node, context);
        } else if node.process_window(inbox.batches(), count, context) {
            context.cancel_due_timers();
        } else {
            deliver_sorted(inbox, ties, node, context);
        }
        context.run_timers_before(NO_EVENT, node);
        node.end_window(Time::from_ps(context.end), context);
    }
}

/// Delivers messages that all arrive by one port.
#[inline(always)]
fn deliver_unsorted<'c, M: Message, L, N: Node<WindowContext<'c, M, L>>>(
    inbox: &mut Inbox<M>,
    node: &mut N,
    context: &mut WindowContext<'c, M, L>,
) {
    let start = Time::from_ps(context.start);
    for batch in inbox.batches() {
        let port = batch.port();
        for message in batch.messages_mut() {
            if context.first_timer() != NO_EVENT {
                let offset = message.time(start) - start;
                context.run_timers(EventKey::message(offset.as_ps(), 0), node);
            }
            context.now = message.time(start);
            node.on_message(port, message, context);
        }
    }
}

/// Delivers messages of several ports in order of arrival; simultaneous ones in the order of
/// `ties`.
#[inline(always)]
fn deliver_sorted<'c, M: Message, L, N: Node<WindowContext<'c, M, L>>>(
    inbox: &mut Inbox<M>,
    ties: Option<NodeTies>,
    node: &mut N,
    context: &mut WindowContext<'c, M, L>,
) {
    let SortedInbox { groups, batches } = inbox.sort(context.start);
    if let Some(ties) = ties {
        let start = Time::from_ps(context.start);
        let time = |arrival: &EventKey| start + Time::from_ps(arrival.offset());
        rank(groups, ties, time, |arrival| {
            batches[arrival.number()].port()
        });
    }
    for group in groups {
        let mut left = occupied(group);
        while left != 0 {
            let arrival = group[left.trailing_zeros() as usize % group.len()];
            left &= left - 1;
            context.run_timers_before(arrival, node);
            let (port, message) = batches.at_mut(arrival.number()).take_next();
            context.now = Time::from_ps(context.start + arrival.offset());
            node.on_message(port, message, context);
        }
        empty(group);
    }
}

/// Sorts simultaneous arrivals by `ties`, within their cells of the table.
#[inline(never)]
fn rank<const CELLS: usize>(
    groups: &mut [[EventKey; CELLS]],
    ties: NodeTies,
    time: impl Fn(&EventKey) -> Time,
    port: impl Fn(&EventKey) -> usize,
) {
    let is_taken = |cell: &&mut EventKey| **cell != NO_EVENT;
    let mut cells: Vec<_> = groups.iter_mut().flatten().filter(is_taken).collect();
    let mut arrivals: Vec<EventKey> = cells.iter().map(|cell| **cell).collect();
    ties.sort(&mut arrivals, time, port);
    for (cell, arrival) in cells.iter_mut().zip(arrivals) {
        **cell = arrival;
    }
}
