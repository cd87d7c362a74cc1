//! Decoded values of a column as an Arrow array, and back.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{PrimitiveBuilder, StringBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Decimal128Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, DictionaryArray, PrimitiveArray};
use arrow_schema::DataType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::{AsBytes as _, ByteArray, DataType as ParquetType};
use parquet::errors::{ParquetError, Result};

/// Reads at most `rows` rows of a column, as an array of type `kind`.
pub(crate) fn read(reader: &mut ColumnReader, kind: &DataType, rows: usize) -> Result<ArrayRef> {
    use ColumnReader as Of;
    use DataType as To;
    Ok(match (reader, kind) {
        (Of::Int32ColumnReader(r), To::Int8) => {
            numbers::<Int8Type, _>(cells(r, rows)?, |v| v as i8)
        }
        (Of::Int32ColumnReader(r), To::Int16) => {
            numbers::<Int16Type, _>(cells(r, rows)?, |v| v as i16)
        }
        (Of::Int32ColumnReader(r), To::Int32) => numbers::<Int32Type, _>(cells(r, rows)?, |v| v),
        (Of::Int32ColumnReader(r), To::UInt8) => {
            numbers::<UInt8Type, _>(cells(r, rows)?, |v| v as u8)
        }
        (Of::Int32ColumnReader(r), To::UInt16) => {
            numbers::<UInt16Type, _>(cells(r, rows)?, |v| v as u16)
        }
        (Of::Int32ColumnReader(r), To::UInt32) => {
            numbers::<UInt32Type, _>(cells(r, rows)?, |v| v as u32)
        }
        (Of::Int64ColumnReader(r), To::Int64) => numbers::<Int64Type, _>(cells(r, rows)?, |v| v),
        (Of::Int64ColumnReader(r), To::UInt64) => {
            numbers::<UInt64Type, _>(cells(r, rows)?, |v| v as u64)
        }
        (Of::FloatColumnReader(r), To::Float32) => {
            numbers::<Float32Type, _>(cells(r, rows)?, |v| v)
        }
        (Of::DoubleColumnReader(r), To::Float64) => {
            numbers::<Float64Type, _>(cells(r, rows)?, |v| v)
        }
        (Of::FixedLenByteArrayColumnReader(r), To::Float16) => {
            let cells = cells(r, rows)?.convert(|v| <[u8; 2]>::try_from(v.as_bytes()).ok())?;
            numbers::<Float16Type, _>(
                cells,
                <Float16Type as ArrowPrimitiveType>::Native::from_le_bytes,
            )
        }
        (reader, To::Decimal128(precision, scale)) => {
            let numbers = decimals(reader, rows)?;
            let array = PrimitiveArray::<Decimal128Type>::from_iter(numbers.into_options());
            let array = array.with_precision_and_scale(*precision, *scale);
            Arc::new(array.map_err(|error| ParquetError::General(error.to_string()))?)
        }
        (Of::ByteArrayColumnReader(r), To::Utf8) => texts(cells(r, rows)?)?,
        (Of::ByteArrayColumnReader(r), To::Dictionary(keys, _)) => {
            let texts = cells(r, rows)?;
            match keys.as_ref() {
                To::Int8 => dictionary::<Int8Type>(texts, |place| place.try_into().ok())?,
                _ => dictionary::<Int32Type>(texts, |place| place.try_into().ok())?,
            }
        }
        (_, other) => {
            let what = format!("columns of type {other} are not read");
            return Err(ParquetError::NYI(what));
        }
    })
}

/// The values of a column's rows; missing values are left out.
struct Cells<V> {
    values: Vec<V>,
    /// Whether each row has a value; `None` if no value can be missing.
    present: Option<Vec<bool>>,
}

impl<V> Cells<V> {
    fn into_options(self) -> impl Iterator<Item = Option<V>> {
        let rows = self.present.as_ref().map_or(self.values.len(), Vec::len);
        let mut values = self.values.into_iter();
        let present = self.present;
        (0..rows).map(move |row| match &present {
            Some(present) if !present[row] => None,
            _ => values.next(),
        })
    }

