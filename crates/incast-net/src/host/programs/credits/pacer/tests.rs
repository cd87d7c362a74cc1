use super::*;

/// A quantum of 256 B at 0.99 · 100 Gb/s: 2048/99e9 s = 20 686.87 ps, rounded down to whole ps.
const QUANTUM: Time = Time::from_ps(20_686);
const NS: fn(u64) -> Time = Time::from_ns;

fn pacer(options: &CreditOptions, window: u64) -> PullPacer {
    PullPacer::new(options, Rate::from_gbps(100), window)
}

fn every_demand() -> CreditOptions {
    CreditOptions {
        idle_turns: IdleTurns::OfDemands,
        ..CreditOptions::default()
    }
}

/// All pulls that are due before `until`: flow, credit that the pull adds, time.
fn pulls(pacer: &mut PullPacer, until: Time) -> Vec<(u32, u64, Time)> {
    let mut pulls = Vec::new();
    while pacer.due() < until {
        let now = pacer.due();
        pulls.extend(pacer.pull(now).map(|pull| (pull.flow, pull.more, now)));
    }
    pulls
}

/// Flow 1 asks for 100 quanta. Flow 2 asks for 70 during the first pull. Pulls bring 64, 64, 36, 6,
/// each after the time of the one before.
#[test]
fn active_flows_take_turns() {
    let mut pacer = pacer(&CreditOptions::default(), 0);
    pacer.demand(1, 100, NS(10));
    let mut seen = pulls(&mut pacer, NS(11));
    pacer.demand(2, 70, NS(500));
    seen.extend(pulls(&mut pacer, NS(10) + QUANTUM * 170));
    let at = |quanta| NS(10) + QUANTUM * quanta;
    let expected = [
        (1, 64, at(0)),
        (1, 36, at(64)),
        (2, 64, at(100)),
        (2, 6, at(164)),
    ];
    // Flow 1 was alone in the list when its first pull left, so it is in the list again before
    // flow 2.
    assert_eq!(seen, expected);
}

/// A window of 200 quanta: beyond its target of 10 the flow gets 64 each, while it is less than 200
/// ahead: 64, 128, 192, 256. Then the pacer stops. It starts at once at the next request.
#[test]
fn an_idle_flow_gets_a_window() {
    let mut pacer = pacer(&CreditOptions::default(), 200 * 256);
    pacer.demand(1, 10, Time::ZERO);
    let seen = pulls(&mut pacer, Time::MAX);
    let quanta: Vec<_> = seen.iter().map(|(_, more, _)| *more).collect();
    assert_eq!(quanta, [10, 64, 64, 64, 64]);
    assert_eq!(pacer.due(), Time::MAX);
    pacer.demand(1, 300, NS(90_000));
    assert_eq!(pulls(&mut pacer, NS(90_001)), [(1, 34, NS(90_000))]);
}

/// Idle flows wait while a flow is active. Flow 2, which has asked for 200, is served four times.
/// Then flow 1 gets credit that it has not asked for.
#[test]
fn credit_beyond_demand_waits_for_active_flows() {
    let mut pacer = pacer(&CreditOptions::default(), 100 * 256);
    pacer.demand(1, 1, Time::ZERO);
    pacer.demand(2, 200, Time::ZERO);
    let order: Vec<_> = pulls(&mut pacer, QUANTUM * 202)
        .iter()
        .map(|(flow, more, _)| (*flow, *more))
        .collect();
    assert_eq!(order, [(1, 1), (2, 64), (2, 64), (2, 64), (2, 8), (1, 64)]);
}

/// A flow that asks again without a larger target is served in its turn and gets nothing. The pacer
/// then waits for the time of four quanta.
#[test]
fn a_pull_of_nothing_takes_four_quanta() {
    let mut pacer = pacer(&CreditOptions::default(), 0);
    pacer.request(7, NS(5));
    pacer.request(7, NS(5));
    let pull = pacer.pull(pacer.due());
    let (granted, more) = (0, 0);
    assert_eq!(
        pull,
        Some(Pull {
            flow: 7,
            granted,
            more
        })
    );
    assert_eq!(pacer.due(), NS(5) + QUANTUM * 4);
}

