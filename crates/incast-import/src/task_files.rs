//! The files of tasks that a scenario's traffic names.

use std::fs::File;
use std::io::BufReader;

use incast_diagnostic::Diagnostic;
use incast_workload::{FileTasks, TaskFile, TaskFormat};

use crate::goal::{binary, text};
use crate::text::TextLines;

/// The tasks of an open file, of this many ranks.
pub(crate) fn read(opened: File, file: &TaskFile<'_>, ranks: u32) -> Result<FileTasks, Diagnostic> {
    let nics = file.nics.unwrap_or_default();
    let opened = BufReader::new(opened);
    match file.format {
        TaskFormat::Goal => text::read(TextLines::new(opened, file.file), ranks, nics),
        TaskFormat::GoalBinary => {
            let read = binary::read(opened, ranks, nics);
            read.map_err(|wrong| wrong.in_file(file.file.display()))
        }
    }
}
