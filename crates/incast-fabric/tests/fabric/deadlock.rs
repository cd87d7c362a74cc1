//! Full reduction tables: operations wait for entries, and switches wait in a circle.

use incast_fabric::{
    ControlScheme, FabricShape, FabricSimulation, FabricViolation, OperationKind, Reserve, WorkKind,
};

use super::all_in_one_group;

fn with_tables(entries: Option<u32>, reserve: Reserve) -> FabricSimulation {
    let shape = FabricShape {
        endpoints_per_tor: 4,
        tors: 2,
        cores: 1,
        lanes: 4,
    };
    let kind = WorkKind::Single(OperationKind::ReadReduction);
    let mut run = all_in_one_group(shape, ControlScheme::baseline(), 8, kind, 40);
    run.config.table_entries = entries;
    run.config.reserve = reserve;
    run
}

/// Tables of one entry take one operation at a time through the core. An operation takes about two
/// crossings of 150 cycles and 180 cycles for memory in each direction. 320 operations take 100
/// times as long as with unlimited tables, but all complete.
#[test]
fn few_entries_make_operations_wait() {
    let unlimited = with_tables(None, Reserve::Down).run().unwrap().totals.last;
    let one = with_tables(Some(1), Reserve::Down)
        .run()
        .unwrap()
        .totals
        .last;
    let many = with_tables(Some(1_000), Reserve::Down)
        .run()
        .unwrap()
        .totals
        .last;
    assert_eq!(unlimited, many);
    assert!(one > 320 * (2 * 150 + 180), "{one}");
    assert!(one > 20 * unlimited, "{one} {unlimited}");
}

/// Both ToRs give all entries to their own operations on the way up. Each operation then waits for
/// an entry of the other ToR.
#[test]
fn entries_taken_on_the_way_up_can_deadlock() {
    let violation = with_tables(Some(4), Reserve::Path).run().unwrap_err();
    let FabricViolation::Deadlock {
        unfinished,
        waits,
        cycle,
    } = &violation
    else {
        panic!("{violation}");
    };
    assert!(*unfinished > 0 && *cycle > 0);
    assert_eq!(
        waits,
        &[
            "switch 0 has all 4 table entries taken and waits for switch 1",
            "switch 1 has all 4 table entries taken and waits for switch 0",
        ]
    );
    assert!(
        violation.to_string().starts_with("deadlock in cycle "),
        "{violation}"
    );
}

/// Probes go on forever around a deadlock, but the deadlock is found.
#[test]
fn probes_do_not_hide_a_deadlock() {
    let mut run = with_tables(Some(4), Reserve::Path);
    run.control = ControlScheme::three_cpo();
    assert!(matches!(run.run(), Err(FabricViolation::Deadlock { .. })));
}

#[test]
fn enough_entries_on_the_way_up_do_not_deadlock() {
    let outcome = with_tables(Some(400), Reserve::Path).run().unwrap();
    assert_eq!(outcome.operations.len(), 320);
}
