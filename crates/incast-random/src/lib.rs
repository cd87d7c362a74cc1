//! Random streams of all crates: the generators, and how a run's seed becomes the seed of each.
//!
//! Every stream belongs to one entity and one purpose. No stream is shared, so no result depends
//! on the order in which nodes, threads or flows draw. (ns-3's streams are the exception: its
//! profile draws from one sequence for the whole network, and therefore runs on one thread.)
//!
//! | stream of | purposes | seeded by | generator |
//! |---|---|---|---|
//! | a port, a NIC, the engine | [`NetworkPurpose`] | [`RandomStream::of_network`] | xoshiro256++ |
//! | full ports, ties, timing | [`NetworkPurpose`] | [`SplitMix64::of_network`] | [`SplitMix64`] |
//! | a host in a `[[traffic]]` entry | [`TrafficPurpose`] | [`TrafficStreams`] | xoshiro256++ |
//! | a flow's algorithm | its own | the flow's seed | [`SplitMix64`] |
//! | all switches, profile `hpcc-ns3` | marking | the run's seed | [`Mrg32k3aStreams`] |
//!
//! The derivations and the numbers of the purposes are part of every result; tests pin them.
//! Libraries provide raw 64-bit outputs only. Distributions are written here, with the logarithm
//! of `libm`, so neither a library's release nor a platform changes a result.

mod mrg32k3a;
mod network;
mod splitmix64;
mod stream;
mod traffic;

pub use mrg32k3a::Mrg32k3aStreams;
pub use network::NetworkPurpose;
pub use splitmix64::{SplitMix64, mix};
pub use stream::RandomStream;
pub use traffic::{TrafficPurpose, TrafficStreams};
