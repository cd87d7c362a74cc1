//! Retransmissions, their reasons, and the time that flows waited for timeouts.

use incast_net::{FlowCounters, Recording};
use serde::{Deserialize, Serialize};

use super::rates::ratio;

/// Recovery from losses, over all flows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryFacts {
    /// Retransmission timeouts that expired.
    pub timeouts: u64,
    /// Number of flows with timeouts.
    pub flows_timed_out: u64,
    /// Sum of the durations of expired timeouts.
    pub timeout_wait_ps: u64,
    /// `timeout_wait_ps` over the sum of all flows' lifetimes; 0 if there was no flow.
    pub timeout_wait_share: f64,
    /// Payload sent again.
    pub retransmitted_bytes: u64,
    /// Payload retransmitted because of timeouts.
    pub timeout_retransmitted_bytes: u64,
    /// Data packets that their receivers had already: needless retransmissions.
    pub duplicate_packets: u64,
}

/// Sums of counters over all flows.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct CounterSums {
    pub(super) retransmitted: u64,
    pub(super) nacks: u64,
    retransmitted_bytes: u64,
    timeout_bytes: u64,
    timeouts: u64,
    flows_timed_out: u64,
    timeout_wait_ps: u64,
}

impl CounterSums {
    pub(super) fn add(&mut self, flow: &FlowCounters) {
        self.retransmitted += u64::from(flow.retransmitted);
        self.nacks += u64::from(flow.nacks);
        self.retransmitted_bytes += flow.retransmitted_bytes;
        self.timeout_bytes += flow.timeout_bytes;
        self.timeouts += u64::from(flow.timeouts);
        self.flows_timed_out += u64::from(flow.timeouts > 0);
        self.timeout_wait_ps += flow.timeout_wait.as_ps();
    }
}

impl RecoveryFacts {
    /// Facts from the counters of all flows; `alive_ps` is the sum of their lifetimes.
    pub(super) fn of(recording: &Recording, sums: &CounterSums, alive_ps: u128) -> Self {
        // In most runs there are no retransmissions and no timeouts.
        if sums.retransmitted == 0 && sums.timeouts == 0 {
            return Self::default();
        }
        let duplicates = recording.duplicates.values();
        Self {
            timeouts: sums.timeouts,
            flows_timed_out: sums.flows_timed_out,
            timeout_wait_ps: sums.timeout_wait_ps,
            timeout_wait_share: ratio(sums.timeout_wait_ps as f64, alive_ps as f64),
            retransmitted_bytes: sums.retransmitted_bytes,
            timeout_retransmitted_bytes: sums.timeout_bytes,
            duplicate_packets: duplicates.map(|&count| u64::from(count)).sum(),
        }
    }
}
