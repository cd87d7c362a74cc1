//! A congestion state that several QPs share, and the sequence numbers that it is told.

use incast_units::Time;

use crate::clock::Clock;
use crate::host::sending::congestion::CongestionState;
use crate::transport::{SequenceNumbers, Tally};

/// A congestion state of a host, for the whole run.
#[derive(Clone)]
pub(super) struct SharedState {
    pub(super) congestion: CongestionState,
    /// Sums over all its flows, those that have completed among them: bytes acknowledged in order,
    /// bytes sent at least once, bytes to send. So none of them ever falls, and an RTT has passed
    /// when more bytes are acknowledged than were sent at its beginning, whosever they are.
    pub(super) progress: SequenceNumbers,
    /// The throttles that have its limit, in order of creation.
    pub(super) throttles: Vec<u32>,
    /// The one whose bytes its controller counts: the first that has flows.
    pub(super) leader: Option<u32>,
    /// Flows that have not completed.
    pub(super) flows: u32,
    /// When its last flow completed, if it has none.
    pub(super) idle_since: Time,
    /// Earliest entry among its host's timers.
    pub(super) timer: Time,
}

impl SharedState {
    pub(super) fn new(congestion: CongestionState) -> Self {
        Self {
            congestion,
            progress: SequenceNumbers::default(),
            throttles: Vec::new(),
            leader: None,
            flows: 0,
            idle_since: Time::ZERO,
            timer: Time::MAX,
        }
    }

    /// A flow's contribution has changed.
    pub(super) fn count(&mut self, before: &Tally, after: &Tally) {
        self.progress.next_expected += after.acked - before.acked;
        self.progress.next_to_send += after.sent - before.sent;
    }

    /// The first timer that expired up to `now`, in a time without flows.
    pub(super) fn missed_timer(&self, now: Time, clock: Clock) -> Option<Time> {
        let at = clock.round_up(self.congestion.next_timer());
        (at <= now).then_some(at)
    }
}
