//! The fingerprint of a run: equal fingerprints mean equal results.

use std::fmt;
use std::hash::Hasher as _;

use incast_net::{FaultRecord, FlowRecord, PortCounters, TrimCounters};
use incast_units::Time;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use twox_hash::XxHash3_64;

use super::faults::FaultRow;
use crate::identity::hexadecimal;

/// A hash of every completed flow, every port's counters, the number of packet-hops, and the
/// effects of link faults, if any. Prints as 16 hexadecimal digits.
///
/// Only integers are hashed, in little-endian bytes, so that the fingerprint is equal on every
/// platform. It does not depend on the run's wall-clock time, nor on the order in which flows are
/// reported.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        hexadecimal(deserializer).map(Self)
    }
}

/// A hash over completed flows. It is a sum of the flows' hashes, which does not depend on their
/// order, so that flows need not be kept or sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowsHash {
    sum: u64,
    flows: u64,
}

impl FlowsHash {
    pub(crate) fn add(&mut self, flow: &FlowRecord) {
        let facts = [
            flow.id.0.into(),
            flow.source.0.into(),
            flow.destination.0.into(),
            flow.size.as_u64(),
            flow.tag.into(),
            flow.source_port.into(),
            flow.start.as_ps(),
            flow.finish.as_ps(),
        ];
        // Other counters tell why packets were retransmitted, and follow from the same events.
        let sent_again = u64::from(flow.counters.retransmitted);
        let hash = hash(facts.into_iter().chain([sent_again]));
        self.sum = self.sum.wrapping_add(hash);
        self.flows += 1;
    }

    /// `trims` has the trimmed packets of each port, if ports trim. `faults` has the effects of
    /// link faults, and the faults that have begun, if there are any.
    pub(crate) fn finish(
        &self,
        (ports, trims): (&[PortCounters], &[TrimCounters]),
        packet_hops: u64,
        faults: Option<(&FaultRecord, &[FaultRow])>,
    ) -> Fingerprint {
        let totals = [self.flows, self.sum, packet_hops, ports.len() as u64];
        let ports = ports.iter().flat_map(PortCounters::numbers);
        let trims = trims.iter().flat_map(TrimCounters::numbers);
        let of_ports = |(record, _): (&FaultRecord, &[FaultRow])| {
            let ports = record.ports.iter();
            let numbers = ports.map(|(port, losses)| (u64::from(*port), losses.numbers()));
            numbers
                .flat_map(|(port, losses)| [port].into_iter().chain(losses))
                .collect::<Vec<_>>()
        };
        let of_faults = |(_, begun): (&FaultRecord, &[FaultRow])| {
            let each = begun.iter().map(FaultRow::outcome);
            each.flat_map(|fault| {
                let recovered = fault.recovered.unwrap_or(Time::MAX).as_ps();
                [fault.data, fault.control, fault.flows, recovered]
            })
            .collect::<Vec<_>>()
        };
        let lost = faults.into_iter().flat_map(of_ports);
        let done = faults.into_iter().flat_map(of_faults);
        Fingerprint(hash(
            totals
                .into_iter()
                .chain(ports)
                .chain(trims)
                .chain(lost)
                .chain(done),
        ))
    }
}

/// XXH3 of the numbers' little-endian bytes.
fn hash(numbers: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = XxHash3_64::new();
    for number in numbers {
        hasher.write(&number.to_le_bytes());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use incast_net::FlowCounters;
    use incast_units::{Bytes, FlowId, HostId, Time};

    use super::*;

    fn flow(id: u32, finish_ps: u64) -> FlowRecord {
        FlowRecord {
            id: FlowId(id),
            source: HostId(0),
            destination: HostId(16),
            size: Bytes::new(1000),
            tag: 0,
            source_port: 10_000,
            start: Time::ZERO,
            finish: Time::from_ps(finish_ps),
            counters: FlowCounters::default(),
        }
    }

    fn fingerprint(flows: &[FlowRecord], ports: &[PortCounters], packet_hops: u64) -> Fingerprint {
        let mut hash = FlowsHash::default();
        flows.iter().for_each(|flow| hash.add(flow));
        hash.finish((ports, &[]), packet_hops, None)
    }

    #[test]
    fn the_order_of_flows_does_not_matter() {
        let [a, b] = [flow(0, 4_174_000), flow(1, 4_014_000)];
        assert_eq!(fingerprint(&[a, b], &[], 8), fingerprint(&[b, a], &[], 8));
    }

    #[test]
    fn everything_else_does() {
        let port = PortCounters {
            data_packets: 1,
            ..PortCounters::default()
        };
        let (a, b) = (flow(0, 4_174_000), flow(1, 4_014_000));
        let base = fingerprint(&[a, b], &[port], 8);
        let late = flow(1, 4_014_001);
        let exchanged = [flow(0, 4_014_000), flow(1, 4_174_000)];
        let marked = PortCounters { marked: 1, ..port };
        let others = [
            fingerprint(&[a], &[port], 8),
            fingerprint(&[a, b, b], &[port], 8),
            fingerprint(&[a, late], &[port], 8),
            fingerprint(&exchanged, &[port], 8),
            fingerprint(&[a, b], &[marked], 8),
            fingerprint(&[a, b], &[port, PortCounters::default()], 8),
            fingerprint(&[a, b], &[port], 9),
        ];
        assert!(others.iter().all(|other| *other != base));
    }

    /// A published fingerprint must stay the same, on every platform. (Checked with another
    /// implementation of XXH3.)
    #[test]
    fn it_is_the_same_everywhere() {
        let port = PortCounters {
            data_packets: 1,
            data_bytes: 1048,
            ..PortCounters::default()
        };
        let fingerprint = fingerprint(&[flow(0, 4_174_000)], &[port], 4);
        assert_eq!(fingerprint.to_string(), "d01690ffa3b76238");
    }
}
