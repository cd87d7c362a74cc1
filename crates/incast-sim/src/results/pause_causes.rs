//! `pause_causes.parquet`: why switches paused peers.
//!
//! | column           | what                                                                |
//! |------------------|---------------------------------------------------------------------|
//! | `time_ps`        | when the frame was made                                             |
//! | `node`, `port`   | the switch, and the port whose peer it paused                       |
//! | `waiting_bytes`  | on the wire, of data that had come by this port and waited          |
//! | `queue_port`     | the port at which most of these waited                              |
//! | `at_queue_bytes` | those that waited there                                             |
//! | `flow_id`        | the flow with the most of those                                     |
//! | `of_flow_bytes`  | what it had of them                                                 |

use arrow_array::types::{UInt16Type, UInt32Type, UInt64Type};
use incast_net::PauseCause;

use super::table::{Table, numbers};

/// A row for each pause frame that a switch made.
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
