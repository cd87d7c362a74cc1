//! The loop over windows, and what a node may do in one.

use std::collections::VecDeque;

use incast_units::Time;

use crate::agenda::Agenda;
use crate::calendar::Calendar;
use crate::node::{Context, Message, Node, NodeShape, Place, lay_out};
use crate::random::{Purpose, RandomStream};

/// No alarm is set.
const NEVER: u64 = u64::MAX;

/// The order in which nodes are taken within a window. Results do not depend on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NodeOrder {
    /// By number.
    Ascending,
    /// Another order in every window, to prove that it does not matter.
    Shuffled(u64),
}

/// A mailbox: messages on their way over one link in one direction.
#[derive(Debug)]
struct Mailbox<M> {
    messages: VecDeque<M>,
    /// The receiver's source.
    source: u32,
    /// Arrivals before this time are on the agenda.
    announced_until: u64,
}

/// Everything but the nodes.
#[derive(Debug)]
struct Core<M> {
    /// L, in ps.
    length: u64,
    agenda: Agenda,
    calendar: Calendar,
    /// By receiving port, counted over all nodes.
    mailboxes: Vec<Mailbox<M>>,
    /// By sending port: its mailbox.
    outbox: Vec<u32>,
    /// By source, for those that are alarms: when.
    alarms: Vec<u64>,
}

/// A set of nodes and the links between them, run window by window.
#[derive(Debug)]
pub struct Windows<N, M> {
    nodes: Vec<N>,
    places: Vec<Place>,
    /// By source: its node.
    owner: Vec<u32>,
    core: Core<M>,
    order: NodeOrder,
    shuffle: RandomStream,
    due: Vec<u32>,
    groups: Vec<(u32, u32, u32)>,
}

impl<M: Message, N: NodeShape> Windows<N, M> {
    /// Nodes, connected by `peers`: for each port of each node, in order, the port it leads to,
    /// both counted over all nodes. `length` is the smallest delay of any link.
    ///
    /// # Panics
    /// If `length` is zero or `peers` does not fit the nodes' shapes.
    pub fn new(nodes: Vec<N>, peers: &[u32], length: Time, order: NodeOrder) -> Self {
        assert!(length > Time::ZERO, "windows need a link delay above zero");
        let layout = lay_out(&nodes, peers);
        let most_sources = layout.most_sources;
        let sources = layout.owner.len();
        let core = Core {
            length: length.as_ps(),
            agenda: Agenda::new(sources),
            calendar: Calendar::new(length.as_ps(), most_sources),
            mailboxes: layout.port_sources.into_iter().map(Mailbox::new).collect(),
            outbox: peers.to_vec(),
            alarms: vec![NEVER; sources],
        };
        let (places, owner) = (layout.places, layout.owner);
        let seed = match order {
            NodeOrder::Ascending => 0,
            NodeOrder::Shuffled(seed) => seed,
        };
        let shuffle = RandomStream::new(seed, 0, Purpose::Algorithm);
        let (due, groups) = (Vec::new(), Vec::new());
        Self {
            nodes,
            places,
            owner,
            core,
            order,
            shuffle,
            due,
            groups,
        }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// The nodes, to read out what they hold after a run.
    pub fn nodes_mut(&mut self) -> &mut [N] {
        &mut self.nodes
    }

    /// Start of the first window that has work.
    pub fn next_window(&self) -> Option<Time> {
        self.core
            .agenda
            .peek()
            .map(|window| Time::from_ps(window * self.core.length))
    }

    /// Start of the window that holds `time`.
    pub fn window_of(&self, time: Time) -> Time {
        Time::from_ps(time.as_ps() / self.core.length * self.core.length)
    }

    /// Length of a window.
    pub fn length(&self) -> Time {
        Time::from_ps(self.core.length)
    }

    /// Sets an alarm of a node from outside, between windows, unless it goes off earlier
    /// anyway.
    pub fn wake(&mut self, node: usize, alarm: usize, at: Time) {
        let source = self.places[node].first_source + alarm as u32;
        let entry = &mut self.core.alarms[source as usize];
        if at.as_ps() < *entry {
            *entry = at.as_ps();
            self.core.agenda.add(source, at.as_ps() / self.core.length);
        }
    }

    /// Handles all events from `start`, the start of a window, to the window's end or `stop`,
    /// whichever comes first.
    pub fn run_window<L>(&mut self, start: Time, stop: Time, local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let start = start.as_ps();
        let end = (start + self.core.length).min(stop.as_ps());
        self.due.clear();
        self.core
            .agenda
            .take(start / self.core.length, &mut self.due);
        self.core.calendar.begin(start);
        self.group_by_node();
        for group in 0..self.groups.len() {
            let (node, from, to) = self.groups[group];
            self.run_node(node as usize, from as usize..to as usize, end, local);
        }
    }

    /// Runs of `due` that belong to one node, in the order in which nodes are taken.
    fn group_by_node(&mut self) {
        self.groups.clear();
        let mut from = 0;
        while from < self.due.len() {
            let node = self.owner[self.due[from] as usize];
            let mut to = from + 1;
            while to < self.due.len() && self.owner[self.due[to] as usize] == node {
                to += 1;
            }
            self.groups.push((node, from as u32, to as u32));
            from = to;
        }
        if let NodeOrder::Shuffled(_) = self.order {
            for last in (1..self.groups.len()).rev() {
                let other = (self.shuffle.uniform() * (last + 1) as f64) as usize;
                self.groups.swap(last, other);
            }
        }
    }

    fn run_node<L>(&mut self, node: usize, due: std::ops::Range<usize>, end: u64, local: &mut L)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let place = self.places[node];
        for &source in &self.due[due] {
            self.core.schedule_due(place, source, end);
        }
        let node = &mut self.nodes[node];
        let now = Time::ZERO;
        let mut context = WindowContext {
            now,
            end,
            place,
            core: &mut self.core,
            local,
        };
        while let Some((source, time)) = context.core.calendar.pop() {
            context.now = Time::from_ps(time);
            if source < place.alarms {
                context.core.alarms[(place.first_source + source) as usize] = NEVER;
                node.on_alarm(source as usize, &mut context);
            } else {
                let port = source - place.alarms;
                let mut message = context.core.receive(place, port, end);
                node.on_message(port as usize, &mut message, &mut context);
            }
        }
    }
}

