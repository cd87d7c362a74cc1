//! The kinds of traffic by name: the one table that knows them all.

use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_registry::Available;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};

use super::{Context, Traffic};

macro_rules! kinds {
    ($($name:literal => $variant:ident($spec:ty), $summary:literal;)*) => {
        /// A `[[traffic]]` entry of a scenario: its `kind` says what else it may hold.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, JsonSchema)]
        #[serde(tag = "kind")]
        #[schemars(rename = "Traffic")]
        pub enum TrafficSpec {
            $(#[doc = $summary] #[serde(rename = $name)] $variant($spec),)*
        }

        /// The same, for sources that do not show `kind` first: read by way of a buffer.
        #[derive(serde::Deserialize)]
        #[serde(tag = "kind")]
        enum Buffered {
            $(#[serde(rename = $name)] $variant($spec),)*
        }

        const KINDS: &[&str] = &[$($name),*];

        impl TrafficSpec {
            /// Its `kind`.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            pub(super) fn check(
                &self,
                context: Context<'_>,
            ) -> Result<Box<dyn Traffic>, Diagnostic> {
                match self {
                    $(Self::$variant(spec) => spec.check(context),)*
                }
            }

            fn read<'de, D: Deserializer<'de>>(kind: &str, rest: D) -> Result<Self, D::Error> {
                match kind {
                    $($name => <$spec>::deserialize(rest).map(Self::$variant),)*
                    _ => Err(de::Error::unknown_variant(kind, KINDS)),
                }
            }
        }

        impl From<Buffered> for TrafficSpec {
            fn from(spec: Buffered) -> Self {
                match spec {
                    $(Buffered::$variant(spec) => Self::$variant(spec),)*
                }
            }
        }

        $(impl From<$spec> for TrafficSpec {
            fn from(spec: $spec) -> Self {
                Self::$variant(spec)
            }
        })*

        impl TrafficSpec {
            /// The kinds of traffic: values of `kind`.
            pub fn available() -> Vec<Available> {
                vec![$(Available { name: $name, summary: $summary },)*]
            }
        }
    };
}

kinds! {
    "poisson" => Poisson(super::PoissonSpec),
        "each host sends flows at random moments, at a given load of its NIC";
    "incast" => Incast(super::IncastSpec),
        "many hosts send to one, together or a few at a time, once or in rounds";
    "permutation" => Permutation(super::PermutationSpec),
        "each host sends to one other and receives from one other";
    "all-to-all" => AllToAll(super::AllToAllSpec),
        "each source sends to each destination, or to a few drawn at random, all at once";
    "ring-all-reduce" => RingAllReduce(super::RingAllReduceSpec),
        "each host sends chunks to the next one of a ring, step by step on a clock";
    "flows" => Flows(super::FlowsSpec),
        "the flows listed in the scenario";
    "file" => File(super::FileSpec),
        "the flows of a file: HPCC's ns-3 artifact, htsim, or CSV";
}

/// An entry is read without a buffer if its source shows `kind` first, so that mistakes in it
/// keep their places in the source.
impl<'de> Deserialize<'de> for TrafficSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = TrafficSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a traffic entry: a table with a `kind`")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<TrafficSpec, M::Error> {
        let first = map.next_key::<String>()?;
        if first.as_deref() == Some("kind") {
            let kind: String = map.next_value()?;
            return TrafficSpec::read(&kind, MapAccessDeserializer::new(map));
        }
        let replayed = Replayed { first, map };
        Buffered::deserialize(MapAccessDeserializer::new(replayed)).map(TrafficSpec::from)
    }
}

/// A map whose first key has been taken out already.
struct Replayed<M> {
    first: Option<String>,
    map: M,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for Replayed<M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        match self.first.take() {
            Some(key) => seed
                .deserialize(de::value::StringDeserializer::new(key))
                .map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}
