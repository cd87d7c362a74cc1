//! A test for every message: the mistake, its place, and a correction.

mod cross_checks;
mod faults;
mod files;
mod nic;
mod tiers;
mod timing_errors;
mod trimming;

use super::*;

/// The message for the star with `from` replaced by `to`.
fn message(from: &str, to: &str) -> String {
    assert!(STAR.contains(from), "{from}");
    error(&STAR.replacen(from, to, 1))
}

fn error(text: &str) -> String {
    with(text, &[]).expect_err(text).to_string()
}

/// Lines of the star: 2 `[network]`, 3 topology, 5 `[cc]`, 6 algorithm, 8 `[[traffic]]`, 9 kind,
/// 10 senders, 11 receiver, 12 sizes, 13 stagger.
#[test]
fn names_that_do_not_exist() {
    for (from, to, expected) in [
        (
            "\"hpcc\"",
            "\"hpc\"",
            "run.toml:6: cc.algorithm: unknown algorithm `hpc`; did you mean `hpcc`? \
             (available: {algorithms})",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+vay\"",
            "run.toml:6: cc.algorithm: unknown part `vay` of `hpcc`; did you mean `vai`? \
             (available: prob, sf, vai)",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+vai+sf+vai\"",
            "run.toml:6: cc.algorithm: part `vai` is there twice; write it once",
        ),
        (
            "\"hpcc\"",
            "\"none+vai\"",
            "run.toml:6: cc.algorithm: algorithm `none` takes no parts; write `none`",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+\"",
            "run.toml:6: cc.algorithm: unknown part `` of `hpcc`; available: prob, sf, vai",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+vai\"\nsf = { acks = 10 }",
            "run.toml:7: cc.sf: `hpcc+vai` does not have the part `sf`; \
             write algorithm = \"hpcc+vai+sf\", or remove it",
        ),
        (
            "\"hpcc\"",
            "\"none\"\nsf = { acks = 10 }",
            "run.toml:7: cc.sf: `none` does not have the part `sf`; remove it",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+vai\"\nvai = { token_threshold = \"4us\" }",
            "run.toml:7: cc.vai.token_threshold: `4us`: unknown unit `us`; a size is written in \
             B, KB, KiB, MB, MiB, GB, GiB, TB or TiB",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+vai\"\nvai = { bank = 3 }",
            "run.toml:7: cc.vai.bank: unknown key `bank`; did you mean `bank_cap`? \
             (available: ai_cap, ai_divisor, bank_cap, dampener_constant, token_threshold)",
        ),
        (
            "\"hpcc\"",
            "\"swift\"\nadditive_increase = \"1\"",
            "run.toml:7: cc.additive_increase: `1` has no unit; write e.g. `1 packets`, `50KB`, \
             `50Mbps` or `bdp`",
        ),
        (
            "\"hpcc\"",
            "\"swift\"\nadditive_increase = true",
            "run.toml:7: cc.additive_increase: `true` is a boolean; write a window as text, \
             e.g. \"12 packets\", \"50KB\", \"50Mbps\" or \"bdp\"",
        ),
        (
            "\"star\"",
            "\"clos-32\"",
            "run.toml:3: network.topology: unknown topology `clos-32`; did you mean `clos-320`? \
             (available: clos-320, clos-64, dragonfly, dumbbell, fat-tree, fat-tree-128, \
             leaf-spine, leaf-spine-144, parking-lot, rail-optimised, star, star-97, torus)",
        ),
        (
            "\"star\"",
            "{ kind = \"starr\" }",
            "run.toml:3: network.topology.kind: unknown topology `starr`; did you mean \
             `star`? (available: clos-320, clos-64, dragonfly, dumbbell, fat-tree, leaf-spine, \
             parking-lot, rail-optimised, star, torus)",
        ),
        (
            "topology",
            "profile = \"ns3\"\ntopology",
            "run.toml:3: network.profile: unknown value `ns3`; available: default, hpcc-ns3, \
             uet-htsim",
        ),
        (
            "\"incast\"",
            "\"inkast\"",
            "run.toml:9: traffic[0].kind: unknown kind of traffic `inkast`; did you mean \
             `incast`? (available: all-reduce, all-to-all, collective, file, flows, incast, live, \
             permutation, poisson, tasks)",
        ),
        (
            "\"1MB\"",
            "\"web-serch\"",
            "run.toml:12: traffic[0].sizes: unknown sizes `web-serch`; did you mean `web-search`? \
             (available: ali-storage, fb-hadoop, google-rpc, rocc-fb, rocc-htl, rocc-vl2, \
             web-search); or write one size, e.g. `1MB`",
        ),
        (
            "[cc]",
            "[cc]\nadditive_increse = \"1Gbps\"",
            "run.toml:6: cc.additive_increse: unknown key `additive_increse`; did you mean \
             `additive_increase`? (available: additive_increase, fast_react, initial_utilisation, \
             max_stage, min_rate, multi_rate, prob, sample_feedback, sf, target_utilisation, vai, \
             window)",
        ),
        (
            "[cc]",
            "[cc]\nparameters = \"artefact\"",
            "run.toml:6: cc.parameters: unknown set of parameters `artefact`; did you mean \
             `artifact`? (available: artifact, fairness)",
        ),
        (
            "algorithm = \"hpcc\"",
            "algorithm = \"none\"\nparameters = \"artifact\"",
            "run.toml:7: cc.parameters: `none` has one set of parameters, without a name; leave \
             it out",
        ),
        (
            "[cc]",
            "[ntwork]\n[cc]",
            "run.toml:5: ntwork: unknown key `ntwork`; did you mean `network`? \
             (available: attack, cc, fault, measure, network, nic, run, traffic)",
        ),
        (
            "[cc]",
            "[network.bufer]\n[cc]",
            "run.toml:5: network.bufer: unknown key `bufer`; did you mean `buffer`? (available: \
             ack_every, arbitration, balance, base_rtt, buffer, clock_ppm, cnp_interval, drop, \
             ecn, flow_control, int, int_table_period, jitter, largest_base_rtt, link_delay, \
             link_rate, model, next_hop_order, packets, pfc, planes, profile, recovery, routing, \
             timestamps, topology)",
        ),
        (
            "group = 2",
            "groups = 2",
            "run.toml:13: traffic[0].stagger.groups: unknown key `groups`; did you mean `group`? \
             (available: every, group)",
        ),
    ] {
        assert_eq!(message(from, to), named(expected));
    }
}

