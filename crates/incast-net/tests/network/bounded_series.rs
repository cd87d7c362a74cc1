//! Series are bounded: if there are too many samples, every second one is dropped. The remaining
//! samples are the same as without a bound, on all execution paths and any number of threads. Idle
//! time has two samples.

use std::collections::BTreeMap;

use incast_net::{ExecutionPath, Flow, QueueSample, Recording, RowLimit, Threads, Tick};
use incast_units::{Rate, Time};

use crate::support::{Network, at, flow, several_threads, star_of};

/// Start of the last two flows.
const LATE: Time = Time::from_us(400);

/// Nine hosts around a switch whose ports are all recorded, sampled every 100 and every 200 ns.
fn network() -> Network {
    let mut network = Network::new(star_of(9, Rate::from_gbps(100), Time::from_us(1)));
    network.measure.queue_interval = Some(Time::from_ns(100));
    network.measure.flow_interval = Some(Time::from_ns(200));
    network.measure.until = Time::MAX;
    network.measure.queue_ports = (9..18).collect();
    network.measure.flows = true;
    network.measure.probes = true;
    network.measure.pauses = true;
    network
}

/// Eight senders of 300 kB and, long after these are done, two senders of 20 kB.
fn flows(late: Time) -> Vec<Flow> {
    let early = (0..8).map(|host| {
        at(
            Time::from_ns(u64::from(host) * 730),
            flow(host, host, 8, 300_000),
        )
    });
    let others = (8..10).map(|id| at(late, flow(id, id - 8, 8, 20_000)));
    early.chain(others).collect()
}

fn record(network: &Network, limit: usize, late: Time) -> Recording {
    let mut bounded = Network::new(star_of(9, Rate::from_gbps(100), Time::from_us(1)));
    bounded.measure = network.measure.clone();
    bounded.measure.row_limit = RowLimit(limit);
    (bounded.threads, bounded.path) = (network.threads, network.path);
    bounded.run(&flows(late), &bounded.uncontrolled()).recording
}

/// The ticks without the bytes acknowledged since the previous tick.
fn states(ticks: &[Tick]) -> BTreeMap<Time, Tick> {
    let state = |tick: &Tick| Tick { acked: 0, ..*tick };
    ticks.iter().map(|tick| (tick.time, state(tick))).collect()
}

fn acked(ticks: &[Tick], until: Time) -> u64 {
    let ticks = ticks.iter().take_while(|tick| tick.time <= until);
    ticks.map(|tick| tick.acked).sum()
}

#[test]
fn a_bounded_series_is_a_part_of_the_whole() {
    let whole = record(&network(), 1_000_000, LATE);
    assert_eq!(
        whole.kept_intervals.queues,
        network().measure.queue_interval
    );
    for limit in [20, 300, 2_000, 30_000] {
        let bounded = record(&network(), limit, LATE);
        let queues = bounded.kept_intervals.queues.expect("queues are sampled");
        let flows = bounded.kept_intervals.flows.expect("flows are sampled");
        let is_kept = |time: Time, every: Time| time.as_ps().is_multiple_of(every.as_ps());
        assert!(bounded.queues.len() + 3 * bounded.queue_ticks.len() <= limit.max(30));
        assert!(4 * bounded.flow_samples.len() + bounded.probes.len() <= limit);

        // The first and last samples of idle time may be at different times.
        let waiting = |sample: &&QueueSample| sample.bytes > 0;
        let kept = whole.queues.iter().filter(waiting);
        let kept = kept.filter(|sample| is_kept(sample.time, queues));
        assert!(bounded.queues.iter().filter(waiting).eq(kept), "{limit}");
        let kept = whole
            .flow_samples
            .iter()
            .filter(|sample| is_kept(sample.time, flows));
        assert!(bounded.flow_samples.iter().eq(kept), "{limit}");
        for (part, all) in [
            (&bounded.queue_ticks, &whole.queue_ticks),
            (&bounded.flow_ticks, &whole.flow_ticks),
        ] {
            let all_states = states(all);
            for (time, state) in states(part) {
                let known = all_states.get(&time).copied();
                assert_eq!(
                    state,
                    known.unwrap_or(Tick {
                        time,
                        ..Tick::default()
                    }),
                    "{limit}"
                );
                assert_eq!(acked(part, time), acked(all, time), "{limit} {time}");
            }
        }
        // Histograms count all samples, including those dropped from the series.
        assert_eq!(bounded.queue_histogram, whole.queue_histogram);
        assert_eq!(bounded.queue_sum, whole.queue_sum);
        assert_eq!(bounded.ports, whole.ports);
    }
}

