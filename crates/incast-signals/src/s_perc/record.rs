//! The record that a control packet carries, from link to link and back.
//!
//! ```text
//! word 0   s and i of nine links, flags                       | host demand (32 bits)
//! word 1   n of the trip before | n | n for speculation | let_through, in packets (16 bits each)
//! word 2   time of sending, by the sender's clock; of the first packet it is the flow's SSTS
//! word 3   least gap to the next control packet's rate (32)   | –
//! word 4 … b and x of the links, the sender's own first, 32 bits each
//! ```
//!
//! A link computes its booking of a flow from the record alone: x·w if the flow is limited
//! elsewhere (E), w if it is limited at this link (B), with w = 2²⁰/n. All values are whole
//! numbers. The record keeps n of the previous pass, and so its w. So a link subtracts exactly the
//! amount that it added in the previous pass.

use incast_units::Time;

use super::CompactRate;

/// Weight of a flow that is its host's only connection.
pub const UNIT_WEIGHT: u64 = 1 << 20;

/// w = 1/n in units of 2⁻²⁰, rounded; n is `connections`.
pub fn weight(connections: u16) -> u64 {
    let n = u64::from(connections.max(1));
    (UNIT_WEIGHT + n / 2) / n
}

/// Where a flow is limited, by the last calculation of a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RateClass {
    /// E: elsewhere.
    Elsewhere,
    /// B: here.
    Here,
}

/// A link's result for a flow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// b, the limit rate, in kb/s per unit weight.
    pub limit: CompactRate,
    /// x, likewise.
    pub rate: CompactRate,
    /// s.
    pub class: RateClass,
    /// i: other links ignore b.
    pub ignored: bool,
}

/// A control packet's record.
#[derive(Debug)]
pub struct ControlRecord<'a> {
    words: &'a mut [u64],
}

const FIRST: u64 = 1 << 24;
const LEAVES: u64 = 1 << 25;
const IGNORED: u32 = 12;
const HEAD: usize = 4;

impl<'a> ControlRecord<'a> {
    /// Links of the longest path, the sender's own link included.
    pub const LINKS: usize = 9;
    /// Words of a record.
    pub const WORDS: usize = HEAD + Self::LINKS;

    /// The record in `words`.
    ///
    /// # Panics
    /// Other methods panic if there are fewer than [`WORDS`](Self::WORDS) words.
    pub fn new(words: &'a mut [u64]) -> Self {
        Self { words }
    }

    /// Initialises the record for a new flow: at every link class E, x = 0, b unlimited and
    /// ignored.
    pub fn begin(&mut self) {
        self.words.fill(0);
        self.words[0] = FIRST;
        self.set_demand(CompactRate::UNLIMITED);
        self.words[1] = u64::from(u16::MAX) << 48;
        let new = Allocation {
            limit: CompactRate::UNLIMITED,
            rate: CompactRate::ZERO,
            class: RateClass::Elsewhere,
            ignored: true,
        };
        (0..Self::LINKS).for_each(|link| self.set_allocation(link, new));
    }

    /// Whether the record is on the first trip of its flow.
    pub fn is_first(&self) -> bool {
        self.words[0] & FIRST != 0
    }

    /// Begins the next trip. `connections`: open connections of the sender.
    pub fn begin_trip(&mut self, connections: u16, demand: CompactRate, at: Time) {
        let before = match self.is_out_for_the_first_time() {
            true => connections,
            false => self.connections(),
        };
        self.words[1] =
            self.words[1] & !0xffff_ffff | u64::from(connections) << 16 | u64::from(before);
        self.set_demand(demand);
        self.words[2] = at.as_ps();
        self.words[3] = u64::from(CompactRate::UNLIMITED.bits());
    }

    fn is_out_for_the_first_time(&self) -> bool {
        self.connections() == 0
    }

    /// Ends a trip: the next trip is not the first.
    pub fn end_trip(&mut self) {
        self.words[0] &= !FIRST;
        self.words[1] |= 0xffff << 48;
    }

    /// Marks the end of the flow: links forget it.
    pub fn leave(&mut self) {
        self.words[0] |= LEAVES;
    }

    /// Whether the flow ends.
    pub fn leaves(&self) -> bool {
        self.words[0] & LEAVES != 0
    }

