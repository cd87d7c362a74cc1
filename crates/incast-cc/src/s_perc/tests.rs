use super::*;
use crate::example::context;

/// A flow of `size` bytes at 100 Gb/s with a BDP of 153 KB.
fn flow(size: u64) -> FlowContext {
    FlowContext {
        line_rate: Rate::from_gbps(100),
        base_window: Bytes::new(153_000),
        size: Bytes::new(size),
        ..context()
    }
}

fn with(parts: &[Part]) -> SPercConfig {
    let mut config = SPercConfig::default();
    parts.iter().for_each(|part| config.add(*part));
    config
}

#[test]
fn flows_of_a_bdp_start_at_once_and_larger_ones_wait() {
    let start = |config: &SPercConfig, size| config.build(&flow(size)).start();
    let config = SPercConfig::default();
    assert_eq!(start(&config, 153_000), Start::AtOnce);
    assert_eq!(start(&config, 153_001), Start::AfterControl);
    let lower = SPercConfig {
        threshold: Some(Bytes::new(10_000)),
        ..config.clone()
    };
    assert_eq!(start(&lower, 10_001), Start::AfterControl);
    let none = SPercConfig {
        exempt: ExemptFlows::None,
        ..config
    };
    assert_eq!(start(&none, 1), Start::AfterControl);
    assert_eq!(start(&with(&[Part::OneRtt]), 1), Start::Speculatively);
}

/// A rate without a window. Gaps start at the scheduled times, even if the link is busy.
fn on_schedule(rate: Rate) -> SendLimit {
    SendLimit {
        pacing: Pacing::OnSchedule,
        ..SendLimit::paced(rate)
    }
}

#[test]
fn the_rate_is_that_of_the_last_control_packet() {
    let mut flow = SPercConfig::default().build(&flow(1_000_000));
    assert_eq!(flow.limit(), on_schedule(Rate::from_gbps(100)));
    for (asked, expected) in [(12, 12), (40, 40), (120, 100)] {
        let reply = ControlReply {
            rate: Rate::from_gbps(asked),
            congestion_point: None,
        };
        flow.on_control(Time::ZERO, &reply);
        assert_eq!(flow.limit(), on_schedule(Rate::from_gbps(expected)));
    }
}

/// A BDP of speculative packets at line rate, then the rate from the control packet.
#[test]
fn speculation_is_limited_to_a_window() {
    let mut flow = with(&[Part::OneRtt]).build(&flow(1_000_000));
    let limit = flow.limit();
    let found = (limit.window, limit.rate);
    assert_eq!(found, (Bytes::new(153_000), Rate::from_gbps(100)));
    let reply = ControlReply {
        rate: Rate::from_gbps(3),
        congestion_point: None,
    };
    flow.on_control(Time::ZERO, &reply);
    assert_eq!(flow.limit(), on_schedule(Rate::from_gbps(3)));
}

#[test]
fn programs_and_control_packets_are_asked_for() {
    let names = |config: &SPercConfig| -> Vec<_> {
        let programs = config.needs().programs;
        programs.iter().map(|request| request.name).collect()
    };
    assert_eq!(names(&SPercConfig::default()), ["s-perc"]);
    let all = with(&[Part::OneRtt, Part::Weights]);
    assert_eq!(names(&all), ["s-perc", "1rc"]);
    // Links take the round and their two shares from the algorithm.
    let links = SPercConfig {
        round: Some(Time::from_us(30)),
        control_share: 0.05,
        headroom: 0.1,
        ..SPercConfig::default()
    };
    let expected = serde_json::json!({ "round": "30us", "control_share": 0.05, "headroom": 0.1 });
    assert_eq!(links.needs().programs[0].options, expected);
    let requests = &all.needs().host_programs[0];
    let asked = |key: &str| requests.options[key] == true;
    assert_eq!(requests.name, "rate-requests");
    assert!(["repeats", "weights", "host_demand"].into_iter().all(asked));
    // With weights, the flows of a host share their sequence numbers; without weights they do not.
    let options = |config: &SPercConfig| config.needs().programs[1].options.clone();
    assert_eq!(options(&all)["shared"], true);
    assert_eq!(options(&all)["divided_by"], "epoch-start");
    let alone = options(&with(&[Part::OneRtt]));
    assert_eq!(alone["shared"], false);
    assert_eq!(alone.get("divided_by"), None);
}

#[test]
fn what_cannot_be_is_refused() {
    let default = SPercConfig::default;
    let refused = |config: SPercConfig| config.check().unwrap_err().to_string();
    let rounds = refused(SPercConfig {
        round: Some(Time::ZERO),
        ..default()
    });
    assert!(rounds.contains("round"), "{rounds}");
    let threshold = refused(SPercConfig {
        exempt: ExemptFlows::None,
        threshold: Some(Bytes::new(1)),
        ..default()
    });
    assert!(threshold.contains("no flow is exempt"), "{threshold}");
    let mut epoch = with(&[Part::OneRtt]);
    epoch.one_rtt.as_mut().unwrap().epoch = Some(Time::ZERO);
    assert!(refused(epoch).contains("1rc.epoch"));
}
