use incast_units::Rate;

use super::*;
use crate::example::{Acked, send};
use crate::uncontrolled::Uncontrolled;

const PACKET: Bytes = Bytes::new(4_150);

fn backlog(left: u64, flows: u32) -> Backlog {
    let left = Bytes::new(left);
    Backlog { left, flows }
}

fn pull(in_all: u64) -> Credit {
    Credit {
        in_all: Some(Bytes::new(in_all)),
        ..Credit::default()
    }
}

/// (1), (2): 10 000 − 3·4150 = −2450, after 5850 and 1700. The third packet leaves with less credit
/// than its size; a fourth does not leave.
#[test]
fn the_last_packet_may_overdraw_the_credit() {
    let mut credits = Credits::new(10_000, 20_000, PACKET);
    let mut seen = Vec::new();
    while credits.room() >= PACKET {
        credits.on_sent(PACKET);
        seen.push(credits.credit);
    }
    assert_eq!(seen, [5_850, 1_700, -2_450]);
    assert_eq!(credits.room(), Bytes::ZERO);
}

/// (5): with 1 B of credit a full packet of 4150 B may leave, and with none nothing.
#[test]
fn a_packet_leaves_by_one_byte_of_credit() {
    for (credit, room) in [(1, 4_150), (2, 4_151), (0, 0)] {
        let credits = Credits::new(credit, 20_000, PACKET);
        assert_eq!(credits.room(), Bytes::new(room), "{credit}");
    }
}

/// (3): the first ACK removes the credit of 5850; the second ACK changes nothing. A debt stays.
#[test]
fn the_first_answer_ends_speculation() {
    let mut credits = Credits::new(10_000, 20_000, PACKET);
    credits.on_sent(PACKET);
    credits.end_speculation();
    assert_eq!(credits.credit, 0);
    credits.on_credit(&pull(16_384));
    credits.end_speculation();
    assert_eq!(credits.credit, 16_384);
    let mut overdrawn = Credits::new(1, 20_000, PACKET);
    overdrawn.on_sent(PACKET);
    overdrawn.end_speculation();
    assert_eq!(overdrawn.credit, -4_149);
}

/// (3): a NACK of a trimmed packet ends speculation like an ACK; a timeout does not.
#[test]
fn a_trimmed_packet_ends_speculation() {
    let trimmed = LossKind::Trimmed {
        last_hop: true,
        marked: false,
        bytes: Bytes::new(4_086),
    };
    for (kind, left) in [
        (trimmed, 0),
        (LossKind::Nack, 0),
        (LossKind::Timeout, 10_000),
    ] {
        let uncontrolled = Uncontrolled {
            line_rate: Rate::from_gbps(100),
        };
        let credits = Credits::new(10_000, 20_000, PACKET);
        let mut flow = CreditLimited::new(uncontrolled, credits);
        flow.on_loss(Time::ZERO, &Loss::new(kind, 0));
        assert_eq!(flow.credits.credit, left, "{kind:?}");
    }
}

/// (4): pulls with sums 16 384 and 24 576 add 16 384 and 8192. A late copy of the first pull adds
/// nothing. With a sum of 40 000 the credit would be 40 000; it is limited to 30 000.
#[test]
fn pulls_name_sums() {
    let mut credits = Credits::new(0, 30_000, PACKET);
    let mut after = |in_all| {
        credits.on_credit(&pull(in_all));
        credits.credit
    };
    let seen = [16_384, 24_576, 16_384, 40_000].map(&mut after);
    assert_eq!(seen, [16_384, 24_576, 24_576, 30_000]);
}

