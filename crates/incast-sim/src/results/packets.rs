//! A trace of packets: one row per event.
//!
//! | column          | what                                                                 |
//! |-----------------|----------------------------------------------------------------------|
//! | `time_ps`       | time of the event                                                    |
//! | `node`, `port`  | node, and the port where the packet arrives or leaves                |
//! | `event`         | `enqueue`, `send` (its first bit), `receive` (its last bit), `drop`  |
//! | `kind`          | `data`, `ack`, `nack`, `cnp`, `pause`, `resume`                      |
//! | `flow_id`       | the packet's flow; null for PFC frames                               |
//! | `sequence`      | number of the first payload byte; in an ACK, of the byte expected    |
//! | `payload_bytes` | payload of a data packet                                             |
//! | `wire_bytes`    | size with headers                                                    |
//! | `queue_bytes`   | data and control packets that wait, the one in transmission excluded |
//! | `marked`        | 1 if the packet carries a CE mark or the echo of one                 |
//! | `source_port`   | UDP source port, if flows have several; null for PFC frames          |

use std::sync::Arc;

use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, UInt16Array, UInt32Array};
use arrow_schema::{Field, Schema, SchemaRef};
use incast_net::{PacketEvent, PacketKind, PacketRecord, PacketTrace};

use super::table::{Table, batch, numbers, words};

/// Names of events, in the order of [`PacketEvent`].
const EVENTS: [&str; 6] = ["enqueue", "send", "receive", "drop", "lose", "trim"];
/// Number of rows that are converted to columns at once.
const ROWS_PER_BATCH: usize = 1 << 16;

/// The columns of a trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum TraceColumns {
    OfOnePath,
    /// All columns, including the source port.
    OfSeveralPaths,
}

/// The columns. Only flows and source ports may be null.
fn columns(which: TraceColumns, events: &[PacketRecord]) -> Vec<(&'static str, ArrayRef)> {
    let flows = events.iter().map(|event| event.flow.map(|flow| flow.0));
    let mut columns = vec![
        (
            "time_ps",
            numbers::<UInt64Type, _>(events, |event| event.time.as_ps()),
        ),
        (
            "node",
            numbers::<UInt32Type, _>(events, |event| event.node.0),
        ),
        ("port", numbers::<UInt16Type, _>(events, |event| event.port)),
        (
            "event",
            words(&EVENTS, events, |event| place_of_event(event.event)),
        ),
        (
            "kind",
            words(PacketKind::NAMES, events, |event| event.kind as i8),
        ),
        (FLOW_ID, Arc::new(UInt32Array::from_iter(flows))),
        (
            "sequence",
            numbers::<UInt64Type, _>(events, |event| event.sequence.as_u64()),
        ),
        (
            "payload_bytes",
            numbers::<UInt32Type, _>(events, |event| event.payload.as_u64() as u32),
        ),
        (
            "wire_bytes",
            numbers::<UInt32Type, _>(events, |event| event.wire.as_u64() as u32),
        ),
        (
            "queue_bytes",
            numbers::<UInt64Type, _>(events, |event| event.queue.as_u64()),
        ),
        (
            "marked",
            numbers::<UInt8Type, _>(events, |event| u8::from(event.marked)),
        ),
    ];
    if which == TraceColumns::OfSeveralPaths {
        let source_ports = events.iter().map(|event| event.entropy);
        let column: ArrayRef = Arc::new(UInt16Array::from_iter(source_ports));
        columns.push((SOURCE_PORT, column));
    }
    columns
}

const FLOW_ID: &str = "flow_id";
const SOURCE_PORT: &str = "source_port";

/// The table of a trace.
pub(crate) fn table(trace: &PacketTrace) -> Table {
    let has_ports = trace.events.iter().any(|event| event.entropy.is_some());
    let which = match has_ports {
        true => TraceColumns::OfSeveralPaths,
        false => TraceColumns::OfOnePath,
    };
    let schema = schema(which);
    let chunks = trace.events.chunks(ROWS_PER_BATCH);
    let batches = chunks.map(|events| rows(&schema, which, events)).collect();
    Table::new(schema, batches)
}

fn schema(which: TraceColumns) -> SchemaRef {
    let field = |(name, column): (&str, ArrayRef)| {
        let may_be_null = [FLOW_ID, SOURCE_PORT].contains(&name);
        Field::new(name, column.data_type().clone(), may_be_null)
    };
    Arc::new(Schema::new(
        columns(which, &[])
            .into_iter()
            .map(field)
            .collect::<Vec<_>>(),
    ))
}

fn rows(schema: &SchemaRef, which: TraceColumns, events: &[PacketRecord]) -> RecordBatch {
    let columns = columns(which, events).into_iter().map(|(_, column)| column);
    batch(schema, columns.collect())
}

