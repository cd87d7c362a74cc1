use incast_units::{Bytes, HostId, Rate, Time};

use super::*;
use crate::files::no_files;
use crate::sizes::Published;
use crate::traffic::{FlowsSpec, GivenFlow, PoissonSpec};

/// 4 hosts at 100 Gb/s.
fn network() -> Network {
    Network::uniform(4, Rate::from_gbps(100))
}

fn given(start_us: u64, source: u32, destination: u32) -> GivenFlow {
    GivenFlow {
        source: HostId(source).into(),
        destination: HostId(destination).into(),
        size: Bytes::new(1_000),
        start: Time::from_us(start_us),
    }
}

#[test]
fn a_workload_merges_its_entries_and_tags_them() {
    let entries = [
        FlowsSpec::new(vec![given(1, 0, 1), given(5, 0, 2)]).into(),
        FlowsSpec::new(vec![given(1, 3, 1), given(2, 3, 2)]).into(),
    ];
    let workload = Workload::new(&entries, &network(), &no_files()).unwrap();
    let flows: Vec<_> = workload.flows(1).unwrap().map(Result::unwrap).collect();
    let seen: Vec<_> = flows
        .iter()
        .map(|flow| (flow.start.as_ns() / 1_000, flow.tag))
        .collect();
    assert_eq!(seen, [(1, 0), (1, 1), (2, 1), (5, 0)]);
    assert_eq!(workload.expected_flows(1).unwrap(), 4.0);
}

/// Two equal entries draw from different streams.
#[test]
fn entries_are_independent() {
    let poisson = PoissonSpec::new(Published::FbHadoop, 0.5, Time::from_ms(1));
    let entries = [poisson.clone().into(), poisson.into()];
    let workload = Workload::new(&entries, &network(), &no_files()).unwrap();
    let flows: Vec<_> = workload.flows(1).unwrap().map(Result::unwrap).collect();
    let starts = |tag| {
        flows
            .iter()
            .filter(move |flow| flow.tag == tag)
            .map(|flow| flow.start)
    };
    assert!(starts(0).ne(starts(1)));
}

#[test]
fn a_mistake_in_a_workload_names_its_entry() {
    let entries = [
        FlowsSpec::new(vec![given(1, 0, 1)]).into(),
        FlowsSpec::new(vec![given(1, 0, 1), given(1, 0, 9)]).into(),
    ];
    let refused = Workload::new(&entries, &network(), &no_files()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "traffic[1].flows[1].destination: host 9 does not exist; the network has hosts 0–3"
    );
    assert_eq!(
        check_index(65_536).unwrap_err().to_string(),
        "traffic: entry 65536 is one too many; a scenario has at most 65536 traffic entries"
    );
}
