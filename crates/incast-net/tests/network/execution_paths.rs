//! The plain path and the fast path give the same results: every flow, counter, sample, pause and
//! round trip of a run.

use std::cell::Cell;

use incast_net::{ExecutionPath, Headroom, OnLinks, PfcThreshold, RecoveryKind, Threads, Tick};
use incast_units::{Bytes, Time};
use proptest::prelude::*;

use crate::mixed::OfSetting;
use crate::properties::{CASES, for_cases};
use crate::random_network::{Setting, lossless, lossy};
use crate::support::{Network, Outcome, flow, pfc, several_threads, star};

/// Runs both paths. The fast path and an idle event-by-event path end their totals at different
/// samples, so rows of zeros at the end are dropped. A timer of a completed flow may expire on only
/// one path, without effect. So after all flows have completed, the time of the last event is
/// ignored.
fn outcomes(network: &mut Network, setting: &Setting) -> [Outcome; 2] {
    [ExecutionPath::Plain, ExecutionPath::Fast].map(|path| {
        network.path = path;
        let mut outcome = network.run(&setting.flows, &OfSetting(network, setting));
        trim_end(&mut outcome);
        outcome
    })
}

/// Drops the parts of an outcome that do not count after all flows have completed.
pub(crate) fn trim_end(outcome: &mut Outcome) {
    let recording = &mut outcome.recording;
    trim(&mut recording.flow_ticks);
    trim(&mut recording.queue_ticks);
    if recording.finished == recording.started {
        recording.end = Time::ZERO;
    }
}

pub(crate) fn trim(totals: &mut Vec<Tick>) {
    let is_zero = |row: &Tick| {
        let time = row.time;
        *row == Tick {
            time,
            ..Tick::default()
        }
    };
    while totals.last().is_some_and(is_zero) {
        totals.pop();
    }
}

/// Checks that both paths agree; returns the outcome of the fast path.
pub(crate) fn check(network: &mut Network, setting: &Setting) -> Result<Outcome, TestCaseError> {
    let [plain, fast] = outcomes(network, setting);
    prop_assert_eq!(&plain.flows, &fast.flows);
    prop_assert_eq!(&plain.recording.ports, &fast.recording.ports);
    prop_assert_eq!(
        format!("{:?}", plain.recording),
        format!("{:?}", fast.recording)
    );
    for parts in &fast.recording.breakdowns {
        let flow = fast.flows.iter().find(|flow| flow.id == parts.flow);
        let flow = flow.expect("it completed");
        let sum: Time = parts.at_sender.iter().copied().sum();
        prop_assert_eq!(sum + parts.last, flow.finish - flow.start);
        if let OnLinks::Told(time) = parts.on_links {
            prop_assert!(time <= parts.last);
        }
    }
    Ok(fast)
}

/// Random networks, every algorithm, PFC and drops, go-back-N and selective repeat. ACKs have their
/// own class or travel among data, for one to four packets. There is INT on data and on ACKs, CNPs,
/// regular and exponential pacing, and one algorithm or two. Windows are long or short, samples
/// frequent or absent. One network in four has one queue of events, whose fast path is the direct
/// path.
#[test]
fn the_plain_path_and_the_fast_path_agree() {
    let (dropped, pauses, selective) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let in_one_queue = Cell::new(0);
    let settings = || prop_oneof![lossless(), lossy()];
    for_cases(CASES + CASES / 4, settings(), |setting| {
        in_one_queue.set(in_one_queue.get() + u32::from(!setting.has_windows()));
        let mut network = setting.network();
        network.stop = Some(Time::from_ms(5));
        network.measure.until = Time::MAX;
        network.measure.pauses = true;
        network.measure.round_trips = setting.seed.is_multiple_of(4).then_some(Time::ZERO);
        network.measure.packet_latency = setting.seed.is_multiple_of(5);
        network.measure.breakdown = setting.seed % 3 == 1;
        network.measure.int_age = setting.seed.is_multiple_of(7);
        if setting.seed.is_multiple_of(2) {
            network.measure.flow_interval = Some(Time::from_ns(900));
            network.measure.flows = true;
            network.measure.probes = true;
        }
        if setting.seed.is_multiple_of(3) {
            network.measure.queue_interval = Some(Time::from_ns(1_300));
        }
        let outcome = check(&mut network, setting)?;
        dropped.set(dropped.get() + outcome.dropped());
        pauses.set(pauses.get() + outcome.pauses());
        let repeats = network.config.recovery.kind == RecoveryKind::Selective;
        selective.set(selective.get() + u32::from(repeats));
        network.threads = several_threads(3, setting.seed);
        check(&mut network, setting)?;
        network.threads = Threads::ONE;
        check(
            &mut network,
            &setting.with_equal_delays(Time::from_us(1 + setting.seed % 40)),
        )?;
        Ok(())
    });
    assert!(dropped.get() > 1_000, "{} packets dropped", dropped.get());
    assert!(pauses.get() > 1_000, "{} pauses", pauses.get());
    assert!(
        selective.get() > 20,
        "{} with selective repeat",
        selective.get()
    );
    let in_one_queue = in_one_queue.get();
    assert!(in_one_queue > 30, "{in_one_queue} in one queue of events");
}

/// Ports 0 and 1 of the switch transmit in step: each has its own pair of senders, and both pause
/// and resume at the same times. When port 0's transmission ends, there is room, and host 1 may go
/// on. The resume frame then starts on port 1 just when port 1's own transmission ends: port 1's
/// next packet must wait for the frame.
#[test]
fn a_frame_that_starts_as_a_transmission_ends_delays_the_next_packet() {
    let mut network = Network::new(star(4)).with_flow_control(pfc(
        PfcThreshold::Static(Bytes::new(3_000)),
        Headroom::WorstCase,
    ));
    network.config.buffer.reserve = Bytes::ZERO;
    let flows = [
        flow(0, 1, 0, 100_000),
        flow(1, 0, 1, 100_000),
        flow(2, 2, 0, 100_000),
        flow(3, 3, 1, 100_000),
    ];
    let [plain, fast] = [ExecutionPath::Plain, ExecutionPath::Fast].map(|path| {
        network.path = path;
        network.run(&flows, &network.uncontrolled())
    });
    assert!(plain.pauses() > 10, "{} pauses", plain.pauses());
    assert_eq!(plain.flows, fast.flows);
    assert_eq!(plain.recording.ports, fast.recording.ports);
}
