//! How far a run is.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::node::FabricNode;
use crate::packet::Cycle;

/// Between two reports.
const EVERY: Duration = Duration::from_millis(50);

/// How far a run is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FabricProgress {
    /// Cycles simulated.
    pub cycle: Cycle,
    /// Operations that are complete.
    pub operations: u64,
    /// Flits times links crossed.
    pub flit_hops: u64,
}

/// Tells a callback now and then.
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

    /// Tells how far the run is, if it is time to; says whether it goes on.
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