    /// n of the previous trip.
    pub fn connections_before(&self) -> u16 {
        self.words[1] as u16
    }

    /// n.
    pub fn connections(&self) -> u16 {
        (self.words[1] >> 16) as u16
    }

    /// n that divides the windows of speculative packets.
    pub fn speculative_connections(&self) -> u16 {
        ((self.words[1] >> 32) as u16).max(1)
    }

    /// Sets it.
    pub fn set_speculative_connections(&mut self, connections: u16) {
        self.words[1] = self.words[1] & !(0xffff << 32) | u64::from(connections) << 32;
    }

    /// Number of speculative packets that all links so far let through.
    pub fn let_through(&self) -> u16 {
        (self.words[1] >> 48) as u16
    }

    /// Lowers the number of speculative packets that are let through to at most `packets`.
    pub fn limit_let_through(&mut self, packets: u16) {
        let least = self.let_through().min(packets);
        self.words[1] = self.words[1] & !(0xffff << 48) | u64::from(least) << 48;
    }

    /// Time of sending, by the sender's clock.
    pub fn sent_at(&self) -> Time {
        Time::from_ps(self.words[2])
    }

    /// The flow's largest usable rate, in kb/s per unit weight.
    pub fn demand(&self) -> CompactRate {
        CompactRate::from_bits((self.words[0] >> 32) as u32)
    }

    fn set_demand(&mut self, demand: CompactRate) {
        self.words[0] = self.words[0] & 0xffff_ffff | u64::from(demand.bits()) << 32;
    }

    /// The granted sending rate of the flow's control packets, in kb/s.
    pub fn control_rate(&self) -> CompactRate {
        CompactRate::from_bits(self.words[3] as u32)
    }

    /// Lowers the granted rate of control packets to at most `kbps`, in kb/s.
    pub fn limit_control_rate(&mut self, kbps: u64) {
        let least = self.control_rate().kbps().min(kbps.max(1));
        self.words[3] = u64::from(CompactRate::at_most(least).bits());
    }

    /// The result of `link` for the flow.
    pub fn allocation(&self, link: usize) -> Allocation {
        let word = self.words[HEAD + link];
        let (flags, bit) = (self.words[0], 1 << link);
        Allocation {
            limit: CompactRate::from_bits(word as u32),
            rate: CompactRate::from_bits((word >> 32) as u32),
            class: match flags & bit {
                0 => RateClass::Here,
                _ => RateClass::Elsewhere,
            },
            ignored: flags >> IGNORED & bit != 0,
        }
    }

    /// Writes the result of `link` for the flow.
    pub fn set_allocation(&mut self, link: usize, found: Allocation) {
        let (rate, limit) = (found.rate.bits(), found.limit.bits());
        self.words[HEAD + link] = u64::from(rate) << 32 | u64::from(limit);
        let bit = 1_u64 << link;
        let class = u64::from(found.class == RateClass::Elsewhere) << link;
        let ignored = u64::from(found.ignored) << (link as u32 + IGNORED);
        self.words[0] = self.words[0] & !(bit | bit << IGNORED) | class | ignored;
    }

    /// e of a link, in kb/s per unit weight: the smallest b that another link does not ignore, at
    /// most the host's demand. Links without a result are ignored.
    pub fn limit_elsewhere(&self, link: usize) -> u64 {
        let ignored = (self.words[0] >> IGNORED | 1 << link) as usize;
        let limits = (0..Self::LINKS).filter(|other| ignored >> other & 1 == 0);
        let limits = limits.map(|other| {
            let word = self.words[HEAD + other];
            CompactRate::from_bits(word as u32).kbps()
        });
        limits.fold(self.demand().kbps(), u64::min)
    }

    /// The smallest x of all links that have a result, in kb/s per unit weight.
    pub fn least_rate(&self) -> u64 {
        let links = (0..Self::LINKS).map(|link| self.allocation(link));
        let found = links.filter(|found| found.limit != CompactRate::UNLIMITED);
        let rates = found.map(|found| found.rate.kbps());
        rates.min().unwrap_or(0)
    }

