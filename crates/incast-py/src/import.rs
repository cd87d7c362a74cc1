//! Experiments of other simulators, as scenarios.

use std::path::PathBuf;

use incast_diagnostic::Diagnostic;
use incast_import::{HtsimImport, Import, UecImport};
use pyo3::prelude::*;

use crate::errors::import_error;
use crate::interruptible::interruptible;

/// A scenario, and of each setting: its line in the imported file, if it has one; name; value; and
/// what became of it.
type Imported = (String, Vec<(Option<u64>, String, String, String)>);

/// A scenario from a configuration of the HPCC ns-3 artifact.
#[pyfunction]
#[pyo3(signature = (config, topology=None, flows=None))]
pub(crate) fn import_hpcc_ns3(
    py: Python<'_>,
    config: PathBuf,
    topology: Option<PathBuf>,
    flows: Option<PathBuf>,
) -> PyResult<Imported> {
    let import = interruptible(py, move || {
        incast_import::import_hpcc_ns3(&config, topology.as_deref(), flows.as_deref())
    })?;
    converted(py, import)
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
        incast_import::import_htsim(&HtsimImport {
            matrix: &matrix,
            topology: topology.as_deref(),
            start_unit: start_unit.as_deref(),
            algorithm: &algorithm,
        })
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

fn converted(py: Python<'_>, import: Result<Import, Diagnostic>) -> PyResult<Imported> {
    let import = import.map_err(|error| import_error(py, &error))?;
    let settings = import.report.into_iter();
    let settings = settings.map(|each| (each.line, each.key, each.value, each.outcome.to_string()));
    Ok((import.toml, settings.collect()))
}
