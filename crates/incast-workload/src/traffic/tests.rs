use incast_units::{Bytes, HostId, Rate, Time};

use super::*;
use crate::files::no_files;
use crate::flow::Flow;
use crate::sizes::Published;

/// `hosts` hosts at 100 Gb/s.
pub(super) fn network(hosts: u32) -> Network {
    Network::uniform(hosts, Rate::from_gbps(100))
}

/// The flows of one entry, with tag 0, on `hosts` hosts at 100 Gb/s.
pub(super) fn flows(spec: impl Into<TrafficSpec>, hosts: u32, seed: u64) -> Vec<Flow> {
    let valid = spec.into().validate(&network(hosts), &no_files()).unwrap();
    let flows: Vec<_> = valid.flows(seed, 0).unwrap().map(Result::unwrap).collect();
    assert!(flows.is_sorted_by_key(|flow| flow.start));
    flows
}

/// Flows as (start in us, source, destination, size in bytes).
pub(super) fn short(flows: &[Flow]) -> Vec<(f64, u32, u32, u64)> {
    let short = |flow: &Flow| {
        let start_us = flow.start.as_ps() as f64 / 1e6;
        (
            start_us,
            flow.source.0,
            flow.destination.0,
            flow.size.as_u64(),
        )
    };
    flows.iter().map(short).collect()
}

/// The diagnostic of an entry that is refused, on `hosts` hosts.
pub(super) fn refused(spec: impl Into<TrafficSpec>, hosts: u32) -> String {
    let refused = spec.into().validate(&network(hosts), &no_files());
    refused.unwrap_err().to_string()
}

/// The network carries flows of at most 10 kB.
#[test]
fn flows_of_too_many_packets_are_refused() {
    let network = network(17).with_largest_flow(Bytes::new(10_000));
    let said = |text: &str| {
        let spec = from_toml(text).unwrap();
        let valid = spec.validate(&network, &no_files());
        valid.map_or_else(|wrong| wrong.to_string(), |_| "sound".to_owned())
    };
    let expected = |key: &str, size: &str| {
        format!(
            "{key}: a flow of {size} has more packets than sequence numbers can name; write at \
             most 10KB, or a larger network.packets.mtu"
        )
    };
    let incast = |sizes: &str| said(&format!("kind = \"incast\"\nreceiver = 3\nsizes = {sizes}"));
    assert_eq!(incast("\"10KB\""), "sound");
    assert_eq!(incast("\"11KB\""), expected("sizes", "11KB"));
    let mix = "{ mix = [{ sizes = \"1KB\" }, { sizes = \"11KB\" }] }";
    assert_eq!(incast(mix), expected("sizes", "11KB"));
    assert!(incast("\"web-search\"").starts_with("sizes: a flow of 30MB has"));
    let flow = |size: &str| format!("{{ source = 0, destination = 1, size = \"{size}\" }}");
    let list = format!(
        "kind = \"flows\"\nflows = [{}, {}]",
        flow("1KB"),
        flow("11KB")
    );
    assert_eq!(said(&list), expected("flows[1].size", "11KB"));
    let reduce = |data: &str| said(&format!("kind = \"all-reduce\"\ndata = \"{data}\""));
    assert_eq!(reduce("170KB"), "sound");
    assert_eq!(reduce("187KB"), expected("data", "11KB"));
}

pub(super) fn from_toml(text: &str) -> Result<TrafficSpec, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

