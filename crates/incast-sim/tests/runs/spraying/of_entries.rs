//! Load balancing of traffic entries.

use std::num::NonZeroUsize;

use arrow_array::types::{UInt16Type, UInt32Type, UInt64Type};
use incast_sim::{Partitioning, Threads, run_on};

use super::{LEAF_SPINE, SPRAY, results, slowdowns, valid};

/// Of two permutations only the first is sprayed: packets of the second arrive in order, on any
/// number of threads. If both entries ask for the balancing of the network, the run is that of the
/// network.
#[test]
fn an_entry_may_have_a_balance_of_its_own() {
    let two = LEAF_SPINE.to_owned()
        + r#"
[[traffic]]
kind = "permutation"
sizes = "400KB"
shift = 5
"#;
    let dctcp = [("cc.algorithm", "dctcp"), ("measure.entropies", "true")];
    let random = r#"{ kind = "random" }"#;
    let own = [SPRAY[1], ("traffic[0].balance", random)];
    let mixed = results(&two, &[&own, &dctcp]);
    let entries = mixed.flows.values::<UInt16Type>("traffic");
    let late = mixed.flows.values::<UInt64Type>("out_of_order_packets");
    let in_use = mixed.flows.values::<UInt32Type>("entropies");
    let (mut sprayed, mut kept) = (0, 0);
    for ((entry, late), entropies) in entries.zip(late).zip(in_use) {
        match entry {
            0 => {
                sprayed += late;
                assert!(entropies > 32, "{entropies}");
            }
            _ => {
                kept += late;
                assert_eq!(entropies, 1);
            }
        }
    }
    assert!(sprayed > 500 && kept == 0, "{sprayed} {kept}");
    assert!(slowdowns(&mixed).0.iter().all(|slowdown| *slowdown >= 1.0));

    let fingerprint = mixed.summary.fingerprint;
    let traced = results(&two, &[&own, &dctcp, &[("measure.packets", "true")]]);
    assert_eq!(traced.summary.fingerprint, fingerprint);
    let spec = valid(&two, &[&own, &dctcp]).expect("it is valid");
    for count in [2, 3, 8] {
        let threads = Threads {
            count: NonZeroUsize::new(count).expect("some threads"),
            partitioning: Partitioning::Random(count as u64),
        };
        let outcome = run_on(&spec, threads, &mut ()).expect("it runs");
        assert_eq!(outcome.summary.fingerprint, fingerprint);
        assert_eq!(outcome.summary.reordering, mixed.summary.reordering);
    }

    let both = [own[0], own[1], ("traffic[1].balance", random)];
    let of_entries = results(&two, &[&both, &dctcp]).summary.fingerprint;
    let of_network = results(&two, &[SPRAY, &dctcp]).summary.fingerprint;
    assert_eq!(of_entries, of_network);
    assert_ne!(of_network, fingerprint);
}

/// An algorithm for one path is checked against the balancing of its own entry only.
#[test]
fn balances_of_entries_are_checked_with_their_algorithms() {
    let two = |first: &str, second: &str| {
        let first = LEAF_SPINE.replace(
            "kind = \"permutation\"",
            &format!("kind = \"permutation\"\n{first}"),
        );
        format!("{first}\n[[traffic]]\nkind = \"permutation\"\nsizes = \"1KB\"\n{second}\n")
    };
    let explicit = &SPRAY[1..];
    let spread = r#"balance = { kind = "random" }"#;
    let kept = r#"cc = "timely""#;
    assert!(valid(&two(spread, kept), &[explicit]).is_ok());
    for (first, second, settings, said) in [
        (
            spread,
            "cc = \"timely\"\nbalance = { kind = \"random\" }",
            explicit,
            "spraying.toml:25: traffic[1].balance: \"random\" gives each packet a path of its own, \
             but algorithm `timely` is for flows that keep one",
        ),
        (
            spread,
            "",
            &[],
            "spraying.toml:17: traffic[0].balance: in-order loss detection takes every packet",
        ),
        (
            "balance = { kind = \"flow\" }",
            kept,
            SPRAY,
            "network.balance: \"random\" gives each packet a path of its own",
        ),
        (
            "balance = { kind = \"reps\", entropies = 0 }",
            "",
            explicit,
            "spraying.toml:17: traffic[0].balance.entropies: `0` is out of range; write 1 to 65536",
        ),
        (
            "balance = { kind = \"rep\" }",
            "",
            explicit,
            "spraying.toml:17: traffic[0].balance.kind: unknown load balancing `rep`",
        ),
    ] {
        let refused = valid(&two(first, second), &[settings]).expect_err("it is refused");
        assert!(refused.contains(said), "{refused}");
    }
}