    /// Converts each value.
    ///
    /// # Errors
    /// If `other` has no result for a value.
    fn convert<W>(self, other: impl Fn(V) -> Option<W>) -> Result<Cells<W>> {
        let values: Option<_> = self.values.into_iter().map(other).collect();
        let damaged = || ParquetError::General("a value has the wrong length".into());
        Ok(Cells {
            values: values.ok_or_else(damaged)?,
            present: self.present,
        })
    }
}

fn cells<T: ParquetType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Result<Cells<T::T>> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let (read, found, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    // Definition levels of top-level columns: 0 for a missing value, 1 for a value. Columns that
    // require values have no levels.
    let present = levels.iter().map(|level| *level > 0);
    let present = (!levels.is_empty()).then(|| present.collect::<Vec<_>>());
    match found == values.len() && present.as_ref().map_or(found, Vec::len) == read {
        true => Ok(Cells { values, present }),
        false => Err(ParquetError::General(format!(
            "{read} rows of a column have {found} values"
        ))),
    }
}

fn numbers<T: ArrowPrimitiveType, V>(cells: Cells<V>, value: impl Fn(V) -> T::Native) -> ArrayRef {
    match cells.present {
        None => {
            let values = cells.values.into_iter().map(value);
            Arc::new(PrimitiveArray::<T>::from_iter_values(values))
        }
        Some(_) => {
            let values = cells.into_options().map(|each| each.map(&value));
            Arc::new(PrimitiveArray::<T>::from_iter(values))
        }
    }
}

/// Decimal numbers as integers, without the decimal point.
fn decimals(reader: &mut ColumnReader, rows: usize) -> Result<Cells<i128>> {
    match reader {
        ColumnReader::Int32ColumnReader(r) => cells(r, rows)?.convert(|v| Some(v.into())),
        ColumnReader::Int64ColumnReader(r) => cells(r, rows)?.convert(|v| Some(v.into())),
        ColumnReader::ByteArrayColumnReader(r) => {
            cells(r, rows)?.convert(|v| whole_number(v.as_bytes()))
        }
        ColumnReader::FixedLenByteArrayColumnReader(r) => {
            cells(r, rows)?.convert(|v| whole_number(v.as_bytes()))
        }
        _ => Err(ParquetError::General(
            "a column of decimals has others".into(),
        )),
    }
}

/// The integer of big-endian bytes in two's complement; `None` for none, or more than 16.
fn whole_number(bytes: &[u8]) -> Option<i128> {
    let sign = bytes.first()? & 0x80;
    let mut wide = [if sign == 0 { 0 } else { 0xff }; 16];
    let begin = wide.len().checked_sub(bytes.len())?;
    wide[begin..].copy_from_slice(bytes);
    Some(i128::from_be_bytes(wide))
}

fn text(bytes: &ByteArray) -> Result<&str> {
    let text = std::str::from_utf8(bytes.data());
    text.map_err(|_| ParquetError::General("a text is not UTF-8".into()))
}

fn texts(cells: Cells<ByteArray>) -> Result<ArrayRef> {
    let length = cells.values.iter().map(|bytes| bytes.data().len()).sum();
    let mut texts = StringBuilder::with_capacity(cells.values.len(), length);
    for bytes in cells.into_options() {
        texts.append_option(bytes.as_ref().map(text).transpose()?);
    }
    Ok(Arc::new(texts.finish()))
}

/// Texts as a dictionary: each distinct text once, in order of first appearance.
fn dictionary<K: ArrowDictionaryKeyType>(
    cells: Cells<ByteArray>,
    key: impl Fn(usize) -> Option<K::Native>,
) -> Result<ArrayRef> {
    let mut places: HashMap<Vec<u8>, K::Native> = HashMap::new();
    let mut all = StringBuilder::new();
    let mut keys = PrimitiveBuilder::<K>::with_capacity(cells.values.len());
    let too_many = || ParquetError::General("a column has more texts than keys".into());
    // Equal texts often follow each other: the second needs no look-up.
    let mut last: Option<(ByteArray, K::Native)> = None;
    for bytes in cells.into_options() {
        let Some(bytes) = bytes else {
            keys.append_null();
            continue;
        };
        if let Some((text, known)) = &last
            && text.data() == bytes.data()
        {
            keys.append_value(*known);
            continue;
        }
        let place = match places.get(bytes.data()) {
            Some(known) => *known,
            None => {
                let new = key(places.len()).ok_or_else(too_many)?;
                all.append_value(text(&bytes)?);
                places.insert(bytes.data().to_vec(), new);
                new
            }
        };
        keys.append_value(place);
        last = Some((bytes, place));
    }
    let array = DictionaryArray::try_new(keys.finish(), Arc::new(all.finish()));
    let array = array.map_err(|error| ParquetError::General(error.to_string()))?;
    Ok(Arc::new(array))
}

