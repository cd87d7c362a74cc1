//! The fast path gives the results of the plain path, to the last sample: on random networks, with
//! both flow controls, every switch program, any marking, with and without pauses.

use std::cell::Cell;

use incast_cc::AlgorithmConfig;
use incast_net::{ExecutionPath, IntSource, Routing};
use incast_signals::int::IntFormat;
use incast_signals::{
    EcnOff, EcnOptions, EcnPerTier, FairRateOptions, MarkingPoint, QueueThreshold,
};
use incast_topology::{NextHopOrder, Routes, Topology};
use incast_units::{Bytes, Time};
use proptest::prelude::*;

use crate::execution_paths::trim;
use crate::listener::{AckSeen, Listener};
use crate::properties::{Watched, for_all};
use crate::random_network::{Setting, lossless, lossy};
use crate::support::{Network, Outcome};

/// What a property varies besides the setting.
#[derive(Copy, Clone, Debug)]
struct Variant {
    /// Delay of all links, if equal, so that a window has many events.
    equal_delays: Option<Time>,
    int_on_acks: bool,
    /// Refresh interval of the data that switches write into ACKs.
    int_table_period: Option<Time>,
    /// Whether INT is exact.
    exact_int: bool,
    /// Whether times on links are whole nanoseconds.
    coarse_clock: bool,
    fair_rates: bool,
    marking: EcnCurve,
    /// The marking of every second switch, if it differs.
    spines: Option<SpineMarking>,
    /// Time between two samples of all queues.
    sampling: Option<Time>,
}

/// k_min, the width of the curve, p_max, and the marking point.
#[derive(Copy, Clone, Debug)]
struct EcnCurve(u64, u64, f64, MarkingPoint);

/// The marking of spines that differ from leaves.
#[derive(Copy, Clone, Debug)]
enum SpineMarking {
    Off,
    By(EcnCurve),
}

impl SpineMarking {
    fn entry(self) -> EcnPerTier {
        let size = |bytes| Some(QueueThreshold::Size(Bytes::new(bytes)));
        let mut entry = EcnPerTier {
            tier: "spine".to_owned(),
            ..EcnPerTier::default()
        };
        match self {
            Self::Off => entry.marking = Some(EcnOff::Off),
            Self::By(EcnCurve(k_min, width, p_max, at)) => {
                (entry.at, entry.p_max) = (Some(at), Some(p_max));
                (entry.k_min, entry.k_max) = (size(k_min), size(k_min + width));
            }
        }
        entry
    }
}

/// Names switches `leaf` and `spine` alternately.
fn name_tiers(topology: &mut Topology) {
    let label = |node| match node {
        node if node < topology.hosts => format!("host{node}"),
        node if node % 2 == 0 => format!("leaf{node}"),
        node => format!("spine{node}"),
    };
    topology.labels = (0..topology.nodes()).map(label).collect();
}

fn curve() -> impl Strategy<Value = EcnCurve> {
    let points = prop::sample::select(vec![MarkingPoint::Dequeue, MarkingPoint::Enqueue]);
    (0_u64..=30_000, 0_u64..=60_000, 0.0..=1.0, points)
        .prop_map(|(k_min, width, p_max, at)| EcnCurve(k_min, width, p_max, at))
}

fn variant() -> impl Strategy<Value = Variant> {
    let delay = prop::option::weighted(0.7, (1_u64..=40).prop_map(Time::from_us));
    let table_period = prop::option::of((300_u64..=5_000).prop_map(Time::from_ns));
    let int = (prop::bool::weighted(0.3), table_period);
    let other = prop_oneof![
        1 => Just(SpineMarking::Off),
        3 => curve().prop_map(SpineMarking::By),
    ];
    let marking = (curve(), prop::option::weighted(0.4, other));
    let sampling = prop::option::of((200_u64..=20_000).prop_map(Time::from_ns));
    let options = (int, any::<[bool; 3]>(), any::<[bool; 2]>());
    (delay, options, marking, sampling).prop_map(
        |(equal_delays, (int, coins, [exact_int, coarse_clock]), (marking, spines), sampling)| {
            let (int_on_acks, int_table_period) = int;
            Variant {
                equal_delays,
                int_on_acks,
                int_table_period,
                exact_int,
                coarse_clock,
                fair_rates: coins == [true; 3],
                marking,
                spines,
                sampling,
            }
        },
    )
}

