//! The path of a packet: the next hops of a switch, the choice among them, and whole paths.

mod ecmp;
mod entropy;
mod forwarding;
mod options;
mod path;
mod path_shares;
mod port_choice;

pub(crate) use self::ecmp::EcmpSelector;
use self::ecmp::RemainingHops;
pub use self::entropy::{
    Balance, BitmapPaths, EntropySkips, FreezeSign, KeptPath, LegacyReps, MixedPaths,
    ObliviousPaths, PassOrder, PathUse, Plb, RandomPaths, Reps, RoundRobinPaths, TimeoutBlame,
};
pub(crate) use self::entropy::{
    CountedPaths, FlowEntropy, LeavingPacket, PathFeedback, PathReport, PathSelector,
};
pub(crate) use self::forwarding::{AccessPorts, ForwardingTable, Recall};
pub use self::options::{EcmpHash, Routing};
pub use self::path::{AsymmetricPath, Direction, FlowAddress, check_path_symmetry, path};
pub use self::path_shares::PathShares;
pub use self::port_choice::PathChoice;
