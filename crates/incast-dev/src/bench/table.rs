//! Figures as tables.

use super::budget::{Budgets, CACHES_SHOWN, PerPacketHop};
use super::case::Case;
use super::report::{Report, Row};

/// The cases and their summaries.
pub(super) fn cases(cases: &[Case]) -> String {
    let rows = cases
        .iter()
        .map(|case| vec![case.name.clone(), case.summary.clone()]);
    aligned(&rows.collect::<Vec<_>>(), 2)
}

/// The figures of a report, with changes since a baseline.
pub(super) fn figures(report: &Report, baseline: Option<&Report>) -> String {
    let mut rows = vec![heading(baseline.is_some())];
    for row in &report.cases {
        let then = baseline.map(|baseline| baseline.row(&row.case));
        rows.push(line(row, then));
    }
    let mut text = format!("{}\n", report.build.describe());
    if let Some(baseline) = baseline {
        text += &format!("baseline: {}\n", baseline.build.describe());
    }
    text + "\n" + &aligned(&rows, 1)
}

/// The cost of each part per packet-hop, case by case.
pub(super) fn budgets(budgets: &Budgets) -> String {
    let mut text = format!("{}\n{CACHES_SHOWN}\n", budgets.build.describe());
    let columns = ["instructions", "L1 data misses", "last-level misses"];
    for budget in &budgets.cases {
        let mut rows = vec![vec![format!("{}, per packet-hop", budget.case)]];
        rows[0].extend(columns.map(str::to_owned));
        for share in &budget.parts {
            rows.push(budget_line(share.part, share.per_packet_hop));
        }
        let total = PerPacketHop::of(budget.total, budget.packet_hops);
        rows.push(budget_line("total", total));
        text += &format!("\n{}", aligned(&rows, 1));
    }
    text
}

fn budget_line(part: &str, cost: PerPacketHop) -> Vec<String> {
    vec![
        part.to_owned(),
        format!("{:.1}", cost.instructions),
        format!("{:.3}", cost.l1_data_misses),
        format!("{:.3}", cost.last_level_misses),
    ]
}

fn heading(compared: bool) -> Vec<String> {
    let figures = [
        "packet-hops",
        "M/CPU second",
        "speed-up",
        "instructions/hop",
        "peak memory",
    ];
    let mut heading = vec!["case".to_owned()];
    for figure in figures {
        heading.push(figure.to_owned());
        heading.extend(compared.then(|| "change".to_owned()));
    }
    heading.push("fingerprint".to_owned());
    heading.extend(compared.then(|| "results".to_owned()));
    heading
}

/// A line of the table; `then` is the baseline's row of this case, if there is a baseline.
fn line(row: &Row, then: Option<Option<&Row>>) -> Vec<String> {
    let mut cells = vec![row.case.clone()];
    for figure in &FIGURES {
        let now = (figure.of)(row);
        cells.push(now.map_or_else(absent, figure.shown));
        if let Some(then) = then {
            let then = then.and_then(figure.of);
            cells.push(now.zip(then).map_or_else(absent, change));
        }
    }
    cells.push(row.run.fingerprint.clone());
    cells.extend(then.map(|then| verdict(row, then).to_owned()));
    cells
}

/// A column.
struct Figure {
    of: fn(&Row) -> Option<f64>,
    shown: fn(f64) -> String,
}

const FIGURES: [Figure; 5] = [
    Figure {
        of: |row| Some(row.run.packet_hops as f64),
        shown: |hops| grouped(hops as u64),
    },
    Figure {
        of: |row| Some(row.packet_hops_per_cpu_second),
        shown: |rate| format!("{:.2}", rate / 1e6),
    },
    Figure {
        of: |row| row.speed_up,
        shown: |ratio| format!("{ratio:.2}"),
    },
    Figure {
        of: |row| row.instructions_per_packet_hop,
        shown: |count| format!("{count:.1}"),
    },
    Figure {
        of: |row| row.run.peak_memory_bytes.map(|bytes| bytes as f64),
        shown: |bytes| format!("{:.1} MB", bytes / 1e6),
    },
];

fn absent() -> String {
    "–".to_owned()
}

fn change((now, then): (f64, f64)) -> String {
    let percent = 100.0 * (now / then - 1.0);
    format!("{percent:+.1} %")
}

fn verdict(row: &Row, then: Option<&Row>) -> &'static str {
    match then {
        None => "new case",
        Some(then) if then.run.fingerprint == row.run.fingerprint => "same",
        Some(_) => "differ",
    }
}

/// 46 910 000 with spaces between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Aligned columns; the first `left` ones to the left, the others to the right.
pub(super) fn aligned(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells =
            row.iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| match column < left {
                    true => format!("{cell:<width$}"),
                    false => format!("{cell:>width$}"),
                });
        let line = cells.collect::<Vec<_>>().join("  ");
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::build_info::BuildInfo;
    use super::super::measurement::Measurement;
    use super::*;

    fn report(commit: &str, cases: Vec<Row>) -> Report {
        let build = BuildInfo {
            commit: commit.into(),
            profile: "release".into(),
            opt_level: "3".into(),
            target: "x86_64".into(),
            rust_flags: String::new(),
            compiler: "rustc 1.95.0".into(),
        };
        Report { build, cases }
    }

    /// A row of 46 910 000 packet-hops in `cpu_seconds`.
    fn row(case: &str, cpu_seconds: f64, instructions: Option<u64>, fingerprint: &str) -> Row {
        let run = Measurement {
            fingerprint: fingerprint.into(),
            packet_hops: 46_910_000,
            cpu_seconds,
            wall_seconds: cpu_seconds,
            peak_memory_bytes: Some(48_000_000),
        };
        // On two threads in 2.5 s.
        let together = Measurement {
            wall_seconds: 2.5,
            ..run.clone()
        };
        Row::of(case, run, Some(&together), instructions)
    }

    #[test]
    fn figures_stand_in_columns() {
        let report = report("abc", vec![row("clos", 4.0, Some(26_363_420_000), "cbe9")]);
        let expected = "\
abc; profile release, opt-level 3; rustc 1.95.0; x86_64

case  packet-hops  M/CPU second  speed-up  instructions/hop  peak memory  fingerprint
clos   46 910 000         11.73      1.60             562.0      48.0 MB         cbe9
";
        assert_eq!(figures(&report, None), expected);
    }

    /// 5 s to 4 s: 46.91 / 4 = 11.73 M/s, 25 % more. 23 455 to 22 282 million instructions: from
    /// 500 to 475 for each of 46.91 million packet-hops, 5 % fewer.
    #[test]
    fn changes_stand_beside_them() {
        let then = report("abc", vec![row("clos", 5.0, Some(23_455_000_000), "cbe9")]);
        let now = report(
            "def",
            vec![
                row("clos", 4.0, Some(22_282_250_000), "0803"),
                row("star", 4.0, None, "cbe9"),
            ],
        );
        let text = figures(&now, Some(&then));
        let lines: Vec<_> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            lines[1],
            "baseline: abc; profile release, opt-level 3; rustc 1.95.0; x86_64"
        );
        assert_eq!(
            lines[4],
            "clos 46 910 000 +0.0 % 11.73 +25.0 % 1.60 -20.0 % 475.0 -5.0 % 48.0 MB +0.0 % \
             0803 differ"
        );
        assert_eq!(
            lines[5],
            "star 46 910 000 – 11.73 – 1.60 – – – 48.0 MB – cbe9 new case"
        );
    }
}
