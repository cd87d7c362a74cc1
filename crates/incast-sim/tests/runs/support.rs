//! Scenarios with replaced settings, for all tests of whole runs.

use incast_sim::{Override, Results, Source, Spec, ValidSpec, run};

/// A scenario with these settings replaced, or its error message.
pub(crate) fn valid(source: &Source, settings: &[(&str, &str)]) -> Result<ValidSpec, String> {
    let overrides = settings
        .iter()
        .map(|(key, value)| Override::new(*key, *value));
    let spec = Spec::parse(source, &overrides.collect::<Vec<_>>()).and_then(Spec::validate);
    spec.map_err(|error| error.to_string())
}

/// The results of a valid scenario, whose run must succeed.
pub(crate) fn results(spec: &ValidSpec) -> Results {
    run(spec, &mut ()).unwrap_or_else(|error| panic!("{error}"))
}

/// The results of a scenario with these settings replaced, which must be valid and run.
pub(crate) fn results_of(source: &Source, settings: &[(&str, &str)]) -> Results {
    let spec = valid(source, settings);
    results(&spec.unwrap_or_else(|error| panic!("{settings:?}: {error}")))
}
