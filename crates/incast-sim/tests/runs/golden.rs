//! Golden traces: the behaviour of every algorithm on small networks, frozen as text that can be
//! read in a diff.
//!
//! The folder `golden/` has scenarios, and for each scenario one trace of every algorithm. A
//! changed trace is a change of results: look at it, explain it in the commit, and freeze it again:
//!
//! ```sh
//! FREEZE=1 cargo test -p incast-sim --test runs golden
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use incast_sim::{Override, Partitioning, Results, Source, Spec, Table, Threads, run, run_on};

/// Marking thresholds that queues of small networks reach.
const RED: &str = "{ k_min = \"10KB\", k_max = \"60KB\", p_max = 0.2 }";
const STEP: &str = "{ step = \"20KB\" }";

/// Further traces, beside those of every algorithm with its default parameters: a name, and the
/// keys that differ.
const VARIANTS: &[(&str, &[(&str, &str)])] = &[
    (
        "hpcc-artifact",
        &[("cc.algorithm", "hpcc"), ("cc.parameters", "artifact")],
    ),
    ("hpcc+vai+sf", &[("cc.algorithm", "hpcc+vai+sf")]),
    ("hpcc+prob", &[("cc.algorithm", "hpcc+prob")]),
    (
        "hpcc-paced",
        &[("cc.algorithm", "hpcc"), ("cc.window", "none")],
    ),
    ("fncc+vai+sf", &[("cc.algorithm", "fncc+vai+sf")]),
    (
        "fncc-direct",
        &[("cc.algorithm", "fncc"), ("cc.last_hop_form", "direct")],
    ),
    (
        "fncc-single",
        &[("cc.algorithm", "fncc"), ("cc.average", "single")],
    ),
    (
        "fncc-plus",
        &[("cc.algorithm", "fncc"), ("cc.parameters", "plus")],
    ),
    (
        "fncc-refreshed",
        &[
            ("cc.algorithm", "fncc"),
            ("network.int_table_period", "1us"),
            ("network.ack_every", "4"),
        ],
    ),
    ("nscc+credits", &[("cc.algorithm", "nscc+credits")]),
    // Periods that suit these short runs.
    (
        "rocc-short",
        &[
            ("cc.algorithm", "rocc"),
            ("cc.period", "5us"),
            ("cc.recovery_interval", "8us"),
            ("cc.reaction_delay", "1us"),
            ("cc.reference_queue", "20KB"),
            ("cc.middle_queue", "80KB"),
            ("cc.largest_queue", "120KB"),
        ],
    ),
    (
        "swift-fairness",
        &[("cc.algorithm", "swift"), ("cc.parameters", "fairness")],
    ),
    (
        "swift+vai+sf",
        &[
            ("cc.algorithm", "swift+vai+sf"),
            ("cc.parameters", "fairness"),
        ],
    ),
    (
        "swift+prob",
        &[
            ("cc.algorithm", "swift+prob"),
            ("cc.parameters", "fairness"),
        ],
    ),
    // Intervals as short as the round trips of these small networks.
    (
        "lgc-short",
        &[
            ("cc.algorithm", "lgc"),
            ("cc.interval", "5us"),
            ("cc.initial_share", "0.05"),
        ],
    ),
    (
        "lgc-regular",
        &[
            ("cc.algorithm", "lgc"),
            ("cc.interval", "5us"),
            ("cc.initial_share", "0.05"),
            ("cc.fixed_growth", "0.3"),
            ("cc.pacing", "regular"),
        ],
    ),
    (
        "lgc-poisson",
        &[
            ("cc.algorithm", "lgc"),
            ("cc.interval", "5us"),
            ("cc.initial_share", "0.05"),
            ("cc.fixed_growth", "0.3"),
            ("cc.pacing", "poisson"),
        ],
    ),
    // Thresholds that queues of these small networks reach.
    (
        "dcqcn-marked",
        &[("cc.algorithm", "dcqcn"), ("network.ecn", RED)],
    ),
    (
        "dcqcn-paper",
        &[
            ("cc.algorithm", "dcqcn"),
            ("cc.parameters", "paper"),
            ("cc.byte_counter", "50KB"),
            ("network.ecn", RED),
        ],
    ),
    (
        "dcqcn-connectx",
        &[
            ("cc.algorithm", "dcqcn"),
            ("cc.parameters", "connectx"),
            ("cc.increase_interval", "10us"),
            ("network.ecn", RED),
        ],
    ),
    (
        "dctcp-marked",
        &[("cc.algorithm", "dctcp"), ("network.ecn", STEP)],
    ),
    (
        "dctcp-artifact",
        &[
            ("cc.algorithm", "dctcp"),
            ("cc.parameters", "artifact"),
            ("network.ecn", STEP),
        ],
    ),
    (
        "ecn-tcp-marked",
        &[("cc.algorithm", "ecn-tcp"), ("network.ecn", STEP)],
    ),
    (
        "timely-low",
        &[
            ("cc.algorithm", "timely"),
            ("cc.low_threshold", "5us"),
            ("cc.high_threshold", "10us"),
            ("cc.min_rtt", "4us"),
        ],
    ),
    (
        "timely-paper",
        &[
            ("cc.algorithm", "timely"),
            ("cc.parameters", "paper"),
            ("cc.low_threshold", "5us"),
            ("cc.high_threshold", "10us"),
            ("cc.min_rtt", "4us"),
        ],
    ),
    (
        "timely-patched",
        &[
            ("cc.algorithm", "timely"),
            ("cc.parameters", "patched"),
            ("cc.decrease", "0.5"),
            ("cc.low_threshold", "5us"),
            ("cc.reference_rtt", "5us"),
            ("cc.min_rtt", "4us"),
        ],
    ),
];

