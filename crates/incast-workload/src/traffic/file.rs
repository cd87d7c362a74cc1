//! The flows of a file.
//!
//! A file is read twice: once through when the entry is checked, so that a bad line stops a run
//! before it begins, and once more as the run goes on. Both take constant memory, if the file lists
//! its flows in order of start, as the HPCC artifact's do. Else they are sorted in memory, stably,
//! if there are at most [`MOST_SORTED`]; a longer file is refused.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::Listed;
use super::{Context, Traffic};
use crate::error::{Fault, WorkloadError};
use crate::flow::{Flow, FlowStream};
use crate::lines::Lines;
use crate::reader::{
    Clock, Csv, FlowReader, Hpcc, HpccOptions, Htsim, HtsimOptions, Strictness, TimeUnit,
};
use incast_random::TrafficStreams;

/// A million flows take 32 MB.
const MOST_SORTED: u64 = 1_000_000;

/// The flows of a file, in any order.
///
/// ```toml
/// [[traffic]]
/// kind = "file"
/// file = "flow.txt"
/// format = "hpcc-ns3"
/// base = "2s"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSpec {
    /// The file, seen from the scenario's folder.
    pub file: PathBuf,
    /// What wrote it.
    pub format: FlowFormat,
    /// What to subtract from every start; the HPCC artifact's flows begin at 2 s. Default: 0.
    #[serde(default)]
    pub base: Time,
    /// `htsim` only, and needed there: what `start` counts, which the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_unit: Option<StartUnit>,
    /// `hpcc-ns3` only: read starts as ns-3 does, as binary fractions cut to nanoseconds, which
    /// makes every second one or so start a nanosecond early. Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns3_clock: Option<bool>,
    /// `hpcc-ns3` and `htsim`: whether the number of flows at the top must be right. Default:
    /// `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Strictness>,
    /// `hpcc-ns3` and `htsim`: whether all flows must have one priority, since they are treated
    /// alike here. Default: `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priorities: Option<Strictness>,
}

/// The formats of flow files.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowFormat {
    /// Flow files of the HPCC ns-3 artifact.
    HpccNs3,
    /// Connection matrices of htsim.
    Htsim,
    /// Comma-separated values with the columns `source`, `destination`, `size_bytes` and one of
    /// `start_ps`, `start_ns`, `start_us`, `start_ms` and `start_s`.
    Csv,
}

/// What the starts of a connection matrix count.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartUnit {
    /// Picoseconds.
    Ps,
    /// Microseconds.
    Us,
}

impl FlowFormat {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::HpccNs3 => "hpcc-ns3",
            Self::Htsim => "htsim",
            Self::Csv => "csv",
        }
    }
}

impl FileSpec {
    /// This file, all settings at their defaults.
    pub fn new(path: impl Into<PathBuf>, format: FlowFormat) -> Self {
        Self {
            file: path.into(),
            format,
            base: Time::ZERO,
            start_unit: None,
            ns3_clock: None,
            count: None,
            priorities: None,
        }
    }

    pub(super) fn check(&self, context: Context<'_>) -> Result<Box<dyn Traffic>, WorkloadError> {
        let source = Source {
            directory: context.directory.to_owned(),
            path: self.file.clone(),
            options: self.options()?,
            base: self.base,
            hosts: context.network.hosts(),
        };
        let (flows, unsorted) = source.scan()?;
        if flows == 0 {
            return Err(WorkloadError::in_file(&self.file, Fault::NoFlows));
        }
        match unsorted {
            Some(error) if flows > MOST_SORTED => Err(error),
            unsorted => Ok(Box::new(FileFlows {
                source,
                flows,
                sorted: unsorted.is_none(),
            })),
        }
    }

