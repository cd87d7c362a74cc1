//! A switch's shared buffer: who may use how much of it.
//!
//! Under PFC the buffer is accounted to the ports that packets came by ([`PfcBuffer`]); where
//! packets may be dropped, to the queues in which they wait, with dynamic thresholds.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Time};

use super::{BufferConfig, DropConfig, PfcBuffer};
use crate::diagnostics;

/// A switch's buffer.
// The tag is one byte, which is compared in one instruction.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Buffer {
    Pfc(PfcBuffer),
    Drop(DropBuffer),
}

impl Buffer {
    /// Accounts a packet that came by `ingress` for a queue of this many bytes; `false` if there is
    /// no room for it.
    pub(crate) fn admit(&mut self, ingress: usize, queue: u64, size: u64) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.admit(ingress, size),
            Self::Drop(buffer) => buffer.admit(queue, size),
        }
    }

    /// Accounts a packet of the data class that came by `ingress` and leaves.
    #[inline(always)]
    pub(crate) fn release(&mut self, ingress: usize, size: u64) {
        match self {
            Self::Pfc(buffer) => buffer.release(ingress, size),
            Self::Drop(buffer) => buffer.release(size),
        }
    }

    /// Pauses the peer at `ingress` if it has come to its threshold; `true` if so.
    pub(crate) fn update_pause(&mut self, ingress: usize, now: Time) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.update_pause(ingress, now),
            Self::Drop(_) => false,
        }
    }

    /// Lets the peer at `ingress` go on if it was paused and may; `true` if so.
    pub(crate) fn update_resume(&mut self, ingress: usize) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.update_resume(ingress),
            Self::Drop(_) => false,
        }
    }

    /// Whether any peer is paused.
    #[inline]
    pub(crate) fn pauses_peers(&self) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.pauses_peers(),
            Self::Drop(_) => false,
        }
    }

    /// Whether a packet would be admitted, and no peer paused for it. A buffer that is less full
    /// never changes a yes into a no.
    #[inline(always)]
    pub(crate) fn fits_below_threshold(&self, ingress: usize, queue: u64, size: u64) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.fits_below_threshold(ingress, size),
            Self::Drop(buffer) => buffer.has_room(queue, size),
        }
    }

    /// Whether no peer is paused, and all these bytes would be admitted and no peer paused for
    /// them, in any order, if none left: this many by each of these ports, `all` in total.
    #[inline]
    pub(crate) fn all_fit_below_threshold(
        &self,
        all: u64,
        arriving: impl Iterator<Item = (usize, u64)>,
    ) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.all_fit_below_threshold(all, arriving),
            Self::Drop(buffer) => buffer.has_room_for_all(all),
        }
    }

    /// Accounts a packet that [fits below the threshold](Self::fits_below_threshold).
    #[inline(always)]
    pub(crate) fn charge(&mut self, ingress: usize, size: u64) {
        match self {
            Self::Pfc(buffer) => buffer.charge(ingress, size),
            Self::Drop(buffer) => buffer.charge(size),
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
    pub(crate) fn new(buffer: &BufferConfig, config: &DropConfig) -> Self {
        Self {
            size: buffer.size.as_u64(),
            used: 0,
            alpha: config.alpha,
            limit: config.queue_limit.as_u64(),
        }
    }

    /// Checks that it lets packets of up to this many bytes in while it is empty.
    ///
    /// # Errors
    /// What keeps them out.
    pub(crate) fn check(
        buffer: &BufferConfig,
        config: &DropConfig,
        largest: Bytes,
    ) -> Result<(), Diagnostic> {
        if Self::new(buffer, config).has_room(0, largest.as_u64()) {
            return Ok(());
        }
        Err(if largest > buffer.size {
            diagnostics::larger_than_buffer(largest, buffer.size)
        } else if largest > config.queue_limit {
            diagnostics::larger_than_queue(largest, config.queue_limit)
        } else {
            diagnostics::larger_than_share(largest, config.alpha, buffer.size)
        })
    }

    /// Accounts a packet for a queue of `queue` bytes; `false` if it must be dropped.
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

    /// Whether this many bytes, in whatever queues, find room even if none leave.
    fn has_room_for_all(&self, bytes: u64) -> bool {
        let used = self.used + bytes;
        used <= self.size.min(self.limit) && used as f64 <= self.alpha * (self.size - used) as f64
    }

    /// Accounts a packet for which there is room.
    #[inline]
    pub(crate) fn charge(&mut self, size: u64) {
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
