//! A table of results: Arrow record batches, passed to Python without copying.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, SchemaRef};
use incast_sim::TableFile;
use pyo3::exceptions::{PyKeyError, PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::errors::file_error;
use crate::interruptible::interruptible;

/// A table that any library with the Arrow PyCapsule interface can take over.
#[pyclass(frozen, name = "Table", module = "incast._core")]
pub(crate) struct PyTable {
    rows: TableRows,
}

/// The rows of a table.
enum TableRows {
    InMemory(incast_sim::Table),
    /// A file and its number of rows; columns are loaded on demand.
    InFile(Arc<TableFile>, usize),
}

impl From<incast_sim::Table> for PyTable {
    fn from(table: incast_sim::Table) -> Self {
        let rows = TableRows::InMemory(table);
        Self { rows }
    }
}

impl From<Arc<TableFile>> for PyTable {
    fn from(file: Arc<TableFile>) -> Self {
        let count = file.rows();
        let rows = TableRows::InFile(file, count);
        Self { rows }
    }
}

#[pymethods]
impl PyTable {
    /// The table as a capsule `arrow_array_stream`; the schema is always the table's own.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let table = self.load(py, |_| true)?;
        let batches = table.batches().to_vec().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, table.schema().clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The schema as a capsule `arrow_schema`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema().as_ref()).map_err(os_error)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        match &self.rows {
            TableRows::InMemory(table) => table.rows(),
            TableRows::InFile(_, rows) => *rows,
        }
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The first rows, as a view.
    fn head(&self, rows: usize) -> Self {
        let rows = match &self.rows {
            TableRows::InMemory(table) => TableRows::InMemory(table.head(rows)),
            TableRows::InFile(file, all) => TableRows::InFile(Arc::clone(file), rows.min(*all)),
        };
        Self { rows }
    }

    /// A column of numbers: NumPy's name of the type, and the values as raw bytes. If values are
    /// missing, all are floating-point numbers, and the missing ones NaN.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(&'static str, Bound<'py, PyBytes>)> {
        let column = self.column(py, name)?;
        let code = number_code(&column.data_type).ok_or_else(|| {
            let holds = match &column.data_type {
                DataType::Utf8 | DataType::Dictionary(..) => "text".to_owned(),
                other => format!("{other} values, which no run writes"),
            };
            PyTypeError::new_err(format!("column {name} holds {holds}"))
        })?;
        if column.has_nulls() {
            let values = floats(&column.chunks);
            return Ok(("<f8", bytes(py, &[&values])?));
        }
        let parts: Vec<&[u8]> = column.chunks.iter().map(number_bytes).collect();
        Ok((code, bytes(py, &parts)?))
    }

    /// A column of text: the distinct texts, and for each row the index of its text, as raw bytes
    /// of unsigned 32-bit integers.
    fn categories<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Vec<String>, Bound<'py, PyBytes>)> {
        let column = self.column(py, name)?;
        if number_code(&column.data_type).is_some() {
            return Err(PyTypeError::new_err(format!("column {name} holds numbers")));
        }
        let mut texts = Texts::default();
        let mut indices = Vec::new();
        for chunk in &column.chunks {
            texts.append(chunk, &mut indices);
        }
        Ok((texts.all, bytes(py, &[&indices])?))
    }
}

/// Concatenates parts.
///
/// # Errors
/// `MemoryError`, if memory runs out.
fn bytes<'py>(py: Python<'py>, parts: &[&[u8]]) -> PyResult<Bound<'py, PyBytes>> {
    let length = parts.iter().map(|part| part.len()).sum();
    PyBytes::new_with(py, length, |mut rest| {
        for part in parts {
            let (place, left) = rest.split_at_mut(part.len());
            place.copy_from_slice(part);
            rest = left;
        }
        Ok(())
    })
}

/// Reads a Parquet file of results, if it takes at most `memory` bytes.
#[pyfunction]
#[pyo3(signature = (path, memory=None))]
pub(crate) fn read_table(py: Python<'_>, path: PathBuf, memory: Option<u64>) -> PyResult<PyTable> {
    let memory = memory.unwrap_or(u64::MAX);
    interruptible(py, move || {
        incast_sim::Table::read_parquet_within(&path, memory)
    })?
    .map(PyTable::from)
    .map_err(|error| file_error(py, "ResultsError", &error))
}

/// A column in as many pieces as the table has batches.
struct Column {
    data_type: DataType,
    chunks: Vec<ArrayRef>,
}

