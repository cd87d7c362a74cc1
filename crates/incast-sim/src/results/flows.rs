//! Completed flows, collected while the run goes on.
//!
//! They are kept in columns, in chunks: a million flows take 60 MB, and growing never copies
//! what is there.

use std::sync::Arc;

use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt16Array, UInt32Array, UInt64Array};
use arrow_schema::{DataType, SchemaRef};
use incast_net::FlowRecord;
use incast_units::{Bytes, Time};

use super::fingerprint::FlowsHash;
use super::table::{Table, batch, schema};

/// Rows of a chunk: 4 MB.
const CHUNK: usize = 1 << 16;

/// Completed flows, in order of completion, and what is summed over them.
pub(crate) struct Flows {
    schema: SchemaRef,
    full: Vec<RecordBatch>,
    open: Chunk,
    hash: FlowsHash,
    totals: FlowTotals,
}

/// Sums over completed flows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowTotals {
    pub(crate) flows: u64,
    pub(crate) payload: Bytes,
    pub(crate) retransmitted: u64,
    /// When the last of them completed.
    pub(crate) latest: Time,
}

impl Flows {
    pub(crate) fn new() -> Self {
        Self {
            schema: flow_schema(),
            full: Vec::new(),
            open: Chunk::default(),
            hash: FlowsHash::default(),
            totals: FlowTotals::default(),
        }
    }

    pub(crate) fn push(&mut self, flow: &FlowRecord, ideal: Time, slowdown: f64) {
        self.hash.add(flow);
        self.totals.flows += 1;
        self.totals.payload = self.totals.payload.saturating_add(flow.size);
        self.totals.latest = self.totals.latest.max(flow.finish);
        self.totals.retransmitted += u64::from(flow.retransmitted);
        self.open.push(flow, ideal, slowdown);
        if self.open.flow_id.len() == CHUNK {
            self.close_chunk();
        }
    }

    pub(crate) fn totals(&self) -> FlowTotals {
        self.totals
    }

    /// The table, and the hash of what went into it.
    pub(crate) fn finish(mut self) -> (Table, FlowsHash) {
        self.close_chunk();
        (Table::new(self.schema, self.full), self.hash)
    }

    fn close_chunk(&mut self) {
        let columns = std::mem::take(&mut self.open).into_columns();
        self.full.push(batch(&self.schema, columns));
    }
}

fn flow_schema() -> SchemaRef {
    use DataType::{Float64, UInt16, UInt32, UInt64};
    let columns = [
        ("flow_id", UInt32),
        ("traffic", UInt16),
        ("source", UInt32),
        ("destination", UInt32),
        ("source_port", UInt16),
        ("size_bytes", UInt64),
        ("start_ps", UInt64),
        ("fct_ps", UInt64),
        ("ideal_fct_ps", UInt64),
        ("slowdown", Float64),
        ("retransmitted_packets", UInt32),
    ];
    schema(columns.into_iter())
}

#[derive(Default)]
struct Chunk {
    flow_id: Vec<u32>,
    traffic: Vec<u16>,
    source: Vec<u32>,
    destination: Vec<u32>,
    source_port: Vec<u16>,
    size: Vec<u64>,
    start: Vec<u64>,
    fct: Vec<u64>,
    ideal: Vec<u64>,
    slowdown: Vec<f64>,
    retransmitted: Vec<u32>,
}

impl Chunk {
    fn push(&mut self, flow: &FlowRecord, ideal: Time, slowdown: f64) {
        self.flow_id.push(flow.id.0);
        self.traffic.push(flow.tag);
        self.source.push(flow.source.0);
        self.destination.push(flow.destination.0);
        self.source_port.push(flow.source_port);
        self.size.push(flow.size.as_u64());
        self.start.push(flow.start.as_ps());
        self.fct.push((flow.finish - flow.start).as_ps());
        self.ideal.push(ideal.as_ps());
        self.slowdown.push(slowdown);
        self.retransmitted.push(flow.retransmitted);
    }

    /// In the order of the schema.
    fn into_columns(self) -> Vec<ArrayRef> {
        vec![
            Arc::new(UInt32Array::from(self.flow_id)),
            Arc::new(UInt16Array::from(self.traffic)),
            Arc::new(UInt32Array::from(self.source)),
            Arc::new(UInt32Array::from(self.destination)),
            Arc::new(UInt16Array::from(self.source_port)),
            Arc::new(UInt64Array::from(self.size)),
            Arc::new(UInt64Array::from(self.start)),
            Arc::new(UInt64Array::from(self.fct)),
            Arc::new(UInt64Array::from(self.ideal)),
            Arc::new(Float64Array::from(self.slowdown)),
            Arc::new(UInt32Array::from(self.retransmitted)),
        ]
    }
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
