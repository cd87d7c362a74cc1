//! The key `cc` of traffic entries: its spellings, and which algorithms one network serves
//! together.

use incast_cc::{AlgorithmConfig, SwiftConfig};

use super::*;

/// Two entries; line 12 is free for a key of the second.
const TWO: &str = r#"[network]
topology = "star"
[cc]
algorithm = "hpcc"
[[traffic]]
kind = "incast"
receiver = 16
sizes = "1MB"
[[traffic]]
kind = "permutation"
sizes = "1MB"
"#;

fn two(cc: &str, own: &str) -> Result<ValidSpec, Diagnostic> {
    let text = TWO.replacen("algorithm = \"hpcc\"", cc, 1) + own + "\n";
    with(&text, &[])
}

fn names(own: &str) -> Vec<String> {
    let spec = two("algorithm = \"hpcc\"", own).unwrap_or_else(|error| panic!("{error}"));
    spec.algorithms().names_by_entry()
}

/// The value of `cc` is a name, as after `--cc`, or a table like `[cc]`.
#[test]
fn an_entry_names_its_algorithm() {
    assert_eq!(names(""), ["hpcc", "hpcc"]);
    assert_eq!(names("cc = \"dcqcn\""), ["hpcc", "dcqcn"]);
    assert_eq!(names("cc = \"hpcc+sf+vai\""), ["hpcc", "hpcc+vai+sf"]);
    assert_eq!(names("cc = { algorithm = \"hpcc++\" }"), ["hpcc", "hpcc++"]);
    let swift = |own: &str| -> SwiftConfig {
        let spec = two("algorithm = \"hpcc\"", own).unwrap_or_else(|error| panic!("{error}"));
        match spec.algorithms().of_flows(1).map(|own| own.config()) {
            Some(AlgorithmConfig::Swift(config)) => config.clone(),
            other => panic!("{other:?}"),
        }
    };
    let named = swift("cc = \"swift:fairness\"");
    assert_ne!(named, SwiftConfig::default());
    let table = "cc = { algorithm = \"swift\", parameters = \"fairness\" }";
    assert_eq!(swift(table), named);
    let changed =
        swift("[traffic.cc]\nalgorithm = \"swift\"\nparameters = \"fairness\"\nbeta = 0.5");
    assert_eq!(
        SwiftConfig {
            beta: named.beta,
            ..changed
        },
        named
    );
}

/// Signals of all algorithms that can be on together are on, for all packets.
#[test]
fn signals_are_those_of_all_algorithms() {
    let spec = two("algorithm = \"hpcc\"", "cc = \"dcqcn:connectx\"").expect("both fit");
    let network = spec.network();
    assert_eq!(network.int, IntSource::Data);
    assert_eq!(network.cnp, CnpConfig::Interval(Time::from_us(4)));
    assert!(network.ecn.is_some() && !network.timestamps);
    let spec = two("algorithm = \"swift\"", "cc = \"fncc\"").expect("both fit");
    let network = spec.network();
    assert_eq!((network.int, network.timestamps), (IntSource::Acks, true));
}

/// Flows of a group may share a congestion state; the group also decides source ports.
#[test]
fn flows_of_one_algorithm_are_a_group() {
    let groups = |own: &str| {
        let text = format!("{TWO}{own}\n[[traffic]]\nkind = \"permutation\"\nsizes = \"1KB\"\n");
        let spec = with(&text, &[("traffic.2.cc", "swift")]);
        spec.unwrap_or_else(|error| panic!("{error}")).groups()
    };
    assert_eq!(groups(""), [0, 0, 2]);
    assert_eq!(groups("cc = \"hpcc\""), [0, 0, 2]);
    assert_eq!(groups("cc = \"swift\""), [0, 2, 2]);
    assert_eq!(groups("cc = \"dcqcn\""), [0, 2, 3]);
}

/// The canonical text has every parameter, and reads as the same scenario.
#[test]
fn the_canonical_text_has_the_entry_s_parameters() {
    let spec = two("algorithm = \"hpcc\"", "cc = \"swift:fairness\"").expect("both fit");
    let toml = spec.to_toml();
    assert!(
        toml.contains("[traffic.cc]\nalgorithm = \"swift\"\n"),
        "{toml}"
    );
    let again = with(&toml, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.to_toml(), toml);
    let plain = two("algorithm = \"hpcc\"", "").expect("one").to_toml();
    assert!(!plain.contains("traffic.cc"), "{plain}");
}

