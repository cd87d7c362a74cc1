//! What reaches an algorithm, event by event, in a flow of 2500 B in packets of up to 1000 B.

use std::sync::{Arc, Mutex};

use incast_signals::int::IntFormat;
use serde_json::{Map, Value};

use super::*;
use crate::example::context;
use crate::{Cnp, CongestionControl, ExternalAlgorithm, ExternalConfig, FlowContext};

/// What an algorithm was told, in words.
type Told = Arc<Mutex<Vec<String>>>;

/// An algorithm that writes down what it is told.
#[derive(Clone, Debug)]
struct Listener {
    needs: Needs,
    told: Told,
    timer: Option<Time>,
}

impl Listener {
    fn write(&self, words: String) {
        self.told.lock().expect("one thread").push(words);
    }
}

impl ExternalAlgorithm for Listener {
    fn name(&self) -> &str {
        "listener"
    }

    fn parameters(&self) -> Map<String, Value> {
        Map::new()
    }

    fn needs(&self) -> Needs {
        self.needs.clone()
    }

    fn build(&self, _context: &FlowContext) -> Box<dyn FlowController> {
        Box::new(self.clone())
    }
}

impl CongestionControl for Listener {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let (expected, next, size) = (ack.next_expected, ack.next_to_send, ack.flow_size);
        let (newly_acked, hops) = (ack.newly_acked, ack.switch_hops);
        let marked = if ack.marked { ", marked" } else { "" };
        let flows = ack.receiver_flows.map(|flows| format!(", flows: {flows}"));
        let flows = flows.unwrap_or_default();
        self.write(format!(
            "{now}: ACK of {newly_acked}, {expected} to {next} of {size}, \
             hops: {hops}{marked}{flows}"
        ));
        if let Some(round_trip) = ack.round_trip {
            self.write(format!("after {round_trip}"));
        }
        let AckNews {
            newly_received,
            restored,
            was_awaited,
            ..
        } = ack.news;
        if self.needs.received_bytes {
            self.write(format!(
                "{newly_received} received, {restored} restored, {was_awaited}"
            ));
        }
        for record in ack.telemetry.records() {
            let IntRecord {
                clock,
                sent,
                queue,
                rate,
            } = record;
            self.write(format!("{clock} {sent} {queue} {rate}"));
        }
    }

    fn limit(&self) -> SendLimit {
        SendLimit::paced(Rate::from_gbps(1))
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        let again = if sent.retransmission { " again" } else { "" };
        let (payload, wire, next) = (sent.payload, sent.wire, sent.next_to_send);
        self.write(format!(
            "{now}: {payload} of {wire} sent{again}, up to {next}"
        ));
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        let Loss {
            kind,
            resume_at,
            wire,
            round_trip,
        } = *loss;
        self.write(format!(
            "{now}: {kind:?}, {wire} from {resume_at}, {round_trip:?}"
        ));
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.write(format!("{now}: CNP {:?}", cnp.rate));
    }

    fn on_timer(&mut self, now: Time) {
        self.write(format!("{now}: timer"));
        self.timer = None;
    }

    fn next_timer(&self) -> Option<Time> {
        self.timer
    }
}

/// What an algorithm with these needs is told of these events, by a network that trims or not.
fn told(needs: Needs, setting: &PathSetting, events: &[Event]) -> Vec<String> {
    told_by(
        Listener {
            needs,
            told: Told::default(),
            timer: None,
        },
        setting,
        events,
    )
}

fn told_by(listener: Listener, setting: &PathSetting, events: &[Event]) -> Vec<String> {
    let told = Arc::clone(&listener.told);
    let mut config = ExternalConfig::default();
    config.bind(Arc::new(listener));
    let algorithm = AlgorithmConfig::from(config);
    let mut nic = SimpleNic::new(&algorithm, setting);
    for event in events {
        nic.tell(event).expect("it is sound");
    }
    told.lock().expect("one thread").clone()
}