/// Writes the values of an array to a column.
///
/// # Errors
/// If the file cannot be written, or the column's type is not supported.
pub(crate) fn write(writer: &mut ColumnWriter<'_>, array: &ArrayRef) -> Result<()> {
    use ColumnWriter as To;
    use DataType as Of;
    match (writer, array.data_type()) {
        (To::Int32ColumnWriter(w), Of::UInt8) => {
            put(w, array, &wide::<UInt8Type, _>(array, |v| v.into()))
        }
        (To::Int32ColumnWriter(w), Of::UInt16) => {
            put(w, array, &wide::<UInt16Type, _>(array, |v| v.into()))
        }
        (To::Int32ColumnWriter(w), Of::UInt32) => {
            put(w, array, &wide::<UInt32Type, _>(array, |v| v as i32))
        }
        (To::Int64ColumnWriter(w), Of::UInt64) => {
            put(w, array, &wide::<UInt64Type, _>(array, |v| v as i64))
        }
        (To::DoubleColumnWriter(w), Of::Float64) => {
            put(w, array, &wide::<Float64Type, _>(array, |v| v))
        }
        (To::ByteArrayColumnWriter(w), Of::Utf8) => put(w, array, &slices(array)),
        (To::ByteArrayColumnWriter(w), Of::Dictionary(keys, _)) => {
            let texts = match keys.as_ref() {
                Of::Int8 => looked_up::<Int8Type>(array),
                _ => looked_up::<Int32Type>(array),
            };
            put(w, array, &texts)
        }
        (_, other) => Err(ParquetError::NYI(format!("columns of type {other}"))),
    }
}

/// The values that are not missing, converted to the wider type.
fn wide<T: ArrowPrimitiveType, W>(array: &ArrayRef, wide: impl Fn(T::Native) -> W) -> Vec<W> {
    let array = array.as_primitive::<T>();
    match array.null_count() {
        0 => array.values().iter().map(|value| wide(*value)).collect(),
        _ => array.iter().flatten().map(wide).collect(),
    }
}

/// The texts that are not missing, as slices of one copy.
fn slices(array: &ArrayRef) -> Vec<ByteArray> {
    let texts = array.as_string::<i32>();
    let bytes = ByteArray::from(texts.value_data().to_vec());
    let slice = |row: usize| {
        let place = texts.value_offsets()[row] as usize;
        bytes.slice(place, texts.value_length(row) as usize)
    };
    let rows = (0..texts.len()).filter(|row| texts.is_valid(*row));
    rows.map(slice).collect()
}

/// The text of each row of a dictionary array; rows with equal texts share the bytes.
fn looked_up<K: ArrowDictionaryKeyType>(array: &ArrayRef) -> Vec<ByteArray> {
    let dictionary = array.as_dictionary::<K>();
    let texts = dictionary.values().as_string::<i32>().iter();
    let texts: Vec<_> = texts
        .map(|text| ByteArray::from(text.unwrap_or_default()))
        .collect();
    dictionary
        .keys_iter()
        .flatten()
        .map(|key| texts[key].clone())
        .collect()
}

fn put<T: ParquetType>(
    writer: &mut ColumnWriterImpl<'_, T>,
    array: &ArrayRef,
    values: &[T::T],
) -> Result<()> {
    // Levels are as in `cells`.
    let levels = (writer.get_descriptor().max_def_level() > 0).then(|| {
        let rows = 0..array.len();
        rows.map(|row| i16::from(array.is_valid(row)))
            .collect::<Vec<_>>()
    });
    writer.write_batch(values, levels.as_deref(), None)?;
    Ok(())
}

#[cfg(test)]
mod tests;
