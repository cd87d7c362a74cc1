//! Results that stay where they are, and are not replaced by others.

use std::path::Path;

use super::checksums::{check, sizes_match};
use super::summary_head::SummaryHead;
use super::{SCENARIO, SUMMARY};
use crate::file_error::StandingResults;

/// Results that stay where they are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Spare {
    /// No results are spared: they are replaced.
    Nothing,
    /// Results that say more than the new ones, and results of another run; interrupted runs give
    /// way to whole ones.
    Better,
}

impl Spare {
    /// Why the results in one folder stay, and are not replaced by those in another, if so.
    pub(super) fn standing(self, standing: &Path, new: &Path) -> Option<StandingResults> {
        let (old, new) = (SummaryHead::of(standing)?, SummaryHead::of(new)?);
        let gives_way = old.is_partial() == Some(true) && new.is_partial() != Some(true);
        if self == Self::Nothing || gives_way {
            return None;
        }
        if old.identity() != new.identity() {
            return Some(other(&old));
        }
        let why = match old.is_partial() {
            Some(false) => StandingResults::SameRun,
            Some(true) if old.reached() > new.reached() => StandingResults::Further,
            Some(true) | None => return None,
        };
        is_intact(standing).then_some(why)
    }
}

/// What a folder holds of another run than that of this identity, if it holds anything.
pub fn other_run(folder: &Path, identity: &str) -> Option<StandingResults> {
    let head = SummaryHead::of(folder)?;
    (head.identity() != Some(identity)).then(|| other(&head))
}

fn other(head: &SummaryHead) -> StandingResults {
    StandingResults::Other {
        run: head.to_string(),
        partial: head.is_partial(),
    }
}

/// Whether results are as they were written, as far as that is seen without reading their tables.
fn is_intact(folder: &Path) -> bool {
    let mut texts = [SUMMARY, SCENARIO].iter();
    sizes_match(folder) && texts.all(|name| check(&folder.join(name)).is_ok())
}
