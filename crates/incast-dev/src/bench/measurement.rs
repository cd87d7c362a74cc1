//! One run of one case.

use std::num::NonZeroUsize;

use incast_sim::{Threads, ValidFabricSpec, ValidSpec, run_on};
use serde::{Deserialize, Serialize};

use super::case::{Case, CaseNetwork};
use super::error::BenchError;
use super::null::NullNetwork;

/// The cost and the result of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Measurement {
    /// Hash of the results.
    pub(super) fingerprint: String,
    /// Data packets and ACKs that crossed a link, summed over links; for a memory fabric, flits.
    pub(super) packet_hops: u64,
    /// Processor time of the run in seconds, without reading the scenario and computing routes.
    pub(super) cpu_seconds: f64,
    /// Wall-clock time of the run in seconds, likewise.
    #[serde(default)]
    pub(super) wall_seconds: f64,
    /// Peak memory of the process; `None` if the system does not report it.
    pub(super) peak_memory_bytes: Option<u64>,
}

impl Measurement {
    /// Runs a case in this process, on at most `threads` threads.
    pub(super) fn here(case: &Case, threads: NonZeroUsize) -> Result<Self, BenchError> {
        let threads = Threads::new(threads);
        match case.network {
            CaseNetwork::Whole => Self::of_whole(&case.scenario()?, threads),
            CaseNetwork::Null => Self::of_null(&case.scenario()?, threads, case),
            CaseNetwork::Fabric => Self::of_fabric(&case.fabric()?, threads, case),
        }
    }

    fn of_fabric(
        scenario: &ValidFabricSpec,
        threads: Threads,
        case: &Case,
    ) -> Result<Self, BenchError> {
        let results = scenario.run(threads);
        let results = results.map_err(|error| BenchError::CaseFailed {
            case: case.name.clone(),
            messages: error.to_string(),
        })?;
        Ok(Self {
            fingerprint: results.fingerprint,
            packet_hops: results.effort.flit_hops,
            cpu_seconds: results.effort.cpu.as_secs_f64(),
            wall_seconds: results.effort.wall.as_secs_f64(),
            peak_memory_bytes: peak_memory(),
        })
    }

    fn of_whole(scenario: &ValidSpec, threads: Threads) -> Result<Self, BenchError> {
        let results = run_on(scenario, threads, &mut ())?;
        let effort = results.summary.effort;
        Ok(Self {
            fingerprint: results.summary.fingerprint.to_string(),
            packet_hops: effort.packet_hops,
            cpu_seconds: effort.cpu_seconds,
            wall_seconds: effort.wall_seconds,
            peak_memory_bytes: peak_memory(),
        })
    }

    fn of_null(scenario: &ValidSpec, threads: Threads, case: &Case) -> Result<Self, BenchError> {
        let network = NullNetwork::of(scenario).map_err(|messages| BenchError::CaseFailed {
            case: case.name.clone(),
            messages,
        })?;
        let outcome = network.run(threads);
        Ok(Self {
            fingerprint: format!("{:016x}", outcome.fingerprint),
            packet_hops: outcome.packet_hops,
            cpu_seconds: outcome.cpu.as_secs_f64(),
            wall_seconds: outcome.wall.as_secs_f64(),
            peak_memory_bytes: peak_memory(),
        })
    }

    /// This measurement; an error if its results differ from those of another run of the case.
    pub(super) fn same_as(self, other: &Self, case: &Case) -> Result<Self, BenchError> {
        if self.fingerprint == other.fingerprint {
            return Ok(self);
        }
        Err(BenchError::Unsteady {
            case: case.name.clone(),
            fingerprints: [other.fingerprint.clone(), self.fingerprint],
        })
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and text have a JSON form")
    }

    pub(super) fn from_json(json: &[u8]) -> Result<Self, BenchError> {
        serde_json::from_slice(json).map_err(|source| BenchError::Measurement { source })
    }
}

/// The largest resident set of this process, as Linux reports it.
fn peak_memory() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmHWM` of a status file in bytes; the file says kB and means KiB.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_in_kib() {
        let status = "VmPeak:\t   10 kB\nVmHWM:\t    48 kB\nVmRSS:\t    12 kB\n";
        assert_eq!(high_water_mark(status), Some(48 * 1024));
        assert_eq!(high_water_mark("VmPeak:\t 10 kB\n"), None);
    }
}
