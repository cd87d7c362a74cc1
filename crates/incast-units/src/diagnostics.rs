//! Diagnostics of quantities as written by users.

use incast_diagnostic::{Diagnostic, nearest};

use crate::dimension::Dimension;

/// The name of a quantity in serde's error about a value of another type, such as a boolean.
pub(crate) fn expected(dimension: Dimension) -> String {
    let example = dimension.examples()[0];
    format!("{dimension} as text with a unit, e.g. \"{example}\"")
}

/// Nothing but blanks.
pub(crate) fn empty(dimension: Dimension) -> Diagnostic {
    Diagnostic::new(
        format!("an empty text is not {dimension}"),
        write_example(dimension),
    )
}

/// A number without a unit; `with_unit` is the same number with one.
pub(crate) fn missing_unit(text: &str, with_unit: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` has no unit"),
        format!("write e.g. `{with_unit}`"),
    )
}

/// A unit that does not exist, or that another dimension has.
pub(crate) fn wrong_unit(dimension: Dimension, text: &str, unit: &str) -> Diagnostic {
    let unprefixed = unit.trim_start_matches(['k', 'K', 'M', 'G', 'T']);
    let unprefixed = unprefixed.strip_prefix('i').unwrap_or(unprefixed);
    match (dimension, unprefixed) {
        (Dimension::Size, "b" | "bit" | "bits") => Diagnostic::new(
            format!("`{text}`: `{unit}` counts bits, a size is in bytes"),
            "write e.g. `1MB` (capital B)",
        ),
        (Dimension::Rate, "B" | "B/s" | "Bps") => Diagnostic::new(
            format!("`{text}`: `{unit}` counts bytes, a rate is in bits per second"),
            "write e.g. `100Gbps`",
        ),
        _ => unknown_unit(dimension, text, unit),
    }
}

fn unknown_unit(dimension: Dimension, text: &str, unit: &str) -> Diagnostic {
    let guess = nearest(unit, dimension.symbols())
        .map_or(String::new(), |symbol| format!("did you mean `{symbol}`? "));
    Diagnostic::new(
        format!("`{text}`: unknown unit `{unit}`"),
        format!("{guess}{dimension} is written in {}", listed(dimension)),
    )
}

/// Less than nothing.
pub(crate) fn negative(dimension: Dimension, text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is negative"),
        format!("{dimension} is zero or more"),
    )
}

/// Text without a number before the unit.
pub(crate) fn not_a_number(dimension: Dimension, text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is not a number with a unit"),
        write_example(dimension),
    )
}

/// More than [`Dimension::largest`].
pub(crate) fn too_large(dimension: Dimension, text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is too large"),
        format!("{dimension} is at most {}", largest(dimension)),
    )
}

/// A fraction of the base unit, as in `0.5ps`.
pub(crate) fn not_whole(dimension: Dimension, text: &str) -> Diagnostic {
    Diagnostic::new(
        format!("`{text}` is not a whole number of {}", base(dimension)),
        format!("{dimension} has no smaller part"),
    )
}

fn write_example(dimension: Dimension) -> String {
    format!("write e.g. `{}`", dimension.examples()[0])
}

fn listed(dimension: Dimension) -> String {
    let symbols: Vec<_> = dimension.symbols().collect();
    match symbols.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// [`Dimension::largest`] as text with a unit.
fn largest(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Time => "1000000s (11 days)",
        Dimension::Rate => "1000000Tbps",
        Dimension::Size => "1000TB",
    }
}

fn base(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Time => "picoseconds",
        Dimension::Rate => "bits per second",
        Dimension::Size => "bytes",
    }
}
