//! Messages about late packets and slow clocks.

use super::*;

/// Jitter and slow clocks belong to the hardware, and need a model clock that can represent them.
#[test]
fn errors_of_timing_that_cannot_be() {
    for (from, to, expected) in [
        (
            "topology",
            "jitter = { nic = \"5ns\", switch = \"1500ns\" }\ntopology",
            "run.toml:3: network.jitter.switch: 1.5us is too long: ports vary by nanoseconds; \
             write at most \"1us\", or give links another delay",
        ),
        (
            "topology",
            "jitter = \"5ns\"\ntopology",
            "run.toml:3: network.jitter: `\"5ns\"` is text; write a table, e.g. { key = … }",
        ),
        (
            "topology",
            "jitter = { nic = \"-5ns\" }\ntopology",
            "run.toml:3: network.jitter.nic: `-5ns` is negative; a time is zero or more",
        ),
        (
            "topology",
            "jitter = { host = \"5ns\" }\ntopology",
            "run.toml:3: network.jitter.host: unknown key `host`; available: nic, switch",
        ),
        (
            "topology",
            "clock_ppm = 2000\ntopology",
            "run.toml:3: network.clock_ppm: 2000 ppm are too many: clocks of hardware differ by \
             200 at most; write at most 1000",
        ),
        (
            "topology",
            "clock_ppm = -1\ntopology",
            "run.toml:3: network.clock_ppm: `-1` is negative; write zero or more",
        ),
        (
            "topology",
            "profile = \"hpcc-ns3\"\njitter = { nic = \"5ns\" }\ntopology",
            "run.toml:4: network.jitter: a clock of whole nanoseconds is too coarse for it; \
             write model.clock = \"picoseconds\" and model.ties = \"port\", or leave it out",
        ),
        (
            "topology",
            "clock_ppm = 100\nmodel.clock = \"nanoseconds\"\ntopology",
            "run.toml:3: network.clock_ppm: a clock of whole nanoseconds is too coarse for it; \
             write model.clock = \"picoseconds\" and model.ties = \"port\", or leave it out",
        ),
    ] {
        assert_eq!(message(from, to), expected);
    }
}
