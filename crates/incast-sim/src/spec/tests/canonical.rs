//! The canonical text is complete and stable, and reads as the same scenario.

use super::*;

/// Marking rules for the tiers of a leaf-spine, one of each kind.
const TIERS: &str = "[{ tier = \"leaf\", marking = \"off\" }, { tier = \"spine\", \
                     at = \"dequeue\", k_min = \"5 packets\", k_max = \"1MB\", p_max = 0.5, \
                     reference_rate = \"100Gbps\" }]";

/// The scenarios that the tests below print and read again.
fn samples() -> Vec<ValidSpec> {
    let ecn = "[{ link_rate = \"100Gbps\", k_min = \"1KB\", k_max = \"2KB\", p_max = 0.5 }]";
    vec![
        star(&[]),
        star(&[
            ("network.profile", "hpcc-ns3"),
            ("run.stop", "2ms"),
            ("run.name", "x \"y\""),
        ]),
        star(&[
            ("network.topology", "clos-320"),
            ("network.link_delay", "500ns"),
        ]),
        star(&[
            ("network.flow_control", "none"),
            ("network.ecn.step", "40KB"),
        ]),
        star(&[
            ("network.ecn.per_rate", ecn),
            ("measure.queues.ports", "[\"switch 17\"]"),
        ]),
        star(&[
            ("network.topology", "leaf-spine"),
            ("cc.algorithm", "lgc"),
            ("network.ecn.per_tier", TIERS),
        ]),
        star(&[("network.ecn", "{}"), ("network.model.int_format", "exact")]),
        star(&[
            ("network.profile", "uet-htsim"),
            ("cc.algorithm", "nscc+credits"),
        ]),
        star(&[
            ("network.profile", "uet-htsim"),
            ("network.balance.kind", "flow"),
            ("network.drop.trimming", "off"),
            ("cc.algorithm", "nscc"),
            ("cc.parameters", "uec-1.0"),
        ]),
        star(&[
            ("network.profile", "uet-htsim"),
            ("network.flow_control", "pfc"),
            ("network.balance.kind", "flow"),
        ]),
        star(&[
            ("network.profile", "uet-htsim"),
            ("network.balance.kind", "flow"),
            ("network.drop.sharing", "shared"),
        ]),
        star(&[("cc.algorithm", "hpcc+vai+sf+prob"), ("cc.sf.acks", "10")]),
        star(&[
            ("cc.algorithm", "swift+vai"),
            ("cc.parameters", "fairness"),
            ("cc.max_window", "2.5 packets"),
        ]),
        star(&[
            ("nic.enforcement", "per-pair"),
            ("nic.qps", "persistent"),
            ("nic.idle", "{ reset_after = \"100us\" }"),
        ]),
        star(&[
            ("network.pfc.threshold", "500KB"),
            ("network.pfc.headroom", "100KB"),
        ]),
    ]
}

#[test]
fn reading_it_again_changes_nothing() {
    for spec in samples() {
        let text = spec.to_toml();
        let again = with(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.scenario, spec.scenario, "{text}");
        assert_eq!(
            format!("{:?}", again.network),
            format!("{:?}", spec.network)
        );
        assert_eq!(again.topology(), spec.topology());
        assert_eq!(again.to_toml(), text);
    }
}

/// A topology's name and the kind that it stands for are one scenario.
#[test]
fn names_of_topologies_are_spelt_out() {
    let named = star(&[]);
    let spelt = star(&[("network.topology", "{ kind = \"star\", hosts = 17 }")]);
    assert_eq!(named.to_toml(), spelt.to_toml());
}

/// A scenario that writes out a default has the same text as a scenario that leaves it out.
#[test]
fn saying_a_default_changes_nothing() {
    let said = star(&[
        ("network.buffer.size", "33554432B"),
        ("network.int", "data"),
        ("network.ecn", "off"),
        ("measure.flows.which", "all"),
        ("cc.additive_increase", "0.05Gbps"),
    ]);
    assert_eq!(said.to_toml(), star(&[]).to_toml());
}

