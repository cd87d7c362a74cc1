//! How flows converge: their fair shares, the time until they share fairly, and the order in which
//! they finish.

use arrow_array::types::{Float64Type, UInt32Type};
use incast_sim::{Results, Source};

use crate::support;

/// Sixteen hosts send 1 MB each to a seventeenth; two more flows start every 20 µs.
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

/// A scenario with these flows (source, destination, bytes, start in µs) on a topology, without
/// congestion control.
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

/// A flow alone gets its whole fair share, for any size, path and bottleneck. Times are whole
/// picoseconds, and a packet of one byte takes 84 ps instead of 83.84.
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

/// Two senders at line rate share a port, which takes their packets in turn. Both have half of the
/// rate until the first is done; then the second has all.
#[test]
fn round_robin_is_fair() {
    for share in shares(&uncontrolled(
        "star",
        &[(0, 2, 100_000, 0), (1, 2, 200_000, 0)],
    )) {
        assert!((share - 1.0).abs() < 0.02, "{share}");
    }
}

/// Flow 0 crosses two links in a row, flow 1 only the first, flow 2 only the second. Fair shares
/// are halves. Under first come, first served, flow 0 reaches the second link at half the rate of
/// flow 2, and gets a third of it. Flow 2 takes 1.5 times as long as alone; its fair share of that
/// time is 0.75 of its bytes, so its share is 4/3. Flow 0 then catches up, and takes 2 times as
/// long as alone, like flow 1.
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

/// HPCC's early flows starve: most flows get less than their share. Those that start last get a
/// multiple of it, and finish first.
#[test]
fn convergence_is_in_the_summary() {
    let results = results(INCAST);
    let summary = &results.summary;
    let shares = summary.fair_share.expect("16 flows are few");
    assert_eq!(shares.count, 16);
    assert!(shares.p50 < 0.9 && shares.max > 2.0, "{shares:?}");
    let correlation = summary.start_finish_correlation.expect("starts differ");
    assert!(correlation < -0.8, "{correlation}");
    // Flows arrive at 0, 20, … 140 µs; samples are 10 µs apart.
    let settling = summary.jain_index.expect("flows share").after_arrivals;
    assert_eq!(settling.arrivals, 8);
    assert_eq!(settling.settled, settling.time_to_095_ps.count);
}

/// Flows that are active when the run stops count in the shares of others, but have no share of
/// their own.
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
