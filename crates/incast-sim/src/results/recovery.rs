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

#[cfg(test)]
mod tests {
    use incast_units::{FlowId, Time};

    use super::*;

    /// Packets that are sent again after NACKs, without a timeout, count as well. Three timeouts of
    /// 3 us are 0.15 of lifetimes of 60 us.
    #[test]
    fn facts_are_sums_over_flows() {
        let counters = |retransmitted, timeouts, timeout_bytes| FlowCounters {
            retransmitted,
            retransmitted_bytes: 1_048 * u64::from(retransmitted),
            timeouts,
            timeout_bytes,
            timeout_wait: Time::from_us(3) * u64::from(timeouts),
            ..FlowCounters::default()
        };
        let facts = |flows: &[FlowCounters]| {
            let mut sums = CounterSums::default();
            flows.iter().for_each(|flow| sums.add(flow));
            let recording = Recording {
                duplicates: [(FlowId(1), 2), (FlowId(4), 5)].into_iter().collect(),
                ..Recording::default()
            };
            RecoveryFacts::of(&recording, &sums, 60_000_000)
        };
        assert_eq!(facts(&[counters(0, 0, 0)]), RecoveryFacts::default());
        let by_nacks = RecoveryFacts {
            retransmitted_bytes: 3_144,
            duplicate_packets: 7,
            ..RecoveryFacts::default()
        };
        assert_eq!(facts(&[counters(3, 0, 0)]), by_nacks);
        let by_timeouts = RecoveryFacts {
            timeouts: 3,
            flows_timed_out: 2,
            timeout_wait_ps: 9_000_000,
            timeout_wait_share: 0.15,
            retransmitted_bytes: 5 * 1_048,
            timeout_retransmitted_bytes: 2_096 + 1_048,
            duplicate_packets: 7,
        };
        let flows = [
            counters(3, 2, 2_096),
            counters(0, 0, 0),
            counters(2, 1, 1_048),
        ];
        assert_eq!(facts(&flows), by_timeouts);
    }
}
