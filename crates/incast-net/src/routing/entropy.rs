//! The entropy of a packet: what tells switches packets between the same two hosts apart.
//!
//! A path is the entropy of a packet, not of a flow. Entropy is the field that carries the UDP
//! source port of RoCE: switches hash it with the addresses, so packets of one flow with equal
//! entropy take one path. An ACK has the entropy of the data packet that it answers.
//!
//! | file     | which entropy a data packet gets                    |
//! |----------|-----------------------------------------------------|
//! | `flow`   | that of its flow, always: the flow keeps one path    |
//! | `random` | one of the flow's entropies, drawn for each packet   |
//!
//! Flows that keep one path have no selector, and cost nothing. A [`PathSelector`] is the state of
//! one flow at its sender. It is asked for each data packet that leaves, those that are sent again
//! among them, and it hears what became of the paths.

mod flow;
mod random;

use dyn_clone::DynClone;
use incast_diagnostic::Diagnostic;
use incast_registry::{NamedSet, registry};
use incast_units::{FlowId, Time};

pub use self::flow::KeptPath;
pub use self::random::RandomPaths;

registry! {
    /// How a flow's packets are spread over its paths.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Balance: BalanceOptions as "load balancing", tagged "kind" {
        "flow" => Flow(KeptPath), "all packets of a flow take one path";
        "random" => Random(RandomPaths), "each packet takes a path of its own, at random";
    }

    impl {
        /// How many entropies a flow has.
        pub fn entropies(&self) -> u16;

        /// Checks the options.
        ///
        /// # Errors
        /// What is impossible.
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
        matches!(self, Self::Flow(_))
    }
}

/// Options of load balancing.
pub(crate) trait BalanceOptions: Default + 'static {
    /// Sets of options that go by a name.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// How many entropies a flow has.
    fn entropies(&self) -> u16;

    /// Checks the options.
    ///
    /// # Errors
    /// What is impossible.
    fn check(&self) -> Result<(), Diagnostic>;

    /// The selector of a flow; `None` if the flow keeps one path.
    fn selector(&self, flow: &FlowEntropy) -> Option<Box<dyn PathSelector>>;
}

/// The flow of a selector.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlowEntropy {
    /// The flow.
    pub(crate) flow: FlowId,
    /// Its first entropy, the UDP source port that it has by itself; the others follow it.
    pub(crate) first: u16,
    /// Seed of all random streams of the network.
    pub(crate) seed: u64,
}

/// Gives the data packets of one flow their entropies.
pub(crate) trait PathSelector: Send + DynClone {
    /// The entropy of packet `psn`, which leaves now.
    fn next(&mut self, psn: u32, now: Time) -> u16;

    /// What became of a packet with this entropy.
    fn on_feedback(&mut self, _entropy: u16, _feedback: PathFeedback, _now: Time) {}
}

dyn_clone::clone_trait_object!(PathSelector);

/// What became of a data packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathFeedback {
    /// It arrived without a mark.
    Good,
    /// It arrived with a mark.
    Marked,
    /// It arrived without its payload.
    Trimmed,
    /// What arrived of other packets showed that it is lost.
    Lost,
    /// Nothing showed its arrival in time.
    TimedOut,
}

/// The entropies of a flow are numbers in a row, of which `first` is its own.
pub(super) fn entropy_of(first: u16, number: u16) -> u16 {
    first.wrapping_add(number)
}
