//! The entropy of a packet: the field by which switches distinguish packets between the same two
//! hosts.
//!
//! A path is the entropy of a packet, not of a flow. Entropy is the field that carries the UDP
//! source port of RoCE: switches hash it with the addresses, so packets of one flow with equal
//! entropy take one path. An ACK has the entropy of the data packet that it answers.
//!
//! | file          | the entropy of a data packet                                              |
//! |---------------|---------------------------------------------------------------------------|
//! | `flow`        | the entropy of its flow, always: the flow keeps one path                  |
//! | `random`      | one of the flow's entropies, drawn for each packet                        |
//! | `round_robin` | the next entropy in ascending order                                       |
//! | `oblivious`   | the next of a pass over all entropies; orders of passes: `passes`         |
//! | `bitmap`      | the next of a pass that skips entropies with bad feedback                 |
//! | `reps`        | the oldest of recent unmarked entropies, else a random one                |
//! | `reps_legacy` | the first of all unmarked entropies, else a random one                    |
//! | `mixed`       | the first of all unmarked entropies, else as `bitmap`                     |
//! | `plb`         | the entropy of its flow, which changes after rounds of congestion         |
//!
//! A [`PathSelector`] is the state of one flow at its sender. Flows that keep one path have none,
//! and cost nothing. The selector chooses the entropy of each data packet that leaves,
//! retransmissions included, and gets feedback on paths. Each ACK reports on the packet that caused
//! it. Packets that are trimmed, lost or timed out are reported one by one.

mod bitmap;
mod counted;
mod draws;
mod flow;
mod mixed;
mod oblivious;
mod passes;
mod plb;
mod random;
#[cfg(test)]
mod recordings;
mod reps;
mod reps_legacy;
mod round_robin;

use dyn_clone::DynClone;
use incast_diagnostic::{Diagnostic, Placed as _};
use incast_random::{NetworkPurpose, RandomStream};
use incast_registry::{NamedSet, registry};
use incast_units::{FlowId, Time};

use crate::measure::EntropyCounters;

pub use self::bitmap::{BitmapPaths, EntropySkips, TimeoutBlame};
pub(crate) use self::counted::CountedPaths;
pub use self::flow::KeptPath;
pub use self::mixed::MixedPaths;
pub use self::oblivious::ObliviousPaths;
pub use self::passes::PassOrder;
pub use self::plb::Plb;
pub use self::random::RandomPaths;
pub use self::reps::{FreezeSign, Reps};
pub use self::reps_legacy::LegacyReps;
pub use self::round_robin::RoundRobinPaths;

registry! {
    /// How a flow's packets are spread over its paths.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Balance: BalanceOptions as "load balancing", tagged "kind" {
        "flow" => Flow(KeptPath), "all packets of a flow take one path";
        "random" => Random(RandomPaths), "each packet takes a path of its own, at random";
        "round-robin" => RoundRobin(RoundRobinPaths), "each packet takes the next path in turn";
        "oblivious" => Oblivious(ObliviousPaths), "passes over all paths, in changing orders (UEC)";
        "bitmap" => Bitmap(BitmapPaths), "passes that skip paths of which bad was heard (UEC)";
        "reps" => Reps(Reps), "paths of unmarked ACKs again, else at random; freezes at failures";
        "reps-legacy" => RepsLegacy(LegacyReps), "REPS's first form: all paths of unmarked ACKs";
        "mixed" => Mixed(MixedPaths), "paths of unmarked ACKs again, else as bitmap";
        "plb" => Plb(Plb), "one path until it is congested for some rounds, then another";
    }

    impl {
        /// Number of entropies of a flow.
        pub fn entropies(&self) -> u32;

        /// Whether the packets of a flow take one path at a time, or several.
        pub fn path_use(&self) -> PathUse;

        /// Checks the options.
        ///
        /// # Errors
        /// The option that is out of range.
        pub fn check(&self) -> Result<(), Diagnostic>;

        /// The selector of a flow; `None` if the flow keeps one path.
        pub(crate) fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>>;
    }
}

