//! What a run will take, before it: packet-hops, time, rows of series, memory.
//!
//! The first flows of each traffic entry are drawn and laid on the paths that ECMP chooses, those
//! of a task graph when others let them go; a link carries one flow after the other. What is
//! beyond the first flows is like them, in the mean.
//! Congestion control, losses and queues in the network are left out.

mod fluid;
mod memory;
mod timers;
mod trace;

use incast_diagnostic::Diagnostic;
use incast_net::{FlowControl, Ties};
use incast_units::Time;

use crate::spec::ValidSpec;
use crate::spec::section::faults::FaultSection;
use fluid::FluidRun;
pub use memory::MemoryEstimate;
pub(crate) use memory::PROCESS;

/// Packet-hops per second of one core: of the window engine, and of the event queue. Machines
/// differ by a factor of two.
const HOPS_PER_SECOND: f64 = 25e6;
const EVENT_QUEUE_HOPS_PER_SECOND: f64 = 4e6;
/// Speed of the plain path, which runs with faults or packet traces take.
const HOPS_PER_SECOND_ON_PLAIN_PATH: f64 = 10e6;
/// Seconds for a byte of packets that is written to for the first time; measured
/// (docs/engineering/estimates.md).
const SECONDS_PER_BYTE: f64 = 0.9e-9;
/// Seconds for a flow, beside its packets.
const SECONDS_PER_FLOW: f64 = 2e-6;
/// Seconds for a row of the table of routes, and for each spanning tree that it may lie on.
const SECONDS_PER_ROUTE: f64 = 0.3e-6;
const SECONDS_PER_ROUTE_AND_TREE: f64 = 0.03e-6;
/// Seconds for a task of a file, beside its flow.
const SECONDS_PER_TASK: f64 = 1.2e-6;
/// Seconds for a sample of a switch's queues, of a host with flows and of each flow, and for a row
/// of series until it is on disk; measured (docs/engineering/estimates.md).
const SECONDS_PER_SWITCH_SAMPLE: f64 = 0.4e-6;
const SECONDS_PER_HOST_SAMPLE: f64 = 0.025e-6;
const SECONDS_PER_FLOW_SAMPLE: f64 = 0.006e-6;
const SECONDS_PER_ROW: f64 = 0.15e-6;
/// Seconds for an event of the packet trace, until it is on disk; measured
/// (docs/engineering/estimates.md).
const SECONDS_PER_EVENT: f64 = 0.25e-6;
/// Seconds to fill the rate of a flow again, when another comes or goes; measured
/// (docs/engineering/estimates.md).
const SECONDS_PER_FILLING: f64 = 0.15e-6;
/// Changes of queues for a packet-hop: its packet arrives, and leaves.
const CHANGES_PER_HOP: f64 = 2.0;
/// Switches that the data of a flow wait at, at most.
const SWITCHES_PER_FLOW: f64 = 3.0;
/// Seconds for an ACK in an algorithm of Python; measured (docs/own-algorithms.md).
const SECONDS_PER_EXTERNAL_ACK: f64 = 1.5e-6;
/// Rows of totals per sample, and of a flow's sample.
const ROWS_PER_TICK: f64 = 4.0;
const ROWS_PER_FLOW: f64 = 4.0;

/// What a run will take, roughly.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Flows that start.
    pub flows: f64,
    /// Data packets and ACKs that cross a link, summed over links.
    pub packet_hops: f64,
    /// Whether packets may be dropped, and sent again, which is left out.
    pub may_drop: bool,
    /// Simulated time.
    pub end: Time,
    /// Processor time, in seconds.
    pub seconds: f64,
    /// Samples of queues.
    pub queues: Option<SeriesEstimate>,
    /// Samples of flows.
    pub flow_series: Option<SeriesEstimate>,
    /// Bytes.
    pub memory: MemoryEstimate,
}

/// A series: its rows before it is thinned, and what is left of it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SeriesEstimate {
    /// Rows of all samples.
    pub rows: f64,
    /// Time between samples.
    pub every: Time,
    /// Time between those that will be kept.
    pub kept_every: Time,
}

