//! Every message, word by word.

use super::*;

/// A violation of each kind and its message. [`place`] keeps the list complete.
fn messages() -> Vec<(Violation, &'static str)> {
    let (node, port, flow, time) = (NodeId(17), 3, FlowId(5), Time::from_ps(1_234));
    let bytes = Bytes::new;
    let lost = |cause| Violation::PacketLost {
        node,
        port,
        flow,
        time,
        cause,
    };
    vec![
        (
            lost(OverflowCause::Unknown),
            "node 17 port 3 had no room for a packet of flow 5 at 1234ps: a network with PFC \
             must not lose packets; this is a defect of the simulator, please report it",
        ),
        (
            lost(OverflowCause::HeadroomTooSmall {
                headroom: bytes(375),
                worst_case: bytes(3_672),
            }),
            "node 17 port 3 had no room for a packet of flow 5 at 1234ps: its headroom of 375 \
             bytes is less than the 3672 bytes that can arrive after a pause; use the worst-case \
             headroom",
        ),
        (
            lost(OverflowCause::AcksNotPaused),
            "node 17 port 3 had no room for a packet of flow 5 at 1234ps: ACKs travel among \
             the data, but hosts do not pause them; pause them, too, or give them a class of \
             their own",
        ),
        (
            lost(OverflowCause::PausesWaited),
            "node 17 port 3 had no room for a packet of flow 5 at 1234ps: pauses waited there \
             behind several other PFC frames, as nearly every packet takes the port over its \
             threshold or back; write a larger network.pfc.threshold and \
             network.pfc.resume_offset, a larger network.pfc.headroom, or a smaller \
             network.packets.pfc_frame",
        ),
        (
            lost(OverflowCause::NoTimeOnLink),
            "node 17 port 3 had no room for a packet of flow 5 at 1234ps: small packets \
             take no time on its link, by a clock of whole nanoseconds, so that no headroom holds \
             what arrives before a pause does; write larger packets, a lower rate, or \
             network.model.clock = \"picoseconds\" with ties = \"port\"",
        ),
        (
            Violation::OverAllocated { node, port: 3 },
            "node 17 port 3: the flows that s-PERC takes to be limited elsewhere have all of the \
             link; this is a defect of the simulator, please report it",
        ),
        (
            Violation::NoPrefix {
                flow,
                resumed: 4,
                acked: 6,
            },
            "flow 5 is to resume at packet 4, but 6 packets are acknowledged: this is a defect of \
             the simulator, please report it",
        ),
        (
            Violation::LeftOver {
                what: "3 packets are".to_owned(),
                node,
            },
            "all flows have completed, but 3 packets are left over at node 17; this is a defect \
             of the simulator, please report it",
        ),
    ]
}

/// The violation's number in the list above. A new kind does not compile without one.
fn place(violation: &Violation) -> usize {
    match violation {
        Violation::PacketLost { cause, .. } => match cause {
            OverflowCause::Unknown => 0,
            OverflowCause::HeadroomTooSmall { .. } => 1,
            OverflowCause::AcksNotPaused => 2,
            OverflowCause::PausesWaited => 3,
            OverflowCause::NoTimeOnLink => 4,
        },
        Violation::OverAllocated { .. } => 5,
        Violation::NoPrefix { .. } => 6,
        Violation::LeftOver { .. } => 7,
    }
}

#[test]
fn messages_say_what_where_and_what_would_be_right() {
    for (expected, (violation, message)) in messages().into_iter().enumerate() {
        assert_eq!(violation.to_string(), message);
        assert_eq!(place(&violation), expected, "{message}");
    }
}
