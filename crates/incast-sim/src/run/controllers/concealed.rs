//! Hides signals from a controller that only other flows' algorithms need.

use incast_cc::{
    Ack, Backlog, Cnp, CongestionControl, ControlReply, Credit, FlowController, Loss, Needs,
    SendLimit, Sent, Start,
};
use incast_net::IntSource;
use incast_signals::int::Telemetry;
use incast_units::{Bytes, Time};

/// A controller that gets only the signals that its algorithm needs, as if it were the only
/// algorithm.
#[derive(Clone)]
pub(super) struct Concealed {
    controller: Box<dyn FlowController>,
    marks: bool,
    round_trips: bool,
    int: IntSource,
}

impl Concealed {
    pub(super) fn from(
        controller: Box<dyn FlowController>,
        needs: &Needs,
    ) -> Box<dyn FlowController> {
        Box::new(Self {
            controller,
            marks: needs.ecn.is_some(),
            round_trips: needs.timestamp,
            int: needs.int,
        })
    }
}

impl CongestionControl for Concealed {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let telemetry = match self.int {
            IntSource::Off => Telemetry::NONE,
            IntSource::Data | IntSource::Acks => ack.telemetry,
        };
        let told = Ack {
            marked: ack.marked && self.marks,
            round_trip: ack.round_trip.filter(|_| self.round_trips),
            receiver_flows: ack.receiver_flows.filter(|_| self.int == IntSource::Acks),
            telemetry,
            ..*ack
        };
        self.controller.on_ack(now, &told);
    }

    fn limit(&self) -> SendLimit {
        self.controller.limit()
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        self.controller.on_sent(now, sent);
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        self.controller.on_loss(now, loss);
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.controller.on_cnp(now, cnp);
    }

    fn on_path_change(&mut self) {
        self.controller.on_path_change();
    }

    fn start(&self) -> Start {
        self.controller.start()
    }

    fn on_control(&mut self, now: Time, reply: &ControlReply) {
        self.controller.on_control(now, reply);
    }

    fn on_credit(&mut self, now: Time, credit: &Credit) {
        self.controller.on_credit(now, credit);
    }

    fn credit_wanted(&self, backlog: &Backlog) -> Bytes {
        self.controller.credit_wanted(backlog)
    }

    fn is_bound_by_credit(&self) -> bool {
        self.controller.is_bound_by_credit()
    }

    fn on_timer(&mut self, now: Time) {
        self.controller.on_timer(now);
    }

    fn next_timer(&self) -> Option<Time> {
        self.controller.next_timer()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.controller.probe(record);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use incast_cc::AckNews;
    use incast_signals::EcnOptions;
    use incast_signals::int::{IntFormat, IntLayout};
    use incast_units::Rate;

    use super::*;

    /// Which signals a controller got: marks, round trips, INT, flows of the receiver.
    type Told = [bool; 4];

    #[derive(Clone)]
    struct Overhearing(Arc<Mutex<Told>>);

    impl CongestionControl for Overhearing {
        fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
            *self.0.lock().expect("one thread") = [
                ack.marked,
                ack.round_trip.is_some(),
                ack.telemetry.hops() > 0,
                ack.receiver_flows.is_some(),
            ];
        }

        fn limit(&self) -> SendLimit {
            SendLimit::paced(Rate::from_gbps(1))
        }
    }

    fn told(needs: &Needs) -> Told {
        let layout = IntLayout::new(IntFormat::quantised(1, 16), vec![Rate::from_gbps(100)]);
        let layout = layout.expect("one rate has a code");
        let ack = Ack {
            newly_acked: Bytes::new(1000),
            next_expected: 1000,
            next_to_send: 2000,
            flow_size: Bytes::new(2000),
            marked: true,
            round_trip: Some(Time::from_us(5)),
            switch_hops: 1,
            telemetry: Telemetry::new(&[0], &layout),
            receiver_flows: Some(2),
            news: AckNews::default(),
        };
        let heard = Arc::default();
        let mut controller = Concealed::from(Box::new(Overhearing(Arc::clone(&heard))), needs);
        controller.on_ack(Time::ZERO, &ack);
        *heard.lock().expect("one thread")
    }

    /// Counts changes of paths.
    #[derive(Clone)]
    struct Rerouted(Arc<Mutex<u32>>);

    impl CongestionControl for Rerouted {
        fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

        fn limit(&self) -> SendLimit {
            SendLimit::paced(Rate::from_gbps(1))
        }

        fn on_path_change(&mut self) {
            *self.0.lock().expect("one thread") += 1;
        }
    }

    #[test]
    fn a_controller_is_told_of_another_path() {
        let changes = Arc::default();
        let rerouted = Rerouted(Arc::clone(&changes));
        let mut controller = Concealed::from(Box::new(rerouted), &Needs::default());
        controller.on_path_change();
        assert_eq!(*changes.lock().expect("one thread"), 1);
    }

    #[test]
    fn a_controller_is_told_what_its_algorithm_needs() {
        let none = Needs::default();
        assert_eq!(told(&none), [false; 4]);
        let marks = Needs {
            ecn: Some(EcnOptions::DCTCP),
            ..none.clone()
        };
        assert_eq!(told(&marks), [true, false, false, false]);
        let round_trips = Needs {
            timestamp: true,
            ..none.clone()
        };
        assert_eq!(told(&round_trips), [false, true, false, false]);
        let int = |int| Needs {
            int,
            ..none.clone()
        };
        assert_eq!(told(&int(IntSource::Data)), [false, false, true, false]);
        assert_eq!(told(&int(IntSource::Acks)), [false, false, true, true]);
    }
}
