//! Live networks, which a program drives. Their results equal those of a scenario with the same
//! flows, wherever the program pauses, and also in a copy of the network.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::types::{UInt32Type, UInt64Type};
use incast_sim::{FlowEnd, HaltAt, LiveNetwork, Results, Source, Stand, ValidSpec};
use incast_units::{Bytes, HostId, Time};
use incast_workload::{GivenFlow, GivenHost};

use crate::support::{self, valid};

mod ends;
const LIVE: &str = "[[traffic]]\nkind = \"live\"\n";

/// Sixteen hosts of a leaf-spine, with all measurements.
const NETWORK: &str = r#"
[network]
topology = { kind = "leaf-spine", leaves = 4, spines = 2, hosts_per_leaf = 4 }
[measure]
queues = { ports = "all", every = "1us" }
flows = { which = "all", every = "2us" }
fair_share = "all"
"#;

/// The scenario of this text, under HPCC unless the text names an algorithm.
fn spec(text: &str) -> ValidSpec {
    let cc = match text.contains("[cc]") {
        true => "",
        false => "[cc]\nalgorithm = \"hpcc\"\n",
    };
    valid(&Source::from_text("run.toml", text.to_owned() + cc), &[])
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn live(text: &str) -> LiveNetwork {
    LiveNetwork::new(Arc::new(spec(text))).unwrap_or_else(|error| panic!("{error}"))
}

/// Random numbers for a test.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn given(source: u64, destination: u64, size: u64, start: Time) -> GivenFlow {
    GivenFlow {
        source: GivenHost::Number(HostId(source as u32)),
        destination: GivenHost::Number(HostId(destination as u32)),
        size: Bytes::new(size),
        start,
    }
}

/// Random flows in order of start, with starts at whole ns.
fn flows(draws: &mut Draws, count: u64) -> Vec<GivenFlow> {
    let mut flows: Vec<GivenFlow> = (0..count)
        .map(|_| {
            let source = draws.below(16);
            let destination = (source + 1 + draws.below(15)) % 16;
            let largest = 8 << draws.below(14);
            let size = 1 + draws.below(largest);
            given(
                source,
                destination,
                size,
                Time::from_ns(draws.below(40_000)),
            )
        })
        .collect();
    flows.sort_by_key(|flow| flow.start);
    flows
}

fn listed(flows: &[GivenFlow]) -> String {
    let mut text = "[[traffic]]\nkind = \"flows\"\nflows = [\n".to_owned();
    for flow in flows {
        let (GivenHost::Number(source), GivenHost::Number(destination)) =
            (&flow.source, &flow.destination)
        else {
            unreachable!("hosts are numbers here");
        };
        let (size, start) = (flow.size.as_u64(), flow.start.as_ps());
        let _ = writeln!(
            text,
            "{{ source = {}, destination = {}, size = \"{size}B\", start = \"{start}ps\" }},",
            source.0, destination.0
        );
    }
    text + "]\n"
}

/// Compares all results but the run's cost, its identity, and whether a program drove it.
fn same(one: &Results, other: &Results) {
    assert_eq!(one.summary.fingerprint, other.summary.fingerprint);
    assert_eq!(one.flows.batches(), other.flows.batches());
    assert_eq!(one.series.batches(), other.series.batches());
    assert_eq!(one.ports.batches(), other.ports.batches());
    let figures = |results: &Results| {
        let mut summary = serde_json::to_value(&results.summary).unwrap();
        let object = summary.as_object_mut().unwrap();
        for key in [
            "identity",
            "wall_seconds",
            "cpu_seconds",
            "packet_hops_per_cpu_second",
        ] {
            assert!(object.remove(key).is_some(), "{key}");
        }
        object.remove("live");
        summary
    };
    assert_eq!(figures(one), figures(other));
}

