//! The figures of all cases, in the form in which files keep them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::build_info::BuildInfo;
use super::error::BenchError;
use super::measurement::Measurement;

/// The figures of all cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Report {
    /// The program that was measured.
    pub(super) build: BuildInfo,
    /// The figures of each case.
    pub(super) cases: Vec<Row>,
}

/// The figures of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    /// The case's name.
    pub(super) case: String,
    /// The fastest run of the case.
    #[serde(flatten)]
    pub(super) run: Measurement,
    /// Packet-hops per second of processor time.
    pub(super) packet_hops_per_cpu_second: f64,
    /// Wall-clock time on one thread over that on several threads; `None` if not measured.
    #[serde(default)]
    pub(super) speed_up: Option<f64>,
    /// Instructions of a run; `None` if not counted.
    pub(super) instructions: Option<u64>,
    /// Instructions over packet-hops.
    pub(super) instructions_per_packet_hop: Option<f64>,
}

impl Row {
    /// A row from the fastest run on one thread, and the fastest on several threads (`together`).
    pub(super) fn of(
        case: &str,
        run: Measurement,
        together: Option<&Measurement>,
        instructions: Option<u64>,
    ) -> Self {
        let hops = run.packet_hops as f64;
        Self {
            case: case.to_owned(),
            packet_hops_per_cpu_second: hops / run.cpu_seconds,
            speed_up: together.map(|run_of_several| run.wall_seconds / run_of_several.wall_seconds),
            instructions,
            instructions_per_packet_hop: instructions.map(|count| count as f64 / hops),
            run,
        }
    }
}

impl Report {
    pub(super) fn read(file: &Path) -> Result<Self, BenchError> {
        let text =
            std::fs::read_to_string(file).map_err(|source| BenchError::file(file, source))?;
        serde_json::from_str(&text).map_err(|source| BenchError::Baseline {
            path: file.to_owned(),
            source,
        })
    }

    pub(super) fn write(&self, file: &Path) -> Result<(), BenchError> {
        let json = serde_json::to_string_pretty(self).expect("numbers and text have a JSON form");
        std::fs::write(file, json + "\n").map_err(|source| BenchError::file(file, source))
    }

    /// The figures of a case.
    pub(super) fn row(&self, case: &str) -> Option<&Row> {
        self.cases.iter().find(|row| row.case == case)
    }
}
