//! Eqs. (1) and (2) against the constants that uet-htsim prints, to all printed digits.

use super::constants::Constants;
use super::*;
use crate::example::assert_close;

/// Networks of two tiers (paths of four links) and three tiers (six links): Gb/s, links, T in ps,
/// BDP, target in ps, α, f, η, fast_increase·a.
type Row = (u64, u64, u64, u64, u64, f64, f64, f64, f64);

/// With switches that trim. Without trimming the target is T, with the same α.
const TRIMMING: [Row; 6] = [
    (
        100,
        4,
        9_348_480,
        116_856,
        7_011_360,
        0.001_061_052_48,
        15_915.787_2,
        477.473_616,
        0.194_76,
    ),
    (
        100,
        6,
        14_022_720,
        175_284,
        10_517_040,
        0.001_591_578_72,
        23_873.680_8,
        716.210_424,
        0.292_14,
    ),
    (
        400,
        4,
        8_337_120,
        416_856,
        6_252_840,
        0.003_785_052_48,
        56_775.787_2,
        1_703.273_616,
        0.694_76,
    ),
    (
        400,
        6,
        12_505_680,
        625_284,
        9_379_260,
        0.005_677_578_72,
        85_163.680_8,
        2_554.910_424,
        1.042_14,
    ),
    (
        800,
        4,
        8_168_560,
        816_856,
        6_126_420,
        0.007_417_052_48,
        111_255.787_2,
        3_337.673_616,
        1.361_426_667,
    ),
    (
        800,
        6,
        12_252_840,
        1_225_284,
        9_189_630,
        0.011_125_578_72,
        166_883.680_8,
        5_006.510_424,
        2.042_14,
    ),
];

#[test]
fn constants_are_those_of_the_simulator() {
    for (gbps, links, rtt, bdp, target, alpha, fair, eta, fast) in TRIMMING {
        let base_rtt = Time::from_ps(rtt);
        assert_eq!(recordings::base_rtt(gbps, links), base_rtt);
        for trims in [true, false] {
            let context = context(gbps, base_rtt, trims);
            let constants = Constants::new(&NsccConfig::uet_htsim(), &context);
            let target = if trims { target } else { rtt };
            assert_eq!(constants.target, target);
            assert_eq!(constants.max_window(base_rtt), bdp * 3 / 2);
            assert_close(constants.alpha, alpha);
            assert_close(constants.fair_increase, fair);
            assert_close(constants.eta, eta);
            assert_close(constants.fast_increase, fast);
            assert_close(constants.qa_threshold, 4.0 * target as f64);
            assert_eq!(constants.adjust_bytes, 33_200);
            assert_eq!(constants.min_window, 4_150);
        }
    }
}

/// By the specification increases count packets on the wire, 4150/4086 times as large. If switches
/// trim, delay alone does not start quick adapt.
#[test]
fn the_specification_counts_whole_packets() {
    let context = context(100, Time::from_ps(14_022_720), true);
    let constants = Constants::new(&NsccConfig::default(), &context);
    assert_close(constants.fair_increase, 23_873.680_8 * 4_150.0 / 4_086.0);
    assert_eq!(constants.qa_threshold, f64::INFINITY);
}
