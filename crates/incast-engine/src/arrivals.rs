//! The arrivals of one node in one window, put in order.
//!
//! They come as one sorted run for each port and are spread over the window, so one pass that
//! deals them out to slots of time leaves next to nothing to a second that compares neighbours.

use crate::event::{Event, NO_EVENT};
use crate::node::Message;

/// Slots of a window.
const SLOTS: usize = 256;
/// As few events as this are sorted without slots.
const FEW: usize = 32;
/// Events may be this many places off, on average, after they have been dealt out.
const PLACES_OFF: usize = 8;

/// Arrivals, and room to sort them in.
#[derive(Debug)]
pub(crate) struct Arrivals {
    events: Vec<Event>,
    dealt: Vec<Event>,
    /// How many events each slot holds.
    counts: [u32; SLOTS],
    /// A slot is this power of two of picoseconds wide.
    shift: u32,
}

impl Arrivals {
    /// For windows of `length` ps.
    pub(crate) fn new(length: u64) -> Self {
        let bits = u64::BITS - (length - 1).leading_zeros();
        Self {
            events: Vec::new(),
            dealt: Vec::new(),
            counts: [0; SLOTS],
            shift: bits.saturating_sub(SLOTS.trailing_zeros()),
        }
    }

    /// Adds those of `mail`, which is in order and not before `start`, that arrive at `source`
    /// before `end`.
    #[inline]
    pub(crate) fn add<M: Message>(&mut self, source: u32, mail: &[M], start: u64, end: u64) {
        let before = self.events.len();
        self.events.resize(before + mail.len(), NO_EVENT);
        let mut due = 0;
        for (message, event) in mail.iter().zip(&mut self.events[before..]) {
            let time = message.time().as_ps();
            if time >= end {
                break;
            }
            let offset = time - start;
            self.counts[slot_of(offset, self.shift)] += 1;
            *event = Event::new(offset, source);
            due += 1;
        }
        self.events.truncate(before + due);
    }

    /// Takes all of them, in order; `give_back` returns the room they take.
    pub(crate) fn take_sorted(&mut self) -> Vec<Event> {
        if self.events.len() <= FEW {
            self.events.sort_unstable();
        } else {
            self.deal_out();
            std::mem::swap(&mut self.events, &mut self.dealt);
            settle(&mut self.events);
        }
        self.counts.fill(0);
        std::mem::take(&mut self.events)
    }

    /// The room of events that have been taken.
    pub(crate) fn give_back(&mut self, mut events: Vec<Event>) {
        events.clear();
        self.events = events;
    }

    /// Copies the events to `dealt`, slot by slot.
    fn deal_out(&mut self) {
        let mut before = 0;
        for count in &mut self.counts {
            before += std::mem::replace(count, before);
        }
        // From here on the count of a slot is the place of its next event.
        let places = &mut self.counts;
        self.dealt.resize(self.events.len(), NO_EVENT);
        for &event in &self.events {
            let place = &mut places[slot_of(event.offset(), self.shift)];
            self.dealt[*place as usize] = event;
            *place += 1;
        }
    }
}

#[inline]
fn slot_of(offset: u64, shift: u32) -> usize {
    (offset >> shift) as usize % SLOTS
}

/// Sorts events that are nearly in order by insertion; if they turn out not to be, otherwise.
fn settle(events: &mut [Event]) {
    let mut moves = 0;
    let mut last = events[0];
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
        let mut expected = Vec::new();
        for port in 0..ports {
            let mut offsets: Vec<u64> = (0..each).map(|i| offset(port.into(), i)).collect();
            offsets.sort();
            let (start, end) = (7 * length, 8 * length);
            let mail: Vec<Letter> = offsets
                .iter()
                .map(|&offset| Letter(start + offset))
                .collect();
            arrivals.add(port, &mail, start, end);
            let due = offsets.into_iter().filter(|&offset| offset < length);
            expected.extend(due.map(|offset| Event::new(offset, port)));
        }
        expected.sort();
        let events = arrivals.take_sorted();
        assert_eq!(events, expected);
        arrivals.give_back(events);
        assert!(arrivals.take_sorted().is_empty());
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
    }
}
