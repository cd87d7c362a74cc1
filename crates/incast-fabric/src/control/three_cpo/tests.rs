use super::*;
use crate::control::TokenGeneration;
use crate::packet::OperationKind;
use crate::shape::FabricShape;

fn options() -> ThreeCpoOptions {
    let mut options = ThreeCpoOptions::default();
    options.aimd.tokens.generation = TokenGeneration::Regular;
    options
}

/// Endpoint 3 of a group of four.
fn endpoint_3(options: &ThreeCpoOptions) -> ThreeCpo {
    let shape = FabricShape {
        endpoints_per_tor: 4,
        tors: 1,
        cores: 0,
        lanes: 1,
    };
    let group = Group::all(&shape).unwrap();
    ThreeCpo::new(options, 1, 3, 4, &[group])
}

fn write() -> OwnOperation {
    OwnOperation {
        kind: OperationKind::WriteMulticast,
        target: 0,
        data: 4,
    }
}

fn remote(from: u16) -> RemoteRequest {
    RemoteRequest {
        from,
        operation: write(),
    }
}

/// Fig. 6.4: writes of 5 flits; one write of each of three other members has arrived. Nothing has
/// been measured, so κ is not used. The first own write costs 5 + 3·5 = 20 request tokens: 1 − 20 +
/// 1 = −18 in the next cycle. The acknowledgements cost 1 + 3 = 4. The next write may go in cycle
/// 20.
#[test]
fn a_write_among_four_costs_four_as_in_figure_6_4() {
    let mut control = endpoint_3(&options());
    for from in 0..3 {
        control.on_remote_request(0, &remote(from));
    }
    assert_eq!(control.may_inject_from(0, &write()), 0);
    control.on_injection(0, &write(), 0);
    assert_eq!(control.state(1).tokens, [-18.0, -2.0]);
    assert_eq!(control.state(19).tokens[0], 0.0);
    assert_eq!(control.may_inject_from(19, &write()), 20);
    assert_eq!(control.may_inject_from(20, &write()), 20);
}

/// A remote write takes 5·κ tokens of an endpoint with an own write outstanding, none of another
/// endpoint. The last operation took 1500 cycles: κ = 0.8 + 0.2/2 = 0.9. Tokens are 1 − 5 at cycle
/// 0; 4 are made by cycle 4; then 0.9·5 = 4.5 are taken.
#[test]
fn a_remote_write_takes_its_discounted_cost() {
    let mut control = endpoint_3(&options());
    control.on_injection(0, &write(), 0);
    control.on_completion(1500, &write(), 1500);
    control.on_injection(2000, &write(), 0);
    control.on_remote_request(2004, &remote(1));
    let tokens = control.state(2004).tokens[0];
    assert!((tokens - (1.0 - 5.0 + 4.0 - 4.5)).abs() < 1e-9, "{tokens}");
    let mut idle = endpoint_3(&options());
    idle.on_remote_request(2004, &remote(1));
    assert_eq!(idle.state(2004).tokens[0], 1.0);
}

/// κ is 0.8 below 1000 cycles, 1 above 2000 and 0.85 at 1250.
#[test]
fn the_discount_follows_the_latency() {
    let options = options();
    assert_eq!(options.discount_at(None), 1.0);
    for (latency, discount) in [(900.0, 0.8), (1250.0, 0.85), (2000.0, 1.0), (9000.0, 1.0)] {
        assert!((options.discount_at(Some(latency)) - discount).abs() < 1e-12);
    }
}

/// A remote write at cycle 0 can be matched for RTT + D = 1000 + 300 cycles. An own write at 1299
/// costs 5 + 5, an own write at 1300 costs 5.
#[test]
fn remote_writes_are_held_for_a_round_trip_and_the_delay() {
    for (now, cost) in [(1299, 10.0), (1300, 5.0)] {
        let mut control = endpoint_3(&options());
        control.delay = 300;
        control.on_remote_request(0, &remote(1));
        control.on_injection(now, &write(), 0);
        assert_eq!(control.state(now).tokens[0], 1.0 - cost);
    }
}

/// Until the first response 2 writes and 2 reads go; then tokens decide.
#[test]
fn the_repaired_variant_opens_with_few_operations() {
    let mut control = endpoint_3(&ThreeCpoOptions::repaired());
    let read = OwnOperation {
        kind: OperationKind::ReadReduction,
        ..write()
    };
    for now in [0, 10] {
        assert_eq!(control.may_inject_from(now, &write()), now);
        control.on_injection(now, &write(), 0);
    }
    assert_eq!(control.may_inject_from(50, &write()), NEVER);
    assert_eq!(control.may_inject_from(50, &read), 50);
    control.on_completion(900, &write(), 900);
    assert_eq!(control.may_inject_from(900, &write()), 900);
}

/// Tokens taken on arrival count as throttling only if the scope includes them.
#[test]
fn the_scope_says_which_tokens_count() {
    for (scope, expected) in [(DecrementScope::All, 4.0), (DecrementScope::Injection, 0.0)] {
        let mut control = endpoint_3(&ThreeCpoOptions { scope, ..options() });
        control.discount = control.options.discount_at(Some(500.0));
        control.on_injection(0, &write(), 0);
        control.on_remote_request(10, &remote(0));
        assert!((control.extra[0] - expected).abs() < 1e-12);
    }
}

/// One other member wrote 100 cycles ago: two writes of 5 flits each at κ = 1 take 10 cycles; four
/// endpoints' writes take 20. No read has arrived: 5 cycles. What arrived a round trip, 1000
/// cycles, ago has expired.
#[test]
fn own_operations_are_paced_by_the_members_that_are_active() {
    let options = ThreeCpoOptions {
        pacing: true,
        ..options()
    };
    let gap = |heard: &[(u16, Cycle)], now: Cycle| {
        let mut control = endpoint_3(&options);
        for &(from, at) in heard {
            control.on_remote_request(at, &remote(from));
        }
        control.on_injection(now, &write(), 0);
        let [reads, writes] = control.paced_until;
        assert_eq!(reads, 0);
        writes - now
    };
    assert_eq!(gap(&[], 100), 5);
    assert_eq!(gap(&[(0, 0)], 100), 10);
    assert_eq!(gap(&[(0, 0), (1, 10), (2, 20), (1, 30)], 100), 20);
    assert_eq!(gap(&[(0, 0), (1, 10)], 1005), 10);
}
