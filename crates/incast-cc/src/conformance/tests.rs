//! Algorithms with a flaw each: it is found, and told.

use std::sync::Arc;

use incast_units::{Bytes, Rate};
use serde_json::Map;

use super::*;
use crate::{
    Ack, CongestionControl, ExternalAlgorithm, ExternalConfig, FlowContext, FlowController, Needs,
};

#[derive(Copy, Clone, Debug, PartialEq)]
enum Flaw {
    None,
    Rate,
    FastRate,
    Window,
    Timer,
    EndlessTimer,
    UnaskedTimer,
    Probe,
    Forgetful,
    Fails,
}

#[derive(Debug)]
struct Flawed(Flaw);

impl ExternalAlgorithm for Flawed {
    fn name(&self) -> &str {
        "flawed"
    }

    fn parameters(&self) -> Map<String, serde_json::Value> {
        Map::new()
    }

    fn needs(&self) -> Needs {
        Needs {
            timers: matches!(self.0, Flaw::Timer | Flaw::EndlessTimer),
            ..Needs::default()
        }
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        static BUILT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        Box::new(Controller {
            flaw: self.0,
            line_rate: context.line_rate,
            acks: 0,
            now: Time::from_us(10),
            number: BUILT.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
        })
    }

    fn failure(&self) -> Option<String> {
        (self.0 == Flaw::Fails).then(|| "it failed".to_owned())
    }
}

struct Controller {
    flaw: Flaw,
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
        match self.flaw {
            Flaw::Rate if self.acks > 2 => SendLimit::paced(Rate::default()),
            Flaw::FastRate => SendLimit::paced(self.line_rate * 2),
            Flaw::Window if self.acks > 2 => SendLimit {
                window: Bytes::ZERO,
                ..limit
            },
            Flaw::Forgetful => SendLimit {
                window: Bytes::new(1 + self.number),
                ..limit
            },
            _ => limit,
        }
    }

    fn on_timer(&mut self, now: Time) {
        self.now = match self.flaw {
            Flaw::Timer => now.saturating_sub(Time::from_ns(1)),
            _ => now,
        };
    }

    fn next_timer(&self) -> Option<Time> {
        let has_timer = [Flaw::Timer, Flaw::EndlessTimer, Flaw::UnaskedTimer].contains(&self.flaw);
        has_timer.then_some(self.now)
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let value = match self.flaw {
            Flaw::Probe => 1.0 / (self.acks as f64 - 3.0),
            _ => 1.0,
        };
        record("value", value);
    }
}

#[test]
fn flaws_are_found() {
    let check = |flaw| {
        let mut config = ExternalConfig::default();
        config.bind(Arc::new(Flawed(flaw)));
        check_events(&config.into(), 7, 50)
    };
    assert!(check(Flaw::None).expect("sound") > 1_000);
    for (flaw, what) in [
        (Flaw::Rate, "the rate is 0"),
        (Flaw::FastRate, "above the link's"),
        (Flaw::Window, "the window is 0"),
        (Flaw::Timer, "is next due at"),
        (Flaw::EndlessTimer, "a timer never ends, at"),
        (
            Flaw::UnaskedTimer,
            "there is a timer, which is not in its needs",
        ),
        (Flaw::Probe, "value is inf"),
        (
            Flaw::Forgetful,
            "the same events, told again, have another answer",
        ),
        (Flaw::Fails, "it failed"),
    ] {
        let unsound = check(flaw).expect_err(what).to_string();
        assert!(unsound.contains(what), "{flaw:?}: {unsound}");
    }
}
