//! Messages about parts of a network that do not fit together.

use super::*;

/// Headroom and reserve of 17 ports. Each has two delays of 1 us at 100 Gb/s (25 000 B), three
/// packets of 1000 + 48 + 42 + 8 B (3294 B), two PFC frames (128 B) and the reserve (4096 B):
/// 17 · 32 518 = 552 806.
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
            "[cc]",
            "[network.model]\nmarking_random = \"ns3\"\n[cc]",
            "run.toml:6: network.model.marking_random: ns-3 draws in the order of events of its \
             one queue; write ties = \"insertion\" too, or marking_random = \"own\"",
        ),
        (
            "[cc]",
            "[network.model]\nties = \"insertion\"\n[cc]",
            "run.toml:6: network.model.ties: insertion order is that of a clock of whole \
             nanoseconds; write clock = \"nanoseconds\" too, or ties = \"port\"",
        ),
        (
            "topology",
            "profile = \"hpcc-ns3\"\nlink_delay = \"1500ps\"\ntopology",
            "run.toml:5: network.topology: insertion order needs whole nanoseconds, a link has \
             1.5ns; write link delays in whole nanoseconds, or ties = \"port\"",
        ),
        (
            "topology",
            "link_rate = \"1bps\"\nbuffer = { size = \"1MB\" }\ntopology",
            "run.toml:5: network.topology: a packet takes 8720s over a link of 1bps and 1us; use \
             links that take at most a minute",
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
            "run.toml:3: network.flow_control: unknown value `credit`; available: none, pfc",
        ),
        (
            "[cc]",
            "[network.buffer]\nsize = \"500KB\"\n[cc]",
            "run.toml:6: network.buffer.size: the headroom and reserve of switch 17's 17 ports \
             take 552806B, the whole buffer of 500KB; write a larger buffer, or a smaller \
             network.pfc.headroom",
        ),
        (
            "topology",
            "flow_control = \"none\"\ndrop = { queue_limit = \"1KB\" }\ntopology",
            "run.toml:4: network.drop.queue_limit: a packet of 1090B never fits a queue of at most \
             1KB; give 1090B or more",
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
            "run.toml:4: network.pfc: has no effect with flow_control = \"none\": no port is ever \
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
            "int = \"acks\"\ntopology",
            "run.toml:3: network.int: algorithm `hpcc` needs INT on data; write \"data\", or leave \
             it out",
        ),
        (
            "topology",
            "int_table_period = \"1us\"\ntopology",
            "run.toml:3: network.int_table_period: has no effect unless switches write INT into \
             ACKs; remove it, or write network.int = \"acks\"",
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

/// Credit works where nothing is lost, under PFC, and where go-back-N asks for lost packets.
#[test]
fn credit_that_would_be_lost() {
    let scenario = |network: &str| {
        let text = STAR.replacen("\"hpcc\"", "\"rccc\"", 1);
        text.replacen("topology", &format!("{network}\ntopology"), 1)
    };
    let explicit = "recovery = { loss_detection = { kind = \"explicit\" } }";
    assert_eq!(
        error(&scenario(&format!("flow_control = \"none\"\n{explicit}"))),
        "run.toml:4: network.recovery.loss_detection: algorithm `rccc` needs losses to be found \
         before the timeout: the credit of a lost packet is lost, too, and a flow without credit \
         sends nothing that would show it; write kind = \"in-order\", \"reordering\" or \
         \"early-count\", or have switches trim packets"
    );
    for network in [
        "flow_control = \"pfc\"",
        "flow_control = \"none\"",
        "flow_control = \"none\"\nrecovery = { kind = \"go-back-n\" }",
    ] {
        let read = with(&scenario(network), &[]);
        assert!(read.is_ok(), "{network}");
    }
}

#[test]
fn acks_that_would_go_another_way() {
    let scenario = |network: &str| {
        let text = format!(
            "[network]\n{network}\n[cc]\nalgorithm = \"fncc\"\n[[traffic]]\nkind = \"incast\"\n\
             senders = \"0-1\"\nreceiver = 2\nsizes = \"1KB\"\n"
        );
        with(&text, &[])
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let clos = "topology = \"clos-320\"\nrouting = ";
    assert_eq!(
        scenario(&format!("{clos}\"ecmp\"")).unwrap_err(),
        "run.toml:3: network.routing: data from tor 0 to tor 1 and their ACKs may take \
         different paths, but INT on ACKs, for algorithm `fncc`, needs the same; write \
         \"symmetric-ecmp\" or \"spanning-trees\""
    );
    assert_eq!(scenario(&format!("{clos}\"symmetric-ecmp\"")), Ok(()));
    assert_eq!(scenario(&format!("{clos}\"spanning-trees\"")), Ok(()));
    assert_eq!(scenario("topology = \"clos-320\""), Ok(()));
    assert_eq!(
        scenario("topology = \"dumbbell\"\nrouting = \"ecmp\""),
        Ok(())
    );
}

/// 1RC on the star. The base RTT is that of two links of 1 us with 1000 + 48 B and 60 B at
/// 100 Gb/s, there and back: 4·1 us + 2·(83.84 + 4.8) ns.
#[test]
fn switch_programs_that_do_not_suit_the_network() {
    let scenario = |network: &str, cc: &str| {
        let text = format!(
            "[network]\n{network}\n[cc]\n{cc}\n[[traffic]]\nkind = \"incast\"\n\
             senders = \"0-1\"\nreceiver = 2\nsizes = \"1KB\"\n"
        );
        with(&text, &[])
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let one_rtt = "algorithm = \"s-perc+1rc\"";
    for (network, cc, expected) in [
        (
            "topology = \"clos-320\"\nrouting = \"ecmp\"",
            "algorithm = \"s-perc\"",
            "run.toml:3: network.routing: data from tor 0 to tor 1 and their ACKs may \
             take different paths, but switch program `s-perc`, for algorithm `s-perc`, needs the \
             same; write \"symmetric-ecmp\" or \"spanning-trees\"",
        ),
        (
            "topology = \"star\"\nflow_control = \"none\"",
            one_rtt,
            "run.toml:3: network.flow_control: switch program `1rc`, for algorithm `s-perc+1rc`, \
             tells its own drops from others only if there are no others; write flow_control = \
             \"pfc\"",
        ),
        (
            "topology = \"star\"\nrecovery.kind = \"selective\"",
            one_rtt,
            "run.toml:3: network.recovery.kind: switch program `1rc`, for algorithm `s-perc+1rc`, \
             drops what its senders send again by themselves, in order; write \"go-back-n\", or \
             leave it out",
        ),
        (
            "topology = { kind = \"dumbbell\", switches = 9 }",
            "algorithm = \"s-perc\"",
            "run.toml:2: network.topology: paths have 9 switches, a control packet has room for \
             8; use shorter paths",
        ),
        (
            "topology = \"star\"",
            "algorithm = \"s-perc+1rc\"\n1rc.epoch = \"4us\"",
            "run.toml:5: cc.1rc.epoch: an epoch of 4us is shorter than the largest base RTT, \
             4.17728us: control packets would come back in a later one; write at least \
             \"4.17728us\", or leave it out",
        ),
        (
            "topology = \"star\"",
            "algorithm = \"s-perc+1rc\"\n1rc.clock_skew = \"2us\"",
            "run.toml:5: cc.1rc.clock_skew: 2us is more than clocks differ; write 0 to \"1us\"",
        ),
        (
            "topology = \"star\"",
            "algorithm = \"s-perc\"\nexempt = \"none\"\nthreshold = \"10KB\"",
            "run.toml:6: cc.threshold: has no effect: no flow is exempt; remove it, or write \
             exempt = \"threshold\"",
        ),
        (
            "topology = \"star\"",
            "algorithm = \"s-perc\"\ncontrol_share = 0.6",
            "run.toml:5: cc.control_share: `0.6` is out of range; write 0.001 to 0.5",
        ),
        (
            "topology = \"star\"",
            "algorithm = \"s-perc\"\nround = \"0us\"",
            "run.toml:5: cc.round: 0s is too little; write e.g. \"20us\"",
        ),
        (
            "topology = \"star\"",
            "algorithm = \"s-perc\"\nround = \"4us\"",
            "run.toml:5: cc.round: a round of 4us is shorter than the largest base RTT, \
             4.17728us: links would forget flows whose control packets are under way; write at \
             least \"4.17728us\", or leave it out",
        ),
        (
            "topology = \"star\"\nint = \"acks\"\nmodel.ack_class = \"data\"",
            "algorithm = \"rocc\"",
            "run.toml:3: network.int: switch program `fair-rates`, for algorithm `rocc`, answers \
             to the sources of all packets that wait, but ACKs that collect INT do not name \
             theirs; leave it out, or write network.model.ack_class = \"control\"",
        ),
    ] {
        assert_eq!(scenario(network, cc).unwrap_err(), expected);
    }
}

/// 64 − 24 − 20 − 20 bits have room for one rate; exact records have two of 13 words each.
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
        (
            "topology = { kind = \"dumbbell\", senders = 16, switches = 64 }",
            "run.toml:3: network.topology: paths have 64 switches, a packet can count 63; \
             use shorter paths",
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
             write e.g. \"switch 17 port 0\"; it is the only switch",
        ),
        (
            "host 3 port 0",
            "run.toml:6: measure.queues.ports[0]: `host 3 port 0` is a host; \
             name a switch; a host's queue is its QPs'",
        ),
        (
            "17.16",
            "run.toml:6: measure.queues.ports[0]: there is no node `17.16`; \
             write e.g. \"switch 17 port 0\"; it is the only switch",
        ),
    ] {
        let measure = format!("[measure]\nqueues = {{ ports = [\"{ports}\"] }}\n[cc]");
        assert_eq!(message("[cc]", &measure), expected);
    }
}

#[test]
fn traces_that_would_be_empty() {
    for (packets, expected) in [
        (
            "{ ports = [\"switch 17 port 17\"] }",
            "measure.packets.ports[0]: `switch 17` has no port `17`; it has ports 0 to 16",
        ),
        (
            "{ ports = [\"host 3\", \"host 17\"] }",
            "measure.packets.ports[1]: there is no node `host 17`; \
             write e.g. \"switch 17 port 0\"; it is the only switch",
        ),
        (
            "{ ports = [] }",
            "measure.packets.ports: a trace of no ports is none; list ports, or write \"all\"",
        ),
        (
            "{ flows = [] }",
            "measure.packets.flows: a trace of no flows is none; list flows, or write \"all\"",
        ),
        (
            "{ from = \"5us\", until = \"5us\" }",
            "measure.packets.until: nothing happens from 5us until 5us; \
             write a time after `from`",
        ),
        (
            "{ limit = 0 }",
            "measure.packets.limit: a trace of 0 events is none; \
             write how many to keep at most, or `packets = false`",
        ),
        (
            "{ limit = -1 }",
            "measure.packets.limit: `-1` is negative; write zero or more",
        ),
        (
            "{ limits = 5 }",
            "measure.packets.limits: unknown key `limits`; did you mean `limit`? \
             (available: causes, flows, from, limit, ports, until)",
        ),
        (
            "{ causes = true }",
            "measure.packets.causes: what keeps flows is recorded of flows that are listed; \
             list them: `flows = [3, 17]`",
        ),
        (
            "{ flows = \"some\" }",
            "measure.packets.flows: unknown value `some`; available: all",
        ),
        (
            "{ flows = [\"flow 3\"] }",
            "measure.packets.flows[0]: `\"flow 3\"` is text; write a whole number",
        ),
        (
            "\"yes\"",
            "measure.packets: `\"yes\"` is text; write true or false",
        ),
    ] {
        let measure = format!("[measure]\npackets = {packets}\n[cc]");
        assert_eq!(message("[cc]", &measure), format!("run.toml:6: {expected}"));
    }
}

/// The check before a run and the run itself agree: a buffer of one byte more than headroom and
/// reserve runs, a smaller one does not.
#[test]
fn the_smallest_buffer_is_the_runs_own() {
    for (headroom, kept) in [("worst-case", 552_806), ("{ rate_delay = 3 }", 707_132)] {
        let pfc = |size: u64| {
            let size = Bytes::new(size).to_string();
            with(
                STAR,
                &[
                    ("network.pfc.headroom", headroom),
                    ("network.buffer.size", &size),
                ],
            )
        };
        assert!(pfc(kept).is_err(), "{headroom}");
        let mut spec = pfc(kept + 1).unwrap();
        crate::run(&spec, &mut ()).unwrap();
        spec.network.buffer.size = Bytes::new(kept);
        let error = crate::run(&spec, &mut ()).unwrap_err().to_string();
        assert!(error.contains("the whole buffer"), "{error}");
    }
}
