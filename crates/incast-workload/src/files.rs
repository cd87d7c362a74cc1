//! What traffic asks of the files that a scenario names. Their formats are not known here.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;

use crate::flow::Flow;
use crate::sizes::Cdf;
use crate::traffic::FileSpec;

/// Opens the files that traffic names, as the scenario writes their names.
pub trait Files: fmt::Debug + Send + Sync {
    /// A reader of a flow file, for a network of `hosts` hosts.
    ///
    /// # Errors
    /// Options that the format does not have, and a file that cannot be read.
    fn flows(&self, file: &FileSpec, hosts: u32) -> Result<Box<dyn FlowReader>, Diagnostic>;

    /// The distribution in a table of flow sizes.
    ///
    /// # Errors
    /// What is wrong with the file, and in which line.
    fn sizes(&self, file: &Path) -> Result<Cdf, Diagnostic>;
}

/// One flow after another, as a file lists them.
pub trait FlowReader: Send {
    /// The next flow, with tag 0; none at the end of a file that is whole.
    ///
    /// # Errors
    /// What is wrong with the file, and in which line.
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic>;

    /// The diagnostic, placed in the line read last.
    fn here(&self, diagnostic: Diagnostic) -> Diagnostic;
}

/// For scenarios that name no file: all files are missing.
#[derive(Copy, Clone, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn flows(&self, file: &FileSpec, _hosts: u32) -> Result<Box<dyn FlowReader>, Diagnostic> {
        Err(missing(&file.file))
    }

    fn sizes(&self, file: &Path) -> Result<Cdf, Diagnostic> {
        Err(missing(file))
    }
}

/// [`NoFiles`], as [`Workload::new`](crate::Workload::new) takes it.
pub fn no_files() -> Arc<dyn Files> {
    Arc::new(NoFiles)
}

fn missing(file: &Path) -> Diagnostic {
    let not_found = std::io::ErrorKind::NotFound.into();
    Diagnostic::unreadable(&not_found).in_file(file.display())
}
