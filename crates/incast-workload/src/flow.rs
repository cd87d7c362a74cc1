//! A flow, and streams of flows in order of start.

use incast_units::{Bytes, HostId, Time};

use crate::error::{Fault, Place, WorkloadError};
use crate::network::Network;

/// One transfer: so many bytes from one host to another, from this moment on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    /// When the source has the first byte to send.
    pub start: Time,
    /// The sending host.
    pub source: HostId,
    /// The receiving host, never the source.
    pub destination: HostId,
    /// Payload, at least one byte.
    pub size: Bytes,
    /// Which `[[traffic]]` entry of the scenario it comes from, counted from 0.
    pub tag: u16,
}

/// Flows in order of start, made as they are asked for; it ends after an error.
pub type FlowStream = Box<dyn Iterator<Item = Result<Flow, WorkloadError>> + Send>;

/// The last moment at which a flow may start: 2^62 ps, about 53 days. What happens after a start
/// still has to fit into 64 bits of picoseconds.
pub const LATEST_START: Time = Time::from_ps(1 << 62);

/// The largest flow: 2^63 - 1 bytes, which signed counters of other tools can hold.
pub const LARGEST_FLOW: Bytes = Bytes::new(i64::MAX as u64);

/// A stream from flows made elsewhere, for instance by a Python generator.
///
/// Each flow is checked as it passes: hosts exist and differ, the size is positive, and starts
/// never go back. The first offence ends the stream with an error that counts flows from 0.
/// Every flow gets `tag`.
///
/// A maker that can fail passes its own error on as [`WorkloadError::outside`].
pub fn checked<I>(flows: I, network: &Network, tag: u16) -> FlowStream
where
    I: IntoIterator<Item = Result<Flow, WorkloadError>>,
    I::IntoIter: Send + 'static,
{
    Box::new(Checked {
        flows: flows.into_iter(),
        hosts: network.hosts(),
        tag,
        passed: 0,
        latest: Time::ZERO,
        ended: false,
    })
}

struct Checked<I> {
    flows: I,
    hosts: u32,
    tag: u16,
    passed: u64,
    latest: Time,
    ended: bool,
}

impl<I> Checked<I> {
    fn check(&mut self, flow: Flow) -> Result<Flow, WorkloadError> {
        let wrong = |field, fault| {
            let flow = self.passed;
            Err(WorkloadError::new(Place::Flow { flow, field }, fault))
        };
        if let Err((field, fault)) = check_flow(&flow, self.hosts) {
            return wrong(field, fault);
        }
        if flow.start < self.latest {
            return wrong("start", Fault::back_in_time(flow.start, self.latest));
        }
        self.latest = flow.start;
        self.passed += 1;
        Ok(Flow {
            tag: self.tag,
            ..flow
        })
    }
}

impl<I: Iterator<Item = Result<Flow, WorkloadError>>> Iterator for Checked<I> {
    type Item = Result<Flow, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let checked = self.flows.next()?.and_then(|flow| self.check(flow));
        self.ended = checked.is_err();
        Some(checked)
    }
}

/// What every flow must satisfy on a network of so many hosts; else the field and what is wrong.
pub(crate) fn check_flow(flow: &Flow, hosts: u32) -> Result<(), (&'static str, Fault)> {
    for (field, host) in [("source", flow.source), ("destination", flow.destination)] {
        if host.0 >= hosts {
            return Err((field, Fault::UnknownHost { host, hosts }));
        }
    }
    if flow.source == flow.destination {
        let host = flow.source;
        return Err(("destination", Fault::ToItself { host }));
    }
    check_size(flow.size).map_err(|fault| ("size", fault))?;
    check_start(flow.start).map_err(|fault| ("start", fault))
}

/// At least one byte, at most [`LARGEST_FLOW`].
pub(crate) fn check_size(size: Bytes) -> Result<(), Fault> {
    if size == Bytes::ZERO {
        return Err(Fault::EmptyFlow);
    }
    if size > LARGEST_FLOW {
        let size = size.as_u64().to_string();
        return Err(Fault::FlowTooLarge { size });
    }
    Ok(())
}

/// At most [`LATEST_START`].
pub(crate) fn check_start(start: Time) -> Result<(), Fault> {
    if start > LATEST_START {
        let start = start.to_string();
        return Err(Fault::TooLate { start });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use incast_units::Rate;

    use super::*;

    fn network() -> Network {
        Network::uniform(4, Rate::from_gbps(100))
    }

    fn flow(start_us: u64, source: u32, destination: u32, size: u64) -> Flow {
        Flow {
            start: Time::from_us(start_us),
            source: HostId(source),
            destination: HostId(destination),
            size: Bytes::new(size),
            tag: 0,
        }
    }

    /// What a checked stream of these flows yields, errors as text.
    fn pass(flows: Vec<Flow>) -> Vec<Result<Flow, String>> {
        checked(flows.into_iter().map(Ok), &network(), 7)
            .map(|flow| flow.map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn good_flows_pass_and_get_the_tag() {
        let flows = vec![flow(1, 0, 1, 1), flow(1, 3, 2, 1), flow(2, 0, 1, 9)];
        let tagged = flows.iter().map(|flow| Ok(Flow { tag: 7, ..*flow }));
        assert_eq!(pass(flows.clone()), tagged.collect::<Vec<_>>());
    }

    #[test]
    fn the_first_bad_flow_ends_the_stream() {
        for (bad, message) in [
            (
                flow(1, 4, 0, 1),
                "flow 1: source: host 4 does not exist; the network has hosts 0–3",
            ),
            (
                flow(1, 0, 9, 1),
                "flow 1: destination: host 9 does not exist; the network has hosts 0–3",
            ),
            (
                flow(1, 2, 2, 1),
                "flow 1: destination: host 2 would send to itself; give another host",
            ),
            (
                flow(1, 0, 1, 0),
                "flow 1: size: a flow of 0 bytes never ends; give at least 1 byte",
            ),
            (
                flow(0, 0, 1, 1),
                "flow 1: start: 0s is before 1us, where the flow before it starts; \
                 give flows in order of start",
            ),
        ] {
            let first = flow(1, 0, 1, 1);
            let yielded = pass(vec![first, bad, first]);
            assert_eq!(yielded.len(), 2);
            assert_eq!(yielded[1], Err(message.to_owned()));
        }
    }
}
