//! The arrivals of one node in one window, put in order.
//!
//! They come as one sorted run for each port and are spread over the window, so one pass that
//! deals them out to slots of time leaves next to nothing to a second that compares neighbours.

use crate::event::{Event, NO_EVENT};
use crate::mailbox::Mailbox;
use crate::node::Message;
use crate::places::Places;

/// Most slots of a window.
const MOST_SLOTS: usize = 1024;
/// As few events as this are sorted without slots.
const FEW: usize = 12;
/// Events may be this many places off, on average, after they have been dealt out.
const PLACES_OFF: usize = 8;

/// What arrives by one port.
#[derive(Debug)]
pub(crate) struct Run<M> {
    /// The node's port.
    pub(crate) port: usize,
    pub(crate) mailbox: u32,
    /// How many messages arrive in the window.
    due: usize,
    /// The mailbox's messages.
    messages: Vec<M>,
    /// How many of them have been taken.
    taken: usize,
}

impl<M: Message> Run<M> {
    /// Takes the next message. It may be changed.
    #[inline]
    pub(crate) fn take(&mut self) -> &mut M {
        let message = self.messages.at_mut(self.taken);
        self.taken += 1;
        message
    }

    /// Messages that arrive in the window, none of which has been taken.
    #[inline]
    fn due(&self) -> &[M] {
        &self.messages[self.taken..self.taken + self.due]
    }

    /// Gives the mailbox back what is its own.
    #[inline]
    pub(crate) fn close(self, mailbox: &mut Mailbox<M>) {
        mailbox.close(self.messages, self.taken);
    }
}

/// Arrivals, and room to sort them in.
#[derive(Debug)]
pub(crate) struct Arrivals<M> {
    runs: Vec<Run<M>>,
    /// Messages in all runs.
    due: usize,
    /// Room for events; what lies beyond those of the current window is out of date.
    events: Vec<Event>,
    /// How many events each slot holds, then where the next one of each goes.
    slots: Box<[u32; MOST_SLOTS]>,
    /// The window's length is up to two to this power.
    window_bits: u32,
}

impl<M: Message> Arrivals<M> {
    /// For windows of `length` ps.
    pub(crate) fn new(length: u64) -> Self {
        Self {
            runs: Vec::new(),
            due: 0,
            events: Vec::new(),
            slots: Box::new([0; MOST_SLOTS]),
            window_bits: u64::BITS - (length - 1).leading_zeros(),
        }
    }

    /// Adds what a mailbox holds that arrives before `end`, by a port of the node, and says how
    /// many messages that are. Ports come in ascending order.
    #[inline]
    pub(crate) fn add(
        &mut self,
        port: usize,
        number: u32,
        mailbox: &mut Mailbox<M>,
        end: u64,
    ) -> usize {
        let (messages, taken, due) = mailbox.open(end);
        self.due += due;
        self.runs.push(Run {
            port,
            mailbox: number,
            due,
            messages,
            taken,
        });
        due
    }

    /// Takes all of them, in order, to be given back, and says how many they are. The source of
    /// each is `first_source` and the number of its run, which follows the number of its port.
    pub(crate) fn take_sorted(&mut self, start: u64, first_source: u32) -> Sorted<M> {
        let count = std::mem::take(&mut self.due);
        if self.events.len() < count {
            self.events.resize(count.next_power_of_two(), NO_EVENT);
        }
        if count <= FEW || self.runs.len() == 1 {
            self.line_up(start, first_source);
            if self.runs.len() > 1 {
                settle(&mut self.events[..count]);
            }
        } else {
            self.deal_out(start, first_source, count);
            settle(&mut self.events[..count]);
        }
        Sorted {
            runs: std::mem::take(&mut self.runs),
            events: std::mem::take(&mut self.events),
            count,
        }
    }

    /// The room of events that have been taken; mailboxes get back what is theirs.
    #[inline]
    pub(crate) fn give_back(&mut self, mut sorted: Sorted<M>, mailboxes: &mut [Mailbox<M>]) {
        for run in sorted.runs.drain(..) {
            let mailbox = &mut mailboxes[run.mailbox as usize];
            run.close(mailbox);
        }
        (self.runs, self.events) = (sorted.runs, sorted.events);
    }

    /// Writes the events run by run.
    fn line_up(&mut self, start: u64, first_source: u32) {
        let mut places = self.events.iter_mut();
        for (run, source) in self.runs.iter().zip(first_source..) {
            for (message, place) in run.due().iter().zip(&mut places) {
                *place = Event::new(message.time().as_ps() - start, source);
            }
        }
    }

