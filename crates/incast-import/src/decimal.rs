//! Decimal numbers of a time unit as whole picoseconds, without floating point.

use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::Time;
use incast_workload::diagnostics::too_late;
use incast_workload::{StartUnit, check_start};

use crate::diagnostics;
use crate::text::Field;

/// The time unit of a column or a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    Picosecond,
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
}

impl From<StartUnit> for TimeUnit {
    fn from(unit: StartUnit) -> Self {
        match unit {
            StartUnit::Ps => Self::Picosecond,
            StartUnit::Us => Self::Microsecond,
        }
    }
}

impl TimeUnit {
    /// A value in this unit, as an example for messages.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Picosecond => "1500000",
            Self::Nanosecond => "1500",
            Self::Microsecond => "1.5",
            Self::Millisecond => "0.0015",
            Self::Second => "2.000001500",
        }
    }

    /// The unit is ten to this power in picoseconds.
    fn power(self) -> i32 {
        match self {
            Self::Picosecond => 0,
            Self::Nanosecond => 3,
            Self::Microsecond => 6,
            Self::Millisecond => 9,
            Self::Second => 12,
        }
    }
}

impl Field<'_> {
    /// The field as a time, rounded to the nearest picosecond, half up.
    pub(crate) fn time(self, unit: TimeUnit) -> Result<Time, Diagnostic> {
        moment(self.text, unit).map_err(|wrong| self.wrong(wrong))
    }
}

/// A time in this unit, at which a flow may start.
pub(crate) fn moment(text: &str, unit: TimeUnit) -> Result<Time, Diagnostic> {
    let time = exact(text, unit)?;
    check_start(time)?;
    Ok(time)
}

/// A time in this unit, given as an integer.
pub(crate) fn whole_moment(number: u64, unit: TimeUnit) -> Result<Time, Diagnostic> {
    let power = unit.power().unsigned_abs();
    let picoseconds = 10_u64
        .checked_pow(power)
        .and_then(|each| number.checked_mul(each));
    let time = Time::from_ps(picoseconds.ok_or_else(|| too_late(&number.to_string()))?);
    check_start(time)?;
    Ok(time)
}

/// `digits [. digits] [e exponent]` in this unit, rounded to the nearest picosecond, half up.
fn exact(text: &str, unit: TimeUnit) -> Result<Time, Diagnostic> {
    let unreadable = || diagnostics::not_decimal(&excerpt(text), unit.example());
    let unsigned = text.trim_start_matches('-');
    let number = Scientific::parse(unsigned).ok_or_else(unreadable)?;
    if unsigned.len() < text.len() && number.digits > 0 {
        return Err(diagnostics::negative(&excerpt(text)));
    }
    let picoseconds = number
        .times_ten_to(unit.power())
        .ok_or_else(|| too_late(&excerpt(text)))?;
    Ok(Time::from_ps(picoseconds))
}

/// `digits` · 10^`exponent`.
struct Scientific {
    digits: u128,
    exponent: i32,
}

impl Scientific {
    /// The most significant digits: 38 fit into 128 bits, and no clock has as many.
    const MAX_DIGITS: usize = 38;
    /// The largest exponent: beyond any time, and far from overflow.
    const MAX_EXPONENT: i32 = 1_000;

    fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = fraction.trim_end_matches('0');
        let significant = whole.trim_start_matches('0').len() + fraction.len();
        let all = || whole.bytes().chain(fraction.bytes());
        let readable = !number.trim_matches('.').is_empty()
            && all().all(|byte| byte.is_ascii_digit())
            && significant <= Self::MAX_DIGITS
            && (-Self::MAX_EXPONENT..=Self::MAX_EXPONENT).contains(&exponent);
        readable.then(|| Self {
            digits: all().fold(0, |sum, byte| sum * 10 + u128::from(byte - b'0')),
            exponent: exponent - fraction.len() as i32,
        })
    }

    /// The product, rounded half up; `None` if it does not fit 64 bits.
    fn times_ten_to(&self, power: i32) -> Option<u64> {
        let power = self.exponent + power;
        let ten_to = |power: u32| 10_u128.checked_pow(power);
        let product = match power.unsigned_abs() {
            _ if self.digits == 0 => 0,
            up if power >= 0 => self.digits.checked_mul(ten_to(up)?)?,
            down => match ten_to(down) {
                Some(divisor) => self.digits / divisor + self.digits % divisor * 2 / divisor,
                None => 0,
            },
        };
        u64::try_from(product).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ps(text: &str, unit: TimeUnit) -> Result<u64, String> {
        exact(text, unit)
            .map(Time::as_ps)
            .map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn decimals_are_exact_to_the_picosecond() {
        for (text, unit, expected) in [
            ("2.000020000", TimeUnit::Second, 2_000_020_000_000),
            ("2.000000000001", TimeUnit::Second, 2_000_000_000_001),
            ("0.1", TimeUnit::Second, 100_000_000_000),
            ("1.5", TimeUnit::Microsecond, 1_500_000),
            ("1500000", TimeUnit::Picosecond, 1_500_000),
            ("1.5e3", TimeUnit::Picosecond, 1_500),
            ("2E-05", TimeUnit::Second, 20_000_000),
            (".5", TimeUnit::Nanosecond, 500),
            ("5.", TimeUnit::Nanosecond, 5_000),
            ("-0.0", TimeUnit::Second, 0),
            ("0e999", TimeUnit::Second, 0),
            (
                "0000000000000000000000000000000000000000000007",
                TimeUnit::Second,
                7_000_000_000_000,
            ),
            ("18446744.073709551615", TimeUnit::Second, u64::MAX),
        ] {
            assert_eq!(ps(text, unit), Ok(expected), "{text}");
        }
    }

    #[test]
    fn smaller_parts_are_rounded_half_up() {
        for (text, expected) in [
            ("0.4", 0),
            ("0.5", 1),
            ("1.4999999999999999999", 1),
            ("1e-30", 0),
            ("1e-999", 0),
            ("2.00002000000000020000", 2),
        ] {
            assert_eq!(ps(text, TimeUnit::Picosecond), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_rest_is_refused() {
        let unreadable =
            |text: &str| Err(format!("`{text}` is not a decimal number; give e.g. `1.5`"));
        for text in [
            "", ".", "-", "1,5", "1us", "0x1", "inf", "nan", "1e", "1e2.5", "1e9999", "+1",
        ] {
            assert_eq!(ps(text, TimeUnit::Microsecond), unreadable(text));
        }
        assert_eq!(
            ps("-1.5", TimeUnit::Microsecond),
            Err("`-1.5` is negative; give zero or more".to_owned())
        );
        for text in ["18446744.073709551616", "1e20", "1e999"] {
            assert_eq!(
                ps(text, TimeUnit::Second),
                Err(format!(
                    "{text} is too late to simulate; let flows start within 4611686s (53 days)"
                ))
            );
        }
    }
}
