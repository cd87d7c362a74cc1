//! The trait of every algorithm's parameters: they name their published sets of values, and build
//! the controller of a flow.

use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_units::Time;
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

    /// The utilisation of the busiest link that it aims at, if that is less than all of it.
    fn target_utilisation(&self) -> Option<f64> {
        None
    }

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

/// The shortest time between two timers of a built-in algorithm. NICs and switches of papers and
/// vendors have 1 us or more; a full packet takes 84 ns at 100 Gb/s. A timer that runs more often
/// than packets pass finds nothing new, but costs an event each time.
pub(crate) const SHORTEST_TIMER: Time = Time::from_ns(100);

/// Refuses the first of these times between timers that is below [`SHORTEST_TIMER`].
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

    /// By key: what is wrong with the parameters if this timer has this time.
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

    /// 100 ns is the shortest: a picosecond less is refused, wherever an algorithm has a timer.
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
