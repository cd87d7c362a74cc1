//! Types of columns in Arrow and in Parquet.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use parquet::basic::{
    ConvertedType, LogicalType, Repetition, TimeUnit as ParquetUnit, Type as PhysicalType,
};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{Type, TypePtr};

use crate::arrow_metadata::Addition;

/// The schema of a file for these columns.
///
/// # Errors
/// If a column's type is not supported.
pub(crate) fn parquet_schema(schema: &Schema) -> Result<TypePtr> {
    let columns = schema.fields().iter();
    let columns = columns.map(|field| parquet_type(field).map(Arc::new));
    let builder = Type::group_type_builder("arrow_schema");
    let root = builder.with_fields(columns.collect::<Result<_>>()?).build();
    root.map(Arc::new)
}

fn parquet_type(field: &Field) -> Result<Type> {
    const IS_SIGNED: bool = false;
    let unsigned = |bits| Some(LogicalType::integer(bits, IS_SIGNED));
    let (physical, logical) = match field.data_type() {
        DataType::UInt8 => (PhysicalType::INT32, unsigned(8)),
        DataType::UInt16 => (PhysicalType::INT32, unsigned(16)),
        DataType::UInt32 => (PhysicalType::INT32, unsigned(32)),
        DataType::UInt64 => (PhysicalType::INT64, unsigned(64)),
        DataType::Float64 => (PhysicalType::DOUBLE, None),
        DataType::Utf8 => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        DataType::Dictionary(_, values) if **values == DataType::Utf8 => {
            (PhysicalType::BYTE_ARRAY, Some(LogicalType::String))
        }
        other => return Err(ParquetError::NYI(format!("columns of type {other}"))),
    };
    let repetition = match field.is_nullable() {
        true => Repetition::OPTIONAL,
        false => Repetition::REQUIRED,
    };
    Type::primitive_type_builder(field.name(), physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

/// The Arrow type of a top-level column of a file.
pub(crate) fn arrow_type(column: &Type, addition: Option<&Addition>) -> DataType {
    let is_list = |repetition| repetition == Repetition::REPEATED;
    let info = column.get_basic_info();
    if column.is_group() || (info.has_repetition() && is_list(info.repetition())) {
        return DataType::Struct(Fields::empty());
    }
    match (own_type(column), addition) {
        (DataType::Utf8, Some(Addition::Keys(keys))) => {
            DataType::Dictionary(keys.clone().into(), DataType::Utf8.into())
        }
        (DataType::Int64, Some(Addition::Duration(unit))) => DataType::Duration(*unit),
        (own, _) => own,
    }
}

/// The Arrow type by Parquet's logical type, or by the converted type of older files.
fn own_type(column: &Type) -> DataType {
    let info = column.get_basic_info();
    let logical = info.logical_type_ref();
    let decimal = matches!(logical, Some(LogicalType::Decimal(_)))
        || info.converted_type() == ConvertedType::DECIMAL;
    if decimal {
        return decimal_type(column);
    }
    match column.get_physical_type() {
        PhysicalType::BOOLEAN => DataType::Boolean,
        PhysicalType::INT32 | PhysicalType::INT64 => whole_number(column),
        PhysicalType::INT96 => DataType::Timestamp(TimeUnit::Nanosecond, None),
        PhysicalType::FLOAT => DataType::Float32,
        PhysicalType::DOUBLE => DataType::Float64,
        PhysicalType::BYTE_ARRAY => match (logical, info.converted_type()) {
            (Some(LogicalType::String | LogicalType::Json), _)
            | (None, ConvertedType::UTF8 | ConvertedType::JSON) => DataType::Utf8,
            _ => DataType::Binary,
        },
        PhysicalType::FIXED_LEN_BYTE_ARRAY => match logical {
            Some(LogicalType::Float16) => DataType::Float16,
            _ => DataType::Binary,
        },
    }
}

/// Digits of the widest decimal number in 128 bits.
const DIGITS: i32 = 38;

fn decimal_type(column: &Type) -> DataType {
    let (precision, scale) = (column.get_precision(), column.get_scale());
    let digits = u8::try_from(precision).unwrap_or(u8::MAX);
    let scale = i8::try_from(scale).unwrap_or(i8::MAX);
    match (1..=DIGITS).contains(&precision) && i32::from(scale) <= precision {
        true => DataType::Decimal128(digits, scale),
        false => DataType::Decimal256(digits, scale),
    }
}

fn whole_number(column: &Type) -> DataType {
    let info = column.get_basic_info();
    let is_long = column.get_physical_type() == PhysicalType::INT64;
    let plain = match is_long {
        true => DataType::Int64,
        false => DataType::Int32,
    };
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::Integer(integer)), _) => {
            match (integer.is_signed, integer.bit_width, is_long) {
                (true, 8, false) => DataType::Int8,
                (true, 16, false) => DataType::Int16,
                (true, ..) => plain,
                (false, 8, false) => DataType::UInt8,
                (false, 16, false) => DataType::UInt16,
                (false, _, false) => DataType::UInt32,
                (false, _, true) => DataType::UInt64,
            }
        }
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => DataType::Date32,
        (Some(LogicalType::Time(_)), _)
        | (None, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => match is_long {
            true => DataType::Time64(TimeUnit::Microsecond),
            false => DataType::Time32(TimeUnit::Millisecond),
        },
        (Some(LogicalType::Timestamp(timestamp)), _) => {
            DataType::Timestamp(unit(&timestamp.unit), None)
        }
        (None, ConvertedType::TIMESTAMP_MILLIS) => DataType::Timestamp(TimeUnit::Millisecond, None),
        (None, ConvertedType::TIMESTAMP_MICROS) => DataType::Timestamp(TimeUnit::Microsecond, None),
        (None, ConvertedType::UINT_8) => DataType::UInt8,
        (None, ConvertedType::UINT_16) => DataType::UInt16,
        (None, ConvertedType::UINT_32) => DataType::UInt32,
        (None, ConvertedType::UINT_64) => DataType::UInt64,
        (None, ConvertedType::INT_8) => DataType::Int8,
        (None, ConvertedType::INT_16) => DataType::Int16,
        _ => plain,
    }
}

fn unit(unit: &ParquetUnit) -> TimeUnit {
    match unit {
        ParquetUnit::MILLIS => TimeUnit::Millisecond,
        ParquetUnit::MICROS => TimeUnit::Microsecond,
        ParquetUnit::NANOS => TimeUnit::Nanosecond,
    }
}

#[cfg(test)]
mod tests;
