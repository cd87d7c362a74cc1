//! `senders.parquet`: what held back the packets of traced flows at their senders.
//!
//! | column         | what                                                                     |
//! |----------------|--------------------------------------------------------------------------|
//! | `time_ps`      | begin of the state, which lasts until the flow's next row                |
//! | `flow_id`      | the flow                                                                 |
//! | `state`        | what holds back the next packet: see [`STATES`]                          |
//! | `until_ps`     | with `pacing`: its end, if no other event comes before; otherwise null   |
//! | `window_bytes` | payload that may be in flight; null without a window                     |
//! | `rate_bps`     | pacing rate                                                              |
//! | `timeouts`     | retransmission timeouts so far                                           |
//! | `sends_again`  | 1 if the next packet is a retransmission                                 |
//! | `heard`        | the event that began the state: a name of [`HEARD`]                      |

use std::sync::Arc;

use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, UInt64Array};
use arrow_schema::{Field, Schema};
use incast_net::{SendState, SenderRecord};
use incast_units::Bytes;

use super::table::{Table, batch, numbers, words};

/// Names of states, in the order of [`place_of`]. A sender waits for the link only; for pacing; for
/// a full window; for a grant of the network or its receiver; for credit; or for flows that share
/// its limit. Or it has nothing left to send.
const STATES: [&str; 7] = [
    "ready", "pacing", "window", "grant", "credit", "turn", "sent-all",
];

/// Names of events, in the order of [`Heard`](incast_net::Heard): an ACK or NACK, a CNP, a timer, a
/// packet that leaves, or another event.
const HEARD: [&str; 5] = ["ack", "cnp", "timer", "sent", "other"];

fn place_of(state: SendState) -> i8 {
    match state {
        SendState::Ready => 0,
        SendState::Pacing(_) => 1,
        SendState::Window => 2,
        SendState::Grant => 3,
        SendState::Credit => 4,
        SendState::Turn => 5,
        SendState::SentAll => 6,
    }
}

/// A row for each change of a sender's state.
pub(crate) fn table(records: &[SenderRecord]) -> Table {
    let until = UInt64Array::from_iter(records.iter().map(|each| match each.state {
        SendState::Pacing(until) => Some(until.as_ps()),
        _ => None,
    }));
    // The largest window stands for no limit.
    let window = UInt64Array::from_iter(records.iter().map(|each| {
        let window = each.window;
        (window < Bytes::MAX).then_some(window.as_u64())
    }));
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "time_ps",
            numbers::<UInt64Type, _>(records, |each| each.time.as_ps()),
        ),
        (
            "flow_id",
            numbers::<UInt32Type, _>(records, |each| each.flow.0),
        ),
        (
            "state",
            words(&STATES, records, |each| place_of(each.state)),
        ),
        (UNTIL, Arc::new(until)),
        (WINDOW, Arc::new(window)),
        (
            "rate_bps",
            numbers::<UInt64Type, _>(records, |each| each.rate.as_bps()),
        ),
        (
            "timeouts",
            numbers::<UInt32Type, _>(records, |each| each.timeouts),
        ),
        (
            "sends_again",
            numbers::<UInt8Type, _>(records, |each| u8::from(each.sends_again)),
        ),
        ("heard", words(&HEARD, records, |each| each.heard as i8)),
    ];
    let fields = columns
        .iter()
        .map(|(name, column)| (*name, column.data_type().clone()))
        .map(|(name, kind)| Field::new(name, kind, matches!(name, UNTIL | WINDOW)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Table::new(schema.clone(), vec![batch(&schema, columns)])
}

const UNTIL: &str = "until_ps";
const WINDOW: &str = "window_bytes";

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int8Type;
    use arrow_array::{Array as _, StringArray};
    use incast_net::Heard;
    use incast_units::{FlowId, Rate, Time};

    use super::*;

    fn names(table: &Table, column: &str) -> Vec<String> {
        let names = table.batches()[0].column_by_name(column).expect("a column");
        let names = names.as_dictionary::<Int8Type>();
        let names = names.downcast_dict::<StringArray>().expect("text");
        names.into_iter().flatten().map(str::to_owned).collect()
    }

    #[test]
    fn every_state_has_its_name() {
        let states = [
            SendState::Ready,
            SendState::Pacing(Time::from_us(9)),
            SendState::Window,
            SendState::Grant,
            SendState::Credit,
            SendState::Turn,
            SendState::SentAll,
        ];
        let heard = [
            Heard::Ack,
            Heard::Cnp,
            Heard::Timer,
            Heard::Sent,
            Heard::Other,
            Heard::Cnp,
            Heard::Ack,
        ];
        let states = states.into_iter().zip(heard);
        let records = states.map(|(state, heard)| SenderRecord {
            time: Time::from_us(3),
            flow: FlowId(4),
            state,
            window: match state {
                SendState::Window => Bytes::new(15_000),
                _ => Bytes::MAX,
            },
            rate: Rate::from_gbps(40),
            timeouts: 1,
            sends_again: true,
            heard,
        });
        let table = table(&records.collect::<Vec<_>>());
        let rows = &table.batches()[0];
        assert_eq!(names(&table, "state"), STATES);
        let heard = ["ack", "cnp", "timer", "sent", "other", "cnp", "ack"];
        assert_eq!(names(&table, "heard"), heard);
        let until = rows.column_by_name(UNTIL).expect("a column");
        let until = until.as_primitive::<UInt64Type>();
        assert_eq!(until.null_count(), 6);
        assert_eq!(until.value(1), 9_000_000);
        let window = rows.column_by_name(WINDOW).expect("a column");
        let window = window.as_primitive::<UInt64Type>();
        assert_eq!((window.null_count(), window.value(2)), (6, 15_000));
        assert_eq!(
            table.values::<UInt64Type>("rate_bps").next(),
            Some(40_000_000_000)
        );
    }
}
