//! `company.parquet`: flows whose data a traced flow met at a port, between the arrival of its
//! first packet there and the departure of its last.
//!
//! | column                | what                                        |
//! |-----------------------|---------------------------------------------|
//! | `flow_id`             | the traced flow                             |
//! | `node`, `port`        | the port                                    |
//! | `since_ps`            | arrival of the traced flow's first packet   |
//! | `other_id`            | the other flow, or the traced flow itself   |
//! | `data_packets`        | the other's data packets that left there    |
//! | `wire_bytes`          | their bytes on the wire                     |
//! | `first_ps`, `last_ps` | begin of departure of the first, the last   |
//! | `last_bytes`          | bytes on the wire of the last one           |

use arrow_array::types::{UInt16Type, UInt32Type, UInt64Type};
use incast_net::CompanyRecord;

use super::table::{Table, numbers};

/// A row for each traced flow, port, and other flow.
pub(crate) fn table(records: &[CompanyRecord]) -> Table {
    let long = |read: fn(&CompanyRecord) -> u64| numbers::<UInt64Type, _>(records, read);
    Table::of(vec![
        (
            "flow_id",
            numbers::<UInt32Type, _>(records, |each| each.flow.0),
        ),
        (
            "node",
            numbers::<UInt32Type, _>(records, |each| each.node.0),
        ),
        ("port", numbers::<UInt16Type, _>(records, |each| each.port)),
        ("since_ps", long(|each| each.since.as_ps())),
        (
            "other_id",
            numbers::<UInt32Type, _>(records, |each| each.other.0),
        ),
        ("data_packets", long(|each| each.packets)),
        ("wire_bytes", long(|each| each.wire.as_u64())),
        ("first_ps", long(|each| each.first.as_ps())),
        ("last_ps", long(|each| each.last.as_ps())),
        ("last_bytes", long(|each| each.last_wire.as_u64())),
    ])
}
