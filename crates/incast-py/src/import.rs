//! Experiments of other simulators, as scenarios.

use std::path::{Path, PathBuf};

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_import::{HPCC_CONFIG, HpccImport, HtsimImport, Import, MscclImport, UecImport};
use incast_sim::{Source, Spec};
use incast_units::Bytes;
use incast_workload::{CdfUnit, FlowCount, Strictness};
use pyo3::prelude::*;

use crate::errors::import_error;
use crate::interruptible::interruptible;

/// A scenario; and of each imported setting: its line in the imported file (if any), name, value,
/// and how the scenario has it.
type Imported = (String, Vec<(Option<u64>, String, String, String)>);

/// A scenario from a configuration of the HPCC ns-3 artifact.
#[pyfunction]
#[pyo3(signature = (
    config, topology=None, flows=None, count=None, priorities=None, ignore=Vec::new()
))]
pub(crate) fn import_hpcc_ns3(
    py: Python<'_>,
    config: PathBuf,
    topology: Option<PathBuf>,
    flows: Option<PathBuf>,
    count: Option<String>,
    priorities: Option<String>,
    ignore: Vec<String>,
) -> PyResult<Imported> {
    let count =
        named("count", count.as_deref(), &COUNTS).map_err(|error| import_error(py, &error))?;
    let priorities = named("priorities", priorities.as_deref(), &STRICTNESSES)
        .map_err(|error| import_error(py, &error))?;
    let import = interruptible(py, move || {
        let import = incast_import::import_hpcc_ns3(&HpccImport {
            config: &config,
            topology: topology.as_deref(),
            flows: flows.as_deref(),
            count,
            priorities,
            ignore: &ignore,
        })?;
        check_that_it_runs(&import, &config)?;
        Ok(import)
    })?;
    converted(py, import)
}

const STRICTNESSES: [(&str, Strictness); 2] =
    [("check", Strictness::Check), ("ignore", Strictness::Ignore)];

const COUNTS: [(&str, FlowCount); 3] = [
    ("check", FlowCount::Check),
    ("ignore", FlowCount::Ignore),
    ("first", FlowCount::First),
];

