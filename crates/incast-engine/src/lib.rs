//! Windows of time, mailboxes between nodes, timers.
//!
//! Let L be the smallest delay of any link. What a node does in \[T, T+L) cannot reach another
//! node before T+L. So each window takes every node with work in turn, lets it handle all its
//! events of the window in time order, and puts what it sends into mailboxes, one per link and
//! direction, that are already sorted by time of arrival. There is no global queue; nodes are
//! independent inside a window. ([`EventQueueEngine`] has one, to repeat what a simulator with a global
//! queue did.)
//!
//! The engine has never heard of a packet: a message is anything with a time of arrival.

mod agenda;
mod arrivals;
mod bits;
mod checked_index;
mod event;
mod event_queue;
mod mailbox;
mod node;
mod parallel;
mod pending;
mod windows;

pub use arrivals::PortBatch;
pub use checked_index::CheckedIndex;
pub use event_queue::{EventQueueContext, EventQueueEngine};
pub use node::{Context, Events, Message, Node, NodeShape};
pub use parallel::{Coordinator, ParallelRunner, Partitioning, Threads};
pub use windows::{NodeOrder, WindowContext, WindowEngine};
