//! The part of a summary that all versions have, of networks and of memory fabrics: enough to
//! decide whether results may be replaced. `summary_file.rs` reads the figures, by their types.

use std::fmt;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::SUMMARY;

/// The common part of a summary.
pub(super) struct SummaryHead(Value);

impl SummaryHead {
    /// The head of a results folder's summary; `None` without a valid summary.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let file = folder.join(SUMMARY);
        // Reading a pipe might block.
        let is_file = file.metadata().is_ok_and(|facts| facts.is_file());
        let text = is_file.then(|| fs::read_to_string(file).ok()).flatten()?;
        let head = Self(serde_json::from_str(&text).ok()?);
        let says = |key: &str| head.0.get(key).is_some();
        (says("incast") && says("fingerprint")).then_some(head)
    }

    /// The identity of the run, if known.
    pub(super) fn identity(&self) -> Option<&str> {
        self.0["identity"].as_str()
    }

    /// Whether the run was interrupted; `None` for another value. Versions that could not be
    /// interrupted have no such key.
    pub(super) fn is_partial(&self) -> Option<bool> {
        self.0.get("partial").map_or(Some(false), Value::as_bool)
    }

    /// How far the run got: its simulated time, and its packet-hops or flit-hops.
    pub(super) fn reached(&self) -> [u64; 2] {
        [["simulated_ps", "cycles"], ["packet_hops", "flit_hops"]].map(|keys| {
            let mut found = keys.iter().filter_map(|key| self.0[*key].as_u64());
            found.next().unwrap_or_default()
        })
    }
}

/// The run, in the form of messages.
impl fmt::Display for SummaryHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |key: &str| self.0[key].as_str().unwrap_or("unknown");
        let (name, algorithm, identity) = (text("name"), text("algorithm"), text("identity"));
        let seed = &self.0["seed"];
        write!(f, "`{name}`, {algorithm}, seed {seed}, identity {identity}")
    }
}
