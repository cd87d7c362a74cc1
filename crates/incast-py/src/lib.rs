//! The Python module `incast._core`: conversions between Python objects and `incast_sim`, nothing
//! else. What users see is in `python/incast`; `_core.pyi` there describes this module.

mod algorithm;
mod errors;
mod fabric;
mod import;
mod interruptible;
mod network;
mod registry;
mod results;
mod run;
mod scenario;
mod table;

use pyo3::pymodule;

/// mimalloc gives memory in pages of 2 MiB; the C library does so only if the environment asks for
/// it.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The engine behind the package `incast`.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::algorithm::{
        PyAck, PyCnp, PyFlow, PyHop, PyLoss, PySendLimit, PySent, PyWindow, in_algorithm, quantity,
    };
    #[pymodule_export]
    use crate::errors::printable;
    #[pymodule_export]
    use crate::fabric::{PyFabricResults, PyFabricScenario, is_fabric, three_cpo_watermarks};
    #[pymodule_export]
    use crate::import::{
        import_formats, import_hpcc_ns3, import_htsim, import_htsim_uec, import_msccl,
        import_sizes, recognise,
    };
    #[pymodule_export]
    use crate::network::PyNetwork;
    #[pymodule_export]
    use crate::registry::{
        algorithms, packet_kinds, parameter_sets, parts, profiles, suggestion, topologies,
        workloads,
    };
    #[pymodule_export]
    use crate::results::{
        PyResults, check_file, checked_summary, copy_results, may_be_replaced, other_run, recover,
        sizes_match,
    };
    #[pymodule_export]
    use crate::scenario::{PyScenario, schema};
    #[pymodule_export]
    use crate::table::{PyTable, read_table};

    /// The package's version, and the digest of the engine's sources.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__engine__", incast_sim::ENGINE)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
