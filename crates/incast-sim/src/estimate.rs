//! Estimates of a run before it begins: packet-hops, simulated time, rows of series, memory.
//!
//! The first flows of each traffic entry are drawn. They take the paths that ECMP chooses; flows of
//! a task graph start when their dependencies allow. A link carries one flow after the other. The
//! remaining flows are assumed to be like the first ones on average. Congestion control, losses and
//! queues in the network are ignored.

mod fluid;
mod memory;
mod trace;

use incast_diagnostic::Diagnostic;
use incast_net::FlowControl;
use incast_units::Time;

use crate::spec::ValidSpec;
use crate::spec::section::faults::FaultSection;
use fluid::FluidRun;
pub use memory::MemoryEstimate;
pub(crate) use memory::PROCESS;

/// Rows of a series per sample: of totals over the network, and of one flow.
const ROWS_PER_TICK: f64 = 4.0;
const ROWS_PER_FLOW: f64 = 4.0;

/// A rough estimate of a run.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Flows that start.
    pub flows: f64,
    /// Data packets and ACKs that cross a link, summed over links.
    pub packet_hops: f64,
    /// Whether packets may be dropped and retransmitted, which the estimate ignores.
    pub may_drop: bool,
    /// Simulated time.
    pub end: Time,
    /// Samples of queues.
    pub queues: Option<SeriesEstimate>,
    /// Samples of flows.
    pub flow_series: Option<SeriesEstimate>,
    /// Bytes.
    pub memory: MemoryEstimate,
}

/// A series: its rows before and after thinning.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SeriesEstimate {
    /// Number of rows of all samples, before thinning.
    pub rows: f64,
    /// Time between samples.
    pub every: Time,
    /// Time between the samples that will be kept.
    pub kept_every: Time,
}

impl ValidSpec {
    /// A rough estimate of the scenario's run.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn estimate(&self) -> Result<Estimate, Diagnostic> {
        let run = FluidRun::of(self)?;
        let measure = self.measure();
        let limit = measure.row_limit.0 as f64;
        let sampled = run.share_until(measure.until);
        let ticks = |every: Time| (sampled * run.busy_ps / every.as_ps() as f64).ceil();
        let queues = measure.queue_interval.map(|every| {
            let rows_per_tick = ROWS_PER_TICK + measure.queue_ports.len() as f64;
            SeriesEstimate::of(ticks(every) * rows_per_tick, every, limit)
        });
        let flow_series = measure.flow_interval.map(|every| {
            let lives = match measure.flows {
                true => sampled * run.lives_ps / every.as_ps() as f64,
                false => 0.0,
            };
            let rows = ROWS_PER_TICK * ticks(every) + ROWS_PER_FLOW * lives;
            SeriesEstimate::of(rows, every, limit)
        });
        let traced = trace::events(self, &run);
        let memory = MemoryEstimate::of(self, &run, [queues, flow_series], traced);
        Ok(Estimate {
            flows: run.flows,
            packet_hops: run.packet_hops,
            may_drop: matches!(self.network().flow_control, FlowControl::Drop(_))
                || self.scenario.fault.iter().any(FaultSection::loses),
            end: run.end,
            queues,
            flow_series,
            memory,
        })
    }
}

impl SeriesEstimate {
    fn of(rows: f64, every: Time, limit: f64) -> Self {
        let doublings = doublings(rows, limit);
        Self {
            rows,
            every,
            kept_every: Time::from_ps((every.as_ps() as f64 * doublings.exp2()) as u64),
        }
    }

    /// Whether some samples will be dropped.
    pub fn is_thinned(&self) -> bool {
        self.kept_every > self.every
    }

    /// Number of rows that are kept.
    fn kept_rows(&self) -> f64 {
        self.rows * self.every.as_ps() as f64 / self.kept_every.as_ps() as f64
    }
}

/// How often the interval must be doubled until `rows` are at most `limit`.
pub(crate) fn doublings(rows: f64, limit: f64) -> f64 {
    (rows / limit).log2().ceil().clamp(0.0, 40.0)
}

#[cfg(test)]
mod tests;
