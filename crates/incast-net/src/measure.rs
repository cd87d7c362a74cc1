//! Measuring: the path of a quantity from the place where it is counted to results.
//!
//! ```text
//! host, switch ──► Recorder (one per thread) ── merge ──► Recording ──► incast-sim's results
//! ```
//!
//! A quantity of a flow or a port is declared once, with its name and unit, by `quantities!`: every
//! counter in [`PortCounters`] is a column of `ports.parquet` and part of the fingerprint.
//! Everything is an integer, so that sums do not depend on the order of nodes.

mod arrival_order;
mod breakdown;
mod causes;
mod entropies;
mod fault_log;
mod flows;
mod histogram;
mod idle_time;
mod int_ages;
mod mean_weights;
mod nic_log;
mod packet_latencies;
mod packets;
mod pause_log;
mod paused_ports;
mod ports;
mod quantity;
mod queue_statistics;
mod recorder;
mod round_trips;
mod sampling;
mod series;
mod since_sample;
mod ticks;
mod timeline;
mod totals;
mod trace;
mod trims;
mod window;

use std::collections::BTreeMap;

use incast_engine::RowLimit;
use incast_units::{Bytes, FlowId, Time};

use crate::stall::Stall;

pub use arrival_order::{ArrivalOrder, ArrivalOrders, PayloadWait};
pub use breakdown::{Breakdown, OnLinks, SenderPart};
pub use causes::{CauseRecords, CompanyRecord, Heard, PauseCause, SendState, SenderRecord};
pub use entropies::{EntropyCounters, EntropyRecord};
pub(crate) use fault_log::{FaultLog, LossCause};
pub use fault_log::{FaultOutcome, FaultRecord, Losses};
pub use flows::{FlowCounters, FlowRecord, FlowSample, ProbeSample, UnfinishedFlow};
pub use histogram::Histogram;
pub(crate) use idle_time::IdleTime;
pub(crate) use int_ages::RecordOrder;
pub use int_ages::{IntAges, PathPosition};
pub use mean_weights::MeanWeight;
pub(crate) use nic_log::NicLog;
pub use packet_latencies::PacketLatency;
pub use packets::{PacketEvent, PacketRecord};
pub use ports::{PauseEvent, PortCounters, QueueSample};
pub(crate) use recorder::{Failure, Recorder};
pub use round_trips::RoundTrips;
pub(crate) use sampling::{Sampling, SkippedSamples};
pub(crate) use series::PartBound;
pub(crate) use since_sample::{OfFlow, SinceSample};
pub(crate) use ticks::PAGE;
pub(crate) use timeline::{CompletedBy, CompletingPacket, DepartingPacket, Keeper, Timeline};
pub(crate) use totals::StandingTotals;
pub use totals::Tick;
pub use trace::PacketTrace;
pub(crate) use trace::{Log, PacketFacts, Silent, Tracing};
pub use trims::TrimCounters;
pub use window::MeasuringWindow;

/// Recordings in addition to flows and counters.
#[derive(Clone, Debug, Default)]
pub struct MeasureConfig {
    /// Interval of queue samples: totals over all switch ports, and the ports listed.
    pub queue_interval: Option<Time>,
    /// Global indices of the ports whose queue is recorded one by one.
    pub queue_ports: Vec<u32>,
    /// Interval of flow samples: totals over the flows alive.
    pub flow_interval: Option<Time>,
    /// Whether every flow's samples are kept one by one.
    pub flows: bool,
    /// Whether PFC frames are kept one by one.
    pub pauses: bool,
    /// Whether each flow's samples include the state that its algorithm shows for plotting.
    pub probes: bool,
    /// Start of counting packets' round trips, by the arrival of their ACKs; `None`: they are not
    /// counted.
    pub round_trips: Option<Time>,
    /// Whether the age of INT is measured at the arrival of ACKs.
    pub int_age: bool,
    /// Whether the longest packet latency of each flow is measured.
    pub packet_latency: bool,
    /// Whether the parts of each flow's FCT are summed up.
    pub breakdown: bool,
    /// Whether senders count the feedback on each entropy of their flows.
    pub entropies: bool,
    /// Which packets are traced, if any.
    pub packets: Option<TraceConfig>,
    /// The largest number of rows of each series in results: of queues, of flows, and of PFC
    /// frames.
    pub row_limit: RowLimit,
    /// Samples end here.
    pub until: Time,
    /// Queue samples in this window are counted in the histogram and in the sum.
    pub window: MeasuringWindow,
}

