//! A switch's buffer: lossless under PFC, or dropping.
//!
//! Under PFC the buffer is accounted to ingress ports ([`PfcBuffer`]). Where packets may be
//! dropped, it is accounted to the queues in which they wait ([`DropBuffer`]).

use incast_units::Time;

use super::admission::Admission;
use super::{DropBuffer, PfcBuffer, PortRule};
use crate::wire::{Lane, Packet};

/// A switch's buffer.
// With a tag of one byte the kind is compared in one instruction.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(crate) enum Buffer {
    Pfc(PfcBuffer),
    Drop(DropBuffer),
}

impl Buffer {
    /// Decides about a packet from port `ingress` for a queue of this many bytes, and charges the
    /// buffer if the packet is stored.
    pub(crate) fn admit<const WORDS: usize>(
        &mut self,
        ingress: usize,
        queue: u64,
        packet: &Packet<WORDS>,
    ) -> Admission {
        let size = packet.size().into();
        match self {
            Self::Pfc(buffer) => buffer.admit(buffer.account(ingress, packet.lane()), size),
            Self::Drop(buffer) => buffer.admit(queue, size),
        }
    }

    /// Releases the bytes of a packet that leaves.
    #[inline(always)]
    pub(crate) fn release<const WORDS: usize>(&mut self, packet: &Packet<WORDS>) {
        let size = packet.size().into();
        match self {
            Self::Pfc(buffer) => {
                let account = buffer.account(packet.ingress(), packet.lane());
                buffer.release(account, size);
            }
            Self::Drop(buffer) => buffer.release(size),
        }
    }

    /// Pauses a lane of the peer at `ingress` if its account has reached the threshold; `true` if
    /// so.
    pub(crate) fn update_pause(&mut self, ingress: usize, lane: Lane, now: Time) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.update_pause(buffer.account(ingress, lane), now),
            Self::Drop(_) => false,
        }
    }

    /// Resumes a paused lane of the peer at `ingress` if its account allows that; `true` if so.
    pub(crate) fn update_resume(&mut self, ingress: usize, lane: Lane) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.update_resume(buffer.account(ingress, lane)),
            Self::Drop(_) => false,
        }
    }

    /// Whether any lane of any peer is paused.
    #[inline]
    pub(crate) fn pauses_peers(&self) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.pauses_peers(),
            Self::Drop(_) => false,
        }
    }

    /// Whether a packet would be stored without a pause of any peer. If so, this also holds for a
    /// less full buffer.
    #[inline(always)]
    pub(crate) fn fits_below_threshold<const WORDS: usize>(
        &self,
        ingress: usize,
        queue: u64,
        packet: &Packet<WORDS>,
    ) -> bool {
        let size = packet.size().into();
        match self {
            Self::Pfc(buffer) => {
                let account = buffer.account(ingress, packet.lane());
                buffer.fits_below_threshold(account, size)
            }
            Self::Drop(buffer) => buffer.has_room(queue, size),
        }
    }

    /// Whether a packet may join a queue of this many bytes in the place of its last packet. Under
    /// PFC no packet takes the place of another. A port with a buffer of its own may ignore sizes.
    pub(crate) fn has_room_in_place<const WORDS: usize>(
        &self,
        queue: u64,
        last: &Packet<WORDS>,
        packet: &Packet<WORDS>,
        ignores_sizes: bool,
    ) -> bool {
        match self {
            Self::Pfc(_) => false,
            Self::Drop(buffer) if ignores_sizes && buffer.port_rule().is_some() => true,
            Self::Drop(buffer) => {
                buffer.has_room_in_place(queue, last.size().into(), packet.size().into())
            }
        }
    }

    /// Whether no egress port affects another one while `arriving` bytes come in, in any order,
    /// even if none leave. `all`: sum of these bytes. If so, no peer is or gets paused. All bytes
    /// are stored, unless ports drop by [their own rule](Self::port_rule).
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

    /// The admission rule of each egress port, if ports have buffers of their own.
    #[inline]
    pub(crate) fn port_rule(&self) -> Option<PortRule> {
        match self {
            Self::Pfc(_) => None,
            Self::Drop(buffer) => buffer.port_rule(),
        }
    }

    /// Accounts a packet that [fits below the threshold](Self::fits_below_threshold).
    #[inline(always)]
    pub(crate) fn charge<const WORDS: usize>(&mut self, ingress: usize, packet: &Packet<WORDS>) {
        let size = packet.size().into();
        match self {
            Self::Pfc(buffer) => buffer.charge(buffer.account(ingress, packet.lane()), size),
            Self::Drop(buffer) => buffer.charge(size),
        }
    }
}
