//! Random but possible sequences of events, through the trait: whether an algorithm's answers stay
//! sound under any signals of a NIC, and are the same when it is told the same again.

mod events;
mod nic;

use std::fmt;

use incast_random::SplitMix64;
use incast_units::Time;

use self::events::{Event, PathSetting};
use self::nic::SimpleNic;
use crate::{AlgorithmConfig, SendLimit};

/// How often in a row a timer may ask to be called again at the same instant: an algorithm with
/// several timers may serve one at a time.
pub const TIMERS_AT_ONCE: u32 = 8;
/// The most events of a sequence.
const LONGEST: u64 = 200;

/// An answer that is not sound, and what came before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsoundAnswer {
    /// What is wrong with it.
    pub what: String,
    /// The number of the sequence, from 0.
    pub sequence: u32,
    /// The number of the event in it, from 1; 0 if it was wrong from the beginning.
    pub event: usize,
    /// The event before the unsound answer, in words; none if it was wrong from the beginning.
    pub after: Option<String>,
    /// The flow and its path, in words: they differ from sequence to sequence.
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

/// Tells an algorithm random sequences of events, and gives how many events these had.
///
/// Windows have to admit at least a byte, rates lie above 0 and not above that of the link. Timers
/// come in order and end, are asked for and only then given. Probes are finite and keep their
/// names; the same events have the same answers. Equal seeds give equal sequences.
///
/// # Errors
/// The first answer that is not sound.
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

/// What a flow may send, and when it wants to be called.
type FlowAnswer = (SendLimit, Option<Time>);

/// What the algorithm answers at the beginning and after each event; the number of the event after
/// which its answer is not sound.
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
