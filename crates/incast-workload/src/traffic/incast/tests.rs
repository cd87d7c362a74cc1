use incast_units::Bytes;

use super::super::tests::{flows, refused, short};
use super::*;
use crate::flow::Flow;

fn megabytes(senders: &str, receiver: u32) -> IncastSpec {
    IncastSpec::new(
        senders.parse().unwrap(),
        HostId(receiver),
        Bytes::new(1_000_000),
    )
}

/// 16 flows of 1 MB to host 16, two start every 20 us: the last pair at 7 · 20 = 140 us.
#[test]
fn two_start_every_20_us() {
    let spec = IncastSpec {
        stagger: Some(Stagger {
            group: 2,
            every: Time::from_us(20),
        }),
        ..megabytes("0-15", 16)
    };
    let flows = short(&flows(spec, 17, 1));
    assert_eq!(flows.len(), 16);
    for (index, flow) in flows.into_iter().enumerate() {
        let start_us = (index / 2 * 20) as f64;
        assert_eq!(flow, (start_us, index as u32, 16, 1_000_000));
    }
}

#[test]
fn all_start_together_unless_told_otherwise() {
    let spec = IncastSpec {
        start: Time::from_us(3),
        ..megabytes("all", 1)
    };
    let expected = [
        (3.0, 0, 1, 1_000_000),
        (3.0, 2, 1, 1_000_000),
        (3.0, 3, 1, 1_000_000),
    ];
    assert_eq!(short(&flows(spec, 4, 1)), expected);
}

/// 100 flows, each up to 200 us late: their mean delay is 100 us with a standard deviation of
/// 200/√12/√100 = 5.8 us; five of them are 29.
#[test]
fn jitter_spreads_the_starts() {
    let spec = IncastSpec {
        jitter: Time::from_us(200),
        ..megabytes("0-99", 100)
    };
    let flows = flows(spec, 101, 1);
    assert!(flows.iter().all(|flow| flow.start < Time::from_us(200)));
    let mean = flows.iter().map(|flow| flow.start).sum::<Time>().as_ps() as f64 / 100.0 / 1e6;
    assert!((mean - 100.0).abs() < 29.0, "{mean}");
}

fn receivers(flows: &[Flow]) -> Vec<u32> {
    flows.iter().map(|flow| flow.destination.0).collect()
}

#[test]
fn each_round_draws_its_receiver_and_senders() {
    let spec = IncastSpec {
        receiver: IncastReceiver::Random,
        fan_in: Some(3),
        rounds: Some(Rounds {
            count: 40,
            every: Time::from_us(10),
        }),
        ..megabytes("0-7", 0)
    };
    let flows = flows(spec, 16, 1);
    assert_eq!(flows.len(), 40 * 3);
    let mut seen = std::collections::BTreeSet::new();
    for (round, flows) in flows.chunks(3).enumerate() {
        let mut hosts = receivers(flows);
        hosts.dedup();
        assert_eq!(hosts.len(), 1, "one receiver");
        seen.insert(hosts[0]);
        hosts.extend(flows.iter().map(|flow| flow.source.0));
        hosts.sort_unstable();
        hosts.dedup();
        assert_eq!(hosts.len(), 4, "three senders beside it");
        assert!(hosts.iter().all(|host| *host < 8));
        assert!(
            flows
                .iter()
                .all(|flow| flow.start == Time::from_us(10 * round as u64))
        );
    }
    // Some receiver of 8 is not drawn in 40 rounds with probability 8 · (7/8)^40 = 4 %; with this
    // seed, all are drawn.
    assert_eq!(seen.len(), 8);
}

/// The results of every scenario with random incasts depend on these flows, which a second
/// implementation computed.
#[test]
fn a_random_incast_is_pinned() {
    let spec = IncastSpec {
        receiver: IncastReceiver::Random,
        fan_in: Some(3),
        jitter: Time::from_us(1),
        ..megabytes("0-7", 0)
    };
    let expected = [
        (0.234206, 1, 5, 1_000_000),
        (0.364758, 4, 5, 1_000_000),
        (0.576722, 2, 5, 1_000_000),
    ];
    assert_eq!(short(&flows(spec, 8, 1)), expected);
}

#[test]
fn impossible_incasts_are_refused() {
    let rounds = |count, every_us| {
        let every = Time::from_us(every_us);
        Some(Rounds { count, every })
    };
    let stagger = |group, every| Some(Stagger { group, every });
    for (spec, message) in [
        (
            megabytes("0-17", 16),
            "senders: host 17 does not exist; the network has hosts 0–16",
        ),
        (
            megabytes("0-15", 17),
            "receiver: host 17 does not exist; the network has hosts 0–16",
        ),
        (
            megabytes("0-16", 16),
            "senders: host 16 would send to itself; give another host",
        ),
        (
            megabytes("shuffled 0-3", 16),
            "senders: whether host 16 is among these is left to the seed; \
             write senders = \"all\" with fan_in = 4 for 4 others drawn at random, or \
             receiver = \"random\" for one of these hosts",
        ),
        (
            IncastSpec {
                fan_in: Some(0),
                ..megabytes("0-15", 16)
            },
            "fan_in: 0 makes no traffic; give at least 1",
        ),
        (
            IncastSpec {
                fan_in: Some(17),
                ..megabytes("0-15", 16)
            },
            "fan_in: 17 hosts cannot be drawn from 16; give at most 16",
        ),
        (
            IncastSpec {
                receiver: IncastReceiver::Random,
                ..megabytes("3", 16)
            },
            "senders: 1 host is too few; 2 are needed at least",
        ),
        (
            IncastSpec {
                stagger: stagger(0, Time::from_us(1)),
                ..megabytes("0-15", 16)
            },
            "stagger.group: 0 makes no traffic; give at least 1",
        ),
        (
            IncastSpec {
                stagger: stagger(1, Time::MAX),
                ..megabytes("0-15", 16)
            },
            "stagger.every: 18446744.073709551615s is too late to simulate; \
             let flows start within 4611686s (53 days)",
        ),
        (
            IncastSpec {
                start: Time::MAX,
                ..megabytes("0-15", 16)
            },
            "start: 18446744s is too late to simulate; let flows start within 4611686s (53 days)",
        ),
        (
            IncastSpec {
                rounds: rounds(0, 1),
                ..megabytes("0-15", 16)
            },
            "rounds.count: 0 makes no traffic; give at least 1",
        ),
        (
            IncastSpec {
                rounds: rounds(2, 0),
                ..megabytes("0-15", 16)
            },
            "rounds.every: 0 is no time; give a time above 0, e.g. `20us`",
        ),
        (
            IncastSpec {
                rounds: rounds(u64::MAX, 1),
                ..megabytes("0-15", 16)
            },
            "rounds.count: 18446744073709s is too late to simulate; \
             let flows start within 4611686s (53 days)",
        ),
        // 8 groups 20 us apart: the last starts at 140 us, up to 5 us late.
        (
            IncastSpec {
                stagger: stagger(2, Time::from_us(20)),
                jitter: Time::from_us(5),
                rounds: rounds(2, 100),
                ..megabytes("0-15", 16)
            },
            "rounds.every: the next round would begin after 100us, when this one still starts \
             flows until 145us; give 145us or more",
        ),
    ] {
        assert_eq!(refused(spec, 17), message);
    }
    let alone = IncastSpec {
        senders: HostSet::All,
        ..megabytes("0", 0)
    };
    assert_eq!(
        refused(alone, 1),
        "senders: 1 host is too few; 2 are needed at least"
    );
}
