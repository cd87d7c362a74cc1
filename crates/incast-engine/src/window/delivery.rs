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
    /// The order of messages of one time, if it is not that of their ports.
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
        } else if let Some(ties) = ties {
            deliver_ranked(inbox, ties, node, context);
        } else {
            deliver_sorted(inbox, node, context);
        }
        context.run_timers_before(NO_EVENT, node);
        node.end_window(Time::from_ps(context.end), context);
    }
}

/// Delivers messages that all come by one port.
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

/// Delivers messages of several ports in order of arrival.
#[inline(always)]
fn deliver_sorted<'c, M: Message, L, N: Node<WindowContext<'c, M, L>>>(
    inbox: &mut Inbox<M>,
    node: &mut N,
    context: &mut WindowContext<'c, M, L>,
) {
    let SortedInbox { groups, batches } = inbox.sort(context.start);
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

/// Delivers messages of several ports in order of arrival, those of one time in that of `ties`.
#[inline(never)]
fn deliver_ranked<'c, M: Message, L, N: Node<WindowContext<'c, M, L>>>(
    inbox: &mut Inbox<M>,
    ties: NodeTies,
    node: &mut N,
    context: &mut WindowContext<'c, M, L>,
) {
    let start = Time::from_ps(context.start);
    let SortedInbox { groups, batches } = inbox.sort(context.start);
    let cells = groups.iter().flatten();
    let mut arrivals: Vec<_> = cells.copied().filter(|cell| *cell != NO_EVENT).collect();
    groups.iter_mut().for_each(empty);
    let time = |arrival: &EventKey| start + Time::from_ps(arrival.offset());
    ties.sort(&mut arrivals, time, |arrival| {
        batches[arrival.number()].port()
    });
    for arrival in &arrivals {
        context.run_timers_before(arrival.before_messages(), node);
        let (port, message) = batches.at_mut(arrival.number()).take_next();
        context.now = time(arrival);
        node.on_message(port, message, context);
    }
}
