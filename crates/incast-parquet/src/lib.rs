//! Arrow tables as Parquet files, and back.
//!
//! The Parquet library reads and writes single columns here: its feature for whole Arrow tables
//! takes longer to compile than the rest of the library. Tables have top-level columns of numbers
//! and text. Of other columns in a file, only names and types are read.
//!
//! | Arrow                                      | Parquet                        |
//! |--------------------------------------------|--------------------------------|
//! | `Int8` … `Int64`, `UInt8` … `UInt64`       | `INT32` or `INT64`, annotated  |
//! | `Float16`, `Float32`, `Float64`            | 2 bytes, `FLOAT`, `DOUBLE`     |
//! | `Decimal128`                               | each type that holds decimals  |
//! | `Utf8`, and dictionaries of it             | `BYTE_ARRAY`, text             |
//!
//! Parquet does not say which columns are dictionaries. Arrow's schema in the file's metadata does
//! (`arrow_metadata.rs`).

mod arrays;
mod arrow_metadata;
mod encoded;
mod flat_buffer;
mod reading;
mod schema;
mod shared_file;
mod sound_pages;
mod writing;

pub use encoded::EncodedFile;
pub use parquet::basic::{Compression, Encoding};
pub use parquet::errors::{ParquetError, Result};
pub use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
pub use reading::{FileColumn, FileRows, ParquetFile};
pub use shared_file::{AtPlace, SharedFile};
pub use writing::{FileWriter, GroupColumn};
