//! Balancers in whole networks: all execution paths give the same results under each balancer;
//! feedback has the entropy of the packet that caused it; impossible settings are refused.

use incast_cc::{AlgorithmConfig, DctcpConfig, Needs};
use incast_net::{
    AckPolicy, Balance, BitmapPaths, DropConfig, EntropySkips, Explicit, FlowControl, FreezeSign,
    LegacyReps, MixedPaths, ObliviousPaths, PacketEvent, PacketKind, PassOrder, Plb, RecoveryKind,
    Reordering, Reps, RoundRobinPaths, TimeoutBlame, TraceConfig,
};
use incast_signals::{EcnOptions, MarkingPoint, QueueThreshold};
use incast_units::{Bytes, Time};

use crate::several_paths::{crossing_flows, leaf_spine};
use crate::support::{Network, Outcome, flow};

/// A network with selective repeat that infers no loss from reordering.
fn balanced(balance: impl Into<Balance>) -> Network {
    let mut network = Network::new(leaf_spine());
    network.config.recovery.kind = RecoveryKind::Selective;
    network.config.recovery.loss_detection = Explicit {}.into();
    network.config.balance = balance.into();
    network
}

fn marking(mut network: Network) -> Network {
    let threshold = QueueThreshold::Size(Bytes::new(6_000));
    network.config.ecn = Some(EcnOptions::step(threshold, MarkingPoint::Dequeue));
    network
}

/// All balancers that change paths, with options that reach each of their rules.
fn balancers() -> Vec<Balance> {
    vec![
        RoundRobinPaths { entropies: 7 }.into(),
        ObliviousPaths::default().into(),
        BitmapPaths::default().into(),
        BitmapPaths {
            entropies: 32,
            order: PassOrder::Xor,
            skips: EntropySkips::Penalties,
            timeout_blames: TimeoutBlame::First,
        }
        .into(),
        Reps {
            frozen_for: Time::from_us(20),
            ..Reps::default()
        }
        .into(),
        Reps {
            entropies: 1 << 16,
            freezes_on: FreezeSign::Loss,
            frozen_for: Time::from_us(5),
            exploring: Some(16),
            ..Reps::default()
        }
        .into(),
        LegacyReps::default().into(),
        MixedPaths::default().into(),
        Plb {
            rounds_before_change: 2,
            idle_rounds_before_change: 1,
            pause_after_timeout: Time::from_us(30),
            ..Plb::default()
        }
        .into(),
    ]
}

/// The fast path, the plain path, and one to three threads give the same results. Settings vary
/// losses in small queues, found by timeouts or by reordering, marks, and ACKs for one or three
/// packets.
#[test]
fn any_way_to_compute_a_run_agrees() {
    let flows = crossing_flows(4);
    let mut outcomes = Vec::new();
    for (round, balance) in balancers().into_iter().enumerate() {
        let mut network = marking(balanced(balance));
        network.config.seed = round as u64;
        network.config.acks = AckPolicy::Packets(1 + 2 * (round as u32 % 2));
        if round % 3 == 1 {
            let rule = Reordering {
                packets: 8,
                time: Time::from_us(5),
            };
            network.config.recovery.loss_detection = rule.into();
        }
        network.config.recovery.timeout = Some(Time::from_us(40));
        network = network.with_flow_control(FlowControl::Drop(DropConfig::Shared {
            alpha: 8.0,
            queue_limit: Bytes::new(12_000),
        }));
        let dctcp = AlgorithmConfig::Dctcp(DctcpConfig::default());
        let reference = network.agreed(&flows, &dctcp, round as u64);
        assert!(reference.dropped() > 5, "{round}: {}", reference.dropped());
        outcomes.push(format!("{reference:?}"));
    }
    let different = outcomes.len();
    outcomes.sort_unstable();
    outcomes.dedup();
    assert_eq!(outcomes.len(), different);
}

