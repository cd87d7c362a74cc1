use incast_units::{FlowId, Rate, Time};

use super::*;
use crate::{AlgorithmConfig, Backlog, CongestionControl as _, Credit, Part, Sent};

/// 100 Gb/s and a base RTT of 14.02272 us: the BDP is 175 284 B. Full packets are 4150 B.
fn context() -> FlowContext {
    FlowContext {
        flow: FlowId(0),
        line_rate: Rate::from_gbps(100),
        base_rtt: Time::from_ps(14_022_720),
        base_window: Bytes::new(175_284),
        mtu: Bytes::new(4_086),
        wire_mtu: Bytes::new(4_150),
        size: Bytes::new(5_000_000),
        trims: true,
        seed: 1,
    }
}

fn packet() -> Sent {
    Sent {
        payload: Bytes::new(4_086),
        wire: Bytes::new(4_150),
        next_to_send: 4_086,
        retransmission: false,
    }
}

/// Number of packets that leave before the limit stops the flow.
fn burst(controller: &mut dyn FlowController) -> u64 {
    (0..)
        .take_while(|_| {
            let fits = controller.limit().room >= Bytes::new(4_150);
            if fits {
                controller.on_sent(Time::ZERO, &packet());
            }
            fits
        })
        .count() as u64
}

/// A packet leaves while credit is left: 175 284 B allow ⌈175 284/4150⌉ = 43 packets; 1.5 BDP, 262
/// 926 B, allow ⌈262 926/4150⌉ = 64. A speculative window of 0 allows one packet.
#[test]
fn a_flow_speculates_with_a_bdp_or_with_a_window() {
    let sets = [RcccConfig::default(), RcccConfig::uet_htsim()];
    let bursts = sets.map(|config| burst(&mut *config.build(&context())));
    assert_eq!(bursts, [43, 64]);
    let none = RcccConfig {
        speculative: 0.0,
        ..RcccConfig::default()
    };
    assert_eq!(burst(&mut *none.build(&context())), 1);
}

/// The first ACK ends speculation. 64 quanta, 16 384 B, allow ⌈16 384/4150⌉ = 4 packets, and are
/// overdrawn by 216 B. 64 quanta more allow ⌈16 168/4150⌉ = 4 packets, and are overdrawn by 432 B.
#[test]
fn a_pull_lets_its_bytes_leave() {
    let mut credits = RcccConfig::default().credits(&context());
    credits.end_speculation();
    let line_rate = Rate::from_gbps(100);
    let mut controller = CreditLimited::new(Uncontrolled { line_rate }, credits);
    for (quanta, debt) in [(64, -216.0), (128, -432.0)] {
        let in_all = Some(Bytes::new(quanta * 256));
        let pull = Credit {
            in_all,
            ..Credit::default()
        };
        controller.on_credit(Time::ZERO, &pull);
        assert_eq!(burst(&mut controller), 4);
        let mut credit = None;
        controller.probe(&mut |_, value| credit = Some(value));
        assert_eq!(credit, Some(debt));
    }
    // Overdrawn by 432 B, the flow requests 10 000 + 432 B beyond the 128 quanta granted so far.
    let (left, flows) = (Bytes::new(10_000), 1);
    let wanted = controller.credit_wanted(&Backlog { left, flows });
    assert_eq!(wanted, Bytes::new(128 * 256 + 10_432));
}

#[test]
fn it_needs_credits_of_the_same_unit() {
    let config = RcccConfig {
        pull: Bytes::new(8_192),
        oversubscription: Some(4.0),
        ..RcccConfig::uet_htsim()
    };
    let request = &config.needs().host_programs[0];
    assert_eq!(request.name, "credits");
    let options: CreditOptions =
        serde_json::from_value(request.options.clone()).expect("its options");
    assert_eq!(options.pull, Bytes::new(8_192));
    assert_eq!(options.idle_turns, IdleTurns::OfDemands);
    assert!(options.grants_after_end);
    assert_eq!(options.oversubscription, Some(4.0));
}

/// NSCC with credit: by default a packet leaves if window and credit allow it. The window is 1.5
/// BDP, the initial credit one BDP. Packets trimmed at the last hop do not lower the window.
#[test]
fn nscc_may_need_credit_too() {
    let nscc = AlgorithmConfig::with_parts("nscc", None, &[Part::Credits]).expect("it takes it");
    let mut controller = nscc.build(&context());
    assert_eq!(burst(&mut *controller), 43);
    assert_eq!(
        nscc.needs().host_programs,
        [RcccConfig::default().request()]
    );
    let AlgorithmConfig::Nscc(config) = nscc else {
        unreachable!("it was asked for");
    };
    assert!(config.spares_last_hop);
}

/// The program has the simulator's defaults, except for the options that the specification does not
/// mention.
#[test]
fn defaults_are_those_of_the_program() {
    let request = RcccConfig {
        grants_after_end: true,
        ..RcccConfig::default()
    };
    let program = ProgramRequest::new(&CreditOptions::default());
    assert_eq!(request.request(), program);
}

#[test]
fn a_pull_holds_a_quantum() {
    let wrong = |quantum, pull| {
        let (quantum, pull) = (Bytes::new(quantum), Bytes::new(pull));
        let config = RcccConfig {
            quantum,
            pull,
            ..RcccConfig::default()
        };
        let error = AlgorithmConfig::Rccc(config).check().expect_err("wrong");
        (error.place.key.clone(), error.to_string())
    };
    let (key, told) = wrong(256, 255);
    assert_eq!(key, "pull");
    assert!(
        told.contains("255B is less than one quantum of 256B"),
        "{told}"
    );
    assert_eq!(wrong(0, 255).0, "quantum");
    for ratio in [0.5, 0.0, f64::NAN] {
        let config = RcccConfig {
            oversubscription: Some(ratio),
            ..RcccConfig::default()
        };
        let told = config.check().expect_err("it is refused").to_string();
        assert!(told.contains("oversubscription: `"), "{told}");
    }
}
