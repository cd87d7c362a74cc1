//! Traffic: which host sends how much to whom, and when.
//!
//! Traffic is a stream of [`Flow`]s in order of start, made as it is asked for: memory follows
//! the flows alive, not the flows of the run.
//!
//! What happens to a flow is for the simulator to say. Nothing here waits for it: a start never
//! depends on another flow's end.

mod error;
mod flow;
mod lines;
mod merge;
mod network;
mod random;
mod registry;
mod sizes;

pub use error::{Fault, Place, WorkloadError};
pub use flow::{Flow, FlowStream, LARGEST_FLOW, LATEST_START, checked};
pub use merge::merge;
pub use network::Network;
pub use registry::{Available, available_sizes};
pub use sizes::{Cdf, Mix, MixPart, Published, SizeSpec, Sizes};
