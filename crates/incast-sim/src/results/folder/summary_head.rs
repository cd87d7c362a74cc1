//! What the summaries of all versions, of networks and of fabrics, say of their runs: enough to
//! know what may be replaced. Their figures are read in `summary_file.rs`, by their types.

use std::fmt;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::SUMMARY;

/// The head of a summary.
pub(super) struct SummaryHead(Value);

impl SummaryHead {
    /// The head of a results folder's summary; none if it has no summary of ours.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let file = folder.join(SUMMARY);
        // Opening a pipe may wait forever.
        let is_file = file.metadata().is_ok_and(|facts| facts.is_file());
        let text = is_file.then(|| fs::read_to_string(file).ok()).flatten()?;
        let head = Self(serde_json::from_str(&text).ok()?);
        let says = |key: &str| head.0.get(key).is_some();
        (says("incast") && says("fingerprint")).then_some(head)
    }

    /// The run, if it is known.
    pub(super) fn identity(&self) -> Option<&str> {
        self.0["identity"].as_str()
    }

    /// Whether the run was interrupted; none if the summary says something else. Those of versions
    /// that could not be interrupted say nothing.
    pub(super) fn is_partial(&self) -> Option<bool> {
        self.0.get("partial").map_or(Some(false), Value::as_bool)
    }

    /// How far the run got: its simulated time, and the links that its packets or flits crossed.
    pub(super) fn reached(&self) -> [u64; 2] {
        [["simulated_ps", "cycles"], ["packet_hops", "flit_hops"]].map(|keys| {
            let mut found = keys.iter().filter_map(|key| self.0[*key].as_u64());
            found.next().unwrap_or_default()
        })
    }
}

/// The run as messages name it.
impl fmt::Display for SummaryHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |key: &str| self.0[key].as_str().unwrap_or("unknown");
        let (name, algorithm, identity) = (text("name"), text("algorithm"), text("identity"));
        let seed = &self.0["seed"];
        write!(f, "`{name}`, {algorithm}, seed {seed}, identity {identity}")
    }
}
