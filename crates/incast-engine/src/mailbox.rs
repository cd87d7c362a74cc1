//! Messages on their way over one link in one direction.
//!
//! The receiver takes them window by window, so they lie in a batch for each window in which any
//! arrive. Room for batches goes round: what a receiver has emptied a sender fills next.

use std::collections::VecDeque;

use crate::arrivals::PortBatch;
use crate::node::Message;

/// Batches that have been taken, and all in them: room for others.
pub(crate) type Spare<M> = Vec<PortBatch<M>>;

/// Messages that a new batch has room for; most have about as many.
const FIRST_ROOM: usize = 16;

/// Room for a batch.
#[inline(always)]
fn room<M: Message>(spare: &mut Spare<M>) -> Vec<M> {
    match spare.pop() {
        Some(run) => run.into_room(),
        None => Vec::with_capacity(FIRST_ROOM),
    }
}

/// A queue of messages in order of arrival; two cache lines, the first for who sends.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Mailbox<M> {
    /// The last batch.
    messages: Vec<M>,
    /// The end of its window: arrivals before this time are on the agenda.
    pub(crate) announced_until: u64,
    earlier: Earlier<M>,
}

/// Batches before the last, none of them empty. There are two at most where a link is as long as
/// a window: what is being taken, and what comes next.
#[derive(Debug)]
#[repr(C)]
struct Earlier<M> {
    /// All but the first two.
    far: VecDeque<Batch<M>>,
    /// The first two.
    near: [Batch<M>; 2],
}

/// What arrives in one window, and its end.
#[derive(Debug)]
struct Batch<M> {
    until: u64,
    messages: Vec<M>,
}

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Self {
            until: 0,
            messages: Vec::new(),
        }
    }
}

impl<M> Earlier<M> {
    #[inline(always)]
    fn push(&mut self, batch: Batch<M>) {
        let mut near = self.near.iter_mut();
        match near.find(|place| place.messages.is_empty()) {
            Some(place) => *place = batch,
            None => self.far.push_back(batch),
        }
    }

    /// Takes the first one, if there is any and its window has come.
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

    fn pop_last(&mut self) -> Option<Batch<M>> {
        let last = |near: &mut [Batch<M>; 2]| {
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
            earlier: Earlier {
                far: VecDeque::new(),
                near: Default::default(),
            },
        }
    }
}

