//! Programs of switches and of hosts, as algorithms ask for them: by name, with their options as
//! data.

use serde::{Deserialize, Serialize};

/// Options of the program of this name, of switches or of hosts. Algorithms fill them in; the
/// network, which has the program, reads them.
pub trait ProgramOptions: Serialize + for<'de> Deserialize<'de> {
    /// The program's name in the network's table.
    const PROGRAM: &'static str;
}

/// A program that is to run on every switch, or on every host.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRequest {
    /// Its name in the network's table.
    pub name: &'static str,
    /// Its options, as written; those that are left out have the program's defaults.
    pub options: serde_json::Value,
}

impl ProgramRequest {
    /// For the program that these options belong to.
    ///
    /// # Panics
    /// If the options are no table of keys and values.
    pub fn new<T: ProgramOptions>(options: &T) -> Self {
        let options = serde_json::to_value(options).expect("options are a table of plain values");
        Self {
            name: T::PROGRAM,
            options,
        }
    }
}
