//! Messages about networks and algorithms that do not suit NICs with shared congestion states.

use super::*;

#[test]
fn nics_that_do_not_fit() {
    for (algorithm, network, nic, expected) in [
        (
            "\"hpcc\"",
            "",
            "enforcement = \"per-qpair\"",
            "run.toml:7: nic.enforcement: unknown value `per-qpair`; did you mean `per-pair`? \
             (available: per-destination, per-pair, per-qp, per-source)",
        ),
        (
            "\"hpcc\"",
            "",
            "qps = \"forever\"",
            "run.toml:7: nic.qps: unknown value `forever`; available: per-flow, persistent",
        ),
        (
            "\"hpcc\"",
            "",
            "idle = { reset_after = \"100us\" }",
            "run.toml:7: nic.idle: has no effect: the QP of a flow ends with it, and its state \
             too; remove it, or write nic.qps = \"persistent\" or another nic.enforcement",
        ),
        (
            "\"hpcc\"",
            "",
            "enforcement = \"per-source\"",
            "run.toml:7: nic.enforcement: one state of `hpcc` cannot serve several paths: it \
             compares the INT of successive ACKs hop by hop; write \"per-pair\", or take another \
             algorithm",
        ),
        (
            "\"fncc\"",
            "",
            "enforcement = \"per-source\"",
            "run.toml:7: nic.enforcement: one state of `fncc` cannot serve several paths: it \
             compares the INT of successive ACKs hop by hop; write \"per-pair\", or take another \
             algorithm",
        ),
        (
            "\"timely\"",
            "",
            "enforcement = \"per-source\"",
            "run.toml:7: nic.enforcement: one state of `timely` cannot serve several paths: it \
             steers by the change of the RTT from ACK to ACK; write \"per-pair\", or take another \
             algorithm",
        ),
        (
            "\"rocc\"",
            "",
            "enforcement = \"per-source\"",
            "run.toml:7: nic.enforcement: one state of `rocc` cannot serve several paths: a fair \
             rate is for flows through one port; write \"per-pair\", or take another algorithm",
        ),
        (
            "\"s-perc\"",
            "",
            "enforcement = \"per-pair\"",
            "run.toml:7: nic.enforcement: one state of `s-perc` cannot serve several flows: each \
             flow has control packets of its own; remove it, or take another algorithm",
        ),
        (
            "\"rocc+1rc\"",
            "",
            "qps = \"persistent\"",
            "run.toml:7: nic.qps: one state of `rocc+1rc` cannot serve several flows: each flow \
             has a first control packet, or a weight; remove it, or take another algorithm",
        ),
        (
            "\"dcqcn\"",
            "base_rtt = \"path\"",
            "enforcement = \"per-source\"",
            "run.toml:7: nic.enforcement: a state of a source serves several paths and is told \
             one base RTT; write network.base_rtt = \"global\", or another enforcement",
        ),
        (
            "\"hpcc\"",
            "model = { nic_scheduler = \"linear-scan\" }",
            "enforcement = \"per-pair\"",
            "run.toml:7: nic.enforcement: the linear scan is that of HPCC's ns-3 code, whose QPs \
             share no state; write network.model.nic_scheduler = \"round-robin\", or remove it",
        ),
        (
            "\"hpcc\"",
            "profile = \"hpcc-ns3\"",
            "qps = \"persistent\"",
            "run.toml:7: nic.qps: the linear scan is that of HPCC's ns-3 code, whose QPs share no \
             state; write network.model.nic_scheduler = \"round-robin\", or remove it",
        ),
    ] {
        let text = STAR
            .replacen("\"hpcc\"", algorithm, 1)
            .replacen("topology", &format!("{network}\ntopology"), 1)
            .replacen("[cc]", &format!("[nic]\n{nic}\n[cc]"), 1);
        assert_eq!(error(&text), expected);
    }
}
