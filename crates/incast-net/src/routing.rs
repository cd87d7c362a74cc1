//! Which way a packet takes: the next hops of a switch, the choice among them, and whole paths.

mod ecmp;
mod forwarding;
mod options;
mod path;

pub(crate) use self::ecmp::EcmpSelector;
use self::ecmp::RemainingHops;
pub(crate) use self::forwarding::{AccessPorts, ForwardingTable};
pub use self::options::{EcmpHash, PathChoice, Routing};
pub use self::path::{AsymmetricPath, Direction, FlowAddress, check_path_symmetry, path};
