//! Tables of flow sizes from other programs, as lines of `bytes percent`.

use std::fmt::Write as _;
use std::path::Path;

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Bytes;
use incast_workload::CdfUnit;

use crate::files;
use crate::size_table::{self, LastLine, TableOptions};

/// A table that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct SizesImport {
    /// The same table as lines of `bytes percent`.
    pub text: String,
    /// The mean size in bytes, with linear interpolation between points.
    pub mean: f64,
    /// The unit of the last column of the file.
    pub unit: CdfUnit,
    /// Two or three.
    pub columns: usize,
}

/// Reads a table of flow sizes. Without `unit`, the last line tells the unit: it ends in 1 or in
/// 100.
///
/// # Errors
/// A file that cannot be read or is not such a table, or sizes whose unit must be given.
pub fn import_sizes(
    file: &Path,
    unit: Option<CdfUnit>,
    size_unit: Option<Bytes>,
) -> Result<SizesImport, Diagnostic> {
    let lines = files::open(file, file).in_file(file.display())?;
    let options = TableOptions { unit, size_unit };
    let table = size_table::read(lines, options, LastLine::SaysTheUnit)?;
    let mut text = String::new();
    for (size, fraction) in table.cdf.points() {
        // Rounded to 12 digits, so that 0.29 is 29 % and not 28.999999999999996 %.
        let percent = (fraction * 1e12).round() / 1e10;
        writeln!(text, "{size} {percent}").expect("text has room");
    }
    Ok(SizesImport {
        text,
        mean: table.cdf.mean_bytes(),
        unit: table.unit,
        columns: table.columns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.29 of the flows have up to 10 packets of 1460 bytes: 14 600 bytes at 29 %.
    #[test]
    fn a_table_of_ns2_becomes_bytes_and_percent() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cdf.tcl");
        std::fs::write(&file, "10 1 0.29\n20 1 1\n").unwrap();
        let import = import_sizes(&file, None, Some(Bytes::new(1_460))).unwrap();
        assert_eq!(import.text, "14600 0\n14600 29\n29200 100\n");
        assert_eq!((import.unit, import.columns), (CdfUnit::Fraction, 3));
        // 14 600·0.29 + 21 900·0.71.
        assert!((import.mean - 19_783.0).abs() < 1e-6, "{}", import.mean);
        let wrong = import_sizes(&file, None, None).unwrap_err().to_string();
        assert!(wrong.contains("write `size_unit = \"1460B\"`"), "{wrong}");
    }
}