/// Every trace: its name, and its overrides of a scenario.
fn traces() -> Vec<(String, Vec<Override>)> {
    let change = |&(key, value): &(&str, &str)| Override::new(key, value);
    let algorithms = incast_cc::AlgorithmConfig::built_in()
        .into_iter()
        .map(|info| {
            let changes = vec![change(&("cc.algorithm", info.name))];
            (info.name.to_owned(), changes)
        });
    let variants = VARIANTS.iter();
    let variants =
        variants.map(|(name, changes)| ((*name).to_owned(), changes.iter().map(change).collect()));
    algorithms.chain(variants).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The names of files in the folder with this ending, the ending removed.
fn files(ending: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let with_ending = paths.filter(|path| path.extension().is_some_and(|found| found == ending));
    with_ending
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn algorithms_do_what_they_did() {
    let freeze = std::env::var_os("FREEZE").is_some();
    let scenarios = files("toml");
    assert!(!scenarios.is_empty());
    let mut expected = BTreeSet::new();
    let mut complaints = Vec::new();
    for scenario in &scenarios {
        for (name, changes) in traces() {
            let file = format!("{scenario}.{name}");
            let trace = trace(&results(scenario, &changes));
            let path = folder().join(format!("{file}.txt"));
            if freeze {
                std::fs::write(&path, &trace).unwrap();
            }
            let frozen = std::fs::read_to_string(&path).unwrap_or_default();
            if frozen != trace {
                complaints.push(format!("{file}: {}", difference(&frozen, &trace)));
            }
            expected.insert(file);
        }
    }
    for left_over in files("txt").difference(&expected) {
        complaints.push(format!(
            "{left_over}.txt: nothing makes this trace; delete it"
        ));
    }
    assert!(
        complaints.is_empty(),
        "{}\nIf the new traces are right: FREEZE=1 cargo test -p incast-sim --test runs golden",
        complaints.join("\n")
    );
}

/// The first line in which a trace differs from the frozen one.
fn difference(frozen: &str, trace: &str) -> String {
    if frozen.is_empty() {
        return "there is no such trace yet".to_owned();
    }
    let (frozen, trace): (Vec<_>, Vec<_>) = (frozen.lines().collect(), trace.lines().collect());
    let line = (0..).find(|&line| frozen.get(line) != trace.get(line));
    let line = line.expect("they differ");
    let shown = |lines: &[&str]| lines.get(line).copied().unwrap_or("(ends)").to_owned();
    let (was, is) = (shown(&frozen), shown(&trace));
    format!("line {} was\n    {was}\nand is\n    {is}", line + 1)
}

fn results(scenario: &str, changes: &[Override]) -> Results {
    let source = Source::from_file(&folder().join(format!("{scenario}.toml"))).unwrap();
    let spec = Spec::parse(&source, changes).and_then(Spec::validate);
    let spec = spec.unwrap_or_else(|error| panic!("{error}"));
    let alone = run(&spec, &mut ()).unwrap_or_else(|error| panic!("{error}"));
    // Three threads give the same trace.
    let count = NonZeroUsize::new(3).expect("three threads");
    let partitioning = Partitioning::Random(1);
    let divided = run_on(
        &spec,
        Threads {
            count,
            partitioning,
        },
        &mut (),
    )
    .expect("the same results");
    assert_eq!(
        divided.summary.fingerprint, alone.summary.fingerprint,
        "{scenario}"
    );
    divided
}

fn trace(results: &Results) -> String {
    let summary = &results.summary;
    let mut text = format!(
        "{} packet-hops, {} marks, {} pauses, {} drops, longest queue {} B\n\n",
        summary.effort.packet_hops,
        summary.packets.marked,
        summary.pfc.pauses,
        summary.packets.dropped,
        summary.queue_bytes.peak,
    );
    text += &aligned(&flows(&results.flows));
    text.push('\n');
    text += &aligned(&over_time(&results.series));
    text
}

/// One row per flow.
fn flows(table: &Table) -> Vec<Vec<String>> {
    let column = |name: &str| table.values::<UInt64Type>(name).collect::<Vec<_>>();
    let (ids, starts) = (
        table.values::<arrow_array::types::UInt32Type>("flow_id"),
        column("start_ps"),
    );
    let (fcts, slowdowns) = (column("fct_ps"), table.values::<Float64Type>("slowdown"));
    let mut rows = vec![row(["flow", "start/us", "FCT/us", "slowdown"])];
    for (((id, start), fct), slowdown) in ids.zip(starts).zip(fcts).zip(slowdowns) {
        rows.push(vec![
            id.to_string(),
            format!("{:.3}", start as f64 / 1e6),
            format!("{:.3}", fct as f64 / 1e6),
            format!("{slowdown:.3}"),
        ]);
    }
    rows
}

/// One row per time; a column for every queue that was not always empty, and two columns for every
/// flow.
fn over_time(series: &Table) -> Vec<Vec<String>> {
    let shown = |measure: &str, value: f64| match measure {
        "rate_bps" => Some(format!("{:.3}", value / 1e9)),
        "window_bytes" | "queue_bytes" => Some(format!("{value:.0}")),
        _ => None,
    };
    let mut columns: BTreeMap<(String, String), BTreeMap<u64, String>> = BTreeMap::new();
    let mut times = BTreeSet::new();
    let mut busy = BTreeSet::new();
    for (time, measure, entity, value) in long_form(series) {
        let Some(text) = shown(&measure, value) else {
            continue;
        };
        if measure != "queue_bytes" || value > 0.0 {
            busy.insert((entity.clone(), measure.clone()));
        }
        times.insert(time);
        columns
            .entry((entity, measure))
            .or_default()
            .insert(time, text);
    }
    columns.retain(|column, _| busy.contains(column));
    let unit = |measure: &str| match measure {
        "rate_bps" => "Gb/s",
        _ => "B",
    };
    let mut names = vec![String::new()];
    let mut units = vec!["us".to_owned()];
    for (entity, measure) in columns.keys() {
        names.push(entity.replace("switch ", "s").replace(" port ", "."));
        units.push(unit(measure).to_owned());
    }
    let mut rows = vec![names, units];
    for time in times {
        let cells = columns.values();
        let cells = cells.map(|column| column.get(&time).cloned().unwrap_or("–".to_owned()));
        let mut row = vec![format!("{:.0}", time as f64 / 1e6)];
        row.extend(cells);
        rows.push(row);
    }
    rows
}

/// The rows of a series: time in ps, measure, entity, value.
fn long_form(series: &Table) -> Vec<(u64, String, String, f64)> {
    let mut rows = Vec::new();
    for batch in series.batches() {
        let text = |column: &str| {
            let array = batch.column_by_name(column).unwrap();
            let words = array.as_dictionary::<Int32Type>();
            let words = words.downcast_dict::<arrow_array::StringArray>().unwrap();
            words.into_iter().map(|word| word.unwrap().to_owned())
        };
        let times = batch.column_by_name("time_ps").unwrap();
        let times = times.as_primitive::<UInt64Type>().values().iter();
        let values = batch.column_by_name("value").unwrap();
        let values = values.as_primitive::<Float64Type>().values().iter();
        for (((time, measure), entity), value) in
            times.zip(text("measure")).zip(text("entity")).zip(values)
        {
            rows.push((*time, measure, entity, *value));
        }
    }
    rows
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// The rows as text, with each column aligned to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths);
        let cells: Vec<_> = cells
            .map(|(cell, &width)| format!("{cell:>width$}"))
            .collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}
