//! Counts of a sender's packets and feedback per entropy, around the selector that chooses
//! entropies.

use std::collections::BTreeMap;

use super::{LeavingPacket, PathFeedback, PathReport, PathSelector, entropy_of};
use crate::measure::EntropyCounters;

/// A selector whose choices and feedback are counted.
#[derive(Clone)]
pub(crate) struct CountedPaths {
    selector: Box<dyn PathSelector>,
    /// The first entropy of the flow.
    first: u16,
    /// Counts of the entropies in use, by number.
    counts: BTreeMap<u16, EntropyCounters>,
}

impl CountedPaths {
    pub(crate) fn new(selector: Box<dyn PathSelector>, first: u16) -> Self {
        Self {
            selector,
            first,
            counts: BTreeMap::new(),
        }
    }

    fn of(&mut self, entropy: u16) -> &mut EntropyCounters {
        let number = entropy.wrapping_sub(self.first);
        self.counts.entry(number).or_default()
    }
}

impl PathSelector for CountedPaths {
    fn next(&mut self, packet: &LeavingPacket) -> u16 {
        let entropy = self.selector.next(packet);
        self.of(entropy).sent += 1;
        entropy
    }

    fn on_feedback(&mut self, report: &PathReport) {
        let counts = self.of(report.entropy);
        let count = match report.feedback {
            PathFeedback::Good => &mut counts.unmarked,
            PathFeedback::Marked => &mut counts.marked,
            PathFeedback::Trimmed => &mut counts.trimmed,
            PathFeedback::Lost => &mut counts.lost,
            PathFeedback::TimedOut => &mut counts.timed_out,
        };
        *count += 1;
        self.selector.on_feedback(report);
    }

    fn counts(&self) -> Vec<(u16, EntropyCounters)> {
        let numbered = self.counts.iter();
        numbered
            .map(|(number, counts)| (entropy_of(self.first, *number), *counts))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{FlowId, Time};

    use super::super::{FlowEntropy, RoundRobinPaths};
    use super::*;
    use crate::routing::Balance;

    /// Three entropies from 65,535 on: 65,535, 0, 1. Five packets in turn. The second one, with
    /// entropy 0, is marked, the third one trimmed, and the fourth one not reported yet.
    #[test]
    fn packets_and_reports_are_counted_by_entropy() {
        let flow = FlowEntropy {
            flow: FlowId(0),
            first: u16::MAX,
            seed: 1,
        };
        let balance = Balance::RoundRobin(RoundRobinPaths { entropies: 3 });
        let mut plain = balance.selector(&flow).expect("several paths");
        let mut paths = CountedPaths::new(plain.clone(), u16::MAX);
        for new_packets in 0..5 {
            let packet = LeavingPacket {
                new_packets,
                window: 10,
                now: Time::ZERO,
            };
            assert_eq!(paths.next(&packet), plain.next(&packet));
        }
        for (entropy, feedback) in [
            (u16::MAX, PathFeedback::Good),
            (0, PathFeedback::Marked),
            (1, PathFeedback::Trimmed),
            (0, PathFeedback::Lost),
            (0, PathFeedback::TimedOut),
        ] {
            paths.on_feedback(&PathReport {
                entropy,
                feedback,
                now: Time::ZERO,
                expected: 0,
                stamp: Time::ZERO,
            });
        }
        let counts = |sent, unmarked, marked, trimmed, lost, timed_out| EntropyCounters {
            sent,
            unmarked,
            marked,
            trimmed,
            lost,
            timed_out,
        };
        let expected = [
            (u16::MAX, counts(2, 1, 0, 0, 0, 0)),
            (0, counts(2, 0, 1, 0, 1, 1)),
            (1, counts(1, 0, 0, 1, 0, 0)),
        ];
        assert_eq!(paths.counts(), expected);
        assert_eq!(plain.counts(), []);
    }
}
