use super::super::tests::{flows, refused, short};
use super::*;

/// 3 hosts, 10 B: chunks 0–2 have ⌊10/3⌋ = 3, ⌊20/3⌋ - 3 = 3 and 10 - 6 = 4 bytes. Host i sends
/// chunk i - s (mod 3) in step s; there are 2·(3 - 1) = 4 steps.
#[test]
fn chunks_go_around_the_ring() {
    let spec = RingAllReduceSpec {
        start: Time::from_us(1),
        ..RingAllReduceSpec::new(Bytes::new(10), Time::from_us(5))
    };
    let expected = [
        (1.0, 0, 1, 3),
        (1.0, 1, 2, 3),
        (1.0, 2, 0, 4),
        (6.0, 0, 1, 4),
        (6.0, 1, 2, 3),
        (6.0, 2, 0, 3),
        (11.0, 0, 1, 3),
        (11.0, 1, 2, 4),
        (11.0, 2, 0, 3),
        (16.0, 0, 1, 3),
        (16.0, 1, 2, 3),
        (16.0, 2, 0, 4),
    ];
    assert_eq!(short(&flows(spec, 3, 1)), expected);
}

/// Each of n = 4 hosts sends 2·D·(n - 1)/n = 2 · 64 MB · 3/4 = 96 MB a round.
#[test]
fn every_host_sends_its_share() {
    let spec = RingAllReduceSpec {
        rounds: Some(Rounds {
            count: 2,
            every: Time::from_ms(10),
        }),
        ..RingAllReduceSpec::new(Bytes::new(64_000_000), Time::from_us(400))
    };
    let flows = flows(spec, 4, 1);
    for host in 0..4 {
        let own = flows.iter().filter(|flow| flow.source == HostId(host));
        let sent: Bytes = own.map(|flow| flow.size).sum();
        assert_eq!(sent, Bytes::new(2 * 96_000_000));
    }
    assert_eq!(flows[24].start, Time::from_ms(10));
}

#[test]
fn impossible_rings_are_refused() {
    let ring = |data, step_us| RingAllReduceSpec::new(Bytes::new(data), Time::from_us(step_us));
    let rounds = Some(Rounds {
        count: 2,
        every: Time::from_us(4),
    });
    for (spec, message) in [
        (
            ring(3, 1),
            "data: 3B cannot be cut into a chunk for each of 4 hosts; give at least 4B",
        ),
        (
            ring(0, 1),
            "data: a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            ring(4, 0),
            "step_every: 0 is no time; give a time above 0, e.g. `20us`",
        ),
        (
            RingAllReduceSpec {
                hosts: HostId(0).into(),
                ..ring(4, 1)
            },
            "hosts: 1 host is too few; 2 are needed at least",
        ),
        // 6 steps, the last starts after 5 us.
        (
            RingAllReduceSpec {
                rounds,
                ..ring(4, 1)
            },
            "rounds.every: the next round would begin after 4us, when this one still starts flows \
             until 5us; give 5us or more",
        ),
    ] {
        assert_eq!(refused(spec, 4), message);
    }
}
