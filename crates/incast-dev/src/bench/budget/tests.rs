use super::callgrind::{InstructionCost, read};
use super::line_tables::{Frame, Inlined};
use super::*;
use crate::bench::table;

/// A switch's function, with an inlined line of a mailbox (`fi`), which calls a function of a
/// library and one of the standard library. Names, addresses and zeros are omitted where callgrind
/// omits them.
const PROFILE: &str = "\
# callgrind format
version: 1
positions: instr line
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
summary: 112 30 20 1 6 4 1 2 1

ob=(1) /bin/bench
fl=(1) /a/crates/incast-net/src/switch.rs
fn=(1) incast_net::switch::forward
0x1000 40 50 20 10 0 3 1
fi=(2) /a/crates/incast-engine/src/window/mailbox.rs
+4 7 20 5 5 0 2 3 0 2 1
fe=(1)
+4 41 1
cob=(2) /lib/libc.so.6
cfi=(3) memcpy.S
cfn=(2) memcpy
calls=5 0x9000 12
* * 40 5 5 0 1
-8 -2 1

ob=(2)
fl=(3)
fn=(2)
0x9000 12 30 5 5 1 1 0 1

ob=(1)
fl=(4) /rustc/library/alloc/src/raw_vec.rs
fn=(3) grow_one
0x2000 9 10
totals: 112 30 20 1 6 4 1 2 1
";

fn cost(instructions: u64, l1_data_misses: u64, last_level_misses: u64) -> Cost {
    Cost {
        instructions,
        l1_data_misses,
        last_level_misses,
    }
}

#[test]
fn costs_are_read_and_calls_left_out() {
    let profile = read(PROFILE).unwrap();
    let entry = |object, file, address, cost| InstructionCost {
        object,
        file,
        address,
        cost,
    };
    let (bench, switch) = ("/bin/bench", "/a/crates/incast-net/src/switch.rs");
    let expected = [
        entry(bench, switch, 0x1000, cost(50, 4, 0)),
        entry(bench, switch, 0x1004, cost(20, 5, 3)),
        entry(bench, switch, 0x1008, cost(1, 0, 0)),
        entry(bench, switch, 0x1000, cost(1, 0, 0)),
        entry("/lib/libc.so.6", "memcpy.S", 0x9000, cost(30, 1, 1)),
        entry(
            bench,
            "/rustc/library/alloc/src/raw_vec.rs",
            0x2000,
            cost(10, 0, 0),
        ),
    ];
    assert_eq!(profile.entries, expected);
    assert_eq!(profile.total, cost(112, 10, 4));
}

/// The line tables of `PROFILE`.
struct Tables;

impl Inlined for Tables {
    fn at(&self, address: u64) -> Vec<Frame> {
        let frame = |file: &str| Frame {
            file: file.to_owned(),
            function: String::new(),
        };
        let switch = frame("/a/crates/incast-net/src/switch.rs");
        match address {
            0x1004 => vec![
                frame("/a/crates/incast-engine/src/window/mailbox.rs"),
                switch,
            ],
            0x1000..0x2000 => vec![switch],
            _ => vec![frame("/rustc/library/alloc/src/raw_vec.rs")],
        }
    }
}

/// 50 + 1 + 1 in the switch, 20 in the mailbox, 30 in the library and 10 in no known part, for 4
/// packet-hops.
#[test]
fn parts_add_up_to_the_total() {
    let budget = Budget::of("a", 4, PROFILE, Path::new("/bin/bench"), &Tables).unwrap();
    let shares: Vec<_> = budget
        .parts
        .iter()
        .map(|share| (share.part, share.cost, share.per_packet_hop.instructions))
        .collect();
    let expected = [
        ("mailboxes", cost(20, 5, 3), 5.0),
        ("switches: queues, forwarding", cost(52, 4, 0), 13.0),
        ("system libraries (copies, memory)", cost(30, 1, 1), 7.5),
        ("rest of the process", cost(10, 0, 0), 2.5),
    ];
    assert_eq!(shares, expected);
    let mut sum = Cost::default();
    budget.parts.iter().for_each(|share| sum += share.cost);
    assert_eq!(sum, budget.total);
}

#[test]
fn parts_stand_in_rows() {
    let budget = Budget::of("a", 4, PROFILE, Path::new("/bin/bench"), &Tables).unwrap();
    let budgets = Budgets {
        build: BuildInfo::of_this_program(),
        caches: CACHES,
        cases: vec![budget],
    };
    let text = table::budgets(&budgets);
    let (_, rows) = text.split_once("\n\n").unwrap();
    let expected = "\
a, per packet-hop                  instructions  L1 data misses  last-level misses
mailboxes                                   5.0           1.250              0.750
switches: queues, forwarding               13.0           1.000              0.000
system libraries (copies, memory)           7.5           0.250              0.250
rest of the process                         2.5           0.000              0.000
total                                      28.0           2.500              1.000
";
    assert_eq!(rows, expected);
}

#[test]
fn what_is_not_understood_is_named() {
    let without = |line: &str| PROFILE.replace(line, "");
    for (profile, message) in [
        (
            PROFILE.replace("0x2000 9 10", "0x2000 9 ten"),
            "line 30: `0x2000 9 ten` is not understood",
        ),
        (
            PROFILE.replace("fl=(3)\n", "fl=(8)\n"),
            "line 23: `fl=(8)` is not understood",
        ),
        (
            without("totals: 112 30 20 1 6 4 1 2 1"),
            "there is no line `totals:`",
        ),
        (
            without("0x2000 9 10\n"),
            "costs add up to 102 instructions, not 112",
        ),
    ] {
        assert_eq!(read(&profile).unwrap_err().to_string(), message);
    }
}
