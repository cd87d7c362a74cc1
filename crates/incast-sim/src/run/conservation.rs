//! Conservation check of a run: all flows and payload that went in must have come out, and no link
//! may have carried more than its rate allows.

use incast_net::{AckClass, FlowControl, FlowRecord, PortCounters, Recording, TrimCounters};

use super::error::ConservationViolation;
use super::traffic::Started;
use crate::results::{FlowTotals, LinkUse};
use crate::spec::ValidSpec;

/// The two sides that must be equal, and the conditions of the run.
pub(super) struct ConservationCheck<'a> {
    pub(super) recording: &'a Recording,
    pub(super) finished: FlowTotals,
    pub(super) started: Started,
    /// Number of flows that waited for others, and never started.
    pub(super) still_waiting: u64,
    /// Whether the run ended before its flows, by the stop time or the observer.
    pub(super) cut_short: bool,
    /// A flow that was faster than ideal.
    pub(super) too_fast: Option<FlowRecord>,
}

impl ConservationCheck<'_> {
    /// The first violation.
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
        // When all flows have completed, both limits are equal.
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

/// Checks, if switches drop or trim, that all data that hosts sent have come to the receiver's
/// link, were dropped or trimmed, or are under way. With `is_whole`, none may be under way.
pub(super) fn data_balance(
    spec: &ValidSpec,
    recording: &Recording,
    is_whole: bool,
) -> Option<ConservationViolation> {
    let network = spec.network();
    let tells_data_apart = network.model.ack_class == AckClass::Control
        && network.programs.is_empty()
        && recording.faults.is_none();
    if !tells_data_apart || !matches!(network.flow_control, FlowControl::Drop(_)) {
        return None;
    }
    let ports = (0..)
        .zip(spec.ports().iter())
        .map(|(index, port)| DataAtPort {
            from_host: spec.topology().is_host(spec.ports().owner(index).0),
            to_host: spec.topology().is_host(port.peer),
            counters: recording.ports[index as usize],
            trims: recording.trims.get(index as usize).copied(),
        });
    let account = DataAccount::of(ports);
    (!account.balances(is_whole)).then_some(ConservationViolation::Data {
        sent: account.sent,
        received: account.received,
        dropped: account.dropped,
        trimmed: account.trimmed,
    })
}

/// Data at one port.
struct DataAtPort {
    from_host: bool,
    to_host: bool,
    counters: PortCounters,
    trims: Option<TrimCounters>,
}

/// Counts of data packets over all ports.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct DataAccount {
    sent: u64,
    received: u64,
    dropped: u64,
    trimmed: u64,
}

impl DataAccount {
    fn of(ports: impl Iterator<Item = DataAtPort>) -> Self {
        let mut account = Self::default();
        for port in ports {
            let trims = port.trims.unwrap_or_default();
            let packets = port.counters.data_packets;
            account.sent += if port.from_host { packets } else { 0 };
            account.received += if port.to_host { packets } else { 0 };
            // A header that is dropped was already counted as trimmed.
            account.dropped += port.counters.dropped - trims.headers_dropped;
            account.trimmed += trims.trimmed;
        }
        account
    }

    fn balances(self, is_whole: bool) -> bool {
        let accounted = self.received + self.dropped + self.trimmed;
        match is_whole {
            true => self.sent == accounted,
            false => self.sent >= accounted,
        }
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

    /// A recording of two flows of 1000 B, of which `finished` completed.
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

    /// Ten packets leave a host. Nine come to the switch: two are trimmed, one of whose headers is
    /// dropped; one is dropped; six leave to the receiver. One packet is under way.
    #[test]
    fn data_are_received_dropped_trimmed_or_under_way() {
        let counters = |data_packets, dropped| PortCounters {
            data_packets,
            dropped,
            ..PortCounters::default()
        };
        let trims = TrimCounters {
            trimmed: 2,
            trimmed_bytes: 2_000,
            headers_dropped: 1,
        };
        let ports = |sent| {
            let host = DataAtPort {
                from_host: true,
                to_host: false,
                counters: counters(sent, 0),
                trims: None,
            };
            let switch = DataAtPort {
                from_host: false,
                to_host: true,
                counters: counters(6, 2),
                trims: Some(trims),
            };
            DataAccount::of([host, switch].into_iter())
        };
        let account = ports(10);
        assert_eq!((account.received, account.dropped), (6, 1));
        assert!(!account.balances(true) && account.balances(false));
        assert!(ports(9).balances(true));
        assert!(!ports(8).balances(false));
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