impl<M: Message> Mailbox<M> {
    /// Whether the next message needs more room.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() == self.messages.capacity()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, message: &M) {
        self.messages.push(*message);
    }

    /// Begins a batch for the message that is pushed next, which arrives at `at`, and for all that
    /// arrive in the same window of this length; says which window that is.
    #[inline(always)]
    pub(crate) fn begin_batch(&mut self, at: u64, length: u64, spare: &mut Spare<M>) -> u64 {
        if self.messages.capacity() == 0 {
            self.messages = room(spare);
        } else if !self.messages.is_empty() {
            let room = room(spare);
            self.earlier.push(Batch {
                until: self.announced_until,
                messages: std::mem::replace(&mut self.messages, room),
            });
        }
        let window = at / length;
        self.announced_until = (window + 1) * length;
        window
    }

    /// Appends `messages`, which are in order of arrival, and leaves none there; tells `announce`
    /// the window of each batch that begins.
    pub(crate) fn append(
        &mut self,
        messages: &mut Vec<M>,
        length: u64,
        spare: &mut Spare<M>,
        mut announce: impl FnMut(u64),
    ) {
        let mut rest = messages.as_slice();
        while let Some(first) = rest.first() {
            let at = first.time().as_ps();
            if at >= self.announced_until {
                announce(self.begin_batch(at, length, spare));
            }
            let announced = |message: &M| message.time().as_ps() < self.announced_until;
            let batch;
            (batch, rest) = rest.split_at(rest.partition_point(announced));
            self.messages.extend_from_slice(batch);
        }
        messages.clear();
    }

    /// The first message of the last batch.
    pub(crate) fn front(&self) -> Option<&M> {
        self.messages.first()
    }

    /// Hands all messages over into `empty`; they are one batch.
    pub(crate) fn hand_over(&mut self, empty: &mut Vec<M>) {
        debug_assert!(self.earlier.is_empty() && empty.is_empty(), "one batch");
        std::mem::swap(&mut self.messages, empty);
        self.announced_until = 0;
    }

    /// Takes back the last message, if it arrives at or after `end`. What is sent instead may
    /// arrive in an earlier window.
    pub(crate) fn revoke(&mut self, end: u64) -> Option<M> {
        let message = self.messages.pop_if(|last| last.time().as_ps() >= end)?;
        if self.messages.is_empty() && self.announced_until < u64::MAX {
            let before = self.earlier.pop_last().unwrap_or_default();
            (self.announced_until, self.messages) = (before.until, before.messages);
        }
        Some(message)
    }

    /// Takes what arrives in the window that ends at `end`.
    #[inline]
    pub(crate) fn take(&mut self, end: u64) -> Vec<M> {
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
    use incast_units::Time;

    use super::*;

    #[derive(Copy, Clone, Debug, PartialEq)]
    struct Letter(u64);

    impl Message for Letter {
        fn time(&self) -> Time {
            Time::from_ps(self.0)
        }
    }

    /// Windows of 10: sends letters, as a sender does; says which windows are announced.
    fn send(mailbox: &mut Mailbox<Letter>, times: &[u64]) -> Vec<u64> {
        let mut windows = Vec::new();
        for &at in times {
            if at >= mailbox.announced_until {
                windows.push(mailbox.begin_batch(at, 10, &mut Vec::new()));
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

    /// Letters of two batches are taken back, others sent instead.
    #[test]
    fn the_last_messages_can_be_taken_back() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[12, 18, 25]);
        assert_eq!(mailbox.revoke(15), Some(Letter(25)));
        assert_eq!(mailbox.revoke(15), Some(Letter(18)));
        assert_eq!(mailbox.revoke(15), None);
        send(&mut mailbox, &[19, 26, 27]);
        assert_eq!(take(&mut mailbox, 20), [12, 19]);
        assert_eq!(take(&mut mailbox, 30), [26, 27]);
        assert_eq!(mailbox.revoke(30), None);
    }

    /// A link of many windows: more batches wait than lie near; the last can be taken back.
    #[test]
    fn batches_wait_in_order() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[5, 15, 25, 35, 45, 46, 55]);
        assert_eq!(take(&mut mailbox, 10), [5]);
        send(&mut mailbox, &[65]);
        let back: Vec<_> = (0..3).map(|_| mailbox.revoke(45)).collect();
        assert_eq!(back, [65, 55, 46].map(|at| Some(Letter(at))));
        send(&mut mailbox, &[47, 75]);
        let taken = [20, 30, 40, 50, 60, 80].map(|end| take(&mut mailbox, end));
        assert_eq!(taken.concat(), [15, 25, 35, 45, 47, 75]);
        assert_eq!((taken[3].len(), taken[4].len()), (2, 0));
    }

    #[test]
    fn near_batches_are_taken_back_too() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[15, 25, 35]);
        let back: Vec<_> = (0..4).map(|_| mailbox.revoke(0)).collect();
        assert_eq!(
            back,
            [Some(Letter(35)), Some(Letter(25)), Some(Letter(15)), None]
        );
    }

    /// A shorter letter instead of one that was taken back arrives a window earlier, with or
    /// without others there.
    #[test]
    fn what_is_sent_instead_may_arrive_earlier() {
        for (before, expected) in [(vec![], vec![18]), (vec![12], vec![12, 18])] {
            let mut mailbox = Mailbox::default();
            send(&mut mailbox, &before);
            send(&mut mailbox, &[21]);
            assert_eq!(mailbox.revoke(10), Some(Letter(21)));
            send(&mut mailbox, &[18, 23]);
            assert_eq!(take(&mut mailbox, 20), expected);
            assert_eq!(take(&mut mailbox, 30), [23]);
        }
    }

    /// Mail of another part begins in a window that is on the agenda.
    #[test]
    fn mail_from_elsewhere_is_dealt_out_to_windows() {
        let mut mailbox = Mailbox::default();
        send(&mut mailbox, &[12]);
        let mut mail = [15, 19, 20, 44].map(Letter).to_vec();
        let mut windows = Vec::new();
        mailbox.append(&mut mail, 10, &mut Vec::new(), |window| {
            windows.push(window)
        });
        assert_eq!((mail.len(), windows), (0, vec![2, 4]));
        assert_eq!(take(&mut mailbox, 20), [12, 15, 19]);
        assert_eq!(take(&mut mailbox, 30), [20]);
        assert_eq!(take(&mut mailbox, 50), [44]);
    }
}
