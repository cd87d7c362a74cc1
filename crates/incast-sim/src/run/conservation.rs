//! Conservation check of a run: flows and payload that went in must have come out, and no link can
//! have carried more than it is able to.

use incast_net::{FlowRecord, Recording};

use super::error::ConservationViolation;
use super::traffic::Started;
use crate::results::{FlowTotals, LinkUse};
use crate::spec::ValidSpec;

/// Both sides of the account.
pub(super) struct ConservationCheck<'a> {
    pub(super) recording: &'a Recording,
    pub(super) finished: FlowTotals,
    pub(super) started: Started,
    /// Flows that waited for others, and never started.
    pub(super) still_waiting: u64,
    /// Whether the run ended before its flows, by its stop time or its observer.
    pub(super) cut_short: bool,
    /// A flow that was faster than ideal.
    pub(super) too_fast: Option<FlowRecord>,
}

impl ConservationCheck<'_> {
    /// The first thing that does not add up.
    pub(super) fn violation(&self) -> Option<ConservationViolation> {
        let Self {
            recording,
            finished,
            started,
            ..
        } = self;
        let all_done = recording.finished == recording.started || self.cut_short;
        let counts = (recording.started, recording.finished);
        let waiting = if self.cut_short {
            0
        } else {
            self.still_waiting
        };
        if counts != (started.flows, finished.flows) || !all_done || waiting > 0 {
            return Some(ConservationViolation::Flows {
                given: started.flows + waiting,
                started: recording.started,
                finished: recording.finished,
                recorded: finished.flows,
            });
        }
        // When all flows have completed, the two limits are one.
        if !(finished.payload..=started.payload).contains(&recording.delivered) {
            return Some(ConservationViolation::Payload {
                delivered: recording.delivered,
                finished: finished.payload,
                started: started.payload,
            });
        }
        self.too_fast.map(|flow| ConservationViolation::TooFast {
            flow: flow.id,
            finish: flow.finish,
        })
    }
}

/// The first port that has sent more than its link carries.
pub(super) fn over_capacity(spec: &ValidSpec, links: LinkUse<'_>) -> Option<ConservationViolation> {
    let clock = spec.network().model.clock;
    let mut ports = (0_u32..).zip(spec.ports().iter());
    let (number, _) =
        ports.find(|(number, port)| links.is_exceeded(*number as usize, port.rate, clock))?;
    let (node, port) = spec.ports().owner(number);
    Some(ConservationViolation::Capacity {
        node,
        port,
        sent: links.sent(number as usize),
    })
}

#[cfg(test)]
mod tests {
    use incast_units::{Bytes, FlowId, HostId, Time};

    use incast_net::FlowCounters;

    use super::*;

    /// Two flows of 1000 B were started; `finished` of them completed.
    fn recording(finished: u64, delivered: u64) -> Recording {
        Recording {
            started: 2,
            finished,
            delivered: Bytes::new(delivered),
            ..Recording::default()
        }
    }

    fn check(recording: &Recording, cut_short: bool) -> ConservationCheck<'_> {
        ConservationCheck {
            recording,
            finished: FlowTotals {
                flows: recording.finished,
                payload: Bytes::new(1000 * recording.finished),
                ..FlowTotals::default()
            },
            started: Started {
                flows: 2,
                payload: Bytes::new(2000),
                ..Started::default()
            },
            still_waiting: 0,
            cut_short,
            too_fast: None,
        }
    }

    #[test]
    fn nothing_is_wrong_with_a_balanced_run() {
        assert_eq!(check(&recording(2, 2000), false).violation(), None);
        for delivered in [1000, 1400, 2000] {
            assert_eq!(check(&recording(1, delivered), true).violation(), None);
        }
    }

    #[test]
    fn a_flow_that_got_lost_is_found() {
        let violation = ConservationViolation::Flows {
            given: 2,
            started: 2,
            finished: 1,
            recorded: 1,
        };
        assert_eq!(
            check(&recording(1, 1400), false).violation(),
            Some(violation)
        );
        let recording = recording(2, 2000);
        let mut check = check(&recording, false);
        check.finished.flows = 1;
        let violation = ConservationViolation::Flows {
            given: 2,
            started: 2,
            finished: 2,
            recorded: 1,
        };
        assert_eq!(check.violation(), Some(violation));
    }

    #[test]
    fn a_flow_that_waits_forever_is_found() {
        let recording = recording(2, 2000);
        let mut check = check(&recording, false);
        check.still_waiting = 3;
        let violation = ConservationViolation::Flows {
            given: 5,
            started: 2,
            finished: 2,
            recorded: 2,
        };
        assert_eq!(check.violation(), Some(violation));
        check.cut_short = true;
        assert_eq!(check.violation(), None);
    }

    #[test]
    fn payload_from_nowhere_is_found() {
        for (finished, delivered, cut_short) in [(2, 2001, false), (2, 1999, false), (1, 999, true)]
        {
            let violation = check(&recording(finished, delivered), cut_short).violation();
            assert!(
                matches!(violation, Some(ConservationViolation::Payload { .. })),
                "{delivered}"
            );
        }
    }

    #[test]
    fn a_flow_faster_than_light_is_found() {
        let recording = recording(2, 2000);
        let mut check = check(&recording, false);
        let flow = FlowRecord {
            id: FlowId(1),
            source: HostId(0),
            destination: HostId(1),
            size: Bytes::new(1000),
            tag: 0,
            source_port: 0,
            start: Time::ZERO,
            finish: Time::from_us(1),
            counters: FlowCounters::default(),
        };
        check.too_fast = Some(flow);
        let violation = ConservationViolation::TooFast {
            flow: FlowId(1),
            finish: Time::from_us(1),
        };
        assert_eq!(check.violation(), Some(violation));
    }
}