/// (6) with at most 262 926 B: with 5 074 186 B left and credit 258 776 the flow asks for 4150.
/// With three packets left and enough credit it also asks for one packet, since it speculates.
/// Then, without credit and with 10 000 B left, it asks for 10 000 alone, for 5000 beside a second
/// flow, and for 7000 if its window is the bound.
#[test]
fn a_flow_asks_for_what_it_can_send() {
    let mut credits = Credits::new(262_926, 262_926, PACKET);
    credits.on_sent(PACKET);
    assert_eq!(credits.wanted(&backlog(5_074_186, 1), None), PACKET);
    assert_eq!(credits.wanted(&backlog(12_450, 1), None), PACKET);
    assert_eq!(credits.wanted(&backlog(0, 1), None), Bytes::ZERO);
    credits.end_speculation();
    credits.on_credit(&pull(1_024));
    credits.on_sent(Bytes::new(1_024));
    let wanted = |left, flows, bound: Option<u64>| {
        let wanted = credits.wanted(&backlog(left, flows), bound.map(Bytes::new));
        wanted.as_u64() - 1_024
    };
    assert_eq!(wanted(10_000, 1, None), 10_000);
    assert_eq!(wanted(10_000, 2, None), 5_000);
    assert_eq!(wanted(10_000, 1, Some(7_000)), 7_000);
    assert_eq!(wanted(300_000, 1, None), 262_926);
}

/// An algorithm with a window of this many bytes, all of which may leave.
#[derive(Clone)]
struct Windowed(u64);

impl CongestionControl for Windowed {
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.0 += ack.newly_acked.as_u64();
    }

    fn on_sent(&mut self, _now: Time, sent: &Sent) {
        self.0 -= sent.wire.as_u64();
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: Bytes::new(self.0),
            room: Bytes::new(self.0),
            ..SendLimit::paced(Rate::from_gbps(100))
        }
    }
}

