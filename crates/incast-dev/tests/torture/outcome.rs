//! Outcomes of damaged inputs.

use std::fmt;
use std::time::Duration;

use incast_sim::Diagnostic;

/// The longest message in characters, which a terminal can show at once.
const LONGEST_MESSAGE: usize = 2_000;

/// The outcome of a damaged input.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Outcome {
    /// The input was refused, with a message of this many characters.
    Refused(usize),
    Accepted,
}

impl Outcome {
    /// The outcome of an input that was refused with this diagnostic.
    ///
    /// # Panics
    /// If the message is empty, too long, or contains control characters.
    pub(crate) fn refused(diagnostic: &Diagnostic) -> Self {
        let message = diagnostic.to_string();
        let length = message.chars().count();
        assert!(!diagnostic.what.is_empty(), "an empty message");
        assert!(length <= LONGEST_MESSAGE, "{length} characters: {message}");
        let control = message.chars().find(|each| each.is_control());
        assert!(control.is_none(), "{control:?} in {message:?}");
        Self::Refused(length)
    }

    /// The outcome of a result: accepted, or refused with its diagnostic.
    pub(crate) fn of<T>(result: Result<T, Diagnostic>) -> Self {
        match result {
            Ok(_) => Self::Accepted,
            Err(diagnostic) => Self::refused(&diagnostic),
        }
    }
}

/// Counts of the outcomes of many inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    refused: u64,
    accepted: u64,
    longest_message: usize,
    slowest: Duration,
}

impl Counts {
    pub(crate) fn add(&mut self, outcome: Outcome, took: Duration) {
        match outcome {
            Outcome::Refused(length) => {
                self.refused += 1;
                self.longest_message = self.longest_message.max(length);
            }
            Outcome::Accepted => self.accepted += 1,
        }
        self.slowest = self.slowest.max(took);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} inputs, {} refused, {} accepted; longest message {} characters, slowest {:.1?}",
            self.refused + self.accepted,
            self.refused,
            self.accepted,
            self.longest_message,
            self.slowest
        )
    }
}
