//! Every message, as a user reads it.

use super::*;

const NODE: NodeId = NodeId(17);
const PORT: u32 = 3;
const FLOW: FlowId = FlowId(5);
const TIME: Time = Time::from_ps(1_234);

/// A fault of each kind and its message. [`place`] keeps the list complete.
fn messages() -> Vec<(Fault, &'static str)> {
    let (node, port, flow, time) = (NODE, PORT, FLOW, TIME);
    let bytes = Bytes::new;
    vec![
        (
            Fault::PacketLost {
                node,
                port,
                flow,
                time,
            },
            "switch 17 port 3 had no room for a packet of flow 5 at 1234 ps: a network with PFC \
             must not lose packets; this is a defect of the simulator, please report it",
        ),
        (
            Fault::HeadroomTooSmall {
                node,
                port,
                flow,
                time,
                headroom: bytes(375),
                worst_case: bytes(3_672),
            },
            "switch 17 port 3 had no room for a packet of flow 5 at 1234 ps: its headroom of 375 \
             bytes is less than the 3672 bytes that can arrive after a pause; use the worst-case \
             headroom",
        ),
        (
            Fault::AcksNotPaused {
                node,
                port,
                flow,
                time,
            },
            "switch 17 port 3 had no room for a packet of flow 5 at 1234 ps: ACKs travel among \
             the data, but hosts do not pause them; pause them, too, or give them a class of \
             their own",
        ),
        (
            Fault::BufferTooSmall {
                node,
                buffer: bytes(10),
                needed: bytes(20),
            },
            "switch 17: a buffer of 10 bytes is too small: headroom and reserve of its ports take \
             20 bytes; give a larger buffer, or a smaller headroom or reserve",
        ),
        (
            Fault::NothingFits {
                node,
                packet: bytes(1_048),
                buffer: bytes(1_000),
            },
            "switch 17: a packet of 1048 bytes never fits: give a larger buffer than 1000 bytes, \
             a longer queue limit, or a larger share of the free buffer to a queue",
        ),
        (
            Fault::DelayTooShort {
                delay: Time::from_ps(999),
                tick: Time::from_ns(1),
            },
            "a link has a delay of 999 ps, less than the 1000 ps by which the model's clock \
             advances",
        ),
        (
            Fault::NoSuchHost {
                flow,
                host: HostId(64),
                hosts: 16,
            },
            "flow 5: host 64 does not exist; there are hosts 0 to 15",
        ),
        (
            Fault::FlowToItself {
                flow,
                host: HostId(2),
            },
            "flow 5 goes from host 2 to itself; name two hosts",
        ),
        (
            Fault::FlowOutOfOrder {
                flow,
                start: Time::from_ps(1),
                earliest: Time::from_ps(2),
            },
            "flow 5 starts at 1 ps, before the flow that came before it, at 2 ps; sort flows by \
             their start",
        ),
        (
            Fault::TooManyRates { rates: 20 },
            "links have 20 different rates, more than the rate code of quantised INT can tell \
             apart; use exact INT",
        ),
        (
            Fault::TooManyHops { hops: 7, most: 6 },
            "a path has 7 switches, more than the 6 that a packet can tell of; use shorter paths, \
             or quantised instead of exact INT",
        ),
        (
            Fault::TooLate { time },
            "something happens at 1234 ps or later, after the 2.5 hours that this version can \
             simulate",
        ),
        (
            Fault::TooManyHosts { hosts: 70_000 },
            "70000 hosts are more than the 65535 that this version can address",
        ),
        (
            Fault::PacketTooLarge {
                size: bytes(70_000),
            },
            "packets of 70000 bytes are larger than the 65535 that this version can carry",
        ),
        (
            Fault::FlowTooLarge { flow },
            "flow 5 has more than 4294967295 packets; use larger packets or a smaller flow",
        ),
        (
            Fault::Stalled {
                alive: 2,
                flow,
                time,
            },
            "nothing happens after 1234 ps, but 2 flows have not completed, among them flow 5: \
             the network is deadlocked, or packets were lost and there is no retransmission \
             timeout",
        ),
        (
            Fault::LeftOver {
                what: "3 packets are".to_owned(),
                node,
            },
            "all flows have completed, but 3 packets are left over at node 17; this is a defect \
             of the simulator, please report it",
        ),
        (
            Fault::OverAllocated { node, port: 3 },
            "node 17 port 3: the flows that s-PERC takes to be limited elsewhere have all of the \
             link; this is a defect of the simulator, please report it",
        ),
        (
            Fault::NoPrefix {
                flow,
                resumed: 4,
                acked: 6,
            },
            "flow 5 is to resume at packet 4, but 6 packets are acknowledged: this is a defect of \
             the simulator, please report it",
        ),
    ]
}

/// Its number in the list above: a new kind does not compile until it has one.
fn place(fault: &Fault) -> usize {
    match fault {
        Fault::PacketLost { .. } => 0,
        Fault::HeadroomTooSmall { .. } => 1,
        Fault::AcksNotPaused { .. } => 2,
        Fault::BufferTooSmall { .. } => 3,
        Fault::NothingFits { .. } => 4,
        Fault::DelayTooShort { .. } => 5,
        Fault::NoSuchHost { .. } => 6,
        Fault::FlowToItself { .. } => 7,
        Fault::FlowOutOfOrder { .. } => 8,
        Fault::TooManyRates { .. } => 9,
        Fault::TooManyHops { .. } => 10,
        Fault::TooLate { .. } => 11,
        Fault::TooManyHosts { .. } => 12,
        Fault::PacketTooLarge { .. } => 13,
        Fault::FlowTooLarge { .. } => 14,
        Fault::Stalled { .. } => 15,
        Fault::LeftOver { .. } => 16,
        Fault::OverAllocated { .. } => 17,
        Fault::NoPrefix { .. } => 18,
    }
}

#[test]
fn messages_say_what_where_and_what_would_be_right() {
    for (expected, (fault, message)) in messages().into_iter().enumerate() {
        assert_eq!(fault.to_string(), message);
        assert_eq!(place(&fault), expected, "{message}");
    }
}