/// All execution paths, on any number of threads, keep the same samples.
fn all_keep_the_same(limit: usize) {
    let mut network = network();
    let expected = record(&network, limit, LATE);
    for threads in [Threads::ONE, several_threads(2, 3), several_threads(3, 5)] {
        for path in [ExecutionPath::Fast, ExecutionPath::Plain] {
            (network.threads, network.path) = (threads, path);
            let other = record(&network, limit, LATE);
            assert!(
                format!("{other:?}") == format!("{expected:?}"),
                "{limit} {threads:?} {path:?}"
            );
        }
    }
}

#[test]
fn paths_and_threads_keep_the_same() {
    for limit in [500, 5_000] {
        all_keep_the_same(limit);
    }
}

/// If the limit is one below the rows of a whole or thinned series, the series is thinned once
/// more, on all execution paths and any number of threads.
#[test]
fn the_last_row_that_fits_decides_on_all_threads() {
    let network = network();
    let kept = |limit| record(&network, limit, LATE).kept_intervals;
    let first_limit = |most: usize, is_enough: &dyn Fn(usize) -> bool| {
        let (mut few, mut enough) = (1, most);
        while few + 1 < enough {
            let limit = usize::midpoint(few, enough);
            if is_enough(limit) {
                enough = limit;
            } else {
                few = limit;
            }
        }
        enough
    };
    let (queues, flows) = (Time::from_ns(200), Time::from_ns(400));
    let of_queues = first_limit(100_000, &|limit| kept(limit).queues <= Some(queues));
    let of_flows = first_limit(100_000, &|limit| kept(limit).flows <= Some(flows));
    for limit in [of_queues - 1, of_queues, of_flows - 1, of_flows] {
        all_keep_the_same(limit);
    }
}

/// An hour between flows changes only times. ACK k of the 40 late packets arrives (k + 1)·83.84 +
/// 2·4.8 + 4000 ns after their start. The last arrives at 7447 ns, after the last sample of the run
/// at 7400 ns; the one before arrives at 7363 ns.
#[test]
fn idle_time_takes_no_rows() {
    let hour = Time::from_ms(3_600_000);
    let soon = record(&network(), 1_000_000, Time::from_ms(1));
    let later = record(&network(), 1_000_000, hour + Time::from_ms(1));
    assert_eq!(later.kept_intervals, soon.kept_intervals);
    assert_eq!(later.queue_ticks.len(), soon.queue_ticks.len());
    assert_eq!(later.queues.len(), soon.queues.len());
    let shifted = |tick: &Tick| Tick {
        time: tick.time - hour,
        ..*tick
    };
    let after: Vec<_> = later
        .flow_ticks
        .iter()
        .filter(|tick| tick.time >= hour)
        .map(shifted)
        .collect();
    assert!(soon.flow_ticks.ends_with(&after[1..]));
    assert_eq!(acked(&after, Time::MAX), 39_000);
    // Except for the samples of idle time, all of which find empty queues.
    let busy = |recording: &Recording| Vec::from_iter(recording.queue_histogram.bins().skip(1));
    assert_eq!(
        (busy(&later), later.queue_sum),
        (busy(&soon), soon.queue_sum)
    );
    let samples = later.queue_histogram.total();
    let last = later.queue_ticks.last().expect("a sample").time;
    assert_eq!(samples, 9 * (last.as_ps() / 100_000 + 1));
}

/// Flows wait 200 us for their last ACKs. Samples of this time that are taken together equal
/// samples taken one by one. Samples are taken one by one if controllers provide values; these
/// controllers provide none.
#[test]
fn samples_of_a_wait_are_those_taken_one_by_one() {
    let flows: Vec<_> = (0..8)
        .map(|host| {
            at(
                Time::from_us(30 * u64::from(host)),
                flow(host, host, 8, 50_000),
            )
        })
        .collect();
    let ticks = |one_by_one, limit| {
        let mut network = Network::new(star_of(9, Rate::from_gbps(100), Time::from_us(50)));
        network.measure.flow_interval = Some(Time::from_ns(200));
        network.measure.until = Time::MAX;
        network.measure.probes = one_by_one;
        network.measure.row_limit = RowLimit(limit);
        let recording = network.run(&flows, &network.uncontrolled()).recording;
        assert!(recording.probes.is_empty());
        (recording.kept_intervals.flows, recording.flow_ticks)
    };
    for limit in [20, 100, 300, 1_000, 10_000] {
        let at_once = ticks(false, limit);
        assert!(at_once == ticks(true, limit), "{limit}");
        assert!(
            limit == 10_000 || at_once.0 > Some(Time::from_ns(200)),
            "{limit}"
        );
    }
}
