//! Windows below one packet: the NIC sends one packet at a time, at the algorithm's rate.

use incast_cc::{AlgorithmConfig, FlowController, Part, SendLimit};
use incast_units::{Bytes, Rate, Time};

use crate::support::{Fixed, Network, With, flow, star};

/// Ten packets of 1000 B, one at a time, alone on the star. Each has 1048 B on the wire, and a
/// round trip of 4.177 28 us.
///
/// ```text
/// 100 Gb/s: a packet leaves when the one before is acknowledged     10 · 4.177 28 = 41.772 8 us
///   1 Gb/s: packets leave every 8.384 us          9 · 8.384 + 4.177 28 = 79.633 28 us
///   1 Mb/s: every 8.384 ms                        9 · 8384 + 4.177 28 = 75 460.177 28 us
/// ```
#[test]
fn one_packet_at_a_time_goes_at_the_pacing_rate() {
    let network = Network::new(star(17));
    for (rate, fct) in [
        (Rate::from_gbps(100), 41_772_800),
        (Rate::from_gbps(1), 79_633_280),
        (Rate::from_mbps(1), 75_460_177_280),
    ] {
        let limit = SendLimit {
            window: Bytes::new(1),
            ..SendLimit::paced(rate)
        };
        let controllers = With(|_: &_| -> Box<dyn FlowController> { Box::new(Fixed(limit)) });
        let outcome = network.run(&[flow(0, 0, 16, 10_000)], &controllers);
        assert_eq!(outcome.fct(0), Time::from_ps(fct), "{rate}");
    }
}

/// 96 hosts share one link: 0.54 packets each in a base RTT of 4.16 us. 96 flows of 100 packets,
/// 1056 B on the wire with timestamps, take 811 us. With every parameter set and every part, Swift
/// must neither stop nor take twice as long.
#[test]
fn windows_below_a_packet_share_a_link_to_the_end() {
    let mut network = Network::new(star(97));
    network.config.timestamps = true;
    let flows: Vec<_> = (0..96).map(|host| flow(host, host, 96, 100_000)).collect();
    let both = [Part::VariableAi, Part::SamplingFrequency];
    for set in ["published", "fairness"] {
        for parts in [[].as_slice(), &[Part::Probabilistic], &both] {
            let config = AlgorithmConfig::with_parts("swift", Some(set), parts);
            let swift = network.algorithm(config.expect("a set of Swift's"));
            let outcome = network.run(&flows, &swift);
            let last = outcome.flows.iter().map(|flow| flow.finish).max();
            let bounds = Time::from_us(811)..Time::from_us(1_622);
            assert!(bounds.contains(&last.unwrap()), "{set} {parts:?}: {last:?}");
        }
    }
}
