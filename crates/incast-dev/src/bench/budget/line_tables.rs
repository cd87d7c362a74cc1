//! The line tables of a program: the functions that an instruction belongs to.

use std::path::Path;

use addr2line::Loader;

use crate::bench::error::BenchError;

/// A function that an instruction belongs to, or into which that function was inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The source file of the line, or of the call.
    pub(super) file: String,
    /// The function's name, as the compiler writes it.
    pub(super) function: String,
}

/// Finds the functions of instructions, inlined ones included.
pub(super) trait Inlined {
    /// The functions that the instruction at an address belongs to, the innermost first.
    fn at(&self, address: u64) -> Vec<Frame>;
}

/// The line tables of a program.
pub(super) struct LineTables(Loader);

impl LineTables {
    pub(super) fn of(program: &Path) -> Result<Self, BenchError> {
        let lines = Loader::new(program).map(Self);
        lines.map_err(|source| BenchError::no_lines(program, &source.to_string()))
    }
}

impl Inlined for LineTables {
    fn at(&self, address: u64) -> Vec<Frame> {
        let mut found = Vec::new();
        let Ok(mut frames) = self.0.find_frames(address) else {
            return found;
        };
        while let Ok(Some(frame)) = frames.next() {
            let file = frame.location.and_then(|location| location.file);
            let function = frame.function.as_ref().map(|function| function.raw_name());
            found.push(Frame {
                file: file.unwrap_or_default().to_owned(),
                function: function
                    .and_then(Result::ok)
                    .unwrap_or_default()
                    .into_owned(),
            });
        }
        found
    }
}
