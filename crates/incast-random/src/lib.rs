//! Random streams of all crates: the generators, and how each stream's seed follows from the run's
//! seed.
//!
//! Every stream belongs to one entity and one purpose. No stream is shared, so no result depends on
//! the order in which nodes, threads or flows draw. (The exception is the ns-3 profile: it draws
//! from one sequence for the whole network, so it runs on one thread.)
//!
//! | stream of | purposes | seeded by | generator |
//! |---|---|---|---|
//! | a port, a NIC, the engine | [`NetworkPurpose`] | [`RandomStream::of_network`] | xoshiro256++ |
//! | full ports, ties, timing | [`NetworkPurpose`] | [`SplitMix64::of_network`] | [`SplitMix64`] |
//! | a host in a `[[traffic]]` entry | [`TrafficPurpose`] | [`TrafficStreams`] | xoshiro256++ |
//! | a flow's algorithm | the algorithm's own | the flow's seed | [`SplitMix64`] |
//! | all switches, profile `hpcc-ns3` | marking | the run's seed | [`Mrg32k3aStreams`] |
//!
//! The derivations and the numbers of the purposes are part of every result; tests pin them.
//! Libraries provide raw 64-bit outputs only. Distributions are written here, with the logarithm of
//! `libm`. So no release of a library and no platform changes a result.

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
