//! The time and the results of a network that has no more events.

use arrow_array::types::UInt64Type;
use incast_sim::{HaltAt, LiveNetwork, Results, Stand};
use incast_units::Time;

use super::{
    Draws, LIVE, NETWORKS, SETTINGS, flows, given, listed, live, same, scenario, spec, support,
};

fn to_the_end(net: &mut LiveNetwork) -> Time {
    assert_eq!(
        net.advance(None, HaltAt::Time, &mut ()).unwrap(),
        Stand::Idle
    );
    net.now()
}

/// 1000 B in a packet of 1090 B, and an ACK of 88 B, cross two links of 1 us at 100 Gb/s. That
/// takes 2·(1090 + 88)·80 + 4 000 000 ps, or with a clock of ns 2·(87 + 7) + 4000. The flow's
/// retransmission timer is much later, and the time window of the engine ends at 5 us; neither
/// moves the end.
#[test]
fn an_idle_network_stands_where_its_last_flow_ended() {
    for (settings, end) in [
        ("", 4_188_480),
        ("flow_control = \"none\"\n", 4_188_480),
        ("recovery = { timeout = \"1s\" }\n", 4_188_480),
        ("model = { clock = \"nanoseconds\" }\n", 4_188_000),
    ] {
        let network = format!(
            "[network]\ntopology = {{ kind = \"star\", hosts = 3 }}\n{settings}\
             [measure]\nfair_share = \"all\"\nflows = {{ which = \"all\", every = \"2us\" }}\n\
             [cc]\nalgorithm = \"hpcc\"\n"
        );
        let mut net = live(&(network.clone() + LIVE));
        assert_eq!(to_the_end(&mut net), Time::ZERO);
        let mut starts = Vec::new();
        for round in 0..3 {
            let start = Time::from_ps(end) * round;
            assert_eq!(net.now(), start, "{settings}");
            starts.push(given(round, (round + 1) % 3, 1_000, start));
            net.start(starts.last().unwrap(), None).unwrap();
            assert_eq!(to_the_end(&mut net), start + Time::from_ps(end));
            assert_eq!(to_the_end(&mut net), start + Time::from_ps(end));
            let whole = support::results(&spec(&(network.clone() + &listed(&starts))));
            same(&net.results().unwrap(), &whole);
        }
        // With a given time the network stops there.
        let later = net.now() + Time::from_ns(7);
        net.advance(Some(later), HaltAt::Time, &mut ()).unwrap();
        assert_eq!(net.now(), later, "{settings}");
        assert_eq!(to_the_end(&mut net), later, "{settings}");
    }
}

/// Groups of flows, each started when the network is idle. Each time the network ends at the last
/// end of a flow, and has the results of a run of all flows so far.
#[test]
fn groups_of_flows_are_a_run_of_all() {
    for (index, settings) in SETTINGS.iter().enumerate() {
        for (other, network) in NETWORKS.iter().enumerate() {
            if network.contains("ns3") && index > 1 {
                continue;
            }
            let text = scenario(network, settings);
            let mut net = live(&(text.clone() + LIVE));
            let mut draws = Draws((index * 10 + other) as u64);
            let mut all = Vec::new();
            for _ in 0..4 {
                let first = Time::from_ns(net.now().as_ps().div_ceil(1_000));
                for mut flow in flows(&mut draws, 15) {
                    // Flows start at least 1 ns after the last end. At that very moment they would
                    // be answers, which a scenario that lists flows cannot express.
                    flow.start += first + Time::from_ns(1);
                    net.start(&flow, None).unwrap();
                    all.push(flow);
                }
                let now = to_the_end(&mut net);
                let last = net.take_ends().iter().map(|end| end.time).max();
                assert_eq!(last, Some(now), "{text}");
                let whole = support::results(&spec(&(text.clone() + &listed(&all))));
                same(&net.results().unwrap(), &whole);
            }
        }
    }
}

