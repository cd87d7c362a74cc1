//! What there is to choose from, as `incast list` shows it.

use crate::sizes::Published;

/// A name that scenarios may use, and what it stands for in one line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Available {
    /// As it is written in a scenario.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
}

/// The named distributions of flow sizes: values of `sizes`.
pub fn available_sizes() -> Vec<Available> {
    Published::ALL.map(Published::available).to_vec()
}
