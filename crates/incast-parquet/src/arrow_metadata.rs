//! Arrow's schema in the metadata of a Parquet file: a message of Arrow's IPC format, in Base64,
//! under `ARROW:schema`. Writers of Arrow tables add it. Readers learn from it types that Parquet
//! cannot express.
//!
//! Slots of the message's tables: <https://github.com/apache/arrow/blob/main/format/Schema.fbs>

use arrow_schema::{DataType, Schema, TimeUnit};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;

use crate::flat_buffer::{FlatSlot, FlatTable, FlatWriter};

const KEY: &str = "ARROW:schema";
/// The first four bytes of an IPC message; its length follows in four more.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Version 5 of Arrow's IPC format, which is numbered from 0.
const VERSION: FlatSlot = FlatSlot::Short(4);
/// The message kind of a schema.
const SCHEMA: FlatSlot = FlatSlot::Byte(1);

mod message {
    pub(super) const HEADER: usize = 2;
}
mod schema {
    pub(super) const FIELDS: usize = 1;
}
mod field {
    pub(super) const NAME: usize = 0;
    pub(super) const KIND: usize = 2;
    pub(super) const TYPE: usize = 3;
    pub(super) const DICTIONARY: usize = 4;
    pub(super) const CHILDREN: usize = 5;
}
mod dictionary {
    pub(super) const INDEX_TYPE: usize = 1;
}
mod int {
    pub(super) const BITS: usize = 0;
    pub(super) const IS_SIGNED: usize = 1;
}
mod duration {
    pub(super) const UNIT: usize = 0;
}
/// Numbers of types.
mod kind {
    pub(super) const INT: u8 = 2;
    pub(super) const FLOAT: u8 = 3;
    pub(super) const TEXT: u8 = 5;
    pub(super) const DURATION: u8 = 18;
}

/// The metadata entry for this schema.
///
/// # Errors
/// If a column has a type that is not supported.
pub(crate) fn entry(schema: &Schema) -> Result<KeyValue> {
    let mut buffer = FlatWriter::new();
    let message = buffer.table(0, &[VERSION, SCHEMA, FlatSlot::Offset]);
    let header = buffer.table(
        message[message::HEADER],
        &[FlatSlot::Absent, FlatSlot::Offset],
    );
    let fields = buffer.tables(header[schema::FIELDS], schema.fields().len());
    let mut dictionaries = 0;
    for (from, column) in fields.into_iter().zip(schema.fields()) {
        let (values, keys) = match column.data_type() {
            DataType::Dictionary(keys, values) => (values.as_ref(), Some(keys.as_ref())),
            other => (other, None),
        };
        let (number, slots) = described(values)?;
        let of_keys = keys.map_or(FlatSlot::Absent, |_| FlatSlot::Offset);
        let slots_of_field = [
            FlatSlot::Offset,
            FlatSlot::Byte(column.is_nullable().into()),
            FlatSlot::Byte(number),
            FlatSlot::Offset,
            of_keys,
            FlatSlot::Offset,
        ];
        let places = buffer.table(from, &slots_of_field);
        buffer.text(places[field::NAME], column.name());
        buffer.table(places[field::TYPE], &slots);
        if let Some(keys) = keys {
            let (_, slots) = described(keys)?;
            let encoding = [FlatSlot::Long(dictionaries), FlatSlot::Offset];
            let encoding = buffer.table(places[field::DICTIONARY], &encoding);
            buffer.table(encoding[dictionary::INDEX_TYPE], &slots);
            dictionaries += 1;
        }
        buffer.tables(places[field::CHILDREN], 0);
    }
    let buffer = buffer.finish();
    let length = (buffer.len() as u32).to_le_bytes();
    let message = [&CONTINUATION[..], &length, &buffer].concat();
    Ok(KeyValue::new(KEY.into(), BASE64_STANDARD.encode(message)))
}

/// The number of a type, and the slots of its table.
fn described(data_type: &DataType) -> Result<(u8, Vec<FlatSlot>)> {
    /// The precision of floating-point numbers.
    const DOUBLE: FlatSlot = FlatSlot::Short(2);
    let whole = |bits, signed: bool| {
        (
            kind::INT,
            vec![FlatSlot::Int(bits), FlatSlot::Byte(signed.into())],
        )
    };
    const SIGNED: bool = true;
    const UNSIGNED: bool = false;
    Ok(match data_type {
        DataType::Int8 => whole(8, SIGNED),
        DataType::Int32 => whole(32, SIGNED),
        DataType::UInt8 => whole(8, UNSIGNED),
        DataType::UInt16 => whole(16, UNSIGNED),
        DataType::UInt32 => whole(32, UNSIGNED),
        DataType::UInt64 => whole(64, UNSIGNED),
        DataType::Float64 => (kind::FLOAT, vec![DOUBLE]),
        DataType::Utf8 => (kind::TEXT, Vec::new()),
        other => return Err(ParquetError::NYI(format!("columns of type {other}"))),
    })
}

/// Type information that Arrow's schema adds to a Parquet column.
#[derive(Debug, PartialEq)]
pub(crate) enum Addition {
    /// The column is a dictionary with keys of this type.
    Keys(DataType),
    /// The column's numbers are durations in this unit.
    Duration(TimeUnit),
}

/// Additions by column name, in column order. Of damaged metadata, only the readable part counts.
pub(crate) fn additions(metadata: Option<&Vec<KeyValue>>) -> Vec<(String, Addition)> {
    let entries = metadata.into_iter().flatten();
    let mut texts = entries.filter(|entry| entry.key == KEY);
    let text = texts.next().and_then(|entry| entry.value.as_deref());
    let bytes = text.and_then(|text| BASE64_STANDARD.decode(text).ok());
    let bytes = bytes.unwrap_or_default();
    let message = match bytes.strip_prefix(&CONTINUATION) {
        Some(rest) => rest.get(4..).unwrap_or_default(),
        None => &bytes,
    };
    let fields = || {
        let schema = FlatTable::first(message)?.table(message::HEADER)?;
        schema.tables(schema::FIELDS)
    };
    let named = |column: FlatTable<'_>| Some((column.text(field::NAME)?.into(), added(column)?));
    fields().into_iter().flatten().filter_map(named).collect()
}

fn added(column: FlatTable<'_>) -> Option<Addition> {
    if let Some(encoding) = column.table(field::DICTIONARY) {
        let keys = encoding.table(dictionary::INDEX_TYPE)?;
        let is_signed = keys.byte(int::IS_SIGNED).unwrap_or(0) != 0;
        return match (keys.int(int::BITS)?, is_signed) {
            (8, true) => Some(Addition::Keys(DataType::Int8)),
            (32, true) => Some(Addition::Keys(DataType::Int32)),
            _ => None,
        };
    }
    if column.byte(field::KIND)? != kind::DURATION {
        return None;
    }
    Some(Addition::Duration(
        match column.table(field::TYPE)?.short(duration::UNIT) {
            Some(0) => TimeUnit::Second,
            None | Some(1) => TimeUnit::Millisecond,
            Some(2) => TimeUnit::Microsecond,
            _ => TimeUnit::Nanosecond,
        },
    ))
}

#[cfg(test)]
mod tests;
