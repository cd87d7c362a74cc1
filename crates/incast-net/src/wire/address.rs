//! The address of a packet: destination, source and entropy, and state of the packet on its way.

use std::fmt;

use incast_topology::NODES_MAX;

/// Bits of a host's number, which limit the number of nodes.
const HOST_BITS: u32 = 20;
const _: () = assert!(NODES_MAX == 1 << HOST_BITS);
const HOST: u32 = (1 << HOST_BITS) - 1;
/// Destination of PFC frames. No host has this number, since at least one node is a switch.
pub(crate) const NOWHERE: u32 = HOST;

// Both halves have a host's number. The destination's half also has 12 bits of the entropy, the
// source's half four.
const LOW_ENTROPY_BITS: u32 = u32::BITS - HOST_BITS;
const HIGH_ENTROPY: u32 = 0xf << HOST_BITS;
// Further parts of the source's half.
/// Set if receivers report a mark by the echo alone.
const ECHO_ALONE: u32 = 1 << (HOST_BITS + 4);
const MARK: u32 = ECHO_ALONE << 1;
const HOPS: u32 = HOST_BITS + 6;
const HOP: u32 = 1 << HOPS;

/// Largest number of switches that a packet can count.
pub const MAX_HOPS: u32 = (1 << (u32::BITS - HOPS)) - 1;

/// How the receiver of a data packet reports its mark.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarkReport {
    /// By the echo in the ACK, and by a CNP where receivers send CNPs.
    EchoAndCnps,
    /// By the echo alone.
    Echo,
}

/// ```text
/// to    bits  0–19  destination    20–31  entropy, low part
/// from  bits  0–19  source         20–23  entropy, high part
///            24  report of a mark     25  mark                 26–31  hops
/// ```
#[derive(Copy, Clone, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Address {
    to: u32,
    from: u32,
}

impl Address {
    pub(crate) const NONE: Self = Self { to: 0, from: 0 };

    /// The address of a packet that has not left yet; its receiver may answer marks by CNPs.
    pub(crate) fn new(source: u32, destination: u32, entropy: u16) -> Self {
        debug_assert!(source <= NOWHERE && destination <= NOWHERE);
        let (to, from) = (destination, source);
        Self { to, from }.with_entropy(entropy)
    }

    /// The address, with another way to report marks.
    pub(crate) fn reporting(self, report: MarkReport) -> Self {
        let from = match report {
            MarkReport::EchoAndCnps => self.from & !ECHO_ALONE,
            MarkReport::Echo => self.from | ECHO_ALONE,
        };
        Self { from, ..self }
    }

    /// The address, with another entropy.
    #[inline]
    pub(crate) fn with_entropy(self, entropy: u16) -> Self {
        let entropy = u32::from(entropy);
        Self {
            to: self.to & HOST | entropy << HOST_BITS,
            from: self.from & !HIGH_ENTROPY | entropy >> LOW_ENTROPY_BITS << HOST_BITS,
        }
    }

    /// The host that the packet goes to.
    #[inline(always)]
    pub(crate) fn destination(self) -> u32 {
        self.to & HOST
    }

    /// The host that the packet comes from.
    #[inline]
    pub(crate) fn source(self) -> u32 {
        self.from & HOST
    }

    #[inline]
    pub(super) fn set_source(&mut self, host: u32) {
        self.from = self.from & !HOST | host;
    }

    #[inline]
    pub(crate) fn entropy(self) -> u16 {
        let high = (self.from & HIGH_ENTROPY) >> HOST_BITS;
        (high << LOW_ENTROPY_BITS | self.to >> HOST_BITS) as u16
    }

    /// Swaps source and destination.
    #[inline(always)]
    pub(super) fn turn_around(&mut self) {
        let change = (self.to ^ self.from) & HOST;
        self.to ^= change;
        self.from ^= change;
    }

    /// Whether the receiver may answer a mark by a CNP.
    #[inline]
    pub(super) fn wants_cnps(self) -> bool {
        self.from & ECHO_ALONE == 0
    }

    #[inline]
    pub(super) fn marked(self) -> bool {
        self.from & MARK != 0
    }

    #[inline]
    pub(super) fn mark(&mut self) {
        self.from |= MARK;
    }

    #[inline]
    pub(super) fn hops(self) -> usize {
        (self.from >> HOPS) as usize
    }

    #[inline]
    pub(super) fn count_hop(&mut self) {
        self.from += HOP;
    }

    #[inline]
    pub(super) fn uncount_hop(&mut self) {
        self.from -= HOP;
    }

    #[inline]
    pub(super) fn reset_hops(&mut self) {
        self.from &= HOP - 1;
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, destination, entropy) = (self.source(), self.destination(), self.entropy());
        let mark = if self.marked() { ", marked" } else { "" };
        let hops = self.hops();
        write!(
            f,
            "{source} → {destination} by {entropy}, {hops} hops{mark}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest values do not overlap. The reversed address has the same entropy, mark and hops.
    #[test]
    fn parts_are_kept_apart() {
        let mut address = Address::new(0xf_fffe, 0x8_0001, 0xabcd);
        address.mark();
        (0..MAX_HOPS).for_each(|_| address.count_hop());
        let parts = |address: Address| (address.source(), address.destination());
        assert_eq!(parts(address), (0xf_fffe, 0x8_0001));
        address.turn_around();
        assert_eq!(parts(address), (0x8_0001, 0xf_fffe));
        assert_eq!((address.entropy(), address.marked()), (0xabcd, true));
        assert_eq!(
            (address.hops(), address.wants_cnps()),
            (MAX_HOPS as usize, true)
        );
        address.uncount_hop();
        address.set_source(3);
        let other = address.with_entropy(0x1fff);
        assert_eq!(parts(other), (3, 0xf_fffe));
        assert_eq!(
            (other.entropy(), other.hops()),
            (0x1fff, MAX_HOPS as usize - 1)
        );
        address.reset_hops();
        assert_eq!((address.hops(), address.marked()), (0, true));
    }

    /// Every bit of an entropy and of a report is kept.
    #[test]
    fn entropies_and_reports_are_kept() {
        for entropy in (0..16).map(|bit| 1 << bit).chain([0, u16::MAX]) {
            let address = Address::new(NOWHERE, NOWHERE, 0).with_entropy(entropy);
            assert_eq!((address.entropy(), address.hops()), (entropy, 0));
            assert!(address.wants_cnps() && !address.reporting(MarkReport::Echo).wants_cnps());
            assert_eq!(address.source(), NOWHERE);
        }
    }
}
