//! Results that are kept, and not replaced by others.

use std::path::Path;

use super::checksums::{check, sizes_match};
use super::summary_head::SummaryHead;
use super::{SCENARIO, SUMMARY};
use crate::file_error::StandingResults;

/// Which existing results are kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Spare {
    /// No results are kept: new ones replace them.
    Nothing,
    /// Better results than the new ones, and results of another run, are kept; interrupted runs are
    /// replaced by complete ones.
    Better,
}

impl Spare {
    /// Why the results in one folder must not be replaced by those in another; `None` if they may.
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

/// The results of another run than the one with this identity, if the folder has such results.
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

/// Whether results are undamaged, as far as that is visible without reading their tables.
fn is_intact(folder: &Path) -> bool {
    let mut texts = [SUMMARY, SCENARIO].iter();
    sizes_match(folder) && texts.all(|name| check(&folder.join(name)).is_ok())
}
