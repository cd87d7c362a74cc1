//! Messages: the flows of the traffic under an attack, each sent in one or more pieces.

use arrow_array::types::{Float64Type, UInt16Type, UInt32Type, UInt64Type};
use incast_net::{FlowCounters, FlowRecord};
use incast_units::{Bytes, FlowId, HostId, Time};
use incast_workload::{Piece, Role};

use super::table::{Table, numbers, texts};

/// The messages of a run in progress. Each flow of a collective is a message with the flow's
/// number; other messages have higher numbers.
#[derive(Debug)]
pub(crate) struct MessageLedger {
    /// The role of each flow of a collective, once it has started.
    chunks: Vec<Option<Role>>,
    /// For each other flow, in order, its message, counted from 0.
    of_flow: Vec<u32>,
    /// The messages in order of their numbers, from 0.
    messages: Vec<MessageProgress>,
}

/// A message in progress.
#[derive(Debug)]
struct MessageProgress {
    role: Role,
    pieces: u64,
    /// Number of pieces that have not completed.
    left: u64,
    source: HostId,
    destination: HostId,
    size: Bytes,
    tag: u16,
    /// The UDP source port of the first piece.
    source_port: u16,
    start: Time,
}

/// A message that completed.
#[derive(Copy, Clone, Debug)]
pub(crate) struct MessageRow {
    pub(crate) number: u32,
    pub(crate) role: Role,
    pub(crate) pieces: u64,
    /// The message as if it were one flow.
    pub(crate) whole: FlowRecord,
    pub(crate) ideal: Time,
    pub(crate) slowdown: f64,
}

impl MessageLedger {
    /// A ledger whose first `chunks` flows are those of collectives.
    pub(crate) fn new(chunks: u32) -> Self {
        Self {
            chunks: vec![None; chunks as usize],
            of_flow: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// Adds a flow of a collective that starts.
    pub(crate) fn start_chunk(&mut self, flow: FlowId, role: Role) {
        self.chunks[flow.index()] = Some(role);
    }

    /// Adds a flow that starts, with the next number. Messages start in order of their numbers,
    /// each with its first piece.
    pub(crate) fn start(&mut self, piece: &Piece, source_port: u16) {
        self.of_flow.push(piece.message);
        let Some((message, pieces)) = piece.first_of else {
            return;
        };
        self.messages.push(MessageProgress {
            role: piece.role,
            pieces,
            left: pieces,
            source: message.source,
            destination: message.destination,
            size: message.size,
            tag: message.tag,
            source_port,
            start: piece.flow.start,
        });
    }

    /// Notes that a flow has completed. If that completes its message, returns the message's
    /// number, role, number of pieces, and a record of it as one flow.
    pub(crate) fn finish(&mut self, flow: &FlowRecord) -> Option<(u32, Role, u64, FlowRecord)> {
        if let Some(role) = self.chunk(flow.id.0) {
            return Some((flow.id.0, role, 1, *flow));
        }
        let number = self.message_of(flow.id.0);
        let message = &mut self.messages[number as usize - self.chunks.len()];
        message.left -= 1;
        let whole = FlowRecord {
            id: FlowId(number),
            source: message.source,
            destination: message.destination,
            size: message.size,
            tag: message.tag,
            source_port: message.source_port,
            start: message.start,
            finish: flow.finish,
            counters: FlowCounters::default(),
        };
        (message.left == 0).then_some((number, message.role, message.pieces, whole))
    }

    /// The message of a flow.
    pub(super) fn message_of(&self, flow: u32) -> u32 {
        match (flow as usize).checked_sub(self.chunks.len()) {
            None => flow,
            Some(index) => self.of_flow[index] + self.chunks.len() as u32,
        }
    }

    /// The role of a flow of a collective.
    fn chunk(&self, flow: u32) -> Option<Role> {
        self.chunks.get(flow as usize).copied().flatten()
    }

    /// The role of a flow.
    pub(super) fn role_of(&self, flow: u32) -> Role {
        self.chunk(flow).unwrap_or_else(|| {
            let number = self.message_of(flow) as usize;
            self.messages[number - self.chunks.len()].role
        })
    }
}

impl MessageRow {
    pub(super) fn fct(&self) -> Time {
        self.whole.finish - self.whole.start
    }
}

/// Messages that completed, in order of completion.
pub(super) fn table(rows: &[MessageRow]) -> Table {
    Table::of(vec![
        ("message", numbers::<UInt32Type, _>(rows, |row| row.number)),
        (
            "traffic",
            numbers::<UInt16Type, _>(rows, |row| row.whole.tag),
        ),
        ("role", texts(rows, |row| row.role.name())),
        (
            "source",
            numbers::<UInt32Type, _>(rows, |row| row.whole.source.0),
        ),
        (
            "destination",
            numbers::<UInt32Type, _>(rows, |row| row.whole.destination.0),
        ),
        (
            "size_bytes",
            numbers::<UInt64Type, _>(rows, |row| row.whole.size.as_u64()),
        ),
        ("pieces", numbers::<UInt64Type, _>(rows, |row| row.pieces)),
        (
            "start_ps",
            numbers::<UInt64Type, _>(rows, |row| row.whole.start.as_ps()),
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
    ])
}
