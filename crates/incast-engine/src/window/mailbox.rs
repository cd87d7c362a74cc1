//! Messages in flight over one link in one direction.
//!
//! The receiver takes messages window by window. A mailbox therefore keeps a batch for each window
//! with arrivals, and hands it over whole.

use std::collections::VecDeque;

use incast_units::Time;

use crate::message::Message;
use crate::port_batch::SpareBatches;

/// A queue of messages in order of arrival. Its two cache lines are divided by use: sending touches
/// only the first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Mailbox<M> {
    /// The last batch.
    messages: Vec<M>,
    /// End of the last batch's window, in ps: the calendar has an entry for arrivals before it.
    pub(super) announced_until: u64,
    earlier: EarlierBatches<M>,
}

/// Batches before the last one; none is empty. A link as long as a window has at most two: the
/// batch being taken, and the next.
#[derive(Clone, Debug)]
#[repr(C)]
struct EarlierBatches<M> {
    /// All batches but the first two.
    far: VecDeque<WindowBatch<M>>,
    /// The first two.
    near: [WindowBatch<M>; 2],
}

/// The messages that arrive in one window.
#[derive(Clone, Debug)]
struct WindowBatch<M> {
    /// End of the window, in ps.
    until: u64,
    messages: Vec<M>,
}

impl<M> Default for WindowBatch<M> {
    fn default() -> Self {
        Self {
            until: 0,
            messages: Vec::new(),
        }
    }
}

impl<M> EarlierBatches<M> {
    #[inline(always)]
    fn push(&mut self, batch: WindowBatch<M>) {
        let mut near = self.near.iter_mut();
        match near.find(|slot| slot.messages.is_empty()) {
            Some(slot) => *slot = batch,
            None => self.far.push_back(batch),
        }
    }

    /// Takes the first batch, if there is one and its window ends by `end`.
    #[inline(always)]
    fn pop_first(&mut self, end: u64) -> Vec<M> {
        let [first, second] = &mut self.near;
        if first.until > end {
            return Vec::new();
        }
        let batch = std::mem::replace(first, std::mem::take(second));
        if let Some(next) = self.far.pop_front() {
            *second = next;
        }
        batch.messages
    }

    /// Puts this batch in front of all others.
    fn put_back(&mut self, first: WindowBatch<M>) {
        let [near, second] = &mut self.near;
        let third = std::mem::replace(second, std::mem::replace(near, first));
        if !third.messages.is_empty() {
            self.far.push_front(third);
        }
    }

    fn pop_last(&mut self) -> Option<WindowBatch<M>> {
        let last = |near: &mut [WindowBatch<M>; 2]| {
            let last = near.iter_mut().rfind(|batch| !batch.messages.is_empty());
            last.map(std::mem::take)
        };
        self.far.pop_back().or_else(|| last(&mut self.near))
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.near[0].messages.is_empty()
    }
}

impl<M> Default for Mailbox<M> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            announced_until: 0,
            earlier: EarlierBatches {
                far: VecDeque::new(),
                near: Default::default(),
            },
        }
    }
}

