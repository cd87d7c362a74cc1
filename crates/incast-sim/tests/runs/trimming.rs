//! Trimming in whole scenarios: facts in results, the same on any path and number of threads, and
//! its benefit where many hosts send to one.

use std::num::NonZeroUsize;

use arrow_array::types::{UInt32Type, UInt64Type};
use incast_sim::{Partitioning, Results, Source, Threads, ValidSpec, run_on};

use crate::support;

const LEAF_SPINE: &str = r#"
[network]
flow_control = "none"

[network.topology]
kind = "leaf-spine"
leaves = 4
spines = 4
hosts_per_leaf = 4
spine_rate = "100Gbps"

[network.drop]
queue_limit = "6KB"
trimming = { header_queue = "128B" }

[cc]
algorithm = "none"

[[traffic]]
kind = "incast"
senders = 12
receiver = 15
sizes = "60KB"

[[traffic]]
kind = "permutation"
sizes = "200KB"
shift = 4
"#;

const SPRAY: (&str, &str) = ("network.balance", "{ kind = \"random\" }");

fn valid(settings: &[&[(&str, &str)]]) -> ValidSpec {
    let source = Source::from_text("trimming.toml", LEAF_SPINE);
    let spec = support::valid(&source, &settings.concat());
    spec.unwrap_or_else(|error| panic!("{settings:?}: {error}"))
}

fn results(settings: &[&[(&str, &str)]]) -> Results {
    support::results(&valid(settings))
}

/// Totals equal the sums over ports and flows. Trimmed packets are sent again after a NACK. Packets
/// that also lose their header are found by timeout. The run's conservation check has passed.
#[test]
fn results_tell_what_was_trimmed() {
    let results = results(&[&[SPRAY]]);
    let trimming = results.summary.packets.trimming.expect("it trims");
    let sum = |name| results.ports.values::<UInt64Type>(name).sum::<u64>();
    assert_eq!(trimming.trimmed, sum("trimmed"));
    assert_eq!(trimming.trimmed_bytes, sum("trimmed_bytes"));
    assert_eq!(trimming.headers_dropped, sum("headers_dropped"));
    assert_eq!(results.summary.packets.dropped, trimming.headers_dropped);
    assert!(
        trimming.trimmed > 200 && trimming.headers_dropped > 0,
        "{trimming:?}"
    );
    assert!(trimming.at_last_hop > 0 && trimming.at_last_hop < trimming.trimmed);
    let nacks: u32 = results.flows.values::<UInt32Type>("nacks").sum();
    assert_eq!(u64::from(nacks), trimming.nacks);
    assert_eq!(trimming.nacks, trimming.trimmed - trimming.headers_dropped);
    let again = results
        .flows
        .values::<UInt64Type>("trimmed_bytes")
        .sum::<u64>();
    let recovery = &results.summary.recovery;
    assert_eq!(
        again + recovery.timeout_retransmitted_bytes,
        recovery.retransmitted_bytes
    );
    // Without trimming the same queues drop packets, and tables have no columns of trimming.
    let dropped = self::results(&[
        &[SPRAY],
        &[
            (
                "network.drop",
                "{ sharing = \"per-port\", queue_limit = \"6KB\" }",
            ),
            ("network.recovery.loss_detection", "{ kind = \"explicit\" }"),
        ],
    ]);
    assert_eq!(dropped.summary.packets.trimming, None);
    assert!(dropped.summary.packets.dropped > 200);
    assert!(dropped.ports.schema().field_with_name("trimmed").is_err());
    // Losses that a NACK reports at once do not wait for a timeout.
    let latest = |results: &Results| results.flows.values::<UInt64Type>("fct_ps").max();
    assert!(latest(&results) < latest(&dropped));
}

/// For each service and rule of contention, the fingerprint is the same on the fast path, the plain
/// path, and two and three threads. It covers trimmed packets.
#[test]
fn any_way_to_compute_a_run_agrees() {
    let mut all = Vec::new();
    for (service, contention) in [("strict", "coin"), ("10:1", "tail"), ("25%", "coin")] {
        let service = format!("{service:?}");
        let settings = [
            SPRAY,
            ("network.drop.trimming.service", &*service),
            ("network.drop.contention", contention),
        ];
        let reference = results(&[&settings]).summary.fingerprint;
        let traced = results(&[&settings, &[("measure.packets", "true")]]);
        assert_eq!(traced.summary.fingerprint, reference);
        for count in [2, 3] {
            let threads = Threads {
                count: NonZeroUsize::new(count).expect("some threads"),
                partitioning: Partitioning::Random(count as u64),
            };
            let outcome = run_on(&valid(&[&settings]), threads, &mut ()).expect("it runs");
            assert_eq!(outcome.summary.fingerprint, reference);
        }
        all.push(reference);
    }
    all.sort_by_key(ToString::to_string);
    all.dedup();
    assert_eq!(all.len(), 3);
}
