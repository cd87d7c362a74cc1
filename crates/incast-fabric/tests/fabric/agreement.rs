//! The fast model and the oracle agree flit for flit, on random small fabrics and loads.

use std::num::NonZeroUsize;

use incast_engine::{NodeOrder, Partitioning, Threads};
use incast_fabric::{
    AimdOptions, Arbitration, ControlScheme, Decrease, FabricConfig, FabricMeasure, FabricShape,
    FabricSimulation, Group, InjectionChannels, MatchAt, OperationKind, PacketStart, Reserve,
    Script, StepStart, ThreeCpoOptions, TokenGeneration, Turn, UplinkChoice, Work, WorkKind,
    WorkStep,
};
use incast_random::SplitMix64;
use proptest::prelude::*;

use super::oracle::{FlitOnLink, Oracle, records};

fn pick<T: Copy>(random: &mut SplitMix64, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

fn random_shape(random: &mut SplitMix64) -> FabricShape {
    let tors = 1 + random.below(4) as u16;
    FabricShape {
        endpoints_per_tor: 2 + random.below(3) as u16,
        tors,
        cores: if tors == 1 {
            random.below(2) as u16
        } else {
            1 + random.below(3) as u16
        },
        lanes: 1 + random.below(2) as u16,
    }
}

fn random_config(random: &mut SplitMix64) -> FabricConfig {
    let mut config = FabricConfig::new(random_shape(random));
    config.switch_latency = pick(random, &[0, 1, 7, 23, 150]);
    config.link_delay = pick(random, &[0, 0, 1, 5]);
    config.read_latency = pick(random, &[0, 5, 40, 180]);
    config.write_latency = pick(random, &[0, 0, 30]);
    config.input_depth = pick(random, &[9, 10, 20, 64, 512]);
    config.output_depth = pick(random, &[9, 11, 40, 512]);
    config.owed_limit = pick(random, &[None, Some(9), Some(20), Some(512)]);
    config.arbitration = pick(
        random,
        &[Arbitration::RoundRobin, Arbitration::LeastRecentlyUsed],
    );
    config.injection = pick(
        random,
        &[InjectionChannels::Separate, InjectionChannels::Shared],
    );
    config.uplink_choice = pick(random, &[UplinkChoice::Hash, UplinkChoice::Rotate]);
    config.turn = pick(random, &[Turn::Core, Turn::Nearest]);
    config.table_entries = pick(random, &[None, None, Some(1), Some(3)]);
    // The initiator's path takes entries, too: many entries, so that no deadlock occurs.
    if random.below(4) == 0 {
        (config.reserve, config.table_entries) = (Reserve::Path, Some(1_000));
    }
    config.match_at = pick(random, &[MatchAt::Arrival, MatchAt::Acceptance]);
    config.seed = random.next_u64();
    config
}

fn random_control(random: &mut SplitMix64) -> ControlScheme {
    let mut aimd = AimdOptions {
        latency_threshold: pick(random, &[100.0, 500.0, 2000.0]),
        ..AimdOptions::default()
    };
    aimd.latency_max = aimd.latency_threshold * 2.5;
    aimd.tokens.generation = pick(random, &[TokenGeneration::Random, TokenGeneration::Regular]);
    aimd.tokens.watermark_initial = Some(pick(random, &[100.0, 700.0, 2468.0]));
    let printed = ThreeCpoOptions {
        aimd,
        ..ThreeCpoOptions::default()
    };
    pick(
        random,
        &[
            ControlScheme::none(),
            ControlScheme::baseline(),
            ControlScheme::window(1),
            ControlScheme::window(4),
            ControlScheme::Aimd(aimd),
            ControlScheme::ThreeCpo(printed),
            ControlScheme::ThreeCpo(ThreeCpoOptions {
                opening: 2,
                decrease: Decrease::Whole,
                ..printed
            }),
        ],
    )
}

fn random_groups(random: &mut SplitMix64, shape: &FabricShape) -> Vec<Group> {
    let count = 1 + random.below(3);
    let mut groups = vec![Group::all(shape).unwrap()];
    for _ in 1..count {
        let members: Vec<u16> = (0..shape.endpoints())
            .filter(|_| random.below(2) == 0)
            .collect();
        groups.extend(Group::new(shape, &members).ok());
    }
    groups
}

fn random_script(random: &mut SplitMix64, run: &FabricSimulation, endpoint: u16) -> Script {
    let mut steps = Vec::new();
    for _ in 0..random.below(3) {
        let mut work = Vec::new();
        for _ in 0..1 + random.below(3) {
            let kind = pick(
                random,
                &[
                    WorkKind::Transaction,
                    WorkKind::Single(OperationKind::ReadReduction),
                    WorkKind::Single(OperationKind::WriteMulticast),
                    WorkKind::Single(OperationKind::Read),
                    WorkKind::Single(OperationKind::Write),
                ],
            );
            let unicast = kind == WorkKind::Single(OperationKind::Read)
                || kind == WorkKind::Single(OperationKind::Write);
            let targets = if unicast {
                run.config.shape.endpoints() as u64
            } else {
                run.groups.len() as u64
            };
            let target = random.below(targets) as u16;
            let allowed = if unicast {
                target != endpoint
            } else {
                run.groups[usize::from(target)].has(endpoint)
            };
            if allowed {
                let data = 1 + random.below(8) as u8;
                let count = 1 + random.below(12) as u32;
                work.push(Work {
                    kind,
                    target,
                    data,
                    count,
                });
            }
        }
        let start = if random.below(2) == 0 {
            StepStart::At(random.below(600))
        } else {
            StepStart::After(random.below(900))
        };
        steps.push(WorkStep { start, work });
    }
    Script { steps }
}

fn random_run(seed: u64) -> FabricSimulation {
    let mut random = SplitMix64::new(seed);
    let config = random_config(&mut random);
    let control = random_control(&mut random);
    let mut run = FabricSimulation::new(config, control);
    run.groups = random_groups(&mut random, &run.config.shape);
    let endpoints = run.config.shape.endpoints();
    run.scripts = (0..endpoints)
        .map(|e| random_script(&mut random, &run, e))
        .collect();
    run.measure = FabricMeasure {
        packet_starts: true,
        ..FabricMeasure::default()
    };
    run
}

/// Every flit on every link: cycle, sender, port, operation, leg and flit number.
fn flits(starts: &[PacketStart]) -> Vec<FlitOnLink> {
    let of_packet = |start: &PacketStart| {
        let (start, flits) = (*start, usize::from(start.flits));
        (0..flits).map(move |flit| {
            let op = (start.initiator, start.sequence);
            (
                start.cycle + flit as u64,
                start.node,
                start.port,
                op,
                start.leg,
                flit,
            )
        })
    };
    let mut all: Vec<_> = starts.iter().flat_map(of_packet).collect();
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn fast_model_and_oracle_agree_flit_for_flit(seed: u64) {
        let run = random_run(seed);
        let outcome = run.run().unwrap();
        let mut oracle = Oracle::new(&run);
        oracle.run(2_000_000);
        prop_assert_eq!(&outcome.operations, &records(&oracle));
        let mut expected = std::mem::take(&mut oracle.flits);
        expected.sort_unstable();
        let seen = flits(&outcome.packet_starts);
        let differs = seen.iter().zip(&expected).find(|(one, other)| one != other);
        prop_assert_eq!(differs, None);
        prop_assert_eq!(seen.len(), expected.len());
        prop_assert_eq!(outcome.flit_hops, seen.len() as u64);
    }

    #[test]
    fn results_depend_on_neither_order_nor_threads(seed: u64) {
        let run = random_run(seed);
        let expected = run.run().unwrap();
        let shuffled = run.run_on(Threads::ONE, NodeOrder::Shuffled(seed)).unwrap();
        prop_assert_eq!(expected.fingerprint(), shuffled.fingerprint());
        let threads = Threads {
            count: NonZeroUsize::new(2).unwrap(),
            partitioning: Partitioning::Random(seed),
        };
        let parallel = run.run_on(threads, NodeOrder::Ascending).unwrap();
        prop_assert_eq!(&expected.operations, &parallel.operations);
        prop_assert_eq!(expected.fingerprint(), parallel.fingerprint());
    }

    /// Taking samples does not change the results.
    #[test]
    fn observation_changes_nothing(seed: u64) {
        let mut run = random_run(seed);
        let expected = run.run().unwrap().fingerprint();
        run.measure.every = 50;
        run.measure.endpoints = vec![0, 1];
        prop_assert_eq!(expected, run.run().unwrap().fingerprint());
    }
}

/// Samples every 50 cycles from 0 to the last event: first 64 initiators have operations
/// outstanding, then none.
#[test]
fn samples_show_controls_and_queues() {
    let shape = FabricShape::fat_tree(64).unwrap();
    let control = ControlScheme::three_cpo();
    let mut run = super::all_in_one_group(shape, control, 64, WorkKind::Transaction, 16);
    run.measure.every = 50;
    run.measure.endpoints = vec![9];
    let outcome = run.run().unwrap();
    let controls = &outcome.controls;
    assert!(
        controls
            .iter()
            .all(|sample| sample.endpoint == 9 && sample.cycle % 50 == 0)
    );
    assert!(
        controls.len() as u64 >= outcome.totals.last / 50 - 5,
        "{}",
        controls.len()
    );
    let matched = controls
        .iter()
        .any(|sample| sample.state.unmatched_remote[1] > 0);
    assert!(
        matched
            && controls
                .iter()
                .any(|sample| sample.state.tokens[1] < -100.0)
    );
    let down = outcome
        .occupancy
        .iter()
        .map(|sample| sample.to_endpoints[0])
        .max();
    assert!(down > Some(100), "{down:?}");
}
