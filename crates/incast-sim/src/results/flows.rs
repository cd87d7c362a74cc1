//! `flows.parquet`: completed flows, collected while the run goes on.
//!
//! Rows become columns in chunks: a million flows take 60 MB, and growing never copies what is
//! there.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use incast_net::{FlowCounters, FlowRecord, MeanWeight, PacketLatency};
use incast_units::{Bytes, Time};

use super::fingerprint::FlowsHash;
use super::messages::MessageLedger;
use super::table::{Table, batch, numbers, texts};

/// The columns. A new one takes a line here, or among [`FlowCounters`] if a sender counts it, and
/// one in the table of `docs/results.md`.
fn columns(rows: &[FlowRow]) -> Vec<(&'static str, ArrayRef)> {
    let mut columns = vec![
        (
            "flow_id",
            numbers::<UInt32Type, _>(rows, |row| row.flow.id.0),
        ),
        (
            "traffic",
            numbers::<UInt16Type, _>(rows, |row| row.flow.tag),
        ),
        (
            "source",
            numbers::<UInt32Type, _>(rows, |row| row.flow.source.0),
        ),
        (
            "destination",
            numbers::<UInt32Type, _>(rows, |row| row.flow.destination.0),
        ),
        (
            "source_port",
            numbers::<UInt16Type, _>(rows, |row| row.flow.source_port),
        ),
        (
            "size_bytes",
            numbers::<UInt64Type, _>(rows, |row| row.flow.size.as_u64()),
        ),
        (
            "start_ps",
            numbers::<UInt64Type, _>(rows, |row| row.flow.start.as_ps()),
        ),
        (
            "fct_ps",
            numbers::<UInt64Type, _>(rows, |row| row.fct().as_ps()),
        ),
        (
            "ideal_fct_ps",
            numbers::<UInt64Type, _>(rows, |row| row.ideal.as_ps()),
        ),
        (
            "slowdown",
            numbers::<Float64Type, _>(rows, |row| row.slowdown),
        ),
    ];
    for (index, name) in FlowCounters::NAMES.into_iter().enumerate() {
        let count = |row: &FlowRow| row.flow.counters.numbers()[index] as u32;
        columns.push((name, numbers::<UInt32Type, _>(rows, count)));
    }
    columns
}

/// A column if `measure.fair_share` asks for it: known when the run has ended.
const FAIR_SHARE: &str = "fair_share";
/// A column if `measure.packet_latency` asks for it: receivers know it, not senders.
const LONGEST_PACKET_LATENCY: &str = "longest_packet_latency_ps";

/// A column if the algorithm has weights.
const MEAN_WEIGHT: &str = "mean_weight";

/// Columns of tenants, and of attacks: whose a flow is, and of which message a piece.
const TENANT: &str = "tenant";
const ROLE: &str = "role";
const MESSAGE: &str = "message";

/// Columns that are known when the run has ended, if they were asked for.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct LateColumns<'a> {
    /// By flow: its share of its max-min fair rate, if it completed.
    pub(crate) fair_shares: Option<&'a [Option<f64>]>,
    /// Of which message each flow is, if there is an attack.
    pub(crate) messages: Option<&'a MessageLedger>,
    /// By traffic entry, if any has a tenant.
    pub(crate) tenants: Option<&'a [Option<String>]>,
    /// In order of flows: their slowest packets.
    pub(crate) packet_latencies: Option<&'a [PacketLatency]>,
    /// In order of flows: their weights, if the algorithm has any.
    pub(crate) mean_weights: Option<&'a [MeanWeight]>,
}

/// A completed flow.
struct FlowRow {
    flow: FlowRecord,
    ideal: Time,
    slowdown: f64,
}

impl FlowRow {
    fn fct(&self) -> Time {
        self.flow.finish - self.flow.start
    }
}

/// Rows of a chunk: 4 MB.
const CHUNK: usize = 1 << 16;

/// Completed flows, in order of completion, and what is summed over them.
pub(crate) struct CompletedFlows {
    full: Vec<RecordBatch>,
    open: Vec<FlowRow>,
    hash: FlowsHash,
    totals: FlowTotals,
}

/// Sums over completed flows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowTotals {
    pub(crate) flows: u64,
    pub(crate) payload: Bytes,
    /// When the last of them completed.
    pub(crate) latest: Time,
}

impl CompletedFlows {
    pub(crate) fn new() -> Self {
        Self {
            full: Vec::new(),
            open: Vec::new(),
            hash: FlowsHash::default(),
            totals: FlowTotals::default(),
        }
    }

    pub(crate) fn push(&mut self, flow: &FlowRecord, ideal: Time, slowdown: f64) {
        self.hash.add(flow);
        self.totals.flows += 1;
        self.totals.payload = self.totals.payload.saturating_add(flow.size);
        self.totals.latest = self.totals.latest.max(flow.finish);
        self.open.push(FlowRow {
            flow: *flow,
            ideal,
            slowdown,
        });
        if self.open.len() == CHUNK {
            self.close_chunk();
        }
    }

    pub(crate) fn totals(&self) -> FlowTotals {
        self.totals
    }

