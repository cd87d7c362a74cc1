//! The evaluation of 3CPO (dissertation, §6.3), experiment by experiment.
//!
//! ```text
//! cargo run --release -p incast-fabric --example evaluation [experiment]
//! ```
//!
//! Experiments: windows, transactions, symmetric, dynamic, shared, scale; all if none is named.

use incast_fabric::{
    ControlScheme, EqualWork, FabricConfig, FabricOutcome, FabricShape, FabricSimulation, Group,
    LatencyFigures, OperationKind, OperationRecord, OperationTotals, RandomSets, Work, WorkKind,
    random_halves,
};

const SEED: u64 = 1;
const READS: WorkKind = WorkKind::Single(OperationKind::ReadReduction);
const WRITES: WorkKind = WorkKind::Single(OperationKind::WriteMulticast);

fn main() {
    let wanted = std::env::args().nth(1);
    let experiments: [(&str, fn()); 6] = [
        ("windows", windows),
        ("transactions", transactions),
        ("symmetric", symmetric),
        ("dynamic", dynamic),
        ("shared", shared),
        ("scale", scale),
    ];
    for (name, experiment) in experiments {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            println!("== {name}");
            experiment();
        }
    }
}

fn fabric(endpoints: u32, control: ControlScheme) -> FabricSimulation {
    let shape = FabricShape::fat_tree(endpoints).expect("a fat tree");
    let mut run = FabricSimulation::new(FabricConfig::new(shape), control);
    run.config.seed = SEED;
    run
}

fn all_reduce(
    endpoints: u32,
    control: ControlScheme,
    initiators: u16,
    kind: WorkKind,
    count: u32,
    spread: u64,
) -> FabricOutcome {
    let mut run = fabric(endpoints, control);
    let group = Group::all(&run.config.shape).expect("a group");
    let equal = EqualWork {
        work: Work::new(kind, 0, count),
        initiators,
        start: 0,
        spread,
    };
    run.scripts = equal.scripts(&run.config.shape, &group, SEED);
    run.groups = vec![group];
    run.run().expect("no violation")
}

fn bandwidth(outcome: &FabricOutcome, endpoints: u32) -> f64 {
    outcome.totals.effective_bandwidth(endpoints as u16)
}

fn row(name: &str, outcome: &FabricOutcome, endpoints: u32) {
    let latency = outcome.totals.latency;
    println!(
        "{name:28} bandwidth {:.3}  mean {:7.0}  median {:6}  p99 {:6}  max {:6}",
        bandwidth(outcome, endpoints),
        latency.mean,
        latency.median,
        latency.p99,
        latency.max
    );
}

/// The smallest window with 99 % of the best bandwidth (Table 6.1: 3, 5, 12, 24, 48, 128, 128).
fn windows() {
    const SCANNED: [u32; 16] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128];
    for (endpoints, initiators) in [
        (64, 64),
        (64, 32),
        (64, 16),
        (64, 8),
        (64, 4),
        (64, 2),
        (64, 1),
        (128, 128),
    ] {
        let measure = |&window: &u32| {
            let control = ControlScheme::window(window);
            let kind = WorkKind::Transaction;
            let outcome = all_reduce(endpoints, control, initiators, kind, 128, 0);
            (window, bandwidth(&outcome, endpoints))
        };
        let all: Vec<_> = SCANNED.iter().map(measure).collect();
        let best = all.iter().map(|(_, b)| *b).fold(0.0, f64::max);
        let smallest = all.iter().find(|(_, b)| *b >= 0.99 * best);
        let (window, _) = smallest.expect("one of them is the best");
        println!(
            "{endpoints:4} endpoints {initiators:4} initiators: window {window:3}, best {best:.3}"
        );
    }
}

