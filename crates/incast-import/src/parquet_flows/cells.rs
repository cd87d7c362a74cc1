//! Cells of Parquet columns of any type, as hosts, sizes and times.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::{Bytes, HostId, Time};
use incast_workload::{HostNames, check_size};

use crate::decimal::{TimeUnit, moment, whole_moment};
use crate::diagnostics;

/// Decoded values of a column, in the widest type of their kind.
pub(super) struct CellColumn {
    values: ArrayRef,
    kind: CellKind,
}

#[derive(Copy, Clone)]
enum CellKind {
    Signed,
    Unsigned,
    Float,
    Decimal,
    Text,
}

/// One value; `None` if it is missing.
pub(super) enum Cell {
    Missing,
    Whole(u64),
    Negative(String),
    Float(f64),
    Decimal(String),
    Text(String),
}

/// The kind of a type's values; `None` for types that are neither numbers nor text.
fn kind_of(kind: &DataType) -> Option<CellKind> {
    Some(match kind {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => CellKind::Signed,
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
            CellKind::Unsigned
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => CellKind::Float,
        DataType::Decimal128(..) => CellKind::Decimal,
        DataType::Utf8 => CellKind::Text,
        // Categorical columns of pandas and Polars.
        DataType::Dictionary(_, values) => return kind_of(values),
        _ => return None,
    })
}

/// The values, converted to the widest type of their kind.
fn widened(values: &ArrayRef) -> ArrayRef {
    fn to<From, To>(values: &ArrayRef) -> ArrayRef
    where
        From: ArrowPrimitiveType,
        To: ArrowPrimitiveType<Native: std::convert::From<From::Native>>,
    {
        let wide = values.as_primitive::<From>().unary::<_, To>(Into::into);
        Arc::new(wide)
    }
    match values.data_type() {
        DataType::Int8 => to::<Int8Type, Int64Type>(values),
        DataType::Int16 => to::<Int16Type, Int64Type>(values),
        DataType::Int32 => to::<Int32Type, Int64Type>(values),
        DataType::UInt8 => to::<UInt8Type, UInt64Type>(values),
        DataType::UInt16 => to::<UInt16Type, UInt64Type>(values),
        DataType::UInt32 => to::<UInt32Type, UInt64Type>(values),
        DataType::Float16 => to::<Float16Type, Float64Type>(values),
        DataType::Float32 => to::<Float32Type, Float64Type>(values),
        _ => values.clone(),
    }
}

/// Refuses columns of other types than numbers; columns of hosts may be text.
pub(super) fn check_type(kind: &DataType, name: &str) -> Result<(), Diagnostic> {
    let of_hosts = matches!(name, "source" | "destination");
    match kind_of(kind) {
        Some(CellKind::Text) if of_hosts => Ok(()),
        Some(CellKind::Text) | None => Err(diagnostics::no_numbers(
            &excerpt(&kind.to_string()),
            match name {
                _ if of_hosts => "whole numbers, or names of hosts",
                "size_bytes" => "whole numbers",
                _ => "numbers, in the unit of its name",
            },
        )),
        Some(_) => Ok(()),
    }
}

impl CellColumn {
    pub(super) fn of(values: &ArrayRef) -> Result<Self, Diagnostic> {
        let kind = kind_of(values.data_type());
        let changes = || diagnostics::damaged_parquet("the type of the column changes");
        Ok(Self {
            values: widened(values),
            kind: kind.ok_or_else(changes)?,
        })
    }

    pub(super) fn cell(&self, row: usize) -> Cell {
        if self.values.is_null(row) {
            return Cell::Missing;
        }
        match self.kind {
            CellKind::Unsigned => Cell::Whole(self.numbers::<UInt64Type>().value(row)),
            CellKind::Float => Cell::Float(self.numbers::<Float64Type>().value(row)),
            CellKind::Decimal => {
                Cell::Decimal(self.numbers::<Decimal128Type>().value_as_string(row))
            }
            CellKind::Text => Cell::Text(self.values.as_string::<i32>().value(row).to_owned()),
            CellKind::Signed => {
                let value = self.numbers::<Int64Type>().value(row);
                match u64::try_from(value) {
                    Ok(value) => Cell::Whole(value),
                    Err(_) => Cell::Negative(value.to_string()),
                }
            }
        }
    }

    fn numbers<T: arrow_array::ArrowPrimitiveType>(&self) -> &PrimitiveArray<T> {
        self.values.as_primitive::<T>()
    }
}

impl Cell {
    /// A host, by number or by name.
    pub(super) fn host(self, hosts: &HostNames) -> Result<HostId, Diagnostic> {
        let number = match &self {
            Self::Text(text) => match text.parse() {
                Ok(number) => number,
                Err(_) => return hosts.find(text),
            },
            _ => self.whole("0")?,
        };
        let too_large = |_| diagnostics::number_too_large(&number.to_string(), u32::MAX.into());
        hosts.number(HostId(u32::try_from(number).map_err(too_large)?))
    }

    /// A flow's size.
    pub(super) fn size(self) -> Result<Bytes, Diagnostic> {
        let size = Bytes::new(self.whole("1000000")?);
        check_size(size)?;
        Ok(size)
    }

    /// A time in this unit.
    pub(super) fn time(self, unit: TimeUnit) -> Result<Time, Diagnostic> {
        match self {
            Self::Missing => Err(diagnostics::no_value()),
            Self::Negative(text) => Err(diagnostics::negative(&text)),
            Self::Whole(number) => whole_moment(number, unit),
            Self::Decimal(text) => moment(&text, unit),
            Self::Text(text) => moment(&text, unit),
            Self::Float(number) if number < 0.0 => Err(diagnostics::negative(&number.to_string())),
            // The shortest text that gives this float, as a CSV file would have it.
            Self::Float(number) => moment(&format!("{number:e}"), unit),
        }
    }

    /// The cell as an integer; `example` shows one in messages.
    fn whole(self, example: &str) -> Result<u64, Diagnostic> {
        /// Up to this number every integer is a float.
        const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
        let not_whole = |text: &str| diagnostics::not_integer(&excerpt(text), example);
        match self {
            Self::Missing => Err(diagnostics::no_value()),
            Self::Whole(number) => Ok(number),
            Self::Negative(text) => Err(diagnostics::negative(&text)),
            Self::Float(number) if number.fract() == 0.0 && (0.0..=EXACT).contains(&number) => {
                Ok(number as u64)
            }
            Self::Float(number) if number < 0.0 => {
                Err(diagnostics::negative(&excerpt(&number.to_string())))
            }
            Self::Float(number) if number > EXACT => {
                let text = excerpt(&format!("{number:e}"));
                Err(diagnostics::number_too_large(&text, EXACT as u64))
            }
            Self::Float(number) => Err(not_whole(&number.to_string())),
            Self::Text(text) => Err(not_whole(&text)),
            Self::Decimal(text) => {
                let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
                let is_whole = fraction.bytes().all(|digit| digit == b'0');
                match whole.parse() {
                    Ok(number) if is_whole => Ok(number),
                    _ if text.starts_with('-') => Err(diagnostics::negative(&excerpt(&text))),
                    _ => Err(not_whole(&text)),
                }
            }
        }
    }
}
