//! Flow sizes as keys of a scenario.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{Bytes, Dimension, bare_number};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::cdf::Cdf;
use crate::diagnostics;
use crate::files::Files;
use crate::flow::check_size;
use crate::size_file::{CdfUnit, SizeFile};
use crate::sizes::{FlowSizes, Mix, Published};

/// The sizes of a traffic entry's flows.
///
/// ```toml
/// sizes = "1MB"                      # every flow
/// sizes = "fb-hadoop"                # a published distribution
/// sizes = { cdf = [["1KB", 0], ["10KB", 80], ["1MB", 100]] } # straight lines between points
/// sizes = { file = "sizes.txt" }     # lines of `bytes percent`
/// sizes = { file = "sizes.txt", unit = "fraction" }
/// sizes = { file = "search.tcl", size_unit = "1460B" } # packets of ns-2
/// sizes = { mix = [
///     { sizes = "web-search", weight = 1 },
///     { sizes = "50KB", weight = 9 },
/// ] }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum SizeSpec {
    /// Every flow has this size.
    Fixed(Bytes),
    /// A published distribution.
    Published(Published),
    /// Points of the cumulative distribution, which is linear between them.
    Cdf(Vec<CdfPoint>),
    /// A table in a file.
    File(SizeFile),
    /// Several distributions.
    Mix(Vec<MixPart>),
}

/// A size, and the percentage of flows up to this size.
#[derive(Copy, Clone, Debug, PartialEq, serde::Serialize, JsonSchema)]
pub struct CdfPoint(pub Bytes, pub f64);

const POINT: &str = "a point, e.g. [\"10KB\", 80]: 80 % of the flows are up to 10 KB";

impl<'de> Deserialize<'de> for CdfPoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PointVisitor)
    }
}

struct PointVisitor;

impl<'de> Visitor<'de> for PointVisitor {
    type Value = CdfPoint;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(POINT)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut sequence: S) -> Result<CdfPoint, S::Error> {
        let (size, percent) = (sequence.next_element()?, sequence.next_element()?);
        match (size, percent, sequence.next_element::<IgnoredAny>()?) {
            (Some(size), Some(percent), None) => Ok(CdfPoint(size, percent)),
            _ => {
                let what = format!("not a size and a percentage; write {POINT}");
                Err(de::Error::custom(what))
            }
        }
    }
}

/// One part of a mix of distributions.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixPart {
    /// The distribution.
    pub sizes: SizeSpec,
    /// The part's share of the flows (not of the bytes), relative to the weights of the other
    /// parts. Default: 1.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl SizeSpec {
    /// Checks the sizes, and makes the distribution; `files` opens a file that is named.
    ///
    /// # Errors
    /// A size of zero or beyond [`MAX_FLOW`](crate::MAX_FLOW), an empty mix, a weight
    /// that is not positive, or a mistake in a file.
    pub fn validate(&self, files: &dyn Files) -> Result<FlowSizes, Diagnostic> {
        match self {
            Self::Fixed(size) => {
                check_size(*size).at("sizes")?;
                Ok(FlowSizes::Fixed(*size))
            }
            Self::Published(table) => Ok(FlowSizes::Table(Arc::new(table.cdf()))),
            Self::Cdf(points) => inline(points),
            Self::File(file) => {
                let table = files.sizes(file);
                let name = file.file.display();
                let table = table.map_err(|wrong| wrong.naming(name).at("sizes"))?;
                Ok(FlowSizes::Table(Arc::new(table)))
            }
            Self::Mix(parts) => mix(parts, files),
        }
    }
}

fn inline(points: &[CdfPoint]) -> Result<FlowSizes, Diagnostic> {
    if points.is_empty() {
        let diagnostic = Diagnostic::new("no points", "write some, from 0 to 100 %");
        return Err(diagnostic.at("sizes.cdf"));
    }
    let table = Cdf::new(
        points
            .iter()
            .map(|point| (point.0.as_u64() as f64, point.1)),
    );
    let table = table.map_err(|bad| bad.diagnostic.at(format!("sizes.cdf[{}]", bad.index)))?;
    Ok(FlowSizes::Table(Arc::new(table)))
}