/// Starts each flow at some random moment before its start time, and advances by random steps, to a
/// time or to the next end of a flow.
fn drive(net: &mut LiveNetwork, flows: &[GivenFlow], draws: &mut Draws, ends: &mut Vec<FlowEnd>) {
    let mut left = flows;
    loop {
        let now = net.now();
        let until = now + Time::from_ps(draws.below(1_000_000) * (1 + draws.below(8)));
        let next = left.first().map(|flow| flow.start);
        // A flow must be given to the network before simulated time passes its start.
        while let Some(flow) = left.first()
            && (flow.start < until || draws.below(4) == 0)
        {
            net.start(flow, None).unwrap();
            left = &left[1..];
        }
        let at = match draws.below(2) {
            0 => HaltAt::FlowEnd,
            _ => HaltAt::Time,
        };
        let stand = net.advance(Some(until), at, &mut ()).unwrap();
        match stand {
            Stand::Reached => assert_eq!(net.now(), until),
            Stand::FlowEnds => {
                assert!(at == HaltAt::FlowEnd && net.now() < until && net.now() >= now)
            }
            Stand::Idle if left.is_empty() => {}
            Stand::Idle => assert!(next.is_none_or(|next| next >= now)),
            other => panic!("{other:?}"),
        }
        let news = net.take_ends();
        if stand == Stand::FlowEnds {
            assert!(news.iter().any(|end| end.time == net.now()));
        }
        ends.extend(news);
        if stand == Stand::Idle && left.is_empty() {
            return;
        }
    }
}

/// Settings under which hosts and switches behave differently.
const SETTINGS: [&str; 8] = [
    "[cc]\nalgorithm = \"hpcc\"\n",
    "[cc]\nalgorithm = \"swift\"\n",
    "[cc]\nalgorithm = \"dcqcn\"\n[nic]\nqps = \"persistent\"\n",
    "[cc]\nalgorithm = \"fncc\"\n",
    "[cc]\nalgorithm = \"s-perc\"\n",
    "[cc]\nalgorithm = \"dctcp\"\n[nic]\nenforcement = \"per-destination\"\n",
    "[cc]\nalgorithm = \"hpcc\"\n[[fault]]\nkind = \"loss\"\nlinks = [\"host 3\"]\n\
     probability = 0.01\n\
     [[fault]]\nkind = \"down\"\nlinks = [\"host 9\"]\nfrom = \"10us\"\nuntil = \"22us\"\n",
    "[cc]\nalgorithm = \"none\"\n",
];

/// Settings of the section `[network]`, which come before others. The last one uses another engine,
/// and runs with HPCC and Swift only.
const NETWORKS: [&str; 5] = [
    "",
    "flow_control = \"none\"\nbuffer = { size = \"60KB\" }\n\
     recovery = { kind = \"selective\", timeout = \"100us\" }\n",
    "flow_control = \"none\"\nbuffer = { size = \"60KB\" }\nrecovery = { timeout = \"100us\" }\n",
    "model = { clock = \"nanoseconds\" }\n",
    "profile = \"hpcc-ns3\"\n",
];

fn scenario(network: &str, settings: &str) -> String {
    let network = NETWORK.replace("[measure]", &format!("{network}[measure]"));
    match settings.contains("[[fault]]") {
        true => network.replace("fair_share = \"all\"\n", "") + settings,
        false => network + settings,
    }
}

/// Sets of flows for each pair of settings.
const SEEDS: u64 = 4;

#[test]
fn a_driven_network_is_a_run_of_the_same_flows() {
    for (index, settings) in SETTINGS.iter().enumerate() {
        for (other, network) in NETWORKS.iter().enumerate() {
            if network.contains("ns3") && index > 1 {
                continue;
            }
            for seed in 0..SEEDS {
                let text = scenario(network, settings);
                let mut draws = Draws(seed * 100 + (index * 10 + other) as u64);
                let flows = flows(&mut draws, 120);
                let whole = support::results(&spec(&(text.clone() + &listed(&flows))));
                let mut net = live(&(text + LIVE));
                let mut ends = Vec::new();
                drive(&mut net, &flows, &mut draws, &mut ends);
                told_all(&whole, &ends);
                let results = net.results().unwrap_or_else(|error| panic!("{error}"));
                same(&results, &whole);
            }
        }
    }
}

