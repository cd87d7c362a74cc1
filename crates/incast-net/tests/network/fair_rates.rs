//! The steady state of fair rates from switches, and of RoCC's senders.
//!
//! Targets are those of the RoCC paper (CoNEXT 2020, §6): the fair rate, and the queue at its
//! reference.

use incast_cc::{AlgorithmConfig, Parameters as _, RoccConfig};
use incast_topology::{Link, Topology};
use incast_units::{HostId, NodeId, Rate, Time};

use crate::support::{Network, Outcome, flow, requested, star_of};

const DELAY: Time = Time::from_ns(1_500);

/// Runs endless flows until `until`, with samples of one port's queue and of rates.
fn run(topology: Topology, flows: &[(u32, u32)], port: (u32, u32), until: Time) -> Outcome {
    let config = RoccConfig::default();
    let mut network = Network::new(topology);
    network.config.programs = requested(&config.needs());
    network.stop = Some(until);
    network.measure.until = Time::MAX;
    network.measure.queue_interval = Some(Time::from_us(20));
    network.measure.queue_ports = vec![network.port(port.0, port.1) as u32];
    network.measure.flow_interval = Some(Time::from_us(20));
    network.measure.flows = true;
    let endless = |(id, &(from, to))| flow(id, from, to, 4_000_000_000);
    let flows: Vec<_> = (0..).zip(flows).map(endless).collect();
    network.run(&flows, &network.algorithm(AlgorithmConfig::Rocc(config)))
}

/// Means from `since` on: the queue in KB, and each flow's rate in Gb/s.
fn means(outcome: &Outcome, flows: u32, since: Time) -> (f64, Vec<f64>) {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let queues = outcome.recording.queues.iter();
    let queues = queues.filter(|sample| sample.time >= since);
    let queue = mean(queues.map(|sample| sample.bytes as f64 / 1e3).collect());
    let rate_of = |id: u32| {
        let samples = outcome.recording.flow_samples.iter();
        let samples = samples.filter(|sample| sample.time >= since && sample.flow.0 == id);
        mean(
            samples
                .map(|sample| sample.rate.as_bps() as f64 / 1e9)
                .collect(),
        )
    };
    (queue, (0..flows).map(rate_of).collect())
}

#[track_caller]
fn assert_near(value: f64, expected: f64, tolerance: f64) {
    let error = (value - expected).abs() / expected;
    assert!(error < tolerance, "{value}, expected {expected}");
}

/// N senders to one receiver get C/N each, and the queue settles at Q_ref: 150 KB at 40 Gb/s, 300
/// KB at 100 Gb/s.
#[test]
fn senders_share_a_link_and_the_queue_settles_at_its_reference() {
    for (gbps, count, reference) in [
        (40, 2, 150.0),
        (40, 10, 150.0),
        (100, 2, 300.0),
        (100, 10, 300.0),
        (100, 100, 300.0),
    ] {
        let topology = star_of(count + 1, Rate::from_gbps(gbps), DELAY);
        let flows: Vec<_> = (0..count).map(|sender| (sender, count)).collect();
        let switch_port = (count + 1, count);
        let outcome = run(topology, &flows, switch_port, Time::from_ms(10));
        let (queue, rates) = means(&outcome, count, Time::from_ms(8));
        assert_near(queue, reference, 0.05);
        for rate in rates {
            assert_near(rate, gbps as f64 / f64::from(count), 0.02);
        }
    }
}

/// Flows 0 to 4 cross a link of 40 Gb/s; flow 0 shares the receiver's 10 Gb/s with flow 5. Flows 0
/// and 5 get 5 Gb/s, the other flows get (40 − 5)/4 = 8.75 Gb/s.
///
/// ```text
/// 0 … 4 ──10── 11 ══40══ 12 ──10── 6 … 10       5 ──10── 12
/// ```
#[test]
fn a_flow_over_two_bottlenecks_is_not_put_at_a_disadvantage() {
    let link = |a, b, gbps| Link::new(NodeId(a), NodeId(b), Rate::from_gbps(gbps), DELAY);
    let mut links: Vec<_> = (0..5).map(|host| link(host, 11, 10)).collect();
    links.extend((5..11).map(|host| link(host, 12, 10)));
    links.push(link(11, 12, 40));
    let topology = Topology::new("two bottlenecks", 11, 2, links);
    let flows = [(0, 6), (1, 7), (2, 8), (3, 9), (4, 10), (5, 6)];
    let outcome = run(topology, &flows, (12, 6), Time::from_ms(25));
    let (queue, rates) = means(&outcome, 6, Time::from_ms(20));
    let expected = [5.0, 8.75, 8.75, 8.75, 8.75, 5.0];
    for (rate, expected) in rates.into_iter().zip(expected) {
        assert_near(rate, expected, 0.02);
    }
    assert_near(queue, 75.0, 0.05);
}

/// Five senders at 40 Gb/s and two at 100 Gb/s share a link of 100 Gb/s: 100/7 = 14.29 Gb/s each.
#[test]
fn the_senders_own_links_do_not_matter() {
    let rate_of = |host| if host < 5 { 40 } else { 100 };
    let links = (0..8).map(|host| {
        let rate = Rate::from_gbps(rate_of(host));
        Link::new(HostId(host).into(), NodeId(8), rate, DELAY)
    });
    let topology = Topology::new("asymmetric", 8, 1, links.collect());
    let flows: Vec<_> = (0..7).map(|sender| (sender, 7)).collect();
    let outcome = run(topology, &flows, (8, 7), Time::from_ms(12));
    let (queue, rates) = means(&outcome, 7, Time::from_ms(10));
    for rate in rates {
        assert_near(rate, 100.0 / 7.0, 0.02);
    }
    assert_near(queue, 300.0, 0.05);
}
