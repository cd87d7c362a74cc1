//! Checks of flow files beside their form: destinations, the promised count, priorities.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_units::HostId;
use incast_workload::{Strictness, check_destination};

use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};

/// Refuses a destination that is the source.
pub(crate) fn destination(
    field: Field<'_>,
    source: HostId,
    hosts: u32,
) -> Result<HostId, Diagnostic> {
    let host = field.host(hosts)?;
    check_destination(source, host).map_err(|wrong| field.wrong(wrong))?;
    Ok(host)
}

/// The flows that a file promises at its top, and those that came.
pub(crate) struct Promise {
    pub(crate) stated: u64,
    /// The line that states it.
    pub(crate) line: u64,
    pub(crate) found: u64,
    pub(crate) strictness: Strictness,
}

impl Promise {
    /// One more flow, on this line.
    pub(crate) fn count(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        let stated = self.stated;
        if self.strictness == Strictness::Check && self.found == stated {
            return Err(line.wrong(diagnostics::more_than_stated(stated).at("count")));
        }
        self.found += 1;
        Ok(())
    }

    /// At the end of the file.
    pub(crate) fn check(&self, lines: &TextLines<impl BufRead>) -> Result<(), Diagnostic> {
        let (stated, found) = (self.stated, self.found);
        if self.strictness == Strictness::Ignore || found == stated {
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

/// Priorities, which are not modelled, so that they must not differ.
pub(crate) struct Priorities {
    first: Option<u64>,
    pub(crate) strictness: Strictness,
}

impl Priorities {
    pub(crate) fn new(strictness: Strictness) -> Self {
        let first = None;
        Self { first, strictness }
    }

    /// A diagnostic if this priority differs from those before.
    pub(crate) fn differs(&mut self, found: u64) -> Option<Diagnostic> {
        let first = *self.first.get_or_insert(found);
        let differs = found != first && self.strictness == Strictness::Check;
        differs.then(|| diagnostics::priority(found, first))
    }
}

#[cfg(test)]
pub(crate) mod tests;
