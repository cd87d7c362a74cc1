//! What was sent again, why, and how long flows waited for timeouts.

use arrow_array::types::{UInt32Type, UInt64Type};
use incast_net::Recording;
use incast_units::Time;
use serde::{Deserialize, Serialize};

use super::table::Table;

/// Recovery from losses, over all flows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryFacts {
    /// Retransmission timeouts that expired.
    pub timeouts: u64,
    /// Flows that had any.
    pub flows_timed_out: u64,
    /// How long these timeouts were, together.
    pub timeout_wait_ps: u64,
    /// The part of the time of all flows that this is; 0 if there was no flow.
    pub timeout_wait_share: f64,
    /// Payload sent again.
    pub retransmitted_bytes: u64,
    /// The part of it that was sent again because of a timeout.
    pub timeout_retransmitted_bytes: u64,
    /// Data packets that their receivers had already: they were sent again in vain.
    pub duplicate_packets: u64,
}

impl RecoveryFacts {
    /// `completed`: flows that completed; `all`: these, and those that had not at `end`.
    pub(super) fn of(recording: &Recording, completed: &Table, all: &Table, end: Time) -> Self {
        let sum = |column| all.values::<UInt64Type>(column).sum::<u64>();
        // Nothing is sent again, and no flow waits, in most runs.
        let is_needless = |count| count == 0;
        let mut sent_again = all.values::<UInt32Type>("retransmitted_packets");
        let mut expired = all.values::<UInt32Type>("timeouts");
        if sent_again.all(is_needless) && expired.all(is_needless) {
            return Self::default();
        }
        let timeouts = || all.values::<UInt32Type>("timeouts").map(u64::from);
        let waited = sum("timeout_wait_ps");
        let done = completed.values::<UInt64Type>("fct_ps");
        let unfinished = recording.unfinished.iter();
        let open = unfinished.map(|each| end.saturating_sub(each.flow.start).as_ps());
        let alive: u128 = done.chain(open).map(u128::from).sum();
        Self {
            timeouts: timeouts().sum(),
            flows_timed_out: timeouts().filter(|count| *count > 0).count() as u64,
            timeout_wait_ps: waited,
            timeout_wait_share: match alive {
                0 => 0.0,
                _ => waited as f64 / alive as f64,
            },
            retransmitted_bytes: sum("retransmitted_bytes"),
            timeout_retransmitted_bytes: sum("timeout_retransmitted_bytes"),
            duplicate_packets: recording
                .duplicates
                .values()
                .map(|&count| u64::from(count))
                .sum(),
        }
    }
}
