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

/// Of each transaction a read has 1 + 9 flits, a write 9 + 1; over 1 link up, 1 to the core, 2 to
/// ToRs and 4 to members: 4 · 1000 · 20 · 8. Each endpoint receives 9 flits of data for each of its
/// reads, 1 for each of its writes, and 10 for each of the four members: 50,000 cycles, and the
/// latency of an idle fabric, 1096 cycles but for 8 of a packet.
#[test]
fn flits_are_counted_link_by_link() {
    let found = estimate(FOUR);
    assert_eq!(found.flit_hops, 640_000.0);
    assert_eq!(found.cycles, 50_000.0 + 1088.0);
}

/// Samples every 10 cycles of 51,088, of 12 switches: 5109 times; at most 1000 rows are 83 times,
/// so every 64th sample, 79 or 80 of them, is kept.
#[test]
fn samples_that_will_be_kept_are_known_before() {
    let samples = estimate(FOUR).samples.expect("they are asked for");
    assert_eq!((samples.rows, samples.is_thinned()), (5109.0 * 12.0, false));
    let bounded = estimate(&FOUR.replace("every = 10", "every = 10\nrows = 1000"));
    let samples = bounded.samples.expect("they are asked for");
    assert_eq!((samples.every, samples.kept_every), (10, 640.0));
    assert!(bounded.memory.series < estimate(FOUR).memory.series / 30.0);
}

/// Three at a time of a thousand transactions, each of 1088 cycles at least.
#[test]
fn a_window_takes_turns() {
    let text = FOUR.replace("scheme = \"none\"", "scheme = \"window\"\nwindow = 3");
    assert_eq!(estimate(&text).cycles, (1000.0 / 3.0 + 1.0) * 1088.0);
}
