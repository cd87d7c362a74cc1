//! Jitter of packets and slow clocks: results depend only on the seed, on every execution path and
//! any number of threads; packets stay in order; PFC loses no packet.

use std::cell::Cell;
use std::collections::HashMap;

use incast_net::{
    Clock, Flow, FlowControl, Headroom, PacketEvent, PacketKind, PfcThreshold, Threads,
    TimingErrors,
};
use incast_units::{Bytes, Rate, Time};
use proptest::prelude::*;

use crate::execution_paths::check;
use crate::properties::{CASES, for_cases};
use crate::random_network::{lossless, lossy, lossy_by_port};
use crate::support::{Network, at, fat_tree, flow, pfc, several_threads, star, uneven_star};
use crate::tracing::everything;

pub(crate) fn errors(nic: Time, switch: Time, clock_ppm: u32) -> TimingErrors {
    TimingErrors {
        nic_jitter: nic,
        switch_jitter: switch,
        clock_ppm,
    }
}

/// Errors from a few ps up to the largest allowed, at one kind of node or both. Two of three have
/// clock errors.
fn some_errors() -> impl Strategy<Value = TimingErrors> {
    let jitter = || prop_oneof![0_u64..1_000, 0_u64..=1_000_000].prop_map(Time::from_ps);
    let ppm = prop_oneof![Just(0), Just(1_000), 1_u32..200];
    (jitter(), jitter(), ppm).prop_map(|(nic, switch, ppm)| errors(nic, switch, ppm))
}

/// Adds errors to a network, with the headroom for them under PFC.
pub(crate) fn add_errors(network: &mut Network, errors: TimingErrors, spare: u64) {
    network.config.model.clock = Clock::Picoseconds;
    network.config.timing_errors = errors;
    if let FlowControl::Pfc(_) = network.config.flow_control {
        network.use_least_buffer(spare);
    }
}

/// Both execution paths, on one thread and several, with pauses and with drops, INT and samples.
#[test]
fn paths_and_threads_agree() {
    let (dropped, pauses) = (Cell::new(0), Cell::new(0));
    let settings = prop_oneof![lossless(), lossy(), lossy_by_port()];
    for_cases(CASES, (settings, some_errors()), |(setting, errors)| {
        // The engine with one queue of events has no timing errors.
        if !setting.has_windows() {
            return Ok(());
        }
        let mut network = setting.network();
        add_errors(&mut network, *errors, 1 + setting.seed * 10);
        network.stop = Some(Time::from_ms(5));
        network.measure.until = Time::MAX;
        network.measure.pauses = true;
        if setting.seed.is_multiple_of(2) {
            network.measure.queue_interval = Some(Time::from_ns(1_300));
        }
        let alone = check(&mut network, setting)?;
        dropped.set(dropped.get() + alone.dropped());
        pauses.set(pauses.get() + alone.pauses());
        network.threads = several_threads(3, setting.seed);
        let divided = check(&mut network, setting)?;
        prop_assert_eq!(&divided.flows, &alone.flows);
        prop_assert_eq!(&divided.recording.ports, &alone.recording.ports);
        network.threads = Threads::ONE;
        Ok(())
    });
    assert!(dropped.get() > 1_000, "{} dropped", dropped.get());
    assert!(pauses.get() > 500, "{} pauses", pauses.get());
}

/// The network of [`without_errors_nothing_changes`]: all hosts of a fat tree send to the first
/// host.
fn incast() -> (Network, Vec<Flow>) {
    let network = Network::new(fat_tree(4));
    let flows = (1..16).map(|host| flow(host, host, 0, 100_300));
    (network, flows.collect())
}

/// Errors of zero draw no random numbers. Other errors give a different run for each seed.
#[test]
fn without_errors_nothing_changes() {
    let run = |errors, seed| {
        let (mut network, flows) = incast();
        (network.config.timing_errors, network.config.seed) = (errors, seed);
        format!("{:?}", network.run(&flows, &network.uncontrolled()))
    };
    let none = run(TimingErrors::default(), 1);
    assert_eq!(run(TimingErrors::default(), 2), none);
    let ns = Time::from_ns;
    for some in [
        errors(ns(1), ns(0), 0),
        errors(ns(0), ns(1), 0),
        errors(ns(0), ns(0), 1),
    ] {
        assert_ne!(run(some, 1), none);
        assert_ne!(run(some, 1), run(some, 2));
    }
}

/// All packets of a port (data, ACKs, PFC frames) arrive in the order of departure, at different
/// times. Each arrives no earlier than without errors, and at most the port's jitter later. Links
/// take 500 ns.
#[test]
fn packets_of_a_link_stay_in_order() {
    let [nic, switch] = [300, 40].map(Time::from_ns);
    let mut network = Network::new(star(9)).with_flow_control(pfc(
        PfcThreshold::Static(Bytes::new(3_000)),
        Headroom::WorstCase,
    ));
    network.config.timing_errors = errors(nic, switch, 0);
    network.measure.packets = Some(everything());
    let there = (0..8).map(|host| flow(host, host, 8, 60_000));
    let back = (0..8).map(|host| flow(8 + host, 8, host, 9_000));
    let flows: Vec<_> = there.chain(back).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    assert!(outcome.pauses() > 10);
    let events = &outcome.recording.packets.as_ref().expect("a trace").events;
    // For each port, the port at the other end of its link.
    let mut sent: HashMap<_, Vec<_>> = HashMap::new();
    let mut received: HashMap<_, Vec<_>> = HashMap::new();
    for event in events {
        let port = &network.ports.of(event.node)[usize::from(event.port)];
        let packet = (event.kind, event.flow, event.sequence);
        match event.event {
            PacketEvent::Send => {
                let end = event.time + port.rate.transmission_time(event.wire);
                let place = (event.node, event.port);
                sent.entry(place)
                    .or_default()
                    .push((packet, end + port.delay));
            }
            PacketEvent::Receive => {
                let place = (port.peer, port.peer_port);
                received
                    .entry(place)
                    .or_default()
                    .push((packet, event.time));
            }
            _ => {}
        }
    }
    let (mut late, mut frames) = (0, 0);
    for (place, sent) in &sent {
        let jitter = if place.0.0 < 9 { nic } else { switch };
        let arrivals = &received[place];
        assert_eq!(sent.len(), arrivals.len());
        assert!(arrivals.is_sorted_by(|one, next| one.1 < next.1));
        for ((packet, on_time), (other, arrival)) in sent.iter().zip(arrivals) {
            assert_eq!(packet, other);
            assert!((*on_time..=*on_time + jitter).contains(arrival));
            late += u32::from(arrival > on_time);
            let is_frame = matches!(packet.0, PacketKind::Pause | PacketKind::Resume);
            frames += u32::from(is_frame);
        }
    }
    assert!(late > 1_000 && frames > 20, "{late} late, {frames} frames");
}

