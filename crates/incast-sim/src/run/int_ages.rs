//! How old INT is when a sender uses it: from the moment that a record tells of to the arrival of
//! the ACK that brings it.
//!
//! A flow's controller is wrapped in one that listens; what it hears is summed over all flows, in
//! integers, so that the order in which nodes are taken does not matter.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use incast_cc::{Ack, Cnp, CongestionControl, FlowController, Loss, SendLimit, Sent};
use incast_net::IntCollection;
use incast_units::Time;

use crate::results::IntAge;
use crate::spec::ValidSpec;

/// The ages of all records of a run.
#[derive(Clone)]
pub(super) struct IntAges {
    /// Whether the first record is that of the last switch.
    reversed: bool,
    known: Arc<Mutex<BTreeMap<SwitchPosition, Sum>>>,
}

/// The switch that wrote a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SwitchPosition {
    /// Switches on the path.
    switches: u64,
    /// Which of them, from the sender's on, counted from 1.
    switch: u64,
}

#[derive(Copy, Clone, Debug, Default)]
struct Sum {
    count: u64,
    ps: u128,
    min: Time,
    max: Time,
}

impl IntAges {
    /// Of a run, if they are to be measured.
    pub(super) fn new(spec: &ValidSpec) -> Option<Self> {
        spec.int_age().then(|| Self {
            reversed: matches!(spec.network().int, IntCollection::Acks(_)),
            known: Arc::default(),
        })
    }

    /// Listens to what a controller is told.
    pub(super) fn listen(&self, inner: Box<dyn FlowController>) -> Box<dyn FlowController> {
        let ages = self.clone();
        Box::new(Listening { inner, ages })
    }

    /// Those on paths of so many switches, from the sender's on.
    pub(super) fn take(&self) -> Vec<IntAge> {
        let known = std::mem::take(
            &mut *self
                .known
                .lock()
                .expect("no thread panics while it holds the lock"),
        );
        known.iter().map(|(place, sum)| place.age(*sum)).collect()
    }

    fn note(&self, now: Time, ack: &Ack<'_>) {
        let records = ack.telemetry.records();
        let switches = records.len() as u64;
        let mut known = self
            .known
            .lock()
            .expect("no thread panics while it holds the lock");
        for (index, record) in (0..).zip(&records) {
            let switch = match self.reversed {
                true => switches - index,
                false => index + 1,
            };
            let place = SwitchPosition { switches, switch };
            let age = ack.telemetry.age(record, now);
            known.entry(place).or_default().add(age);
        }
    }
}

impl SwitchPosition {
    fn age(self, sum: Sum) -> IntAge {
        IntAge {
            switches: self.switches,
            switch: self.switch,
            count: sum.count,
            mean: sum.ps as f64 / sum.count as f64,
            min: sum.min.as_ps(),
            max: sum.max.as_ps(),
        }
    }
}

impl Sum {
    fn add(&mut self, age: Time) {
        self.min = match self.count {
            0 => age,
            _ => self.min.min(age),
        };
        self.max = self.max.max(age);
        self.count += 1;
        self.ps += u128::from(age.as_ps());
    }
}

/// A controller that is listened to.
struct Listening {
    inner: Box<dyn FlowController>,
    ages: IntAges,
}

impl CongestionControl for Listening {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        self.ages.note(now, ack);
        self.inner.on_ack(now, ack);
    }

    fn limit(&self) -> SendLimit {
        self.inner.limit()
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        self.inner.on_sent(now, sent);
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        self.inner.on_loss(now, loss);
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.inner.on_cnp(now, cnp);
    }

    fn on_timer(&mut self, now: Time) {
        self.inner.on_timer(now);
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.inner.probe(record);
    }
}
