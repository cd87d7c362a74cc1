//! Metamorphic relations: equalities between the results of two related scenarios, whatever the
//! right results are. Each random scenario, the base, is run once, and once more for each relation
//! that applies to it.
//!
//! A relation is a function whose first sentence states it. It changes the base, runs it, and
//! compares tables of results column by column. If the changed scenario is refused, the relation
//! does not apply.

mod base;
mod columns;
mod entries;
mod faults;
mod graph;
mod listed;
mod observing;
mod structure;
mod times;
mod trace;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::outcome::Outcome;
use crate::random_scenario::{RandomScenario, scenario};
use crate::torture;

use base::Base;

/// Whether a relation applies to a base; if it does, it holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Relation {
    Holds,
    DoesNotApply,
}

type RelationCheck = fn(&Base) -> Relation;

const RELATIONS: [(&str, RelationCheck); 19] = [
    ("flows listed", listed::flows_listed_in_the_scenario),
    ("flows in a file", listed::flows_in_a_file),
    ("entry split", entries::one_entry_split_in_two),
    ("cc per entry", entries::algorithm_by_entry),
    ("names", entries::names_of_runs_and_entries),
    ("later starts", times::later_starts),
    ("stop", times::stop_is_a_prefix),
    ("twice the time", times::twice_the_time),
    ("faults to come", faults::faults_to_come),
    ("recovery without loss", faults::recovery_without_loss),
    ("timeout that never fires", faults::timeout_that_never_fires),
    ("network from a file", structure::network_from_a_file),
    ("renamed nodes", structure::renamed_nodes),
    ("flipped links", structure::flipped_links),
    ("idle hosts", structure::idle_hosts),
    ("copies", structure::disjoint_copies),
    ("measuring", observing::measuring),
    ("storing", observing::storing),
    ("packet trace", trace::counters_from_the_trace),
];

#[test]
fn relations() {
    let applied = RefCell::new(BTreeMap::<&str, u64>::new());
    torture("relations", 250, &scenario(), |RandomScenario { text }| {
        let base = match Base::run(text) {
            Ok(base) => base,
            Err(refused) => return refused,
        };
        for (name, check) in RELATIONS {
            let relation = catch_unwind(AssertUnwindSafe(|| check(&base)));
            let relation = relation.unwrap_or_else(|panic| {
                println!("relation `{name}` does not hold of\n{text}");
                resume_unwind(panic)
            });
            *applied.borrow_mut().entry(name).or_default() +=
                u64::from(relation == Relation::Holds);
        }
        Outcome::Accepted
    });
    println!("relations: {:?}", applied.borrow());
}

/// If a base has the results of another seed, every relation that applies must fail.
#[test]
fn each_relation_can_fail() {
    const SCENARIO: &str = "
        network.topology = { kind = 'star', hosts = 8 }
        network.recovery.timeout = '1ms'
        cc.algorithm = 'none'
        traffic = [{ kind = 'poisson', sizes = 'fb-hadoop', load = 0.3, count = 30 }]
    ";
    let text = |seed| format!("run = {{ seed = {seed}, stop = '5ms' }}\n{SCENARIO}");
    let base = || Base::run(&text(1)).expect("a sound scenario");
    let other = Base::run(&text(2)).expect("a sound scenario").results;
    let wrong = Base {
        results: other.clone(),
        ..base()
    };
    let fails = |check: &dyn Fn()| catch_unwind(AssertUnwindSafe(check)).is_err();
    for (name, check) in RELATIONS {
        assert_eq!(check(&base()), Relation::Holds, "{name}");
        // These relations do not compare with the base's results.
        let is_blind = ["twice the time", "storing"].contains(&name);
        assert_eq!(fails(&|| _ = check(&wrong)), !is_blind, "{name}");
    }
    assert!(fails(&|| times::assert_twice(&other, &other)));
}
