//! `measure.flows.rows`: which flows have a row in results.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_random::mix;
use incast_units::FlowId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How many of the slowest flows keep their rows, where rows of all flows would not fit into
/// memory.
const SLOWEST: u64 = 10_000;

/// The choice of rows as written in scenarios.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) enum WrittenRows {
    /// Rows of all flows where they fit into memory; else of the slowest.
    #[default]
    Auto,
    /// A choice that does not depend on memory.
    Of(FlowRows),
}

/// Which flows have a row in results.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum FlowRows {
    /// All flows.
    All,
    /// This many completed flows with the largest slowdown, and all flows that have not completed.
    /// Of equal slowdowns the flow with the lower number comes first.
    Slowest(u64),
    /// A random sample of all flows; the value is its share in percent.
    Sample(f64),
    /// No flows.
    None,
}

/// Whether rows of all flows fit into the available memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RowsOfAll {
    /// Rows of all flows fit, as far as is known.
    Fit,
    /// Rows of all flows do not fit. Under `auto` the slowest flows keep their rows.
    DoNotFit,
}

impl WrittenRows {
    /// The choice of rows, with `auto` replaced by all or the slowest flows.
    pub(crate) fn settled(self, of_all: RowsOfAll) -> FlowRows {
        match (self, of_all) {
            (Self::Of(rows), _) => rows,
            (Self::Auto, RowsOfAll::Fit) => FlowRows::All,
            (Self::Auto, RowsOfAll::DoNotFit) => FlowRows::Slowest(SLOWEST),
        }
    }

    /// Whether the scenario leaves the choice to the run (`auto`).
    pub(crate) fn is_open(self) -> bool {
        self == Self::Auto
    }
}

impl FlowRows {
    /// The number of rows that are expected for this many flows.
    pub(crate) fn expected(self, flows: f64) -> f64 {
        match self {
            Self::All => flows,
            Self::Slowest(most) => flows.min(most as f64),
            Self::Sample(percent) => flows * percent / 100.0,
            Self::None => 0.0,
        }
    }

    /// Whether a flow is in the sample of a run with this seed.
    pub(crate) fn samples(percent: f64, seed: u64, flow: FlowId) -> bool {
        let drawn = mix(mix(seed).wrapping_add(flow.0.into()));
        (drawn as f64) < percent / 100.0 * u64::MAX as f64
    }
}

impl fmt::Display for FlowRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Slowest(flows) => write!(f, "slowest {flows}"),
            Self::Sample(percent) => write!(f, "sample {percent} %"),
            Self::None => f.write_str("none"),
        }
    }
}

impl FromStr for WrittenRows {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["auto"] => Ok(Self::Auto),
            ["all"] => Ok(Self::Of(FlowRows::All)),
            ["none"] => Ok(Self::Of(FlowRows::None)),
            ["slowest", flows] => slowest(flows).map(Self::Of),
            ["sample", share @ ..] => sample(&share.concat()).map(Self::Of),
            _ => {
                let what = format!("`{text}` does not say of which flows to keep rows");
                Err(Diagnostic::new(what, EXPECTED))
            }
        }
    }
}

const EXPECTED: &str = "write `auto`, `all`, `none`, `slowest 10000` or `sample 1 %`";

fn slowest(flows: &str) -> Result<FlowRows, Diagnostic> {
    let count = flows.parse().ok().filter(|count| *count > 0);
    count.map(FlowRows::Slowest).ok_or_else(|| {
        let what = format!("`{flows}` is not a number of flows");
        Diagnostic::new(what, "write e.g. `slowest 10000`; `none` keeps no rows")
    })
}

fn sample(share: &str) -> Result<FlowRows, Diagnostic> {
    let percent = share.strip_suffix('%').and_then(|text| text.parse().ok());
    let possible = percent.filter(|percent| 0.0 < *percent && *percent <= 100.0);
    possible.map(FlowRows::Sample).ok_or_else(|| {
        let what = format!("`{share}` is no share of all flows");
        Diagnostic::new(what, "write e.g. `sample 1 %`; `none` keeps no rows")
    })
}

impl Serialize for WrittenRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Of(rows) => serializer.collect_str(rows),
        }
    }
}

impl<'de> Deserialize<'de> for WrittenRows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for WrittenRows {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FlowRows".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": r"^\s*(auto|all|none|slowest\s+[0-9]+|sample\s+[0-9]+(\.[0-9]+)?\s*%)\s*$",
            "examples": ["all", "none", "slowest 10000", "sample 1 %"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_printed() {
        for rows in [
            FlowRows::All,
            FlowRows::None,
            FlowRows::Slowest(7),
            FlowRows::Sample(0.25),
        ] {
            assert_eq!(rows.to_string().parse(), Ok(WrittenRows::Of(rows)));
        }
        assert_eq!("auto".parse(), Ok(WrittenRows::Auto));
        let sample = Ok(WrittenRows::Of(FlowRows::Sample(5.0)));
        assert_eq!("sample 5%".parse(), sample);
    }

    #[test]
    fn other_texts_are_told_what_would_be_right() {
        let error = |text: &str| text.parse::<WrittenRows>().unwrap_err().to_string();
        assert_eq!(
            error("slowest"),
            "`slowest` does not say of which flows to keep rows; \
             write `auto`, `all`, `none`, `slowest 10000` or `sample 1 %`"
        );
        assert_eq!(
            error("slowest ten"),
            "`ten` is not a number of flows; write e.g. `slowest 10000`; `none` keeps no rows"
        );
        for share in ["1", "0 %", "101 %", "-1 %", ""] {
            let share = share.replace(' ', "");
            assert_eq!(
                error(&format!("sample {share}")),
                format!(
                    "`{share}` is no share of all flows; write e.g. `sample 1 %`; \
                     `none` keeps no rows"
                )
            );
        }
    }

    /// A sample of 1 % of 100,000 flows has 1000 flows, with a standard deviation of 31.
    #[test]
    fn a_sample_is_as_large_as_its_share_and_another_for_each_seed() {
        let sample = |percent, seed| -> Vec<u32> {
            let all = 0..100_000;
            all.filter(|flow| FlowRows::samples(percent, seed, FlowId(*flow)))
                .collect()
        };
        assert!((900..1100).contains(&sample(1.0, 1).len()));
        assert_ne!(sample(1.0, 1), sample(1.0, 2));
        assert_eq!(sample(100.0, 1).len(), 100_000);
    }
}
