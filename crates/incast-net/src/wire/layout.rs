//! The contents of a packet's words in one run.
//!
//! INT takes words from the first on. All other contents have fixed places, counted from the last
//! word, so that an access need not read the layout:
//!
//! ```text
//! place  word of
//!   1    timestamp
//!   2    transmission number
//!   3    path of its INT, or SACK bitmap, or sequence of a speculative packet
//!   4    start of a speculative packet's flow; or credit, in ACKs the bytes that were received
//!   5    time on links
//! ```
//!
//! A packet has at most one of the entries of a place. The number of the bitmap's first packet is
//! stored beside the transmission number. A transport with bitmap, credit, transmission number and
//! timestamp, and without INT, has packets of one line.

use std::ops::BitOr;

/// Words of a packet that fits one cache line.
pub(crate) const ONE_LINE: usize = 5;
/// Words of a packet that takes two cache lines.
pub(crate) const TWO_LINES: usize = 13;
/// Words for INT in the largest packet: a quantised record takes one, an exact one two.
pub const MAX_INT_WORDS: usize = TWO_LINES;

/// Places of the contents, counted from the last word.
pub(super) const TIMESTAMP: usize = 1;
pub(super) const TRANSMISSION: usize = 2;
pub(super) const PATH: usize = 3;
pub(super) const SACK: usize = 3;
pub(super) const SPECULATION: usize = 3;
pub(super) const SPECULATION_START: usize = 4;
pub(super) const RECEIVED: usize = 4;
pub(super) const CREDIT: usize = 4;
pub(super) const TIME_ON_LINKS: usize = 5;

/// The contents of a run's packets, in addition to INT.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PacketParts {
    /// Send times, as timestamps.
    pub(crate) timestamp: bool,
    /// The numbers of transmissions.
    pub(crate) transmission: bool,
    /// A number of the path of the packet's INT.
    pub(crate) path: bool,
    /// In ACKs, the early packets.
    pub(crate) sack: bool,
    /// The fields of speculative packets.
    pub(crate) speculation: bool,
    /// In ACKs, the number of received bytes.
    pub(crate) received: bool,
    /// Requested or granted credit.
    pub(crate) credit: bool,
    /// The time on links of the packet and of the packet that it answers.
    pub(crate) time_on_links: bool,
    /// Records of rates, which fill two lines.
    pub(crate) records: bool,
}

impl BitOr for PacketParts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            timestamp: self.timestamp | other.timestamp,
            transmission: self.transmission | other.transmission,
            path: self.path | other.path,
            sack: self.sack | other.sack,
            speculation: self.speculation | other.speculation,
            received: self.received | other.received,
            credit: self.credit | other.credit,
            time_on_links: self.time_on_links | other.time_on_links,
            records: self.records | other.records,
        }
    }
}

/// The words of a run's packets.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PacketLayout {
    /// Number of last words that do not hold INT.
    taken: usize,
    /// Words of INT on the longest path.
    int: usize,
    /// Whether packets hold records of rates, which fill two lines.
    holds_records: bool,
}

impl PacketLayout {
    pub(crate) fn new(parts: PacketParts, int: usize) -> Self {
        let places = [
            (parts.timestamp, TIMESTAMP),
            (parts.transmission, TRANSMISSION),
            (parts.path, PATH),
            (parts.sack, SACK),
            (parts.speculation, SPECULATION_START),
            (parts.received, RECEIVED),
            (parts.credit, CREDIT),
            (parts.time_on_links, TIME_ON_LINKS),
        ];
        let taken = places.iter().filter(|(is_used, _)| *is_used);
        Self {
            taken: taken.map(|(_, place)| *place).max().unwrap_or(0),
            int,
            holds_records: parts.records,
        }
    }

    /// Words for INT in packets of `words` words.
    pub(crate) fn words_for_int(&self, words: usize) -> usize {
        words - self.taken
    }

    /// Whether the contents fit the largest packet.
    pub(crate) fn fits_two_lines(&self) -> bool {
        self.taken + self.int <= TWO_LINES
    }

    /// Whether the contents fit one cache line.
    pub(crate) fn fits_one_line(&self) -> bool {
        !self.holds_records && self.taken + self.int <= ONE_LINE
    }
}

const _: () = assert!(TIME_ON_LINKS <= ONE_LINE && ONE_LINE < TWO_LINES);

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(parts: PacketParts, int: usize) -> PacketLayout {
        PacketLayout::new(parts, int)
    }

    /// Five hops of quantised INT fill a line; a timestamp leaves room for four, transmission
    /// numbers for three, with or without timestamps.
    #[test]
    fn a_line_holds_five_words() {
        let bare = PacketParts::default();
        let stamped = PacketParts {
            timestamp: true,
            ..bare
        };
        let numbered = PacketParts {
            transmission: true,
            ..bare
        };
        for (parts, int) in [(bare, 5), (stamped, 4), (numbered, 3)] {
            assert!(layout(parts, int).fits_one_line());
            assert!(!layout(parts, int + 1).fits_one_line());
            assert_eq!(layout(parts, int).words_for_int(ONE_LINE), int);
            assert_eq!(layout(parts, int).words_for_int(TWO_LINES), int + 8);
        }
        let both = PacketParts {
            timestamp: true,
            ..numbered
        };
        assert_eq!(layout(both, 0).words_for_int(ONE_LINE), 3);
        let records = PacketParts {
            records: true,
            ..bare
        };
        assert!(!layout(records, 0).fits_one_line());
    }

    /// Bitmap, transmission number, timestamp and received bytes leave one word.
    #[test]
    fn acks_of_a_multipath_transport_fit_a_line() {
        let parts = PacketParts {
            timestamp: true,
            transmission: true,
            sack: true,
            received: true,
            ..PacketParts::default()
        };
        assert!(layout(parts, 0).fits_one_line());
        assert_eq!(layout(parts, 0).words_for_int(ONE_LINE), 1);
    }

    #[test]
    fn speculation_takes_four_words() {
        let parts = PacketParts {
            speculation: true,
            path: true,
            ..PacketParts::default()
        };
        assert_eq!(layout(parts, 0).words_for_int(TWO_LINES), 9);
    }
}
