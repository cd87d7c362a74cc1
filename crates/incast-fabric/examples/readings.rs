//! What each open choice of 3CPO does: all-reduce among 64 endpoints, one choice changed at a time.
//!
//! ```text
//! cargo run --release -p incast-fabric --example readings [initiators] [transactions] [spread]
//! ```
//!
//! `spread`: starts are uniform in this many cycles.

use incast_fabric::{
    Arbitration, ControlScheme, Decrease, DecrementScope, FabricConfig, FabricShape,
    FabricSimulation, Group, Hold, InjectionChannels, MatchAt, Script, ThreeCpoOptions, TokenCheck,
    TokenGeneration, Turn, Work, WorkKind,
};
use incast_random::SplitMix64;

type Change = (&'static str, fn(&mut FabricConfig, &mut ThreeCpoOptions));

const READINGS: &[Change] = &[
    ("as printed", |_, _| ()),
    ("initial watermark 300", |_, o| {
        o.aimd.tokens.watermark_initial = 300.0
    }),
    ("initial watermark 1000", |_, o| {
        o.aimd.tokens.watermark_initial = 1000.0
    }),
    ("tokens made evenly", |_, o| {
        o.aimd.tokens.generation = TokenGeneration::Regular
    }),
    ("token cap 20", |_, o| o.aimd.tokens.cap = 20.0),
    ("tokens of the own bucket only", |_, o| {
        o.aimd.tokens.check = TokenCheck::Own
    }),
    ("no discount (kappa = 1)", |_, o| o.discount = 1.0),
    ("discount not at injection", |_, o| {
        o.discount_at_injection = false
    }),
    ("remote operations held one RTT", |_, o| {
        o.hold = Hold::RoundTrip
    }),
    ("remote operations never expire", |_, o| {
        o.hold = Hold::Forever
    }),
    ("only tokens at injection count", |_, o| {
        o.scope = DecrementScope::Injection
    }),
    ("no minority scaling", |_, o| o.minority_scaling = false),
    ("no carry-over", |_, o| o.carry_over = false),
    ("no line 14", |_, o| o.raise = false),
    ("no flow-based scaling", |_, o| o.flow_scaling = false),
    ("matched at acceptance", |c, _| {
        c.match_at = MatchAt::Acceptance
    }),
    ("round robin", |c, _| {
        c.arbitration = Arbitration::RoundRobin
    }),
    ("one injection channel", |c, _| {
        c.injection = InjectionChannels::Shared
    }),
    ("turns at the nearest switch", |c, _| c.turn = Turn::Nearest),
    ("endpoints owe without limit", |c, _| c.owed_limit = None),
    ("endpoints owe 2048 flits", |c, _| c.owed_limit = Some(2048)),
    ("buffers of 4096 flits", |c, _| {
        (c.input_depth, c.output_depth) = (4096, 4096)
    }),
    ("writes take 180 cycles", |c, _| c.write_latency = 180),
    ("whole decrease", |_, o| o.decrease = Decrease::Whole),
    ("opening 1", |_, o| o.opening = 1),
    ("opening 2", |_, o| o.opening = 2),
    ("opening 3", |_, o| o.opening = 3),
    ("opening 5", |_, o| o.opening = 5),
    ("repaired", |_, o| *o = ThreeCpoOptions::repaired()),
];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let mut next = |default| arguments.next().and_then(Result::ok).unwrap_or(default);
    let (initiators, transactions, spread) = (next(64), next(128), next(0));
    println!("{initiators} initiators, {transactions} transactions, starts over {spread} cycles");
    println!("{:32} bandwidth    mean  median     p99     max", "reading");
    let windows = [("window 3", 3), ("window 5", 5)];
    for (name, window) in windows {
        let shape = FabricShape::fat_tree(64).expect("a fat tree");
        let run = FabricSimulation::new(FabricConfig::new(shape), ControlScheme::window(window));
        report(name, run, initiators, transactions, spread);
    }
    for (name, change) in READINGS {
        let mut config = FabricConfig::new(FabricShape::fat_tree(64).expect("a fat tree"));
        let mut options = ThreeCpoOptions::default();
        change(&mut config, &mut options);
        let run = FabricSimulation::new(config, ControlScheme::ThreeCpo(options));
        report(name, run, initiators, transactions, spread);
    }
}

fn report(name: &str, mut run: FabricSimulation, initiators: u64, transactions: u64, spread: u64) {
    run.groups = vec![Group::all(&run.config.shape).expect("a group")];
    let mut random = SplitMix64::new(7);
    let work = Work::new(WorkKind::Transaction, 0, transactions as u32);
    let script = |_| Script::once(random.below(spread), work);
    run.scripts = (0..initiators).map(script).collect();
    match run.run() {
        Err(violation) => println!("{name:32} {violation}"),
        Ok(outcome) => {
            let (totals, latency) = (&outcome.totals, &outcome.totals.latency);
            println!(
                "{name:32} {:9.3} {:7.0} {:7} {:7} {:7}",
                totals.effective_bandwidth(64),
                latency.mean,
                latency.median,
                latency.p99,
                latency.max,
            );
        }
    }
}
