//! The statements of a rank in GOAL.

use incast_diagnostic::{Diagnostic, excerpt};

use super::tokens::Tokens;
use super::{ANY, Action, ActionKind};
use crate::diagnostics;
use crate::text::Field;

const ACTION: &str = "l1: send 10b to 1 tag 5";
const SEND: &str = "send 10b to 1 tag 5 cpu 0 nic 0";
const RECEIVE: &str = "recv 10b from 0 tag 5 cpu 0 nic 0";
const CALCULATE: &str = "calc 100 cpu 0";
const WAIT: &str = "l2 requires l1";

/// The largest number of a cpu or NIC, which is a byte in GOAL.
const MAX_UNIT: u64 = 255;

/// A statement.
pub(super) enum Statement<'a> {
    Act {
        label: Option<Field<'a>>,
        action: Action,
    },
    Wait {
        task: Field<'a>,
        before: Field<'a>,
        /// Whether `task` waits for the end of `before`, not only for its start.
        ends: bool,
    },
}

impl<'a> Statement<'a> {
    /// Reads the statement whose first word is `first`.
    pub(super) fn read(first: &'a str, tokens: &mut Tokens<'a>) -> Result<Self, Diagnostic> {
        if let Some(kind) = kind(first) {
            let action = action(kind, tokens)?;
            let label = None;
            return Ok(Self::Act { label, action });
        }
        let task = label(tokens.field("label", first))?;
        let next = tokens.expect("statement", ACTION)?;
        let ends = match next.text {
            ":" => {
                let word = tokens.expect("statement", ACTION)?;
                let kind = kind(word.text);
                let kind = kind.ok_or_else(|| tokens.unexpected(word.text, ACTION))?;
                let action = action(kind, tokens)?;
                let label = Some(task);
                return Ok(Self::Act { label, action });
            }
            "requires" => true,
            "irequires" => false,
            other => return Err(tokens.unexpected(other, WAIT)),
        };
        let before = label(tokens.expect("label", WAIT)?)?;
        Ok(Self::Wait { task, before, ends })
    }
}

fn kind(word: &str) -> Option<ActionKind> {
    match word {
        "send" => Some(ActionKind::Send),
        "recv" => Some(ActionKind::Receive),
        "calc" => Some(ActionKind::Calculate),
        _ => None,
    }
}

/// Checks a label: a letter, then letters, digits and underscores.
fn label(field: Field<'_>) -> Result<Field<'_>, Diagnostic> {
    let bytes = field.text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.iter().all(is_name) {
        true => Ok(field),
        false => Err(field.wrong(diagnostics::unexpected(&excerpt(field.text), ACTION))),
    }
}

/// Reads the words after `send`, `recv` or `calc`.
fn action(kind: ActionKind, tokens: &mut Tokens<'_>) -> Result<Action, Diagnostic> {
    let mut action = Action {
        kind,
        size: 0,
        peer: 0,
        tag: 0,
        cpu: 0,
        nic: 0,
    };
    let (way, form) = match kind {
        ActionKind::Calculate => {
            action.size = tokens.expect("calc", CALCULATE)?.integer("100")?;
            options(&mut action, &["cpu"], tokens, CALCULATE)?;
            return Ok(action);
        }
        ActionKind::Send => ("to", SEND),
        ActionKind::Receive => ("from", RECEIVE),
    };
    action.size = size(tokens, form)?;
    tokens.expect_word(way, form)?;
    let peer = tokens.expect(way, form)?;
    action.peer = match (kind, peer.text) {
        (ActionKind::Receive, "-1") => ANY,
        _ => number_below_any(peer, "1")?,
    };
    options(&mut action, &["tag", "cpu", "nic"], tokens, form)?;
    Ok(action)
}

/// A size: `10b`, or `10 b`.
fn size(tokens: &mut Tokens<'_>, form: &'static str) -> Result<u64, Diagnostic> {
    let size = tokens.expect("size", form)?;
    match size.text.strip_suffix('b') {
        Some(number) => tokens.field("size", number).integer("10"),
        None => {
            let number = size.integer("10")?;
            tokens.expect_word("b", form)?;
            Ok(number)
        }
    }
}

/// A 32-bit number, without the largest one, which stands for "any".
fn number_below_any(field: Field<'_>, example: &'static str) -> Result<u32, Diagnostic> {
    let number = field.integer_up_to((ANY - 1).into(), example)?;
    Ok(number as u32)
}

/// Reads `tag`, `cpu` and `nic`, as far as they are allowed, each at most once.
fn options(
    action: &mut Action,
    allowed: &[&'static str],
    tokens: &mut Tokens<'_>,
    form: &'static str,
) -> Result<(), Diagnostic> {
    let mut left = allowed.to_vec();
    loop {
        let mut ahead = *tokens;
        let word = match ahead.next() {
            None | Some("}") => return Ok(()),
            Some(word) => word,
        };
        let Some(at) = left.iter().position(|key| *key == word) else {
            return Err(tokens.unexpected(word, form));
        };
        let key = left.remove(at);
        *tokens = ahead;
        let number = tokens.expect(key, form)?;
        match key {
            "tag" if number.text == "-1" => action.tag = ANY,
            "tag" => action.tag = number_below_any(number, "5")?,
            "cpu" => action.cpu = number.integer_up_to(MAX_UNIT, "0")? as u32,
            _ => action.nic = number.integer_up_to(MAX_UNIT, "0")? as u32,
        }
    }
}