impl<M: Message> Mailbox<M> {
    /// Whether the next message needs more memory.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.messages.len() == self.messages.capacity()
    }

    #[inline(always)]
    pub(super) fn push(&mut self, message: &M) {
        self.messages.push(*message);
    }

    /// Begins a batch for the window, with its end in ps, in which the next message arrives.
    #[inline(always)]
    pub(super) fn begin_batch(&mut self, end: u64, spare: &mut SpareBatches<M>) {
        if self.messages.capacity() == 0 {
            self.messages = spare.take();
        } else if !self.messages.is_empty() {
            let empty = spare.take();
            self.earlier.push(WindowBatch {
                until: self.announced_until,
                messages: std::mem::replace(&mut self.messages, empty),
            });
        }
        self.announced_until = end;
    }

    /// Moves `messages`, which are in order of arrival and arrive at `since` or later, to the end
    /// of this mailbox. Calls `announce` with the arrival time, in ps, of each batch's first
    /// message; it returns the end of this message's window.
    pub(super) fn append(
        &mut self,
        messages: &mut Vec<M>,
        since: Time,
        spare: &mut SpareBatches<M>,
        mut announce: impl FnMut(u64) -> u64,
    ) {
        let mut rest = messages.as_slice();
        while let Some(first) = rest.first() {
            let at = first.time(since).as_ps();
            if at >= self.announced_until {
                self.begin_batch(announce(at), spare);
            }
            let announced = |message: &M| message.time(since).as_ps() < self.announced_until;
            let batch;
            (batch, rest) = rest.split_at(rest.partition_point(announced));
            self.messages.extend_from_slice(batch);
        }
        messages.clear();
    }

    /// Whether no message is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.earlier.is_empty()
    }

    /// The first message of the last batch.
    pub(super) fn front(&self) -> Option<&M> {
        self.messages.first()
    }

    /// Moves all messages, which form one batch, into `empty`.
    pub(super) fn hand_over(&mut self, empty: &mut Vec<M>) {
        debug_assert!(self.earlier.is_empty() && empty.is_empty(), "one batch");
        std::mem::swap(&mut self.messages, empty);
        self.announced_until = 0;
    }

    /// Revokes the last message if it arrives at `first` or later. All messages arrive at `start`
    /// or later; both are in ps. A replacement may arrive in an earlier window.
    pub(super) fn revoke(&mut self, start: u64, first: u64) -> Option<M> {
        let start = Time::from_ps(start);
        let message = self
            .messages
            .pop_if(|last| last.time(start).as_ps() >= first)?;
        if self.messages.is_empty() && self.announced_until < u64::MAX {
            let before = self.earlier.pop_last().unwrap_or_default();
            (self.announced_until, self.messages) = (before.until, before.messages);
        }
        Some(message)
    }

    /// The messages that arrive in the window that ends at `end`, in ps.
    pub(super) fn first(&self, end: u64) -> &[M] {
        let first = &self.earlier.near[0];
        if !self.earlier.is_empty() {
            if first.until > end {
                &[]
            } else {
                &first.messages
            }
        } else if self.announced_until <= end {
            &self.messages
        } else {
            &[]
        }
    }

    /// Takes the messages that arrive before `until`, in ps, in the window from `start` to `end`.
    /// Other messages stay, and so does the memory of their batch.
    pub(super) fn take_before(
        &mut self,
        until: u64,
        (start, end): (u64, u64),
        spare: &mut SpareBatches<M>,
    ) -> Vec<M> {
        let is_last = self.earlier.is_empty();
        let mut messages = self.take(end);
        let in_time = |message: &M| message.time(Time::from_ps(start)).as_ps() < until;
        let count = messages.partition_point(in_time);
        if count == messages.len() {
            return messages;
        }
        let mut taken = Vec::new();
        if count > 0 {
            taken = spare.take();
            taken.extend(messages.drain(..count));
        }
        if is_last {
            self.messages = messages;
        } else {
            self.earlier.put_back(WindowBatch {
                until: end,
                messages,
            });
        }
        taken
    }

    /// Takes the messages that arrive in the window that ends at `end`, in ps.
    #[inline]
    pub(super) fn take(&mut self, end: u64) -> Vec<M> {
        if !self.earlier.is_empty() {
            self.earlier.pop_first(end)
        } else if self.announced_until <= end {
            std::mem::take(&mut self.messages)
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port_batch::PortBatch;

    #[derive(Copy, Clone, Debug, PartialEq)]
    struct Letter(u64);

    impl Message for Letter {
        fn time_bits(&self) -> u64 {
            self.0
        }
    }

    /// Sends letters, in windows of 10. Returns the ends of the windows that are announced.
    fn send(mailbox: &mut Mailbox<Letter>, times: &[u64]) -> Vec<u64> {
        let mut windows = Vec::new();
        for &at in times {
            if at >= mailbox.announced_until {
                windows.push(at / 10);
                mailbox.begin_batch((at / 10 + 1) * 10, &mut SpareBatches::default());
            }
            mailbox.push(&Letter(at));
        }
        windows
    }

    fn take(mailbox: &mut Mailbox<Letter>, end: u64) -> Vec<u64> {
        mailbox.take(end).iter().map(|letter| letter.0).collect()
    }

    #[test]
    fn every_window_has_its_messages() {
        let mut mailbox = Mailbox::default();
        assert_eq!(send(&mut mailbox, &[3, 9, 10, 31, 39]), [0, 1, 3]);
        assert_eq!(take(&mut mailbox, 10), [3, 9]);
        assert_eq!(send(&mut mailbox, &[39, 40]), [4]);
        assert_eq!(take(&mut mailbox, 20), [10]);
        assert_eq!(take(&mut mailbox, 30), [0; 0]);
        assert_eq!(take(&mut mailbox, 40), [31, 39, 39]);
        assert_eq!(take(&mut mailbox, 50), [40]);
        assert_eq!(take(&mut mailbox, 60), [0; 0]);
    }

    /// Letters of two batches are revoked and replaced.
    #[test]
    fn the_last_messages_can_be_revoked() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[12, 18, 25]);
        assert_eq!(mailbox.revoke(0, 15), Some(Letter(25)));
        assert_eq!(mailbox.revoke(0, 15), Some(Letter(18)));
        assert_eq!(mailbox.revoke(0, 15), None);
        send(&mut mailbox, &[19, 26, 27]);
        assert_eq!(take(&mut mailbox, 20), [12, 19]);
        assert_eq!(take(&mut mailbox, 30), [26, 27]);
        assert_eq!(mailbox.revoke(0, 30), None);
    }

    /// Messages of a window that are not taken stay first, wherever their batch is.
    #[test]
    fn a_window_can_be_taken_in_parts() {
        for batches in 1..6 {
            let mut mailbox = Mailbox::default();
            let starts = (0..batches).map(|batch| 10 * batch);
            let times: Vec<_> = starts
                .clone()
                .flat_map(|at| [at + 2, at + 5, at + 7])
                .collect();
            send(&mut mailbox, &times);
            for start in starts {
                let window = (start, start + 10);
                let times = |letters: &[Letter]| -> Vec<u64> {
                    letters.iter().map(|letter| letter.0 - start).collect()
                };
                assert_eq!(times(mailbox.first(start + 10)), [2, 5, 7]);
                let before = &mut |time| {
                    let spare = &mut SpareBatches::default();
                    times(&mailbox.take_before(start + time, window, spare))
                };
                assert_eq!([before(1), before(5)], [vec![], vec![2]]);
                assert_eq!(times(mailbox.first(start + 10)), [5, 7]);
                let spare = &mut SpareBatches::default();
                assert_eq!(times(&mailbox.take_before(start + 6, window, spare)), [5]);
                assert_eq!(times(&mailbox.take(start + 10)), [7]);
            }
            assert_eq!(take(&mut mailbox, 100), [0; 0]);
        }
    }

    /// A thousand messages of one window are taken one at a time. Each part needs memory for one
    /// message, and the batch stays in place.
    #[test]
    fn parts_of_a_window_take_little_memory() {
        let mut mailbox = Mailbox::default();
        let times: Vec<_> = (0..1000).collect();
        let mut spare = SpareBatches::default();
        mailbox.begin_batch(1000, &mut spare);
        times.iter().for_each(|&time| mailbox.push(&Letter(time)));
        let batch = mailbox.messages.as_ptr();
        for time in 0..999 {
            assert!(mailbox.take_before(time, (0, 1000), &mut spare).capacity() == 0);
            let taken = mailbox.take_before(time + 1, (0, 1000), &mut spare);
            assert_eq!(taken, [Letter(time)]);
            assert!(taken.capacity() < 100, "{}", taken.capacity());
            assert_eq!(mailbox.messages.as_ptr(), batch);
            spare.put_back(&mut vec![PortBatch::new(0, taken)]);
            assert_eq!(spare.count(), 1);
        }
        assert_eq!(mailbox.take(1000), [Letter(999)]);
    }

    /// A link of many windows has more batches than `near` holds; the last can be revoked.
    #[test]
    fn batches_wait_in_order() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[5, 15, 25, 35, 45, 46, 55]);
        assert_eq!(take(&mut mailbox, 10), [5]);
        send(&mut mailbox, &[65]);
        let back: Vec<_> = (0..3).map(|_| mailbox.revoke(0, 45)).collect();
        assert_eq!(back, [65, 55, 46].map(|at| Some(Letter(at))));
        send(&mut mailbox, &[47, 75]);
        let taken = [20, 30, 40, 50, 60, 80].map(|end| take(&mut mailbox, end));
        assert_eq!(taken.concat(), [15, 25, 35, 45, 47, 75]);
        assert_eq!((taken[3].len(), taken[4].len()), (2, 0));
    }

    #[test]
    fn near_batches_can_be_revoked() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[15, 25, 35]);
        let back: Vec<_> = (0..4).map(|_| mailbox.revoke(0, 0)).collect();
        assert_eq!(
            back,
            [Some(Letter(35)), Some(Letter(25)), Some(Letter(15)), None]
        );
    }

    /// The replacement of a revoked letter arrives a window earlier, whether or not that window has
    /// a batch.
    #[test]
    fn a_replacement_may_arrive_earlier() {
        for (before, expected) in [(vec![], vec![18]), (vec![12], vec![12, 18])] {
            let mut mailbox = Mailbox::default();
            send(&mut mailbox, &before);
            send(&mut mailbox, &[21]);
            assert_eq!(mailbox.revoke(0, 10), Some(Letter(21)));
            send(&mut mailbox, &[18, 23]);
            assert_eq!(take(&mut mailbox, 20), expected);
            assert_eq!(take(&mut mailbox, 30), [23]);
        }
    }

    /// Messages of another shard begin in a window that has already been announced.
    #[test]
    fn messages_of_another_shard_are_split_into_windows() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[12]);
        let mut mail = [15, 19, 20, 44].map(Letter).to_vec();
        let mut windows = Vec::new();
        let spare = &mut SpareBatches::default();
        mailbox.append(&mut mail, Time::ZERO, spare, |at| {
            windows.push(at / 10);
            (at / 10 + 1) * 10
        });
        assert_eq!((mail.len(), windows), (0, vec![2, 4]));
        assert_eq!(take(&mut mailbox, 20), [12, 15, 19]);
        assert_eq!(take(&mut mailbox, 30), [20]);
        assert_eq!(take(&mut mailbox, 50), [44]);
    }
}
