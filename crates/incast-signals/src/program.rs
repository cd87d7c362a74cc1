//! Programs of switches and hosts, as algorithms request them: by name, with options as data.

use serde::{Deserialize, Serialize};

/// Options of one program of switches or hosts. Algorithms fill in the options; the network has the
/// program and reads them.
pub trait ProgramOptions: Serialize + for<'de> Deserialize<'de> {
    /// The program's name in the network's table.
    const PROGRAM: &'static str;
}

/// A program that must run on every switch, or on every host.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRequest {
    /// The program's name in the network's table.
    pub name: &'static str,
    /// The options that are set; all others have the program's defaults.
    pub options: serde_json::Value,
}

impl ProgramRequest {
    /// A request for the program that these options belong to.
    ///
    /// # Panics
    /// If the options do not serialise to a table of keys and values.
    pub fn new<T: ProgramOptions>(options: &T) -> Self {
        let options = serde_json::to_value(options).expect("options are a table of plain values");
        Self {
            name: T::PROGRAM,
            options,
        }
    }
}
