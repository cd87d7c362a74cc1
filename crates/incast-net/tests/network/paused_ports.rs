//! Samples of paused ports have the number of ports paused at that time, at switches and hosts,
//! however far the series is thinned, on every execution path and any number of threads.

use std::collections::BTreeMap;

use incast_net::{ExecutionPath, Flow, Headroom, PfcThreshold, Recording, RowLimit, Threads};
use incast_topology::Dumbbell;
use incast_units::{Bytes, Rate, Time};

use crate::support::{Network, flow, pfc, several_threads, star};

/// Pauses from `threshold` bytes on.
fn pausing(network: Network, threshold: u64) -> Network {
    let threshold = PfcThreshold::Static(Bytes::new(threshold));
    let mut network = network.with_flow_control(pfc(threshold, Headroom::WorstCase));
    network.config.buffer.reserve = Bytes::ZERO;
    network.measure.pauses = true;
    network.measure.until = Time::MAX;
    network
}

/// The flow's only packet, 1048 B, pauses its host from 83.84 + 1000 + 5.12 + 1000 ns on, for 5.12
/// ns; a frame takes 5.12 ns. Samples every nanosecond find the NIC paused at 2089 to 2094 ns,
/// whether flows are sampled then, later or never.
#[test]
fn samples_lie_within_the_pause() {
    for flow_interval in [None, Some(Time::from_ns(1)), Some(Time::from_us(10))] {
        let mut network = pausing(Network::new(star(3)), 0);
        network.measure.queue_interval = Some(Time::from_ns(1));
        network.measure.flow_interval = flow_interval;
        let outcome = network.run(&[flow(0, 0, 2, 1_000)], &network.uncontrolled());
        let ticks = outcome.recording.queue_ticks.iter();
        let paused: Vec<_> = ticks
            .filter(|tick| tick.paused_ports > 0)
            .map(|tick| (tick.time.as_ps() / 1000, tick.paused_ports))
            .collect();
        let expected = [2089, 2090, 2091, 2092, 2093, 2094].map(|ns| (ns, 1));
        assert_eq!(paused, expected, "{flow_interval:?}");
    }
}

/// Three hosts send to a slow host through two switches, which pause each other and the hosts.
fn paused_network(stop: Option<Time>) -> Network {
    let dumbbell = Dumbbell {
        switches: 2,
        senders: 3,
        receivers: 1,
        receiver_rate: Rate::from_gbps(10),
        delay: Time::from_us(1),
        ..Dumbbell::default()
    };
    let mut network = pausing(Network::new(dumbbell.build().unwrap()), 20_000);
    network.measure.queue_interval = Some(Time::from_ns(700));
    network.measure.flow_interval = Some(Time::from_us(10));
    network.stop = stop;
    network
}

/// Number of paused ports at the times of the samples, computed from the PFC frames before.
fn by_frames(recording: &Recording) -> Vec<(Time, u64)> {
    let mut frames = recording.pauses.iter().peekable();
    let mut paused = BTreeMap::new();
    let ticks = recording.queue_ticks.iter();
    ticks
        .map(|tick| {
            while let Some(frame) = frames.next_if(|frame| frame.time < tick.time) {
                paused.insert((frame.node, frame.port), frame.paused);
            }
            let count = paused.values().filter(|is_paused| **is_paused).count();
            (tick.time, count as u64)
        })
        .collect()
}

fn sampled(recording: &Recording) -> Vec<(Time, u64)> {
    let ticks = recording.queue_ticks.iter();
    ticks.map(|tick| (tick.time, tick.paused_ports)).collect()
}

/// In a run to its end, and in a run that stops while all hosts are paused. PFC frames have the
/// same limit of rows, so a thinned series is compared with the samples of the whole series.
#[test]
fn samples_agree_with_frames() {
    for stop in [None, Some(Time::from_us(101))] {
        let mut network = paused_network(stop);
        let flows: Vec<Flow> = (0..3).map(|host| flow(host, host, 3, 400_000)).collect();
        let whole = network.run(&flows, &network.uncontrolled()).recording;
        let all = sampled(&whole);
        let frames = by_frames(&whole);
        let wrong = all.iter().zip(&frames).find(|(one, other)| one != other);
        assert_eq!((wrong, all.len()), (None, frames.len()), "{stop:?}");
        // All hosts, and the port between the switches.
        assert!(all.iter().any(|(_, paused)| *paused == 4), "{stop:?}");
        assert!(stop.is_none() || all.last().is_some_and(|(_, paused)| *paused >= 3));
        for limit in [100, 500, 1_000_000] {
            network.measure.row_limit = RowLimit(limit);
            for threads in [Threads::ONE, several_threads(2, 3), several_threads(3, 5)] {
                for path in [ExecutionPath::Fast, ExecutionPath::Plain] {
                    (network.threads, network.path) = (threads, path);
                    let part = network.run(&flows, &network.uncontrolled()).recording;
                    let every = part.kept_intervals.queues.expect("queues are sampled");
                    assert_eq!(every > Time::from_ns(700), limit < 1_000_000);
                    let kept =
                        |(time, _): &&(Time, u64)| time.as_ps().is_multiple_of(every.as_ps());
                    let expected: Vec<_> = all.iter().filter(kept).copied().collect();
                    assert_eq!(sampled(&part), expected, "{limit} {threads:?} {path:?}");
                }
            }
        }
    }
}