/// Checks that the program was told of every flow twice: when it was received, and when it was
/// acknowledged, at the time in the results.
fn told_all(results: &Results, ends: &[FlowEnd]) {
    let flows = results.flows.values::<UInt32Type>("flow_id");
    let starts = results.flows.values::<UInt64Type>("start_ps");
    let times = results.flows.values::<UInt64Type>("fct_ps");
    for ((flow, start), fct) in flows.zip(starts).zip(times) {
        let of_flow = ends.iter().filter(|end| end.flow == u64::from(flow));
        let of_flow: Vec<_> = of_flow.map(|end| (end.is_acknowledged, end.time)).collect();
        let [(false, received), (true, acknowledged)] = of_flow[..] else {
            panic!("flow {flow}: {of_flow:?}");
        };
        assert_eq!(acknowledged.as_ps(), start + fct, "flow {flow}");
        assert!(received < acknowledged && received.as_ps() > start);
    }
}

/// A copy behaves as the network does, and neither disturbs the other.
#[test]
fn a_copy_goes_on_alike() {
    for settings in SETTINGS {
        let text = scenario("", settings);
        let mut draws = Draws(7);
        let flows = flows(&mut draws, 60);
        let (first, later) = flows.split_at(30);
        let whole = support::results(&spec(&(text.clone() + &listed(&flows))));
        let mut net = live(&(text + LIVE));
        for flow in first {
            net.start(flow, None).unwrap();
        }
        let middle = later[0].start.saturating_sub(Time::from_ps(1));
        net.advance(Some(middle), HaltAt::Time, &mut ()).unwrap();
        let (mut copy, mut abandoned) = (net.copy().unwrap(), net.copy().unwrap());
        abandoned
            .start(&given(3, 5, 1_000_000, net.now()), None)
            .unwrap();
        abandoned.advance(None, HaltAt::Time, &mut ()).unwrap();
        for each in [&mut net, &mut copy] {
            drive(each, later, &mut draws, &mut Vec::new());
        }
        for each in [net, copy] {
            same(&each.results().unwrap(), &whole);
        }
    }
}

/// Ping-pong between hosts 0 and 5: each answer starts when the message has arrived. The times
/// equal those of a scenario with such tasks, to the picosecond.
#[test]
fn an_answer_starts_when_the_message_is_there() {
    let network = NETWORK.replace("fair_share = \"all\"\n", "") + "[cc]\nalgorithm = \"hpcc\"\n";
    let tasks = r#"
[[traffic]]
kind = "tasks"
hosts = [0, 5]
tasks = [
    { rank = 0, send = 1, size = "20KB" },
    { id = "first", rank = 1, receive = 0, size = "20KB" },
    { rank = 1, send = 0, size = "3KB", after = ["first"] },
    { id = "second", rank = 0, receive = 1, size = "3KB" },
    { rank = 0, send = 1, size = "70KB", after = ["second"], tag = 1 },
    { rank = 1, receive = 0, size = "70KB", tag = 1 },
]
"#;
    let whole = support::results(&spec(&(network.clone() + tasks)));
    let mut net = live(&(network + LIVE));
    net.start(&given(0, 5, 20_000, Time::ZERO), None).unwrap();
    let (mut sizes, mut turn) = ([3_000, 70_000].into_iter(), 0);
    while net.advance(None, HaltAt::FlowEnd, &mut ()).unwrap() == Stand::FlowEnds {
        for end in net.take_ends() {
            if !end.is_acknowledged
                && let Some(size) = sizes.next()
            {
                assert_eq!((end.flow, end.time), (turn, net.now()));
                turn += 1;
                let (source, destination) = if turn % 2 == 1 { (5, 0) } else { (0, 5) };
                net.start(&given(source, destination, size, net.now()), None)
                    .unwrap();
            }
        }
    }
    let results = net.results().unwrap();
    let times =
        |results: &Results| -> Vec<u64> { results.flows.values::<UInt64Type>("fct_ps").collect() };
    let starts = |results: &Results| -> Vec<u64> {
        results.flows.values::<UInt64Type>("start_ps").collect()
    };
    assert_eq!(times(&results), times(&whole));
    assert_eq!(starts(&results), starts(&whole));
}

