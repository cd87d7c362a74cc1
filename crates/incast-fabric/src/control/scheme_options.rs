//! What the options of every scheme must implement.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;

use super::InjectionControl;
use super::parameters::SchemeParameters;
use crate::group::Group;

/// The methods that the options of every scheme have.
pub(crate) trait SchemeOptions: SchemeParameters + 'static {
    /// Named sets of options.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// Checks that a run with these options can make progress.
    ///
    /// # Errors
    /// The first option that prevents progress.
    fn check(&self) -> Result<(), Diagnostic>;

    /// Builds the state of the scheme for one endpoint.
    fn build(
        &self,
        seed: u64,
        endpoint: u16,
        endpoints: u16,
        groups: &[Group],
    ) -> Box<dyn InjectionControl>;
}
