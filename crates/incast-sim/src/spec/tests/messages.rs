//! What is wrong, where, and what would be right: a test for every message.

use super::*;

/// The message for the star in which `from` is `to`.
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
             (available: hpcc, none)",
        ),
        (
            "\"hpcc\"",
            "\"hpcc+vai\"",
            "run.toml:6: cc.algorithm: unknown part `vai`; this version adds no parts to \
             algorithms, write `hpcc`",
        ),
        (
            "\"star\"",
            "\"clos-32\"",
            "run.toml:3: network.topology: unknown topology `clos-32`; did you mean `clos-320`? \
             (available: star, star-97, dumbbell, parking-lot, fat-tree, fat-tree-128, leaf-spine, \
             leaf-spine-144, clos-320, clos-64)",
        ),
        (
            "\"star\"",
            "{ kind = \"starr\" }",
            "run.toml:3: network.topology.kind: unknown kind of topology `starr`; did you mean \
             `star`? (available: clos-320, clos-64, dumbbell, fat-tree, leaf-spine, parking-lot, \
             star)",
        ),
        (
            "topology",
            "profile = \"ns3\"\ntopology",
            "run.toml:3: network.profile: unknown value `ns3`; available: default, hpcc-ns3",
        ),
        (
            "\"incast\"",
            "\"inkast\"",
            "run.toml:9: traffic[0].kind: unknown kind of traffic `inkast`; did you mean \
             `incast`? (available: all-to-all, file, flows, incast, permutation, poisson, \
             ring-all-reduce)",
        ),
        (
            "\"1MB\"",
            "\"web-serch\"",
            "run.toml:12: traffic[0].sizes: unknown sizes `web-serch`; did you mean `web-search`? \
             (available: web-search, fb-hadoop, ali-storage, google-rpc, rocc-fb, rocc-htl, \
             rocc-vl2; or one size, e.g. `1MB`)",
        ),
        (
            "[cc]",
            "[cc]\nadditive_increse = \"1Gbps\"",
            "run.toml:6: cc.additive_increse: unknown key `additive_increse`; did you mean \
             `additive_increase`? (available: additive_increase, fast_react, initial_utilisation, \
             max_stage, min_rate, multi_rate, sample_feedback, target_utilisation, \
             variable_window)",
        ),
        (
            "[cc]",
            "[ntwork]\n[cc]",
            "run.toml:5: ntwork: unknown key `ntwork`; did you mean `network`? \
             (available: cc, measure, network, run, traffic)",
        ),
        (
            "[cc]",
            "[network.bufer]\n[cc]",
            "run.toml:5: network.bufer: unknown key `bufer`; did you mean `buffer`? (available: \
             ack_every, base_rtt, buffer, cnp_interval, drop, ecn, flow_control, int, link_delay, \
             link_rate, model, next_hop_order, packets, pfc, profile, recovery, timestamps, \
             topology)",
        ),
        (
            "group = 2",
            "groups = 2",
            "run.toml:13: traffic[0].stagger.groups: unknown key `groups`; did you mean `group`? \
             (available: every, group)",
        ),
    ] {
        assert_eq!(message(from, to), expected);
    }
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
            "run.toml:3: network.ack_every: `\"all\"` is text; write a whole number",
        ),
        (
            "[cc]",
            "[cc]\ntarget_utilisation = -1",
            "run.toml:6: cc.target_utilisation: `-1` is out of range; write 0.01 to 1",
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
            "run.toml:2: network: `\"star\"` is text; write a table, e.g. { key = value }",
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
             write e.g. `512KB`",
        ),
        (
            "[cc]",
            "[network.pfc]\nheadroom = true\n[cc]",
            "run.toml:6: network.pfc.headroom: `true` is a boolean; write \"worst-case\", a size \
             such as \"100KB\", or { rate_delay = 3 }",
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

/// Headroom and reserve of 17 ports: two delays of 1 us at 100 Gb/s are 25 000 B, three packets of
/// 1000 + 48 + 42 + 8 B 3294 B, two PFC frames 128 B, the reserve 4096 B; 17 · 32 518 = 552 806.
#[test]
fn networks_that_cannot_be() {
    for (from, to, expected) in [
        (
            "topology",
            "link_delay = \"0us\"\ntopology",
            "run.toml:3: network.link_delay: a link without delay is not allowed: simulated time \
             advances by the smallest delay; write at least \"1ns\"",
        ),
        (
            "topology",
            "link_rate = \"0Gbps\"\ntopology",
            "run.toml:3: network.link_rate: nothing would ever leave; write e.g. \"100Gbps\"",
        ),
        (
            "\"star\"",
            "{ kind = \"star\", delay = \"0s\" }",
            "run.toml:3: network.topology.delay: `delay` is 0; simulated time advances by the \
             smallest link delay; write at least `1ns`",
        ),
        (
            "\"star\"",
            "{ kind = \"fat-tree\", k = 5 }",
            "run.toml:3: network.topology.k: `k` is 5, an odd number; write 4 or 6",
        ),
        (
            "\"star\"",
            "{ kind = \"star\", hosts = 70000 }",
            "run.toml:3: network.topology: switch 70000 has 70000 links; a switch has at most \
             65536 ports",
        ),
        (
            "topology",
            "flow_control = \"credit\"\ntopology",
            "run.toml:3: network.flow_control: credit-based flow control is not in this version; \
             write \"pfc\" (lossless) or \"none\" (packets may be dropped)",
        ),
        (
            "[cc]",
            "[network.buffer]\nsize = \"500KB\"\n[cc]",
            "run.toml:6: network.buffer.size: the headroom and reserve of switch 17's 17 ports \
             take 552806B, the whole buffer of 500KB; write a larger buffer, or a smaller \
             network.pfc.headroom",
        ),
        (
            "[cc]",
            "[network.drop]\nalpha = 1\n[cc]",
            "run.toml:5: network.drop: has no effect with flow_control = \"pfc\": nothing is ever \
             dropped; remove the section, or change network.flow_control",
        ),
        (
            "topology",
            "flow_control = \"none\"\npfc = {}\ntopology",
            "run.toml:4: network.pfc: has no effect with flow_control = \"none\": nobody is ever \
             paused; remove the section, or change network.flow_control",
        ),
        (
            "topology",
            "flow_control = \"none\"\ndrop = { alpha = -1 }\ntopology",
            "run.toml:4: network.drop.alpha: `-1` is out of range; write 0.001 to 1024; 1 lets one \
             queue take half of the buffer",
        ),
        (
            "topology",
            "flow_control = \"none\"\nrecovery = { timeout = \"1us\" }\ntopology",
            "run.toml:4: network.recovery.timeout: a timeout of 1us expires before an ACK can \
             come; write more than the base RTT of 4.18848us",
        ),
        (
            "topology",
            "int = \"off\"\ntopology",
            "run.toml:3: network.int: algorithm `hpcc` needs INT; write \"data\", or leave it out",
        ),
        (
            "topology",
            "ack_every = 4\ntopology",
            "run.toml:3: network.ack_every: algorithm `hpcc` needs one ACK per packet; write 1",
        ),
        (
            "topology",
            "cnp_interval = \"50us\"\ntopology",
            "run.toml:3: network.cnp_interval: no packet is marked, so no CNP would ever be sent; \
             remove it, or switch marking on with [network.ecn]",
        ),
    ] {
        assert_eq!(message(from, to), expected);
    }
}

/// 64 − 24 − 20 − 20 bits leave one rate; exact records take two of 13 words.
#[test]
fn int_that_does_not_fit() {
    for (network, expected) in [
        (
            "topology = \"clos-320\"\nmodel.int_format = { multiplier = 1, queue_bits = 20 }",
            "run.toml:4: network.model.int_format: links have 2 different rates, INT can tell 1 \
             apart; write int_format = \"exact\", or fewer queue_bits",
        ),
        (
            "topology = { kind = \"dumbbell\", senders = 16, switches = 14 }",
            "run.toml:3: network.topology: paths have 14 switches, a packet carries INT of 13; \
             use shorter paths",
        ),
        (
            "topology = { kind = \"dumbbell\", senders = 16, switches = 7 }\n\
             model.int_format = \"exact\"",
            "run.toml:4: network.model.int_format: paths have 7 switches, a packet carries INT of \
             6; use quantised INT, or shorter paths",
        ),
    ] {
        assert_eq!(message("topology = \"star\"", network), expected);
    }
}

#[test]
fn marking_that_cannot_be() {
    for (ecn, expected) in [
        (
            "step = \"40KB\"\nk_min = \"1KB\"",
            "run.toml:6: network.ecn.step: a step and a RED curve exclude each other; \
             write either `step`, or `k_min`, `k_max` and `p_max`",
        ),
        (
            "k_min = \"1KB\"",
            "run.toml:5: network.ecn: a RED curve needs `k_min`, `k_max` and `p_max`; \
             write all three, e.g. k_min = \"400KB\", k_max = \"1600KB\", p_max = 0.2",
        ),
        (
            "k_min = \"2KB\"\nk_max = \"1KB\"\np_max = 1",
            "run.toml:6: network.ecn.k_min: `k_min` of 2KB is above `k_max` of 1KB; \
             write thresholds in order of size",
        ),
        (
            "k_min = \"1KB\"\nk_max = \"1KB\"\np_max = 20",
            "run.toml:8: network.ecn.p_max: `20` is not a probability; write 0 to 1",
        ),
        (
            "reference_rate = \"0bps\"",
            "run.toml:6: network.ecn.reference_rate: a link of 0bps carries nothing; \
             write e.g. 100Gbps",
        ),
        (
            "step = \"1KB\"\nper_rate = []",
            "run.toml:6: network.ecn.step: `step` and `per_rate` exclude each other; \
             write one rule for all ports, or `per_rate`",
        ),
        (
            "per_rate = []",
            "run.toml:6: network.ecn.per_rate: there is no entry for links of 100Gbps; \
             add { link_rate = \"100Gbps\", k_min = …, k_max = …, p_max = … }",
        ),
        (
            "per_rate = [{ link_rate = \"1Gbps\", k_min = \"1B\", k_max = \"1B\", p_max = 1 },\n\
             { link_rate = \"1000Mbps\", k_min = \"1B\", k_max = \"1B\", p_max = 1 }]",
            "run.toml:7: network.ecn.per_rate[1].link_rate: there are two entries for links of \
             1Gbps; keep one",
        ),
    ] {
        assert_eq!(
            message("[cc]", &format!("[network.ecn]\n{ecn}\n[cc]")),
            expected
        );
    }
}

#[test]
fn traffic_that_cannot_be() {
    for (from, to, expected) in [
        (
            "receiver = 16",
            "receiver = 64",
            "run.toml:11: traffic[0].receiver: host 64 does not exist; the network has hosts 0–16",
        ),
        (
            "receiver = 16",
            "receiver = 3",
            "run.toml:10: traffic[0].senders: host 3 would send to itself; give another host",
        ),
        ("\"1MB\"", "\"0B\"", "run.toml:12: traffic[0].sizes: "),
        (
            "[[traffic]]",
            "[[traffic]]\nkind = \"poisson\"\nload = 1.5\nsizes = \"fb-hadoop\"\n\
             duration = \"1ms\"\n[[traffic]]",
            "run.toml:10: traffic[0].load: ",
        ),
    ] {
        let message = message(from, to);
        assert!(message.starts_with(expected), "\n{message}\n{expected}");
        assert!(
            message == expected || expected.ends_with(' '),
            "\n{message}\n{expected}"
        );
    }
}

#[test]
fn ports_that_do_not_exist() {
    for (ports, expected) in [
        (
            "switch 17 port 17",
            "run.toml:6: measure.queues.ports[0]: `switch 17` has no port `17`; \
             it has ports 0 to 16",
        ),
        (
            "switch 3 port 0",
            "run.toml:6: measure.queues.ports[0]: there is no node `switch 3`; \
             write e.g. \"switch 17 port 0\"; switches are 17 to 17",
        ),
        (
            "host 3 port 0",
            "run.toml:6: measure.queues.ports[0]: `host 3 port 0` is a host; \
             name a switch; a host's queue is its QPs'",
        ),
        (
            "17.16",
            "run.toml:6: measure.queues.ports[0]: there is no node `17.16`; \
             write e.g. \"switch 17 port 0\"; switches are 17 to 17",
        ),
    ] {
        let measure = format!("[measure]\nqueues = {{ ports = [\"{ports}\"] }}\n[cc]");
        assert_eq!(message("[cc]", &measure), expected);
    }
}

/// Files are named as the scenario names them.
#[test]
fn files_with_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |topology: &str, flows: &str| {
        std::fs::write(folder.path().join("net.txt"), topology).unwrap();
        std::fs::write(folder.path().join("flow.txt"), flows).unwrap();
        let text = "network = { topology = { file = \"net.txt\", format = \"hpcc-ns3\" } }\n\
                    cc = { algorithm = \"none\" }\n\
                    [[traffic]]\nkind = \"file\"\npath = \"flow.txt\"\nformat = \"hpcc-ns3\"\n";
        let source = Source {
            folder: folder.path().to_owned(),
            ..source(text)
        };
        Spec::parse(&source, &[])
            .and_then(Spec::validate)
            .unwrap_err()
            .to_string()
    };
    let pair = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n";
    for (topology, flows, expected) in [
        ("3 1 2\n2\n0 2 100 1us 0\n", "", "net.txt:3: "),
        (
            "3 1 2\n2\n0 2 100Gbps 0us 0\n1 2 100Gbps 1us 0\n",
            "",
            "net.txt:3: ",
        ),
        (
            "4 2 2\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n",
            "",
            "net.txt: no path leads from host 0 to host 1; add the links that join them",
        ),
        (
            "3 1 2\n2\n0 2 100Gbps 1us 0.01\n1 2 100Gbps 1us 0\n",
            "",
            "run.toml:1: network.topology: the link 0–2 loses packets at random (error rate 0.01); \
             random loss is not in this version, write error rate 0",
        ),
        (
            "3 1 2\n1\n0 1 100Gbps 1us 0\n2 1 100Gbps 1us 0\n",
            "1\n0 2 3 100 5000 2.0\n",
            "run.toml:3: traffic[0]: host 1 is node 2 of the topology file, and the flow file goes \
             by such numbers; number the hosts before the switches in both files",
        ),
        (pair, "1\n0 7 3 100 5000 2.0\n", "flow.txt:2: "),
        (pair, "1\n0 1 3 100 -5 2.0\n", "flow.txt:2: "),
    ] {
        let message = at(topology, flows);
        assert!(message.starts_with(expected), "\n{message}\n{expected}");
        assert!(
            message == expected || expected.ends_with(' '),
            "\n{message}\n{expected}"
        );
    }
}

