//! Every message, word by word.

use super::*;

fn stuck(node: u32, port: u32) -> StuckPort {
    StuckPort {
        node: NodeId(node),
        port,
        paused: Time::from_ps(1000),
        flows: vec![FlowId(1)],
    }
}

#[test]
fn messages_say_what_where_and_what_would_be_right() {
    let (since, found) = (Time::from_ps(1_234_567_891), Time::from_us(9_000));
    let cases = [
        (
            Stall::Deadlock {
                closed: since,
                found,
                circle: vec![stuck(17, 3), stuck(18, 0)],
                flows: (1..=10).map(FlowId).collect(),
            },
            "deadlock of PFC since 1.23457ms: data at node 17 port 3 wait for node 18 port 0, \
             those for node 17 port 3; packets of flows 1, 2, 3, 4, 5, 6, 7, 8 and 2 more wait \
             there, and none can leave; use routes without circles (up, then down), or larger \
             buffers",
        ),
        (
            Stall::Silence {
                since,
                flows: vec![FlowId(5)],
            },
            "nothing happens after 1.23457ms, but flow 5 did not complete: packets were lost and \
             there is no retransmission timeout, or data are paused for good",
        ),
        (
            Stall::NoProgress {
                since,
                found,
                flows: vec![FlowId(5), FlowId(6)],
            },
            "no byte of flows 5, 6 was acknowledged from 1.23457ms to 9ms, though packets \
             travel: what is sent again is lost again, or flows wait for good",
        ),
    ];
    for (stall, message) in cases {
        assert_eq!(stall.describe(|node| format!("node {node}")), message);
    }
}
