//! Progress of a run.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::node::FabricNode;
use crate::packet::Cycle;

/// Between two reports.
const EVERY: Duration = Duration::from_millis(50);

/// Progress of a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FabricProgress {
    /// Cycles simulated.
    pub cycle: Cycle,
    /// Operations completed so far.
    pub operations: u64,
    /// Flits, each counted once for every link that it crossed.
    pub flit_hops: u64,
}

/// Calls a callback with the progress from time to time.
pub(super) struct Reporter<'w> {
    watch: &'w mut dyn FnMut(&FabricProgress) -> ControlFlow<()>,
    told: Instant,
}

impl<'w> Reporter<'w> {
    pub(super) fn new(watch: &'w mut dyn FnMut(&FabricProgress) -> ControlFlow<()>) -> Self {
        Self {
            watch,
            told: Instant::now(),
        }
    }

    /// Calls the callback if it is due. Returns whether the run goes on.
    pub(super) fn tell<'n, I: Iterator<Item = &'n FabricNode>>(
        &mut self,
        cycle: Cycle,
        nodes: impl Fn() -> I,
    ) -> ControlFlow<()> {
        if self.told.elapsed() < EVERY {
            return ControlFlow::Continue(());
        }
        self.told = Instant::now();
        let endpoints = || nodes().flat_map(|node| &node.endpoints);
        let injected: u64 = endpoints().map(|endpoint| endpoint.port().flits()).sum();
        let switched: u64 = nodes().map(|node| node.switched_flits).sum();
        (self.watch)(&FabricProgress {
            cycle,
            operations: endpoints().map(|endpoint| endpoint.completed()).sum(),
            flit_hops: injected + switched,
        })
    }
}