fn place_of_event(event: PacketEvent) -> i8 {
    match event {
        PacketEvent::Enqueue => 0,
        PacketEvent::Send => 1,
        PacketEvent::Receive => 2,
        PacketEvent::Drop => 3,
        PacketEvent::Lose => 4,
        PacketEvent::Trim => 5,
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::StringArray;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int8Type, UInt32Type, UInt64Type};
    use incast_units::{Bytes, FlowId, NodeId, Time};

    use super::*;

    fn event(event: PacketEvent, kind: PacketKind, flow: Option<FlowId>) -> PacketRecord {
        PacketRecord {
            time: Time::from_us(3),
            node: NodeId(17),
            port: 2,
            event,
            kind,
            flow,
            sequence: Bytes::new(4000),
            payload: Bytes::new(1000),
            wire: Bytes::new(1048),
            queue: Bytes::new(70_000),
            marked: true,
            entropy: None,
        }
    }

    fn texts(table: &Table, column: &str) -> Vec<String> {
        let column = table.batches()[0].column_by_name(column).expect("a column");
        let words = column.as_dictionary::<Int8Type>();
        let words = words.downcast_dict::<StringArray>().expect("text");
        words.into_iter().flatten().map(str::to_owned).collect()
    }

    #[test]
    fn every_event_and_kind_has_its_name() {
        use PacketEvent::{Drop, Enqueue, Lose, Receive, Send};
        use PacketKind::{Ack, Cnp, Data, Nack, Pause, Resume};
        let events = [
            event(Enqueue, Data, Some(FlowId(5))),
            event(Send, Ack, Some(FlowId(5))),
            event(Receive, Nack, Some(FlowId(6))),
            event(Drop, Cnp, Some(FlowId(6))),
            event(Send, Pause, None),
            event(Receive, Resume, None),
            event(Lose, Data, Some(FlowId(6))),
        ];
        let table = table(&PacketTrace {
            events: events.to_vec(),
            cut: None,
            causes: None,
        });
        assert_eq!(
            texts(&table, "event"),
            [
                "enqueue", "send", "receive", "drop", "send", "receive", "lose"
            ]
        );
        assert_eq!(
            texts(&table, "kind"),
            ["data", "ack", "nack", "cnp", "pause", "resume", "data"]
        );
        let flows = table.batches()[0]
            .column_by_name("flow_id")
            .expect("a column");
        let flows: Vec<_> = flows.as_primitive::<UInt32Type>().iter().collect();
        let six = Some(6);
        assert_eq!(flows, [Some(5), Some(5), six, six, None, None, six]);
        let first = |name| table.values::<UInt64Type>(name).next();
        assert_eq!(first("time_ps"), Some(3_000_000));
        assert_eq!(
            (first("sequence"), first("queue_bytes")),
            (Some(4000), Some(70_000))
        );
        let sizes = |name| table.values::<UInt32Type>(name).next();
        assert_eq!(
            (sizes("payload_bytes"), sizes("wire_bytes")),
            (Some(1000), Some(1048))
        );
    }

    /// Only packets of a flow that takes several paths have a source port of their own.
    #[test]
    fn packets_of_several_paths_have_their_source_port() {
        let data = event(PacketEvent::Send, PacketKind::Data, Some(FlowId(0)));
        let pause = event(PacketEvent::Send, PacketKind::Pause, None);
        let table_of = |entropy| {
            let data = PacketRecord { entropy, ..data };
            let events = vec![data, pause];
            table(&PacketTrace {
                events,
                ..PacketTrace::default()
            })
        };
        let column = |table: &Table| table.batches()[0].column_by_name(SOURCE_PORT).cloned();
        assert!(column(&table_of(None)).is_none());
        let ports = column(&table_of(Some(10_007))).expect("a column");
        let ports = ports.as_primitive::<UInt16Type>();
        assert_eq!(ports.iter().collect::<Vec<_>>(), [Some(10_007), None]);
    }

    /// More rows than a batch has still make one table, in order.
    #[test]
    fn long_traces_come_in_pieces() {
        let one = event(PacketEvent::Send, PacketKind::Data, Some(FlowId(0)));
        let events: Vec<_> = (0..ROWS_PER_BATCH as u64 + 1)
            .map(|time| PacketRecord {
                time: Time::from_ps(time),
                ..one
            })
            .collect();
        let table = table(&PacketTrace {
            events,
            ..PacketTrace::default()
        });
        assert_eq!(
            (table.batches().len(), table.rows()),
            (2, ROWS_PER_BATCH + 1)
        );
        assert!(
            table
                .values::<UInt64Type>("time_ps")
                .eq(0..=ROWS_PER_BATCH as u64)
        );
    }
}
