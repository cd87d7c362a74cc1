//! HPCC with parts.

use super::*;
use crate::{CountedDecrease, Draws, Part, ProbabilisticConfig, SamplingFrequencyConfig};

fn with(part: Part) -> HpccConfig {
    let mut config = HpccConfig::default();
    config.add(part);
    config
}

/// At the end of the RTT a queue of 100 KB makes 100 tokens and a dampener of 100/50. Tokens count
/// 100/(2/8 + 1) = 80, so R = 100·0.95 + 80·0.05 = 99 Gb/s. The update spends the tokens. The next
/// update adds R_AI alone: 99·0.95 + 0.05 = 94.1 Gb/s.
#[test]
fn tokens_multiply_the_additive_increase() {
    let mut flow = Flow::after_first_ack(with(Part::VariableAi), &[START]);
    flow.update_reference(&[record(4, 50_000, 100_000)]);
    assert_gbps(flow.rate(), 99.0);
    assert_eq!(flow.probe("ai_bank_tokens"), 0.0);
    assert_eq!(flow.probe("ai_dampener"), 2.0);
    flow.update_reference(&[record(8, 100_000, 0)]);
    assert_gbps(flow.rate(), 94.1);
}

/// Every ACK gives 100·0.95 + 0.05 = 95.05 Gb/s, and the thirtieth makes this the reference, within
/// the RTT.
#[test]
fn decreases_are_counted_in_acks() {
    let mut flow = Flow::after_first_ack(with(Part::SamplingFrequency), &[START]);
    for _ in 0..29 {
        flow.within_the_rtt(&NOTHING_NEW);
        assert_gbps(flow.rate(), 95.05);
        assert_eq!(flow.reference(), 100e9);
    }
    flow.within_the_rtt(&NOTHING_NEW);
    assert_eq!(flow.reference(), 95.05e9);
}

/// At line rate a decrease is always followed: with 1 + 950 of queue over an RTT, U = 951, R_c is
/// 0.1499 Gb/s. Its window of 74.947 B is rounded down to 74 B. A decrease is then followed with a
/// chance of 75/50 000, 1 in 667.
///
/// After an ignored decrease `every-ack` decides again at the next ACK: with U = ½ the reference
/// rises at once. With `every-rtt` only R rises, to 0.1499·0.95/½ + 0.05 = 0.335 Gb/s.
#[test]
fn slow_flows_ignore_decreases() {
    const QUEUE: u64 = 47_500_000;
    for (draws, reference) in [(Draws::EveryAck, 0.335), (Draws::EveryRtt, 0.149_9)] {
        let config = HpccConfig {
            prob: Some(ProbabilisticConfig { draws }),
            max_stage: 0,
            ..HpccConfig::default()
        };
        let mut flow = Flow::after_first_ack(config, &[record(0, 0, QUEUE)]);
        let is_near = |value: f64, gbps: f64| (value / 1e9 - gbps).abs() < 5e-4;
        flow.update_reference(&[record(4, 50_000, QUEUE)]);
        assert!(is_near(flow.reference(), 0.149_9));
        flow.update_reference(&[record(8, 100_000, QUEUE)]);
        assert!(is_near(flow.reference(), 0.149_9), "it is ignored");
        assert!(is_near(flow.rate().as_bps() as f64, 0.149_9));
        flow.within_the_rtt(&[record(12, 125_000, 0)]);
        assert!(
            is_near(flow.rate().as_bps() as f64, 0.335),
            "{}",
            flow.rate()
        );
        assert!(is_near(flow.reference(), reference), "{}", flow.reference());
    }
}

/// c = 1.01 (U = 0.9595), and a queue of 100 KB in the first RTT gives 100 tokens and dampener
/// 100/50 = 2. So 100/(2/8 + 1) = 80 times 50 Mb/s are added. 100/1.01 + 4 Gb/s is above the
/// line rate, so R stays at 100 Gb/s despite congestion.
fn with_many_tokens(decrease: CountedDecrease) -> Flow {
    let mut config = HpccConfig {
        initial_utilisation: 0.9595,
        ..HpccConfig::default()
    };
    for part in [Part::VariableAi, Part::SamplingFrequency] {
        config.add(part);
    }
    config.sf = Some(SamplingFrequencyConfig {
        decrease,
        ..SamplingFrequencyConfig::default()
    });
    let mut flow = Flow::after_first_ack(config, &[START]);
    flow.within_the_rtt(&[record(0, 0, 100_000)]);
    flow.update_reference(&NOTHING_NEW);
    assert_eq!(flow.rate(), LINE_RATE);
    flow
}

/// R does not decrease in the RTT, so the RTT's end updates the reference and takes the 100
/// tokens.
#[test]
fn what_ends_no_lower_is_no_decrease() {
    let flow = with_many_tokens(CountedDecrease::Net);
    assert_eq!(flow.probe("ai_bank_tokens"), 0.0);
}

/// Counted by congestion, the step is a decrease. The reference then waits for the 30th ACK,
/// and the tokens stay.
#[test]
fn congestion_alone_may_be_a_decrease() {
    let mut flow = with_many_tokens(CountedDecrease::Congestion);
    assert_eq!(flow.probe("ai_bank_tokens"), 100.0);
    // The first ACK of the flow does not count; two ACKs have counted so far.
    for _ in 3..30 {
        flow.within_the_rtt(&NOTHING_NEW);
        assert_eq!(flow.probe("ai_bank_tokens"), 100.0);
    }
    flow.within_the_rtt(&NOTHING_NEW);
    assert_eq!(flow.probe("ai_bank_tokens"), 0.0);
}