/// A message without its list of the algorithms in this version.
fn named(message: &str) -> String {
    let names: Vec<_> = incast_cc::AlgorithmConfig::available()
        .iter()
        .map(|info| info.name)
        .collect();
    message.replace("{algorithms}", &names.join(", "))
}

#[test]
fn keys_that_are_missing() {
    for (text, expected) in [
        (
            "",
            "run.toml: the scenario is empty; write at least [network], [cc] and [[traffic]]",
        ),
        (
            "# nothing yet\n",
            "run.toml: the scenario is empty; write at least [network], [cc] and [[traffic]]",
        ),
        (
            "[run]\n",
            "run.toml: `network` is missing; add e.g. [network] with topology = \"star\"",
        ),
        (
            "[network]\nprofile = \"default\"\n",
            "run.toml:1: network: `topology` is missing; add e.g. topology = \"star\"",
        ),
        (
            "[network]\ntopology = \"star\"\n",
            "run.toml: `cc` is missing; add e.g. [cc] with algorithm = \"hpcc\"",
        ),
        (
            "[network]\ntopology = \"star\"\n[cc]\nmin_rate = \"1Gbps\"\n",
            "run.toml:3: cc: `algorithm` is missing; add e.g. algorithm = \"hpcc\"",
        ),
        (
            "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n",
            "run.toml: `traffic` is missing; add e.g. [[traffic]] with kind = \"incast\"",
        ),
        (
            "traffic = []\n[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"hpcc\"\n",
            "run.toml:1: traffic: there is no traffic; add e.g. [[traffic]] with kind = \"incast\"",
        ),
        (
            "[network]\ntopology = { hosts = 3 }\n",
            "run.toml:2: network.topology: `kind` is missing; add `kind = …`",
        ),
        (
            "[network]\ntopology = { file = \"fat.txt\" }\n",
            "run.toml:2: network.topology: `format` is missing; add `format = …`",
        ),
    ] {
        assert_eq!(error(text), expected);
    }
    let message = message("receiver = 16\n", "");
    let expected = "run.toml:8: traffic[0]: `receiver` is missing; add e.g. receiver = 0";
    assert_eq!(message, expected);
}

