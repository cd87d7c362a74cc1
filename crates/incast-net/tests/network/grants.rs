//! Limits by sequence number: flows send as far as their controllers have grants.

use incast_cc::{Ack, CongestionControl, FlowController, Needs, SendLimit};
use incast_net::{
    AckPolicy, Controllers, DropConfig, Enforcement, ExecutionPath, Flow, FlowControl, RecoveryKind,
};
use incast_units::{Bytes, Rate, Time};

use crate::listener::Listener;
use crate::support::{Network, Outcome, flow, star};

/// The first grant, each later grant, and the time between grants.
#[derive(Copy, Clone)]
struct Grants {
    first: u64,
    each: u64,
    every: Time,
}

impl Grants {
    /// Four packets, then two packets every 10 us.
    const SLOW: Self = Self {
        first: 4_000,
        each: 2_000,
        every: Time::from_us(10),
    };
    /// All at once.
    const ALL: Self = Self {
        first: u64::MAX - 1,
        each: 0,
        every: Time::from_us(10),
    };
}

/// A controller that grants its flow more and more, until the whole flow is granted.
#[derive(Clone)]
struct Granting {
    grants: Grants,
    size: Bytes,
    granted: u64,
    timer: Time,
}

impl CongestionControl for Granting {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn next_timer(&self) -> Option<Time> {
        (self.granted < self.size.as_u64()).then_some(self.timer)
    }

    fn on_timer(&mut self, _now: Time) {
        self.granted += self.grants.each;
        self.timer += self.grants.every;
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            until: self.granted,
            ..SendLimit::paced(Rate::from_gbps(100))
        }
    }
}

impl Controllers for Grants {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        Box::new(Granting {
            grants: *self,
            size: flow.size,
            granted: self.first,
            timer: flow.start + self.every,
        })
    }

    fn needs(&self) -> Needs {
        Needs {
            timers: true,
            sequence_limit: true,
            ..Needs::default()
        }
    }
}

/// Networks of three hosts for every execution path, with both kinds of recovery.
fn networks() -> impl Iterator<Item = Network> {
    let paths = [ExecutionPath::Plain, ExecutionPath::Fast];
    let kinds = [RecoveryKind::GoBackN, RecoveryKind::Selective];
    let both = paths
        .into_iter()
        .flat_map(move |path| kinds.map(|kind| (path, kind)));
    both.map(|(path, kind)| {
        let mut network = Network::new(star(3));
        network.path = path;
        network.config.recovery.kind = kind;
        network
    })
}

/// A packet of 1000 B has 1048 B on the wire, which take 83.84 ns at 100 Gb/s.
#[test]
fn packets_wait_for_their_grants() {
    let packet = 83_840;
    let bursts = [(0, 4), (10, 2), (20, 2), (30, 1)];
    let expected: Vec<(Time, bool)> = bursts
        .into_iter()
        .flat_map(|(us, count)| (0..count).map(move |place| (us, place)))
        .map(|(us, place)| (Time::from_us(us) + Time::from_ps(place * packet), false))
        .collect();
    for network in networks() {
        let listener = Listener::new(&Grants::SLOW);
        network.run(&[flow(0, 0, 1, 8_500)], &listener);
        assert_eq!(listener.log(0).sent, expected);
    }
}

/// The grant has four packets, and ACKs come for every eight packets, so the fourth packet asks for
/// an ACK. The ACK comes after 3·83 840 + 2·(83 840 + 4 800) + 4 000 000 ps. The ACKs of later
/// pairs follow the same formula.
#[test]
fn the_last_packet_of_a_grant_asks_for_its_ack() {
    for mut network in networks() {
        network.config.acks = AckPolicy::Packets(8);
        let listener = Listener::new(&Grants::SLOW);
        let outcome = network.run(&[flow(0, 0, 1, 8_000)], &listener);
        let acks = listener.log(0).acks;
        let seen: Vec<_> = acks
            .iter()
            .map(|ack| (ack.time, ack.next_expected))
            .collect();
        let ack =
            |us, packets: u64| Time::from_us(us) + Time::from_ps(4_177_280 + packets * 83_840);
        assert_eq!(seen, [(ack(0, 3), 4_000), (ack(10, 1), 6_000)]);
        assert_eq!(outcome.fct(0), ack(20, 1));
    }
}

fn lossy(path: ExecutionPath, kind: RecoveryKind) -> Network {
    let drop = DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::new(5_000),
    };
    let mut network = Network::new(star(5)).with_flow_control(FlowControl::Drop(drop));
    network.path = path;
    network.config.recovery.kind = kind;
    network
}

fn incast(network: &Network, controllers: &dyn Controllers) -> Outcome {
    let flows: Vec<_> = (0..4).map(|host| flow(host, host, 4, 40_000)).collect();
    network.run(&flows, controllers)
}

/// Lost packets are retransmitted, because they are within the grant. All execution paths agree.
#[test]
fn lost_packets_are_within_the_grant() {
    for kind in [RecoveryKind::GoBackN, RecoveryKind::Selective] {
        let [plain, fast] = [ExecutionPath::Plain, ExecutionPath::Fast].map(|path| {
            let outcome = incast(
                &lossy(path, kind),
                &Grants {
                    first: 20_000,
                    ..Grants::SLOW
                },
            );
            assert!(outcome.retransmitted() > 0);
            outcome.flows
        });
        assert_eq!(plain, fast);
    }
}

/// A grant of the whole flow is no limit.
#[test]
fn a_grant_of_all_limits_nothing() {
    for kind in [RecoveryKind::GoBackN, RecoveryKind::Selective] {
        for path in [ExecutionPath::Plain, ExecutionPath::Fast] {
            let network = lossy(path, kind);
            let granted = incast(&network, &Grants::ALL);
            let free = incast(&network, &network.uncontrolled());
            assert_eq!(granted.flows, free.flows);
        }
    }
}

#[test]
fn flows_that_share_a_controller_have_no_sequence_number_in_common() {
    let mut network = Network::new(star(3));
    network.config.nic.enforcement = Enforcement::PerPair;
    let error = network.try_run(&[flow(0, 0, 1, 8_000)], &Grants::SLOW);
    let told = error.expect_err("refused").to_string();
    assert!(told.contains("by sequence number"), "{told}");
}