impl Variant {
    fn network(&self, setting: &Setting) -> Network {
        let mut network = setting.network();
        name_tiers(&mut network.topology);
        let config = &mut network.config;
        if self.exact_int {
            config.model.int_format = IntFormat::Exact;
        }
        let EcnCurve(k_min, width, p_max, at) = self.marking;
        config.ecn = Some(EcnOptions {
            at: Some(at),
            per_tier: Vec::from_iter(self.spines.map(SpineMarking::entry)),
            ..EcnOptions::red(Bytes::new(k_min), Bytes::new(k_min + width), p_max)
        });
        // Fair rates and INT on ACKs exclude each other. If ACKs travel among data, a CNP would go
        // to the sender of an ACK, in the bytes that INT on ACKs overwrites.
        let needs = setting.needs();
        let is_free = needs.int == IntSource::Off && needs.programs.is_empty();
        if self.fair_rates && !self.int_on_acks && is_free {
            config.programs = vec![FairRateOptions::default().into()];
        }
        let mut programs = config.programs.iter();
        let answers = programs.any(|program| program.demands().packet_sources);
        if self.int_on_acks && needs.int == IntSource::Off && !answers {
            config.int = IntSource::Acks;
            config.int_table_period = self.int_table_period;
            config.routing = Routing::SpanningTrees;
            network.routes = Routes::spanning_trees(&network.topology, NextHopOrder::ByPort);
        }
        let measure = &mut network.measure;
        measure.until = Time::from_us(200);
        measure.queue_interval = self.sampling;
        measure.queue_ports = vec![1, network.ports.count() as u32 - 1];
        measure.pauses = true;
        measure.round_trips = self.marking.0.is_multiple_of(2).then_some(Time::ZERO);
        network.stop = Some(Time::from_ms(5));
        network
    }
}

/// Counts that show that not all networks are idle.
#[derive(Debug, Default)]
struct Seen {
    pauses: Cell<u64>,
    drops: Cell<u64>,
    marks: Cell<u64>,
    runs: Cell<u32>,
    /// Number of INT records in ACKs.
    records: Cell<u64>,
}

impl Seen {
    fn count(&self, outcome: &Outcome, told: &[Vec<AckSeen>]) {
        let records = told.iter().flatten().map(|ack| ack.records.len() as u64);
        self.records.set(self.records.get() + records.sum::<u64>());
        let ports = &outcome.recording.ports;
        let marked: u64 = ports.iter().map(|port| port.marked).sum();
        self.pauses.set(self.pauses.get() + outcome.pauses());
        self.drops.set(self.drops.get() + outcome.dropped());
        self.marks.set(self.marks.get() + marked);
        self.runs.set(self.runs.get() + 1);
    }
}

fn check(setting: &Setting, variant: &Variant, seen: &Seen) -> Result<(), TestCaseError> {
    if !setting.has_windows() {
        return Ok(());
    }
    let setting = match variant.equal_delays {
        Some(delay) => setting.with_equal_delays(delay),
        None => setting.clone(),
    };
    let setting = match variant.coarse_clock {
        true => setting.with_coarse_clock(),
        false => setting,
    };
    let mut network = variant.network(&setting);
    let mut outcome = |path| {
        network.path = path;
        let watched = Watched(&network, &setting);
        let listener = Listener::new(&watched);
        let mut outcome = network.run(&setting.flows, &listener);
        trim(&mut outcome.recording.queue_ticks);
        let flows = outcome.flows.iter();
        let told = flows.map(|flow| listener.log(flow.id.0).acks).collect();
        (outcome, told)
    };
    let (mut plain, told_on_plain): (_, Vec<Vec<AckSeen>>) = outcome(ExecutionPath::Plain);
    let (fast, told) = outcome(ExecutionPath::Fast);
    seen.count(&fast, &told);
    prop_assert_eq!(told, told_on_plain);
    // A timer of a plain host may expire without effect after all packets have arrived.
    prop_assert!(plain.recording.end >= fast.recording.end);
    plain.recording.end = fast.recording.end;
    prop_assert_eq!(&fast.flows, &plain.flows);
    prop_assert_eq!(&fast.recording.ports, &plain.recording.ports);
    let (plain, fast) = (&plain.recording, &fast.recording);
    prop_assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
    Ok(())
}

#[test]
fn the_fast_path_gives_the_results_of_the_plain_one() {
    let seen = Seen::default();
    let settings = prop_oneof![2 => lossless(), 1 => lossy()];
    for_all((settings, variant()), |(setting, variant)| {
        check(setting, variant, &seen)
    });
    let [pauses, drops, marks] = [&seen.pauses, &seen.drops, &seen.marks].map(Cell::get);
    assert!(seen.runs.get() > 100, "{seen:?}");
    assert!(pauses > 500 && drops > 500 && marks > 2_000, "{seen:?}");
    assert!(seen.records.get() > 10_000, "{seen:?}");
}

/// Every registered algorithm in turn, with both flow controls.
#[test]
fn both_paths_agree_for_every_algorithm() {
    let (seen, turn) = (Seen::default(), Cell::new(0));
    for_all((lossless(), lossy(), variant()), |settings| {
        let (lossless, lossy, variant) = settings;
        let algorithms = AlgorithmConfig::built_in();
        let name = algorithms[turn.get() % algorithms.len()].name;
        turn.set(turn.get() + 1);
        for setting in [lossless, lossy] {
            let mut setting = setting.clone();
            setting.use_only(name);
            check(&setting, variant, &seen)?;
        }
        Ok(())
    });
    assert!(turn.get() >= 5 * AlgorithmConfig::built_in().len());
}
