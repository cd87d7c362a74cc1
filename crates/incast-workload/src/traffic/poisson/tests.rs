use std::collections::BTreeMap;

use incast_units::Bytes;

use super::super::TrafficSpec;
use super::super::tests::{flows, network, refused, short};
use super::*;
use crate::files::no_files;
use crate::flow::MAX_START;
use crate::network::Network;
use crate::sizes::Published;

fn hadoop(duration: Time) -> PoissonSpec {
    PoissonSpec::new(Published::FbHadoop, 0.5, duration)
}

fn expected(spec: &PoissonSpec, hosts: u32) -> f64 {
    let spec = TrafficSpec::from(spec.clone());
    spec.validate(&network(hosts), &no_files())
        .unwrap()
        .expected_flows()
}

/// Mean gap per host at 100 Gb/s and 50 % load: 8 · mean / 50 Gb/s. WebSearch 273.8 us, Hadoop
/// 19.27 us, AliStorage 6.54 us; 320 hosts for 50 ms: 58 400, 830 000 and 2 447 000 flows.
#[test]
fn the_load_sets_the_rate_of_arrivals() {
    for (table, gap_us, flows) in [
        (Published::WebSearch, 273.8, 58_400.0),
        (Published::FbHadoop, 19.27, 830_000.0),
        (Published::AliStorage, 6.54, 2_447_000.0),
    ] {
        let spec = PoissonSpec::new(table, 0.5, Time::from_ms(50));
        let expected = expected(&spec, 320);
        assert!(
            (expected / flows - 1.0).abs() < 1e-3,
            "{table:?}: {expected}"
        );
        assert!((320.0 * 50_000.0 / expected / gap_us - 1.0).abs() < 1e-3);
    }
}

/// 32 hosts for 20 ms: 33 217 flows on average, standard deviation √33217 = 182; five of them are
/// 911.
#[test]
fn as_many_flows_come_as_expected() {
    let spec = hadoop(Time::from_ms(20));
    let expected = expected(&spec, 32);
    assert_eq!(expected.round(), 33_217.0);
    let flows = flows(spec, 32, 1).len() as f64;
    assert!((flows - expected).abs() < 911.0, "{flows}");
}

/// 50 % of 32 · 100 Gb/s for 200 ms is 40 GB. In published tables few large flows carry most of the
/// payload, so flows of one size are used: 40 000 of 1 MB, standard deviation √40000 = 200; five of
/// them are 2.5 %.
#[test]
fn the_payload_is_the_load() {
    let spec = PoissonSpec::new(Bytes::new(1_000_000), 0.5, Time::from_ms(200));
    let flows = flows(spec, 32, 1);
    let payload: Bytes = flows.iter().map(|flow| flow.size).sum();
    assert!(
        (payload.as_u64() as f64 / 40e9 - 1.0).abs() < 0.025,
        "{payload}"
    );
}

/// Exponential gaps: e^-1 = 36.8 % of them are longer than the mean. Of 33 000, the standard
/// deviation of that count is √(33000 · 0.368 · 0.632) = 88; five of them are 1.3 % of 33 000.
#[test]
fn gaps_are_exponential() {
    let mut last = BTreeMap::new();
    let (mut gaps, mut long) = (0.0, 0.0);
    for flow in flows(hadoop(Time::from_ms(20)), 32, 1) {
        let before = last.insert(flow.source, flow.start).unwrap_or(Time::ZERO);
        gaps += 1.0;
        long += f64::from(flow.start - before > Time::from_ps(19_267_320));
    }
    let share: f64 = long / gaps;
    assert!((share - (-1.0_f64).exp()).abs() < 0.0133, "{share}");
}

