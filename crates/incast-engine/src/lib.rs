//! The engine: runs nodes that send each other messages and set timers, in simulated time.
//!
//! Let L be the smallest delay of any link. A node's action in \[T, T+L) cannot reach another node
//! before T+L. The engine therefore runs time in windows of length L. In each window it takes every
//! node with work in turn. The node handles all its events of the window in time order, and its
//! messages go into mailboxes. There is one mailbox per link and direction; it is sorted by time of
//! arrival because a link is a FIFO. No global queue is needed, and nodes are independent inside a
//! window.
//!
//! | room | holds |
//! |---|---|
//! | `node` | the contract: [`Node`], its events, and the [`Context`] it acts through |
//! | `window` | the engine proper: calendar, mailboxes, inbox, the loop over windows |
//! | `parallel` | several threads: shards, the coordinator, partitioning, parking |
//! | `event_queue` | a second engine with one global queue, to repeat simulators that have one |
//! | `ties` | the order of simultaneous messages at a node |
//! | `thinning` | which samples of a series are kept, so that its rows stay bounded |
//!
//! The engine does not know packets: a message is any value with a time of arrival.

mod checked_index;
mod cpu_clock;
mod event_queue;
mod layout;
mod message;
mod node;
mod parallel;
mod port_batch;
mod thinning;
mod ties;
mod window;

pub use checked_index::CheckedIndex;
pub use cpu_clock::thread_cpu_time;
pub use event_queue::{EventQueueContext, EventQueueEngine};
pub use message::{Message, TIME_BITS};
pub use node::{Context, EventPlace, Events, Node, NodeShape};
pub use parallel::{
    Coordinator, Meanwhile, ParallelRunner, Partitioning, Rehearsal, RoundPrice, Threads,
};
pub use port_batch::PortBatch;
pub use thinning::{RowLimit, Thinning};
pub use ties::{NodeTies, TieOrder};
pub use window::{LONGEST_STEP_OF_SIDES, NodeOrder, WindowContext, WindowEngine};
