//! Windows of time, mailboxes between nodes, alarms, random streams.
//!
//! Let L be the smallest delay of any link. What a node does in \[T, T+L) cannot reach another
//! node before T+L. So each window takes every node with work in turn, lets it handle all its
//! events of the window in time order, and puts what it sends into mailboxes, one per link and
//! direction, that are already sorted by time of arrival. There is no global queue; nodes are
//! independent inside a window. ([`Serial`] has one, to repeat what a simulator with a global
//! queue did.)
//!
//! The engine has never heard of a packet: a message is anything with a time of arrival.

mod agenda;
mod arrivals;
mod bits;
mod crew;
mod event;
mod mailbox;
mod mrg32k3a;
mod node;
mod pending;
mod places;
mod random;
mod serial;
mod windows;

pub use arrivals::Run;
pub use crew::{Conductor, Crew, Division, Threads};
pub use mrg32k3a::Mrg32k3aStreams;
pub use node::{Context, Events, Message, Node, NodeShape};
pub use places::Places;
pub use random::{Purpose, RandomStream, mix};
pub use serial::{Serial, SerialContext};
pub use windows::{NodeOrder, WindowContext, Windows};
