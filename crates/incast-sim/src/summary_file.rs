//! The figures of `summary.json`, read into their types. Whether results may be replaced is decided
//! by fewer keys, which all versions have: `results/folder/summary_head.rs`.

use std::path::Path;

use incast_diagnostic::{Diagnostic, Placed};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fabric::{FABRIC_KIND, FabricSummary};
use crate::results::Summary;

/// Checks the text of a summary, and writes it anew with every key of this version, in order.
///
/// # Errors
/// Text that is not a summary, or is one of another version: the missing or wrong key, with its
/// place.
pub fn checked_summary(file: &Path, text: &str) -> Result<String, Diagnostic> {
    let kind = serde_json::from_str::<Value>(text)
        .map_err(|error| wrong(&format!("is not JSON: {}", what(&error)), &error))
        .in_file(file.display())?;
    let checked = match kind.get("kind").and_then(Value::as_str) {
        Some(FABRIC_KIND) => {
            read::<FabricSummary>(text).map(|summary: FabricSummary| summary.to_json())
        }
        _ => read::<Summary>(text).map(|summary: Summary| summary.to_json()),
    };
    checked.in_file(file.display())
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Diagnostic> {
    serde_json::from_str(text).map_err(|error| {
        wrong(
            &format!("is no summary of results: {}", what(&error)),
            &error,
        )
    })
}

/// The message of an error without its place.
fn what(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    // Our type names would mean nothing to users.
    match message.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected an object"),
        None => message.to_owned(),
    }
}

fn wrong(what: &str, error: &serde_json::Error) -> Diagnostic {
    let hint = "it is damaged, or of another version: run the scenario again";
    let diagnostic = Diagnostic::new(what, hint);
    match error.line() {
        0 => diagnostic,
        line => diagnostic.on_line(line as u64),
    }
}

#[cfg(test)]
mod tests;
