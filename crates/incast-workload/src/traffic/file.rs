//! The flows of a file, in any format: [`Files`] opens it.
//!
//! A file is read twice: in full when the entry is checked, so that a bad line stops a run before
//! it begins; and again as the run proceeds. Memory is constant if the file lists its flows in
//! order of start, as those of the HPCC artifact do. Otherwise the flows are sorted in memory,
//! stably, if there are at most [`MAX_SORTED`]; a longer file is refused.

use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_random::TrafficStreams;
use incast_units::Time;

use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use super::list::Listed;
use crate::diagnostics;
use crate::files::{FileSpec, Files, FlowReader};
use crate::flow::{Flow, FlowStream};
use crate::host_names::HostNames;
use crate::network::Network;

/// The most flows that are sorted; a million take 32 MB.
const MAX_SORTED: u64 = 1_000_000;

impl TrafficKind for FileSpec {}

impl FileSpec {
    pub(super) fn check(
        &self,
        context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
        let source = FlowFile {
            files: Arc::clone(context.files),
            spec: self.clone(),
            hosts: context.network.names().clone(),
        };
        let (flows, unsorted) = source.scan(context.network)?;
        if flows == 0 {
            return Err(diagnostics::no_flows().in_file(self.file.display()));
        }
        match unsorted {
            Some(wrong) if flows > MAX_SORTED => Err(wrong),
            unsorted => Ok(Box::new(FileFlows {
                source,
                flows,
                sorted: unsorted.is_none(),
            })),
        }
    }
}

/// A flow file, with all that is needed to open it.
#[derive(Clone, Debug)]
struct FlowFile {
    files: Arc<dyn Files>,
    spec: FileSpec,
    hosts: HostNames,
}

impl FlowFile {
    fn open(&self) -> Result<OpenFlows, Diagnostic> {
        let reader = self.files.flows(&self.spec, &self.hosts);
        Ok(OpenFlows {
            reader: reader.map_err(|wrong| wrong.naming(self.spec.file.display()))?,
            base: self.spec.base,
        })
    }

    /// Reads the file once. Returns the number of flows, and a diagnostic of the first flow that is
    /// out of order.
    fn scan(&self, network: &Network) -> Result<(u64, Option<Diagnostic>), Diagnostic> {
        let mut flows = self.open()?;
        let (mut count, mut latest, mut unsorted) = (0, Time::ZERO, None);
        while let Some(flow) = flows.next_flow()? {
            let carried = network.check_flow_size(flow.size);
            carried.map_err(|wrong| flows.reader.here(wrong.at("size")))?;
            if flow.start < latest && unsorted.is_none() {
                unsorted = Some(flows.unsorted());
            }
            latest = latest.max(flow.start);
            count += 1;
        }
        Ok((count, unsorted))
    }
}

/// The flows of an open file, with `base` subtracted from their starts.
struct OpenFlows {
    reader: Box<dyn FlowReader>,
    base: Time,
}

impl OpenFlows {
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic> {
        let Some(flow) = self.reader.next_flow()? else {
            return Ok(None);
        };
        let (start, base) = (flow.start, self.base);
        if start < base {
            return Err(self
                .reader
                .here(diagnostics::before_base(start, base).at("start")));
        }
        let start = start - base;
        Ok(Some(Flow { start, ..flow }))
    }

    fn unsorted(&self) -> Diagnostic {
        self.reader
            .here(diagnostics::unsorted(MAX_SORTED).at("start"))
    }
}

#[derive(Debug)]
struct FileFlows {
    source: FlowFile,
    flows: u64,
    sorted: bool,
}

impl CheckedTraffic for FileFlows {
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, Diagnostic> {
        let mut flows = self.source.open()?;
        if self.sorted {
            let (tag, latest) = (streams.tag, Some(Time::ZERO));
            return Ok(Box::new(Streamed { flows, latest, tag }));
        }
        let mut listed = Vec::new();
        while let Some(flow) = flows.next_flow()? {
            listed.push(flow);
        }
        listed.sort_by_key(|flow| flow.start);
        let flows = listed.into();
        Listed { flows }.flows(streams)
    }

    fn expected_flows(&self) -> f64 {
        self.flows as f64
    }
}

/// The flows of a file that was in order when it was checked.
struct Streamed {
    flows: OpenFlows,
    /// The start of the previous flow; `None` after the end or an error.
    latest: Option<Time>,
    tag: u16,
}

impl Streamed {
    fn read(&mut self, latest: Time) -> Result<Option<Flow>, Diagnostic> {
        match self.flows.next_flow()? {
            Some(flow) if flow.start < latest => {
                let wrong = diagnostics::no_longer_sorted().at("start");
                Err(self.flows.reader.here(wrong))
            }
            read => Ok(read),
        }
    }
}

impl Iterator for Streamed {
    type Item = Result<Flow, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let latest = self.latest.take()?;
        let read = self.read(latest).transpose()?;
        let tag = self.tag;
        if let Ok(flow) = &read {
            self.latest = Some(flow.start);
        }
        Some(read.map(|flow| Flow { tag, ..flow }))
    }
}

#[cfg(test)]
mod tests;
