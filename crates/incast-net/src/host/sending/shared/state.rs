//! A congestion state that several QPs share, and its sequence numbers.

use incast_units::Time;

use crate::clock::Clock;
use crate::host::sending::congestion::CongestionState;
use crate::transport::{SequenceNumbers, Tally};

/// A congestion state of a host, for the whole run.
#[derive(Clone)]
pub(super) struct SharedState {
    pub(super) congestion: CongestionState,
    /// Sums over all flows of the state, completed ones included: bytes acknowledged in order,
    /// bytes sent at least once, bytes to send. No sum ever decreases. An RTT has passed when more
    /// bytes are acknowledged than were sent at its start, over all flows.
    pub(super) progress: SequenceNumbers,
    /// The throttles under this state's limit, in order of creation.
    pub(super) throttles: Vec<u32>,
    /// The throttle whose bytes the controller counts: the first one that has flows.
    pub(super) leader: Option<u32>,
    /// Flows that have not completed.
    pub(super) flows: u32,
    /// Time at which the last flow completed; valid if there are no flows.
    pub(super) idle_since: Time,
    /// Time of this state's earliest entry among the timers of its host.
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

    /// Updates the sums after a change of a flow's progress.
    pub(super) fn count(&mut self, before: &Tally, after: &Tally) {
        self.progress.next_expected += after.acked - before.acked;
        self.progress.next_to_send += after.sent - before.sent;
    }

    /// The controller's timer, if it expired by `now` during a time without flows.
    pub(super) fn missed_timer(&self, now: Time, clock: Clock) -> Option<Time> {
        let at = clock.round_up(self.congestion.next_timer());
        (at <= now).then_some(at)
    }
}
