//! Messages about keys that do not go together where switches trim packets.

use super::message;

/// The scenario with these lines in `[network]`, from line 3 on.
fn with(lines: &str) -> String {
    message("topology", &format!("{lines}\ntopology"))
}

/// The star has a base RTT of 4.2 us and full packets of 1090 B with INT.
#[test]
fn what_trimming_needs() {
    let lossy = "flow_control = \"none\"\n";
    for (lines, expected) in [
        (
            "drop = { trimming = {} }".to_owned(),
            "run.toml:3: network.drop.trimming: has no effect with flow_control = \"pfc\": every \
             packet finds room; remove the section, or change network.flow_control",
        ),
        (
            format!("{lossy}drop = {{ trimming = {{}} }}\nrecovery.kind = \"go-back-n\""),
            "run.toml:5: network.recovery.kind: go-back-n cannot send a trimmed packet again \
             alone; write \"selective\", or remove network.drop.trimming",
        ),
        (
            format!(
                "{lossy}drop = {{ trimming = {{}} }}\n\
                 recovery.loss_detection = {{ kind = \"in-order\" }}"
            ),
            "run.toml:5: network.recovery.loss_detection: headers overtake data, so that a gap is \
             no loss where packets are trimmed; write { kind = \"explicit\" }, or leave it out",
        ),
        (
            format!("{lossy}drop = {{ trimming = {{ header = \"2KB\" }} }}"),
            "run.toml:4: network.drop.trimming.header: a header of 2KB is not shorter than a full \
             packet of 1090B; write e.g. \"64B\"",
        ),
        (
            format!("{lossy}drop = {{ trimming = {{ header = \"20B\" }} }}"),
            "run.toml:4: network.drop.trimming.header: 20B is less than the headers that route a \
             packet; write at least \"24B\", e.g. \"64B\"",
        ),
        (
            format!("{lossy}drop = {{ trimming = {{ header_queue = \"63B\" }} }}"),
            "run.toml:4: network.drop.trimming.header_queue: a queue of 63B holds no header of \
             64B; write at least \"64B\", or e.g. \"1bdp\"",
        ),
        (
            format!("{lossy}drop = {{ trimming = {{}} }}\nmodel.ack_class = \"data\""),
            "run.toml:5: network.model.ack_class: ACKs that wait among data would be lost where \
             data are trimmed; write \"control\", or remove network.drop.trimming",
        ),
        (
            format!("{lossy}drop = {{ trimming = {{}} }}\narbitration = \"round-robin\""),
            "run.toml:5: network.arbitration: ingress ports cannot take turns where headers and \
             data do; write \"fifo\", or network.drop.trimming.service = \"strict\"",
        ),
        (
            format!("{lossy}drop = {{ trimming = {{}}, queue_limit = \"1KB\" }}"),
            "run.toml:4: network.drop.queue_limit: a packet of 1090B never fits a queue of at most \
             1KB; give 1090B or more",
        ),
    ] {
        assert_eq!(with(&lines), expected, "{lines}");
    }
}

#[test]
fn buffers_are_of_ports_or_shared() {
    let lossy = "flow_control = \"none\"\n";
    for (drop, expected) in [
        (
            "trimming = {}, sharing = \"shared\"",
            "run.toml:4: network.drop.sharing: switches that trim have a buffer for each port; \
             write \"per-port\", or leave it out",
        ),
        (
            "trimming = {}, alpha = 1",
            "run.toml:4: network.drop.alpha: has no effect where each port has a buffer of its \
             own; remove it, or write network.drop.sharing = \"shared\"",
        ),
        (
            "queue_limit = \"1bdp\"",
            "run.toml:4: network.drop.queue_limit: a BDP is that of a port, and ports share their \
             buffer; write a size, or network.drop.sharing = \"per-port\"",
        ),
        (
            "last_hop_queue_limit = \"1MB\"",
            "run.toml:4: network.drop.last_hop_queue_limit: ports that share a buffer have one \
             limit; remove it, or write network.drop.sharing = \"per-port\"",
        ),
        (
            "sharing = \"per-port\", queue_limit = \"0bdp\"",
            "run.toml:4: network.drop.queue_limit: `0bdp` is no number of BDPs above 0, at most \
             1000; write e.g. `1bdp` or `1.5bdp`, or a size as `120KB`",
        ),
    ] {
        let lines = format!("{lossy}drop = {{ {drop} }}");
        assert_eq!(with(&lines), expected, "{drop}");
    }
}
