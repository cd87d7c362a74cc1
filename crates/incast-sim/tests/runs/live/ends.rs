//! Where a network stands when it has nothing left to do, and what its results are there.

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

/// 1000 B in a packet of 1090 B, and an ACK of 88 B, over two links of 1 us at 100 Gb/s:
/// 2·(1090 + 88)·80 + 4 000 000 ps. The retransmission timer of the flow is long after that, and
/// the window of the engine ends at 5 us. In ns: 2·(87 + 7) + 4000.
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
        // With a time it stands there.
        let later = net.now() + Time::from_ns(7);
        net.advance(Some(later), HaltAt::Time, &mut ()).unwrap();
        assert_eq!(net.now(), later, "{settings}");
        assert_eq!(to_the_end(&mut net), later, "{settings}");
    }
}

/// Flows in groups, each from where the network was idle on: it stands at the last end of a flow
/// each time, and has the results of a run of the flows so far.
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
                    // Not at the moment of the end, at which a scenario knows of no answers.
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

/// Starts between two whole ns are rounded in every figure, as the network rounds them.
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

/// The network at 30 us, and a run that is stopped there.
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

/// A flow is unfinished: the shares of the others are there.
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

/// A fault that is still to come has done nothing; one that has begun is told.
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

/// A timer of a flow that has completed makes no series longer: 100 KB are there after 13 us, and
/// samples are taken each 10 us.
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
