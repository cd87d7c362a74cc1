//! The memory of a run, by purpose. Bytes per flow, packet and port were measured
//! (docs/performance.md).

use incast_engine::LONGEST_STEP_OF_SIDES;
use incast_net::IntSource;

use super::SeriesEstimate;
use super::fluid::FluidRun;
use crate::spec::{FlowRows, RowsOfAll, ValidSpec};

/// The process: Python, Arrow, and this library; and what pages of 2 MiB take beyond what is used.
pub(crate) const PROCESS: f64 = 80e6;
/// A port: its queues, its link, the few packets of a short one.
const PER_PORT: f64 = 8e3;
/// A packet that waits in a queue, without telemetry and with it; queues grow by doubling.
const PER_PACKET: f64 = 90.0;
const PER_PACKET_WITH_TELEMETRY: f64 = 150.0;
/// A packet on a link: packets of a window lie together in memory, and the memory of the window
/// before, which they are taken from meanwhile, is kept for the next one.
const PER_PACKET_ON_LINK: f64 = 160.0;
const PER_PACKET_ON_LINK_WITH_TELEMETRY: f64 = 320.0;
/// A row of the table of routes: of a switch, for a switch with hosts; its next hops.
const PER_ROUTE: f64 = 30.0;
/// A flow in results: its row, in memory and while tables and report are written.
const PER_FLOW: f64 = 230.0;
/// A flow among so many that no row of them is loaded: what statistics keep of it until then.
const PER_FLOW_ON_DISK: f64 = 20.0;
/// Flows may be fewer than estimated, by this factor.
const FEWER: f64 = 1.25;
/// A flow under way, without control packets of its own and with them (s-PERC).
const PER_FLOW_ALIVE: f64 = 700.0;
const PER_FLOW_WITH_CONTROL: f64 = 1150.0;
/// A task of a file: as it is read, with what it waits for.
const PER_TASK: f64 = 150.0;
/// A message whose cause is kept, for the critical path.
const PER_CAUSE: f64 = 20.0;
/// A row of a series: the sample, and the row of the table that is made of it.
const PER_ROW: f64 = 72.0;

/// Bytes that a run takes at most, roughly.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct MemoryEstimate {
    /// The process and its libraries.
    pub process: f64,
    /// Hosts, switches, routes.
    pub network: f64,
    /// Flows under way; tasks that are listed.
    pub flows: f64,
    /// Rows of flows, as far as results keep them in memory.
    pub rows: f64,
    /// The same, if all of them were loaded. That is no part of it.
    pub rows_if_loaded: f64,
    /// Packets that links and switches hold.
    pub packets: f64,
    /// Series.
    pub series: f64,
    /// The packet trace.
    pub trace: f64,
}

impl MemoryEstimate {
    /// The estimate with so many events in the packet trace.
    pub(super) fn of(
        spec: &ValidSpec,
        run: &FluidRun,
        series: [Option<SeriesEstimate>; 2],
        traced: f64,
    ) -> Self {
        let rows = series.iter().flatten().map(SeriesEstimate::kept_rows);
        let (waiting, on_link) = match spec.network().int {
            IntSource::Off => (PER_PACKET, PER_PACKET_ON_LINK),
            _ => (PER_PACKET_WITH_TELEMETRY, PER_PACKET_ON_LINK_WITH_TELEMETRY),
        };
        let per_flow_alive = match spec.algorithms().needs().host_programs.is_empty() {
            true => PER_FLOW_ALIVE,
            false => PER_FLOW_WITH_CONTROL,
        };
        let listed = spec.listed_tasks();
        let rows_of_flows = RowsOfFlows::of(spec, run.flows);
        let alive = run.alive.max(listed.widest as f64).min(run.flows);
        Self {
            process: PROCESS,
            network: spec.ports().count() as f64 * PER_PORT + routes(spec) * PER_ROUTE,
            flows: alive * per_flow_alive
                + listed.tasks as f64 * PER_TASK
                + causes(spec) * PER_CAUSE,
            rows: rows_of_flows.in_memory,
            rows_if_loaded: rows_of_flows.if_loaded,
            packets: (run.queued * waiting).max(run.on_links * on_link * windows_on_link(spec)),
            series: rows.sum::<f64>() * PER_ROW,
            trace: traced * PER_EVENT,
        }
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        let run = self.process + self.network + self.flows + self.packets;
        run + self.rows + self.series + self.trace
    }
}

/// Bytes of rows of flows.
struct RowsOfFlows {
    in_memory: f64,
    if_loaded: f64,
}

impl RowsOfFlows {
    fn of(spec: &ValidSpec, flows: f64) -> Self {
        let kept = spec.flow_rows().settled(RowsOfAll::Fit);
        let most_loaded = spec.measure().row_limit.0 as f64;
        let rows = kept.expected(flows);
        Self {
            in_memory: match kept {
                FlowRows::Slowest(_) | FlowRows::None => PER_FLOW * rows,
                _ if rows > FEWER * most_loaded => PER_FLOW_ON_DISK * most_loaded,
                _ => PER_FLOW * rows.min(most_loaded),
            },
            if_loaded: PER_FLOW * rows,
        }
    }
}

/// Link delays whose packets lie in memory at once: two where sides of the network take turns, if
/// they can be told apart.
fn windows_on_link(spec: &ValidSpec) -> f64 {
    let shortest = spec.ports().iter().map(|port| port.delay).min();
    let is_short = shortest.is_none_or(|delay| delay <= LONGEST_STEP_OF_SIDES);
    match is_short && spec.faults().is_none() && spec.listed_tasks().tasks == 0 {
        true => 2.0,
        false => 1.0,
    }
}

/// Messages of task graphs whose causes are kept.
fn causes(spec: &ValidSpec) -> f64 {
    let limit = spec.measure().row_limit.0 as u128;
    let messages = spec.task_graphs().map(|(_, graph)| graph.messages());
    messages.filter(|messages| *messages <= limit).sum::<u128>() as f64
}

/// Rows of the tables of routes: one table for each set of links that are down together.
pub(super) fn routes(spec: &ValidSpec) -> f64 {
    let edges = spec.routes().edges().len();
    let tables = spec.faults().map_or(1, |faults| faults.plan.routes().len());
    f64::from(spec.topology().switches) * edges as f64 * tables as f64
}

/// A traced event of a packet: as it is recorded, and as a row.
const PER_EVENT: f64 = 200.0;
