//! The budget: the cost of each part of the simulator per packet-hop, in instructions and cache
//! misses.
//!
//! Callgrind counts both for each instruction of the program. The program's line tables give the
//! instruction's function, and the functions into which that one was inlined. The caches are
//! simulated, so they are the same on any machine.

mod callgrind;
mod line_tables;
mod parts;

use std::path::Path;
use std::process::Command;

use incast_sim::Diagnostic;
use serde::Serialize;

pub(super) use self::callgrind::Cost;
use self::line_tables::LineTables;
use super::build_info::BuildInfo;
use super::case::Case;
use super::error::BenchError;
use super::measurement::Measurement;

/// Simulated caches, as options of callgrind: size in bytes, ways, bytes of a line. The last level
/// is about as large as the L2 cache of one core.
pub(super) const CACHES: [&str; 3] = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"];

/// The simulated caches, as text in tables.
pub(super) const CACHES_SHOWN: &str = "simulated caches: L1 of 32 KiB for instructions and for \
                                       data, 8 ways; last level of 1 MiB, 16 ways; lines of 64 B";

/// The costs of all parts, in some cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Budgets {
    pub(super) build: BuildInfo,
    pub(super) caches: [&'static str; 3],
    pub(super) cases: Vec<Budget>,
}

/// The costs of all parts in one run of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Budget {
    pub(super) case: String,
    pub(super) packet_hops: u64,
    pub(super) total: Cost,
    /// Parts in the order of tables; parts without cost are left out.
    pub(super) parts: Vec<BudgetShare>,
}

/// The cost of one part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct BudgetShare {
    pub(super) part: &'static str,
    #[serde(flatten)]
    pub(super) cost: Cost,
    pub(super) per_packet_hop: PerPacketHop,
}

/// A cost per packet-hop.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub(super) struct PerPacketHop {
    pub(super) instructions: f64,
    pub(super) l1_data_misses: f64,
    pub(super) last_level_misses: f64,
}

impl Budgets {
    pub(super) fn write(&self, file: &Path) -> Result<(), BenchError> {
        let json = serde_json::to_string_pretty(self).expect("numbers and text have a JSON form");
        std::fs::write(file, json + "\n").map_err(|source| BenchError::file(file, source))
    }
}

impl Budget {
    /// Runs a case under callgrind.
    pub(super) fn measure(program: &Path, case: &Case) -> Result<Self, BenchError> {
        let profile = tempfile::NamedTempFile::new();
        let profile = profile.map_err(|source| BenchError::file(&std::env::temp_dir(), source))?;
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--dump-instr=yes", "--cache-sim=yes"])
            .args(CACHES)
            .arg(format!("--callgrind-out-file={}", profile.path().display()))
            .arg(program)
            .args(["--here", &case.name])
            .output()
            .map_err(|source| BenchError::no_valgrind("--budget", source))?;
        let not_counted = |said: String| BenchError::NotCounted {
            case: case.name.clone(),
            said,
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(not_counted(said.trim().to_owned()));
        }
        let run = Measurement::from_json(&output.stdout)?;
        let profile = std::fs::read_to_string(profile.path())
            .map_err(|source| BenchError::file(profile.path(), source))?;
        let lines = LineTables::of(program)?;
        let budget = Self::of(&case.name, run.packet_hops, &profile, program, &lines)
            .map_err(|malformed| not_counted(malformed.to_string()))?;
        match budget
            .parts
            .iter()
            .all(|share| parts::is_outside(share.part))
        {
            true => Err(BenchError::no_lines(program, "there are no line tables")),
            false => Ok(budget),
        }
    }

    /// Divides the costs of a profile among the parts.
    fn of(
        case: &str,
        packet_hops: u64,
        profile: &str,
        program: &Path,
        lines: &impl line_tables::Inlined,
    ) -> Result<Self, Diagnostic> {
        let profile = callgrind::read(profile)?;
        let mut costs = vec![Cost::default(); parts::NAMES.len()];
        for entry in &profile.entries {
            let part = match Path::new(entry.object) == program {
                true => parts::part_of(&lines.at(entry.address), entry.file),
                false => parts::LIBRARIES,
            };
            let place = parts::NAMES.iter().position(|&name| name == part);
            costs[place.expect("every part has its name there")] += entry.cost;
        }
        let shares = parts::NAMES.iter().zip(costs);
        let shares = shares.map(|(part, cost)| BudgetShare::of(part, cost, packet_hops));
        Ok(Self {
            case: case.to_owned(),
            packet_hops,
            total: profile.total,
            parts: shares
                .filter(|share| share.cost != Cost::default())
                .collect(),
        })
    }
}

impl BudgetShare {
    fn of(part: &'static str, cost: Cost, packet_hops: u64) -> Self {
        let per_packet_hop = PerPacketHop::of(cost, packet_hops);
        Self {
            part,
            cost,
            per_packet_hop,
        }
    }
}

impl PerPacketHop {
    pub(super) fn of(cost: Cost, packet_hops: u64) -> Self {
        let hops = packet_hops as f64;
        Self {
            instructions: cost.instructions as f64 / hops,
            l1_data_misses: cost.l1_data_misses as f64 / hops,
            last_level_misses: cost.last_level_misses as f64 / hops,
        }
    }
}

#[cfg(test)]
mod tests;
