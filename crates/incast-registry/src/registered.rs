//! Rows of a table for lists, and their named sets.

use incast_diagnostic::Diagnostic;

/// A row of a table, as `incast list` shows it.
#[derive(Copy, Clone, Debug)]
pub struct Registered {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what the thing is, and who proposed it.
    pub summary: &'static str,
    /// Returns the named sets of the thing's options; see [`Registered::sets`].
    #[doc(hidden)]
    pub named_sets: fn() -> Vec<Available>,
}

impl Registered {
    /// The named sets of the thing's options, each with a line on the source of its values. Empty
    /// if the thing has no named set.
    pub fn sets(&self) -> Vec<Available> {
        (self.named_sets)()
    }
}

/// A name, with one line on its meaning.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Available {
    /// The name in a scenario.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
}

/// A named set of values for the options `T`, such as those of a paper.
#[derive(Debug)]
pub struct NamedSet<T> {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on the source of the values.
    pub summary: &'static str,
    /// The values.
    pub values: fn() -> T,
}

/// Names and summaries of several sets.
pub fn sets_of<T>(sets: &[NamedSet<T>]) -> Vec<Available> {
    let name = |set: &NamedSet<T>| Available {
        name: set.name,
        summary: set.summary,
    };
    sets.iter().map(name).collect()
}

/// The values of the set `name`.
///
/// # Errors
/// If no set has this name.
pub fn set_of<T>(sets: &[NamedSet<T>], name: &str) -> Result<T, Diagnostic> {
    match sets.iter().find(|set| set.name == name) {
        Some(set) => Ok((set.values)()),
        None => {
            let names = sets.iter().map(|set| set.name);
            Err(Diagnostic::unknown("set of parameters", name, names))
        }
    }
}
