//! What every algorithm's parameters can do: name their published sets of values, and build the
//! controller of a flow.

use std::fmt;

use incast_registry::NamedSet;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{CongestionControl, FlowContext, Needs, Part};

/// The parameters of an algorithm, which [`AlgorithmConfig`](crate::AlgorithmConfig) holds.
pub trait Parameters: Default + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// Sets of values that go by a name, such as those of a paper; the first is the default.
    /// None if the algorithm has only its default.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// The parts that it takes.
    const PARTS: &'static [Part] = &[];

    /// The first value that the algorithm cannot work with.
    ///
    /// # Errors
    /// If there is one. Bounds of single numbers are in the schema and need not be checked here.
    fn check(&self) -> Result<(), Flaw> {
        Ok(())
    }

    /// [`PARTS`](Self::PARTS); leave it as it is.
    fn parts(&self) -> &'static [Part] {
        Self::PARTS
    }

    /// What the algorithm needs from the network with these values.
    fn needs(&self) -> Needs;

    /// Takes a part, one of [`PARTS`](Self::PARTS), with the part's defaults.
    fn add(&mut self, part: Part) {
        unreachable!(
            "an algorithm without parts is asked to take `{}`",
            part.name()
        );
    }

    /// The controller of one flow.
    fn build(&self, context: &FlowContext) -> Box<dyn CongestionControl>;
}

/// A value that an algorithm cannot work with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The parameter that has it.
    pub parameter: &'static str,
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub hint: String,
}

impl Flaw {
    /// Complains about each parameter that is zero, of those that must not be.
    pub(crate) fn of_zeros<T: Default + PartialEq + fmt::Display>(
        values: &[(&'static str, T)],
        hint: &str,
    ) -> Result<(), Self> {
        let zero = T::default();
        match values.iter().find(|(_, value)| *value == zero) {
            None => Ok(()),
            Some((parameter, value)) => Err(Self {
                parameter,
                what: format!("{value} is too little"),
                hint: hint.to_owned(),
            }),
        }
    }
}
