//! A flow of each algorithm before its first packet.

use super::*;
use crate::example::context;

/// What traces show of a flow before its first packet, at C = 100 Gb/s with a BDP of 52 000 B and
/// packets of 1000 B. A rate starts at line rate, 10¹¹ bit/s; NSCC's window is 1.5 BDP. LGC starts
/// at x = 0.006 with r = 0.3.
#[test]
fn probes_at_the_start_of_a_flow() {
    let table: &[(&str, &[(&str, f64)])] = &[
        ("dcqcn", &[("alpha", 1.0), ("target_rate_bps", 1e11)]),
        (
            "dctcp",
            &[("alpha", 1.0), ("congestion_window_bytes", 10_000.0)],
        ),
        ("dctcp artifact", &[("alpha", 1.0)]),
        ("ecn-tcp", &[("congestion_window_bytes", 10_000.0)]),
        (
            "fncc",
            &[("utilisation", 1.0), ("reference_rate_bps", 1e11)],
        ),
        (
            "hpcc",
            &[("utilisation", 1.0), ("reference_rate_bps", 1e11)],
        ),
        (
            "hpcc with vai",
            &[
                ("utilisation", 1.0),
                ("reference_rate_bps", 1e11),
                ("ai_bank_tokens", 0.0),
                ("ai_dampener", 0.0),
            ],
        ),
        (
            "hpcc++",
            &[("utilisation", 1.0), ("reference_window_bytes", 52_000.0)],
        ),
        ("lgc", &[("share", 0.006), ("load", 0.0), ("growth", 0.3)]),
        ("none", &[]),
        (
            "nscc",
            &[
                ("congestion_window_bytes", 78_000.0),
                ("max_window_bytes", 78_000.0),
                ("in_flight_bytes", 0.0),
                ("average_delay_us", 0.0),
                ("base_rtt_us", 4.16),
            ],
        ),
        ("powertcp", &[("power", 1.0), ("reference_rate_bps", 1e11)]),
        ("rccc", &[("credit_bytes", 52_000.0)]),
        ("rocc", &[("limited", 0.0)]),
        ("s-perc", &[("scheduled", 0.0)]),
        (
            "swift",
            &[
                ("window_bytes", 12_000.0),
                ("reference_window_bytes", 12_000.0),
                ("target_delay_us", 0.0),
            ],
        ),
        (
            "theta-powertcp",
            &[("power", 1.0), ("reference_rate_bps", 1e11)],
        ),
        ("timely", &[("rtt_gradient", 0.0), ("rtt_us", 0.0)]),
    ];
    for (algorithm, values) in table {
        let mut probed = Vec::new();
        let flow = chosen(algorithm).build(&context());
        flow.probe(&mut |name, value| probed.push((name, value)));
        assert_eq!(probed, *values, "{algorithm}");
    }
    assert_every_algorithm_is_in(table.iter().map(|(algorithm, _)| *algorithm));
}

/// Credit bounds the flows of algorithms that have credit: of RCCC, and of NSCC with the part,
/// whose window of 1.5 BDP is larger than its credit of one.
#[test]
fn credit_bounds_those_who_have_it() {
    let bound = |name| chosen(name).build(&context()).is_bound_by_credit();
    for info in AlgorithmConfig::built_in() {
        assert_eq!(bound(info.name), info.name == "rccc", "{}", info.name);
    }
    assert!(bound("nscc with credits"));
}
