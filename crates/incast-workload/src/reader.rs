//! Readers of flow files: other tools' formats as they are, and CSV.
//!
//! A file is read line by line in constant memory; every mistake is placed as
//! `file:line: field`.

use std::io::BufRead;

use incast_units::{HostId, Time};

use crate::error::{Fault, WorkloadError};
use crate::flow::{Flow, check_start};
use crate::lines::{Field, Line, Lines};

mod csv;
mod decimal;
mod hpcc;
mod htsim;
mod ns3_clock;

pub(crate) use csv::Csv;
pub(crate) use decimal::TimeUnit;
pub(crate) use hpcc::{Clock, Hpcc, HpccOptions};
pub(crate) use htsim::{Htsim, HtsimOptions};

/// One flow after another, as the file lists them.
pub(crate) trait FlowReader: Send {
    /// The next flow, with tag 0; none at the end of a file that is whole.
    fn next_flow(&mut self) -> Result<Option<Flow>, WorkloadError>;

    /// This fault in the line read last.
    fn error_here(&self, field: &'static str, fault: Fault) -> WorkloadError;
}

/// What to do with something that a file says and we have no use for.
#[derive(
    Copy,
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// Refuse the file if it says something else than expected.
    #[default]
    Check,
    /// Read over it.
    Ignore,
}

/// Refuses a destination that is the source.
fn destination(field: Field<'_>, source: HostId, hosts: u32) -> Result<HostId, WorkloadError> {
    let host = field.host(hosts)?;
    match host == source {
        true => Err(field.error(Fault::ToItself { host })),
        false => Ok(host),
    }
}

/// The flows that a file promises at its top, and those that came.
struct Promise {
    stated: u64,
    /// The line that states it.
    line: u64,
    found: u64,
    strictness: Strictness,
}

impl Promise {
    /// One more flow, on this line.
    fn count(&mut self, line: Line<'_>) -> Result<(), WorkloadError> {
        let stated = self.stated;
        if self.strictness == Strictness::Check && self.found == stated {
            return Err(line.error("count", Fault::MoreThanStated { stated }));
        }
        self.found += 1;
        Ok(())
    }

    /// At the end of the file.
    fn check(&self, lines: &Lines<impl BufRead>) -> Result<(), WorkloadError> {
        let (stated, found) = (self.stated, self.found);
        if self.strictness == Strictness::Ignore || found == stated {
            return Ok(());
        }
        let digits = stated.to_string();
        let stray = found > 0 && digits.starts_with(&found.to_string());
        let fault = match stray {
            true => Fault::StrayDigits { stated, found },
            false => Fault::Count { stated, found },
        };
        Err(lines.error_at(self.line, "count", fault))
    }
}

/// Priorities that we do not model, so that they must not differ.
struct Priorities {
    first: Option<u64>,
    strictness: Strictness,
}

impl Priorities {
    fn new(strictness: Strictness) -> Self {
        let first = None;
        Self { first, strictness }
    }

    /// None if this priority is as good as those before.
    fn fault(&mut self, found: u64) -> Option<Fault> {
        let first = *self.first.get_or_insert(found);
        let differs = found != first && self.strictness == Strictness::Check;
        differs.then_some(Fault::Priority { found, first })
    }
}

impl Field<'_> {
    /// A moment, exact to the picosecond; smaller parts are rounded, half up.
    fn time(self, unit: TimeUnit) -> Result<Time, WorkloadError> {
        let time = decimal::exact(self.text, unit).map_err(|fault| self.error(fault))?;
        check_start(time).map_err(|fault| self.error(fault))?;
        Ok(time)
    }

    /// A moment in seconds as ns-3 reads it.
    fn ns3_time(self) -> Result<Time, WorkloadError> {
        self.time(TimeUnit::Second)?;
        let seconds = self.number(TimeUnit::Second.example())?;
        Ok(ns3_clock::from_seconds(seconds))
    }
}

#[cfg(test)]
mod tests;
