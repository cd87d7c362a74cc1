//! Whom a packet goes to and comes from, by which of several ways, and what happens to it there.

use std::fmt;

use super::packet::MarkReport;

/// Bits of a host's number: 2²⁰ − 1 hosts at most.
const HOST_BITS: u32 = 20;
const HOST: u64 = (1 << HOST_BITS) - 1;
/// No host has this number, and nothing goes to it.
pub(crate) const NOWHERE: u32 = HOST as u32;

/// Where the source is: a swap with the destination turns halves around.
const SOURCE: u32 = 32;
const HOSTS: u64 = HOST | HOST << SOURCE;
/// The entropy: 12 bits above the destination, four above the source.
const LOW_ENTROPY: u32 = HOST_BITS;
const HIGH_ENTROPY: u32 = SOURCE + HOST_BITS;
const LOW_BITS: u32 = SOURCE - HOST_BITS;
const ENTROPY: u64 = ((1 << LOW_BITS) - 1) << LOW_ENTROPY | 0xf << HIGH_ENTROPY;

/// Whether receivers report the mark by the echo alone.
const ECHO_ALONE: u64 = 1 << (HIGH_ENTROPY + 4);
const MARK: u64 = ECHO_ALONE << 1;
const HOPS: u32 = HIGH_ENTROPY + 6;
const HOP: u64 = 1 << HOPS;

/// Switches that a packet can count.
pub const MAX_HOPS: u32 = (1 << (u64::BITS - HOPS)) - 1;

/// ```text
/// bits  0–19  destination       20–31  entropy, low part
///      32–51  source            52–55  entropy, high part
///      56     report of a mark  57     mark                58–63  hops
/// ```
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) struct Address(u64);

impl Address {
    pub(crate) const NONE: Self = Self(0);

    /// Of a packet that has not left yet. Its receiver may answer marks by CNPs.
    pub(crate) fn new(source: u32, destination: u32, entropy: u16) -> Self {
        debug_assert!(source <= NOWHERE && destination <= NOWHERE);
        let hosts = u64::from(source) << SOURCE | u64::from(destination);
        Self(hosts).with_entropy(entropy)
    }

    /// The same, whose marks are reported so.
    pub(crate) fn reporting(self, report: MarkReport) -> Self {
        match report {
            MarkReport::EchoAndCnps => Self(self.0 & !ECHO_ALONE),
            MarkReport::Echo => Self(self.0 | ECHO_ALONE),
        }
    }

    /// The same with another entropy.
    #[inline]
    pub(crate) fn with_entropy(self, entropy: u16) -> Self {
        let entropy = u64::from(entropy);
        let low = entropy % (1 << LOW_BITS) << LOW_ENTROPY;
        let high = entropy >> LOW_BITS << HIGH_ENTROPY;
        Self(self.0 & !ENTROPY | low | high)
    }

    /// The host that it goes to.
    #[inline(always)]
    pub(crate) fn destination(self) -> u32 {
        (self.0 & HOST) as u32
    }

    /// The host that it comes from.
    #[inline]
    pub(crate) fn source(self) -> u32 {
        (self.0 >> SOURCE & HOST) as u32
    }

    #[inline]
    pub(super) fn set_source(&mut self, host: u32) {
        self.0 = self.0 & !(HOST << SOURCE) | u64::from(host) << SOURCE;
    }

    #[inline]
    pub(crate) fn entropy(self) -> u16 {
        let low = self.0 >> LOW_ENTROPY & ((1 << LOW_BITS) - 1);
        let high = self.0 >> HIGH_ENTROPY & 0xf;
        (high << LOW_BITS | low) as u16
    }

    /// Source and destination change places.
    #[inline(always)]
    pub(super) fn turn_around(&mut self) {
        self.0 ^= (self.0 ^ self.0.rotate_left(SOURCE)) & HOSTS;
    }

    /// Whether the receiver may answer a mark by a CNP.
    #[inline]
    pub(super) fn wants_cnps(self) -> bool {
        self.0 & ECHO_ALONE == 0
    }

    #[inline]
    pub(super) fn marked(self) -> bool {
        self.0 & MARK != 0
    }

    #[inline]
    pub(super) fn mark(&mut self) {
        self.0 |= MARK;
    }

    #[inline]
    pub(super) fn hops(self) -> usize {
        (self.0 >> HOPS) as usize
    }

    #[inline]
    pub(super) fn count_hop(&mut self) {
        self.0 += HOP;
    }

    #[inline]
    pub(super) fn uncount_hop(&mut self) {
        self.0 -= HOP;
    }

    #[inline]
    pub(super) fn reset_hops(&mut self) {
        self.0 &= HOP - 1;
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

    /// The largest numbers do not touch each other; the way back has the same entropy, mark, hops.
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

    /// Every bit of an entropy is kept, and of a report.
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