/// Flow 1 has had three requests granted. With one turn for each request it has three turns among
/// idle flows, flow 2 has one.
#[test]
fn idle_turns_are_of_flows_or_of_demands() {
    for (options, expected) in [
        (CreditOptions::default(), [1, 2, 1, 2]),
        (every_demand(), [1, 1, 1, 2]),
    ] {
        let mut pacer = pacer(&options, 10_000 * 256);
        for target in [10, 20, 30] {
            pacer.demand(1, target, Time::ZERO);
            pacer.pull(Time::ZERO);
        }
        pacer.demand(2, 10, Time::ZERO);
        pacer.pull(Time::ZERO);
        let order: Vec<_> = (0..4)
            .filter_map(|_| pacer.pull(Time::ZERO))
            .map(|pull| (pull.flow, pull.more))
            .collect();
        assert_eq!(order, expected.map(|flow| (flow, 64)));
    }
}

/// A flow that has ended gets nothing of the 40 quanta that it asked for. It asks again, since its
/// last ACK was lost, and gets credit.
#[test]
fn a_flow_that_has_ended_may_get_no_more() {
    let options = CreditOptions {
        grants_after_end: false,
        ..CreditOptions::default()
    };
    let mut pacer = pacer(&options, 1_000 * 256);
    pacer.demand(1, 40, Time::ZERO);
    pacer.end(1);
    assert_eq!(pulls(&mut pacer, Time::MAX), []);
    pacer.demand(1, 57, NS(9));
    let (flow, granted, more) = (1, 57, 57);
    assert_eq!(
        pacer.pull(NS(9)),
        Some(Pull {
            flow,
            granted,
            more
        })
    );
}

/// Replays a recording of uet-htsim (commit 40ccb05): all packets and pulls of one receiver. The
/// pacer gets the recorded requests at their times. Its pulls must have the recorded times, flows
/// and sizes, and its lists the recorded lengths.
fn replay(trace: &str, gbps: u64, window: u64) -> usize {
    let mut pacer = PullPacer::new(&every_demand(), Rate::from_gbps(gbps), window);
    let (mut now, mut count) = (Time::ZERO, 0);
    for (line, row) in trace.lines().enumerate().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |cell: usize| -> u64 { cells[cell].parse().expect("a number") };
        now += Time::from_ps(number(0));
        let flow = number(2) as u32;
        // A pacer with nothing to do has stopped before.
        while pacer.due() < now {
            let due = pacer.due();
            assert_eq!(pacer.pull(due), None, "line {}", line + 1);
        }
        match cells[1] {
            "demand" => pacer.demand(flow, number(3), now),
            "request" => {
                pacer.demand(flow, number(3), now);
                pacer.request(flow, now);
            }
            kind => {
                assert_eq!(pacer.due(), now, "line {}", line + 1);
                let is_active = !pacer.active.is_empty();
                let pull = pacer.pull(now).expect("a recorded pull");
                let found = (is_active, pull.flow, pull.more, (pacer.due() - now).as_ps());
                let expected = (kind == "active", flow, number(3), number(4));
                assert_eq!(found, expected, "line {}", line + 1);
                let lists = (pacer.active.len() as u64, pacer.idle.len() as u64);
                assert_eq!(lists, (number(5), number(6)), "line {}", line + 1);
                count += 1;
            }
        }
    }
    count
}

/// Maximum windows are 1.5 BDP of base RTTs of 14.02272 and 12.50568 us.
#[test]
fn recorded_pulls_are_met() {
    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("../../../../../tests/golden/pulls/", $name, ".csv"))
        };
    }
    let at_100 = [
        (recorded!("one_100g_rccc"), 392),
        (recorded!("4to1_100g_rccc"), 483),
        (recorded!("smallq_11to1_100g_rccc"), 1_278),
        (recorded!("smallq_11to1_100g_both"), 1_321),
    ];
    for (trace, count) in at_100 {
        assert_eq!(replay(trace, 100, 262_926), count);
    }
    assert_eq!(replay(recorded!("4to1_400g_both"), 400, 937_926), 638);
}

/// At a quarter of its rate 64 quanta take 4 · 64 · 20,686 ps.
#[test]
fn a_slower_pacer_waits_longer_after_a_pull() {
    let mut pacer = pacer(&CreditOptions::default(), 0);
    pacer.demand(1, 200, Time::ZERO);
    pacer.slow_to(0.25);
    let seen = pulls(&mut pacer, QUANTUM * 4 * 64 + NS(1));
    assert_eq!(seen, [(1, 64, Time::ZERO), (1, 64, QUANTUM * 4 * 64)]);
    pacer.slow_to(1.0);
    assert_eq!(pacer.due(), QUANTUM * 8 * 64);
    pulls(&mut pacer, QUANTUM * 8 * 64 + NS(1));
    assert_eq!(pacer.due(), QUANTUM * (8 * 64 + 64));
}