impl Column {
    fn has_nulls(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.null_count() > 0)
    }
}

impl PyTable {
    fn schema(&self) -> &SchemaRef {
        match &self.rows {
            TableRows::InMemory(table) => table.schema(),
            TableRows::InFile(file, _) => file.schema(),
        }
    }

    /// The rows in memory; from a file, only the columns that are wanted.
    fn load(
        &self,
        py: Python<'_>,
        is_wanted: impl Fn(&str) -> bool + Send,
    ) -> PyResult<incast_sim::Table> {
        match &self.rows {
            TableRows::InMemory(table) => Ok(table.clone()),
            TableRows::InFile(file, rows) => {
                let read = py.detach(|| file.read(is_wanted));
                let table = read.map_err(|error| file_error(py, "ResultsError", &error))?;
                Ok(table.head(*rows))
            }
        }
    }

    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Column> {
        let table = self.load(py, |each| each == name)?;
        let missing = |_| PyKeyError::new_err(name.to_owned());
        let index = table.schema().index_of(name).map_err(missing)?;
        let batches = table.batches().iter();
        Ok(Column {
            data_type: table.schema().field(index).data_type().clone(),
            chunks: batches.map(|batch| batch.column(index).clone()).collect(),
        })
    }
}

/// NumPy's name of a type of numbers.
fn number_code(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::UInt8 => Some("<u1"),
        DataType::UInt16 => Some("<u2"),
        DataType::UInt32 => Some("<u4"),
        DataType::UInt64 => Some("<u8"),
        DataType::Float64 => Some("<f8"),
        _ => None,
    }
}

/// The values of an array whose type has a [`number_code`].
fn number_bytes(array: &ArrayRef) -> &[u8] {
    match array.data_type() {
        DataType::UInt8 => array.as_primitive::<UInt8Type>().values().inner(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().values().inner(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().values().inner(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().values().inner(),
        DataType::Float64 => array.as_primitive::<Float64Type>().values().inner(),
        other => unreachable!("{other} has no number code"),
    }
}

/// Numbers of any type as raw bytes of 64-bit floating-point numbers; NaN for missing ones.
fn floats(chunks: &[ArrayRef]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in chunks {
        match chunk.data_type() {
            DataType::UInt8 => push_floats::<UInt8Type>(chunk, f64::from, &mut bytes),
            DataType::UInt16 => push_floats::<UInt16Type>(chunk, f64::from, &mut bytes),
            DataType::UInt32 => push_floats::<UInt32Type>(chunk, f64::from, &mut bytes),
            DataType::UInt64 => push_floats::<UInt64Type>(chunk, |value| value as f64, &mut bytes),
            DataType::Float64 => push_floats::<Float64Type>(chunk, |value| value, &mut bytes),
            other => unreachable!("{other} has no number code"),
        }
    }
    bytes
}

fn push_floats<T: ArrowPrimitiveType>(
    chunk: &ArrayRef,
    float: impl Fn(T::Native) -> f64,
    bytes: &mut Vec<u8>,
) {
    for value in chunk.as_primitive::<T>() {
        bytes.extend_from_slice(&value.map_or(f64::NAN, &float).to_le_bytes());
    }
}

/// The distinct texts of a column over all batches, each of which has a dictionary of its own.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    index: HashMap<String, u32>,
}

impl Texts {
    /// Appends the text indices of one batch's rows.
    fn append(&mut self, chunk: &ArrayRef, indices: &mut Vec<u8>) {
        if let Some(texts) = chunk.as_string_opt::<i32>() {
            for text in texts {
                let index = self.find(text.unwrap_or(""));
                indices.extend_from_slice(&index.to_le_bytes());
            }
            return;
        }
        let dictionary = chunk.as_any_dictionary();
        if dictionary.is_empty() {
            return;
        }
        let texts = dictionary.values().as_string::<i32>().iter();
        let known: Vec<u32> = texts.map(|text| self.find(text.unwrap_or(""))).collect();
        for key in dictionary.normalized_keys() {
            indices.extend_from_slice(&known[key].to_le_bytes());
        }
    }

    fn find(&mut self, text: &str) -> u32 {
        if let Some(index) = self.index.get(text) {
            return *index;
        }
        let index = u32::try_from(self.all.len()).expect("fewer texts than 2^32");
        self.all.push(text.to_owned());
        self.index.insert(text.to_owned(), index);
        index
    }
}

fn os_error(error: impl std::fmt::Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}
