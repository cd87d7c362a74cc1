//! The interface of the engine for the nodes of this network.

use incast_engine::Context;
use incast_units::NodeId;

use crate::measure::{Log, PacketEvent};
use crate::wire::Packet;

/// An engine context that carries packets and a node's log.
pub(crate) trait NetContext<const WORDS: usize>:
    Context<Message = Packet<WORDS>, Local: Log>
{
    /// A packet arrives at a node.
    #[inline(always)]
    fn receive(&mut self, node: NodeId, port: usize, packet: &Packet<WORDS>) {
        if Self::Local::TRACES {
            self.local().enter(node);
            self.note(PacketEvent::Receive, port, packet, || 0);
        }
    }

    /// Notes an event of a packet at `port`, where `queue` other bytes wait.
    #[inline(always)]
    fn note(
        &mut self,
        event: PacketEvent,
        port: usize,
        packet: &Packet<WORDS>,
        queue: impl FnOnce() -> u64,
    ) {
        if Self::Local::TRACES {
            let now = self.now();
            self.local().note(now, event, port, packet, queue());
        }
    }
}

impl<const WORDS: usize, C: Context<Message = Packet<WORDS>, Local: Log>> NetContext<WORDS> for C {}
