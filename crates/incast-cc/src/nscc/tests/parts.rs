//! Variable AI and Sampling Frequency against hand-computed values, with the flow of
//! `equations.rs`.

use super::*;
use crate::FlowContext;

const US: fn(u64) -> Time = Time::from_us;

/// A flow with W = 100 000 B and this part, which sent a packet at time 0.
fn flow(part: Part, context: &FlowContext) -> Nscc<Parts> {
    let mut config = NsccConfig {
        received_unit: Bytes::new(1),
        ..NsccConfig::default()
    };
    config.add(part);
    let (vai, sf) = (config.vai.as_ref(), config.sf.as_ref());
    let parts = Parts::new(vai, sf, None, context).expect("there is one");
    let mut flow = Nscc::new(&config, context, parts);
    send(&mut flow, Time::ZERO, 4_150);
    flow.window = 100_000;
    flow
}

/// An ACK with a delay of 20 us, 8 us above the target, with these sequence numbers.
fn late(next_expected: u64, next_to_send: u64) -> Ack<'static> {
    Ack {
        next_expected,
        next_to_send,
        round_trip: Some(US(32)),
        ..received(0)
    }
}

/// Tokens are made when the first round trip ends: 8 us/30 ns = 266.7, of which 100 are used. The
/// dampener is 8/4, so the tokens count 100/(2/8 + 1) = 80. A byte above the target without a mark
/// adds 80·5·4150 = 1 660 000. The next adjustment adds this number over W, 16, and 80·0.15·4150 =
/// 49 800 B.
#[test]
fn tokens_multiply_additive_increases() {
    let mut flow = flow(Part::VariableAi, &context(100, US(12), false));
    flow.on_ack(US(1), &late(0, 1_000));
    let mut second = late(2_000, 3_000);
    second.news.newly_received = Bytes::new(1);
    flow.on_ack(US(2), &second);
    assert_eq!(flow.increase, 1_660_000);
    flow.on_ack(US(12), &late(2_000, 3_000));
    assert_eq!(flow.window, 100_000 + 16 + 49_800);
    // The second round trip: 66.7 + 266.7 − 100 tokens are left, and a dampener of 4: 100/1.5.
    flow.on_ack(US(13), &late(4_000, 5_000));
    flow.on_ack(US(24), &late(4_000, 5_000));
    assert_eq!(flow.window, 149_816 + 41_500);
}

/// The dampener of 8/4, as above, falls by 1 in a round trip with a marked ACK above the target.
/// This ACK is 1 us above it, too little for tokens: their threshold is 4 us. In a round trip
/// without such an ACK the dampener falls to 0.
#[test]
fn congestion_is_a_mark_above_the_target() {
    for (delay, marked, dampener) in [(13_u64, true, 1.0), (13, false, 0.0), (12, true, 0.0)] {
        let mut flow = flow(Part::VariableAi, &context(100, US(12), false));
        let mut round_trip = |number: u64, delay, marked| {
            let ack = Ack {
                marked,
                round_trip: Some(US(12 + delay)),
                ..late(number * 2_000, number * 2_000 + 1_000)
            };
            flow.on_ack(US(1), &ack);
        };
        round_trip(0, 20, false);
        // Three rounds use the 266.7 tokens.
        (1..=3).for_each(|number| round_trip(number, 0, false));
        round_trip(4, delay, marked);
        let mut probed = Vec::new();
        flow.probe(&mut |name, value| probed.push((name, value)));
        assert_eq!(probed.last(), Some(&("ai_dampener", dampener)));
    }
}

/// Decreases by 0.8·(20 − 12)/20 at every eighth ACK, within one microsecond; without the part
/// there would be no second decrease within T. 0.68·68 000 is slightly below 46 240 in
/// floating-point numbers.
#[test]
fn decreases_are_counted_in_acks() {
    let marked = Ack {
        marked: true,
        ..late(0, 1_000)
    };
    let mut counted = flow(Part::SamplingFrequency, &context(100, US(12), false));
    let windows: Vec<u64> = (0..16)
        .map(|_| {
            counted.on_ack(US(1), &marked);
            counted.window
        })
        .collect();
    let expected = [[100_000; 7].as_slice(), &[68_000; 8], &[46_239]].concat();
    assert_eq!(windows, expected);
    let mut plain = Nscc::new(
        &NsccConfig::default(),
        &context(100, US(12), false),
        NoParts,
    );
    send(&mut plain, Time::ZERO, 4_150);
    plain.window = 100_000;
    for _ in 0..16 {
        plain.on_ack(US(1), &marked);
    }
    assert_eq!(plain.window, 100_000);
}
