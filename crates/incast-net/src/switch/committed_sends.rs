//! Control packets that were sent ahead of time.
//!
//! A control packet that finds the link busy is sent at once, with a start when the link is free,
//! if only a PFC frame can precede it. Until then it counts as waiting.

use incast_units::Time;

use crate::fifo::Fifo;

/// The committed sends of one port.
#[derive(Clone, Debug, Default)]
pub(super) struct CommittedSends {
    /// Start of each transmission, and bytes of the packet, for those that may not have started
    /// yet.
    sends: Fifo<(Time, u32)>,
    /// Sum of the bytes in `sends`.
    bytes: u64,
}

impl CommittedSends {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.sends.is_empty()
    }

    /// Adds a packet of `size` bytes that starts at `at`.
    #[inline(always)]
    pub(super) fn push(&mut self, at: Time, size: u16) {
        self.sends.push_back(&(at, size.into()));
        self.bytes += u64::from(size);
    }

    /// Bytes of the sends that start at `time` or later.
    #[inline(always)]
    pub(super) fn bytes_at(&mut self, time: Time) -> u64 {
        while let Some(&(at, size)) = self.sends.front()
            && at < time
        {
            self.sends.pop_front();
            self.bytes -= u64::from(size);
        }
        self.bytes
    }

    /// The first send that starts at `time` or later: its start, and its bytes together with those
    /// of all later sends.
    #[inline(always)]
    pub(super) fn unstarted_at(&self, time: Time) -> Option<(Time, u64)> {
        match self.sends.back() {
            Some(&(last, _)) if last >= time => self.first_unstarted(time),
            _ => None,
        }
    }

    #[inline(never)]
    fn first_unstarted(&self, time: Time) -> Option<(Time, u64)> {
        let mut bytes = self.bytes;
        for &(at, size) in self.sends.iter() {
            if at >= time {
                return Some((at, bytes));
            }
            bytes -= u64::from(size);
        }
        None
    }

    /// Takes out the last send if it starts at `time` or later; returns its start.
    pub(super) fn pop_unstarted(&mut self, time: Time) -> Option<Time> {
        self.bytes_at(time);
        let (at, size) = self.sends.pop_back()?;
        self.bytes -= u64::from(size);
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A send that starts at 87 ns has not started before 87 ns, and has after 87 ns.
    #[test]
    fn sends_start_one_after_the_other() {
        let ns = Time::from_ns;
        let mut sends = CommittedSends::default();
        assert_eq!(sends.unstarted_at(ns(0)), None);
        sends.push(ns(87), 60);
        sends.push(ns(91), 88);
        assert_eq!(sends.unstarted_at(ns(80)), Some((ns(87), 148)));
        assert_eq!(sends.unstarted_at(ns(87)), Some((ns(87), 148)));
        assert_eq!(sends.unstarted_at(ns(88)), Some((ns(91), 88)));
        assert_eq!(sends.unstarted_at(ns(92)), None);
    }
}
