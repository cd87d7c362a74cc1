//! The trait of every algorithm's parameters: they name their published sets of values, and build
//! the controller of a flow.

use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{FlowContext, FlowController, Needs, Part};

/// The parameters of an algorithm, which [`AlgorithmConfig`](crate::AlgorithmConfig) holds.
pub trait Parameters: Default + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// Sets of values that go by a name, such as those of a paper; the first is the default.
    /// None if the algorithm has only its default.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// The parts that it takes.
    const PARTS: &'static [Part] = &[];

    /// Refuses values that the algorithm cannot work with, under the key of the parameter.
    ///
    /// # Errors
    /// For the first such value. Bounds of single numbers are in the schema, not here.
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// [`PARTS`](Self::PARTS); leave it as it is.
    fn parts(&self) -> &'static [Part] {
        Self::PARTS
    }

    /// The needs of the algorithm with these values.
    fn needs(&self) -> Needs;

    /// Takes a part, one of [`PARTS`](Self::PARTS), with the part's defaults.
    fn add(&mut self, part: Part) {
        unreachable!(
            "an algorithm without parts is asked to take `{}`",
            part.name()
        );
    }

    /// The controller of one flow.
    fn build(&self, context: &FlowContext) -> Box<dyn FlowController>;
}

/// Refuses the first of these parameters that is zero.
pub(crate) fn check_not_zero<T: Default + PartialEq + fmt::Display>(
    values: &[(&'static str, T)],
    hint: &str,
) -> Result<(), Diagnostic> {
    let zero = T::default();
    match values.iter().find(|(_, value)| *value == zero) {
        None => Ok(()),
        Some((parameter, value)) => {
            Err(Diagnostic::new(format!("{value} is too little"), hint).at(parameter))
        }
    }
}