    /// The table, with the columns that are known now; and the hash of the flows.
    pub(crate) fn finish(mut self, late: LateColumns<'_>) -> (Table, FlowsHash) {
        self.close_chunk();
        let mut flows = Table::new(self.full[0].schema(), self.full);
        if let Some(shares) = late.fair_shares {
            flows = with_column(&flows, FAIR_SHARE, DataType::Float64, |rows| {
                fair_shares(rows, shares)
            });
        }
        if let Some(latencies) = late.packet_latencies {
            flows = with_column(&flows, LONGEST_PACKET_LATENCY, DataType::UInt64, |rows| {
                longest_latencies(rows, latencies)
            });
        }
        if let Some(weights) = late.mean_weights {
            flows = with_column(&flows, MEAN_WEIGHT, DataType::Float64, |rows| {
                mean_weights(rows, weights)
            });
        }
        if let Some(tenants) = late.tenants {
            flows = with_column(&flows, TENANT, DataType::Utf8, |rows| {
                tenants_of(rows, tenants)
            });
        }
        if let Some(messages) = late.messages {
            flows = with_column(&flows, ROLE, DataType::Utf8, |rows| {
                texts(flow_ids(rows), |&flow| messages.role_of(flow).name())
            });
            flows = with_column(&flows, MESSAGE, DataType::UInt32, |rows| {
                numbers::<UInt32Type, _>(flow_ids(rows), |&flow| messages.message_of(flow))
            });
        }
        (flows, self.hash)
    }

    fn close_chunk(&mut self) {
        let rows = std::mem::take(&mut self.open);
        let chunk = Table::of(columns(&rows));
        self.full.extend(chunk.batches().iter().cloned());
    }
}

/// The table with one more column, made of each batch of rows.
fn with_column(
    flows: &Table,
    name: &str,
    kind: DataType,
    column: impl Fn(&RecordBatch) -> ArrayRef,
) -> Table {
    let mut fields = flows.schema().fields().to_vec();
    fields.push(Arc::new(Field::new(name, kind, false)));
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let batches = flows.batches().iter().map(|rows| {
        let mut columns = rows.columns().to_vec();
        columns.push(column(rows));
        batch(&schema, columns)
    });
    Table::new(schema.clone(), batches.collect())
}

fn flow_ids(rows: &RecordBatch) -> &[u32] {
    let flows = rows.column_by_name("flow_id").expect("flows have numbers");
    flows.as_primitive::<UInt32Type>().values()
}

fn fair_shares(rows: &RecordBatch, shares: &[Option<f64>]) -> ArrayRef {
    numbers::<Float64Type, _>(flow_ids(rows), |&flow| {
        shares[flow as usize].expect("a flow that completed has a share")
    })
}

/// A text that is empty where a flow has no tenant.
fn tenants_of(rows: &RecordBatch, tenants: &[Option<String>]) -> ArrayRef {
    let tags = rows.column_by_name("traffic").expect("flows have entries");
    texts(tags.as_primitive::<UInt16Type>().values(), |&tag| {
        tenants[usize::from(tag)].as_deref().unwrap_or_default()
    })
}

fn longest_latencies(rows: &RecordBatch, latencies: &[PacketLatency]) -> ArrayRef {
    numbers::<UInt64Type, _>(flow_ids(rows), |&flow| {
        let place = latencies.binary_search_by_key(&flow, |each| each.flow.0);
        let index = place.expect("all packets of a flow that completed have arrived");
        latencies[index].longest.as_ps()
    })
}

fn mean_weights(rows: &RecordBatch, weights: &[MeanWeight]) -> ArrayRef {
    numbers::<Float64Type, _>(flow_ids(rows), |&flow| {
        let place = weights.binary_search_by_key(&flow, |each| each.flow.0);
        weights[place.expect("a flow that completed has a weight")].fraction()
    })
}

/// Size in bytes and slowdown of every flow.
pub(crate) fn slowdowns(flows: &Table) -> impl Iterator<Item = (u64, f64)> {
    flows
        .values::<UInt64Type>("size_bytes")
        .zip(flows.values::<Float64Type>("slowdown"))
}

/// Size in bytes and FCT in ps of every flow.
pub(crate) fn completion_times(flows: &Table) -> impl Iterator<Item = (u64, u64)> {
    flows
        .values::<UInt64Type>("size_bytes")
        .zip(flows.values::<UInt64Type>("fct_ps"))
}

/// Start and finish of every flow, in ps.
pub(crate) fn lifetimes(flows: &Table) -> impl Iterator<Item = (f64, f64)> + Clone {
    let starts = flows.values::<UInt64Type>("start_ps");
    let times = flows.values::<UInt64Type>("fct_ps");
    starts
        .zip(times)
        .map(|(start, fct)| (start as f64, (start + fct) as f64))
}

/// The latency of the slowest packet of every flow, in ps, if it was measured.
pub(crate) fn packet_latencies(flows: &Table) -> Option<impl Iterator<Item = u64>> {
    let measured = flows.schema().column_with_name(LONGEST_PACKET_LATENCY);
    measured.map(|_| flows.values::<UInt64Type>(LONGEST_PACKET_LATENCY))
}