/// Flows of the scenario itself are not reported to the program, and a copy generates them again.
#[test]
fn traffic_of_the_scenario_goes_on_by_itself() {
    let text = NETWORK.to_owned()
        + "[[traffic]]\nkind = \"poisson\"\nsizes = \"20KB\"\nload = 0.3\nduration = \"30us\"\n";
    let flows = flows(&mut Draws(3), 20);
    let whole = support::results(&spec(&(text.clone() + &listed(&flows))));
    let mut net = live(&(text + LIVE));
    let mut ends = Vec::new();
    drive(&mut net, &flows[..5], &mut Draws(1), &mut ends);
    assert_eq!(ends.len(), 10);
    let mut net = live(
        &(NETWORK.to_owned()
            + "[[traffic]]\nkind = \"poisson\"\nsizes = \"20KB\"\nload = 0.3\nduration = \"30us\"\n"
            + LIVE),
    );
    for flow in &flows {
        net.start(flow, None).unwrap();
    }
    net.advance(Some(Time::from_us(11)), HaltAt::Time, &mut ())
        .unwrap();
    let mut copy = net.copy().unwrap();
    for each in [&mut net, &mut copy] {
        assert_eq!(
            each.advance(None, HaltAt::Time, &mut ()).unwrap(),
            Stand::Idle
        );
    }
    for each in [net, copy] {
        assert_eq!(
            each.results().unwrap().summary.fingerprint,
            whole.summary.fingerprint
        );
    }
}

/// The results are taken before all flows have completed.
#[test]
fn results_of_an_unfinished_network() {
    let mut net = live(&(NETWORK.to_owned() + LIVE));
    net.start(&given(0, 5, 1_000_000, Time::ZERO), None)
        .unwrap();
    net.start(&given(0, 9, 1_000_000, Time::from_ms(1)), None)
        .unwrap();
    net.advance(Some(Time::from_ps(20_500_001)), HaltAt::Time, &mut ())
        .unwrap();
    let results = net.results().unwrap();
    assert_eq!(results.summary.flows.finished, 0);
    assert_eq!(results.summary.flows.started, 1);
}

#[test]
fn wrong_flows_and_scenarios_are_refused() {
    let mut net = live(&(NETWORK.to_owned() + LIVE));
    net.advance(Some(Time::from_us(3)), HaltAt::Time, &mut ())
        .unwrap();
    assert_eq!(net.now(), Time::from_us(3));
    let mut refusal = |flow: GivenFlow, traffic| net.start(&flow, traffic).unwrap_err().to_string();
    let later = Time::from_us(3);
    let texts = [
        refusal(given(0, 16, 1, later), None),
        refusal(given(4, 4, 1, later), None),
        refusal(given(0, 1, 0, later), None),
        refusal(given(0, 1, 1, Time::from_us(2)), None),
        refusal(given(0, 1, 1, later), Some("alive")),
    ];
    for (text, part) in texts.iter().zip([
        "destination: ",
        "destination: ",
        "size: ",
        "start: 2us has passed: it is 3us; start flows now or later",
        "traffic: no live traffic is called `alive`; name one of live",
    ]) {
        assert!(text.starts_with(part), "{text}");
    }
    let refused = |text: &str| {
        LiveNetwork::new(Arc::new(spec(text)))
            .unwrap_err()
            .to_string()
    };
    let flows = listed(&[given(0, 1, 1000, Time::ZERO)]);
    let ring = "[[traffic]]\nkind = \"all-reduce\"\ndata = \"1MB\"\n";
    for (text, part) in [
        (flows, "traffic: no flows are started by a program"),
        (
            LIVE.to_owned() + "[run]\nstop = \"1ms\"\n",
            "run.stop: a live network goes on",
        ),
        (
            LIVE.to_owned() + ring,
            "traffic[1]: a live network has no task graphs",
        ),
        (
            LIVE.to_owned() + "[attack]\nkind = \"none\"\nattackers = { larger_than = \"1MB\" }\n",
            "attack: a live network has no attack",
        ),
    ] {
        let network = NETWORK.replace("fair_share = \"all\"\n", "");
        let message = refused(&(network + &text));
        assert!(message.contains(part), "{message}");
    }
    let run = incast_sim::run(&spec(&(NETWORK.to_owned() + LIVE)), &mut ());
    let message = run.map(drop).expect_err("a refusal").to_string();
    assert!(
        message.contains("traffic[0].kind: a program starts these flows"),
        "{message}"
    );
}
