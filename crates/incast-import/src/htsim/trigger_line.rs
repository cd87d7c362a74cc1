//! A line of a matrix that defines a trigger: `trigger id N oneshot|multishot|barrier [count M]`.

use incast_diagnostic::{Diagnostic, excerpt};

use crate::diagnostics;
use crate::text::TextLine;

const TRIGGER: &str = "trigger id 1 oneshot";

/// A trigger: its id, and the effect of its activations.
#[derive(Copy, Clone, Debug)]
pub(super) struct Trigger {
    pub(super) id: u64,
    pub(super) kind: TriggerKind,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TriggerKind {
    /// Fires, once.
    OneShot,
    /// Starts one flow at each activation.
    MultiShot,
    /// Fires at the last of this number of activations.
    Barrier(u64),
}

/// The trigger of a trigger line; `None` for a line without id or kind, which has no effect.
pub(super) fn trigger(line: TextLine<'_>) -> Result<Option<Trigger>, Diagnostic> {
    let mut words = line.words(TRIGGER);
    words.next("line")?;
    let (mut id, mut count, mut kind) = (None, None, None);
    while let Some(word) = words.optional("word") {
        let said_before = match word.text {
            "id" => id.replace(words.next("id")?.integer("1")?).is_some(),
            "count" => count.replace(words.next("count")?.integer("1")?).is_some(),
            text => {
                let unexpected = || word.wrong(diagnostics::unexpected(&excerpt(text), TRIGGER));
                let read = TriggerKind::of(text).ok_or_else(unexpected)?;
                kind.replace(read).is_some()
            }
        };
        if said_before {
            let name = match word.text {
                key @ ("id" | "count") => key,
                _ => "kind",
            };
            return Err(line.wrong(diagnostics::word_twice("line").at(name)));
        }
    }
    match (&mut kind, count) {
        (Some(TriggerKind::Barrier(needed)), count) => *needed = count.unwrap_or(0),
        (Some(_), Some(_)) => return Err(line.wrong(no_barrier().at("count"))),
        (Some(_), None) | (None, _) => {}
    }
    Ok(id.zip(kind).map(|(id, kind)| Trigger { id, kind }))
}

impl TriggerKind {
    /// The kind with this name; a barrier without its count.
    fn of(name: &str) -> Option<Self> {
        match name {
            "oneshot" => Some(Self::OneShot),
            "multishot" => Some(Self::MultiShot),
            "barrier" => Some(Self::Barrier(0)),
            _ => None,
        }
    }
}

fn no_barrier() -> Diagnostic {
    Diagnostic::new(
        "only a barrier counts what activates it",
        "leave `count` out, or write `barrier`",
    )
}
