//! Scenarios from text to a network that can run. Messages are in [`messages`].

mod canonical;
mod cc;
mod graphs;
mod messages;
mod mixed;
mod mutations;
mod rtts;
mod uet_htsim;

use incast_diagnostic::Diagnostic;
use incast_net::{
    CnpConfig, Contention, DropConfig, Explicit, FlowControl, HeaderService, Headroom, IntSource,
    Model, PfcThreshold, PortBufferConfig, PortLimit, RecoveryKind, Ties, TimingErrors,
    TraceConfig, TrimmingConfig,
};
use incast_signals::EcnCurve;
use incast_units::{Bytes, FlowId, Rate, Time};

use super::*;

/// 16 × 1 MB to host 16; two flows start every 20 us.
const STAR: &str = r#"
[network]
topology = "star"

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "incast"
senders = "0-15"
receiver = 16
sizes = "1MB"
stagger = { group = 2, every = "20us" }
"#;

fn source(text: &str) -> Source {
    Source::from_text("run.toml", text)
}

fn with(text: &str, overrides: &[(&str, &str)]) -> Result<ValidSpec, Diagnostic> {
    let overrides: Vec<_> = overrides
        .iter()
        .map(|(key, value)| Override::new(*key, *value))
        .collect();
    Spec::parse(&source(text), &overrides).and_then(Spec::validate)
}

