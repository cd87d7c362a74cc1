//! The memory of a run, by purpose. Bytes per flow, packet and port were measured
//! (docs/performance.md).

use incast_engine::LONGEST_STEP_OF_SIDES;
use incast_net::IntSource;

use super::SeriesEstimate;
use super::fluid::FluidRun;
use crate::spec::{FlowRows, RowsOfAll, ValidSpec};

/// Bytes of the process: Python, Arrow and this library, and the unused parts of pages of 2 MiB.
pub(crate) const PROCESS: f64 = 80e6;
/// Bytes of a port: its queues, its link, and the packets of a short queue.
const PER_PORT: f64 = 8e3;
/// Bytes of a packet in a queue, without INT and with INT; queues grow by doubling.
const PER_PACKET: f64 = 90.0;
const PER_PACKET_WITH_TELEMETRY: f64 = 150.0;
/// Bytes of a packet on a link, without INT and with INT. Packets of one window are in one block of
/// memory. The block of the previous window is kept, for use in the next one.
const PER_PACKET_ON_LINK: f64 = 160.0;
const PER_PACKET_ON_LINK_WITH_TELEMETRY: f64 = 320.0;
/// Bytes of a routing table's entry: for each switch and each switch with hosts, the next hops.
const PER_ROUTE: f64 = 30.0;
/// Bytes of a flow in results: its row in memory, also while tables and report are written.
const PER_FLOW: f64 = 230.0;
/// Bytes of a flow in a run with too many flows to load their rows: the values that statistics keep
/// until then.
const PER_FLOW_ON_DISK: f64 = 20.0;
/// The estimated number of flows may be too large by this factor.
const FEWER: f64 = 1.25;
/// Bytes of a flow under way, without and with its own control packets (s-PERC).
const PER_FLOW_ALIVE: f64 = 700.0;
const PER_FLOW_WITH_CONTROL: f64 = 1150.0;
/// Bytes of a task of a file, with its dependencies.
const PER_TASK: f64 = 150.0;
/// Bytes of a message whose cause is kept for the critical path.
const PER_CAUSE: f64 = 20.0;
/// Bytes of a row of a series: the sample, and its row in the table.
const PER_ROW: f64 = 72.0;

/// Rough upper bounds on the memory of a run, in bytes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct MemoryEstimate {
    /// The process and its libraries.
    pub process: f64,
    /// Hosts, switches, routes.
    pub network: f64,
    /// Flows under way, and listed tasks.
    pub flows: f64,
    /// Rows of flows that are in memory.
    pub rows: f64,
    /// Rows of all flows, if they were loaded; not a part of the total.
    pub rows_if_loaded: f64,
    /// Packets on links and at switches.
    pub packets: f64,
    /// Series.
    pub series: f64,
    /// The packet trace.
    pub trace: f64,
}

impl MemoryEstimate {
    /// The estimate, with `traced` events in the packet trace.
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

/// Memory of rows of flows, in bytes.
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

/// Number of link delays whose packets are in memory at once: two if the engine lets the sides of
/// the network take turns in windows.
fn windows_on_link(spec: &ValidSpec) -> f64 {
    let shortest = spec.ports().iter().map(|port| port.delay).min();
    let is_short = shortest.is_none_or(|delay| delay <= LONGEST_STEP_OF_SIDES);
    match is_short && spec.faults().is_none() && spec.listed_tasks().tasks == 0 {
        true => 2.0,
        false => 1.0,
    }
}

/// Number of task-graph messages whose causes are kept.
fn causes(spec: &ValidSpec) -> f64 {
    let limit = spec.measure().row_limit.0 as u128;
    let messages = spec.task_graphs().map(|(_, graph)| graph.messages());
    messages.filter(|messages| *messages <= limit).sum::<u128>() as f64
}

/// Number of entries of all routing tables: one table for each set of links that are down together.
pub(super) fn routes(spec: &ValidSpec) -> f64 {
    let edges = spec.routes().edges().len();
    let tables = spec.faults().map_or(1, |faults| faults.plan.routes().len());
    f64::from(spec.topology().switches) * edges as f64 * tables as f64
}

/// An event of the packet trace: its record, and its row.
const PER_EVENT: f64 = 200.0;
