//! Many streams of flows as one.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use incast_diagnostic::Diagnostic;

use crate::flow::{Flow, FlowStream};

/// All flows of `streams` in order of start.
///
/// Flows that start together are in the order of their streams; flows of one stream keep their
/// order. An error is returned when it occurs, and ends the merged stream.
pub fn merge(mut streams: Vec<FlowStream>) -> FlowStream {
    if streams.len() == 1 {
        return streams.remove(0);
    }
    Box::new(Merge {
        heads: BinaryHeap::with_capacity(streams.len()),
        unread: (0..streams.len()).rev().collect(),
        streams,
    })
}

struct Merge {
    streams: Vec<FlowStream>,
    /// The next flow of each stream that has one.
    heads: BinaryHeap<Reverse<Head>>,
    /// Streams whose next flow is not in `heads`; the last of the list is read first.
    unread: Vec<usize>,
}

/// The next flow of a stream. Order: by start, then by number of the stream.
struct Head {
    flow: Flow,
    stream: usize,
}

impl Merge {
    fn end(&mut self) {
        self.heads.clear();
        self.unread.clear();
    }
}

impl Iterator for Merge {
    type Item = Result<Flow, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(stream) = self.unread.pop() {
            match self.streams[stream].next() {
                Some(Ok(flow)) => self.heads.push(Reverse(Head { flow, stream })),
                Some(Err(error)) => {
                    self.end();
                    return Some(Err(error));
                }
                None => {}
            }
        }
        let Reverse(Head { flow, stream }) = self.heads.pop()?;
        self.unread.push(stream);
        Some(Ok(flow))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |head: &Self| (head.flow.start, head.stream);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

#[cfg(test)]
mod tests {
    use incast_units::{Bytes, HostId, Time};

    use super::*;
    use crate::diagnostics;

    /// A flow that its size identifies.
    fn flow(start_ns: u64, size: u64) -> Flow {
        Flow {
            start: Time::from_ns(start_ns),
            source: HostId(0),
            destination: HostId(1),
            size: Bytes::new(size),
            tag: 0,
        }
    }

    fn stream(flows: &[(u64, u64)]) -> FlowStream {
        let flows: Vec<_> = flows
            .iter()
            .map(|(at, size)| Ok(flow(*at, *size)))
            .collect();
        Box::new(flows.into_iter())
    }

    fn sizes(merged: FlowStream) -> Vec<u64> {
        merged.map(|flow| flow.unwrap().size.as_u64()).collect()
    }

    #[test]
    fn flows_come_in_order_of_start() {
        let merged = merge(vec![
            stream(&[(1, 10), (4, 40), (5, 50)]),
            stream(&[]),
            stream(&[(2, 20), (3, 30), (6, 60)]),
        ]);
        assert_eq!(sizes(merged), [10, 20, 30, 40, 50, 60]);
    }

    /// At 5 ns: first all flows of stream 0, in its order, then those of stream 1, although the
    /// first flow is of stream 1.
    #[test]
    fn ties_go_to_the_first_stream_and_keep_its_order() {
        let merged = merge(vec![
            stream(&[(5, 1), (5, 2), (6, 5)]),
            stream(&[(0, 0), (5, 3), (5, 4)]),
        ]);
        assert_eq!(sizes(merged), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn nothing_is_read_ahead_of_need() {
        let endless = (0..).map(|at| Ok(flow(at, at + 1)));
        let merged = merge(vec![Box::new(endless), stream(&[(2, 99)])]);
        assert_eq!(sizes(Box::new(merged.take(5))), [1, 2, 3, 99, 4]);
    }

    #[test]
    fn an_error_ends_the_whole() {
        let failing = [Ok(flow(1, 1)), Err(diagnostics::empty_flow().at("load"))];
        let merged = merge(vec![
            Box::new(failing.into_iter()),
            stream(&[(1, 7), (9, 9)]),
        ]);
        let yielded: Vec<_> = merged.collect();
        assert_eq!(yielded.len(), 2);
        assert_eq!(yielded[0].as_ref().unwrap().size, Bytes::new(1));
        assert!(yielded[1].is_err());
    }
}
