//! A retransmission timeout that never expires changes nothing, under any algorithm.

use incast_sim::Source;

use crate::support;

/// Two flows of one host under PFC. The second starts when the first has been sent and its last ACK
/// is on the way.
const SCENARIO: &str = r#"
[network]
topology = { kind = "star", hosts = 3 }

[cc]
algorithm = "s-perc"

[[traffic]]
kind = "flows"
flows = [
    { source = 2, destination = 1, size = "300KB" },
    { source = 2, destination = 0, size = "5KB", start = "36723ns" },
]
"#;

#[test]
fn a_timeout_that_never_expires_changes_nothing() {
    for algorithm in ["s-perc", "rocc", "hpcc", "dcqcn", "swift", "dctcp"] {
        let fingerprint = |timeout: &[(&str, &str)]| {
            let settings = [&[("cc.algorithm", algorithm)], timeout].concat();
            let source = Source::from_text("timeouts.toml", SCENARIO);
            let spec = support::valid(&source, &settings).expect(algorithm);
            support::results(&spec).summary.fingerprint
        };
        let timeout = [("network.recovery.timeout", "9s")];
        assert_eq!(fingerprint(&timeout), fingerprint(&[]), "{algorithm}");
    }
}
