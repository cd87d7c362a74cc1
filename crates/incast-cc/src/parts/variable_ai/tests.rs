//! Algorithms 1 and 2 against hand-computed values.

use super::*;
use crate::example::{ack, assert_close};

const KB: f64 = 1_000.0;

fn queue(kb: f64, congested: bool) -> MeasuredCongestion {
    MeasuredCongestion {
        amount: kb * KB,
        baseline: 0.0,
        congested,
    }
}

/// Parameters for HPCC: Token_Thresh 50 KB, 1 token per KB, AI_Cap 100, Bank_Cap 1000,
/// Dampener_Constant 8. The first round trip ends with the ACK of byte 10 000.
fn hpcc() -> VariableAi {
    let mut vai = VariableAi::new(&VariableAiConfig::<Bytes>::default());
    vai.begin(&ack(1_000, 10_000));
    vai
}

/// Ends the round trip that began at (end − 1) · 10 000, in which `measured` was observed.
fn round(vai: &mut VariableAi, end: u64, measured: MeasuredCongestion) {
    vai.observe(&ack(end * 10_000 + 1_000, (end + 1) * 10_000), measured);
}

/// A queue of 100 KB: 100 KB / 1 KB = 100 tokens, dampener 100/50 = 2.
#[test]
fn congestion_above_the_threshold_makes_tokens() {
    let mut vai = hpcc();
    round(&mut vai, 1, queue(100.0, true));
    assert_eq!((vai.bank, vai.dampener), (100.0, 2.0));
}

/// The largest congestion of a round trip counts, and only after the round trip. An ACK of byte 10
/// 000 still belongs to the old round trip; an ACK of byte 11 000 is for the first packet sent in
/// the new one.
#[test]
fn a_round_trip_counts_by_its_worst_ack() {
    let mut vai = hpcc();
    vai.observe(&ack(2_000, 12_000), queue(70.0, true));
    vai.observe(&ack(10_000, 20_000), queue(60.0, true));
    assert_eq!((vai.bank, vai.dampener), (0.0, 0.0));
    vai.observe(&ack(11_000, 21_000), queue(0.0, false));
    assert_close(vai.bank, 70.0);
    assert_close(vai.dampener, 1.4);
    // The next round trip ends after byte 21 000, and has no congestion yet.
    vai.observe(&ack(21_000, 31_000), queue(0.0, false));
    vai.observe(&ack(22_000, 32_000), queue(0.0, false));
    assert_close(vai.bank, 70.0);
}

/// 600 + 600 tokens exceed the cap of 1000. The dampener has no cap: 12 + 12.
#[test]
fn the_bank_is_capped() {
    let mut vai = hpcc();
    round(&mut vai, 1, queue(600.0, true));
    round(&mut vai, 2, queue(600.0, true));
    assert_eq!((vai.bank, vai.dampener), (1_000.0, 24.0));
}

/// Without tokens the dampener falls by one after a round trip with some congestion, but not below
/// 0. It falls to 0 after a round trip without congestion. With tokens it stays.
#[test]
fn the_dampener_falls_when_no_tokens_are_left() {
    for (bank, congested, before, after) in [
        (0.0, true, 3.5, 2.5),
        (0.0, true, 0.5, 0.0),
        (0.0, false, 3.5, 0.0),
        (7.0, true, 3.5, 3.5),
        (7.0, false, 3.5, 3.5),
    ] {
        let mut vai = hpcc();
        (vai.bank, vai.dampener) = (bank, before);
        round(&mut vai, 1, queue(20.0, congested));
        assert_eq!((vai.bank, vai.dampener), (bank, after));
    }
}

/// Exactly 50 KB is not above 50 KB: it makes no tokens. The dampener falls only without tokens.
#[test]
fn the_threshold_itself_makes_no_tokens() {
    let mut vai = hpcc();
    round(&mut vai, 1, queue(50.0, true));
    assert_eq!((vai.bank, vai.dampener), (0.0, 0.0));
}

/// One congested ACK makes the whole round trip congested.
#[test]
fn one_congested_ack_is_enough() {
    let mut vai = hpcc();
    vai.dampener = 2.0;
    vai.observe(&ack(2_000, 12_000), queue(1.0, true));
    round(&mut vai, 1, queue(0.0, false));
    assert_eq!(vai.dampener, 1.0);
    round(&mut vai, 2, queue(0.0, false));
    assert_eq!(vai.dampener, 0.0);
}

/// min(100, 250) = 100 tokens. A dampener of 8 halves them, a dampener of 80 leaves 100/11.
#[test]
fn tokens_are_capped_and_dampened() {
    let mut vai = hpcc();
    vai.bank = 250.0;
    for (dampener, tokens) in [(0.0, 100.0), (8.0, 50.0), (80.0, 100.0 / 11.0)] {
        vai.dampener = dampener;
        assert_close(vai.tokens(), tokens);
    }
    assert_eq!(vai.bank, 250.0);
}

/// The bank loses 100 tokens, counted before the dampener, then the remaining 50. Then the base AI
/// remains.
#[test]
fn only_a_reference_update_spends_tokens() {
    let mut vai = hpcc();
    (vai.bank, vai.dampener) = (150.0, 8.0);
    for (tokens, left) in [(50.0, 50.0), (25.0, 0.0), (1.0, 0.0)] {
        assert_close(vai.tokens(), tokens);
        vai.spend_tokens();
        assert_eq!(vai.bank, left);
    }
}

/// At least one token counts, even if the dampener leaves 2/11.
#[test]
fn the_increase_never_falls_below_the_base() {
    let mut vai = hpcc();
    (vai.bank, vai.dampener) = (2.0, 80.0);
    assert_eq!(vai.tokens(), 1.0);
}

/// For Swift: a queue of 100 KB at 100 Gb/s is 8 us. The target is 2.84 us above a base RTT of 4.16
/// us, so the delay exceeds the target by 5.16 us: 5160/30 = 172 tokens, dampener 5.16/4 = 1.29.
/// Measured from the base RTT: 8000/30 = 266.7 tokens, dampener 8/(4 + 2.84) = 1.1696. For the
/// whole delay of 12.16 us: 405.3 tokens, dampener 12.16/11 = 1.1055.
#[test]
fn delays_may_be_counted_from_elsewhere() {
    let us = 1e6;
    for (baseline, bank, dampener) in [
        (0.0, 172.0, 1.29),
        (2.84, 266.666_667, 1.169_591),
        (7.0, 405.333_333, 1.105_455),
    ] {
        let mut vai = VariableAi::new(&VariableAiConfig::<Time>::default());
        vai.begin(&ack(1_000, 10_000));
        let measured = MeasuredCongestion {
            amount: (5.16 + baseline) * us,
            baseline: baseline * us,
            congested: true,
        };
        round(&mut vai, 1, measured);
        assert!((vai.bank - bank).abs() < 1e-5, "{}", vai.bank);
        assert!((vai.dampener - dampener).abs() < 1e-5, "{}", vai.dampener);
        // With every reading of the delay, the threshold is 4 us above the target.
        round(
            &mut vai,
            2,
            MeasuredCongestion {
                amount: (4.0 + baseline) * us,
                ..measured
            },
        );
        assert!((vai.bank - bank).abs() < 1e-5, "{}", vai.bank);
    }
}
