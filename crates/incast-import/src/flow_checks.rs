//! Checks of flow files beyond their syntax: destinations, the stated count, priorities.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_units::HostId;
use incast_workload::{FlowCount, Strictness, check_destination};

use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};

/// The host in `field`; an error if it is the source.
pub(crate) fn destination(
    field: Field<'_>,
    source: HostId,
    hosts: u32,
) -> Result<HostId, Diagnostic> {
    other_host(field, field.host(hosts)?, source)
}

/// Refuses a destination that is the source.
pub(crate) fn other_host(
    field: Field<'_>,
    host: HostId,
    source: HostId,
) -> Result<HostId, Diagnostic> {
    check_destination(source, host).map_err(|wrong| field.wrong(wrong))?;
    Ok(host)
}

/// The number of flows that a file states in its head, and the number found so far.
pub(crate) struct Promise {
    pub(crate) stated: u64,
    /// The line with the stated number.
    pub(crate) line: u64,
    pub(crate) found: u64,
    pub(crate) count: FlowCount,
    /// The hint for a file with more flows than stated.
    pub(crate) remedy: &'static str,
}

impl Promise {
    /// Whether the stated number of flows has been read, and the rest is not to be read.
    pub(crate) fn is_kept(&self) -> bool {
        self.count == FlowCount::First && self.found == self.stated
    }

    /// Counts one more flow, on this line.
    pub(crate) fn count(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        let stated = self.stated;
        if self.count == FlowCount::Check && self.found == stated {
            return Err(line.wrong(diagnostics::more_than_stated(stated, self.remedy).at("count")));
        }
        self.found += 1;
        Ok(())
    }

    /// Compares the numbers at the end of the file.
    pub(crate) fn check(&self, lines: &TextLines<impl BufRead>) -> Result<(), Diagnostic> {
        let (stated, found) = (self.stated, self.found);
        if self.count == FlowCount::Ignore || found == stated {
            return Ok(());
        }
        let digits = stated.to_string();
        let stray = found > 0 && digits.starts_with(&found.to_string());
        let wrong = match stray {
            true => diagnostics::stray_digits(stated, found),
            false => diagnostics::count(stated, found),
        };
        Err(lines.on_line(self.line, wrong.at("count")))
    }
}

/// Priorities of flows. They are not modelled, so they must all be equal.
pub(crate) struct Priorities {
    first: Option<u64>,
    pub(crate) strictness: Strictness,
}

impl Priorities {
    pub(crate) fn new(strictness: Strictness) -> Self {
        let first = None;
        Self { first, strictness }
    }

    /// A diagnostic if this priority differs from the first one.
    pub(crate) fn differs(&mut self, found: u64) -> Option<Diagnostic> {
        let first = *self.first.get_or_insert(found);
        let differs = found != first && self.strictness == Strictness::Check;
        differs.then(|| diagnostics::priority(found, first))
    }
}

#[cfg(test)]
pub(crate) mod tests;
