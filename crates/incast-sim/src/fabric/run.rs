//! The run of a memory fabric, from a valid scenario to results.

use std::ops::ControlFlow;
use std::time::Instant;

use incast_engine::{NodeOrder, Threads, thread_cpu_time};
use incast_fabric::{FabricProgress, FabricViolation};
use thiserror::Error;

use super::results::FabricResults;
use super::spec::ValidFabricSpec;
use super::summary::FabricEffort;

/// Why a run had to stop.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} (identity {identity}): {violation}")]
pub struct FabricRunError {
    /// The run's name.
    pub name: String,
    /// The identity of the run.
    pub identity: String,
    /// The violation.
    pub violation: FabricViolation,
}

impl ValidFabricSpec {
    /// Runs the scenario on at most these threads, as many as make it faster. Results do not depend
    /// on the number of threads.
    ///
    /// # Errors
    /// If the run deadlocks, or an invariant of the model does not hold.
    pub fn run(&self, threads: Threads) -> Result<FabricResults, FabricRunError> {
        self.run_watched(threads, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`run`](Self::run). `watch` is called with the progress several times a second, and may
    /// stop the run: results then have the operations completed so far.
    ///
    /// # Errors
    /// If the run deadlocks, or an invariant of the model does not hold.
    pub fn run_watched(
        &self,
        threads: Threads,
        watch: &mut dyn FnMut(&FabricProgress) -> ControlFlow<()>,
    ) -> Result<FabricResults, FabricRunError> {
        let (wall, cpu) = (Instant::now(), thread_cpu_time().unwrap_or_default());
        let simulation = self.simulation();
        let outcome = simulation.run_watched(threads, NodeOrder::Ascending, watch);
        let outcome = outcome.map_err(|violation| FabricRunError {
            name: self.name().to_owned(),
            identity: self.identity().to_string(),
            violation,
        })?;
        let cpu = thread_cpu_time().unwrap_or_default() - cpu + outcome.helpers.1;
        let effort = FabricEffort {
            flit_hops: outcome.flit_hops,
            wall: wall.elapsed(),
            cpu,
        };
        Ok(FabricResults::new(self, &outcome, effort))
    }
}