/// 5 hosts with 4 destinations each; about 5 190 flows, 260 for each pair, standard deviation
/// √260 = 16; five of them are 81.
#[test]
fn destinations_are_uniform_over_the_others() {
    let flows = flows(hadoop(Time::from_ms(20)), 5, 1);
    let mut counts = BTreeMap::new();
    for flow in &flows {
        *counts
            .entry((flow.source, flow.destination))
            .or_insert(0_usize) += 1;
    }
    assert_eq!(counts.len(), 20);
    assert!(
        counts
            .keys()
            .all(|(source, destination)| source != destination)
    );
    assert!(
        counts
            .values()
            .all(|count| count.abs_diff(flows.len() / 20) < 81),
        "{counts:?}"
    );
}

#[test]
fn sources_and_destinations_may_be_chosen() {
    let spec = PoissonSpec {
        sources: "0-3".parse().unwrap(),
        destinations: "3,7".parse().unwrap(),
        ..hadoop(Time::from_ms(2))
    };
    let mut pairs: Vec<_> = flows(spec, 8, 1)
        .iter()
        .map(|flow| (flow.source.0, flow.destination.0))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(
        pairs,
        [(0, 3), (0, 7), (1, 3), (1, 7), (2, 3), (2, 7), (3, 7)]
    );
}

/// A host's flows do not depend on the other senders, nor on the order of the list.
#[test]
fn hosts_are_independent() {
    let all = flows(hadoop(Time::from_ms(2)), 8, 1);
    let some = PoissonSpec {
        sources: "5,2".parse().unwrap(),
        ..hadoop(Time::from_ms(2))
    };
    let kept = all
        .into_iter()
        .filter(|flow| [2, 5].contains(&flow.source.0));
    assert_eq!(flows(some, 8, 1), kept.collect::<Vec<_>>());
}

/// Sizes, gaps and destinations have separate random streams: other sizes with the same mean change
/// neither gaps nor destinations.
#[test]
fn purposes_are_independent() {
    let mean = Published::FbHadoop.cdf().mean_bytes();
    let fixed = PoissonSpec {
        sizes: Bytes::new(mean as u64).into(),
        ..hadoop(Time::from_ms(2))
    };
    let destinations = |spec| {
        let flows = flows(spec, 8, 1).into_iter();
        flows
            .filter(|flow| flow.source == HostId(0))
            .map(|flow| flow.destination)
    };
    let common = destinations(fixed.clone())
        .count()
        .min(destinations(hadoop(Time::from_ms(2))).count());
    assert!(common > 90);
    assert!(
        destinations(fixed)
            .take(common)
            .eq(destinations(hadoop(Time::from_ms(2))).take(common))
    );
}

#[test]
fn arrivals_lie_between_start_and_end() {
    let spec = PoissonSpec {
        start: Time::from_ms(3),
        ..hadoop(Time::from_ms(1))
    };
    let late = flows(spec, 8, 1);
    assert!(late.iter().all(|flow| flow.start >= Time::from_ms(3)));
    assert!(late.iter().all(|flow| flow.start < Time::from_ms(4)));
    let early = flows(hadoop(Time::from_ms(1)), 8, 1);
    let moved = early.into_iter().map(|flow| Flow {
        start: flow.start + Time::from_ms(3),
        ..flow
    });
    assert_eq!(late, moved.collect::<Vec<_>>());
}

#[test]
fn a_count_ends_arrivals_too() {
    let counted = PoissonSpec {
        duration: None,
        count: Some(100),
        ..hadoop(Time::ZERO)
    };
    assert_eq!(expected(&counted, 8), 100.0);
    let first: Vec<_> = flows(hadoop(Time::from_ms(1)), 8, 1)
        .into_iter()
        .take(100)
        .collect();
    assert_eq!(flows(counted, 8, 1), first);
    let both = PoissonSpec {
        count: Some(100),
        ..hadoop(Time::from_us(10))
    };
    assert!(flows(both, 8, 1).len() < 20);
}

