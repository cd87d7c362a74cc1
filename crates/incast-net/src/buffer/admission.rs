//! Who is let into a switch's buffer, and what becomes of the others.
//!
//! Under PFC the buffer is accounted to the ports that packets came by ([`PfcBuffer`]); where
//! packets may be dropped, to the queues in which they wait ([`DropBuffer`]).

use incast_units::Time;

use super::{DropBuffer, PfcBuffer, PortRule};

/// What becomes of a packet that would join the data queue of an egress port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is charged to the buffer, and leaves or waits.
    Stored,
    /// There is no room for it.
    Dropped,
}

/// A switch's buffer.
// The tag is one byte, which is compared in one instruction.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Buffer {
    Pfc(PfcBuffer),
    Drop(DropBuffer),
}

impl Buffer {
    /// Decides about a packet that came by `ingress`, for a queue of this many bytes, and accounts
    /// it if it is stored.
    pub(crate) fn admit(&mut self, ingress: usize, queue: u64, size: u64) -> Admission {
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

    /// Whether a packet would be stored, and no peer paused for it. A buffer that is less full
    /// never changes a yes into a no.
    #[inline(always)]
    pub(crate) fn fits_below_threshold(&self, ingress: usize, queue: u64, size: u64) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.fits_below_threshold(ingress, size),
            Self::Drop(buffer) => buffer.has_room(queue, size),
        }
    }

    /// Whether no egress port matters to another one while these bytes come in, in any order, and
    /// none need leave: this many by each of these ports, `all` in total. Then no peer is paused nor
    /// will be; and all bytes are stored, unless ports drop by [their own rule](Self::port_rule).
    #[inline]
    pub(crate) fn are_ports_independent(
        &self,
        all: u64,
        arriving: impl Iterator<Item = (usize, u64)>,
    ) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.all_fit_below_threshold(all, arriving),
            Self::Drop(buffer) => buffer.are_queues_independent(all),
        }
    }

    /// The rule of each egress port, where no port's queue matters to another one.
    #[inline]
    pub(crate) fn port_rule(&self) -> Option<PortRule> {
        match self {
            Self::Pfc(_) => None,
            Self::Drop(buffer) => buffer.port_rule(),
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
