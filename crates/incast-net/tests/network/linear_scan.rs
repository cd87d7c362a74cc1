//! The time at which the linear scan of the HPCC artifact's NIC notices that a packet may leave.

use incast_cc::{Ack, CongestionControl, SendLimit};
use incast_net::{Flow, NicScheduler};
use incast_units::{Bytes, Rate, Time};

use crate::listener::Listener;
use crate::support::{Network, With, at, flow, star};

/// A constant rate, and a timer without effect.
#[derive(Clone)]
struct Ticking {
    rate: Rate,
    next: Time,
}

const TICK: Time = Time::from_ns(500);

impl CongestionControl for Ticking {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: Bytes::MAX,
            ..SendLimit::paced(self.rate)
        }
    }

    fn on_timer(&mut self, now: Time) {
        self.next = now + TICK;
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next)
    }
}

/// Flow 0 sends at 1 Gb/s: its second packet is due at 1048 · 8 = 8384 ns. Flow 1 sends its first
/// packet at 100 ns; at 10 Gb/s the second is due 1048 · 0.8 ns later. But the NIC sleeps until
/// 8384 ns, and timers do not wake it. The first ACK wakes it, after 4000 + 2 · 83.84 + 2 · 4.8 ns.
#[test]
fn timers_do_not_wake_a_scan() {
    let second = |scheduler| {
        let mut network = Network::new(star(3));
        network.config.model.nic_scheduler = scheduler;
        let controllers = With(|flow: &Flow| {
            let rate = Rate::from_gbps(if flow.id.0 == 0 { 1 } else { 10 });
            Box::new(Ticking { rate, next: TICK }) as Box<_>
        });
        let listener = Listener::new(&controllers);
        let first = Time::from_ns(100);
        network.run(
            &[flow(0, 0, 1, 2_000), at(first, flow(1, 0, 2, 2_000))],
            &listener,
        );
        let sent = listener.log(1).sent;
        assert_eq!(sent[0], (first, false));
        sent[1].0
    };
    assert_eq!(second(NicScheduler::RoundRobin), Time::from_ps(938_400));
    assert_eq!(second(NicScheduler::LinearScan), Time::from_ps(4_177_280));
}
