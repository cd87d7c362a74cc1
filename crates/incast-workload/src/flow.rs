//! A flow, and streams of flows in order of start.

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{Bytes, HostId, Time};

use crate::diagnostics;
use crate::host_names::check_host;
use crate::network::Network;

/// A transfer of `size` bytes from one host to another, from `start` on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    /// The time at which the source has the first byte to send.
    pub start: Time,
    /// The sending host.
    pub source: HostId,
    /// The receiving host, never the source.
    pub destination: HostId,
    /// Payload, at least one byte.
    pub size: Bytes,
    /// The `[[traffic]]` entry of the scenario, counted from 0.
    pub tag: u16,
}

/// Flows in order of start, made on demand; the stream ends after an error.
pub type FlowStream = Box<dyn Iterator<Item = Result<Flow, Diagnostic>> + Send>;

/// The latest start of a flow: 2^62 ps, about 53 days. Later times of the flow still have to fit
/// into 64 bits of picoseconds.
pub const MAX_START: Time = Time::from_ps(1 << 62);

/// The largest flow: 2^63 - 1 bytes, the largest signed number of 64 bits, which other tools can
/// read.
pub const MAX_FLOW: Bytes = Bytes::new(i64::MAX as u64);

/// A stream from flows of another source, for instance a Python generator.
///
/// Each flow is checked as it passes: its hosts exist and differ, its size is positive, and it
/// starts no earlier than the flow before. The first violation ends the stream with an error that
/// has the flow's index, from 0. Every flow gets `tag`.
///
/// The source may end the stream with a diagnostic of its own.
pub fn checked<I>(flows: I, network: &Network, tag: u16) -> FlowStream
where
    I: IntoIterator<Item = Result<Flow, Diagnostic>>,
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
    fn check(&mut self, flow: Flow) -> Result<Flow, Diagnostic> {
        let place = || format!("flows[{}]", self.passed);
        check_flow(&flow, self.hosts).map_err(|wrong| wrong.at(place()))?;
        if flow.start < self.latest {
            let wrong = diagnostics::back_in_time(flow.start, self.latest);
            return Err(wrong.at("start").at(place()));
        }
        self.latest = flow.start;
        self.passed += 1;
        Ok(Flow {
            tag: self.tag,
            ..flow
        })
    }
}

impl<I: Iterator<Item = Result<Flow, Diagnostic>>> Iterator for Checked<I> {
    type Item = Result<Flow, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let checked = self.flows.next()?.and_then(|flow| self.check(flow));
        self.ended = checked.is_err();
        Some(checked)
    }
}

/// Checks a flow on a network of `hosts` hosts: its hosts, its size and its start.
pub(crate) fn check_flow(flow: &Flow, hosts: u32) -> Result<(), Diagnostic> {
    check_host(flow.source, hosts).at("source")?;
    check_host(flow.destination, hosts).at("destination")?;
    check_destination(flow.source, flow.destination).at("destination")?;
    check_size(flow.size).at("size")?;
    check_start(flow.start).at("start")
}

/// Checks that a flow's destination is not its source.
///
/// # Errors
/// If both are the same.
pub fn check_destination(source: HostId, destination: HostId) -> Result<(), Diagnostic> {
    match source == destination {
        true => Err(diagnostics::to_itself(destination)),
        false => Ok(()),
    }
}

/// Checks that a flow has at least one byte, and at most [`MAX_FLOW`].
///
/// # Errors
/// If the size is outside of this range.
pub fn check_size(size: Bytes) -> Result<(), Diagnostic> {
    if size == Bytes::ZERO {
        return Err(diagnostics::empty_flow());
    }
    if size > MAX_FLOW {
        return Err(diagnostics::flow_too_large(&size.as_u64().to_string()));
    }
    Ok(())
}

/// Checks that a flow starts at [`MAX_START`] or before.
///
/// # Errors
/// If the flow starts later.
pub fn check_start(start: Time) -> Result<(), Diagnostic> {
    if start > MAX_START {
        return Err(diagnostics::too_late(&start.to_string()));
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

    /// The output of a checked stream of these flows, with errors as text.
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
                "flows[1].source: host 4 does not exist; the network has hosts 0–3",
            ),
            (
                flow(1, 0, 9, 1),
                "flows[1].destination: host 9 does not exist; the network has hosts 0–3",
            ),
            (
                flow(1, 2, 2, 1),
                "flows[1].destination: host 2 would send to itself; give another host",
            ),
            (
                flow(1, 0, 1, 0),
                "flows[1].size: a flow of 0 bytes never ends; give at least 1 byte",
            ),
            (
                flow(0, 0, 1, 1),
                "flows[1].start: 0s is before 1us, where the flow before it starts; \
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
