//! Latencies of single operations on an idle fabric, to the cycle.
//!
//! A flit takes 1 + d cycles for a link of delay d, and s for a switch. An operation crosses h
//! links each way and h − 1 switches; its data packet's last flit comes f − 1 cycles after the
//! first, in one direction only. With memory latency m:
//!
//! ```text
//! latency = 2·(h·(1 + d) + (h − 1)·s) + (f − 1) + m
//! ```

use incast_fabric::{
    ControlScheme, FabricShape, FabricSimulation, OperationKind, OperationRecord, Script, Turn,
    Work, WorkKind,
};

use super::all_in_one_group;

fn one_operation(kind: WorkKind, change: impl FnOnce(&mut FabricSimulation)) -> OperationRecord {
    let shape = FabricShape::fat_tree(64).unwrap();
    let mut run = all_in_one_group(shape, ControlScheme::baseline(), 1, kind, 1);
    change(&mut run);
    run.run().unwrap().operations[0]
}

fn formula(links: u64, delay: u64, switch: u64, flits: u64, memory: u64) -> u64 {
    2 * (links * (1 + delay) + (links - 1) * switch) + (flits - 1) + memory
}

/// 4 links and 3 switches of 150 cycles each way, 9 flits: a write takes 2·(4 + 450) + 8 = 916
/// cycles; a read takes 180 more, 1096.
#[test]
fn a_collective_operation_crosses_three_switches_each_way() {
    let write = WorkKind::Single(OperationKind::WriteMulticast);
    let read = WorkKind::Single(OperationKind::ReadReduction);
    assert_eq!(one_operation(write, |_| ()).latency(), 916);
    assert_eq!(one_operation(read, |_| ()).latency(), 1096);
    assert_eq!(
        (formula(4, 0, 150, 9, 0), formula(4, 0, 150, 9, 180)),
        (916, 1096)
    );
}

/// A transaction sends its write when its read is complete: 1096 + 916 = 2012.
#[test]
fn a_transaction_is_a_read_and_a_write() {
    let shape = FabricShape::fat_tree(64).unwrap();
    let run = all_in_one_group(
        shape,
        ControlScheme::baseline(),
        1,
        WorkKind::Transaction,
        1,
    );
    let outcome = run.run().unwrap();
    assert_eq!(outcome.operations[1].injected, 1096);
    assert_eq!(outcome.totals.last, 2012);
}

/// A link delay of 5 adds 40 cycles; a write latency of 180 adds 180 cycles to writes.
#[test]
fn delays_and_memory_add_up() {
    let write = WorkKind::Single(OperationKind::WriteMulticast);
    let record = one_operation(write, |run| {
        run.config.link_delay = 5;
        run.config.write_latency = 180;
    });
    assert_eq!(record.latency(), formula(4, 5, 150, 9, 180));
    let record = one_operation(write, |run| run.config.switch_latency = 37);
    assert_eq!(record.latency(), formula(4, 0, 37, 9, 0));
}

/// To an endpoint of the same ToR, 2 links and 1 switch: 2·(2 + 150) + 8 + 180 = 492. To another
/// ToR, 4 links and 3 switches.
#[test]
fn unicast_operations_take_the_shortest_way() {
    let to = |target, kind| {
        one_operation(WorkKind::Single(kind), |run| {
            let work = Work::new(WorkKind::Single(kind), target, 1);
            run.scripts = vec![Script::once(0, work)];
        })
        .latency()
    };
    assert_eq!(to(7, OperationKind::Read), 492);
    assert_eq!(to(7, OperationKind::Write), 312);
    assert_eq!(to(8, OperationKind::Read), 1096);
    assert_eq!(to(63, OperationKind::Write), 916);
}

/// A payload of 3 flits makes packets of 4 flits, which take 5 cycles less.
#[test]
fn small_packets_take_less() {
    let kind = WorkKind::Single(OperationKind::ReadReduction);
    let record = one_operation(kind, |run| {
        let work = Work {
            data: 3,
            ..Work::new(kind, 0, 1)
        };
        run.scripts = vec![Script::once(0, work)];
    });
    assert_eq!(record.latency(), formula(4, 0, 150, 4, 180));
}

/// Operations of a group within one ToR go over the core by default, and turn at the ToR if
/// allowed.
#[test]
fn a_local_group_can_turn_at_its_tor() {
    let kind = WorkKind::Single(OperationKind::ReadReduction);
    let latency = |turn| {
        one_operation(kind, |run| {
            run.config.turn = turn;
            run.groups = vec![incast_fabric::Group::new(&run.config.shape, &[0, 3, 5]).unwrap()];
        })
        .latency()
    };
    assert_eq!(latency(Turn::Core), formula(4, 0, 150, 9, 180));
    assert_eq!(latency(Turn::Nearest), formula(2, 0, 150, 9, 180));
}