/// The value with the given name among the `known` ones; `None` if no name is given.
fn named<T: Copy>(
    option: &str,
    given: Option<&str>,
    known: &[(&'static str, T)],
) -> Result<Option<T>, Diagnostic> {
    let Some(given) = given else { return Ok(None) };
    let found = known.iter().find(|(name, _)| *name == given);
    let names = known.iter().map(|(name, _)| *name);
    let value = found.map(|(_, value)| *value);
    value
        .map(Some)
        .ok_or_else(|| Diagnostic::unknown("value", given, names).at(option))
}

/// Checks that the imported scenario is valid; otherwise the import fails.
fn check_that_it_runs(import: &Import, file: &Path) -> Result<(), Diagnostic> {
    let source = Source {
        name: String::new(),
        text: import.toml.clone(),
        folder: file.parent().map(Path::to_owned).unwrap_or_default(),
    };
    let checked = Spec::parse(&source, &[]).and_then(Spec::validate);
    checked.map(drop).map_err(|wrong| {
        let what = format!(
            "the scenario could not run: {}: {}",
            wrong.place.key, wrong.what
        );
        Diagnostic::new(what, wrong.hint).in_file(file.display())
    })
}

/// A scenario from a connection matrix of htsim.
#[pyfunction]
pub(crate) fn import_htsim(
    py: Python<'_>,
    matrix: PathBuf,
    topology: Option<String>,
    start_unit: Option<String>,
    algorithm: String,
) -> PyResult<Imported> {
    let import = interruptible(py, move || {
        let import = incast_import::import_htsim(&HtsimImport {
            matrix: &matrix,
            topology: topology.as_deref(),
            start_unit: start_unit.as_deref(),
            algorithm: &algorithm,
        })?;
        check_that_it_runs(&import, &matrix)?;
        Ok(import)
    })?;
    converted(py, import)
}

/// A scenario from a command line of htsim_uec, and its matrix.
#[pyfunction]
pub(crate) fn import_htsim_uec(
    py: Python<'_>,
    options: String,
    ignored: Vec<String>,
) -> PyResult<(Imported, PathBuf)> {
    let import = interruptible(py, move || {
        incast_import::import_htsim_uec(&UecImport {
            options: &options,
            ignored: &ignored,
        })
    })?;
    let (import, matrix) = match import {
        Ok((import, matrix)) => (Ok(import), matrix),
        Err(wrong) => (Err(wrong), PathBuf::new()),
    };
    Ok((converted(py, import)?, matrix))
}

/// A scenario from an algorithm of MSCCL.
#[pyfunction]
pub(crate) fn import_msccl(
    py: Python<'_>,
    file: PathBuf,
    data: Option<String>,
    algorithm: String,
) -> PyResult<Imported> {
    let import = interruptible(py, move || {
        let import = incast_import::import_msccl(&MscclImport {
            file: &file,
            data: data.as_deref(),
            algorithm: &algorithm,
        })?;
        check_that_it_runs(&import, &file)?;
        Ok(import)
    })?;
    converted(py, import)
}

/// A table of sizes as lines of `bytes percent`; its mean; and the unit and the number of columns
/// of the file.
#[pyfunction]
pub(crate) fn import_sizes(
    py: Python<'_>,
    file: PathBuf,
    unit: Option<String>,
    size_unit: Option<String>,
) -> PyResult<(String, f64, &'static str, usize)> {
    let read = move || {
        let unit = named("unit", unit.as_deref(), &UNITS)?;
        let size_unit = size_unit.map(|text| text.parse::<Bytes>().at("size_unit"));
        incast_import::import_sizes(&file, unit, size_unit.transpose()?)
    };
    let import = interruptible(py, read)?.map_err(|error| import_error(py, &error))?;
    let unit = UNITS.iter().find(|(_, unit)| *unit == import.unit);
    let unit = unit.map_or("", |(name, _)| name);
    Ok((import.text, import.mean, unit, import.columns))
}

const UNITS: [(&str, CdfUnit); 2] = [
    ("percent", CdfUnit::Percent),
    ("fraction", CdfUnit::Fraction),
];

/// A format: its name, what its files hold, and how to use them.
type FormatNames = (&'static str, &'static str, &'static str);

/// The format of a file, whether the file can be read, and its content or the reason why not.
#[pyfunction]
pub(crate) fn recognise(
    py: Python<'_>,
    file: PathBuf,
) -> PyResult<Option<(FormatNames, bool, String)>> {
    let found = interruptible(py, move || {
        let found = incast_import::recognise(&file)?;
        Ok(found.map(|found| {
            let format = found.format;
            let contents = match (format.name, found.contents) {
                (HPCC_CONFIG, Ok(told)) => incast_import::import_hpcc_ns3(&HpccImport::of(&file))
                    .and_then(|import| check_that_it_runs(&import, &file))
                    .map(|()| told),
                (_, contents) => contents,
            };
            let names = (format.name, format.what, format.usage);
            match contents {
                Ok(told) => (names, true, told),
                Err(wrong) => (names, false, wrong.to_string()),
            }
        }))
    })?;
    found.map_err(|error| import_error(py, &error))
}

/// The formats that are recognised.
#[pyfunction]
pub(crate) fn import_formats() -> Vec<FormatNames> {
    let formats = incast_import::FORMATS.iter();
    formats
        .map(|each| (each.name, each.what, each.usage))
        .collect()
}

fn converted(py: Python<'_>, import: Result<Import, Diagnostic>) -> PyResult<Imported> {
    let import = import.map_err(|error| import_error(py, &error))?;
    let settings = import.report.into_iter();
    let settings = settings.map(|each| (each.line, each.key, each.value, each.outcome.to_string()));
    Ok((import.toml, settings.collect()))
}
