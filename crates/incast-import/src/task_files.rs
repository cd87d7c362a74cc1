//! Reading of the task files that a scenario's traffic names.

use std::fs::{DirEntry, File};
use std::io::BufReader;
use std::path::Path;

use incast_diagnostic::Diagnostic;
use incast_workload::{FileTasks, TaskFile, TaskFormat, trace_of_rank};

use crate::chakra::{Traces, rank_too_many};
use crate::diagnostics;
use crate::goal::{HostNics, binary, text};
use crate::htsim::matrix::MatrixOptions;
use crate::htsim::triggers;
use crate::text::TextLines;
use crate::{msccl, simai, simccl};

/// Opens the file at the first path; messages call it by the second.
type Open = dyn Fn(&Path, &Path) -> Result<File, Diagnostic>;

/// Reads the tasks of a file in this folder, for this number of ranks.
pub(crate) fn read(
    folder: &Path,
    file: &TaskFile<'_>,
    ranks: u32,
    open: &Open,
) -> Result<FileTasks, Diagnostic> {
    check_options(file)?;
    let nics = HostNics {
        count: file.host_nics,
        check: file.nics.unwrap_or_default(),
    };
    let opened = || open(&folder.join(file.file), file.file).map(BufReader::new);
    match file.format {
        TaskFormat::Goal => text::read(TextLines::new(opened()?, file.file), ranks, nics),
        TaskFormat::GoalBinary => {
            let read = binary::read(opened()?, ranks, nics);
            read.map_err(|wrong| wrong.in_file(file.file.display()))
        }
        TaskFormat::Chakra => chakra(folder, file, ranks, open),
        TaskFormat::Simai => simai::read(
            TextLines::new(opened()?, file.file),
            ranks,
            file.collectives(),
            file.count.unwrap_or_default(),
        ),
        TaskFormat::Simccl => simccl::read(TextLines::new(opened()?, file.file), ranks),
        TaskFormat::Htsim => {
            let options = MatrixOptions::given(file.start_unit, file.count, file.priorities)?;
            triggers::read(TextLines::new(opened()?, file.file), options, ranks)
        }
        TaskFormat::Msccl => {
            let read = msccl::read(opened()?, file.data, ranks);
            read.map_err(|wrong| wrong.in_file(file.file.display()))
        }
    }
}

/// Reads the files of all ranks; a file of any other rank is an error.
fn chakra(
    folder: &Path,
    file: &TaskFile<'_>,
    ranks: u32,
    open: &Open,
) -> Result<FileTasks, Diagnostic> {
    let mut traces = Traces::new(ranks, file.roofline);
    if let Some(groups) = file.groups {
        let opened = open(&folder.join(groups), groups);
        let opened = opened.map_err(|wrong| wrong.naming(groups.display()))?;
        let read = traces.read_groups(BufReader::new(opened));
        read.map_err(|wrong| wrong.in_file(groups.display()))?;
    }
    for rank in 0..ranks {
        let name = trace_of_rank(file.file, rank);
        let opened = open(&folder.join(&name), &name);
        let opened = opened.map_err(|wrong| wrong.naming(name.display()))?;
        let read = traces.read(rank, BufReader::new(opened));
        read.map_err(|wrong| wrong.in_file(name.display()))?;
    }
    if let Some(rank) = rank_beyond(&folder.join(file.file), ranks) {
        let beyond = trace_of_rank(file.file, rank);
        return Err(rank_too_many(rank, ranks).in_file(beyond.display()));
    }
    let tasks = traces.tasks(file.collectives());
    tasks.map_err(|wrong| wrong.in_file(file.file.display()))
}

/// The first number that has a file but is not a rank.
fn rank_beyond(file: &Path, ranks: u32) -> Option<u32> {
    let name = file.file_name()?.to_str()?;
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let rank = |entry: std::io::Result<DirEntry>| {
        let found = entry.ok()?.file_name();
        let number = found.to_str()?.strip_prefix(name)?.strip_prefix('.')?;
        let rank = number.strip_suffix(".et")?.parse().ok()?;
        (rank >= ranks && found == *trace_of_rank(Path::new(name), rank)).then_some(rank)
    };
    entries.filter_map(rank).min()
}

/// Refuses options that the format does not use.
fn check_options(file: &TaskFile<'_>) -> Result<(), Diagnostic> {
    let has_collectives = matches!(file.format, TaskFormat::Chakra | TaskFormat::Simai);
    let is_goal = matches!(file.format, TaskFormat::Goal | TaskFormat::GoalBinary);
    let is_matrix = file.format == TaskFormat::Htsim;
    let is_workload = file.format == TaskFormat::Simai;
    let is_algorithm = file.format == TaskFormat::Msccl;
    let is_trace = file.format == TaskFormat::Chakra;
    for (key, is_given, is_used) in [
        ("nics", file.nics.is_some(), is_goal),
        ("algorithm", file.algorithm.is_some(), has_collectives),
        ("start_unit", file.start_unit.is_some(), is_matrix),
        ("count", file.count.is_some(), is_matrix || is_workload),
        ("priorities", file.priorities.is_some(), is_matrix),
        ("groups", file.groups.is_some(), is_trace),
        ("roofline", file.roofline.is_some(), is_trace),
        ("data", file.data.is_some(), is_algorithm),
    ] {
        if is_given && !is_used {
            return Err(diagnostics::option_unused(file.format.name()).at(key));
        }
    }
    Ok(())
}