#[test]
fn values_that_are_none() {
    for (from, to, expected) in [
        (
            "topology",
            "link_delay = 100\ntopology",
            "run.toml:3: network.link_delay: `100` has no unit; write e.g. `100us`",
        ),
        (
            "topology",
            "link_rate = \"100\"\ntopology",
            "run.toml:3: network.link_rate: `100` has no unit; write e.g. `100Gbps`",
        ),
        (
            "\"1MB\"",
            "\"-1MB\"",
            "run.toml:12: traffic[0].sizes: `-1MB` is negative; a size is zero or more",
        ),
        (
            "topology",
            "ack_every = \"all\"\ntopology",
            "run.toml:3: network.ack_every: `all` is neither a number of packets nor a size; \
             write e.g. 8, or \"16KiB\"",
        ),
        (
            "[cc]",
            "[cc]\ntarget_utilisation = -1",
            "run.toml:6: cc.target_utilisation: `-1` is out of range; write 0.01 to 1",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+vai\"\nvai = { ai_cap = 0.5 }",
            "run.toml:7: cc.vai.ai_cap: `0.5` is out of range; write at least 1",
        ),
        (
            "topology",
            "ack_every = 0\ntopology",
            "run.toml:3: network.ack_every: `0` is out of range; write 1 to 1024",
        ),
        (
            "\"star\"",
            "17",
            "run.toml:3: network.topology: `17` is a number; write a name such as \"clos-320\", \
             { kind = … } or { file = … }",
        ),
        (
            "[network]\ntopology = \"star\"",
            "network = \"star\"",
            "run.toml:2: network: `\"star\"` is text; write a table, e.g. { key = … }",
        ),
        (
            "[[traffic]]",
            "[traffic]",
            "run.toml:8: traffic: this is a table; write an array, e.g. [ … ]",
        ),
        (
            "[cc]",
            "[run]\nseed = -1\n[cc]",
            "run.toml:6: run.seed: `-1` is negative; write zero or more",
        ),
        (
            "[cc]",
            "[run]\nstop = \"0s\"\n[cc]",
            "run.toml:6: run.stop: a run of no time; write e.g. \"10ms\", or leave it out",
        ),
        (
            "[cc]",
            "[network.pfc]\nheadroom = \"much\"\n[cc]",
            "run.toml:6: network.pfc.headroom: `much` is not a number with a unit; \
             write e.g. `64KB`",
        ),
        (
            "[cc]",
            "[network.pfc]\nheadroom = true\n[cc]",
            "run.toml:6: network.pfc.headroom: `true` is a boolean; write \"worst-case\", a size \
             such as \"100KB\", or { rate_delay = 3 }",
        ),
        (
            "[cc]",
            "[network.pfc]\nthreshold = []\n[cc]",
            "run.toml:6: network.pfc.threshold: has 0 entries; write a table, e.g. { key = … }",
        ),
        (
            "[cc]",
            "[network.pfc]\nthreshold = { shift = 64 }\n[cc]",
            "run.toml:6: network.pfc.threshold.shift: a shift by 64 leaves nothing; \
             write at most 63; 3 means one eighth",
        ),
        (
            "[cc]",
            "[network.model]\nint_format = { multiplier = 0 }\n[cc]",
            "run.toml:6: network.model.int_format.multiplier: `0` is out of range; \
             write 1 to 4096",
        ),
        (
            "[cc]",
            "[network.packets]\nmtu = \"0B\"\n[cc]",
            "run.toml:6: network.packets.mtu: a packet of 0 bytes; write at least 1B",
        ),
        (
            "[cc]",
            "[network.packets]\nmtu = \"1MB\"\n[cc]",
            "run.toml:6: network.packets.mtu: a data packet takes 1000098B with its headers; \
             packets are at most 65535B",
        ),
        (
            "[cc]",
            "[network.packets]\nack = \"70KB\"\n[cc]",
            "run.toml:6: network.packets.ack: `70KB` is too large; packets are at most 65535B",
        ),
        (
            "[cc]",
            "[network.buffer]\nsize = \"0B\"\n[cc]",
            "run.toml:6: network.buffer.size: switches without a buffer lose every packet; \
             write e.g. \"32MiB\"",
        ),
        (
            "[cc]",
            "[measure]\nqueues = { every = \"0s\" }\n[cc]",
            "run.toml:6: measure.queues.every: samples 0 apart never end; write e.g. \"1us\"",
        ),
        (
            "[cc]",
            "[measure]\nflows = { every = \"0s\" }\n[cc]",
            "run.toml:6: measure.flows.every: samples 0 apart never end; write e.g. \"1us\"",
        ),
        (
            "[cc]",
            "[measure]\nflows = { which = \"some\" }\n[cc]",
            "run.toml:6: measure.flows.which: unknown value `some`; available: all, auto, none",
        ),
    ] {
        assert_eq!(message(from, to), expected);
    }
}

#[test]
fn text_that_is_no_toml() {
    let broken = error("[network\n");
    assert!(
        broken.starts_with("run.toml:1: not valid TOML: "),
        "{broken}"
    );
}

