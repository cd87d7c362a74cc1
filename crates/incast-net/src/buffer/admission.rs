//! What becomes of a packet that would join a queue: stored, trimmed or dropped.

use crate::wire::{Class, Kind, Packet};

/// What becomes of a packet that would join the data queue of an egress port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is charged to the buffer, and leaves or waits.
    Stored,
    /// There is room for its header alone, which goes on as a packet of this kind and size.
    #[allow(
        dead_code,
        reason = "an answer for rules that trim, whether there are any or not"
    )]
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