    /// Writes the events slot by slot.
    fn deal_out(&mut self, start: u64, first_source: u32, count: usize) {
        let slots = count.next_power_of_two().min(MOST_SLOTS);
        let shift = self.window_bits.saturating_sub(slots.trailing_zeros());
        let slot_of = |offset: u64| (offset >> shift) as usize % MOST_SLOTS;
        self.slots[..slots].fill(0);
        for run in &self.runs {
            for message in run.due() {
                self.slots[slot_of(message.time().as_ps() - start)] += 1;
            }
        }
        let mut before = 0;
        for slot in &mut self.slots[..slots] {
            before += std::mem::replace(slot, before);
        }
        let events = &mut self.events[..count];
        for (run, source) in self.runs.iter().zip(first_source..) {
            for message in run.due() {
                let offset = message.time().as_ps() - start;
                let place = &mut self.slots[slot_of(offset)];
                *events.at_mut(*place as usize) = Event::new(offset, source);
                *place += 1;
            }
        }
    }
}

/// Arrivals in order.
#[derive(Debug)]
pub(crate) struct Sorted<M> {
    pub(crate) runs: Vec<Run<M>>,
    /// What lies beyond the first `count` is room.
    events: Vec<Event>,
    count: usize,
}

impl<M> Sorted<M> {
    /// The events in order, and the runs that they take their messages from.
    #[inline]
    pub(crate) fn parts(&mut self) -> (&[Event], &mut [Run<M>]) {
        (&self.events[..self.count], &mut self.runs)
    }
}

/// Sorts events that are nearly in order by insertion; if they turn out not to be, otherwise.
fn settle(events: &mut [Event]) {
    let mut moves = 0;
    let Some(&(mut last)) = events.first() else {
        return;
    };
    for index in 1..events.len() {
        let event = events[index];
        if event >= last {
            last = event;
            continue;
        }
        let mut place = index;
        while place > 0 && events[place - 1] > event {
            events[place] = events[place - 1];
            place -= 1;
        }
        events[place] = event;
        moves += index - place;
        if moves > PLACES_OFF * events.len() {
            return events.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use incast_units::Time;

    use super::*;

    #[derive(Clone)]
    struct Letter(u64);

    impl Message for Letter {
        fn time(&self) -> Time {
            Time::from_ps(self.0)
        }
    }

    /// What `take_sorted` makes of one run for each port; `offset` of (port, number).
    fn check(length: u64, ports: u32, each: u64, offset: impl Fn(u64, u64) -> u64) {
        let mut arrivals = Arrivals::new(length);
        let (start, end) = (7 * length, 8 * length);
        let (mut expected, mut mailboxes) = (Vec::new(), Vec::new());
        for port in 0..ports {
            let mut offsets: Vec<u64> = (0..each).map(|i| offset(port.into(), i)).collect();
            offsets.sort();
            let mut mailbox = Mailbox::new(port);
            mailbox.announced_until = u64::MAX;
            for &offset in &offsets {
                mailbox.push(&Letter(start + offset));
            }
            arrivals.add(port as usize, port, &mut mailbox, end);
            mailboxes.push(mailbox);
            let due = offsets.into_iter().filter(|&offset| offset < length);
            expected.extend(due.map(|offset| Event::new(offset, port)));
        }
        expected.sort();
        let mut sorted = arrivals.take_sorted(start, 0);
        assert_eq!(sorted.parts().0, expected);
        arrivals.give_back(sorted, &mut mailboxes);
        assert_eq!(arrivals.take_sorted(start, 0).parts().0, []);
    }

    #[test]
    fn few_and_many_events_come_in_order() {
        let spread = |port, number| (port * 7_919 + number * 104_729) % 1_100_000;
        for (ports, each) in [(0, 0), (1, 5), (4, 8), (1, 100), (24, 12), (300, 40)] {
            check(1_000_000, ports, each, spread);
        }
    }

    /// All at the end of a long window, in one slot: dealing them out does not help.
    #[test]
    fn a_burst_comes_in_order() {
        check(10_000_000, 200, 20, |port, number| {
            9_990_000 + (number * 400 + port * 271) % 9_000
        });
    }

    /// The shortest window, and one as long as there are slots.
    #[test]
    fn tiny_windows_come_in_order() {
        check(1, 50, 2, |_, _| 0);
        check(256, 50, 4, |port, number| (port * 31 + number * 64) % 256);
        check(1024, 50, 30, |port, number| {
            (port * 31 + number * 64) % 1024
        });
    }
}
