//! `pause_causes.parquet`: why switches paused peers.
//!
//! | column           | what                                                                |
//! |------------------|---------------------------------------------------------------------|
//! | `time_ps`        | time at which the pause frame was created                           |
//! | `node`, `port`   | the switch, and the port whose peer it paused                       |
//! | `waiting_bytes`  | wire bytes of data that arrived at this port and are queued         |
//! | `queue_port`     | the port where most of these bytes are queued                       |
//! | `at_queue_bytes` | the bytes queued there                                              |
//! | `flow_id`        | the flow with most of the bytes queued there                        |
//! | `of_flow_bytes`  | the bytes of this flow                                              |

use arrow_array::types::{UInt16Type, UInt32Type, UInt64Type};
use incast_net::PauseCause;

use super::table::{Table, numbers};

/// A row for each pause frame of a switch.
pub(crate) fn table(causes: &[PauseCause]) -> Table {
    let long = |read: fn(&PauseCause) -> u64| numbers::<UInt64Type, _>(causes, read);
    let short = |read: fn(&PauseCause) -> u16| numbers::<UInt16Type, _>(causes, read);
    Table::of(vec![
        ("time_ps", long(|each| each.time.as_ps())),
        ("node", numbers::<UInt32Type, _>(causes, |each| each.node.0)),
        ("port", short(|each| each.port)),
        ("waiting_bytes", long(|each| each.waiting.as_u64())),
        ("queue_port", short(|each| each.queue_port)),
        ("at_queue_bytes", long(|each| each.at_queue.as_u64())),
        (
            "flow_id",
            numbers::<UInt32Type, _>(causes, |each| each.flow.0),
        ),
        ("of_flow_bytes", long(|each| each.of_flow.as_u64())),
    ])
}
