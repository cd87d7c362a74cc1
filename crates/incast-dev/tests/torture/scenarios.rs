//! Damaged scenarios, of networks and of memory fabrics, and damaged settings of the command line.

use incast_sim::{
    Diagnostic, FabricSpec, Override, ScenarioKind, Source, Spec, ValidFabricSpec, ValidSpec,
};
use proptest::prelude::Strategy;
use proptest::sample::select;

use crate::damage::damaged_text;
use crate::outcome::Outcome;
use crate::{repository, texts, torture};

/// Keys and values of scenarios, which damage puts at other places.
const WORDS: [&str; 40] = [
    "run",
    "network",
    "cc",
    "traffic",
    "measure",
    "fabric",
    "control",
    "work",
    "kind",
    "file",
    "format",
    "algorithm",
    "topology",
    "star",
    "fat-tree",
    "leaf-spine",
    "dumbbell",
    "graph",
    "poisson",
    "permutation",
    "all-to-all",
    "incast",
    "flows",
    "hpcc",
    "swift",
    "dcqcn",
    "fncc",
    "rocc",
    "lgc",
    "s-perc",
    "hpcc-ns3",
    "web-search",
    "auto",
    "none",
    "all",
    "1us",
    "0s",
    "100Gbps",
    "0B",
    "18446744073709551615ps",
];

/// Keys for the size of a network. Large networks take long to build, which is not tested here.
const SIZES: [&str; 14] = [
    "hosts",
    "k =",
    "leaves",
    "spines",
    "hosts_per_leaf",
    "hosts_per_tor",
    "switches",
    "senders",
    "receivers",
    "pods",
    "tors",
    "bottlenecks",
    "aggs",
    "endpoints",
];
const DIGITS_OF_LARGE: usize = 4;

#[test]
fn scenarios() {
    let seeds = [texts("examples", "toml"), texts("benches", "toml")].concat();
    torture("scenarios", 1, &damaged_text(seeds, &WORDS), |text| {
        checked(&Source::from_text("scenario.toml", text), &[])
    });
}

#[test]
fn settings() {
    let source = Source::from_file(&repository("examples/incast.toml")).expect("an example");
    let keys = vec![
        "run.seed".to_owned(),
        "run.stop".to_owned(),
        "network.topology".to_owned(),
        "network.buffer.size".to_owned(),
        "network.packets.mtu".to_owned(),
        "network.recovery.timeout".to_owned(),
        "cc.algorithm".to_owned(),
        "traffic.0.start".to_owned(),
        "traffic.0.sizes".to_owned(),
        "traffic[0].senders".to_owned(),
        "traffic".to_owned(),
        "measure.queues.every".to_owned(),
        "measure.flows".to_owned(),
        "measure.packets.flows".to_owned(),
    ];
    let values = [
        "1",
        "\"10us\"",
        "[1, 2]",
        "{ kind = \"star\", hosts = 9 }",
        "1KB",
        "hpcc",
    ];
    let keys = select(keys.clone()).prop_flat_map(move |key| damaged_text(vec![key], &WORDS));
    let values = damaged_text(values.map(str::to_owned).to_vec(), &WORDS);
    torture("settings", 1, &(keys, values), |(key, value)| {
        checked(&source, &[Override::new(key, value)])
    });
}

/// A scenario is refused, or is the same after it is written and read again.
fn checked(source: &Source, changes: &[Override]) -> Outcome {
    match ScenarioKind::of(source) {
        Err(diagnostic) => Outcome::refused(&diagnostic),
        Ok(ScenarioKind::Fabric) => {
            let valid = FabricSpec::parse(source, changes).and_then(FabricSpec::validate);
            same(
                valid,
                ValidFabricSpec::to_toml,
                ValidFabricSpec::identity,
                |text| FabricSpec::parse(text, &[]).and_then(FabricSpec::validate),
            )
        }
        Ok(ScenarioKind::Network) => {
            let spec = Spec::parse(source, changes);
            if is_large(&source.text) || changes.iter().any(|change| is_large(&change.value)) {
                return Outcome::of(spec);
            }
            same(
                spec.and_then(Spec::validate),
                ValidSpec::to_toml,
                |valid| valid.identity().ok(),
                |text| Spec::parse(text, &[]).and_then(Spec::validate),
            )
        }
    }
}

/// Whether some line has the key of a size and a number of many digits.
fn is_large(text: &str) -> bool {
    let long = |line: &str| {
        line.split(|each: char| !each.is_ascii_digit())
            .any(|digits| digits.len() >= DIGITS_OF_LARGE)
    };
    text.lines()
        .any(|line| SIZES.iter().any(|key| line.contains(key)) && long(line))
}

/// Asserts that a scenario is the same after it is written and read again.
fn same<T, I: PartialEq + std::fmt::Debug>(
    valid: Result<T, Diagnostic>,
    write: impl Fn(&T) -> String,
    identity: impl Fn(&T) -> I,
    read: impl Fn(&Source) -> Result<T, Diagnostic>,
) -> Outcome {
    let valid = match valid {
        Ok(valid) => valid,
        Err(diagnostic) => return Outcome::refused(&diagnostic),
    };
    let text = write(&valid);
    let again = read(&Source::from_text("written.toml", &text));
    let again = again.unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(identity(&again), identity(&valid), "{text}");
    Outcome::Accepted
}
