//! Whole fabrics: zero-load latencies in closed form, agreement with the cycle-by-cycle oracle,
//! determinism, deadlocks, throughput.

mod agreement;
mod deadlock;
mod oracle;
mod throughput;
mod zero_load;

use incast_fabric::{
    ControlScheme, FabricConfig, FabricShape, FabricSimulation, Group, Script, Work, WorkKind,
};

/// A fabric with all endpoints in one group. The first `initiators` endpoints each do this work
/// from cycle 0 on.
fn all_in_one_group(
    shape: FabricShape,
    control: ControlScheme,
    initiators: u16,
    kind: WorkKind,
    count: u32,
) -> FabricSimulation {
    let mut run = FabricSimulation::new(FabricConfig::new(shape), control);
    run.groups = vec![Group::all(&shape).unwrap()];
    run.scripts = vec![Script::once(0, Work::new(kind, 0, count)); initiators.into()];
    run
}
