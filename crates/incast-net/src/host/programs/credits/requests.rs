//! Credit requests of silent flows. Data packets carry a flow's request for credit, but a flow
//! without credit sends no data.
//!
//! ```text
//! packet left, or pull came ──── a timeout ────► asks, if it has data left and no credit
//!                                   ▲                          │
//!                                   └──────────────────────────┘
//! ```
//!
//! The timeout is the retransmission timeout. A lossless network has none, and no flow asks.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;

use incast_units::Time;
use rustc_hash::FxHasher;

/// Timers of the flows of one sender.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    /// `None`: no flow asks.
    timeout: Option<Time>,
    /// By flow: the last time at which a packet left, a pull arrived, or the flow asked.
    heard: HashMap<u32, Time, BuildHasherDefault<FxHasher>>,
    /// One entry for each flow, not later than the time at which the flow may have to ask.
    due: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Requests {
    pub(super) fn new(timeout: Option<Time>) -> Self {
        Self {
            timeout,
            heard: HashMap::default(),
            due: BinaryHeap::new(),
        }
    }

    /// A flow begins.
    pub(super) fn open(&mut self, flow: u32, now: Time) {
        if let Some(timeout) = self.timeout {
            self.heard.insert(flow, now);
            self.due.push(Reverse((now + timeout, flow)));
        }
    }

    /// A packet of a flow leaves, or a pull for it arrives.
    #[inline]
    pub(super) fn note(&mut self, flow: u32, now: Time) {
        if let Some(heard) = self.heard.get_mut(&flow) {
            *heard = now;
        }
    }

    /// A flow is complete.
    pub(super) fn close(&mut self, flow: u32) {
        self.heard.remove(&flow);
        if self.heard.is_empty() {
            self.due.clear();
        }
    }

    /// Lower bound of the time at which some flow may have to ask next.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.due.peek().map_or(Time::MAX, |Reverse((at, _))| *at)
    }

    /// A flow that has neither sent nor received for a timeout, by `now`.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u32> {
        let timeout = self.timeout?;
        while self.next() <= now {
            let Reverse((_, flow)) = self.due.pop()?;
            let Some(heard) = self.heard.get_mut(&flow) else {
                continue;
            };
            let is_silent = *heard + timeout <= now;
            if is_silent {
                *heard = now;
            }
            self.due.push(Reverse((*heard + timeout, flow)));
            if is_silent {
                return Some(flow);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    /// With a timeout of 100 us: flow 1 starts at 0 and sends at 30 and 60 us, flow 2 starts at 10
    /// us and gets a pull at 110 us. So they ask at 160 and 210 us, and again 100 us later; flow 1
    /// ends at 250 us.
    #[test]
    fn a_silent_flow_asks_once_in_a_timeout() {
        let mut requests = Requests::new(Some(US(100)));
        requests.open(1, Time::ZERO);
        requests.open(2, US(10));
        let noted = [(30, 1), (60, 1), (110, 2)];
        let mut asked = Vec::new();
        for us in 0..350 {
            for (_, flow) in noted.iter().filter(|(at, _)| *at == us) {
                requests.note(*flow, US(us));
            }
            if us == 250 {
                requests.close(1);
            }
            while let Some(flow) = requests.take_due(US(us)) {
                asked.push((us, flow));
            }
            assert!(requests.next() > US(us));
        }
        assert_eq!(asked, [(160, 1), (210, 2), (310, 2)]);
        requests.close(2);
        assert_eq!(requests.next(), Time::MAX);
    }

    #[test]
    fn without_a_timeout_no_flow_asks() {
        let mut requests = Requests::new(None);
        requests.open(1, Time::ZERO);
        requests.note(1, US(1));
        assert_eq!(requests.next(), Time::MAX);
        assert_eq!(requests.take_due(Time::MAX), None);
    }
}