/// An algorithm that says what reached it.
#[derive(Clone, Default)]
struct Told(Vec<&'static str>);

impl CongestionControl for Told {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {
        self.0.push("ack");
    }

    fn limit(&self) -> SendLimit {
        SendLimit::paced(Rate::from_gbps(7))
    }

    fn on_sent(&mut self, _now: Time, _sent: &Sent) {
        self.0.push("sent");
    }

    fn on_loss(&mut self, _now: Time, _loss: &Loss) {
        self.0.push("loss");
    }

    fn on_cnp(&mut self, _now: Time, _cnp: &Cnp) {
        self.0.push("cnp");
    }

    fn on_path_change(&mut self) {
        self.0.push("path");
    }

    fn start(&self) -> Start {
        Start::Speculatively
    }

    fn on_control(&mut self, _now: Time, _reply: &ControlReply) {
        self.0.push("control");
    }

    fn on_timer(&mut self, _now: Time) {
        self.0.push("timer");
    }

    fn next_timer(&self) -> Option<Time> {
        Some(Time::from_us(9))
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("told", self.0.len() as f64);
    }
}

/// What happens to the flow reaches its algorithm, and what the algorithm answers counts.
#[test]
fn every_event_reaches_the_algorithm() {
    let credits = Credits::new(10_000, 20_000, PACKET);
    let mut flow = CreditLimited::new(Told::default(), credits);
    let now = Time::ZERO;
    send(&mut flow, 1);
    Acked::plain(1, 3).give(&mut flow, now);
    flow.on_loss(now, &Loss::new(LossKind::Nack, 0));
    flow.on_cnp(now, &Cnp::default());
    flow.on_path_change();
    let reply = ControlReply {
        rate: Rate::from_gbps(1),
        congestion_point: None,
    };
    flow.on_control(now, &reply);
    flow.on_timer(now);
    let events = ["sent", "ack", "loss", "cnp", "path", "control", "timer"];
    assert_eq!(flow.algorithm.0, events);
    assert_eq!(flow.start(), Start::Speculatively);
    assert_eq!(flow.next_timer(), Some(Time::from_us(9)));
    assert_eq!(flow.limit().rate, Rate::from_gbps(7));
    let mut probed = Vec::new();
    flow.probe(&mut |name, value| probed.push((name, value)));
    assert_eq!(probed, [("credit_bytes", 0.0), ("told", 7.0)]);
}

/// (3): the ACK of a packet of 1000 B ends speculation and reaches the algorithm: a window of 5000
/// B grows by 1000 B.
#[test]
fn an_ack_ends_speculation_and_moves_the_window() {
    let credits = Credits::new(10_000, 20_000, PACKET);
    let mut flow = CreditLimited::new(Windowed(5_000), credits);
    Acked::plain(1, 3).give(&mut flow, Time::ZERO);
    assert_eq!((flow.credits.credit, flow.algorithm.0), (0, 6_000));
}

/// A window of 9000 B and credit of 5000: both allow a packet of 4150, and a second one with 4850
/// and 850 left. Then 700 of the window are left, and a debt of 3300. With a window of 9000 again
/// there is no credit. A pull of 20 000 leaves credit of 16 700, so 9000 may leave. The flow then
/// asks for 9000 + 4150 less its credit, in addition to the 20 000. The window is the bound where
/// it allows fewer bytes than credit: in the first and the last state.
#[test]
fn a_packet_leaves_if_window_and_credit_let_it() {
    let credits = Credits::new(5_000, 20_000, PACKET);
    let mut both = CreditLimited::new(Windowed(9_000), credits);
    let mut rooms = Vec::new();
    assert!(!both.is_bound_by_credit());
    for _ in 0..2 {
        rooms.push(both.limit().room.as_u64());
        let sent = Sent {
            payload: Bytes::new(4_086),
            wire: PACKET,
            next_to_send: 0,
            retransmission: false,
        };
        both.on_sent(Time::ZERO, &sent);
    }
    assert_eq!(rooms, [9_000, 4_850]);
    assert_eq!(both.limit().room, Bytes::ZERO);
    both.algorithm.0 = 9_000;
    assert_eq!(both.limit().room, Bytes::ZERO);
    // The window is for display only: the algorithm's, or W = 20 000 B of credit if that is less.
    assert_eq!(both.limit().window, Bytes::new(9_000));
    both.algorithm.0 = 30_000;
    assert_eq!(both.limit().window, Bytes::new(20_000));
    both.algorithm.0 = 9_000;
    assert!(both.is_bound_by_credit());
    both.on_credit(Time::ZERO, &pull(20_000));
    assert_eq!(both.limit().room, Bytes::new(9_000));
    assert!(!both.is_bound_by_credit());
    let wanted = both.credit_wanted(&backlog(1_000_000, 1));
    assert_eq!(wanted, Bytes::new(20_000 + 9_000 + 4_150 - 16_700));
}

/// Replays all events of one sender of uet-htsim (commit 40ccb05). The recording has the credit
/// after each packet and pull and at the end of speculation, and the request of each packet, in
/// quanta of 256 B, rounded up.
fn replay(trace: &str) -> usize {
    let (mut credits, mut count) = (Credits::new(0, 0, PACKET), 0);
    for (line, row) in trace.lines().enumerate().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<u64>().ok();
        let required = |cell| number(cell).expect("a number");
        match cells[0] {
            "start" => credits = Credits::new(required(5), required(5), PACKET),
            "feedback" => credits.end_speculation(),
            "pull" => credits.on_credit(&pull(required(6) * 256)),
            _ => {
                credits.on_sent(Bytes::new(required(1)));
                let flows = number(3).unwrap_or_default() as u32;
                let backlog = backlog(required(2), flows);
                let wanted = credits.wanted(&backlog, number(4).map(Bytes::new));
                let asked: i64 = cells[6].parse().expect("a number");
                // Requests below 0 continue in the recording; here a flow asks for at least 0.
                assert_eq!(
                    wanted.as_u64().div_ceil(256) as i64,
                    asked.max(0),
                    "line {}",
                    line + 1
                );
            }
        }
        let credit: i64 = cells[5].parse().expect("a number");
        assert_eq!(credits.credit, credit, "line {}", line + 1);
        count += 1;
    }
    count
}

#[test]
fn recorded_credits_are_met() {
    macro_rules! recorded {
        ($($name:literal)*) => {
            [$(include_str!(concat!("../../../tests/golden/credits/", $name, ".csv"))),*]
        };
    }
    let traces = recorded!(
        "one_100g_rccc" "4to1_100g_rccc" "11to1_100g_rccc" "smallq_11to1_100g_rccc"
        "11to1_100g_both" "4to1_400g_both" "smallq_11to1_100g_both"
    );
    // Each recording has a start, the end of speculation, and this many packets and pulls.
    let packets = [1_224, 395, 407, 407, 420, 449, 407];
    let pulls = [392, 114, 109, 109, 116, 146, 109];
    for (trace, events) in traces.iter().zip(packets.iter().zip(pulls)) {
        assert_eq!(replay(trace), 2 + events.0 + events.1);
    }
}