/// Times between the samples that a run has kept, if any; longer than the configured intervals if
/// series were thinned.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleIntervals {
    /// Of queues.
    pub queues: Option<Time>,
    /// Of flows.
    pub flows: Option<Time>,
}

/// The packet events to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceConfig {
    /// Events at these ports, by global index in rising order; `None`: at all ports.
    pub ports: Option<Vec<u32>>,
    /// Events of these flows, in rising order; `None`: of all flows, and PFC frames.
    pub flows: Option<Vec<FlowId>>,
    /// Whether causes of waiting are kept, too: the states of these flows' senders, and other
    /// flows' packets that leave a port while a packet of these flows waits there.
    pub causes: bool,
    /// Events from this time on.
    pub from: Time,
    /// Events before this time.
    pub until: Time,
    /// The largest number of events, see [`PacketTrace::cut`].
    pub limit: usize,
}

/// Everything that a run records, except completed flows, which go to the observer.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Counters of every port, by global port index.
    pub ports: Vec<PortCounters>,
    /// Counters of trimming of every port, by global port index; empty in runs without trimming.
    pub trims: Vec<TrimCounters>,
    /// By global port index: bytes of data and control packets in transmission at the end that had
    /// not left.
    pub unsent: Vec<u64>,
    /// End of the last transmission that had started.
    pub links_free_at: Time,
    /// Totals over time.
    pub queue_ticks: Vec<Tick>,
    /// Totals of flows over time.
    pub flow_ticks: Vec<Tick>,
    /// Times between kept samples: of the series of queues, and of flows.
    pub kept_intervals: SampleIntervals,
    /// Lengths in bytes of switch-port queues, over all samples in the measuring window.
    pub queue_histogram: Histogram,
    /// Sum of all switch-port queues sampled in the measuring window, in bytes.
    pub queue_sum: u128,
    /// Queue samples, port by port.
    pub queues: Vec<QueueSample>,
    /// Flow samples, flow by flow.
    pub flow_samples: Vec<FlowSample>,
    /// Values that algorithms show of their state, flow by flow.
    pub probes: Vec<ProbeSample>,
    /// Round trips of packets by traffic entry; empty if they were not counted.
    pub round_trips: Vec<RoundTrips>,
    /// Ages of INT by switch of the path; empty if they were not measured.
    pub int_ages: BTreeMap<PathPosition, IntAges>,
    /// Longest packet latencies in order of flows; empty if they were not measured.
    pub packet_latencies: Vec<PacketLatency>,
    /// Parts of the FCTs of completed flows, in order of flows; empty if they were not measured.
    pub breakdowns: Vec<Breakdown>,
    /// Flows that had not completed, by number.
    pub unfinished: Vec<UnfinishedFlow>,
    /// Weights of completed flows, by flow, if the algorithm has weights.
    pub mean_weights: Vec<MeanWeight>,
    /// PFC frames.
    pub pauses: Vec<PauseEvent>,
    /// Time from which on PFC frames are left out, if there were more than the limit; all frames
    /// before it are kept.
    pub pauses_cut: Option<Time>,
    /// Packets, if they were traced.
    pub packets: Option<PacketTrace>,
    /// Data packets and ACKs that crossed a link, summed over links.
    pub packet_hops: u64,
    /// Payload bytes handed to receivers in order.
    pub delivered: Bytes,
    /// By flow: data packets that its receiver had already, so that their retransmission was
    /// needless.
    pub duplicates: BTreeMap<FlowId, u32>,
    /// Orders in which data packets arrived, where receivers keep early packets.
    pub arrival_orders: Option<ArrivalOrders>,
    /// Entropies in order of flows; empty if they were not counted, or flows keep one path.
    pub entropies: Vec<EntropyRecord>,
    /// Speculative packets that switch programs dropped (1RC); these are not losses.
    pub speculative_dropped: u64,
    /// Flows started.
    pub started: u64,
    /// Flows completed.
    pub finished: u64,
    /// The effects of faults of links, if there are faults.
    pub faults: Option<FaultRecord>,
    /// The stall that ended the run, if any.
    pub stall: Option<Stall>,
    /// Whether all flows completed, and no further flows were to start.
    pub is_done: bool,
    /// End of the last window with an event, or the stop time.
    pub end: Time,
}
