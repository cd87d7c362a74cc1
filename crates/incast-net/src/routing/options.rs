//! Options of routing: how a packet's next hop is picked among several.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a flow picks one of several equal-cost next hops.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcmpHash {
    /// A 64-bit mix of addresses, source port and switch.
    Mixed,
    /// MurmurHash3 of addresses and ports, seeded with the switch's number.
    // MurmurHash3 with 32 bits, of (source IP, destination IP, ports).
    Murmur3,
}

/// How switches choose among several paths.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RoutingKind")]
pub enum Routing {
    /// Each switch picks one of several equal-cost next hops, by the model's hash.
    #[default]
    Ecmp,
    /// Each switch picks by a hash that is equal for data and ACKs: where next hops are in a
    /// consistent order, ACKs take the path of their data.
    // The hash is salted by the number of links left, which is equal in both directions.
    SymmetricEcmp,
    /// The flow picks one of several spanning trees, in which there is one path: ACKs take the path
    /// of their data on any graph. Paths may be longer than the shortest ones.
    // Routes are those of `Routes::spanning_trees`.
    SpanningTrees,
}
