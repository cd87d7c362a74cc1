use proptest::prelude::*;

use incast_diagnostic::Diagnostic;

use crate::{Bytes, Dimension, Rate, Time};

fn time(text: &str) -> Result<u64, Diagnostic> {
    text.parse().map(Time::as_ps)
}

fn rate(text: &str) -> Result<u64, Diagnostic> {
    text.parse().map(Rate::as_bps)
}

fn size(text: &str) -> Result<u64, Diagnostic> {
    text.parse().map(Bytes::as_u64)
}

#[test]
fn times_are_read_exactly() {
    for (text, ps) in [
        ("3ps", 3),
        ("200 ns", 200_000),
        ("12us", 12_000_000),
        ("12.24us", 12_240_000),
        ("1\u{b5}s", 1_000_000),
        ("1 \u{3bc}s", 1_000_000),
        ("1.5ms", 1_500_000_000),
        ("2s", 2_000_000_000_000),
        ("2.000000000001s", 2_000_000_000_001),
        ("0.100ms", 100_000_000),
        (" 007ns ", 7_000),
        ("0s", 0),
        ("1000000000000000000ps", 1_000_000_000_000_000_000),
        ("999999.999999999999s", 999_999_999_999_999_999),
    ] {
        assert_eq!(time(text), Ok(ps), "{text}");
    }
}

#[test]
fn rates_are_read_exactly() {
    for (text, bps) in [
        ("10bps", 10),
        ("400 kbps", 400_000),
        ("400Kbps", 400_000),
        ("50Mbps", 50_000_000),
        ("100Gbps", 100_000_000_000),
        ("100Gb/s", 100_000_000_000),
        ("100 Gbit/s", 100_000_000_000),
        ("1Tbps", 1_000_000_000_000),
        ("1.6Tbps", 1_600_000_000_000),
        ("0.000001Mbps", 1),
    ] {
        assert_eq!(rate(text), Ok(bps), "{text}");
    }
}

/// KB = 1000 B, KiB = 1024 B.
#[test]
fn sizes_are_read_exactly() {
    for (text, bytes) in [
        ("1000B", 1_000),
        ("512KB", 512_000),
        ("512kB", 512_000),
        ("4KiB", 4_096),
        ("1MB", 1_000_000),
        ("32MiB", 32 * 1024 * 1024),
        ("2GB", 2_000_000_000),
        ("1TiB", 1_099_511_627_776),
        ("0.5KiB", 512),
        // 5¹⁰/10¹⁰ of 2¹⁰ bytes: ten decimals, one byte.
        ("0.0009765625KiB", 1),
        // 5⁴⁰/10⁴⁰ of 2⁴⁰ bytes: forty decimals, one byte.
        ("0.0000000000009094947017729282379150390625TiB", 1),
    ] {
        assert_eq!(size(text), Ok(bytes), "{text}");
    }
}

#[test]
fn errors_say_what_was_wrong_and_what_would_be_right() {
    let message = |error: Result<u64, Diagnostic>| error.unwrap_err().to_string();
    for (found, expected) in [
        (rate("100"), "`100` has no unit; write e.g. `100Gbps`"),
        (time("1.5"), "`1.5` has no unit; write e.g. `1.5us`"),
        (size("0"), "`0` has no unit; write e.g. `0KB`"),
        (
            time("1 min"),
            "`1 min`: unknown unit `min`; a time is written in ps, ns, us, ms or s",
        ),
        (
            rate("100gbps"),
            "`100gbps`: unknown unit `gbps`; did you mean `Gbps`? \
             a rate is written in bps, kbps, Mbps, Gbps or Tbps",
        ),
        (
            rate("100G"),
            "`100G`: unknown unit `G`; did you mean `Gbps`? \
             a rate is written in bps, kbps, Mbps, Gbps or Tbps",
        ),
        (
            size("1m"),
            "`1m`: unknown unit `m`; did you mean `MB`? \
             a size is written in B, KB, KiB, MB, MiB, GB, GiB, TB or TiB",
        ),
        (
            time("1e-6s"),
            "`1e-6s`: unknown unit `e-6s`; a time is written in ps, ns, us, ms or s",
        ),
        (
            size("1Mb"),
            "`1Mb`: `Mb` counts bits, a size is in bytes; write e.g. `1MB` (capital B)",
        ),
        (
            size("8Kibit"),
            "`8Kibit`: `Kibit` counts bits, a size is in bytes; write e.g. `1MB` (capital B)",
        ),
        (
            rate("12.5GB/s"),
            "`12.5GB/s`: `GB/s` counts bytes, a rate is in bits per second; write e.g. `100Gbps`",
        ),
        (
            rate("-1Gbps"),
            "`-1Gbps` is negative; a rate is zero or more",
        ),
        (
            time("fast"),
            "`fast` is not a number with a unit; write e.g. `12us`",
        ),
        (
            time("1,5ms"),
            "`1,5ms` is not a number with a unit; write e.g. `12us`",
        ),
        (
            time(".5ms"),
            "`.5ms` is not a number with a unit; write e.g. `12us`",
        ),
        (
            time("1.2.3ms"),
            "`1.2.3ms` is not a number with a unit; write e.g. `12us`",
        ),
        (
            time("-us"),
            "`-us` is not a number with a unit; write e.g. `12us`",
        ),
        (
            size("NaN"),
            "`NaN` is not a number with a unit; write e.g. `64KB`",
        ),
        (time("  "), "an empty text is not a time; write e.g. `12us`"),
        (
            time("18446744073709551616ps"),
            "`18446744073709551616ps` is too large; a time is at most 1000000s (11 days)",
        ),
        (
            rate("1000000.000000000001Tbps"),
            "`1000000.000000000001Tbps` is too large; a rate is at most 1000000Tbps",
        ),
        (
            size("99999999999999999999999999B"),
            "`99999999999999999999999999B` is too large; a size is at most 1000TB",
        ),
        (
            time("0.5ps"),
            "`0.5ps` is not a whole number of picoseconds; a time has no smaller part",
        ),
        (
            rate("1.0000000001Gbps"),
            "`1.0000000001Gbps` is not a whole number of bits per second; \
             a rate has no smaller part",
        ),
        (
            size("1.001KiB"),
            "`1.001KiB` is not a whole number of bytes; a size has no smaller part",
        ),
    ] {
        assert_eq!(message(found), expected);
    }
}