#[test]
fn the_command_line_is_to_blame() {
    for (key, value, expected) in [
        (
            "cc.algorithm",
            "hpc",
            "--set cc.algorithm: unknown algorithm `hpc`; did you mean `hpcc`? \
             (available: {algorithms})",
        ),
        (
            "network.link_delay",
            "100",
            "--set network.link_delay: `100` has no unit; write e.g. `100us`",
        ),
        (
            "traffic.0.load",
            "0.5",
            "--set traffic[0].load: unknown key `load`; available: fan_in, jitter, receiver, \
             rounds, senders, sizes, stagger, start",
        ),
        (
            "traffic.7.sizes",
            "1MB",
            "--set traffic.7.sizes: there is no entry `7`; there is one entry: 0",
        ),
        (
            "network.buffer.size",
            "1KB",
            "--set network.buffer.size: the headroom and reserve of switch 17's 17 ports take \
             552806B, the whole buffer of 1KB; write a larger buffer, or a smaller \
             network.pfc.headroom",
        ),
    ] {
        let message = with(STAR, &[(key, value)]).unwrap_err().to_string();
        assert_eq!(message, named(expected));
    }
}

/// Front ends show the parts of a message on their own.
#[test]
fn an_error_has_parts() {
    let error = with(&STAR.replace("hpcc", "hpc"), &[]).unwrap_err();
    let hint = named("did you mean `hpcc`? (available: {algorithms})");
    let expected = Diagnostic::new("unknown algorithm `hpc`", hint)
        .at("cc.algorithm")
        .on_line(6)
        .in_file("run.toml");
    assert_eq!(error, expected);
}

/// The star with an `[attack]` section that begins on line 8.
fn of_attack(lines: &str) -> String {
    message("[[traffic]]", &format!("[attack]\n{lines}\n[[traffic]]"))
}

#[test]
fn attacks_that_cannot_be_made() {
    for (lines, expected) in [
        (
            "kind = \"staggered\"",
            "run.toml:8: attack: `attackers` is missing; \
             add e.g. attackers = { larger_than = \"1MB\" }",
        ),
        (
            "kind = \"stagered\"\nattackers = { share = 0.1 }",
            "run.toml:9: attack.kind: unknown attack `stagered`; did you mean `staggered`? \
             (available: none, parallel, shuffled, staggered)",
        ),
        (
            "kind = \"none\"\nattackers = {}",
            "run.toml:10: attack.attackers: nothing says who attacks; give one of share = 0.1, \
             hosts = \"0-31\", larger_than = \"1MB\", tenant = \"name\"",
        ),
        (
            "kind = \"parallel\"\nattackers = { share = 0.1, larger_than = \"1MB\" }",
            "run.toml:10: attack.attackers: attackers are selected in several ways; give one of \
             share = 0.1, hosts = \"0-31\", larger_than = \"1MB\", tenant = \"name\"",
        ),
        (
            "kind = \"parallel\"\nqps = 0\nattackers = { share = 0.1 }",
            "run.toml:10: attack.qps: over 0 QPs nothing is sent; give at least 1",
        ),
        (
            "kind = \"parallel\"\npiece = \"0B\"\nattackers = { share = 0.1 }",
            "run.toml:10: attack.piece: pieces of 0 bytes never make a message; \
             give at least 1 byte, e.g. `150KB`",
        ),
        (
            "kind = \"staggered\"\nspacing = \"0s\"\nattackers = { share = 0.1 }",
            "run.toml:10: attack.spacing: pieces that are 0 apart start together, as under the \
             parallel attack; give a time above 0, e.g. `13us`, or kind = \"parallel\"",
        ),
        (
            "kind = \"none\"\nattackers = { tenant = \"web\" }",
            "run.toml:10: attack.attackers.tenant: no traffic has a tenant; \
             add tenant = \"web\" to the [[traffic]] entries that are theirs",
        ),
    ] {
        assert_eq!(of_attack(lines), expected);
    }
}

#[test]
fn a_tenant_without_a_name() {
    assert_eq!(
        message("kind = \"incast\"", "kind = \"incast\"\ntenant = \"\""),
        "run.toml:10: traffic[0].tenant: the tenant has no name; \
         write e.g. \"storage\", or leave it out"
    );
}

#[test]
fn names_of_traffic_entries() {
    let named = |name: &str| {
        message(
            "kind = \"incast\"",
            &format!("kind = \"incast\"\nname = {name}"),
        )
    };
    assert_eq!(
        named("\"\""),
        "run.toml:10: traffic[0].name: the name is empty; write e.g. \"background\", or leave it \
         out"
    );
    let twice =
        "\"a\"\nsizes = \"1KB\"\nreceiver = 0\n[[traffic]]\nname = \"a\"\nkind = \"incast\"";
    assert_eq!(
        named(twice),
        "run.toml:14: traffic[1].name: traffic[0] is called `a`, too; \
         give each entry a name of its own"
    );
}

/// The reader treats the key `tenant` apart from the others; all other keys keep their lines.
#[test]
fn a_misspelt_tenant_is_an_unknown_key() {
    let told = message("kind = \"incast\"", "kind = \"incast\"\ntennant = \"a\"");
    assert!(
        told.starts_with("run.toml:10: traffic[0].tennant: unknown key `tennant`"),
        "{told}"
    );
}