/// A start between two whole ns is rounded in all figures, as in the network.
#[test]
fn figures_reckon_with_the_starts_of_flows() {
    let background = "[[traffic]]\nkind = \"poisson\"\nname = \"bg\"\nsizes = \"2KB\"\n\
                      load = 0.3\nduration = \"10us\"\n";
    let text = scenario("model = { clock = \"nanoseconds\" }\n", "") + background;
    let flow = given(0, 1, 10_000, Time::from_us(5));
    let named = "name = \"own\"\n";
    let listed = listed(&[flow]).replace("flows = [", &format!("{named}flows = ["));
    let whole = support::results(&spec(&(text.clone() + &listed)));
    let mut net = live(&(text + LIVE + named));
    let flow = given(0, 1, 10_000, Time::from_us(5));
    net.start(&flow, None).unwrap();
    to_the_end(&mut net);
    let starts = whole.flows.values::<UInt64Type>("start_ps");
    assert!(starts.into_iter().all(|start| start.is_multiple_of(1_000)));
    same(&net.results().unwrap(), &whole);
}

/// The results of a run that stops at 30 us, and of a live network at 30 us.
fn stopped_and_live(text: &str) -> [Results; 2] {
    let flows =
        || [(0, 1, 10_000), (1, 2, 1_000_000)].map(|(a, b, size)| given(a, b, size, Time::ZERO));
    let stop = "[run]\nstop = \"30us\"\n";
    let stopped = support::results(&spec(&(stop.to_owned() + text + &listed(&flows()))));
    let mut net = live(&(text.to_owned() + LIVE));
    for flow in &flows() {
        net.start(flow, None).unwrap();
    }
    net.advance(Some(Time::from_us(30)), HaltAt::Time, &mut ())
        .unwrap();
    [stopped, net.results().unwrap()]
}

/// One flow is unfinished; the shares of the others are known.
#[test]
fn an_unfinished_network_has_the_tables_of_a_run_that_is_stopped() {
    let [stopped, live] = stopped_and_live(&scenario("", ""));
    assert_eq!(stopped.flows.batches(), live.flows.batches());
    let shares =
        |results: &Results| serde_json::to_value(&results.summary).unwrap()["fair_share"].clone();
    assert!(shares(&stopped).is_object());
    assert_eq!(shares(&stopped), shares(&live));
    assert_eq!(stopped.summary.fingerprint, live.summary.fingerprint);
    assert_eq!(
        [&stopped, &live].map(|each| each.summary.flows.finished),
        [1, 1]
    );
}

/// A future fault is not in the results; a fault that has begun is.
#[test]
fn faults_to_come_are_not_in_the_fingerprint() {
    let fault = |from: &str| {
        let text = scenario("", "[[fault]]\n") + "kind = \"down\"\nlinks = [\"host 2\"]\n";
        format!("{text}from = \"{from}\"\nuntil = \"2ms\"\n")
    };
    let rows = |results: &Results| results.faults.as_ref().map_or(0, |table| table.rows());
    for (from, begun) in [("1ms", 0), ("20us", 1)] {
        let [stopped, live] = stopped_and_live(&fault(from));
        assert_eq!([&stopped, &live].map(rows), [begun, begun], "{from}");
        assert_eq!(stopped.flows.batches(), live.flows.batches());
        assert_eq!(
            stopped.summary.fingerprint, live.summary.fingerprint,
            "{from}"
        );
    }
}

/// The timer of a completed flow does not extend the series: 100 KB arrive within 13 us, and
/// samples are 10 us apart.
#[test]
fn series_end_with_the_last_flow() {
    let run = |recovery: &str| {
        let text = format!(
            "[network]\ntopology = {{ kind = \"star\", hosts = 3 }}\n{recovery}\
             [measure]\nflows = {{ which = \"all\", every = \"10us\" }}\n\
             queues = {{ ports = \"all\", every = \"10us\" }}\n"
        );
        support::results(&spec(
            &(text + &listed(&[given(0, 1, 100_000, Time::ZERO)])),
        ))
    };
    let [alone, timed] = ["", "recovery = { timeout = \"1s\" }\n"].map(run);
    let times = timed.series.values::<UInt64Type>("time_ps");
    assert_eq!(times.max(), Some(10_000_000));
    assert_eq!(timed.series.batches(), alone.series.batches());
}
