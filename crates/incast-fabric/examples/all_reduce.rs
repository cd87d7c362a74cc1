//! All-reduce among 64 endpoints, by scheme and number of initiators: effective bandwidth and
//! latencies (Figs. 6.2, 6.3, 6.10 and 6.11 of the 3CPO dissertation).
//!
//! ```text
//! cargo run --release -p incast-fabric --example all_reduce [endpoints] [transactions]
//! ```

use incast_engine::thread_cpu_time;
use incast_fabric::{
    ControlScheme, FabricConfig, FabricShape, FabricSimulation, Group, Script, Work, WorkKind,
};

/// Table 6.1: number of initiators, tuned window in operations.
const WINDOWS: [(u16, u32); 7] = [
    (64, 3),
    (32, 5),
    (16, 12),
    (8, 24),
    (4, 48),
    (2, 128),
    (1, 128),
];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u32>());
    let endpoints = arguments.next().and_then(Result::ok).unwrap_or(64);
    let transactions = arguments.next().and_then(Result::ok).unwrap_or(128);
    let shape = FabricShape::fat_tree(endpoints).expect("a multiple of 8");
    println!("scheme      initiators  bandwidth    mean  median     p99     max   M flit-hops/s");
    for (initiators, window) in WINDOWS {
        let schemes = [
            ("baseline", ControlScheme::baseline()),
            ("static-64", ControlScheme::window(3)),
            ("tuned", ControlScheme::window(window)),
            ("aimd", ControlScheme::aimd()),
            ("3cpo", ControlScheme::three_cpo()),
            ("repaired", ControlScheme::three_cpo_repaired()),
        ];
        for (name, control) in schemes {
            let started = thread_cpu_time().unwrap_or_default();
            let mut run = FabricSimulation::new(FabricConfig::new(shape), control);
            run.groups = vec![Group::all(&shape).expect("a group")];
            let work = Work::new(WorkKind::Transaction, 0, transactions);
            run.scripts = vec![Script::once(0, work); initiators.into()];
            let outcome = run.run().expect("a run without violations");
            let ended = thread_cpu_time().unwrap_or_default();
            let seconds = (ended - started).as_secs_f64();
            let (totals, latency) = (&outcome.totals, &outcome.totals.latency);
            println!(
                "{name:10} {initiators:11} {:10.3} {:7.0} {:7} {:7} {:7} {:15.1}",
                totals.effective_bandwidth(shape.endpoints()),
                latency.mean,
                latency.median,
                latency.p99,
                latency.max,
                outcome.flit_hops as f64 / seconds / 1e6,
            );
        }
    }
}
