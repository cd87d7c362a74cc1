//! Quantities as text: read exactly, printed as short as exactness allows.
//!
//! ```text
//! quantity = digits [ "." digits ] [ blanks ] unit
//! ```
//!
//! No floating point is involved: `0.1ms` is 100 000 000 ps, and `0.1ps` is an error.

use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;

use crate::diagnostics;
use crate::dimension::{Dimension, Unit};
use crate::quantity::{Bytes, Rate, Time};

macro_rules! textual {
    ($name:ident, $dimension:expr, $from_base:path, $as_base:path) => {
        impl FromStr for $name {
            type Err = Diagnostic;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                parse($dimension, text).map($from_base)
            }
        }

        /// The shortest exact form with a unit; reading it back gives the same value.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&print($dimension, $as_base(*self)))
            }
        }
    };
}

textual!(Time, Dimension::Time, Time::from_ps, Time::as_ps);
textual!(Rate, Dimension::Rate, Rate::from_bps, Rate::as_bps);
textual!(Bytes, Dimension::Size, Bytes::new, Bytes::as_u64);

/// The value in base units.
fn parse(dimension: Dimension, text: &str) -> Result<u64, Diagnostic> {
    let text = text.trim();
    if text.is_empty() {
        return Err(diagnostics::empty(dimension));
    }
    let (number, symbol) = split(text);
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let decimal =
        Decimal::parse(unsigned).ok_or_else(|| diagnostics::not_a_number(dimension, text))?;
    if unsigned.len() < number.len() {
        return Err(diagnostics::negative(dimension, text));
    }
    if symbol.is_empty() {
        return Err(diagnostics::missing_unit(text, &with_unit(dimension, text)));
    }
    let unit = dimension.units().iter().find(|unit| unit.symbol == symbol);
    let unit = unit.ok_or_else(|| diagnostics::wrong_unit(dimension, text, symbol))?;
    let value = decimal.times(unit.scale).map_err(|misfit| match misfit {
        Misfit::TooLarge => diagnostics::too_large(dimension, text),
        Misfit::NotWhole => diagnostics::not_whole(dimension, text),
    })?;
    match value <= dimension.largest() {
        true => Ok(value),
        false => Err(diagnostics::too_large(dimension, text)),
    }
}

/// A number without a unit, negative or not.
pub fn bare_number(dimension: Dimension, number: &str) -> Diagnostic {
    match number.starts_with('-') {
        true => diagnostics::negative(dimension, number),
        false => diagnostics::missing_unit(number, &with_unit(dimension, number)),
    }
}

/// A suggestion for a number without a unit; the suggested text is valid for every number.
fn with_unit(dimension: Dimension, number: &str) -> String {
    let usual = format!("{number}{}", dimension.usual_unit());
    if parse(dimension, &usual).is_ok() {
        return usual;
    }
    // The number is too large in the usual unit: it is taken in the smallest unit.
    let smallest = dimension.symbols().next().unwrap_or_default();
    match parse(dimension, &format!("{number}{smallest}")) {
        Ok(value) => print(dimension, value),
        Err(_) => dimension.examples()[0].to_owned(),
    }
}

/// The number and the unit: a unit begins at the first letter (`µ` is one).
fn split(text: &str) -> (&str, &str) {
    let at = text.find(char::is_alphabetic).unwrap_or(text.len());
    (text[..at].trim_end(), &text[at..])
}

/// An unsigned decimal number as it was written.
struct Decimal<'a> {
    whole: &'a str,
    /// Without trailing zeros.
    fraction: &'a str,
}

/// Why a product is not a whole number of 64 bits.
enum Misfit {
    TooLarge,
    NotWhole,
}

impl<'a> Decimal<'a> {
    fn parse(number: &'a str) -> Option<Self> {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        (all_digits(whole) && all_digits(fraction)).then(|| Self {
            whole,
            fraction: fraction.trim_end_matches('0'),
        })
    }

    /// The exact product, if it is a whole number of 64 bits.
    fn times(&self, scale: u64) -> Result<u64, Misfit> {
        let whole = self.whole.bytes().try_fold(0_u64, |sum, byte| {
            sum.checked_mul(10)?.checked_add(digit(byte))
        });
        whole
            .and_then(|whole| whole.checked_mul(scale))
            .ok_or(Misfit::TooLarge)?
            .checked_add(self.fraction_times(scale)?)
            .ok_or(Misfit::TooLarge)
    }

    /// Horner's rule from the last digit. The product is whole only if each step divides
    /// evenly: all digits further left contribute multiples of ten at that step.
    fn fraction_times(&self, scale: u64) -> Result<u64, Misfit> {
        self.fraction.bytes().rev().try_fold(0, |below, byte| {
            let sum = digit(byte) * scale + below;
            if sum.is_multiple_of(10) {
                Ok(sum / 10)
            } else {
                Err(Misfit::NotWhole)
            }
        })
    }
}

fn digit(byte: u8) -> u64 {
    u64::from(byte - b'0')
}

/// The shortest of the exact forms. Among equals a form of at least one unit wins over `0.…`,
/// then the larger unit: `500ns`, not `0.5us`; `12.24us`, not `12240ns`.
fn print(dimension: Dimension, value: u64) -> String {
    dimension
        .printed_units()
        .map(|unit| (exact(value, unit), value < unit.scale, unit.scale))
        .min_by_key(|(form, below_one, scale)| (form.len(), *below_one, u64::MAX - scale))
        .map(|(form, ..)| form)
        .unwrap_or_default()
}

/// All units are products of 2 and 5, so every value has a finite decimal form in each.
fn exact(value: u64, unit: &Unit) -> String {
    let mut form = (value / unit.scale).to_string();
    let mut rest = value % unit.scale;
    if rest > 0 {
        form.push('.');
    }
    while rest > 0 {
        rest *= 10;
        form.push(char::from(b'0' + (rest / unit.scale) as u8));
        rest %= unit.scale;
    }
    form + unit.symbol
}

#[cfg(test)]
mod tests;
