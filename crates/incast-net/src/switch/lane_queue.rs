//! The queue of one lane of data at an egress port.

use crate::fifo::Fifo;
use crate::wire::Packet;

use super::arbiter::IngressQueues;

/// The data of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneQueue<const WORDS: usize> {
    pub(super) packets: Fifo<Packet<WORDS>>,
    /// Queues by ingress port in place of the FIFO, where ingress ports take turns; on the plain
    /// and the direct path.
    pub(super) by_ingress: Option<Box<IngressQueues<WORDS>>>,
    pub(super) bytes: u64,
    /// Packets without room since the last packet that joined.
    pub(super) refused: u32,
}

impl<const WORDS: usize> LaneQueue<WORDS> {
    #[inline(always)]
    pub(super) fn push(&mut self, packet: &Packet<WORDS>) {
        self.bytes += u64::from(packet.size());
        self.refused = 0;
        match &mut self.by_ingress {
            None => self.packets.push_back(packet),
            Some(queues) => queues.push(packet),
        }
    }

    /// Bytes of the first packet in a FIFO.
    pub(super) fn first_size(&self) -> Option<u64> {
        self.packets.front().map(|packet| packet.size().into())
    }

    /// Takes the packet that leaves next out of a non-empty queue.
    pub(super) fn pop(&mut self) -> Option<Packet<WORDS>> {
        let packet = match &mut self.by_ingress {
            None => take(&mut self.packets),
            Some(queues) => queues.pop()?,
        };
        self.bytes -= u64::from(packet.size());
        Some(packet)
    }

    /// [`pop`](Self::pop), if any packet waits.
    pub(super) fn pop_first(&mut self) -> Option<Packet<WORDS>> {
        (self.bytes > 0).then(|| self.pop()).flatten()
    }

    /// The packet that joined last, if it still waits.
    pub(super) fn last(&self) -> Option<&Packet<WORDS>> {
        match &self.by_ingress {
            None => self.packets.back(),
            Some(queues) => queues.last(),
        }
    }

    /// Takes out the packet that joined last, if it still waits.
    pub(super) fn pop_last(&mut self) -> Option<Packet<WORDS>> {
        let packet = match &mut self.by_ingress {
            None => self.packets.pop_back()?,
            Some(queues) => queues.pop_last()?,
        };
        self.bytes -= u64::from(packet.size());
        Some(packet)
    }

    /// All waiting packets: in order of departure, or by ingress port.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet<WORDS>> {
        let by_ingress = self.by_ingress.iter().flat_map(|queues| queues.iter());
        self.packets.as_slice().iter().chain(by_ingress)
    }
}

/// Takes the first packet out of a non-empty queue.
pub(super) fn take<const WORDS: usize>(queue: &mut Fifo<Packet<WORDS>>) -> Packet<WORDS> {
    let packet = *queue.front_mut();
    queue.pop_front();
    packet
}