/// The results of every scenario with Poisson traffic depend on these flows. A second
/// implementation of the formulas of this module, `random` and `sizes` computed them.
#[test]
fn arrivals_are_pinned() {
    let expected = [
        (7.058808, 0, 2, 9),
        (12.84437, 2, 3, 887),
        (18.536907, 1, 0, 412),
        (21.468096, 2, 0, 46_014),
        (23.706882, 1, 2, 693),
    ];
    assert_eq!(short(&flows(hadoop(Time::from_us(25)), 4, 1)), expected);
}

/// At the same load a NIC of twice the rate has twice the flows.
#[test]
fn the_load_is_that_of_the_hosts_own_nic() {
    let rates = vec![
        Rate::from_gbps(100),
        Rate::from_gbps(200),
        Rate::from_gbps(400),
    ];
    let spec = TrafficSpec::from(hadoop(Time::from_ms(1)));
    let valid = spec.validate(&Network::new(rates), &no_files()).unwrap();
    let one = expected(&hadoop(Time::from_ms(1)), 2) / 2.0;
    assert!((valid.expected_flows() / one - 7.0).abs() < 1e-9);
}

#[test]
fn impossible_arrivals_are_refused() {
    let ms = hadoop(Time::from_ms(1));
    let load = |load| PoissonSpec { load, ..ms.clone() };
    for (spec, message) in [
        (
            load(1.5),
            "load: 1.5 is more than the links carry; give a load above 0 and at most 1",
        ),
        (
            load(0.0),
            "load: 0 is no traffic; give a load above 0 and at most 1",
        ),
        (
            load(-0.5),
            "load: -0.5 is less than nothing; give a load above 0 and at most 1",
        ),
        (
            load(f64::NAN),
            "load: NaN is not a number; give a load above 0 and at most 1",
        ),
        (
            PoissonSpec {
                duration: None,
                ..ms.clone()
            },
            "duration: nothing ends this traffic; give `duration`, `count`, or both",
        ),
        (
            PoissonSpec {
                duration: Some(Time::ZERO),
                ..ms.clone()
            },
            "duration: 0 is no time; give a time above 0, e.g. `20us`",
        ),
        (
            PoissonSpec {
                count: Some(0),
                ..ms.clone()
            },
            "count: 0 makes no traffic; give at least 1",
        ),
        (
            PoissonSpec {
                duration: Some(MAX_START + Time::from_ps(1)),
                ..ms.clone()
            },
            "duration: 4611686.018427387905s is too late to simulate; \
             let flows start within 4611686s (53 days)",
        ),
        (
            PoissonSpec {
                sizes: Bytes::ZERO.into(),
                ..ms.clone()
            },
            "sizes: a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            PoissonSpec {
                sources: "0-99".parse().unwrap(),
                ..ms.clone()
            },
            "sources: host 99 does not exist; the network has hosts 0–7",
        ),
        (
            PoissonSpec {
                destinations: "8".parse().unwrap(),
                ..ms.clone()
            },
            "destinations: host 8 does not exist; the network has hosts 0–7",
        ),
        (
            PoissonSpec {
                destinations: "3".parse().unwrap(),
                ..ms.clone()
            },
            "destinations: host 3 has only itself to send to; add another host",
        ),
    ] {
        assert_eq!(refused(spec, 8), message);
    }
    let spec = TrafficSpec::from(ms);
    let idle = Network::new(vec![Rate::from_gbps(1), Rate::ZERO]);
    assert_eq!(
        spec.validate(&idle, &no_files()).unwrap_err().to_string(),
        "sources: the NIC of host 1 has no rate, so a load on it means nothing; leave the host out"
    );
}

#[test]
fn a_load_at_which_so_many_flows_never_arrive() {
    let seldom = PoissonSpec {
        duration: None,
        count: Some(3),
        ..PoissonSpec::new(Bytes::new(1000), 1e-300, Time::from_ms(1))
    };
    assert_eq!(
        refused(seldom, 8),
        "load: 3 flows take too long: some 0 arrive in 53 days; write a higher load, or a duration"
    );
}
