//! The time at which ns-3 starts a flow, if the start is given in decimal seconds.
//!
//! ns-3 reads a double, converts it to a fixed-point number with 64 bits after the point,
//! multiplies by 10^9 and truncates to whole nanoseconds (`int64x64-128.h`, `Time::FromDouble` in
//! ns-3.17). Doubles are seldom exact, so about every second start is a nanosecond early: 2.001 s
//! is stored as 2.00099999999999989…, which becomes 2 000 999 999 ns.

use incast_diagnostic::Diagnostic;
use incast_units::Time;

use crate::decimal::TimeUnit;
use crate::text::Field;

const NS_PER_SECOND: u128 = 1_000_000_000;

/// A time in decimal seconds, as ns-3 reads it.
pub(super) fn time(field: Field<'_>) -> Result<Time, Diagnostic> {
    field.time(TimeUnit::Second)?;
    let seconds = field.number(TimeUnit::Second.example())?;
    Ok(from_seconds(seconds))
}

/// The time for `seconds`, which is from zero to [`MAX_START`](incast_workload::MAX_START).
fn from_seconds(seconds: f64) -> Time {
    const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
    let whole = seconds.floor();
    let fraction = ((seconds - whole) * TWO_TO_64) as u64;
    let fixed_point = (whole as u128) << 64 | u128::from(fraction);
    Time::from_ns(((fixed_point * NS_PER_SECOND) >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start times that the artifact recorded for these lines of its flow files.
    #[test]
    fn starts_are_those_that_ns3_recorded() {
        for (text, ns) in [
            ("2.000000000", 2_000_000_000),
            ("2.001000000", 2_000_999_999),
            ("2.002000000", 2_001_999_999),
            ("2.003000000", 2_003_000_000),
            ("2.006000000", 2_005_999_999),
            ("2.000020000", 2_000_020_000),
            ("2.000040000", 2_000_039_999),
            ("2.000120000", 2_000_119_999),
            ("2.000000164", 2_000_000_163),
        ] {
            assert_eq!(
                from_seconds(text.parse().unwrap()),
                Time::from_ns(ns),
                "{text}"
            );
        }
    }

    /// 0.5 and 4 611 686 have exact doubles.
    #[test]
    fn exact_doubles_stay_exact() {
        assert_eq!(from_seconds(0.0), Time::ZERO);
        assert_eq!(from_seconds(0.5), Time::from_ms(500));
        assert_eq!(from_seconds(4_611_686.0), Time::from_ms(4_611_686_000));
    }
}
