//! The duration of computing on a machine, by the roofline model.
//!
//! Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model for
//! Multicore Architectures", CACM 52(4), 2009.
//!
//! ```text
//! time = max(operations / peak, 8 · bytes / memory rate)
//! ```
//!
//! Times are rounded down to whole ns, as in ASTRA-sim.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine of each rank, for computing without a duration in the trace.
///
/// ```toml
/// roofline = { peak_tflops = 900.0, memory_rate = "12.8Tbps" }
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Roofline {
    /// Peak rate of computing, in 10¹² operations per second.
    pub peak_tflops: f64,
    /// Rate at which the machine reads and writes its own memory. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_rate: Option<Rate>,
}

impl Roofline {
    pub(crate) fn check(self) -> Result<(), Diagnostic> {
        if !(self.peak_tflops.is_finite() && self.peak_tflops > 0.0) {
            let what = format!("`{}` is no rate of computing", self.peak_tflops);
            let wrong = Diagnostic::new(what, "give 10¹² operations a second, e.g. `900.0`");
            return Err(wrong.at("peak_tflops"));
        }
        if self.memory_rate.is_some_and(|rate| rate.as_bps() == 0) {
            let wrong = Diagnostic::new("a memory of rate 0 gives nothing", "give e.g. `12.8Tbps`");
            return Err(wrong.at("memory_rate"));
        }
        Ok(())
    }

    /// How long `operations` on `bytes` take; `None` if the time is too large.
    pub fn time(self, operations: u64, bytes: Bytes) -> Option<Time> {
        // 1 TFLOPS is 1000 operations per ns.
        let computing = operations as f64 / (self.peak_tflops * 1e3);
        let memory = self.memory_rate.map_or(0.0, |rate| {
            8e9 * bytes.as_u64() as f64 / rate.as_bps() as f64
        });
        let nanoseconds = computing.max(memory).floor();
        let fits = nanoseconds < u64::MAX as f64;
        let picoseconds = fits.then_some(nanoseconds as u64)?.checked_mul(1000)?;
        Some(Time::from_ps(picoseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 900 TFLOPS are 900 000 operations per ns; 12.8 Tb/s are 1600 bytes per ns.
    const MACHINE: Roofline = Roofline {
        peak_tflops: 900.0,
        memory_rate: Some(Rate::from_gbps(12_800)),
    };

    /// 1.8·10⁹ / 900 000 = 2000 ns; 1.6 MB / 1600 = 1000 ns, and 4.8 MB 3000 ns.
    #[test]
    fn the_slower_one_of_computing_and_memory_counts() {
        let ns = |operations, bytes| {
            let time = MACHINE.time(operations, Bytes::new(bytes));
            time.map(|time| time.as_ps() / 1000)
        };
        assert_eq!(ns(1_800_000_000, 1_600_000), Some(2_000));
        assert_eq!(ns(1_800_000_000, 4_800_000), Some(3_000));
        assert_eq!(ns(0, 1_600_000), Some(1_000));
        // 899 999 operations take less than a ns.
        assert_eq!(ns(899_999, 0), Some(0));
        let peak_only = Roofline {
            memory_rate: None,
            ..MACHINE
        };
        let time = peak_only.time(1_800_000_000, Bytes::new(4_800_000));
        assert_eq!(time, Some(Time::from_ps(2_000_000)));
        let slow = Roofline {
            peak_tflops: 1e-12,
            memory_rate: None,
        };
        assert_eq!(slow.time(u64::MAX, Bytes::new(0)), None);
    }

    #[test]
    fn a_machine_that_does_nothing_is_refused() {
        let wrong = |machine: Roofline| machine.check().unwrap_err().to_string();
        for peak in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let idle = Roofline {
                peak_tflops: peak,
                ..MACHINE
            };
            let expected = format!(
                "peak_tflops: `{peak}` is no rate of computing; give 10¹² operations a second, \
                 e.g. `900.0`"
            );
            assert_eq!(wrong(idle), expected);
        }
        let idle = Roofline {
            memory_rate: Some(Rate::from_bps(0)),
            ..MACHINE
        };
        assert_eq!(
            wrong(idle),
            "memory_rate: a memory of rate 0 gives nothing; give e.g. `12.8Tbps`"
        );
        assert_eq!(MACHINE.check(), Ok(()));
    }
}