/// Fig. 6.12: the gap to the window shrinks with the number of transactions.
fn transactions() {
    for count in [128, 256, 512, 1024] {
        for (name, control) in [
            ("window 3", ControlScheme::window(3)),
            ("3cpo", ControlScheme::three_cpo()),
            ("3cpo-repaired", ControlScheme::three_cpo_repaired()),
        ] {
            let outcome = all_reduce(64, control, 64, WorkKind::Transaction, count, 0);
            row(&format!("{count} {name}"), &outcome, 64);
        }
    }
}

fn schemes(window: u32) -> [(&'static str, ControlScheme); 4] {
    [
        ("baseline", ControlScheme::baseline()),
        ("window", ControlScheme::window(window)),
        ("3cpo", ControlScheme::three_cpo()),
        ("3cpo-repaired", ControlScheme::three_cpo_repaired()),
    ]
}

/// Figs. 6.13 and 6.14: 128 endpoints, reads, writes, all-reduce.
fn symmetric() {
    for (what, kind) in [
        ("reads", READS),
        ("writes", WRITES),
        ("all-reduce", WorkKind::Transaction),
    ] {
        for (name, control) in schemes(5) {
            let outcome = all_reduce(128, control, 128, kind, 128, 0);
            row(&format!("{what} {name}"), &outcome, 128);
        }
    }
}

/// Figs. 6.15 and 6.16: Random-Multicast and Multicast-Uni.
fn dynamic() {
    for (what, sets) in [
        ("random", RandomSets::random_multicast()),
        ("with unicast", RandomSets::multicast_unicast()),
    ] {
        for (name, control) in schemes(3) {
            let mut run = fabric(128, control);
            let group = Group::all(&run.config.shape).expect("a group");
            run.scripts = sets.scripts(&run.config.shape, 0, &group, SEED);
            run.groups = vec![group];
            row(
                &format!("{what} {name}"),
                &run.run().expect("no violation"),
                128,
            );
        }
    }
}

/// Fig. 6.17: all-reduce in one half of 128 endpoints, writes in the other.
fn shared() {
    let shape = FabricShape::fat_tree(128).expect("a fat tree");
    let groups = random_halves(&shape, SEED);
    let work = [
        Work::new(WorkKind::Transaction, 0, 512),
        Work::new(WRITES, 1, 512),
    ];
    let halves = |control, active: &[usize]| {
        let mut run = fabric(128, control);
        for &half in active {
            let equal = EqualWork {
                work: work[half],
                initiators: 64,
                start: 0,
                spread: 0,
            };
            let scripts = equal.scripts(&shape, &groups[half], SEED);
            run.more_scripts.extend((0_u16..).zip(scripts));
        }
        run.groups = groups.to_vec();
        run.run().expect("no violation")
    };
    let report = |name: &str, outcome: &FabricOutcome| {
        for group in [0, 1] {
            let records: Vec<OperationRecord> = outcome
                .operations
                .iter()
                .filter(|r| r.target == group)
                .copied()
                .collect();
            if records.is_empty() {
                continue;
            }
            let totals = OperationTotals::of(&records, &groups);
            let latency = LatencyFigures::of(records.iter().map(OperationRecord::latency));
            println!(
                "{name:20} {:10}  bandwidth {:.3}  mean {:7.0}  max {:6}",
                ["all-reduce", "writes"][usize::from(group)],
                totals.effective_bandwidth(64),
                latency.mean,
                latency.max
            );
        }
    };
    for half in [0, 1] {
        report(
            "alone, window 3",
            &halves(ControlScheme::window(3), &[half]),
        );
    }
    for (name, control) in schemes(3) {
        report(name, &halves(control, &[0, 1]));
    }
}

/// Beyond the evaluation: up to 1,024 endpoints, 16 transactions each.
fn scale() {
    for endpoints in [64, 128, 256, 512, 1024_u16] {
        for (name, control) in schemes(3) {
            let kind = WorkKind::Transaction;
            let count = 16;
            let outcome = all_reduce(endpoints.into(), control, endpoints, kind, count, 0);
            row(&format!("{endpoints} {name}"), &outcome, endpoints.into());
        }
    }
}