/// Inside a rack packets stay in order, so packet k has entropy k of 64. The receiver acknowledges
/// every fourth of 50 packets, and the last one, each ACK with the entropy of its packet.
#[test]
fn an_ack_has_the_entropy_of_the_packet_that_caused_it() {
    let mut network = balanced(RoundRobinPaths::default());
    network.config.acks = AckPolicy::Packets(4);
    network.measure.packets = Some(TraceConfig {
        causes: false,
        ports: None,
        flows: None,
        from: Time::ZERO,
        until: Time::MAX,
        limit: 10_000,
    });
    let of_flow = flow(0, 0, 1, 50_000);
    let outcome = network.run(&[of_flow], &network.uncontrolled());
    let trace = outcome.recording.packets.expect("a trace");
    let sent_by = |host: u32, kind| {
        let sent = trace.events.iter().filter(move |event| {
            (event.event, event.kind, event.node.0) == (PacketEvent::Send, kind, host)
        });
        let entropies = sent.map(|event| event.entropy.expect("one of several"));
        let numbers = entropies.map(|entropy| entropy - of_flow.source_port);
        numbers.collect::<Vec<_>>()
    };
    assert!(sent_by(0, PacketKind::Data).into_iter().eq(0..50));
    let acks: Vec<u16> = (0..12).map(|ack| 4 * ack + 3).chain([49]).collect();
    assert_eq!(sent_by(1, PacketKind::Ack), acks);
}

fn slowest(outcome: &Outcome) -> Time {
    let all = outcome.flows.iter().map(|flow| flow.finish - flow.start);
    all.max().expect("flows")
}

/// For some pairs of receivers, two flows of a rack share a link and have half of its rate each,
/// while other links are idle. Alone, 4 MB take 335 us. DCTCP marks a few packets every few RTTs,
/// so here one marked ACK in fifty per RTT is enough to change paths. The flows move to different
/// paths and gain at least a tenth, while they grow by a packet per RTT. No packet is retransmitted
/// because it was overtaken.
#[test]
fn flows_leave_congested_paths() {
    let mut shared = 0;
    for first in 4..16 {
        let flows = [
            flow(0, 0, first, 4_000_000),
            flow(1, 1, first ^ 1, 4_000_000),
        ];
        let run = |balance: Balance| {
            let network = marking(balanced(balance));
            let dctcp = network.algorithm(AlgorithmConfig::Dctcp(DctcpConfig::default()));
            let outcome = network.run(&flows, &dctcp);
            assert_eq!(outcome.retransmitted(), 0);
            slowest(&outcome)
        };
        let plb = Plb {
            congested: 0.02,
            rounds_before_change: 1,
            ..Plb::default()
        };
        let (kept, moving) = (run(Balance::default()), run(plb.into()));
        if kept > Time::from_us(600) {
            shared += 1;
            assert!(moving * 10 < kept * 9, "{first}: {moving:?}, {kept:?}");
        } else {
            assert_eq!(moving, kept);
        }
    }
    assert!((2..10).contains(&shared), "{shared}");
}

/// The error that the check of this network reports.
fn refusal(network: &Network) -> Option<String> {
    let needs = Needs::default();
    let checked = network
        .config
        .check_balance(&network.config.balance, "the algorithm", &needs);
    checked.err().map(|diagnostic| diagnostic.to_string())
}

#[test]
fn plb_needs_its_signal() {
    let mut network = balanced(Plb::default());
    let said = refusal(&network).expect("it is refused");
    assert!(said.contains("no switch marks"), "{said}");
    assert_eq!(refusal(&marking(balanced(Plb::default()))), None);
    let delay = Plb {
        delay: Some(Time::from_us(20)),
        ..Plb::default()
    };
    network.config.balance = delay.into();
    let said = refusal(&network).expect("it is refused");
    assert!(said.contains("write network.timestamps = true"), "{said}");
    network.config.timestamps = true;
    assert_eq!(refusal(&network), None);
}

#[test]
fn what_goes_by_order_is_refused_under_each() {
    for balance in balancers() {
        let mut network = marking(balanced(balance.clone()));
        assert_eq!(refusal(&network), None, "{}", balance.name());
        network.config.recovery.kind = RecoveryKind::GoBackN;
        let said = refusal(&network).expect("it is refused");
        assert!(
            said.contains("write recovery.kind = \"selective\""),
            "{said}"
        );
    }
}

#[test]
fn impossible_options_are_refused() {
    let entropies = 48;
    let xor = ObliviousPaths {
        entropies,
        order: PassOrder::Xor,
    };
    let ring = Reps {
        ring: 0,
        ..Reps::default()
    };
    let none = MixedPaths {
        entropies: 0,
        ..MixedPaths::default()
    };
    let cases: [(Balance, &str); 3] = [
        (xor.into(), "entropies: `48` is not a power of two"),
        (ring.into(), "ring: `0` is out of range"),
        (none.into(), "entropies: `0` is out of range"),
    ];
    for (balance, said) in cases {
        let refused = refusal(&balanced(balance)).expect("it is refused");
        assert!(refused.contains(said), "{refused}");
    }
}
