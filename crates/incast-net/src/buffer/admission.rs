//! Who is let into a switch's buffer, and what becomes of the others.
//!
//! Under PFC the buffer is accounted to the ports that packets came by ([`PfcBuffer`]); where
//! packets may be dropped, to the queues in which they wait ([`DropBuffer`]).

use incast_units::Time;

use super::{DropBuffer, PfcBuffer, PortRule};
use crate::wire::{Class, Kind, Lane, Packet};

/// What becomes of a packet that would join the data queue of an egress port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is charged to the buffer, and leaves or waits.
    Stored,
    /// There is room for its header alone, which goes on as a packet of this kind and size.
    #[cfg_attr(not(test), expect(dead_code, reason = "no rule of today trims"))]
    Trimmed(Kind, u16),
    /// There is no room for it.
    Dropped,
}

impl Admission {
    /// Makes a packet of the data class what it goes on as; returns the class of that, or none if
    /// it does not go on.
    #[inline(always)]
    pub(crate) fn class_of<const WORDS: usize>(self, packet: &mut Packet<WORDS>) -> Option<Class> {
        match self {
            Self::Stored => Some(Class::Data),
            Self::Trimmed(kind, size) => {
                packet.trim(kind, size);
                Some(packet.class())
            }
            Self::Dropped => None,
        }
    }
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

    /// Accounts a packet that leaves.
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

    /// Pauses a lane of the peer at `ingress` if it has come to its threshold; `true` if so.
    pub(crate) fn update_pause(&mut self, ingress: usize, lane: Lane, now: Time) -> bool {
        match self {
            Self::Pfc(buffer) => buffer.update_pause(buffer.account(ingress, lane), now),
            Self::Drop(_) => false,
        }
    }

    /// Lets a lane of the peer at `ingress` go on if it was paused and may; `true` if so.
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

    /// Whether a packet would be stored, and no peer paused for it. A buffer that is less full
    /// never changes a yes into a no.
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
    pub(crate) fn charge<const WORDS: usize>(&mut self, ingress: usize, packet: &Packet<WORDS>) {
        let size = packet.size().into();
        match self {
            Self::Pfc(buffer) => buffer.charge(buffer.account(ingress, packet.lane()), size),
            Self::Drop(buffer) => buffer.charge(size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Address, ONE_LINE};

    /// What is stored stays as it is; what is trimmed keeps flow, number, mark and hops.
    #[test]
    fn a_trimmed_packet_is_a_header_of_another_class() {
        let address = Address::new(1, 2, 3);
        let packet = Packet::<ONE_LINE>::new(Kind::LastData, 1_048);
        let mut packet = packet.of_flow(3, 17, address);
        packet.mark();
        packet.count_hop();
        assert_eq!(Admission::Dropped.class_of(&mut packet), None);
        assert_eq!(Admission::Stored.class_of(&mut packet), Some(Class::Data));
        assert_eq!((packet.kind(), packet.size()), (Kind::LastData, 1_048));
        let trimmed = Admission::Trimmed(Kind::Nack, 64);
        assert_eq!(trimmed.class_of(&mut packet), Some(Class::Control));
        assert_eq!((packet.kind(), packet.size()), (Kind::Nack, 64));
        assert_eq!((packet.flow(), packet.psn()), (3, 17));
        assert!(packet.marked() && packet.hops() == 1);
    }
}