    fn options(&self) -> Result<Options, WorkloadError> {
        let htsim = self.format == FlowFormat::Htsim;
        let hpcc = self.format == FlowFormat::HpccNs3;
        for (key, given, used) in [
            ("start_unit", self.start_unit.is_some(), htsim),
            ("ns3_clock", self.ns3_clock.is_some(), hpcc),
            ("count", self.count.is_some(), htsim || hpcc),
            ("priorities", self.priorities.is_some(), htsim || hpcc),
        ] {
            if given && !used {
                let format = self.format.name();
                return Err(WorkloadError::at_key(key, Fault::OptionUnused { format }));
            }
        }
        let count = self.count.unwrap_or_default();
        let priorities = self.priorities.unwrap_or_default();
        Ok(match self.format {
            FlowFormat::Csv => Options::Csv,
            FlowFormat::HpccNs3 => Options::Hpcc(HpccOptions {
                count,
                priorities,
                clock: match self.ns3_clock {
                    Some(true) => Clock::Ns3,
                    _ => Clock::Exact,
                },
            }),
            FlowFormat::Htsim => Options::Htsim(HtsimOptions {
                start_unit: self.htsim_unit()?,
                count,
                priorities,
            }),
        })
    }

    fn htsim_unit(&self) -> Result<TimeUnit, WorkloadError> {
        match self.start_unit {
            Some(StartUnit::Ps) => Ok(TimeUnit::Picosecond),
            Some(StartUnit::Us) => Ok(TimeUnit::Microsecond),
            None => Err(WorkloadError::at_key("start_unit", Fault::StartUnitMissing)),
        }
    }
}

/// A flow file and how to read it.
#[derive(Clone, Debug)]
struct Source {
    directory: PathBuf,
    path: PathBuf,
    options: Options,
    base: Time,
    hosts: u32,
}

#[derive(Copy, Clone, Debug)]
enum Options {
    Hpcc(HpccOptions),
    Htsim(HtsimOptions),
    Csv,
}

impl Source {
    fn open(&self) -> Result<Flows, WorkloadError> {
        let unreadable = |error| WorkloadError::in_file(&self.path, Fault::Unreadable(error));
        let file = File::open(self.directory.join(&self.path)).map_err(unreadable)?;
        self.read(BufReader::new(file))
    }

    fn read(&self, file: impl BufRead + Send + 'static) -> Result<Flows, WorkloadError> {
        let lines = Lines::new(file, Path::new(&self.path));
        let reader: Box<dyn FlowReader> = match self.options {
            Options::Hpcc(options) => Box::new(Hpcc::new(lines, options, self.hosts)?),
            Options::Htsim(options) => Box::new(Htsim::new(lines, options, self.hosts)),
            Options::Csv => Box::new(Csv::new(lines, self.hosts)?),
        };
        Ok(Flows {
            reader,
            base: self.base,
        })
    }

    /// Reads the file once: how many flows it lists, and the first one out of order.
    fn scan(&self) -> Result<(u64, Option<WorkloadError>), WorkloadError> {
        let mut flows = self.open()?;
        let (mut count, mut latest, mut unsorted) = (0, Time::ZERO, None);
        while let Some(flow) = flows.next_flow()? {
            if flow.start < latest && unsorted.is_none() {
                unsorted = Some(flows.unsorted());
            }
            latest = latest.max(flow.start);
            count += 1;
        }
        Ok((count, unsorted))
    }
}

/// The flows of an open file, after the base.
struct Flows {
    reader: Box<dyn FlowReader>,
    base: Time,
}

impl Flows {
    fn next_flow(&mut self) -> Result<Option<Flow>, WorkloadError> {
        let Some(flow) = self.reader.next_flow()? else {
            return Ok(None);
        };
        let (start, base) = (flow.start, self.base);
        if start < base {
            return Err(self
                .reader
                .error_here("start", Fault::BeforeBase { start, base }));
        }
        let start = start - base;
        Ok(Some(Flow { start, ..flow }))
    }

    fn unsorted(&self) -> WorkloadError {
        let limit = MOST_SORTED;
        self.reader.error_here("start", Fault::Unsorted { limit })
    }
}

#[derive(Debug)]
struct FileFlows {
    source: Source,
    flows: u64,
    sorted: bool,
}

impl Traffic for FileFlows {
    fn flows(&self, streams: TrafficStreams) -> Result<FlowStream, WorkloadError> {
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
    flows: Flows,
    /// The start of the flow before; none after the end or an error.
    latest: Option<Time>,
    tag: u16,
}

impl Streamed {
    fn read(&mut self, latest: Time) -> Result<Option<Flow>, WorkloadError> {
        match self.flows.next_flow()? {
            Some(flow) if flow.start < latest => Err(self.flows.unsorted()),
            read => Ok(read),
        }
    }
}

impl Iterator for Streamed {
    type Item = Result<Flow, WorkloadError>;

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