/// Entries with every setting of every kind; each is read, written and read again.
const EVERYTHING: [&str; 10] = [
    r#"
        kind = "poisson"
        sizes = { mix = [{ sizes = "web-search", weight = 1.0 }, { sizes = "1KB" }] }
        load = 0.5
        start = "1us"
        duration = "50ms"
        count = 1000
        sources = "0-7"
        destinations = [1, "8-15"]
    "#,
    r#"
        kind = "incast"
        sizes = "1MB"
        receiver = 16
        senders = "0-15"
        fan_in = 4
        start = "1us"
        stagger = { group = 2, every = "20us" }
        jitter = "1us"
        rounds = { count = 3, every = "1ms" }
    "#,
    r#"
        kind = "permutation"
        sizes = "ali-storage"
        hosts = "all"
        shift = 3
        start = "1us"
        jitter = "1us"
        rounds = { count = 3, every = "1ms" }
    "#,
    r#"
        kind = "all-to-all"
        sizes = "fb-hadoop"
        sources = 3
        destinations = "4-7"
        fan_out = 2
        start = "1us"
        jitter = "1us"
        rounds = { count = 3, every = "1ms" }
    "#,
    r#"
        kind = "all-reduce"
        data = "64MB"
        algorithm = "ring"
        hosts = "0-4"
        rings = "all"
        shuffled = true
        compute = "2us"
        start = "1us"
        rounds = 3
    "#,
    r#"
        kind = "collective"
        operation = "broadcast"
        data = "64MB"
        algorithm = "tree"
        hosts = "0-4"
        root = 3
        chunk = "1MB"
        slots = 3
        compute = "2us"
        start = "1us"
        rounds = 3
    "#,
    r#"
        kind = "tasks"
        hosts = "0-4"
        start = "1us"
        tasks = [
            { id = "one", rank = 0, compute = "1us", unit = 1 },
            { id = "two", rank = 0, send = 1, size = "1KB", tag = 1, after = ["one"] },
            { rank = 1, receive = 0, size = "1KB", tag = 1 },
            { rank = 0, compute = "2us", after_start = ["two"] },
        ]
    "#,
    r#"
        kind = "flows"
        flows = [
            { source = 0, destination = 2, size = "10MB" },
            { source = 1, destination = 2, size = "10MB", start = "300us" },
        ]
    "#,
    r#"
        kind = "file"
        file = "flow.txt"
        format = "hpcc-ns3"
        base = "2s"
        ns3_clock = true
        count = "ignore"
        priorities = "ignore"
    "#,
    "kind = \"live\"",
];

#[test]
fn entries_survive_writing_and_reading() {
    for text in EVERYTHING {
        let spec = from_toml(text).unwrap();
        let written = toml::to_string(&spec).unwrap();
        assert_eq!(from_toml(&written), Ok(spec.clone()), "{written}");
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<TrafficSpec>(&json).unwrap(), spec);
        if spec.name() != "file" {
            spec.validate(&network(17), &no_files()).unwrap();
        }
    }
}

/// If `kind` is the last key, the entry is buffered while it is read; the result is the same.
#[test]
fn the_kind_may_come_last() {
    for text in EVERYTHING {
        let spec = from_toml(text).unwrap();
        let json = serde_json::to_value(&spec).unwrap();
        let mut keys: Vec<_> = json.as_object().unwrap().iter().collect();
        keys.sort_by_key(|(key, _)| *key == "kind");
        let pairs: Vec<_> = keys
            .iter()
            .map(|(key, value)| format!("{key:?}: {value}"))
            .collect();
        let last = format!("{{ {} }}", pairs.join(", "));
        assert_eq!(
            serde_json::from_str::<TrafficSpec>(&last).unwrap(),
            spec,
            "{last}"
        );
    }
}

#[test]
fn unknown_and_missing_keys_are_refused() {
    for (text, message) in [
        (
            "kind = \"incest\"",
            "unknown kind of traffic `incest`; did you mean `incast`? (available: all-reduce, \
             all-to-all, collective, file, flows, incast, live, permutation, poisson, \
             tasks)",
        ),
        (
            "kind = \"permutation\"\nsizes = \"1MB\"\nshfit = 1",
            "unknown field `shfit`, expected one of `sizes`, `hosts`, `shift`, `start`, `jitter`, \
             `rounds`",
        ),
        ("kind = \"permutation\"", "missing field `sizes`"),
        ("sizes = \"1MB\"", "missing field `kind`"),
        (
            "kind = \"permutation\"\nsizes = \"1MB\"\nstart = 5",
            "`5` has no unit; write e.g. `5us`",
        ),
        (
            "kind = \"incast\"\nsizes = \"1MB\"\nreceiver = -1",
            "invalid value: integer `-1`, expected the number or name of a host, or \
             \"random\"",
        ),
        (
            "kind = \"incast\"\nsizes = \"1MB\"\nreceiver = 4294967296",
            "invalid value: integer `4294967296`, expected the number or name of a host, or \
             \"random\"",
        ),
    ] {
        assert_eq!(from_toml(text), Err(message.to_owned()));
    }
}