#[test]
fn a_diagnostic_tells_what_from_hint() {
    let missing = Diagnostic::new("`100` has no unit", "write e.g. `100Gbps`");
    assert_eq!(rate("100"), Err(missing));
}

#[test]
fn the_shortest_exact_form_is_printed() {
    let ps = |ps| Time::from_ps(ps).to_string();
    let bps = |bps| Rate::from_bps(bps).to_string();
    let bytes = |bytes| Bytes::new(bytes).to_string();
    for (found, expected) in [
        (ps(0), "0s"),
        (ps(1), "1ps"),
        (ps(83_840), "83.84ns"),
        (ps(83_841), "83841ps"),
        (ps(1_001), "1001ps"),
        (ps(500_000), "500ns"),
        (ps(1_000_000), "1us"),
        (ps(1_500_000), "1.5us"),
        (ps(12_240_000), "12.24us"),
        (ps(2_000_000_000_001), "2.000000000001s"),
        (ps(u64::MAX), "18446744.073709551615s"),
        (bps(0), "0bps"),
        (bps(50_000_000), "50Mbps"),
        (bps(100_000_000_000), "100Gbps"),
        (bps(1_600_000_000_000), "1.6Tbps"),
        (bytes(0), "0B"),
        (bytes(999), "999B"),
        (bytes(1_048), "1048B"),
        (bytes(4_096), "4KiB"),
        (bytes(52_000), "52KB"),
        (bytes(33_554_432), "32MiB"),
        (bytes(1_572_864), "1.5MiB"),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn messages_round_times_to_six_digits() {
    for (value, expected) in [
        (0, "0s"),
        (7, "7ps"),
        (999_999, "999999ps"),
        (9_999_994, "9.99999us"),
        (1_234_564, "1.23456us"),
        (1_234_565, "1.23457us"),
        (999_999_500_000, "1s"),
        (259_200_000_000_000_123, "259200s"),
        (u64::MAX, "18446700s"),
    ] {
        assert_eq!(Time::from_ps(value).rounded().to_string(), expected);
    }
}

#[test]
fn printing_respects_width() {
    assert_eq!(
        format!("{:>8}|{:<6}|", Time::from_us(1), Bytes::new(1)),
        "     1us|1B    |"
    );
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(value: u64, shift in 0_u32..64, zeros in 0_u32..13) {
        // Uniform draws have no trailing zeros; round ones print differently.
        let value = (value >> shift) / 10_u64.pow(zeros) * 10_u64.pow(zeros);
        let fits = |read: Result<u64, Diagnostic>, dimension: Dimension| {
            match value <= dimension.largest() {
                true => read == Ok(value),
                false => read.is_err_and(|error| error.to_string().contains("is too large")),
            }
        };
        prop_assert!(fits(time(&Time::from_ps(value).to_string()), Dimension::Time));
        prop_assert!(fits(rate(&Rate::from_bps(value).to_string()), Dimension::Rate));
        prop_assert!(fits(size(&Bytes::new(value).to_string()), Dimension::Size));
    }

    #[test]
    fn no_text_panics(
        text in any::<String>(),
        near in "[-+0-9.,eµ ]{0,40}[kKMGTi]{0,2}[bBpsu/]{0,4}",
    ) {
        for text in [&text, &near] {
            let _ = (time(text), rate(text), size(text));
        }
    }
}

mod suggestions {
    use proptest::prelude::*;

    use super::*;
    use crate::text::parse;

    /// The text in the last backquotes of a message.
    fn suggested(message: &str) -> &str {
        let mut parts = message.rsplit('`');
        parts.nth(1).expect("a suggestion")
    }

    #[test]
    fn numbers_too_large_for_the_usual_unit_get_another() {
        let message = |text: &str| text.parse::<Rate>().unwrap_err().to_string();
        assert_eq!(
            message("25000000000.0"),
            "`25000000000.0` has no unit; write e.g. `25Gbps`"
        );
        assert_eq!(message("100"), "`100` has no unit; write e.g. `100Gbps`");
        let tiny = "0.0000001".parse::<Time>().unwrap_err().to_string();
        assert_eq!(tiny, "`0.0000001` has no unit; write e.g. `12us`");
    }

    proptest! {
        /// The text suggested for a number without a unit is accepted.
        #[test]
        fn are_accepted(number in "[0-9]{1,22}(\\.[0-9]{1,14})?") {
            let messages = [
                (Dimension::Time, number.parse::<Time>().unwrap_err()),
                (Dimension::Rate, number.parse::<Rate>().unwrap_err()),
                (Dimension::Size, number.parse::<Bytes>().unwrap_err()),
            ];
            for (dimension, error) in messages {
                let message = error.to_string();
                let suggestion = suggested(&message);
                prop_assert!(parse(dimension, suggestion).is_ok(), "{message}");
            }
        }
    }
}
