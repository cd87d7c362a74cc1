//! A switch's shared buffer: who may use how much of it.
//!
//! Under PFC the buffer is accounted to the ports that packets came by ([`PfcBuffer`]); where
//! packets may be dropped, to the queues in which they wait, with dynamic thresholds.

use incast_units::{Bytes, NodeId};

use crate::Fault;
use crate::pfc::PfcBuffer;

/// The switches' packet buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferConfig {
    /// All of it, shared by the ports of one switch.
    pub size: Bytes,
    /// Kept for every ingress port, outside the shared part.
    pub reserve: Bytes,
}

/// Admission to the shared buffer when packets may be dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct DropConfig {
    /// An egress queue may hold this fraction of the free buffer (dynamic threshold α).
    pub alpha: f64,
    /// And never more than this.
    pub queue_limit: Bytes,
}

/// A switch's buffer.
// The tag is one byte, which is compared in one instruction.
#[derive(Debug)]
#[repr(u8)]
pub(crate) enum Buffer {
    Pfc(PfcBuffer),
    Drop(DropBuffer),
}

impl Buffer {
    /// Whether a packet may come in without a second thought: there is room, and nobody will
    /// have to pause. `waiting` bytes are in its queue.
    #[inline(always)]
    pub(crate) fn has_easy_room(&self, ingress: usize, waiting: u64, size: u64) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.has_easy_room(ingress, size),
            Self::Drop(buffer) => buffer.has_room(waiting, size),
        }
    }

    /// Whether every packet of those that arrive may come in without a second thought, in whatever
    /// order and even if none leaves: so many bytes by each of these ports, and `all` told.
    #[inline]
    pub(crate) fn has_easy_room_for_all(
        &self,
        all: u64,
        arriving: impl Iterator<Item = (usize, u64)>,
    ) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.has_easy_room_for_all(all, arriving),
            Self::Drop(buffer) => buffer.has_room_for_all(all),
        }
    }

    /// Takes in a packet for which there is easy room.
    #[inline(always)]
    pub(crate) fn take(&mut self, ingress: usize, size: u64) {
        match self {
            Self::Pfc(buffer) => buffer.take(ingress, size),
            Self::Drop(buffer) => buffer.take(size),
        }
    }

    /// A packet of the data class leaves; whether its ingress port may go on therefore.
    #[inline(always)]
    pub(crate) fn release(&mut self, ingress: usize, size: u64) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.release(ingress, size),
            Self::Drop(buffer) => {
                buffer.release(size);
                false
            }
        }
    }

    /// Whether any peer has been told to pause.
    #[inline]
    pub(crate) fn pauses_peers(&self) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.pauses_peers(),
            Self::Drop(_) => false,
        }
    }
}

/// Egress accounting of a switch that drops.
#[derive(Clone, Debug)]
pub(crate) struct DropBuffer {
    size: u64,
    used: u64,
    alpha: f64,
    limit: u64,
}

impl DropBuffer {
    /// For packets of up to `largest` bytes.
    ///
    /// # Errors
    /// If such a packet would never be let in.
    pub(crate) fn new(
        node: NodeId,
        buffer: &BufferConfig,
        config: &DropConfig,
        largest: Bytes,
    ) -> Result<Self, Fault> {
        let empty = Self {
            size: buffer.size.as_u64(),
            used: 0,
            alpha: config.alpha,
            limit: config.queue_limit.as_u64(),
        };
        match empty.has_room(0, largest.as_u64()) {
            true => Ok(empty),
            false => Err(Fault::NothingFits {
                node,
                packet: largest,
                buffer: buffer.size,
            }),
        }
    }

    /// Takes in a packet for a queue that holds `queue` bytes; `false` if it must be dropped.
    #[inline]
    pub(crate) fn admit(&mut self, queue: u64, size: u64) -> bool {
        let admitted = self.has_room(queue, size);
        self.used += if admitted { size } else { 0 };
        admitted
    }

    /// Whether a packet may join a queue that holds `queue` bytes.
    #[inline]
    pub(crate) fn has_room(&self, queue: u64, size: u64) -> bool {
        let free = self.size - self.used;
        let wanted = queue + size;
        size <= free && wanted <= self.limit && wanted as f64 <= self.alpha * free as f64
    }

    /// Whether so many bytes, in whatever queues, find room even if none leave.
    fn has_room_for_all(&self, bytes: u64) -> bool {
        let used = self.used + bytes;
        used <= self.size.min(self.limit) && used as f64 <= self.alpha * (self.size - used) as f64
    }

    /// Takes in a packet for which there is room.
    #[inline]
    pub(crate) fn take(&mut self, size: u64) {
        self.used += size;
    }

    #[inline]
    pub(crate) fn release(&mut self, size: u64) {
        self.used -= size;
    }

    pub(crate) fn used(&self) -> u64 {
        self.used
    }
}

#[cfg(test)]
mod tests;