/// A path through a link of 100 Gb/s and one of 10 Gb/s.
fn setting(format: IntFormat, trims: bool) -> PathSetting {
    PathSetting {
        context: FlowContext { trims, ..context() },
        flow_size: 2_500,
        format,
        links: [100, 10].map(Rate::from_gbps).to_vec(),
    }
}

fn news() -> News {
    News {
        marked: true,
        round_trip: Time::from_us(5),
        receiver_flows: None,
        hops: vec![
            (Time::from_us(1), 255, 100),
            (Time::from_us(2), 51, 100_000),
        ],
    }
}

fn send(payload: u64) -> Event {
    Event::Send { payload }
}

fn ack(part: u8) -> Event {
    Event::Ack { part, news: news() }
}

fn wait(us: u64) -> Event {
    Event::Wait {
        time: Time::from_us(us),
        late: Time::ZERO,
    }
}

fn needs() -> Needs {
    Needs {
        sent_packets: true,
        ..Needs::default()
    }
}

/// Packets are full at most, and end with the flow. An ACK of 51/255 is for a fifth of the bytes
/// sent but not acknowledged. After a timeout the flow goes back to the first of these.
#[test]
fn a_flow_is_sent_and_acknowledged() {
    let events = [
        Event::Timeout,
        send(9_000),
        wait(3),
        send(600),
        ack(255),
        send(1_000),
        send(1_000),
        ack(51),
        Event::Timeout,
        send(100),
        ack(255),
        Event::Cnp(Cnp::default()),
    ];
    let expected = [
        "0s: 1KB of 1090B sent, up to 1000",
        "3us: 600B of 690B sent, up to 1600",
        "3us: ACK of 1.6KB, 1600 to 1600 of 2.5KB, hops: 2, marked",
        "3us: 900B of 990B sent, up to 2500",
        "3us: ACK of 180B, 1780 to 2500 of 2.5KB, hops: 2, marked",
        "3us: Timeout, 720B from 1780, None",
        "3us: 100B of 190B sent again, up to 1880",
        // All that was sent before the timeout has arrived after all.
        "3us: ACK of 720B, 2500 to 2500 of 2.5KB, hops: 2, marked",
        "3us: CNP None",
    ];
    let setting = setting(IntFormat::Exact, false);
    assert_eq!(told(needs(), &setting, &events), expected);
}

/// Of a flow of 700 B on one link: an ACK without a mark, from a receiver with three flows.
#[test]
fn an_ack_tells_of_path_and_receiver() {
    let setting = PathSetting {
        flow_size: 700,
        links: vec![Rate::from_gbps(100)],
        ..setting(IntFormat::Exact, false)
    };
    let news = News {
        marked: false,
        receiver_flows: Some(3),
        ..news()
    };
    let told = told(needs(), &setting, &[Event::Ack { part: 0, news }]);
    assert_eq!(told, ["0s: ACK of 0B, 0 to 0 of 700B, hops: 1, flows: 3"]);
}

/// A NACK is an ACK and a loss. With trimming it tells what was lost, and its round trip.
#[test]
fn a_nack_tells_a_loss() {
    let nack = |receiver_flows| Event::Nack {
        part: 0,
        news: News {
            receiver_flows,
            ..news()
        },
    };
    let lost = |trims, receiver_flows| {
        let setting = setting(IntFormat::Exact, trims);
        let mut told = told(needs(), &setting, &[send(1_000), nack(receiver_flows)]);
        let flows = receiver_flows.map_or("", |_| ", flows: 2");
        let ack = "0s: ACK of 0B, 0 to 1000 of 2.5KB, hops: 2, marked";
        assert_eq!(told[1], format!("{ack}{flows}"));
        told.pop()
    };
    let by_gap = "0s: Nack, 1KB from 0, None";
    assert_eq!(lost(false, None).as_deref(), Some(by_gap));
    let trimmed = |last_hop| {
        format!(
            "0s: Trimmed {{ last_hop: {last_hop}, marked: true, bytes: {:?} }}, 1KB from 0, {:?}",
            Bytes::new(1_000),
            Some(Time::from_ns(4_160)),
        )
    };
    assert_eq!(lost(true, None), Some(trimmed(false)));
    assert_eq!(lost(true, Some(2)), Some(trimmed(true)));
}

