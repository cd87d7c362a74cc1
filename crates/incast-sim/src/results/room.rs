//! Room for rows of flows, in memory and on the disk.

use std::path::Path;

use super::table::ROWS_PER_GROUP;
use crate::spec::RowsOfAll;

/// Room for rows of flows.
#[derive(Copy, Clone, Debug)]
pub struct RoomForRows<'a> {
    /// Whether rows of all flows would fit into memory, for scenarios that leave this choice open.
    pub of_all: RowsOfAll,
    /// The folder of an unnamed file for the rows that do not stay in memory; the file disappears
    /// with the process. Without a folder, all rows stay in memory.
    pub folder: Option<&'a Path>,
    /// How many rows stay in memory, roughly. Results do not depend on this number.
    pub in_memory: usize,
}

/// All rows stay in memory.
impl Default for RoomForRows<'_> {
    fn default() -> Self {
        Self {
            of_all: RowsOfAll::Fit,
            folder: None,
            in_memory: ROWS_PER_GROUP,
        }
    }
}
