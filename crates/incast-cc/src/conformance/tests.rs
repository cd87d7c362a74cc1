//! Algorithms with one defect each: the check finds and reports each defect.

use std::sync::Arc;

use incast_units::{Bytes, Rate};
use serde_json::Map;

use super::*;
use crate::{
    Ack, Cnp, CongestionControl, ExternalAlgorithm, ExternalConfig, FlowContext, FlowController,
    Needs,
};

#[derive(Copy, Clone, Debug, PartialEq)]
enum Defect {
    None,
    Rate,
    FastRate,
    Window,
    Sequence,
    Room,
    Timer,
    EndlessTimer,
    UnaskedTimer,
    Probe,
    Forgetful,
    Fails,
    Interrupted,
    Renamed,
}

#[derive(Debug)]
struct Defective(Defect);

impl ExternalAlgorithm for Defective {
    fn name(&self) -> &str {
        "defective"
    }

    fn parameters(&self) -> Map<String, serde_json::Value> {
        Map::new()
    }

    fn needs(&self) -> Needs {
        Needs {
            timers: matches!(self.0, Defect::Timer | Defect::EndlessTimer),
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        static BUILT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        Box::new(Controller {
            defect: self.0,
            line_rate: context.line_rate,
            acks: 0,
            now: Time::from_us(10),
            number: BUILT.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
        })
    }

    fn failure(&self) -> Option<String> {
        (self.0 == Defect::Fails).then(|| "it failed".to_owned())
    }

    fn is_interrupted(&self) -> bool {
        self.0 == Defect::Interrupted
    }
}

#[derive(Clone)]
struct Controller {
    defect: Defect,
    line_rate: Rate,
    acks: u64,
    now: Time,
    number: u64,
}

impl CongestionControl for Controller {
    fn on_ack(&mut self, now: Time, _ack: &Ack<'_>) {
        self.acks += 1;
        self.now = now;
    }

    fn limit(&self) -> SendLimit {
        let limit = SendLimit::paced(self.line_rate);
        match self.defect {
            Defect::Rate if self.acks > 2 => SendLimit::paced(Rate::default()),
            Defect::FastRate => SendLimit::paced(self.line_rate * 2),
            Defect::Window if self.acks > 2 => SendLimit {
                window: Bytes::ZERO,
                ..limit
            },
            Defect::Sequence => SendLimit {
                until: 1_000,
                ..limit
            },
            Defect::Room => SendLimit {
                room: Bytes::new(9_000),
                ..limit
            },
            Defect::Forgetful => SendLimit {
                window: Bytes::new(1 + self.number),
                ..limit
            },
            _ => limit,
        }
    }

    fn on_timer(&mut self, now: Time) {
        self.now = match self.defect {
            Defect::Timer => now.saturating_sub(Time::from_ns(1)),
            _ => now,
        };
    }

    fn next_timer(&self) -> Option<Time> {
        let has_timer =
            [Defect::Timer, Defect::EndlessTimer, Defect::UnaskedTimer].contains(&self.defect);
        has_timer.then_some(self.now)
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let value = match self.defect {
            Defect::Probe => 1.0 / (self.acks as f64 - 3.0),
            _ => 1.0,
        };
        let renamed = self.defect == Defect::Renamed && self.acks > 2;
        record(if renamed { "other" } else { "value" }, value);
    }
}

/// 51 of 255 parts are a fifth. Messages do not show Rust notation.
#[test]
fn answers_are_told_with_their_causes() {
    let news = events::News {
        marked: true,
        round_trip: Time::from_us(5),
        receiver_flows: Some(3),
        hops: vec![(Time::from_us(1), 7, 100)],
    };
    let unmarked = events::News {
        marked: false,
        ..news.clone()
    };
    let wait = Event::Wait {
        time: Time::from_us(2),
        late: Time::ZERO,
    };
    let asked = Cnp {
        rate: Some(Rate::from_gbps(10)),
        congestion_point: Some(1),
    };
    for (event, words) in [
        (
            Event::Ack { part: 51, news },
            "an ACK of 51/255 of what was in flight, after an RTT of 5us, with a mark",
        ),
        (
            Event::Nack {
                part: 0,
                news: unmarked,
            },
            "a NACK of 0/255 of what was in flight, after an RTT of 5us",
        ),
        (wait, "a time of 2us without a packet"),
        (Event::Send { payload: 9 }, "a packet of up to 9B"),
        (Event::Timeout, "a timeout"),
        (Event::Cnp(Cnp::default()), "a CNP"),
        (Event::Cnp(asked), "a CNP that asks for 10Gbps"),
    ] {
        assert_eq!(event.to_string(), words);
    }
    let unsound = |event, after: Option<&str>| UnsoundAnswer {
        what: "the window is 0".to_owned(),
        sequence: 3,
        event,
        after: after.map(str::to_owned),
        flow: "a flow of 1B".to_owned(),
    };
    let told = unsound(2, Some("a timeout")).to_string();
    let expected = "the window is 0, after event 2 of sequence 3, a timeout (a flow of 1B)";
    assert_eq!(told, expected);
    let told = unsound(0, None).to_string();
    let expected = "the window is 0, at the start of sequence 3 (a flow of 1B)";
    assert_eq!(told, expected);
}

#[test]
fn defects_are_found() {
    let check = |defect| {
        let mut config = ExternalConfig::default();
        config.bind(Arc::new(Defective(defect)));
        check_events(&config.into(), 7, 50)
    };
    assert!(check(Defect::None).expect("sound") > 1_000);
    let mut config = ExternalConfig::default();
    config.bind(Arc::new(Defective(Defect::None)));
    let sound = config.into();
    for seed in 0..1_000 {
        let events = check_events(&sound, seed, 1).expect("sound");
        assert!((1..=200).contains(&events), "a sequence has events");
    }
    for (defect, what) in [
        (Defect::Rate, "the rate is 0"),
        (Defect::FastRate, "above the link's"),
        (Defect::Window, "the window is 0"),
        (Defect::Sequence, "names a sequence number, which is not"),
        (Defect::Room, "says how much may leave, which is not"),
        (Defect::Timer, "is next due at"),
        (Defect::EndlessTimer, "a timer never ends, at"),
        (
            Defect::UnaskedTimer,
            "there is a timer, which is not in its needs",
        ),
        (Defect::Probe, "value is inf"),
        (
            Defect::Forgetful,
            "the same events, told again, have another answer",
        ),
        (Defect::Fails, "it failed"),
        (Defect::Interrupted, "it was interrupted, after event 1 of"),
        (Defect::Renamed, "it probes other names than at first"),
    ] {
        let unsound = check(defect).expect_err(what).to_string();
        assert!(unsound.contains(what), "{defect:?}: {unsound}");
        assert!(unsound.contains("a flow of ") && unsound.contains(", a base RTT of "));
    }
}
