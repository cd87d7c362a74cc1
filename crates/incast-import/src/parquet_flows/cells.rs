//! Cells of Parquet columns, of whatever type, as hosts, sizes and moments.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal128Type, Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array as _, ArrayRef, PrimitiveArray};
use arrow_cast::cast;
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

/// One value; none if it is missing.
pub(super) enum Cell {
    Missing,
    Whole(u64),
    Negative(String),
    Float(f64),
    Decimal(String),
    Text(String),
}

/// The widest type of this kind; none for what is neither number nor text.
fn widest(from: &DataType) -> Option<(CellKind, DataType)> {
    /// Digits of the widest decimal number of 128 bits.
    const DIGITS: u8 = 38;
    Some(match from {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => {
            (CellKind::Signed, DataType::Int64)
        }
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
            (CellKind::Unsigned, DataType::UInt64)
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            (CellKind::Float, DataType::Float64)
        }
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => {
            (CellKind::Decimal, DataType::Decimal128(DIGITS, *scale))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            (CellKind::Text, DataType::LargeUtf8)
        }
        // Categories of pandas and Polars.
        DataType::Dictionary(_, values) => return widest(values),
        _ => return None,
    })
}

/// Refuses columns that hold no numbers, nor names of hosts.
pub(super) fn check_type(kind: &DataType, name: &str) -> Result<(), Diagnostic> {
    let of_hosts = matches!(name, "source" | "destination");
    match widest(kind) {
        Some((CellKind::Text, _)) if of_hosts => Ok(()),
        Some((CellKind::Text, _)) | None => Err(diagnostics::no_numbers(
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
        let damaged = |what: &str| diagnostics::damaged_parquet(what);
        let wide = widest(values.data_type());
        let (kind, wide) = wide.ok_or_else(|| damaged("the type of the column changes"))?;
        let values = cast(values, &wide).map_err(|error| damaged(&error.to_string()))?;
        Ok(Self { values, kind })
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
            CellKind::Text => Cell::Text(self.values.as_string::<i64>().value(row).to_owned()),
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

    /// A moment in this unit.
    pub(super) fn time(self, unit: TimeUnit) -> Result<Time, Diagnostic> {
        match self {
            Self::Missing => Err(diagnostics::no_value()),
            Self::Negative(text) => Err(diagnostics::negative(&text)),
            Self::Whole(number) => whole_moment(number, unit),
            Self::Decimal(text) => moment(&text, unit),
            Self::Text(text) => moment(&text, unit),
            Self::Float(number) if number < 0.0 => Err(diagnostics::negative(&number.to_string())),
            // The shortest text that means this float, as CSV files have it.
            Self::Float(number) => moment(&format!("{number:e}"), unit),
        }
    }

    /// A whole number, of which `example` is one.
    fn whole(self, example: &str) -> Result<u64, Diagnostic> {
        /// Floats beyond are whole, but not each whole number is one.
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
