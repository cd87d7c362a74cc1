//! Attacks, roles and tenants in whole runs.

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use incast_sim::{Results, Source, Table, ValidSpec};

use crate::support::{results, valid};

/// A storage tenant sends 1 MB to host 8, and a victim 100 KB to the same host.
const SHARED: &str = r#"
[network]
topology = { kind = "star", hosts = 9 }

[cc]
algorithm = "none"

[attack]
kind = "none"
piece = "150KB"
spacing = "13us"
attackers = { larger_than = "200KB" }

[[traffic]]
kind = "flows"
tenant = "storage"
flows = [{ source = 0, destination = 8, size = "1MB" }]

[[traffic]]
kind = "flows"
flows = [{ source = 1, destination = 8, size = "100KB", start = "40us" }]
"#;

fn with(settings: &[(&str, &str)]) -> ValidSpec {
    let spec = valid(&Source::from_text("shared.toml", SHARED), settings);
    spec.unwrap_or_else(|error| panic!("{error}"))
}

fn under(kind: &str) -> Results {
    results(&with(&[("attack.kind", kind)]))
}

fn texts(table: &Table, column: &str) -> Vec<String> {
    let column = |batch: &arrow_array::RecordBatch| {
        let column = batch.column_by_name(column).unwrap().as_string::<i32>();
        column
            .iter()
            .map(|text| text.unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    table.batches().iter().flat_map(column).collect()
}

fn sizes(table: &Table) -> Vec<u64> {
    let mut sizes: Vec<_> = table.values::<UInt64Type>("size_bytes").collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn a_message_ends_with_its_last_piece() {
    let results = under("staggered");
    let messages = results.messages.unwrap();
    assert_eq!(sizes(&messages), [100_000, 1_000_000]);
    let mut expected = vec![100_000, 100_000];
    expected.extend([150_000; 6]);
    assert_eq!(sizes(&results.flows), expected);
    // Message 0 starts at 0 and ends with its last piece.
    let ends = |table: &Table, of: u32| {
        let starts = table.values::<UInt64Type>("start_ps");
        let ends = starts.zip(table.values::<UInt64Type>("fct_ps"));
        let own = table.values::<UInt32Type>("message").zip(ends);
        let own = own.filter(move |(message, _)| *message == of);
        own.map(|(_, (start, fct))| start + fct).max()
    };
    for message in [0, 1] {
        assert_eq!(ends(&messages, message), ends(&results.flows, message));
    }
    let pieces = messages.values::<UInt64Type>("pieces");
    assert_eq!(pieces.sum::<u64>(), 8);
}

#[test]
fn roles_are_the_same_before_and_after() {
    for kind in ["none", "parallel", "staggered", "shuffled"] {
        let results = under(kind);
        let roles = &results.summary.roles;
        let counts: Vec<_> = roles
            .iter()
            .map(|party| (party.name.as_str(), party.messages, party.payload_bytes))
            .collect();
        let expected = [("attacker", 1, 1_000_000), ("victim", 1, 100_000)];
        assert_eq!(counts, expected, "{kind}");
        let tenants = &results.summary.tenants;
        assert_eq!(tenants.len(), 1);
        assert_eq!(
            (tenants[0].name.as_str(), tenants[0].messages),
            ("storage", 1)
        );
        let of_victims = texts(&results.flows, "role");
        let victims = of_victims.iter().filter(|role| *role == "victim").count();
        assert_eq!(victims, 1, "{kind}");
        let tenants = texts(&results.flows, "tenant");
        assert_eq!(tenants.iter().filter(|name| name.is_empty()).count(), 1);
    }
}

/// Two entries of one tenant, and one of another. Of messages that start before the measuring
/// window, sizes count, but not the slowdowns.
#[test]
fn tenants_have_the_messages_of_their_entries() {
    let text = format!(
        "{SHARED}tenant = \"web\"\n\n[[traffic]]\nkind = \"flows\"\ntenant = \"storage\"\n\
         flows = [{{ source = 2, destination = 7, size = \"500KB\" }}]\n"
    );
    let source = Source::from_text("two.toml", text);
    let window = [("measure.fct", "window"), ("measure.from", "10us")];
    for (settings, counted) in [(&window[..0], [2, 1]), (&window, [0, 1])] {
        let results = results(&valid(&source, settings).unwrap_or_else(|error| panic!("{error}")));
        let tenants = &results.summary.tenants;
        let told: Vec<_> = tenants
            .iter()
            .map(|party| (party.name.as_str(), party.messages, party.payload_bytes))
            .collect();
        assert_eq!(told, [("storage", 2, 1_500_000), ("web", 1, 100_000)]);
        assert_eq!([0, 1].map(|one| tenants[one].fct_slowdown.count), counted);
    }
}

/// With an attack of kind `none`, the flows are exactly those of the scenario without the section.
#[test]
fn an_attack_of_none_changes_no_flow() {
    let mut plain = SHARED.to_owned();
    let (begin, end) = (plain.find("[attack]"), plain.find("[[traffic]]"));
    plain.replace_range(begin.unwrap()..end.unwrap(), "");
    let plain = plain.replace("tenant = \"storage\"\n", "");
    let alone = results(&valid(&Source::from_text("plain.toml", plain), &[]).unwrap());
    let none = under("none");
    assert_eq!(alone.summary.fingerprint, none.summary.fingerprint);
    assert!(alone.messages.is_none() && alone.summary.roles.is_empty());
    let columns = alone.flows.schema().fields().len();
    assert_eq!(none.flows.schema().fields().len(), columns + 3);
}

/// The base RTT of a star is 4 us of propagation plus transmission times; the default piece is its
/// BDP.
#[test]
fn pieces_and_spacing_follow_from_the_network() {
    let text = SHARED.replace("piece = \"150KB\"\nspacing = \"13us\"\n", "");
    let spec = valid(&Source::from_text("shared.toml", text), &[]).unwrap();
    let base = spec.largest_base_rtt();
    let written = spec.to_toml();
    for line in [
        format!("piece = \"{}\"", base.window),
        format!("spacing = \"{}\"", base.rtt),
    ] {
        assert!(written.contains(&line), "{line}:\n{written}");
    }
}

/// A scenario may have tenants without an attack: results tell tenants apart, and have no message
/// table.
#[test]
fn tenants_need_no_attack() {
    let (begin, end) = (SHARED.find("[attack]"), SHARED.find("[[traffic]]"));
    let mut text = SHARED.to_owned();
    text.replace_range(begin.unwrap()..end.unwrap(), "");
    let spec = valid(&Source::from_text("shared.toml", text), &[]).unwrap();
    assert!(spec.to_toml().contains("tenant = \"storage\""));
    let results = results(&spec);
    assert!(results.messages.is_none() && results.summary.roles.is_empty());
    assert_eq!(results.summary.tenants[0].payload_bytes, 1_000_000);
}
