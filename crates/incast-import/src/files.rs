//! Opening of the files that a scenario's traffic names.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_workload::{
    Cdf, FileSpec, FileTasks, Files, FlowCount, FlowFormat, FlowReader, HostNames, SizeFile,
    Strictness, TaskFile,
};

use crate::csv::Csv;
use crate::diagnostics;
use crate::hpcc_ns3::flows::{FlowFileReader, FlowOptions, StartClock};
use crate::htsim::matrix::{MatrixOptions, MatrixReader};
use crate::parquet_flows::{ENCRYPTED, MAGIC, ParquetFlows};
use crate::size_table::{self, LastLine, TableOptions};
use crate::task_files;
use crate::text::TextLines;

/// The files of a scenario; relative paths begin at its folder.
#[derive(Clone, Debug)]
pub struct ScenarioFiles {
    folder: PathBuf,
}

impl ScenarioFiles {
    /// Files relative to `folder`, in the type that
    /// [`Workload::new`](incast_workload::Workload::new) takes.
    pub fn of(folder: impl Into<PathBuf>) -> Arc<dyn Files> {
        let folder = folder.into();
        Arc::new(Self { folder })
    }

    fn open(&self, file: &Path) -> Result<TextLines<BufReader<File>>, Diagnostic> {
        open(&self.folder.join(file), file)
    }
}

/// The lines of a file. Messages about its lines call it `name`. If the file cannot be opened, the
/// caller adds the name.
pub(crate) fn open(path: &Path, name: &Path) -> Result<TextLines<BufReader<File>>, Diagnostic> {
    let file = open_regular(path, name)?;
    Ok(TextLines::new(BufReader::new(file), name))
}

/// Opens a regular file. A pipe or a device is refused: it may never end, and opening it may block.
pub(crate) fn open_regular(path: &Path, name: &Path) -> Result<File, Diagnostic> {
    if name.as_os_str().is_empty() {
        return Err(Diagnostic::new(
            "the name of the file is empty",
            "write the path of a file",
        ));
    }
    let unreadable = |error| Diagnostic::unreadable(&error);
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(diagnostics::no_regular_file());
    }
    File::open(path).map_err(unreadable)
}

/// Refuses a Parquet file under another format, and another file under the format `parquet`.
fn check_begin(opened: &mut File, file: &FileSpec) -> Result<(), Diagnostic> {
    let begin = begin(opened).map_err(|error| Diagnostic::unreadable(&error))?;
    let name = file.file.display();
    match (file.format == FlowFormat::Parquet, begin == MAGIC) {
        (_, false) if begin == ENCRYPTED => Err(diagnostics::encrypted_parquet().in_file(name)),
        (true, false) if begin.is_empty() => Err(diagnostics::empty_file("`PAR1`").in_file(name)),
        (true, false) => Err(diagnostics::no_parquet(&name.to_string()).at("format")),
        (false, true) => Err(diagnostics::is_parquet(&name.to_string()).at("format")),
        (true, true) | (false, false) => Ok(()),
    }
}

fn begin(file: &mut File) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    file.rewind()?;
    Ok(begin)
}

impl Files for ScenarioFiles {
    fn flows(&self, file: &FileSpec, hosts: &HostNames) -> Result<Box<dyn FlowReader>, Diagnostic> {
        let reader = FileReader::of(file)?;
        let mut opened = open_regular(&self.folder.join(&file.file), &file.file)?;
        check_begin(&mut opened, file)?;
        reader.read(opened, &file.file, hosts)
    }

    fn sizes(&self, file: &SizeFile) -> Result<Cdf, Diagnostic> {
        let options = TableOptions {
            unit: file.unit,
            size_unit: file.size_unit,
        };
        let table = size_table::read(self.open(&file.file)?, options, LastLine::IsChecked);
        table.map(|table| table.cdf)
    }

    fn tasks(&self, file: &TaskFile<'_>, ranks: u32) -> Result<FileTasks, Diagnostic> {
        task_files::read(&self.folder, file, ranks, &open_regular)
    }
}

/// A format with its options.
enum FileReader {
    HpccNs3(FlowOptions),
    Htsim(MatrixOptions),
    Csv,
    Parquet,
}

impl FileReader {
    /// The format of a file with its options; an error if a required option is missing.
    fn of(file: &FileSpec) -> Result<Self, Diagnostic> {
        check_options(file)?;
        Ok(match file.format {
            FlowFormat::Csv => Self::Csv,
            FlowFormat::Parquet => Self::Parquet,
            FlowFormat::HpccNs3 => Self::HpccNs3(FlowOptions {
                count: file.count.unwrap_or_default(),
                priorities: file.priorities.unwrap_or_default(),
                clock: match file.ns3_clock {
                    Some(true) => StartClock::Ns3,
                    _ => StartClock::Exact,
                },
            }),
            FlowFormat::Htsim => Self::Htsim(MatrixOptions::given(
                file.start_unit,
                count_of_matrix(file.count)?,
                file.priorities,
            )?),
        })
    }

    fn read(
        self,
        file: File,
        name: &Path,
        hosts: &HostNames,
    ) -> Result<Box<dyn FlowReader>, Diagnostic> {
        let lines = |file| TextLines::new(BufReader::new(file), name);
        Ok(match self {
            Self::HpccNs3(options) => {
                Box::new(FlowFileReader::new(lines(file), options, hosts.clone())?)
            }
            Self::Htsim(options) => {
                Box::new(MatrixReader::new(lines(file), options, hosts.hosts()))
            }
            Self::Csv => Box::new(Csv::new(lines(file), hosts.clone())?),
            Self::Parquet => Box::new(ParquetFlows::new(file, name, hosts.clone())?),
        })
    }
}

/// The check of the count, without `first`: htsim reads all flows of a matrix.
fn count_of_matrix(count: Option<FlowCount>) -> Result<Option<Strictness>, Diagnostic> {
    match count {
        None => Ok(None),
        Some(FlowCount::Check) => Ok(Some(Strictness::Check)),
        Some(FlowCount::Ignore) => Ok(Some(Strictness::Ignore)),
        Some(FlowCount::First) => Err(diagnostics::first_of_matrix().at("count")),
    }
}

/// Refuses options that the format does not use.
fn check_options(file: &FileSpec) -> Result<(), Diagnostic> {
    let htsim = file.format == FlowFormat::Htsim;
    let hpcc = file.format == FlowFormat::HpccNs3;
    for (key, is_given, is_used) in [
        ("start_unit", file.start_unit.is_some(), htsim),
        ("ns3_clock", file.ns3_clock.is_some(), hpcc),
        ("count", file.count.is_some(), htsim || hpcc),
        ("priorities", file.priorities.is_some(), htsim || hpcc),
    ] {
        if is_given && !is_used {
            return Err(diagnostics::option_unused(file.format.name()).at(key));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
