//! What a sender waits for, and what changes it, worked by hand.

use incast_cc::{Ack, CongestionControl, FlowController, Needs, SendLimit};
use incast_net::{Controllers, Enforcement, ExecutionPath, Flow, Heard, SendState, TraceConfig};
use incast_units::{Bytes, FlowId, Rate, Time};

use crate::faults::{down, fault, lossy, with_faults};
use crate::listener::Listener;
use crate::support::{Fixed, Network, With, flow, star};
use crate::tracing::everything;

/// When the state of a sender changes, by what, and to which; its timeouts, and whether it sends
/// again.
type Change = (Time, Heard, SendState, u32, bool);

fn paced(rate: Rate, window: Bytes) -> SendLimit {
    SendLimit {
        window,
        ..SendLimit::paced(rate)
    }
}

/// The changes of the state of the sender of flow `id`.
fn changes(mut network: Network, flows: &[Flow], id: u32, limit: SendLimit) -> Vec<Change> {
    network.measure.packets = Some(TraceConfig {
        causes: true,
        ..everything()
    });
    let controllers = With(|_: &Flow| Box::new(Fixed(limit)) as Box<_>);
    let outcome = network.run(flows, &controllers);
    let trace = outcome.recording.packets.expect("a trace");
    let causes = trace.causes.expect("they were asked for");
    let of = causes
        .senders
        .into_iter()
        .filter(|each| each.flow == FlowId(id));
    of.map(|each| {
        (
            each.time,
            each.heard,
            each.state,
            each.timeouts,
            each.sends_again,
        )
    })
    .collect()
}

/// Packets of 1048 B take 838.4 ns at 10 Gb/s. The window admits two, so the third waits for the
/// first ACK, after 2·(83.84 ns + 1 us) and 2·(4.8 ns + 1 us) on two links of 100 Gb/s.
#[test]
fn pacing_and_the_window_hold_packets() {
    let limit = paced(Rate::from_gbps(10), Bytes::new(2_000));
    let second = Time::from_ps(838_400);
    let expected = [
        (
            Time::ZERO,
            Heard::Other,
            SendState::Pacing(second),
            0,
            false,
        ),
        (second, Heard::Sent, SendState::Window, 0, false),
        (
            Time::from_ps(4_177_280),
            Heard::Ack,
            SendState::SentAll,
            0,
            false,
        ),
    ];
    let found = changes(Network::new(star(2)), &[flow(0, 0, 1, 3_000)], 0, limit);
    assert_eq!(found, expected);
}

/// Two packets are lost and time out after 200 us. The first is then sent again; the second waits
/// for its pacing, at the rate of the link.
#[test]
fn a_timeout_sends_again() {
    let network = lossy(Network::new(star(2)));
    let network = with_faults(network, vec![fault(0, down(1_000), 0, 10)]);
    let limit = paced(Rate::from_gbps(100), Bytes::MAX);
    let (packet, timeout) = (Time::from_ps(83_840), Time::from_us(200));
    let last = timeout + packet;
    let expected = [
        (
            Time::ZERO,
            Heard::Other,
            SendState::Pacing(packet),
            0,
            false,
        ),
        (packet, Heard::Sent, SendState::SentAll, 0, false),
        (timeout, Heard::Timer, SendState::Pacing(last), 1, true),
        (last, Heard::Sent, SendState::SentAll, 1, false),
    ];
    let found = changes(network, &[flow(0, 0, 1, 2_000)], 0, limit);
    assert_eq!(found, expected);
}

/// Two flows of two packets share a pace of one packet in 838.4 ns. Flow 0 waits for the pace until
/// flow 1 has started, at the same moment. Then each waits for its turn.
#[test]
fn flows_of_one_pace_wait_for_their_turn() {
    let flows = [flow(0, 0, 1, 2_000), flow(1, 0, 1, 2_000)];
    let limit = paced(Rate::from_gbps(10), Bytes::MAX);
    let states = |id| {
        let mut network = Network::new(star(2));
        network.config.nic.enforcement = Enforcement::PerPair;
        let all = changes(network, &flows, id, limit).into_iter();
        all.map(|(at, _, state, ..)| (at, state))
            .collect::<Vec<_>>()
    };
    let [second, third, fourth] = [1, 2, 3].map(|packet| Time::from_ps(838_400) * packet);
    let expected = [
        (Time::ZERO, SendState::Pacing(second)),
        (Time::ZERO, SendState::Turn),
        (third, SendState::SentAll),
    ];
    assert_eq!(states(0), expected);
    let expected = [(Time::ZERO, SendState::Turn), (fourth, SendState::SentAll)];
    assert_eq!(states(1), expected);
}

/// 10 Gb/s until the first ACK, then 1 Gb/s. Whether a pending packet follows the new rate is said
/// by the first field.
#[derive(Clone)]
struct Slowing(bool, Rate);

impl CongestionControl for Slowing {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {
        self.1 = Rate::from_gbps(1);
    }

    fn limit(&self) -> SendLimit {
        paced(self.1, Bytes::MAX)
    }
}

impl Controllers for Slowing {
    fn create(&self, _flow: &Flow) -> Box<dyn FlowController> {
        Box::new(self.clone())
    }

    fn needs(&self) -> Needs {
        Needs {
            reschedules_pending: self.0,
            ..Needs::default()
        }
    }
}

/// Packets leave every 838.4 ns. The first ACK, at 4177.28 ns, finds the sixth packet pending for
/// 4192 ns. By the new rate it would leave 8384 ns after the fifth, which left at 3353.6 ns.
#[test]
fn a_new_rate_moves_a_pending_packet_if_it_should() {
    for (moves, sixth) in [(false, 4_192_000), (true, 3_353_600 + 8_384_000)] {
        for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
            let mut network = Network::new(star(2));
            network.path = path;
            let slowing = Slowing(moves, Rate::from_gbps(10));
            let listener = Listener::new(&slowing);
            network.run(&[flow(0, 0, 1, 7_000)], &listener);
            let sent = listener.log(0).sent;
            let expected = [sixth, sixth + 8_384_000].map(|ps| (Time::from_ps(ps), false));
            assert_eq!(sent[5..], expected, "{path:?}");
        }
    }
}