/// For 1000 new bytes the receiver counts 1090 B, with headers of 90 B. For 45 new bytes it counts
/// 90 B: headers count at most as much as the new bytes. A third counts as restored. Round trips
/// are told to those who need them.
#[test]
fn receivers_count_if_they_are_asked() {
    let needs = Needs {
        received_bytes: true,
        timestamp: true,
        ..Needs::default()
    };
    let setting = setting(IntFormat::Exact, false);
    let events = [send(1_000), ack(255), send(45), ack(255)];
    let expected = [
        "0s: 1KB of 1090B sent, up to 1000",
        "0s: ACK of 1KB, 1000 to 1000 of 2.5KB, hops: 2, marked",
        "after 5us",
        "1090B received, 363B restored, true",
        "0s: 45B of 135B sent, up to 1045",
        "0s: ACK of 45B, 1045 to 1045 of 2.5KB, hops: 2, marked",
        "after 5us",
        "90B received, 30B restored, true",
    ];
    assert_eq!(told(needs, &setting, &events), expected);
}

/// In 1 µs a link of 100 Gb/s sends 12 500 B. One of 10 Gb/s that is busy for a fifth of 2 µs sends
/// 500 B. A second ACK doubles both.
///
/// Quantised clocks count ns. Bytes sent are in units of 256 B: 12 500/256 = 48.8, 1000/256 = 3.9.
/// The queue is in units of 160 B. Its 8 bits hold at most 255 · 160 B = 40 800 B.
#[test]
fn ports_write_what_their_links_sent() {
    let needs = Needs {
        int: IntSource::Data,
        ..Needs::default()
    };
    let records = |format| {
        let mut told = told(needs.clone(), &setting(format, false), &[ack(0), ack(0)]);
        told.retain(|words| !words.contains("ACK"));
        told
    };
    let exact = [
        "1000000 12500 100B 100Gbps",
        "2000000 500 100KB 10Gbps",
        "2000000 25000 100B 100Gbps",
        "4000000 1000 100KB 10Gbps",
    ];
    assert_eq!(records(IntFormat::Exact), exact);
    let quantised = [
        "1000 48 0B 100Gbps",
        "2000 1 40.8KB 10Gbps",
        "2000 97 0B 100Gbps",
        "4000 3 40.8KB 10Gbps",
    ];
    assert_eq!(records(IntFormat::quantised(2, 8)), quantised);
    // Those who do not ask get none.
    let none = told(
        Needs::default(),
        &setting(IntFormat::Exact, false),
        &[ack(0)],
    );
    assert_eq!(none.len(), 1);
}

/// A timer for 5 µs is served in a wait that reaches 5 µs. If timers are a nanosecond late, it is
/// served at 5.001 µs, or at the end of the wait if that is earlier.
#[test]
fn timers_are_served_when_they_are_due() {
    let timer = |time, late| {
        let needs = Needs {
            timers: true,
            ..Needs::default()
        };
        let timer = Some(Time::from_us(5));
        let listener = Listener {
            needs,
            told: Told::default(),
            timer,
        };
        let wait = Event::Wait { time, late };
        told_by(listener, &setting(IntFormat::Exact, false), &[wait])
    };
    let (us, ns) = (Time::from_us, Time::from_ns);
    assert!(timer(ns(4_999), ns(1)).is_empty());
    assert_eq!(timer(us(5), Time::ZERO), ["5us: timer"]);
    assert_eq!(timer(us(5), ns(1)), ["5us: timer"]);
    assert_eq!(timer(us(9), ns(1)), ["5001ns: timer"]);
}
