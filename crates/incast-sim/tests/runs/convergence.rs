//! How flows converge: what a run says of their fair shares, of how soon they shared fairly, and
//! of who finished first.

use arrow_array::types::{Float64Type, UInt32Type};
use incast_sim::{Results, Source};

use crate::support;

/// Sixteen hosts send 1 MB each to a seventeenth, two more every 20 µs.
const INCAST: &str = r#"
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

fn results(text: &str) -> Results {
    let source = Source::from_text("scenario.toml", text);
    support::results_of(&source, &[])
}

/// Flows (source, destination, bytes, start in µs) on a topology, without congestion control.
fn uncontrolled(topology: &str, flows: &[(u32, u32, u64, u64)]) -> String {
    let flow = |(source, destination, size, start): &(u32, u32, u64, u64)| {
        format!(
            "{{ source = {source}, destination = {destination}, size = \"{size}B\", \
             start = \"{start}us\" }},\n"
        )
    };
    let flows: String = flows.iter().map(flow).collect();
    format!(
        "[network]\ntopology = \"{topology}\"\n[cc]\nalgorithm = \"none\"\n[[traffic]]\n\
         kind = \"flows\"\nflows = [\n{flows}]\n"
    )
}

fn shares(text: &str) -> Vec<f64> {
    results(text)
        .flows
        .values::<Float64Type>("fair_share")
        .collect()
}

/// Alone, a flow gets all that is fair, for any size, path and bottleneck. Times are whole
/// picoseconds: a packet of a byte takes 84 of them, not 83.84.
#[test]
fn a_flow_alone_has_its_fair_share() {
    let sizes = [1, 100, 1000, 2500, 123_456];
    let flows: Vec<_> = sizes
        .iter()
        .flat_map(|&size| [5, 16, 319].map(|to| (0, to, size)))
        .zip(0..)
        .map(|((from, to, size), place)| (from, to, size, 1000 * place))
        .collect();
    let shares = shares(&uncontrolled("clos-320", &flows));
    assert_eq!(shares.len(), 15);
    for share in shares {
        assert!((share - 1.0).abs() < 0.003, "{share}");
    }
}

/// Two senders at line rate into one port, which takes them in turn: both have half until the
/// first is done, then the second has all.
#[test]
fn round_robin_is_fair() {
    for share in shares(&uncontrolled(
        "star",
        &[(0, 2, 100_000, 0), (1, 2, 200_000, 0)],
    )) {
        assert!((share - 1.0).abs() < 0.02, "{share}");
    }
}

/// Two links in a row, each full: flow 0 over both, 1 over the first, 2 over the second. Fair are
/// halves. First come, first served, flow 0 reaches the second link at half the rate at which flow
/// 2 does, and has a third of it. Flow 2 is done after 1.5 of the times that its bytes take alone,
/// in which 0.75 of them would have been fair: 4/3. Flow 0 catches up then, and is done after 2, as
/// flow 1 is.
#[test]
fn first_come_first_served_is_not_fair() {
    let flows = [
        (0, 1, 1_000_000, 0),
        (2, 3, 1_000_000, 0),
        (4, 5, 1_000_000, 0),
    ];
    let results = results(&uncontrolled("parking-lot", &flows));
    let ids = results.flows.values::<UInt32Type>("flow_id");
    let shares = results.flows.values::<Float64Type>("fair_share");
    let mut found: Vec<_> = ids.zip(shares).collect();
    found.sort_by_key(|(id, _)| *id);
    for ((_, share), expected) in found.into_iter().zip([1.0, 1.0, 4.0 / 3.0]) {
        assert!(
            (share - expected).abs() < 0.02,
            "{share}, {expected} expected"
        );
    }
}

/// HPCC's early flows starve: most get less than their share, those that start last a multiple of
/// it, and finish first.
#[test]
fn convergence_is_in_the_summary() {
    let results = results(INCAST);
    let summary = &results.summary;
    let shares = summary.fair_share.expect("16 flows are few");
    assert_eq!(shares.count, 16);
    assert!(shares.p50 < 0.9 && shares.max > 2.0, "{shares:?}");
    let correlation = summary.start_finish_correlation.expect("starts differ");
    assert!(correlation < -0.8, "{correlation}");
    // Arrivals at 0, 20, … 140 µs, ticks every 10 µs.
    let settling = summary.jain_index.expect("flows share").after_arrivals;
    assert_eq!(settling.arrivals, 8);
    assert_eq!(settling.settled, settling.time_to_095_ps.count);
}

/// Flows that were under way when the run stopped took part, and have no share of their own.
#[test]
fn unfinished_flows_share_too() {
    let text = uncontrolled("star", &[(0, 2, 100_000, 0), (1, 2, 10_000_000, 0)]);
    let flows = |stop| format!("[run]\nstop = \"{stop}\"\n{text}");
    let (cut, whole) = (shares(&flows("100us")), shares(&flows("10ms")));
    assert_eq!((cut.len(), whole.len()), (1, 2));
    assert_eq!(cut[0], whole[0]);
}

#[test]
fn shares_can_be_left_out() {
    let results = results(&format!("{INCAST}\n[measure]\nfair_share = \"none\"\n"));
    assert!(results.summary.fair_share.is_none());
    assert!(
        results
            .flows
            .schema()
            .field_with_name("fair_share")
            .is_err()
    );
}