impl<M: Message> Core<M> {
    /// Enters what a source on the agenda has before `end` into the calendar. An alarm may have
    /// moved since it was put on the agenda.
    #[inline]
    fn schedule_due(&mut self, place: Place, source: u32, end: u64) {
        let local = source - place.first_source;
        let time = if local < place.alarms {
            self.alarms[source as usize]
        } else {
            let port = place.first_port + local - place.alarms;
            match self.mailboxes[port as usize].messages.front() {
                Some(message) => message.time().as_ps(),
                None => return,
            }
        };
        if time < end {
            self.calendar.insert(local, time);
        }
    }

    /// Takes the first message of a port and enters the next one into the calendar.
    #[inline]
    fn receive(&mut self, place: Place, port: u32, end: u64) -> M {
        let mailbox = &mut self.mailboxes[(place.first_port + port) as usize];
        let message = mailbox
            .messages
            .pop_front()
            .expect("a mailbox in the calendar has mail");
        if let Some(next) = mailbox.messages.front() {
            let time = next.time().as_ps();
            if time < end {
                self.calendar.insert(place.alarms + port, time);
            }
        }
        message
    }
}

impl<M> Mailbox<M> {
    fn new(source: u32) -> Self {
        Self {
            messages: VecDeque::new(),
            source,
            announced_until: 0,
        }
    }
}

/// What a node may do while it handles an event of a window.
#[derive(Debug)]
pub struct WindowContext<'a, M, L> {
    now: Time,
    end: u64,
    place: Place,
    core: &'a mut Core<M>,
    local: &'a mut L,
}

impl<M: Message, L> Context for WindowContext<'_, M, L> {
    type Message = M;
    type Local = L;
    const INSERTION_ORDER: bool = false;

    #[inline]
    fn now(&self) -> Time {
        self.now
    }

    #[inline]
    fn send(&mut self, port: usize, message: &M) {
        let at = message.time().as_ps();
        debug_assert!(at >= self.end, "a message would arrive in its own window");
        let index = self.core.outbox[self.place.first_port as usize + port] as usize;
        let mailbox = &mut self.core.mailboxes[index];
        mailbox.messages.push_back(message.clone());
        if at >= mailbox.announced_until {
            let window = at / self.core.length;
            mailbox.announced_until = (window + 1) * self.core.length;
            self.core.agenda.add(mailbox.source, window);
        }
    }

    #[inline]
    fn set_alarm(&mut self, alarm: usize, at: Time) {
        debug_assert!(at >= self.now, "an alarm in the past");
        self.clear_alarm(alarm);
        let source = self.place.first_source + alarm as u32;
        self.core.alarms[source as usize] = at.as_ps();
        if at.as_ps() < self.end {
            self.core.calendar.insert(alarm as u32, at.as_ps());
        } else {
            self.core.agenda.add(source, at.as_ps() / self.core.length);
        }
    }

    #[inline]
    fn clear_alarm(&mut self, alarm: usize) {
        let entry = &mut self.core.alarms[self.place.first_source as usize + alarm];
        let time = std::mem::replace(entry, NEVER);
        if time < self.end {
            self.core.calendar.remove(alarm as u32, time);
        }
    }

    #[inline]
    fn alarm(&self, alarm: usize) -> Option<Time> {
        let time = self.core.alarms[self.place.first_source as usize + alarm];
        (time != NEVER).then(|| Time::from_ps(time))
    }

    #[inline]
    fn local(&mut self) -> &mut L {
        self.local
    }
}

#[cfg(test)]
mod tests;
