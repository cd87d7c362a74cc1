//! Timers that an algorithm sets when a packet leaves, on NICs of every kind.

use std::sync::{Arc, Mutex};

use incast_cc::{Ack, CongestionControl, FlowController, SendLimit, Sent};
use incast_net::{
    Enforcement, ExecutionPath, Flow, IdleState, NicConfig, QpLifetime, RecoveryKind,
};
use incast_units::{Bytes, Rate, Time};

use crate::support::{Network, With, at, flow, star};

/// An event of a controller: a packet that left, or its timer.
#[derive(Clone, Debug, PartialEq)]
enum Call {
    Sent(Time),
    Timer(Time),
}

/// A controller with one packet in flight. Each departure starts a timer of 700 ns, unless one is
/// running.
#[derive(Clone)]
struct Timed {
    timer: Option<Time>,
    calls: Arc<Mutex<Vec<Call>>>,
}

const PERIOD: Time = Time::from_ns(700);

impl CongestionControl for Timed {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn on_sent(&mut self, now: Time, _sent: &Sent) {
        self.timer.get_or_insert(now + PERIOD);
        self.calls.lock().unwrap().push(Call::Sent(now));
    }

    fn next_timer(&self) -> Option<Time> {
        self.timer
    }

    fn on_timer(&mut self, now: Time) {
        self.timer = None;
        self.calls.lock().unwrap().push(Call::Timer(now));
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: Bytes::new(1_000),
            ..SendLimit::paced(Rate::from_gbps(100))
        }
    }
}

/// The calls of the only controller, which these flows share.
fn calls(network: &Network, flows: &[Flow]) -> Vec<Call> {
    let calls = Arc::<Mutex<Vec<Call>>>::default();
    let controllers = With(|_: &Flow| {
        let calls = Arc::clone(&calls);
        Box::new(Timed { timer: None, calls }) as Box<dyn FlowController>
    });
    network.run(flows, &controllers);
    let calls = calls.lock().unwrap();
    calls.clone()
}

/// Packets of 1048 B over two links of 1 us at 100 Gb/s, and ACKs of 60 B: one packet every 2·(83
/// 840 + 4 800) + 4 000 000 ps. The timer expires 700 ns after the packet, long before its ACK,
/// with or without a retransmission timeout.
#[test]
fn a_timer_runs_from_the_packet_that_it_is_named_at() {
    let round_trip = Time::from_ps(4_177_280);
    let starts = (0..4).map(|packet| Time::from_ns(50) + round_trip * packet);
    let expected: Vec<Call> = starts
        .flat_map(|sent| [Call::Sent(sent), Call::Timer(sent + PERIOD)])
        .collect();
    let flows = [at(Time::from_ns(50), flow(0, 0, 1, 4_000))];
    let enforcements = [
        Enforcement::PerQp,
        Enforcement::PerPair,
        Enforcement::PerSource,
        Enforcement::PerDestination,
    ];
    for enforcement in enforcements {
        for qps in [QpLifetime::PerFlow, QpLifetime::Persistent] {
            for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
                for timeout in [None, Some(Time::from_ms(100_000))] {
                    for kind in [RecoveryKind::GoBackN, RecoveryKind::Selective] {
                        let mut network = Network::new(star(3));
                        network.config.nic = NicConfig {
                            enforcement,
                            qps,
                            idle: IdleState::Keep,
                        };
                        network.path = path;
                        network.config.recovery.timeout = timeout;
                        network.config.recovery.kind = kind;
                        let calls = calls(&network, &flows);
                        let what = (enforcement, qps, path, timeout, kind);
                        assert_eq!(calls, expected, "{what:?}");
                    }
                }
            }
        }
    }
}

/// A controller whose timer, of 5 us, begins anew with each ACK.
#[derive(Clone)]
struct Deferred {
    due: Time,
    early: Arc<Mutex<Vec<Time>>>,
}

impl CongestionControl for Deferred {
    fn on_ack(&mut self, now: Time, _ack: &Ack<'_>) {
        self.due = now + Time::from_us(5);
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.due)
    }

    fn on_timer(&mut self, now: Time) {
        self.early.lock().unwrap().push(now);
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: Bytes::new(1_000),
            ..SendLimit::paced(Rate::from_gbps(100))
        }
    }
}

/// ACKs come every 4.17728 us, so the timer never expires.
#[test]
fn a_timer_that_is_put_off_does_not_expire() {
    for enforcement in [Enforcement::PerQp, Enforcement::PerPair] {
        for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
            let mut network = Network::new(star(3));
            network.config.nic.enforcement = enforcement;
            network.path = path;
            let early = Arc::<Mutex<Vec<Time>>>::default();
            let controllers = With(|_: &Flow| {
                let (due, early) = (Time::from_us(5), Arc::clone(&early));
                Box::new(Deferred { due, early }) as Box<dyn FlowController>
            });
            let outcome = network.run(&[flow(0, 0, 1, 20_000)], &controllers);
            assert_eq!(outcome.fct(0), Time::from_ps(4_177_280) * 20);
            assert_eq!(*early.lock().unwrap(), [], "{enforcement:?}, {path:?}");
        }
    }
}
