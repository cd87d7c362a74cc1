//! What can be wrong with a quantity as a user wrote it.

use crate::dimension::Dimension;

/// Why a text is not a quantity, and what would be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// Nothing but blanks.
    #[error("an empty text is not {dimension}; write e.g. `{}`", .dimension.examples()[0])]
    Empty {
        /// What was expected.
        dimension: Dimension,
    },

    /// A number alone.
    #[error("`{text}` has no unit; write e.g. `{text}{}`", .dimension.usual_unit())]
    MissingUnit {
        /// What was expected.
        dimension: Dimension,
        /// What was written.
        text: String,
    },

    /// A number with a unit that does not exist.
    #[error(
        "`{text}`: unknown unit `{unit}`; {}{dimension} is written in {}",
        did_you_mean(*.dimension, unit),
        listed(*.dimension)
    )]
    UnknownUnit {
        /// What was expected.
        dimension: Dimension,
        /// What was written.
        text: String,
        /// Its unit.
        unit: String,
    },

    /// A size in bits, as in `1Mb`.
    #[error("`{text}`: `{unit}` counts bits, a size is in bytes; write e.g. `1MB` (capital B)")]
    BitsForBytes {
        /// What was written.
        text: String,
        /// Its unit.
        unit: String,
    },

    /// A rate in bytes per second, as in `12GB/s`.
    #[error("`{text}`: `{unit}` counts bytes, a rate is in bits per second; write e.g. `100Gbps`")]
    BytesForBits {
        /// What was written.
        text: String,
        /// Its unit.
        unit: String,
    },

    /// Less than nothing.
    #[error("`{text}` is negative; {dimension} is zero or more")]
    Negative {
        /// What was expected.
        dimension: Dimension,
        /// What was written.
        text: String,
    },

    /// No number where one should be.
    #[error("`{text}` is not a number with a unit; write e.g. `{}`", .dimension.examples()[0])]
    NotANumber {
        /// What was expected.
        dimension: Dimension,
        /// What was written.
        text: String,
    },

    /// More than 64 bits of base units.
    #[error("`{text}` is too large; {dimension} is at most {}", largest(*.dimension))]
    TooLarge {
        /// What was expected.
        dimension: Dimension,
        /// What was written.
        text: String,
    },

    /// A fraction of the base unit, as in `0.5ps`.
    #[error(
        "`{text}` is not a whole number of {}; {dimension} has no smaller part",
        base(*.dimension)
    )]
    NotWhole {
        /// What was expected.
        dimension: Dimension,
        /// What was written.
        text: String,
    },
}

fn did_you_mean(dimension: Dimension, unit: &str) -> String {
    let wanted = unit.to_lowercase();
    let mut symbols: Vec<_> = dimension
        .symbols()
        .map(|symbol| (symbol, symbol.to_lowercase()))
        .collect();
    symbols.sort_by_key(|(_, lower)| *lower != wanted);
    match symbols.iter().find(|(_, lower)| lower.starts_with(&wanted)) {
        Some((symbol, _)) => format!("did you mean `{symbol}`? "),
        None => String::new(),
    }
}

fn listed(dimension: Dimension) -> String {
    let symbols: Vec<_> = dimension.symbols().collect();
    match symbols.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Rounded down to the largest decimal unit, to be readable.
fn largest(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Time => "18446744s (213 days)",
        Dimension::Rate => "18446744Tbps",
        Dimension::Size => "18446744TB",
    }
}

fn base(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Time => "picoseconds",
        Dimension::Rate => "bits per second",
        Dimension::Size => "bytes",
    }
}

#[cfg(test)]
mod tests {
    /// The fixed text of every message, its longest stretch, occurs in what some test expects.
    #[test]
    fn no_message_is_untested() {
        let joined = |text: &str| {
            let lines: Vec<_> = text.split("\\\n").map(str::trim_start).collect();
            lines.concat()
        };
        let tests = joined(include_str!("text/tests.rs"));
        let source = joined(
            include_str!("error.rs")
                .split("#[cfg(test)]")
                .next()
                .unwrap(),
        );
        let attributes = source.split("#[error(").skip(1);
        let messages: Vec<_> = attributes
            .filter_map(|rest| rest.split('"').nth(1))
            .collect();
        assert_eq!(messages.len(), 9);
        for message in messages {
            let fixed = message
                .split('{')
                .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest))
                .max_by_key(|part| part.len())
                .unwrap_or_default();
            assert!(
                tests.contains(fixed),
                "no test expects `{message}` (`{fixed}`)"
            );
        }
    }
}