impl Default for Balance {
    fn default() -> Self {
        Self::Flow(KeptPath::default())
    }
}

impl Balance {
    /// Whether all packets of a flow take one path.
    pub fn keeps_path(&self) -> bool {
        self.path_use() == PathUse::One
    }
}

/// Whether the packets of a flow take one path at a time, or several.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PathUse {
    /// One.
    One,
    /// One path at a time: packets overtake each other only after a change of the path.
    OneAtATime,
    /// Several paths at the same time.
    Several,
}

/// Options of load balancing.
pub(crate) trait BalanceOptions: Default + 'static {
    /// Named sets of options.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// Number of entropies of a flow.
    fn entropies(&self) -> u32;

    /// Whether the packets of a flow take one path at a time, or several.
    fn path_use(&self) -> PathUse {
        PathUse::Several
    }

    /// Checks the options.
    ///
    /// # Errors
    /// The option that is out of range.
    fn check(&self) -> Result<(), Diagnostic>;

    /// The selector of a flow; `None` if the flow keeps one path.
    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>>;
}

/// Default number of entropies of a flow, as in uet-htsim.
const DEFAULT_ENTROPIES: u32 = 64;

/// Number of different entropies, which have 16 bits.
const MAX_ENTROPIES: u32 = 1 << 16;

/// Checks the number of entropies of a flow.
///
/// # Errors
/// If there are none, or more than [`MAX_ENTROPIES`].
fn check_entropies(entropies: u32) -> Result<(), Diagnostic> {
    if (1..=MAX_ENTROPIES).contains(&entropies) {
        return Ok(());
    }
    let what = format!("`{entropies}` is out of range");
    let wrong = Diagnostic::new(what, format!("write 1 to {MAX_ENTROPIES}"));
    Err(wrong).at("entropies")
}

/// The flow of a selector.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlowEntropy {
    /// The flow.
    pub(crate) flow: FlowId,
    /// The flow's first entropy, its UDP source port; its other entropies follow in order.
    pub(crate) first: u16,
    /// Seed of all random streams of the network.
    pub(crate) seed: u64,
}

impl FlowEntropy {
    /// The random stream of the flow's entropies.
    fn draws(&self) -> RandomStream {
        RandomStream::of_network(self.seed, self.flow.0.into(), NetworkPurpose::Entropy)
    }
}

/// Chooses the entropies of the data packets of one flow.
pub(crate) trait PathSelector: Send + DynClone {
    /// The entropy of a packet that leaves.
    fn next(&mut self, packet: &LeavingPacket) -> u16;

    /// Takes the feedback on a packet.
    fn on_feedback(&mut self, _report: &PathReport) {}

    /// Counts of each entropy in use, in order of their numbers; empty if they are not kept.
    fn counts(&self) -> Vec<(u16, EntropyCounters)> {
        Vec::new()
    }
}

dyn_clone::clone_trait_object!(PathSelector);

/// A data packet that leaves now.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeavingPacket {
    /// Packets of the flow that were sent for the first time before this one.
    pub(crate) new_packets: u32,
    /// The window under which the packet leaves, in full packets, rounded down.
    pub(crate) window: u32,
    pub(crate) now: Time,
}

/// Feedback on one packet, and so on its path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathReport {
    /// The entropy of the packet.
    pub(crate) entropy: u16,
    /// The fate of the packet.
    pub(crate) feedback: PathFeedback,
    pub(crate) now: Time,
    /// All packets before this one have arrived.
    pub(crate) expected: u32,
    /// When the packet left; only in reports of ACKs, and where packets carry timestamps.
    pub(crate) stamp: Time,
}

/// The fate of a data packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathFeedback {
    /// It arrived without a mark.
    Good,
    /// It arrived with a mark.
    Marked,
    /// The packet arrived without its payload.
    Trimmed,
    /// Arrivals of other packets showed that the packet is lost.
    Lost,
    /// The packet was not reported in time.
    TimedOut,
}

/// The entropy with this number. The entropies of a flow are consecutive, from `first` on.
pub(super) fn entropy_of(first: u16, number: u16) -> u16 {
    first.wrapping_add(number)
}