#[test]
fn every_kind_is_listed_and_read() {
    let listed: Vec<_> = TrafficSpec::available()
        .iter()
        .map(|kind| kind.name)
        .collect();
    let read = EVERYTHING.map(|text| from_toml(text).unwrap().name());
    assert_eq!(listed, read);
}

#[test]
fn the_schema_knows_every_kind() {
    let schema = schemars::schema_for!(TrafficSpec).to_value();
    let variants = schema["oneOf"].as_array().unwrap().iter();
    let kinds: Vec<_> = variants
        .map(|variant| &variant["properties"]["kind"]["const"])
        .collect();
    let listed: Vec<_> = TrafficSpec::available()
        .iter()
        .map(|kind| kind.name)
        .collect();
    assert_eq!(kinds, listed);
}

mod property {
    use proptest::prelude::*;

    use super::*;

    fn rounds() -> impl Strategy<Value = Option<Rounds>> {
        let round = (1_u64..4, 1_000_u64..2_000);
        let round = round.prop_map(|(count, every_us)| Rounds {
            count,
            every: Time::from_us(every_us),
        });
        prop::option::of(round)
    }

    /// Random entries for a network of 12 hosts; bursts are shorter than a round.
    fn entry() -> impl Strategy<Value = TrafficSpec> {
        let jitter = (0_u64..500).prop_map(Time::from_us);
        let poisson = (0.01..1.0, 1_u64..200).prop_map(|(load, us)| {
            PoissonSpec::new(Published::AliStorage, load, Time::from_us(us)).into()
        });
        let incast = (1_u32..11, 1_u32..4, 0_u64..50, jitter.clone(), rounds()).prop_map(
            |(fan_in, group, every_us, jitter, rounds)| {
                let every = Time::from_us(every_us);
                TrafficSpec::from(IncastSpec {
                    receiver: IncastReceiver::Random,
                    fan_in: Some(fan_in),
                    stagger: Some(Stagger { group, every }),
                    jitter,
                    rounds,
                    ..IncastSpec::new("0-10".parse().unwrap(), HostId(0), Published::FbHadoop)
                })
            },
        );
        let permutation = (jitter.clone(), rounds()).prop_map(|(jitter, rounds)| {
            let spec = PermutationSpec::new(Bytes::new(1_000));
            TrafficSpec::from(PermutationSpec {
                jitter,
                rounds,
                ..spec
            })
        });
        let all_to_all = (prop::option::of(1_u32..11), jitter, rounds()).prop_map(
            |(fan_out, jitter, rounds)| {
                let spec = AllToAllSpec::new(Published::GoogleRpc);
                TrafficSpec::from(AllToAllSpec {
                    fan_out,
                    jitter,
                    rounds,
                    ..spec
                })
            },
        );
        prop_oneof![poisson, incast, permutation, all_to_all]
    }

    proptest! {
        /// Flows of any traffic are valid and in order of start. Their number is the expected one,
        /// if that is exact. The same seed gives the same flows.
        #[test]
        fn flows_are_sound(spec in entry(), seed in any::<u64>()) {
            let flows = flows(spec.clone(), 12, seed);
            for flow in &flows {
                prop_assert!(crate::flow::check_flow(flow, 12).is_ok(), "{flow:?}");
            }
            if spec.name() != "poisson" {
                let valid = spec.validate(&network(12), &no_files()).unwrap();
                prop_assert_eq!(flows.len() as f64, valid.expected_flows());
            }
            prop_assert_eq!(super::flows(spec, 12, seed), flows);
        }
    }
}
