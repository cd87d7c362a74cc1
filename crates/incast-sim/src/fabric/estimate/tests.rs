use crate::spec::Source;
use crate::{FabricEstimate, FabricSpec};

fn estimate(text: &str) -> FabricEstimate {
    let source = Source::from_text("fabric.toml", text);
    let spec = FabricSpec::parse(&source, &[]).and_then(FabricSpec::validate);
    spec.expect("a sound scenario").estimate()
}

const FOUR: &str = r#"[fabric]
endpoints = 64
[control]
scheme = "none"
[[group]]
members = [0, 1, 8, 9]
[[work]]
kind = "transactions"
count = 1000
[measure]
every = 10
endpoints = [0, 1]
"#;

/// Of each transaction a read has 1 + 9 flits, and a write 9 + 1. Flits cross 1 link up, 1 to the
/// core, 2 to ToRs and 4 to members: 4 · 1000 · 20 · 8. Each endpoint receives 9 flits of data for
/// each of its reads, 1 for each of its writes, and 10 for each of the four members. That takes
/// 50,000 cycles, and the latency of an idle fabric: 1096 cycles less 8 of a packet.
#[test]
fn flits_are_counted_link_by_link() {
    let found = estimate(FOUR);
    assert_eq!(found.flit_hops, 640_000.0);
    assert_eq!(found.cycles, 50_000.0 + 1088.0);
}

/// Samples of 12 switches every 10 of 51,088 cycles are 5109 samples. At most 1000 rows have room
/// for 83 samples, so every 64th is kept: 79 or 80.
#[test]
fn samples_that_will_be_kept_are_known_before() {
    let samples = estimate(FOUR).samples.expect("they are asked for");
    assert_eq!((samples.rows, samples.is_thinned()), (5109.0 * 12.0, false));
    let bounded = estimate(&FOUR.replace("every = 10", "every = 10\nrows = 1000"));
    let samples = bounded.samples.expect("they are asked for");
    assert_eq!((samples.every, samples.kept_every), (10, 640.0));
    assert!(bounded.memory.series < estimate(FOUR).memory.series / 30.0);
}

/// Three of a thousand transactions are active at a time, each for at least 1088 cycles.
#[test]
fn a_window_takes_turns() {
    let text = FOUR.replace("scheme = \"none\"", "scheme = \"window\"\nwindow = 3");
    assert_eq!(estimate(&text).cycles, (1000.0 / 3.0 + 1.0) * 1088.0);
}
