//! The algorithms by name: the one table that knows them all.

use serde::{Deserialize, Deserializer};

use crate::parameters::{Flaw, Parameters, sets, values};
use crate::{CongestionControl, FlowContext, Needs, Part};

/// An algorithm, as `incast list` shows it.
#[derive(Copy, Clone, Debug)]
pub struct AlgorithmInfo {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it does, and whose it is.
    pub summary: &'static str,
    /// The parts that it takes.
    pub parts: &'static [Part],
    sets: fn() -> Vec<(&'static str, &'static str)>,
}

impl AlgorithmInfo {
    /// Its named sets of parameters, the default first, each with a line on where its values are
    /// from; empty if it has one only.
    pub fn parameter_sets(&self) -> Vec<(&'static str, &'static str)> {
        (self.sets)()
    }
}

macro_rules! registry {
    ($($name:literal => $variant:ident($config:ty), $summary:literal;)*) => {
        /// An algorithm with its parameters.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AlgorithmConfig {
            $(#[doc = $summary] $variant($config),)*
        }

        impl AlgorithmConfig {
            /// The default parameters of the algorithm `name`, or its named `set` of them, with
            /// parts; `None` if there is no such algorithm or set, or if it does not take a part.
            pub fn with_defaults(name: &str, set: Option<&str>, parts: &[Part]) -> Option<Self> {
                match name {
                    $($name => values::<$config>(set, parts).map(Self::$variant),)*
                    _ => None,
                }
            }

            /// Reads the parameters of the algorithm `name`; `None` if there is no such
            /// algorithm.
            ///
            /// # Errors
            /// An unknown parameter, or a value of the wrong kind.
            pub fn from_parameters<'de, D: Deserializer<'de>>(
                name: &str,
                parameters: D,
            ) -> Option<Result<Self, D::Error>> {
                match name {
                    $($name => Some(<$config>::deserialize(parameters).map(Self::$variant)),)*
                    _ => None,
                }
            }

            /// The algorithm's name, without parts.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            /// The first parameter that it cannot work with.
            ///
            /// # Errors
            /// If there is one.
            pub fn check(&self) -> Result<(), Flaw> {
                match self {
                    $(Self::$variant(config) => config.check(),)*
                }
            }

            /// What it needs from the network.
            pub fn needs(&self) -> Needs {
                match self {
                    $(Self::$variant(config) => config.needs(),)*
                }
            }

            /// The controller of one flow.
            pub fn build(&self, context: &FlowContext) -> Box<dyn CongestionControl> {
                match self {
                    $(Self::$variant(config) => config.build(context),)*
                }
            }

            /// Parameters with all defaults filled in.
            ///
            /// # Errors
            /// Whatever the serializer says.
            pub fn parameters<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(config) => serde::Serialize::serialize(config, serializer),)*
                }
            }

            /// JSON Schema of each algorithm's parameters, by name.
            pub fn schemas(
                generator: &mut schemars::SchemaGenerator,
            ) -> Vec<(&'static str, schemars::Schema)> {
                vec![$(($name, generator.subschema_for::<$config>()),)*]
            }
        }

        /// Every algorithm, in alphabetical order.
        pub fn available() -> &'static [AlgorithmInfo] {
            &[$(AlgorithmInfo {
                name: $name,
                summary: $summary,
                parts: <$config>::PARTS,
                sets: sets::<$config>,
            },)*]
        }
    };
}

registry! {
    "dcqcn" => Dcqcn(crate::DcqcnConfig),
        "Data Center QCN: rates cut by echoed marks, for RoCE (Zhu et al., SIGCOMM 2015)";
    "dctcp" => Dctcp(crate::DctcpConfig),
        "Data Center TCP: windows cut by the share of marks (Alizadeh et al., SIGCOMM 2010)";
    "ecn-tcp" => EcnTcp(crate::EcnTcpConfig),
        "TCP with ECN: the window halved once per window of data with a mark (RFC 3168)";
    "fncc" => Fncc(crate::FnccConfig),
        "Fast Notification Congestion Control: HPCC told by ACKs of what they pass (Xu et al.)";
    "hpcc" => Hpcc(crate::HpccConfig),
        "High Precision Congestion Control: windows from in-band telemetry \
         (Li et al., SIGCOMM 2019)";
    "lgc" => Lgc(crate::LgcConfig),
        "Logistic Growth Control: rates that compete as populations do \
         (Teymoori et al., LCN 2016)";
    "none" => None(crate::UncontrolledConfig),
        "No congestion control: every flow at line rate, for contrast";
    "rocc" => Rocc(crate::RoccConfig),
        "RoCC: fair rates computed by switches, for RDMA (Taheri et al., CoNEXT 2020)";
    "swift" => Swift(crate::SwiftConfig),
        "Swift: a target delay that fits path and window (Kumar et al., SIGCOMM 2020)";
    "timely" => Timely(crate::TimelyConfig),
        "TIMELY: rates steered by the gradient of the RTT (Mittal et al., SIGCOMM 2015)";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever names the first set has what those who name none have.
    #[test]
    fn the_first_set_of_parameters_is_the_default() {
        for info in available() {
            if let Some((first, _)) = info.parameter_sets().first() {
                let named = AlgorithmConfig::with_defaults(info.name, Some(first), &[]);
                assert_eq!(named, AlgorithmConfig::with_defaults(info.name, None, &[]));
            }
            let unknown = AlgorithmConfig::with_defaults(info.name, Some(""), &[]);
            assert_eq!(unknown, None);
        }
    }
}