#[test]
fn an_override_replaces_what_an_entry_says() {
    let text = format!("{TWO}cc = {{ algorithm = \"swift\", beta = 0.5 }}\n");
    let spec = with(&text, &[("traffic.1.cc", "dcqcn")]).expect("both fit");
    assert_eq!(spec.algorithm_name(), "hpcc, dcqcn");
    let spec = with(&text, &[("cc", "{ algorithm = \"timely\" }")]).expect("both fit");
    assert_eq!(spec.algorithm_name(), "timely, swift");
}

#[test]
fn mistakes_in_an_entry_s_algorithm_have_its_line() {
    for (own, expected) in [
        (
            "cc = \"dcqn\"",
            "run.toml:12: traffic[1].cc: unknown algorithm `dcqn`; did you mean `dcqcn`? \
             (available: dcqcn, dctcp, ",
        ),
        (
            "cc = \"swift:fair\"",
            "run.toml:12: traffic[1].cc: unknown set of parameters `fair`; ",
        ),
        (
            "cc = \"dctcp+vai\"",
            "run.toml:12: traffic[1].cc: algorithm `dctcp` takes no parts; write `dctcp`",
        ),
        (
            "cc = 3",
            "run.toml:12: traffic[1].cc: `3` is a number; write the name of an algorithm, or a \
             table with `algorithm` and its parameters",
        ),
        (
            "cc = { beta = 0.5 }",
            "run.toml:12: traffic[1].cc: `algorithm` is missing; add e.g. algorithm = \"hpcc\"",
        ),
        (
            "cc = { algorithm = \"swift\", betta = 0.5 }",
            "run.toml:12: traffic[1].cc.betta: unknown key `betta`; did you mean `beta`?",
        ),
        (
            "cc = { algorithm = \"dctcp\", gain = 2 }",
            "run.toml:12: traffic[1].cc.gain: `2` is out of range; write 0 to 1",
        ),
        (
            "cc = \"mine.py\"",
            "run.toml:12: traffic[1].cc.algorithm: this algorithm is not here; ",
        ),
    ] {
        let message = two("algorithm = \"hpcc\"", own).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn algorithms_that_one_network_cannot_serve() {
    for (cc, own, expected) in [
        (
            "hpcc",
            "fncc",
            "run.toml:12: traffic[1].cc: `hpcc` of [cc] needs INT in data packets, `fncc` of \
             traffic[1] in ACKs: switches write into one of the two; take algorithms whose INT is \
             in the same packets",
        ),
        (
            "rocc",
            "dcqcn",
            "run.toml:12: traffic[1].cc: `rocc` of [cc] needs switch programs that act on every \
             flow, and cannot go with `dcqcn` of traffic[1]; give all entries the same algorithm, \
             or take one that needs no switch programs",
        ),
        (
            "dcqcn",
            "s-perc",
            "run.toml:12: traffic[1].cc: `s-perc` of traffic[1] needs switch programs that act on \
             every flow, and cannot go with `dcqcn` of [cc]; give all entries the same algorithm, \
             or take one that needs no switch programs",
        ),
        (
            "dcqcn",
            "dctcp",
            "run.toml:12: traffic[1].cc: `dcqcn` of [cc] and `dctcp` of traffic[1] are made for \
             different ECN marking, and a switch has one; write the thresholds for both, e.g. \
             network.ecn = { at = \"dequeue\", k_min = \"400KB\", k_max = \"1.6MB\", p_max = 0.2, \
             reference_rate = \"100Gbps\" }, those of `dcqcn`",
        ),
    ] {
        let cc = format!("algorithm = \"{cc}\"");
        let own = format!("cc = \"{own}\"");
        let message = two(&cc, &own).unwrap_err().to_string();
        assert_eq!(message, expected);
    }
}

/// The two sets differ in CNP interval and marking; the scenario has to give each.
#[test]
fn what_authors_disagree_on_is_for_the_scenario_to_say() {
    let own = "cc = \"dcqcn:paper\"";
    let thresholds = ("network.ecn", "{ step = \"100KB\" }");
    let connectx = "dcqcn\"\nparameters = \"connectx";
    let text = TWO.replacen("hpcc", connectx, 1) + own + "\n";
    let message = with(&text, &[thresholds]).unwrap_err().to_string();
    assert_eq!(
        message,
        "run.toml:13: traffic[1].cc: `dcqcn` of [cc] has CNPs every 4us at most, `dcqcn` of \
         traffic[1] every 50us: receivers have one interval; write the one for both, e.g. \
         network.cnp_interval = \"4us\""
    );
    let both = [thresholds, ("network.cnp_interval", "10us")];
    let spec = with(&text, &both).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(spec.network().cnp, CnpConfig::Interval(Time::from_us(10)));
    let when = ("network.ecn", "{ at = \"enqueue\" }");
    let message = with(&text, &[when]).unwrap_err().to_string();
    assert!(
        message.contains("made for different ECN marking"),
        "{message}"
    );
}

/// A rule of the scenario for one tier holds for both algorithms; the other tiers are still
/// unsettled.
#[test]
fn a_rule_for_one_tier_settles_nothing_for_the_others() {
    let text = TWO.replacen("hpcc", "dcqcn", 1) + "cc = \"dctcp\"\n";
    let tiers = (
        "network.ecn.per_tier",
        "[{ tier = \"spine\", step = \"1MB\" }]",
    );
    let message = with(&text, &[("network.topology", "leaf-spine"), tiers]);
    assert_eq!(
        message.unwrap_err().to_string(),
        "run.toml:12: traffic[1].cc: `dcqcn` of [cc] and `dctcp` of traffic[1] are made for \
         different ECN marking, and a switch has one; write the thresholds for both, e.g. \
         network.ecn = { at = \"dequeue\", k_min = \"400KB\", k_max = \"1.6MB\", p_max = 0.2, \
         reference_rate = \"100Gbps\", per_tier = [{ tier = \"spine\", step = \"1MB\" }] }, those \
         of `dcqcn`"
    );
}

#[test]
fn what_has_no_effect_is_told() {
    let text = TWO.replace("kind = \"incast\"\n", "kind = \"incast\"\ncc = \"swift\"\n")
        + "cc = \"dcqcn\"\n";
    assert_eq!(
        with(&text, &[]).unwrap_err().to_string(),
        "run.toml:3: cc: `hpcc` is no flow's algorithm: every entry of the traffic has another \
         `cc`; write an entry's algorithm here, and leave its `cc` out"
    );
    let own = "cc = \"dcqcn\"\n[[traffic]]\nkind = \"poisson\"\nsizes = \"1KB\"\nload = 0.1\n\
               duration = \"1ms\"\ncontrolled = false\ncc = \"swift\"";
    assert_eq!(
        two("algorithm = \"hpcc\"", own).unwrap_err().to_string(),
        "run.toml:19: traffic[2].cc: the entry's flows have no congestion control: controlled = \
         false; remove one of the two"
    );
}

/// The needs of each algorithm are checked, and messages name the algorithm.
#[test]
fn the_network_has_to_suit_every_algorithm() {
    for (setting, cc, own, expected) in [
        (
            ("network.ack_every", "2"),
            "timely",
            "dctcp",
            "--set network.ack_every: algorithm `dctcp` needs one ACK per packet; write 1",
        ),
        (
            ("network.ecn", "off"),
            "timely",
            "dcqcn",
            "--set network.ecn: algorithm `dcqcn` needs ECN marks; leave it out, or give \
             thresholds",
        ),
        (
            ("nic.enforcement", "per-source"),
            "dcqcn",
            "hpcc",
            "--set nic.enforcement: one state of `hpcc` cannot serve several paths: it compares \
             the INT of successive ACKs hop by hop; write \"per-pair\", or take another algorithm",
        ),
    ] {
        let text = TWO.replacen("hpcc", cc, 1) + &format!("cc = \"{own}\"\n");
        let message = with(&text, &[setting]).unwrap_err().to_string();
        assert_eq!(message, expected);
    }
}