fn mix(parts: &[MixPart], files: &dyn Files) -> Result<FlowSizes, Diagnostic> {
    if parts.is_empty() {
        return Err(diagnostics::empty_mix().at("sizes.mix"));
    }
    let part =
        |(index, part): (usize, &MixPart)| weighted(part, files).at(format!("sizes.mix[{index}]"));
    let weighted: Result<_, _> = parts.iter().enumerate().map(part).collect();
    Ok(FlowSizes::Mix(Arc::new(Mix::new(weighted?))))
}

fn weighted(part: &MixPart, files: &dyn Files) -> Result<(FlowSizes, f64), Diagnostic> {
    let weight = part.weight;
    if !(weight > 0.0 && weight.is_finite()) {
        return Err(diagnostics::weight(weight).at("weight"));
    }
    Ok((part.sizes.validate(files)?, weight))
}

impl From<Bytes> for SizeSpec {
    fn from(size: Bytes) -> Self {
        Self::Fixed(size)
    }
}

impl From<Published> for SizeSpec {
    fn from(table: Published) -> Self {
        Self::Published(table)
    }
}

/// The forms that are tables of one key.
#[derive(serde::Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Composed {
    /// Points of the cumulative distribution, `[size, percent]`. Both increase, from 0 to 100 %,
    /// and the distribution is linear between points.
    Cdf(Vec<CdfPoint>),
    /// Several distributions, each with its share of the flows.
    Mix(Vec<MixPart>),
}

/// The keys of a table of sizes, before it is checked that exactly one form is given.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    cdf: Option<Vec<CdfPoint>>,
    file: Option<PathBuf>,
    mix: Option<Vec<MixPart>>,
    unit: Option<CdfUnit>,
    size_unit: Option<Bytes>,
}

impl Serialize for SizeSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(size) => size.serialize(serializer),
            Self::Published(table) => table.name().serialize(serializer),
            Self::Cdf(points) => Composed::Cdf(points.clone()).serialize(serializer),
            Self::File(file) => file.serialize(serializer),
            Self::Mix(parts) => Composed::Mix(parts.clone()).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SizeSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizeVisitor)
    }
}

struct SizeVisitor;

impl<'de> Visitor<'de> for SizeVisitor {
    type Value = SizeSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "flow sizes: \"1MB\", a name such as \"fb-hadoop\", { cdf = … }, { file = … } or \
             { mix = … }",
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<SizeSpec, E> {
        match (Published::named(text), text.trim_start().chars().next()) {
            (Ok(table), _) => Ok(SizeSpec::Published(table)),
            (Err(mut unknown), Some(first)) if first.is_alphabetic() => {
                unknown.hint += "; or write one size, e.g. `1MB`";
                Err(E::custom(unknown))
            }
            _ => text.parse().map(SizeSpec::Fixed).map_err(E::custom),
        }
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<SizeSpec, M::Error> {
        let written = Written::deserialize(MapAccessDeserializer::new(map))?;
        let (unit, size_unit) = (written.unit, written.size_unit);
        let of_file = unit.is_some() || size_unit.is_some();
        match (written.cdf, written.file, written.mix) {
            (None, Some(file), None) => Ok(SizeSpec::File(SizeFile {
                file,
                unit,
                size_unit,
            })),
            _ if of_file => Err(de::Error::custom(
                "`unit` and `size_unit` say how a file is read; give `file`, too",
            )),
            (Some(points), None, None) => Ok(SizeSpec::Cdf(points)),
            (None, None, Some(parts)) => Ok(SizeSpec::Mix(parts)),
            _ => Err(de::Error::custom("give one of `cdf`, `file` and `mix`")),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<SizeSpec, E> {
        Err(E::custom(bare(number.to_string())))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<SizeSpec, E> {
        Err(E::custom(bare(number.to_string())))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<SizeSpec, E> {
        Err(E::custom(bare(number.to_string())))
    }
}

fn bare(text: String) -> Diagnostic {
    bare_number(Dimension::Size, &text)
}

impl JsonSchema for SizeSpec {
    fn schema_name() -> Cow<'static, str> {
        "Sizes".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::SizeSpec").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "How large the flows are.",
            "anyOf": [
                {
                    "description": "A published distribution.",
                    "enum": Published::ALL.map(Published::name),
                },
                generator.subschema_for::<Bytes>(),
                generator.subschema_for::<Composed>(),
                generator.subschema_for::<SizeFile>(),
            ],
        })
    }
}
