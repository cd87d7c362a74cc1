//! What the table of schemes asks of the options of each.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;

use super::InjectionControl;
use super::parameters::SchemeParameters;
use crate::group::Group;

/// What the options of every scheme do.
pub(crate) trait SchemeOptions: SchemeParameters + 'static {
    /// Sets of options that go by a name.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// Whether a run with these options can make progress.
    ///
    /// # Errors
    /// What forbids it.
    fn check(&self) -> Result<(), Diagnostic>;

    /// The scheme for one endpoint.
    fn build(
        &self,
        seed: u64,
        endpoint: u16,
        endpoints: u16,
        groups: &[Group],
    ) -> Box<dyn InjectionControl>;
}
