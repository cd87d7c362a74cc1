use std::collections::BTreeMap;

use arrow_array::types::UInt32Type;
use incast_net::{Flow, FlowCounters, UnfinishedFlow};
use incast_units::HostId;
use tempfile::tempdir;

use super::*;
use crate::results::table::ROWS_PER_GROUP;

fn flow(id: u32) -> Flow {
    Flow {
        id: FlowId(id),
        source: HostId(id % 64),
        destination: HostId(64 + id % 7),
        size: Bytes::new(1000 + u64::from(id)),
        tag: 0,
        lane: 0,
        source_port: 10_000,
        start: Time::from_ns(id.into()),
    }
}

/// A completed flow; larger numbers finish later.
fn completed(id: u32) -> FlowRecord {
    let finish = Time::from_ns((1000 + 2 * id).into());
    flow(id).record(finish, FlowCounters::default())
}

fn unfinished(id: u32) -> UnfinishedFlow {
    UnfinishedFlow {
        flow: flow(id),
        acked: Bytes::new(7),
        sent: 9,
        next_send: Time::MAX,
        counters: FlowCounters::default(),
    }
}

/// Finished flows with these slowdowns, of which `of` selects the rows.
fn finished(of: FlowRows, slowdowns: &[f64]) -> FinishedFlows {
    let mut flows = none_yet(of, RoomForRows::default());
    for (id, slowdown) in (0..).zip(slowdowns) {
        flows.push(&completed(id), Time::from_ns(500), *slowdown);
    }
    assert_eq!(flows.totals().flows, slowdowns.len() as u64);
    let finished = flows.finish(&[], &LateColumns::default());
    finished.expect("rows stay in memory")
}

fn none_yet(of: FlowRows, room: RoomForRows<'_>) -> CompletedFlows<'_> {
    let kept = KeptRows {
        of,
        seed: 1,
        for_memory: false,
        most_loaded: u64::MAX,
    };
    CompletedFlows::new(kept, room, None)
}

/// Flows of three chunks stay in order.
#[test]
fn many_flows_stay_in_order() {
    let table = finished(FlowRows::All, &[1.0; 40_000]).table.in_memory;
    assert_eq!(table.batches().len(), 3);
    assert!(table.values::<UInt32Type>("flow_id").eq(0..40_000));
}

/// Of slowdowns 1, 9, 5, 5, 3 the three largest are 9, 5 and 5. Of four flows with slowdown 5,
/// those with lower numbers keep their rows.
#[test]
fn rows_of_the_slowest_stay_in_order_of_completion() {
    let kept = |most, slowdowns: &[f64]| {
        let table = finished(FlowRows::Slowest(most), slowdowns).table.in_memory;
        table.values::<UInt32Type>("flow_id").collect::<Vec<_>>()
    };
    assert_eq!(kept(3, &[1.0, 9.0, 5.0, 5.0, 3.0]), [1, 2, 3]);
    assert_eq!(kept(2, &[5.0; 4]), [0, 1]);
    assert_eq!(kept(9, &[2.0, 1.0]), [0, 1]);
}

/// The fingerprint covers all flows, whether their rows are kept or not.
#[test]
fn the_fingerprint_is_of_all_flows() {
    let fingerprint = |of| finished(of, &[1.5, 2.0]).hash.finish((&[], &[]), 0, None);
    let all = fingerprint(FlowRows::All);
    for fewer in [FlowRows::None, FlowRows::Slowest(1), FlowRows::Sample(1.0)] {
        assert_eq!(fingerprint(fewer), all, "{fewer}");
    }
}

#[test]
fn no_flows_are_an_empty_table() {
    let table = finished(FlowRows::All, &[]).table.in_memory;
    assert_eq!((table.rows(), table.schema().fields().len()), (0, 20));
}

/// A column of counts by flow; flows that are not counted have 0.
#[test]
fn late_columns_are_of_all_flows() {
    let mut flows = none_yet(FlowRows::All, RoomForRows::default());
    (0..4).for_each(|id| flows.push(&completed(id), Time::from_ns(500), 1.0));
    let duplicates = BTreeMap::from([(FlowId(1), 3), (FlowId(9), 2)]);
    let late = LateColumns {
        duplicates: Some(&duplicates),
        ..LateColumns::default()
    };
    let finished = flows.finish(&[unfinished(9)], &late).expect("finished");
    let table = finished.table.in_memory;
    let found: Vec<u32> = table.values::<UInt32Type>("duplicate_packets").collect();
    assert_eq!(found, [0, 3, 0, 0, 2]);
}

/// The bytes of `flows.parquet` with `count` completed flows and these unfinished ones.
fn file(count: u32, unfinished: &[UnfinishedFlow], room: RoomForRows<'_>) -> Vec<u8> {
    let mut flows = none_yet(FlowRows::All, room);
    for id in 0..count {
        let slowdown = 1.0 + f64::from(id % 1000);
        flows.push(&completed(id), Time::from_ns(500), slowdown);
    }
    let duplicates = (0..count).step_by(9).map(|id| (FlowId(id), id % 5));
    let duplicates: BTreeMap<_, _> = duplicates.collect();
    let late = LateColumns {
        duplicates: Some(&duplicates),
        ..LateColumns::default()
    };
    let table = flows.finish(unfinished, &late).expect("finished").table;
    let place = tempdir().expect("a folder");
    let path = place.path().join("flows.parquet");
    let written = match table.in_file {
        Some(file) => file.write_parquet(&path),
        None => table.in_memory.write_parquet(&path),
    };
    written.expect("written");
    std::fs::read(path).expect("read")
}

/// Three files: one row group and a part of a second one, with unfinished flows, whose columns may
/// have no value; the same without unfinished flows; and exactly two row groups.
#[test]
fn files_of_rows_that_left_memory_are_the_same_byte_by_byte() {
    let place = tempdir().expect("a folder");
    let room = RoomForRows {
        folder: Some(place.path()),
        ..RoomForRows::default()
    };
    let group = ROWS_PER_GROUP as u32;
    let some = [unfinished(9_999_999), unfinished(10_000_000)];
    for (count, more) in [
        (group + 20_000, &some[..]),
        (group + 20_000, &[]),
        (2 * group, &[]),
    ] {
        let expected = file(count, more, RoomForRows::default());
        let found = file(count, more, room);
        let bytes = (found.len(), expected.len());
        assert!(found == expected, "{count} flows: {bytes:?} bytes");
    }
}