    /// For switch programs other than s-PERC: the smallest rate that a port of the path allows, in
    /// kb/s, and this port. Stored in place of the links' results.
    pub fn asked(&self) -> Option<(u64, u32)> {
        let port = u32::try_from(self.words[HEAD + 1]).ok()?.checked_sub(1)?;
        Some((self.words[HEAD], port))
    }

    /// Lowers the allowed rate to at most `kbps`, in kb/s, on behalf of `port`.
    pub fn limit_asked(&mut self, kbps: u64, port: u32) {
        if self.asked().is_none_or(|(least, _)| kbps < least) {
            self.words[HEAD] = kbps;
            self.words[HEAD + 1] = u64::from(port) + 1;
        }
    }

    /// Initialises the record for a flow whose links compute no s-PERC rates.
    pub fn begin_without_links(&mut self) {
        self.begin();
        self.words[HEAD..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> [u64; ControlRecord::WORDS] {
        [u64::MAX; ControlRecord::WORDS]
    }

    /// n = 1: 2²⁰; n = 3: 349 525.3; n = 7: 149 796.57, rounded up. n = 0 counts as 1.
    #[test]
    fn weights_are_shares_of_a_million() {
        assert_eq!(
            [1, 3, 7, 0].map(weight),
            [1 << 20, 349_525, 149_797, 1 << 20]
        );
    }

    #[test]
    fn a_new_flow_is_limited_by_nothing() {
        let mut words = words();
        let mut record = ControlRecord::new(&mut words);
        record.begin();
        assert!(record.is_first() && !record.leaves());
        assert_eq!(record.let_through(), u16::MAX);
        for link in 0..ControlRecord::LINKS {
            assert_eq!(record.limit_elsewhere(link), u64::MAX);
            let new = record.allocation(link);
            let found = (new.class, new.rate, new.ignored);
            assert_eq!(found, (RateClass::Elsewhere, CompactRate::ZERO, true));
        }
    }

    #[test]
    fn the_parts_of_a_record_do_not_touch_each_other() {
        let mut words = words();
        let mut record = ControlRecord::new(&mut words);
        record.begin();
        record.begin_trip(3, CompactRate::at_most(5_000), Time::from_ns(7));
        record.set_speculative_connections(2);
        let found = |kbps, class, ignored| Allocation {
            limit: CompactRate::at_most(kbps),
            rate: CompactRate::at_most(kbps - 1),
            class,
            ignored,
        };
        let (first, last) = (
            found(1_000, RateClass::Here, false),
            found(900, RateClass::Elsewhere, false),
        );
        record.set_allocation(0, first);
        record.set_allocation(8, last);
        record.limit_let_through(9);
        record.limit_let_through(11);
        record.limit_control_rate(70);
        record.limit_control_rate(80);
        assert_eq!((record.allocation(0), record.allocation(8)), (first, last));
        // A link's own b does not limit its e; the demand limits e at all links.
        let elsewhere = [0, 1, 8].map(|link| record.limit_elsewhere(link));
        assert_eq!(elsewhere, [900, 900, 1_000]);
        assert_eq!(record.demand().kbps(), 5_000);
        assert_eq!(
            (record.let_through(), record.control_rate().kbps()),
            (9, 70)
        );
        let n = (
            record.connections_before(),
            record.connections(),
            record.speculative_connections(),
        );
        assert_eq!(n, (3, 3, 2));
        assert_eq!(
            (record.least_rate(), record.sent_at()),
            (899, Time::from_ns(7))
        );
        record.end_trip();
        record.begin_trip(5, CompactRate::UNLIMITED, Time::ZERO);
        assert_eq!((record.connections_before(), record.connections()), (3, 5));
        assert_eq!((record.let_through(), record.is_first()), (u16::MAX, false));
        record.leave();
        assert!(record.leaves());
        assert_eq!(record.allocation(8), last);
    }

    #[test]
    fn the_least_rate_that_ports_ask_for_is_kept() {
        let mut words = words();
        let mut record = ControlRecord::new(&mut words);
        record.begin_without_links();
        assert_eq!(record.asked(), None);
        record.limit_asked(800, 3);
        record.limit_asked(500, 0);
        record.limit_asked(600, 7);
        assert_eq!(record.asked(), Some((500, 0)));
    }
}