/// The star with these overrides.
fn star(overrides: &[(&str, &str)]) -> ValidSpec {
    with(STAR, overrides).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_is_left_out_has_a_default() {
    let spec = star(&[]);
    assert_eq!((spec.name(), spec.seed(), spec.stop()), ("run", 1, None));
    assert_eq!(spec.profile(), Profile::Default);
    assert_eq!(spec.algorithm_name(), "hpcc");
    let network = spec.network();
    assert_eq!(network.model, Model::standard());
    assert_eq!(network.buffer.size, Bytes::new(32 * 1024 * 1024));
    assert_eq!(network.ecn, None);
    assert_eq!(network.cnp, CnpConfig::Off);
    assert_eq!(network.recovery.timeout, None);
    let FlowControl::Pfc(pfc) = &network.flow_control else {
        panic!("{network:?}")
    };
    assert_eq!(pfc.threshold, PfcThreshold::Dynamic { shift: 3 });
    assert_eq!(pfc.headroom, Headroom::WorstCase);
}

/// HPCC needs INT; data takes 1000 + 48 + 42 bytes.
#[test]
fn what_the_algorithm_needs_is_switched_on() {
    let hpcc = star(&[]);
    assert_eq!(hpcc.network().int, IntSource::Data);
    assert_eq!(hpcc.wire_size(Bytes::new(1000)), Bytes::new(1090));
    let none = star(&[("cc.algorithm", "none")]);
    assert_eq!(none.network().int, IntSource::Off);
    assert_eq!(none.wire_size(Bytes::new(1000)), Bytes::new(1048));
}

/// INT units of 4 · 128 and 4 · 80 bytes at 100 Gb/s.
#[test]
fn the_artifact_profile_is_the_artifact() {
    let spec = star(&[("network.profile", "hpcc-ns3")]);
    let network = spec.network();
    assert_eq!(network.model, Model::hpcc_ns3(4, false));
    assert_eq!(network.packets.pfc_frame, Bytes::new(43));
    let FlowControl::Pfc(pfc) = &network.flow_control else {
        panic!("{network:?}")
    };
    assert_eq!(pfc.headroom, Headroom::RateDelay(3));
}

#[test]
fn every_choice_of_a_profile_can_be_changed() {
    let spec = star(&[
        ("network.profile", "hpcc-ns3"),
        ("network.model.clock", "picoseconds"),
        ("network.model.ties", "port"),
        ("network.model.ecmp", "mixed"),
        ("network.model.ack_class", "control"),
        ("network.model.ack_pausable_at_host", "false"),
        ("network.model.int_format", "{ multiplier = 1 }"),
        ("network.model.nic_scheduler", "round-robin"),
    ]);
    assert_eq!(spec.network().model, Model::standard());
}

#[test]
fn links_follow_the_scenario() {
    let spec = star(&[
        ("network.topology", "clos-320"),
        ("network.link_delay", "2us"),
        ("network.link_rate", "200Gbps"),
    ]);
    let links = &spec.topology().links;
    assert!(links.iter().all(|link| link.delay == Time::from_us(2)));
    let rates: Vec<_> = [0, 320].map(|link: usize| links[link].rate).into();
    assert_eq!(rates, [Rate::from_gbps(200), Rate::from_gbps(800)]);
}

/// 17 ports are at most 64 and 16 flows at most 256, so all are recorded one by one.
#[test]
fn small_networks_are_measured_one_by_one() {
    let spec = star(&[]);
    let measure = spec.measure();
    assert_eq!(measure.queue_interval, Some(Time::from_us(1)));
    // Ports 0 to 16 are those of the hosts.
    assert_eq!(measure.queue_ports, (17..34).collect::<Vec<_>>());
    assert_eq!(measure.flow_interval, Some(Time::from_us(10)));
    assert!(measure.flows && measure.pauses && spec.fair_share());
}

/// 56 switches of 20, 8 and 5 ports have 20·20 + 20·8 + 16·5 = 640 ports.
#[test]
fn large_networks_are_measured_as_a_whole() {
    let spec = star(&[("network.topology", "clos-320")]);
    assert_eq!(spec.measure().queue_ports, Vec::<u32>::new());
    assert_eq!(spec.measure().queue_interval, Some(Time::from_us(1)));
    let all = star(&[
        ("network.topology", "clos-320"),
        ("measure.queues.ports", "all"),
    ]);
    assert_eq!(all.measure().queue_ports.len(), 640);
}

/// Shares of max-min fair rates take long to compute for many flows. They are computed only on
/// request, and never where the scenario says no.
#[test]
fn shares_are_reckoned_of_few_flows() {
    let many = ("traffic.0.rounds", "{ count = 17, every = \"1ms\" }");
    assert!(!star(&[many]).fair_share());
    assert!(star(&[many, ("measure.fair_share", "all")]).fair_share());
    assert!(!star(&[("measure.fair_share", "none")]).fair_share());
}

#[test]
fn ports_go_by_the_names_that_results_print() {
    for (ports, expected) in [
        ("[\"switch 17 port 16\"]", vec![33]),
        (
            "[\"switch 17 port 16 → host 16\", \"switch 17 port 0\"]",
            vec![17, 33],
        ),
        ("[\"switch 17\"]", (17..34).collect()),
        ("none", vec![]),
    ] {
        let spec = star(&[("measure.queues.ports", ports)]);
        assert_eq!(spec.measure().queue_ports, expected, "{ports}");
    }
}

#[test]
fn packets_are_traced_if_asked_for() {
    assert_eq!(star(&[]).measure().packets, None);
    assert_eq!(
        star(&[("measure.packets", "false")]).measure().packets,
        None
    );
    let everything = TraceConfig {
        causes: false,
        ports: None,
        flows: None,
        from: Time::ZERO,
        until: Time::MAX,
        limit: 10_000_000,
    };
    for all in ["true", "{}", "{ ports = \"all\", flows = \"all\" }"] {
        let spec = star(&[("measure.packets", all)]);
        assert_eq!(spec.measure().packets, Some(everything.clone()), "{all}");
    }
    let spec = star(&[
        (
            "measure.packets.ports",
            "[\"switch 17 port 16\", \"host 3\", \"host 3 port 0\"]",
        ),
        ("measure.packets.flows", "[7, 2, 7]"),
        ("measure.packets.causes", "true"),
        ("measure.packets.from", "1us"),
        ("measure.packets.until", "1ms"),
        ("measure.packets.limit", "5000"),
    ]);
    let some = TraceConfig {
        causes: true,
        ports: Some(vec![3, 33]),
        flows: Some(vec![FlowId(2), FlowId(7)]),
        from: Time::from_us(1),
        until: Time::from_ms(1),
        limit: 5000,
    };
    assert_eq!(spec.measure().packets, Some(some));
}

/// A trace is part of a scenario's identity in any spelling; the absence of a trace is not.
#[test]
fn a_trace_is_part_of_the_canonical_form() {
    let toml = |packets| star(&[("measure.packets", packets)]).to_toml();
    assert_eq!(toml("false"), star(&[]).to_toml());
    assert_eq!(toml("true"), toml("{ limit = 10000000 }"));
    let expected = "\
[measure.packets]
ports = \"all\"
flows = \"all\"
causes = false
from = \"0s\"
limit = 10000000
";
    assert!(toml("true").contains(expected), "{}", toml("true"));
}

#[test]
fn traffic_is_opened_with_the_seed() {
    let flows: Vec<_> = star(&[]).flows().unwrap().map(Result::unwrap).collect();
    assert_eq!(flows.len(), 16);
    assert_eq!(flows[15].start, Time::from_us(140));
    assert!(
        flows
            .iter()
            .all(|flow| flow.tag == 0 && flow.size == Bytes::new(1_000_000))
    );
}

#[test]
fn a_network_may_drop() {
    let spec = star(&[
        ("network.flow_control", "none"),
        ("network.drop.alpha", "8"),
    ]);
    let network = spec.network();
    let drop = DropConfig::Shared {
        alpha: 8.0,
        queue_limit: Bytes::new(32 * 1024 * 1024),
    };
    assert_eq!(network.flow_control, FlowControl::Drop(drop));
    assert_eq!(network.recovery.timeout, Some(Time::from_ms(1)));
}

/// Ties by hash do not change the clock or the random numbers of marking.
#[test]
fn ties_may_go_by_hash() {
    let model = star(&[("network.model.ties", "hash")])
        .network()
        .model
        .clone();
    let standard = Model::standard();
    assert_eq!(
        model,
        Model {
            ties: Ties::Hash,
            ..standard
        }
    );
}

/// Jitter and clock errors are off by default; each kind of node may have jitter alone.
#[test]
fn packets_may_be_late_and_clocks_slow() {
    let errors = |settings: &[_]| star(settings).network().timing_errors;
    assert_eq!(errors(&[]), TimingErrors::default());
    let late = ("network.jitter.nic", "5ns");
    let expected = TimingErrors {
        nic_jitter: Time::from_ns(5),
        ..TimingErrors::default()
    };
    assert_eq!(errors(&[late]), expected);
    let both = [
        late,
        ("network.jitter.switch", "1500ps"),
        ("network.clock_ppm", "100"),
    ];
    let expected = TimingErrors {
        switch_jitter: Time::from_ps(1_500),
        clock_ppm: 100,
        ..expected
    };
    assert_eq!(errors(&both), expected);
}

/// By default the last place goes to a random one of the packets that ask for it; profiles of other
/// simulators have their own rule.
#[test]
fn the_profile_decides_which_packet_is_dropped() {
    let none = ("network.flow_control", "none");
    let artifact = ("network.profile", "hpcc-ns3");
    let tail = ("network.drop.contention", "tail");
    let contention = |settings: &[_]| star(settings).network().contention;
    assert_eq!(contention(&[none]), Contention::Random);
    assert_eq!(contention(&[none, artifact]), Contention::Tail);
    assert_eq!(contention(&[none, tail]), Contention::Tail);
    let random = ("network.drop.contention", "random");
    assert_eq!(contention(&[none, artifact, random]), Contention::Random);
    let (trims, coin) = (
        ("network.drop.trimming", "{}"),
        ("network.drop.contention", "coin"),
    );
    assert_eq!(contention(&[none, trims]), Contention::Tail);
    assert_eq!(contention(&[none, trims, coin]), Contention::Coin);
    assert_eq!(contention(&[none, coin]), Contention::Coin);
}

/// Defaults of the Ultra Ethernet Specification: data queues of one BDP, 1.5 BDPs at the last hop,
/// header queues of one BDP with a quarter of the bytes. Without trimming, queues have 5 BDPs.
/// NACKs report losses.
#[test]
fn trimming_has_the_sizes_of_the_specification() {
    let none = ("network.flow_control", "none");
    let spec = star(&[none, ("network.drop.trimming", "{}")]);
    let rtt = spec.base_rtts.largest.rtt;
    let FlowControl::Drop(DropConfig::PerPort(ports)) = &spec.network().flow_control else {
        panic!("ports have buffers of their own");
    };
    let expected = PortBufferConfig {
        queue_limit: PortLimit::Time(rtt),
        last_hop_queue_limit: PortLimit::Time(Time::from_ps(rtt.as_ps() * 3 / 2)),
        trimming: Some(TrimmingConfig {
            header: Bytes::new(64),
            header_queue: PortLimit::Time(rtt),
            service: HeaderService::Quarter,
        }),
    };
    assert_eq!(*ports, expected);
    let recovery = &spec.network().recovery;
    assert_eq!(recovery.kind, RecoveryKind::Selective);
    assert_eq!(recovery.loss_detection, Explicit {}.into());
    let own = star(&[none, ("network.drop.sharing", "per-port")]);
    let limit = PortLimit::Time(rtt * 5);
    let drop = DropConfig::PerPort(PortBufferConfig::of(limit));
    assert_eq!(own.network().flow_control, FlowControl::Drop(drop));
    let one = star(&[
        none,
        ("network.drop.trimming", "{ service = \"10:1\" }"),
        ("network.drop.queue_limit", "20KB"),
    ]);
    let FlowControl::Drop(DropConfig::PerPort(ports)) = &one.network().flow_control else {
        panic!("ports have buffers of their own");
    };
    let limit = PortLimit::Size(Bytes::new(20_000));
    assert_eq!(
        (ports.queue_limit, ports.last_hop_queue_limit),
        (limit, limit)
    );
    let trimming = ports.trimming.as_ref().expect("it trims");
    assert_eq!(trimming.service, HeaderService::TenToOne);
}

#[test]
fn marking_may_be_asked_for() {
    let spec = star(&[("network.ecn.step", "40KB")]);
    let options = spec.network().ecn.as_ref().expect("switches mark");
    let curve = options.curve(Rate::from_gbps(100), Bytes::new(1_048));
    assert_eq!(curve, Some(EcnCurve::step(Bytes::new(40_000))));
}
