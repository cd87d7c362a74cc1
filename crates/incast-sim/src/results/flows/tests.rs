use std::collections::BTreeMap;

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

fn unfinished(id: u32) -> UnfinishedFlow {
    UnfinishedFlow {
        flow: flow(id),
        acked: Bytes::new(7),
        sent: 9,
        next_send: Time::MAX,
        counters: FlowCounters::default(),
    }
}

/// `flows.parquet` of so many completed flows, and some more.
fn file(completed: u32, unfinished: &[UnfinishedFlow], room: RoomForRows<'_>) -> Vec<u8> {
    let kept = KeptRows {
        of: FlowRows::All,
        seed: 1,
        for_memory: false,
        most_loaded: u64::MAX,
    };
    let mut flows = CompletedFlows::new(kept, room, None);
    for id in 0..completed {
        let finish = Time::from_ns((1000 + 2 * id).into());
        let record = flow(id).record(finish, FlowCounters::default());
        flows.push(&record, Time::from_ns(500), 1.0 + f64::from(id % 1000));
    }
    let duplicates = (0..completed).step_by(9).map(|id| (FlowId(id), id % 5));
    let duplicates: BTreeMap<_, _> = duplicates.collect();
    let late = LateColumns {
        duplicates: Some(&duplicates),
        ..LateColumns::default()
    };
    let table = flows.finish(unfinished, &late).expect("finished").table;
    let place = tempdir().expect("a folder");
    let path = place.path().join("flows.parquet");
    match table.in_file {
        Some(file) => file.write_parquet(&path),
        None => table.in_memory.write_parquet(&path),
    }
    .expect("written");
    std::fs::read(path).expect("read")
}

/// A row group and a part of a second one; with flows that have not completed, whose columns may
/// have no value, and without. Two groups, and no more.
#[test]
fn files_of_rows_that_left_memory_are_the_same_byte_by_byte() {
    let place = tempdir().expect("a folder");
    let room = RoomForRows {
        folder: Some(place.path()),
        ..RoomForRows::default()
    };
    let group = ROWS_PER_GROUP as u32;
    let some = [unfinished(9_999_999), unfinished(10_000_000)];
    for (completed, more) in [
        (group + 20_000, &some[..]),
        (group + 20_000, &[]),
        (2 * group, &[]),
    ] {
        let expected = file(completed, more, RoomForRows::default());
        let found = file(completed, more, room);
        let bytes = (found.len(), expected.len());
        assert!(found == expected, "{completed} flows: {bytes:?} bytes");
    }
}
