use std::collections::BTreeMap;

use incast_units::Bytes;

use super::super::tests::{flows, refused, short};
use super::*;

fn kilobytes() -> PermutationSpec {
    PermutationSpec::new(Bytes::new(1_000))
}

#[test]
fn a_shift_goes_around_the_end() {
    let spec = PermutationSpec {
        hosts: "1-4".parse().unwrap(),
        shift: Some(3),
        start: Time::from_us(5),
        ..kilobytes()
    };
    let expected = [
        (5.0, 1, 4, 1_000),
        (5.0, 2, 1, 1_000),
        (5.0, 3, 2, 1_000),
        (5.0, 4, 3, 1_000),
    ];
    assert_eq!(short(&flows(spec, 6, 1)), expected);
}

#[test]
fn each_host_receives_once_and_never_from_itself() {
    for seed in 0..50 {
        let flows = flows(kilobytes(), 9, seed);
        assert!(flows.iter().all(|flow| flow.source != flow.destination));
        let mut receivers: Vec<_> = flows.iter().map(|flow| flow.destination.0).collect();
        receivers.sort_unstable();
        assert_eq!(receivers, (0..9).collect::<Vec<_>>());
    }
}

/// 4 hosts have 9 derangements. 9 000 rounds: 1 000 each, standard deviation
/// √(9000 · 1/9 · 8/9) = 30; five of them are 149.
#[test]
fn every_derangement_is_equally_likely() {
    let rounds = Some(Rounds {
        count: 9_000,
        every: Time::from_us(1),
    });
    let flows = flows(
        PermutationSpec {
            rounds,
            ..kilobytes()
        },
        4,
        1,
    );
    let mut counts = BTreeMap::new();
    for round in flows.chunks(4) {
        let receivers: Vec<_> = round.iter().map(|flow| flow.destination).collect();
        *counts.entry(receivers).or_insert(0_i32) += 1;
    }
    assert_eq!(counts.len(), 9);
    assert!(
        counts.values().all(|count| (count - 1_000).abs() < 149),
        "{counts:?}"
    );
}

/// The results of every scenario with a random permutation depend on these flows, which a second
/// implementation computed.
#[test]
fn a_random_permutation_is_pinned() {
    let destinations: Vec<_> = flows(kilobytes(), 8, 1)
        .iter()
        .map(|flow| flow.destination.0)
        .collect();
    assert_eq!(destinations, [7, 6, 4, 2, 1, 3, 5, 0]);
}

#[test]
fn impossible_permutations_are_refused() {
    let one = PermutationSpec {
        hosts: HostId(3).into(),
        ..kilobytes()
    };
    assert_eq!(
        refused(one, 4),
        "hosts: 1 host is too few; 2 are needed at least"
    );
    for shift in [0, 4, 8] {
        let shifted = PermutationSpec {
            shift: Some(shift),
            ..kilobytes()
        };
        assert_eq!(
            refused(shifted, 4),
            format!(
                "shift: a shift by {shift} among 4 hosts sends each host to itself; give 1 to 3"
            )
        );
    }
}
