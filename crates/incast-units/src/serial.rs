//! Quantities in scenario files and in their schema: always text with a unit.
//!
//! A bare number is refused, because a reader cannot tell whether `100` was meant in megabits or
//! gigabits per second.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::diagnostics::expected;
use crate::dimension::Dimension;
use crate::quantity::{Bytes, Rate, Time};

macro_rules! serial {
    ($name:ident, $dimension:expr) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                from_text(&expected($dimension), deserializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema($dimension)
            }
        }
    };
}

serial!(Time, Dimension::Time);
serial!(Rate, Dimension::Rate);
serial!(Bytes, Dimension::Size);

/// Reads a value from its text. A bare number is read as its digits, so that the error of `T` says
/// which unit is missing.
///
/// # Errors
/// The error of `T` for a text that it refuses; for other types of values, what was `expected`.
pub fn from_text<'de, T, D>(expected: &str, deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err = Diagnostic>,
    D: Deserializer<'de>,
{
    let visitor = TextVisitor {
        expected,
        value: PhantomData,
    };
    // Only a self-describing format passes on a bare number, which the error then quotes.
    match deserializer.is_human_readable() {
        true => deserializer.deserialize_any(visitor),
        false => deserializer.deserialize_str(visitor),
    }
}

struct TextVisitor<'a, T> {
    expected: &'a str,
    value: PhantomData<T>,
}

impl<T: FromStr<Err = Diagnostic>> Visitor<'_> for TextVisitor<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

fn schema(dimension: Dimension) -> Schema {
    let symbols: Vec<_> = dimension.units().iter().map(|unit| unit.symbol).collect();
    let printed: Vec<_> = dimension.symbols().collect();
    json_schema!({
        "type": "string",
        "description": format!("{} with its unit: {}.", capitalised(dimension), printed.join(", ")),
        "pattern": format!(r"^\s*[0-9]+(\.[0-9]+)?\s*({})\s*$", symbols.join("|")),
        "examples": dimension.examples(),
    })
}

fn capitalised(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Time => "A time",
        Dimension::Rate => "A rate",
        Dimension::Size => "A size (KB = 1000 bytes, KiB = 1024)",
    }
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Link {
        rate: Rate,
        delay: Time,
        buffer: Bytes,
    }

    const LINK: Link = Link {
        rate: Rate::from_gbps(100),
        delay: Time::from_us(1),
        buffer: Bytes::new(52_000),
    };

    #[test]
    fn json_holds_text_with_units() {
        let text = json!({"rate": "100Gbps", "delay": "1us", "buffer": "52KB"});
        assert_eq!(serde_json::to_value(&LINK).unwrap(), text);
        assert_eq!(serde_json::from_value::<Link>(text).unwrap(), LINK);
    }

    #[test]
    fn toml_holds_text_with_units() {
        let text = "rate = \"100Gbps\"\ndelay = \"1us\"\nbuffer = \"52KB\"\n";
        assert_eq!(toml::to_string(&LINK).unwrap(), text);
        assert_eq!(toml::from_str::<Link>(text).unwrap(), LINK);
    }

    #[test]
    fn a_bare_number_is_refused() {
        for (number, expected) in [
            ("100", "`100` has no unit; write e.g. `100Gbps`"),
            ("2.5", "`2.5` has no unit; write e.g. `2.5Gbps`"),
            ("-1", "`-1` is negative; a rate is zero or more"),
        ] {
            let error = serde_json::from_str::<Rate>(number)
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let error = toml::from_str::<Link>("rate = 100")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`100` has no unit; write e.g. `100Gbps`"),
            "{error}"
        );
    }

    #[test]
    fn other_types_are_told_what_is_expected() {
        let error = serde_json::from_str::<Time>("true")
            .unwrap_err()
            .to_string();
        let expected =
            "invalid type: boolean `true`, expected a time as text with a unit, e.g. \"12us\"";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn the_schema_has_pattern_description_and_examples() {
        let schema = schema_for!(Time).to_value();
        assert_eq!(schema["title"], "Time");
        assert_eq!(schema["type"], "string");
        assert_eq!(
            schema["description"],
            "A time with its unit: ps, ns, us, ms, s."
        );
        assert_eq!(
            schema["pattern"],
            r"^\s*[0-9]+(\.[0-9]+)?\s*(ps|ns|us|ms|s|µs|μs)\s*$"
        );
        assert_eq!(schema["examples"], json!(["12us", "1.5ms", "200ns"]));
    }

    /// Every example of the schema can be read.
    #[test]
    fn examples_are_valid() {
        for text in Dimension::Time.examples() {
            text.parse::<Time>().unwrap();
        }
        for text in Dimension::Rate.examples() {
            text.parse::<Rate>().unwrap();
        }
        for text in Dimension::Size.examples() {
            text.parse::<Bytes>().unwrap();
        }
    }
}