impl ValidSpec {
    /// What its run will take.
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
        let switches = f64::from(self.topology().switches).min(run.alive * SWITCHES_PER_FLOW);
        // Samples of queues that do not change are counted together.
        let changes = CHANGES_PER_HOP * run.packet_hops;
        let of_queues = measure.queue_interval.map_or(0.0, ticks) * switches;
        let of_queues = of_queues.min(changes);
        // Of a flow, samples that are not kept are not taken, but those before one that is.
        let hosts = f64::from(self.topology().hosts).min(run.alive);
        let of_flows = flow_series.map_or(0.0, |series| {
            let all = sampled * run.lives_ps / series.every.as_ps() as f64;
            let seconds = ticks(series.every) * hosts * SECONDS_PER_HOST_SAMPLE
                + all * SECONDS_PER_FLOW_SAMPLE;
            seconds * (2.0 * series.kept_share()).min(1.0)
        });
        let rows: f64 = [queues, flow_series]
            .iter()
            .flatten()
            .map(SeriesEstimate::kept_rows)
            .sum();
        let sampling = of_queues * SECONDS_PER_SWITCH_SAMPLE + of_flows + rows * SECONDS_PER_ROW;
        let speed = match self.network().model.ties {
            Ties::Insertion => EVENT_QUEUE_HOPS_PER_SECOND,
            Ties::Port | Ties::Hash if self.faults().is_some() || measure.packets.is_some() => {
                HOPS_PER_SECOND_ON_PLAIN_PATH
            }
            Ties::Port | Ties::Hash => HOPS_PER_SECOND,
        };
        let per_route =
            SECONDS_PER_ROUTE + self.routes().trees() as f64 * SECONDS_PER_ROUTE_AND_TREE;
        let traced = trace::events(self, &run);
        let memory = MemoryEstimate::of(self, &run, [queues, flow_series], traced);
        Ok(Estimate {
            flows: run.flows,
            packet_hops: run.packet_hops,
            may_drop: matches!(self.network().flow_control, FlowControl::Drop(_))
                || self.scenario.fault.iter().any(FaultSection::loses),
            end: run.end,
            seconds: run.packet_hops / speed
                + memory.packets * SECONDS_PER_BYTE
                + run.flows * SECONDS_PER_FLOW
                + self.listed_tasks().tasks as f64 * SECONDS_PER_TASK
                + memory::routes(self) * per_route
                + timers::seconds(self, &run)
                + traced * SECONDS_PER_EVENT
                + self.seconds_outside(run.packet_hops)
                + self.seconds_for_fair_shares(&run)
                + sampling,
            queues,
            flow_series,
            memory,
        })
    }

    /// Seconds to compute max-min fair shares: with each flow that comes or goes, of all alive.
    fn seconds_for_fair_shares(&self, run: &FluidRun) -> f64 {
        match self.fair_share() {
            true => 2.0 * run.flows * run.alive * SECONDS_PER_FILLING,
            false => 0.0,
        }
    }

    /// Seconds in an algorithm that is no part of this program, if there is one.
    fn seconds_outside(&self, packet_hops: f64) -> f64 {
        if !self.has_external() {
            return 0.0;
        }
        // A packet crosses one link more than switches, and its ACK the same.
        let links = f64::from(self.routes().longest_path_switches()) + 1.0;
        packet_hops / (2.0 * links) * SECONDS_PER_EXTERNAL_ACK
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

    /// Whether not all of its samples will be kept.
    pub fn is_thinned(&self) -> bool {
        self.kept_every > self.every
    }

    /// Rows that are kept.
    fn kept_rows(&self) -> f64 {
        self.rows * self.kept_share()
    }

    /// The part of all samples that is kept.
    fn kept_share(&self) -> f64 {
        self.every.as_ps() as f64 / self.kept_every.as_ps() as f64
    }
}

/// How often the interval of so many rows doubles until they are no more than `limit`.
pub(crate) fn doublings(rows: f64, limit: f64) -> f64 {
    (rows / limit).log2().ceil().clamp(0.0, 40.0)
}

#[cfg(test)]
mod tests;