/// With jitter of every packet at both ends and the slowest clocks, PFC loses no packet with the
/// smallest buffer, for short and long packets and any threshold.
#[test]
fn pfc_loses_nothing() {
    let gbps = [400, 100, 40, 25, 10, 7, 3, 200, 100, 1, 400, 40].map(Rate::from_gbps);
    let mut pauses = 0;
    for jitter in [20, 87, 1_000].map(Time::from_ns) {
        for mtu in [256, 1_000, 4_096] {
            for threshold in [
                PfcThreshold::Dynamic { shift: 3 },
                PfcThreshold::Static(Bytes::ZERO),
                PfcThreshold::Static(Bytes::new(20_000)),
            ] {
                for (topology, senders) in [
                    (uneven_star(&gbps, Time::from_us(1)), 11),
                    (star(17), 16),
                    (fat_tree(4), 15),
                ] {
                    let mut network = Network::new(topology)
                        .with_flow_control(pfc(threshold.clone(), Headroom::WorstCase));
                    network.config.packets.mtu = Bytes::new(mtu);
                    network.config.timing_errors = errors(jitter, jitter, 1_000);
                    network.use_least_buffer(1);
                    let there = (0..senders).map(|host| flow(host, host, senders, 20 * mtu + 1));
                    let back =
                        (0..senders).map(|host| flow(senders + host, senders, host, 3 * mtu));
                    let flows: Vec<_> = there.chain(back).collect();
                    let outcome = network.run(&flows, &network.uncontrolled());
                    assert_eq!(outcome.dropped(), 0);
                    pauses += outcome.pauses();
                }
            }
        }
    }
    assert!(pauses > 1_000, "{pauses} pauses");
}

/// Without headroom for jitter a packet is lost. The setting is that of
/// `the_worst_case_can_come_true`, with a headroom of 37 710 B for packets of 4144 B on the wire,
/// and jitter of up to 1 us at both ends. The jitter needs 2 · 12 500 B more.
#[test]
fn what_is_late_needs_headroom() {
    let rates = [100, 100, 1].map(Rate::from_gbps);
    let late = errors(Time::from_us(1), Time::from_us(1), 0);
    let lost = |headroom: Headroom| {
        let mut network = Network::new(uneven_star(&rates, Time::from_us(1)))
            .with_flow_control(pfc(PfcThreshold::Static(Bytes::ZERO), headroom));
        network.config.buffer.reserve = Bytes::ZERO;
        network.config.packets.mtu = Bytes::new(4_096);
        network.config.timing_errors = late;
        let faults = (0..34).map(|step| {
            network.config.seed = step;
            let start = Time::from_ns(10 * step);
            let flows = [flow(0, 0, 2, 100_000), at(start, flow(1, 1, 0, 100_000))];
            u32::from(network.try_run(&flows, &network.uncontrolled()).is_err())
        });
        faults.sum::<u32>()
    };
    assert_eq!(lost(Headroom::WorstCase), 0);
    assert!(lost(Headroom::Fixed(Bytes::new(37_710))) > 0);
}

/// A clock of whole nanoseconds has no room for errors.
#[test]
fn errors_need_a_fine_clock() {
    let (mut network, flows) = incast();
    network.config.model.clock = Clock::Nanoseconds;
    network.config.timing_errors = errors(Time::from_ns(1), Time::ZERO, 0);
    let refused = network.try_run(&flows, &network.uncontrolled());
    let refused = refused.expect_err("too coarse").to_string();
    assert!(
        refused.starts_with("jitter: a clock of whole nanoseconds"),
        "{refused}"
    );
}

/// A flow alone is never faster than without errors; at 100 ppm it is slower by at most 100 ppm.
#[test]
fn slow_clocks_make_flows_longer() {
    let fct = |clock_ppm, seed| {
        let mut network = Network::new(star(3));
        network.config.timing_errors = errors(Time::ZERO, Time::ZERO, clock_ppm);
        network.config.seed = seed;
        let outcome = network.run(&[flow(0, 0, 2, 10_000_000)], &network.uncontrolled());
        outcome.flows[0].finish.as_ps() as f64
    };
    let exact = fct(0, 1);
    let ratios: Vec<_> = (1..20).map(|seed| fct(100, seed) / exact).collect();
    assert!(
        ratios
            .iter()
            .all(|ratio| (1.0..1.000_100_1).contains(ratio)),
        "{ratios:?}"
    );
    let mean = ratios.iter().sum::<f64>() / 19.0;
    // The slower clock of host and switch decides: 2/3 of 100 ppm on average.
    assert!((1.000_04..1.000_09).contains(&mean), "{mean}");
}
