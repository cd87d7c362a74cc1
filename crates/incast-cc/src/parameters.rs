//! The trait of every algorithm's parameters: published sets of values, and building the controller
//! of a flow.

use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_units::Time;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{FlowContext, FlowController, Needs, Part};

/// The parameters of an algorithm, as stored in [`AlgorithmConfig`](crate::AlgorithmConfig).
pub trait Parameters: Default + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// Named sets of values, such as those of a paper; the first is the default. Empty if the
    /// algorithm has only its default.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// The parts that the algorithm takes.
    const PARTS: &'static [Part] = &[];

    /// Checks that the algorithm can work with these values.
    ///
    /// # Errors
    /// The first wrong value, under the parameter's key. The schema checks bounds of single
    /// numbers.
    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Returns [`PARTS`](Self::PARTS); not to be overridden.
    fn parts(&self) -> &'static [Part] {
        Self::PARTS
    }

    /// The needs of the algorithm with these values.
    fn needs(&self) -> Needs;

    /// The target utilisation of the busiest link, if it is below 1.
    fn target_utilisation(&self) -> Option<f64> {
        None
    }

    /// Adds a part, one of [`PARTS`](Self::PARTS), with the part's default parameters.
    fn add(&mut self, part: Part) {
        unreachable!(
            "an algorithm without parts is asked to take `{}`",
            part.name()
        );
    }

    /// Builds the controller of one flow.
    fn build(&self, context: &FlowContext) -> Box<dyn FlowController>;
}

/// The shortest time between two timers of a built-in algorithm. NICs and switches in papers and
/// products have at least 1 us; a full packet takes 84 ns at 100 Gb/s. A shorter timer would find
/// nothing new between packets, and costs an event each time.
pub(crate) const SHORTEST_TIMER: Time = Time::from_ns(100);

/// Returns an error for the first of these timers that is below [`SHORTEST_TIMER`].
pub(crate) fn check_timers(
    times: &[(&'static str, Time)],
    example: &str,
) -> Result<(), Diagnostic> {
    match times.iter().find(|(_, time)| *time < SHORTEST_TIMER) {
        None => Ok(()),
        Some((parameter, time)) => Err(Diagnostic::new(
            format!("no NIC or switch has timers of {time}"),
            format!("write {SHORTEST_TIMER} or more, e.g. \"{example}\""),
        )
        .at(parameter)),
    }
}

/// Returns an error for the first of these parameters that is zero.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dcqcn::DcqcnConfig;
    use crate::lgc::LgcConfig;
    use crate::rocc::RoccConfig;

    /// The key of the first wrong parameter.
    fn wrong(parameters: &impl Parameters) -> Option<String> {
        parameters.check().err().map(|error| error.place.key)
    }

    /// By key: the error if the timer with this key has this time.
    fn answers(time: Time) -> [(&'static str, Option<String>); 5] {
        let dcqcn = DcqcnConfig::default;
        let (lgc, rocc) = (LgcConfig::default(), RoccConfig::default());
        let alpha = DcqcnConfig {
            alpha_interval: time,
            ..dcqcn()
        };
        let decrease = DcqcnConfig {
            decrease_interval: time,
            ..dcqcn()
        };
        let increase = DcqcnConfig {
            increase_interval: time,
            ..dcqcn()
        };
        let interval = time;
        let period = Some(time);
        [
            ("alpha_interval", wrong(&alpha)),
            ("decrease_interval", wrong(&decrease)),
            ("increase_interval", wrong(&increase)),
            ("interval", wrong(&LgcConfig { interval, ..lgc })),
            ("period", wrong(&RoccConfig { period, ..rocc })),
        ]
    }

    /// The shortest timer is 100 ns: one picosecond less is refused for every timer of an
    /// algorithm.
    #[test]
    fn timers_have_a_shortest_time() {
        for (key, wrong) in answers(Time::from_ns(100)) {
            assert_eq!(wrong, None, "{key}");
        }
        for time in [Time::ZERO, Time::from_ps(99_999)] {
            for (key, wrong) in answers(time) {
                assert_eq!(wrong.as_deref(), Some(key), "{time}");
            }
        }
    }

    #[test]
    fn a_timer_that_is_too_short_is_told_with_what_is_right() {
        let error = check_timers(&[("period", Time::from_ps(10))], "40us").unwrap_err();
        let expected = "period: no NIC or switch has timers of 10ps; \
                        write 100ns or more, e.g. \"40us\"";
        assert_eq!(error.to_string(), expected);
    }
}
