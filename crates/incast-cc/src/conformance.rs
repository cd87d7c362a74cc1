//! Tests an algorithm with random but possible sequences of events: its answers must be valid for
//! any signals of a NIC, and equal for equal sequences.

mod events;
mod nic;

use std::fmt;

use incast_random::SplitMix64;
use incast_units::Time;

use self::events::{Event, PathSetting};
use self::nic::SimpleNic;
use crate::{AlgorithmConfig, SendLimit};

/// Most calls of a timer in a row at the same instant: an algorithm with several timers may serve
/// them one by one.
pub const TIMERS_AT_ONCE: u32 = 8;
/// Most events in a sequence.
const LONGEST: u64 = 200;

/// An invalid answer, with the events before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsoundAnswer {
    /// A description of the defect.
    pub what: String,
    /// Number of the sequence, from 0.
    pub sequence: u32,
    /// Number of the event in the sequence, from 1; 0 if the initial answer is invalid.
    pub event: usize,
    /// The event before the invalid answer, in words; `None` if the initial answer is invalid.
    pub after: Option<String>,
    /// The flow and its path, in words; both differ between sequences.
    pub flow: String,
}

impl fmt::Display for UnsoundAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            sequence,
            event,
            after,
            flow,
        } = self;
        match after {
            None => write!(f, "{what}, at the start of sequence {sequence} ({flow})"),
            Some(after) => write!(
                f,
                "{what}, after event {event} of sequence {sequence}, {after} ({flow})"
            ),
        }
    }
}

/// Runs an algorithm through random sequences of events; returns the number of events.
///
/// Windows must allow at least one byte. Rates must be above 0 and at most the link's rate. Timers
/// must come in order and end. Timers, sequence limits and `room` must be among the algorithm's
/// needs if they are used. Probes must be finite and keep their names. Equal events must give equal
/// answers. Equal seeds give equal sequences.
///
/// # Errors
/// The first invalid answer.
pub fn check_events(
    algorithm: &AlgorithmConfig,
    seed: u64,
    sequences: u32,
) -> Result<u64, UnsoundAnswer> {
    let mut told = 0;
    for sequence in 0..sequences {
        let mut random = SplitMix64::new(incast_random::mix(seed ^ u64::from(sequence)));
        let setting = PathSetting::draw(&mut random);
        let count = 1 + random.below(LONGEST);
        let events: Vec<_> = (0..count).map(|_| Event::draw(&mut random)).collect();
        let wrong = |(event, what): (usize, String)| UnsoundAnswer {
            what,
            sequence,
            event,
            after: event.checked_sub(1).map(|index| events[index].to_string()),
            flow: setting.to_string(),
        };
        let first = answers(algorithm, &setting, &events).map_err(wrong)?;
        let second = answers(algorithm, &setting, &events).map_err(wrong)?;
        let mut pairs = first.iter().zip(&second);
        if let Some(differs) = pairs.position(|(first, second)| first != second) {
            let what = "the same events, told again, have another answer".to_owned();
            return Err(wrong((differs, what)));
        }
        told += count;
    }
    Ok(told)
}

/// The send limit and the time of the next timer.
type FlowAnswer = (SendLimit, Option<Time>);

/// The algorithm's answers initially and after each event.
///
/// # Errors
/// The number of the event after which the answer is invalid, and the defect.
fn answers(
    algorithm: &AlgorithmConfig,
    setting: &PathSetting,
    events: &[Event],
) -> Result<Vec<FlowAnswer>, (usize, String)> {
    let mut nic = SimpleNic::new(algorithm, setting);
    nic.check().map_err(|what| (0, what))?;
    let mut answers = vec![nic.answer()];
    for (index, event) in events.iter().enumerate() {
        let outcome = nic.tell(event).and_then(|()| nic.check());
        if algorithm.is_interrupted() {
            return Err((index + 1, "it was interrupted".to_owned()));
        }
        outcome.map_err(|what| (index + 1, what))?;
        answers.push(nic.answer());
    }
    Ok(answers)
}

#[cfg(test)]
mod tests;