/// The rule of tiers without an entry is printed, too; a list without entries is left out.
#[test]
fn marking_by_tier_in_full() {
    let leaf_spine = ("network.topology", "leaf-spine");
    let tiers = |entries| star(&[leaf_spine, ("network.ecn.per_tier", entries)]).to_toml();
    let expected = r#"[network.ecn]
at = "dequeue"
k_min = "400KB"
k_max = "1.6MB"
p_max = 0.2
reference_rate = "100Gbps"

[[network.ecn.per_tier]]
tier = "leaf"
marking = "off"

[[network.ecn.per_tier]]
tier = "spine"
at = "dequeue"
k_min = "5 packets"
k_max = "1MB"
p_max = 0.5
reference_rate = "100Gbps"

"#;
    let text = tiers(TIERS);
    assert!(text.contains(expected), "{text}");
    let without = star(&[leaf_spine, ("network.ecn", "{}")]).to_toml();
    assert_eq!(tiers("[]"), without);
}

#[test]
fn the_star_in_full() {
    let expected = r#"[run]
name = "run"
seed = 1

[network]
profile = "default"
flow_control = "pfc"
base_rtt = "global"
ack_every = 1
next_hop_order = "by-port"
int = "data"
timestamps = false
ecn = "off"

[network.topology]
kind = "star"
hosts = 17
rate = "100Gbps"
delay = "1us"

[network.packets]
mtu = "1KB"
data_header = "48B"
ack = "46B"
minimum = "60B"
int = "42B"
timestamp = "8B"
cnp = "60B"
pfc_frame = "64B"

[network.buffer]
size = "32MiB"
reserve = "4KiB"

[network.pfc]
resume_offset = "3KiB"
headroom = "worst-case"

[network.pfc.threshold]
shift = 3

[network.recovery]
kind = "go-back-n"
nack_interval = "500us"

[network.model]
clock = "picoseconds"
ties = "port"
ecmp = "mixed"
ack_class = "control"
ack_pausable_at_host = false
nic_scheduler = "round-robin"
marking_random = "own"

[network.model.int_format]
multiplier = 1
queue_bits = 16

[cc]
algorithm = "hpcc"
target_utilisation = 0.95
max_stage = 5
additive_increase = "50Mbps"
min_rate = "100Mbps"
initial_utilisation = 1.0
fast_react = true
multi_rate = false
sample_feedback = false
window = "variable"

[measure]
pauses = true
round_trips = false
fair_share = "all"

[measure.queues]
ports = "all"
every = "1us"

[measure.flows]
which = "all"
probes = false
every = "10us"

[[traffic]]
kind = "incast"
sizes = "1MB"
receiver = 16
senders = "0-15"
start = "0s"
jitter = "0s"

[traffic.stagger]
group = 2
every = "20us"
"#;
    assert_eq!(star(&[]).to_toml(), expected);
}

#[test]
fn files_are_listed_and_can_be_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    std::fs::write(folder.path().join("pair.txt"), graph).unwrap();
    std::fs::write(folder.path().join("flow.txt"), "1\n0 1 3 100 5000 2.0\n").unwrap();
    let text = r#"
[network]
topology = { file = "pair.txt", format = "hpcc-ns3" }
[cc]
algorithm = "none"
[[traffic]]
kind = "file"
file = "flow.txt"
format = "hpcc-ns3"
base = "2s"
"#;
    let source = Source {
        folder: folder.path().to_owned(),
        ..source(text)
    };
    let spec = Spec::parse(&source, &[]).and_then(Spec::validate).unwrap();
    let files: Vec<_> = spec
        .files()
        .into_iter()
        .map(|file| (file.key, file.path))
        .collect();
    let expected = [
        (
            "network.topology.file".to_owned(),
            folder.path().join("pair.txt"),
        ),
        ("traffic[0].file".to_owned(), folder.path().join("flow.txt")),
    ];
    assert_eq!(files, expected);
    let renamed = spec.to_toml_with(|key, path| format!("{key}@{}", path.exists()));
    assert!(
        renamed.contains("file = \"network.topology.file@true\""),
        "{renamed}"
    );
    assert!(
        renamed.contains("file = \"traffic[0].file@true\""),
        "{renamed}"
    );
}

/// A scenario that writes out the defaults of `[nic]` has the same text as one without the section.
#[test]
fn nics_as_ever_are_left_out() {
    let silent = star(&[]).to_toml();
    assert!(!silent.contains("nic]"), "{silent}");
    let spelt = star(&[
        ("nic.enforcement", "per-qp"),
        ("nic.qps", "per-flow"),
        ("nic.idle", "keep"),
    ]);
    assert_eq!(spelt.to_toml(), silent);
    let shared = star(&[("nic.enforcement", "per-pair")]).to_toml();
    assert!(
        shared.contains("[nic]\nenforcement = \"per-pair\"\nqps = \"per-flow\"\nidle = \"keep\"\n"),
        "{shared}"
    );
}
