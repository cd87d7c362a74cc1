//! Throughput: how much the fabric carries, and what limits it.

use incast_fabric::{
    ControlScheme, FabricConfig, FabricShape, FabricSimulation, Group, OperationKind,
    UniformUnicast, UplinkChoice, WorkKind,
};

use super::all_in_one_group;

/// Uniform random traffic, in which each endpoint writes to random others, fills the links to
/// endpoints to more than 95 % (G30). Counted are the writes that complete before any endpoint runs
/// out of work.
#[test]
fn uniform_random_traffic_fills_the_links() {
    let shape = FabricShape::fat_tree(64).unwrap();
    let mut config = FabricConfig::new(shape);
    config.uplink_choice = UplinkChoice::Rotate;
    let mut run = FabricSimulation::new(config, ControlScheme::none());
    let uniform = UniformUnicast {
        kind: OperationKind::Write,
        count: 4_000,
        initiators: 64,
        start: 0,
    };
    run.scripts = uniform.scripts(&shape, &Group::all(&shape).unwrap(), 1);
    let outcome = run.run().unwrap();
    let (from, to) = (10_000, 30_000);
    let completed = outcome
        .operations
        .iter()
        .filter(|o| (from..to).contains(&o.completed));
    // Each write brings 9 flits to one endpoint and an acknowledgement of 1 to another.
    let carried = completed.count() as f64 * 10.0 / (64.0 * (to - from) as f64);
    assert!(carried > 0.95, "{carried}");
}

/// 64 initiators with a window of 3: 9 of 10 flits in each direction carry data, so the bandwidth
/// is at most 2·9/10 = 1.8. Without control, reads fill the request channel and half of the
/// bandwidth is lost (G03, G04).
#[test]
fn control_decides_over_half_the_bandwidth() {
    let shape = FabricShape::fat_tree(64).unwrap();
    let bandwidth = |control| {
        let run = all_in_one_group(shape, control, 64, WorkKind::Transaction, 128);
        run.run().unwrap().totals.effective_bandwidth(64)
    };
    let window = bandwidth(ControlScheme::window(3));
    let none = bandwidth(ControlScheme::baseline());
    assert!((1.65..1.8).contains(&window), "{window}");
    assert!((0.9..1.15).contains(&none), "{none}");
}