#[test]
fn files_that_are_missing() {
    assert_eq!(
        message("\"star\"", "{ file = \"nowhere.txt\", format = \"graph\" }"),
        "nowhere.txt: there is no such file; relative paths begin at the scenario's folder"
    );
    let missing = message(
        "[[traffic]]",
        "[[traffic]]\nkind = \"file\"\npath = \"nowhere.txt\"\nformat = \"csv\"\n[[traffic]]",
    );
    assert!(missing.starts_with("nowhere.txt: "), "{missing}");
    let scenario = Source::from_file(std::path::Path::new("nowhere.toml")).unwrap_err();
    assert_eq!(
        scenario.to_string(),
        "nowhere.toml: there is no such file; relative paths begin at the scenario's folder"
    );
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
             (available: hpcc, none)",
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
        assert_eq!(message, expected);
    }
}

/// Front ends show the parts.
#[test]
fn an_error_has_parts() {
    let error = with(&STAR.replace("hpcc", "hpc"), &[]).unwrap_err();
    let expected = SpecError {
        file: Some("run.toml".to_owned()),
        line: Some(6),
        key: "cc.algorithm".to_owned(),
        what: "unknown algorithm `hpc`".to_owned(),
        hint: "did you mean `hpcc`? (available: hpcc, none)".to_owned(),
    };
    assert_eq!(error, expected);
}
