//! The room that there is for rows of flows, in memory and on the disk.

use std::path::Path;

use super::table::ROWS_PER_GROUP;
use crate::spec::RowsOfAll;

/// Room for rows of flows.
#[derive(Copy, Clone, Debug)]
pub struct RoomForRows<'a> {
    /// Whether rows of all flows would fit into memory, which scenarios may leave open.
    pub of_all: RowsOfAll,
    /// Where rows go that are more than stay in memory: to a file without a name in this folder,
    /// which goes with the process, however it ends. Without one, all stay in memory.
    pub folder: Option<&'a Path>,
    /// How many rows stay in memory, or hardly more. Results do not depend on it.
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
