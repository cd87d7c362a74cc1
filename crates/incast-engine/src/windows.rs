//! The loop over windows, and what a node may do in one.

use std::collections::VecDeque;

use incast_units::Time;

use crate::agenda::Agenda;
use crate::calendar::Calendar;
use crate::random::{Purpose, RandomStream};
use crate::tie::Tie;

/// No alarm is set.
const NEVER: u64 = u64::MAX;

/// Anything that travels from node to node.
pub trait Message {
    /// What orders it among events at the same time.
    type Key: Tie;

    /// When it arrives.
    fn time(&self) -> Time;

    /// Its order among events at that time.
    fn key(&self) -> Self::Key;
}

/// A node: it owns its state, and hears of the world through messages and its own alarms.
pub trait Node {
    /// What it receives and sends.
    type Message: Message;
    /// What the nodes of one thread share: a recorder, scratch space. Whatever a node does to
    /// it must not depend on the order in which nodes are taken.
    type Local;

    /// How many alarms and ports it has.
    fn shape(&self) -> NodeShape;

    /// A message arrives on `port`.
    fn on_message(
        &mut self,
        port: usize,
        message: Self::Message,
        context: &mut Context<'_, Self::Message, Self::Local>,
    );

    /// An alarm that the node set goes off.
    fn on_alarm(&mut self, alarm: usize, context: &mut Context<'_, Self::Message, Self::Local>);
}

/// The sources of a node's events. At the same time, alarms go before messages, lower numbers
/// before higher ones.
#[derive(Copy, Clone, Debug)]
pub struct NodeShape {
    /// Alarms, numbered from 0.
    pub alarms: usize,
    /// Ports, numbered from 0.
    pub ports: usize,
}

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
struct Core<M: Message> {
    /// L, in ps.
    length: u64,
    agenda: Agenda,
    calendar: Calendar<M::Key>,
    /// By receiving port, counted over all nodes.
    mailboxes: Vec<Mailbox<M>>,
    /// By sending port: its mailbox.
    outbox: Vec<u32>,
    /// By source, for those that are alarms: when, and with which key.
    alarms: Vec<(u64, M::Key)>,
}

/// Where a node's sources and ports begin in the tables of the core.
#[derive(Copy, Clone, Debug)]
struct Place {
    first_source: u32,
    alarms: u32,
    first_port: u32,
}

/// A set of nodes and the links between them, run window by window.
#[derive(Debug)]
pub struct Windows<N: Node> {
    nodes: Vec<N>,
    places: Vec<Place>,
    /// By source: its node.
    owner: Vec<u32>,
    core: Core<N::Message>,
    order: NodeOrder,
    shuffle: RandomStream,
    due: Vec<u32>,
    groups: Vec<(u32, u32, u32)>,
}

impl<N: Node> Windows<N> {
    /// Nodes, connected by `peers`: for each port of each node, in order, the port it leads to,
    /// both counted over all nodes. `length` is the smallest delay of any link.
    ///
    /// # Panics
    /// If `length` is zero or `peers` does not fit the nodes' shapes.
    pub fn new(nodes: Vec<N>, peers: &[u32], length: Time, order: NodeOrder) -> Self {
        assert!(length > Time::ZERO, "windows need a link delay above zero");
        let (mut places, mut owner, mut port_sources) = (Vec::new(), Vec::new(), Vec::new());
        let mut most_sources = 0;
        for (index, node) in nodes.iter().enumerate() {
            let NodeShape { alarms, ports } = node.shape();
            let first_source = owner.len() as u32;
            let first_port = port_sources.len() as u32;
            places.push(Place {
                first_source,
                alarms: alarms as u32,
                first_port,
            });
            owner.resize(owner.len() + alarms + ports, index as u32);
            let first = first_source + alarms as u32;
            port_sources.extend(first..first + ports as u32);
            most_sources = most_sources.max(alarms + ports);
        }
        assert_eq!(peers.len(), port_sources.len(), "one peer for every port");
        let core = Core {
            length: length.as_ps(),
            agenda: Agenda::new(owner.len()),
            calendar: Calendar::new(length.as_ps(), most_sources),
            mailboxes: port_sources
                .iter()
                .map(|&source| Mailbox::new(source))
                .collect(),
            outbox: peers.to_vec(),
            alarms: vec![(NEVER, Default::default()); owner.len()],
        };
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
    /// anyway. Its tie key is that of an event without history.
    pub fn wake(&mut self, node: usize, alarm: usize, at: Time) {
        let source = self.places[node].first_source + alarm as u32;
        let entry = &mut self.core.alarms[source as usize];
        if at.as_ps() < entry.0 {
            *entry = (at.as_ps(), Default::default());
            self.core.agenda.add(source, at.as_ps() / self.core.length);
        }
    }

    /// Handles all events from `start`, the start of a window, to the window's end or `stop`,
    /// whichever comes first.
    pub fn run_window(&mut self, start: Time, stop: Time, local: &mut N::Local) {
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

    fn run_node(
        &mut self,
        node: usize,
        due: std::ops::Range<usize>,
        end: u64,
        local: &mut N::Local,
    ) {
        let place = self.places[node];
        for &source in &self.due[due] {
            self.core.schedule_due(place, source, end);
        }
        while let Some((source, time, key)) = self.core.calendar.pop() {
            let now = Time::from_ps(time);
            if source < place.alarms {
                self.core.alarms[(place.first_source + source) as usize].0 = NEVER;
                let mut context = Context {
                    now,
                    key,
                    end,
                    place,
                    core: &mut self.core,
                    local,
                };
                self.nodes[node].on_alarm(source as usize, &mut context);
            } else {
                let port = source - place.alarms;
                let message = self.core.receive(place, port, end);
                let mut context = Context {
                    now,
                    key,
                    end,
                    place,
                    core: &mut self.core,
                    local,
                };
                self.nodes[node].on_message(port as usize, message, &mut context);
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
        let (time, key) = if local < place.alarms {
            self.alarms[source as usize]
        } else {
            match self.mailboxes[(place.first_port + local - place.alarms) as usize]
                .messages
                .front()
            {
                Some(message) => (message.time().as_ps(), message.key()),
                None => return,
            }
        };
        if time < end {
            self.calendar.insert(local, time, key);
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
                self.calendar.insert(place.alarms + port, time, next.key());
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

/// What a node may do while it handles an event.
#[derive(Debug)]
pub struct Context<'a, M: Message, L> {
    now: Time,
    key: M::Key,
    end: u64,
    place: Place,
    core: &'a mut Core<M>,
    /// What the nodes of this thread share.
    pub local: &'a mut L,
}

impl<M: Message, L> Context<'_, M, L> {
    /// The time of the event.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The event's order among events at the same time.
    #[inline]
    pub fn key(&self) -> M::Key {
        self.key
    }

    /// The key of something at `at` that this event causes.
    #[inline]
    pub fn child_key(&self, at: Time) -> M::Key {
        self.key.child(self.now, at)
    }

    /// Sends a message out of `port`. It must not arrive before the current window ends, nor
    /// before anything sent there earlier.
    #[inline]
    pub fn send(&mut self, port: usize, message: M) {
        let at = message.time().as_ps();
        debug_assert!(at >= self.end, "a message would arrive in its own window");
        let index = self.core.outbox[self.place.first_port as usize + port] as usize;
        let mailbox = &mut self.core.mailboxes[index];
        mailbox.messages.push_back(message);
        if at >= mailbox.announced_until {
            let window = at / self.core.length;
            mailbox.announced_until = (window + 1) * self.core.length;
            self.core.agenda.add(mailbox.source, window);
        }
    }

    /// Sets an alarm, or moves it if it was set.
    #[inline]
    pub fn set_alarm(&mut self, alarm: usize, at: Time) {
        self.set_alarm_with_key(alarm, at, self.child_key(at));
    }

    /// Sets an alarm whose order among events at the same time was settled earlier.
    pub fn set_alarm_with_key(&mut self, alarm: usize, at: Time, key: M::Key) {
        debug_assert!(at >= self.now, "an alarm in the past");
        self.clear_alarm(alarm);
        let source = self.place.first_source + alarm as u32;
        self.core.alarms[source as usize] = (at.as_ps(), key);
        if at.as_ps() < self.end {
            self.core.calendar.insert(alarm as u32, at.as_ps(), key);
        } else {
            self.core.agenda.add(source, at.as_ps() / self.core.length);
        }
    }

    /// Takes an alarm back, if it is set.
    pub fn clear_alarm(&mut self, alarm: usize) {
        let entry = &mut self.core.alarms[self.place.first_source as usize + alarm];
        let time = std::mem::replace(&mut entry.0, NEVER);
        if time < self.end {
            self.core.calendar.remove(alarm as u32, time);
        }
    }

    /// When an alarm goes off, if it is set.
    #[inline]
    pub fn alarm(&self, alarm: usize) -> Option<Time> {
        let time = self.core.alarms[self.place.first_source as usize + alarm].0;
        (time != NEVER).then(|| Time::from_ps(time))
    }
}

#[cfg(test)]
mod tests;
