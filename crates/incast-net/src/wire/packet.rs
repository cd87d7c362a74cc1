//! A packet: copied by value, one cache line, INT included.
//!
//! ```text
//! bytes  0–7   bytes on the wire (16 bits), time of arrival (48: in ps, modulo 2⁴⁸)
//!        8–15  flow (28), kind (4), packet sequence number (29), lane (3)
//!       16–23  destination (20), source (20), entropy (16), report of its mark (1), mark (1),
//!              hops (6)
//!       24–63  five words: INT records, and others by the layout of the run
//! ```
//!
//! A run takes thirteen words and a second line for rate requests and packet traces, and where the
//! contents of its packets do not fit five words ([`PacketLayout`](super::PacketLayout)). While a
//! packet waits in a switch, its ingress port is stored in place of its time of arrival. A CNP of a
//! switch has a rate and a port in its first words. A rate request or reply (the papers' control
//! packet) has a [`ControlRecord`] in all of its thirteen words. An ACK that collects INT itself
//! has the number of its receiver's flows in place of its source. A trimmed packet needs no field
//! for its payload, which follows from its number and the MTU. The place where the packet was
//! trimmed is stored next to its transmission number, also in its NACK.

use incast_engine::{Message, TIME_BITS};
use incast_signals::s_perc::ControlRecord;
use incast_units::{Rate, Time};

use super::address::Address;
use super::kind::{Class, KIND_BITS, Kind};
use super::lane::{LANE_BITS, Lane};
use super::layout::{
    CREDIT, PATH, RECEIVED, SACK, SPECULATION, SPECULATION_START, TIME_ON_LINKS, TIMESTAMP,
    TRANSMISSION,
};

/// The fields of a speculative data packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Speculation {
    /// SSTS: the start of the packet's flow, by the sender's clock.
    pub(crate) started: Time,
    /// The packet's number in the sequence, which several flows may share.
    pub(crate) sequence: u32,
    /// n, the divisor of the window.
    pub(crate) connections: u16,
}

/// Where a packet lost its payload.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TrimmedAt {
    /// The packet was trimmed before the last hop.
    AnyHop,
    /// The packet was trimmed at the port that leads to its receiver.
    LastHop,
}

/// Bit that marks the word of a speculative packet.
const SPECULATIVE: u64 = 1 << 63;

/// Bits of a transmission number. The bits above hold the start of an ACK's bitmap; 0: no bitmap.
/// In trimmed packets and their NACKs, which have no bitmap: whether the last hop trimmed it.
const TRANSMISSION_BITS: u32 = 48;
const TRANSMISSION_MASK: u64 = (1 << TRANSMISSION_BITS) - 1;
/// Number of bits of an ACK's bitmap. The bitmap starts less than this number before the expected
/// packet; otherwise it would be empty.
const SACK_BITS: u32 = u64::BITS;
/// A bitmap starts less than this number of packets after the expected packet.
const MAX_SACK_DISTANCE: u32 = (1 << (64 - TRANSMISSION_BITS)) - SACK_BITS;

// The parts of the first word: bytes on the wire, then the time of arrival.
const SIZE_BITS: u32 = 16;
const SIZE_MASK: u64 = (1 << SIZE_BITS) - 1;
const _: () = assert!(SIZE_BITS + TIME_BITS == u64::BITS);

// Above a flow's number is the packet's kind, above a packet's number is its lane.
const FLOW_BITS: u32 = u32::BITS - KIND_BITS;
const PSN_BITS: u32 = u32::BITS - LANE_BITS;
const FLOW_MASK: u32 = (1 << FLOW_BITS) - 1;
const PSN_MASK: u32 = (1 << PSN_BITS) - 1;

/// Largest number of flows.
pub(crate) const MAX_FLOWS: u32 = 1 << FLOW_BITS;
/// Largest number of packets of a flow; the number itself means that all are acknowledged.
pub(crate) const MAX_PACKETS: u32 = (1 << PSN_BITS) - 1;
/// Longest time on one link: 70 s, a quarter of the range of arrival times.
pub(crate) const LONGEST_HOP: Time = Time::from_ps(1 << (TIME_BITS - 2));

#[derive(Copy, Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Packet<const WORDS: usize> {
    stamp: u64,
    kind_and_flow: u32,
    lane_and_psn: u32,
    pub(crate) address: Address,
    pub(crate) words: [u64; WORDS],
}

impl<const WORDS: usize> Packet<WORDS> {
    pub(crate) fn new(kind: Kind, size: u16) -> Self {
        Self {
            stamp: size.into(),
            kind_and_flow: (kind as u32) << FLOW_BITS,
            lane_and_psn: 0,
            address: Address::NONE,
            words: [0; WORDS],
        }
    }

    /// Makes this a packet of a flow. `psn`: its number, or that of the packet it reports on.
    pub(crate) fn of_flow(self, flow: u32, psn: u32, address: Address) -> Self {
        debug_assert!(flow < MAX_FLOWS && psn <= MAX_PACKETS);
        Self {
            kind_and_flow: self.kind_and_flow & !FLOW_MASK | flow,
            lane_and_psn: psn,
            address,
            ..self
        }
    }

    /// Puts the packet into this lane: data travel in a lane, PFC frames concern one.
    #[inline]
    pub(crate) fn in_lane(self, lane: Lane) -> Self {
        let lane_and_psn = lane.number() << PSN_BITS | self.psn();
        Self {
            lane_and_psn,
            ..self
        }
    }

    /// Makes this a data packet of this kind that has not left yet.
    #[inline(always)]
    pub(crate) fn renew_data(
        &mut self,
        kind: Kind,
        flow: u32,
        (lane, psn): (Lane, u32),
        address: Address,
        size: u16,
    ) {
        self.stamp = size.into();
        self.kind_and_flow = (kind as u32) << FLOW_BITS | flow;
        self.lane_and_psn = lane.number() << PSN_BITS | psn;
        self.address = address;
    }

    /// Its flow.
    #[inline(always)]
    pub(crate) fn flow(&self) -> u32 {
        self.kind_and_flow & FLOW_MASK
    }

    /// Kind and flow, as one number.
    #[inline(always)]
    pub(crate) fn kind_and_flow(&self) -> u32 {
        self.kind_and_flow
    }

    /// The packet's number within its flow. For an ACK or NACK, the number of the packet expected
    /// next.
    #[inline(always)]
    pub(crate) fn psn(&self) -> u32 {
        self.lane_and_psn & PSN_MASK
    }

    #[inline(always)]
    pub(crate) fn set_psn(&mut self, psn: u32) {
        self.lane_and_psn = self.lane_and_psn & !PSN_MASK | psn;
    }

    /// The lane of a packet of the data class, or the lane that a PFC frame concerns.
    #[inline(always)]
    pub(crate) fn lane(&self) -> Lane {
        self.lane_among::<{ Lane::COUNT }>()
    }

    #[inline(always)]
    fn lane_among<const LANES: usize>(&self) -> Lane {
        Lane::numbered::<LANES>(self.lane_and_psn >> PSN_BITS)
    }

    /// Drops the payload of a data packet (selective repeat). The header goes on, with this size.
    pub(crate) fn trim(&mut self, size: u16, at: TrimmedAt) {
        self.set_kind_and_size(Kind::Trimmed, size);
        let place = u64::from(at == TrimmedAt::LastHop) << TRANSMISSION_BITS;
        self.words[WORDS - TRANSMISSION] = place | self.transmission_number();
    }

    /// Clears the place of trimming in a packet that is acknowledged.
    pub(crate) fn forget_trimming(&mut self) {
        self.set_transmission_number(self.transmission_number());
    }

    /// The place where a packet was trimmed, in its header or NACK.
    pub(crate) fn trimmed_at(&self) -> TrimmedAt {
        match self.words[WORDS - TRANSMISSION] >> TRANSMISSION_BITS {
            0 => TrimmedAt::AnyHop,
            _ => TrimmedAt::LastHop,
        }
    }

    /// Whether the receiver of this data packet may answer a mark by a CNP.
    #[inline]
    pub(crate) fn wants_cnps(&self) -> bool {
        self.address.wants_cnps()
    }

    #[inline(always)]
    pub(crate) fn kind(&self) -> Kind {
        Kind::numbered(self.kind_and_flow >> FLOW_BITS)
    }

    /// Whether this is payload of a flow, or a probe in between.
    #[inline(always)]
    pub(crate) fn is_data(&self) -> bool {
        self.is_one_of(Kind::DATA)
    }

    /// Whether the packet has payload: data, except probes.
    #[inline(always)]
    pub(crate) fn has_payload(&self) -> bool {
        self.is_one_of(Kind::PAYLOAD)
    }

    /// ACK or NACK.
    #[inline(always)]
    pub(crate) fn is_ack(&self) -> bool {
        self.is_one_of(Kind::RECEIPTS)
    }

    /// Whether the packet travels from the sender of its flow to the receiver.
    #[inline(always)]
    pub(crate) fn goes_with_data(&self) -> bool {
        self.is_one_of(Kind::FORWARD)
    }

    /// PFC frame.
    #[inline(always)]
    pub(crate) fn is_pfc(&self) -> bool {
        self.is_one_of(Kind::PFC)
    }

    /// The class in which the packet is queued and counted.
    #[inline(always)]
    pub(crate) fn class(&self) -> Class {
        if self.is_data() {
            Class::Data
        } else if self.is_pfc() {
            Class::Pfc
        } else {
            Class::Control
        }
    }

    /// Whether the packet is of this kind.
    #[inline(always)]
    pub(crate) fn is(&self, kind: Kind) -> bool {
        self.kind_and_flow >> FLOW_BITS == kind as u32
    }

    /// Whether the packet's kind is in this set, a bit for each number.
    ///
    /// One comparison is enough if the numbers are the first ones, or an aligned block of half, a
    /// quarter, … of all numbers. `kinds` is constant, so the compiler keeps only this comparison.
    #[inline(always)]
    fn is_one_of(&self, kinds: u16) -> bool {
        let (first, count) = (kinds.trailing_zeros(), kinds.count_ones());
        let is_run = u32::from(kinds) >> first == (1 << count) - 1;
        if is_run && first == 0 {
            u64::from(self.kind_and_flow) < u64::from(count) << FLOW_BITS
        } else if is_run && count.is_power_of_two() && first % count == 0 {
            self.kind_and_flow >> (FLOW_BITS + count.trailing_zeros()) == first / count
        } else {
            kinds >> (self.kind_and_flow >> FLOW_BITS) & 1 != 0
        }
    }

    /// The record of a rate request or reply.
    #[inline]
    pub(crate) fn control_record(&mut self) -> ControlRecord<'_> {
        ControlRecord::new(&mut self.words)
    }

    /// Bytes on the wire.
    #[inline(always)]
    pub(crate) fn size(&self) -> u16 {
        self.stamp as u16
    }

    /// The host that the packet goes to.
    #[inline(always)]
    pub(crate) fn destination(&self) -> u32 {
        self.address.destination()
    }

    /// The host that the packet comes from.
    #[inline]
    pub(crate) fn source(&self) -> u32 {
        self.address.source()
    }

    /// The value by which switches choose among equal-cost next hops: the UDP source port of data,
    /// which ACKs return.
    #[inline]
    pub(crate) fn entropy(&self) -> u16 {
        self.address.entropy()
    }

    /// Turns the packet into a reply of this kind: source and destination are swapped. Mark, hops,
    /// entropy and all words stay.
    #[inline]
    pub(crate) fn become_reply(&mut self, kind: Kind, size: u16) {
        self.set_kind_and_size(kind, size);
        self.address.turn_around();
    }

    #[inline(always)]
    fn set_kind_and_size(&mut self, kind: Kind, size: u16) {
        self.stamp = self.stamp & !SIZE_MASK | u64::from(size);
        self.kind_and_flow = (kind as u32) << FLOW_BITS | self.flow();
    }

    #[inline]
    pub(crate) fn marked(&self) -> bool {
        self.address.marked()
    }

    #[inline]
    pub(crate) fn mark(&mut self) {
        self.address.mark();
    }

    /// Switches passed so far or, in a reply, by the data packet that it answers.
    #[inline]
    pub(crate) fn hops(&self) -> usize {
        self.address.hops()
    }

    #[inline]
    pub(crate) fn count_hop(&mut self) {
        self.address.count_hop();
    }

    /// Takes back the count of a hop: the packet is at the switch before.
    #[inline]
    pub(crate) fn uncount_hop(&mut self) {
        self.address.uncount_hop();
    }

    /// Resets the hops, which an ACK has from its data packet.
    #[inline]
    pub(crate) fn reset_hops(&mut self) {
        self.address.reset_hops();
    }

    /// Number of flows that share the receiver, in an ACK that collects INT. The ACK takes the path
    /// of its data back, so no switch reads its source.
    #[inline]
    pub(crate) fn receiver_flows(&self) -> u16 {
        self.source() as u16
    }

    #[inline]
    pub(crate) fn set_receiver_flows(&mut self, flows: u16) {
        self.address.set_source(flows.into());
    }

    /// The rate that a switch requests, and the number of its port; only in CNPs of switches.
    pub(crate) fn asked_rate(&self) -> Option<(Rate, u32)> {
        let congestion_point = u32::try_from(self.words[1]).ok()?.checked_sub(1)?;
        Some((Rate::from_bps(self.words[0]), congestion_point))
    }

    pub(crate) fn set_asked_rate(&mut self, rate: Rate, congestion_point: u32) {
        self.words[0] = rate.as_bps();
        self.words[1] = u64::from(congestion_point) + 1;
    }

    #[inline]
    pub(crate) fn set_arrival(&mut self, at: Time) {
        self.stamp = at.as_ps() << SIZE_BITS | self.stamp & SIZE_MASK;
    }

    /// Ingress port, while the packet waits in a switch.
    #[inline]
    pub(crate) fn ingress(&self) -> usize {
        (self.stamp >> SIZE_BITS) as usize
    }

    #[inline]
    pub(crate) fn set_ingress(&mut self, port: usize) {
        self.stamp = (port as u64) << SIZE_BITS | self.stamp & SIZE_MASK;
    }

    /// Whether this data packet is speculative; speculative packets have two lines.
    #[inline(always)]
    pub(crate) fn is_speculative(&self) -> bool {
        self.words[WORDS - SPECULATION] & SPECULATIVE != 0
    }

    /// The fields of a speculative data packet, which has two lines.
    #[inline]
    pub(crate) fn speculation(&self) -> Option<Speculation> {
        let word = self.words[WORDS - SPECULATION];
        self.is_speculative().then(|| Speculation {
            started: Time::from_ps(self.words[WORDS - SPECULATION_START]),
            sequence: word as u32,
            connections: (word >> 32) as u16,
        })
    }

    pub(crate) fn set_speculation(&mut self, speculation: &Speculation) {
        let connections = u64::from(speculation.connections) << 32;
        self.words[WORDS - SPECULATION_START] = speculation.started.as_ps();
        self.words[WORDS - SPECULATION] =
            SPECULATIVE | connections | u64::from(speculation.sequence);
    }

    /// The number of this transmission of its flow, or of the transmission that this packet
    /// answers; with selective repeat.
    pub(crate) fn transmission_number(&self) -> u64 {
        self.words[WORDS - TRANSMISSION] & TRANSMISSION_MASK
    }

    pub(crate) fn set_transmission_number(&mut self, number: u64) {
        self.words[WORDS - TRANSMISSION] = number;
    }

    /// The packets that an ACK names in addition to the expected one: bit k of the second number
    /// stands for packet k + the first number. With selective repeat, in runs whose ACKs name
    /// packets.
    pub(crate) fn early_packets(&self) -> Option<(u32, u64)> {
        let place = (self.words[WORDS - TRANSMISSION] >> TRANSMISSION_BITS) as u32;
        let base = (self.psn() + place).checked_sub(SACK_BITS);
        (place > 0).then_some(())?;
        Some((base?, self.words[WORDS - SACK]))
    }

    /// Sets [`early_packets`](Self::early_packets), after the number of the expected packet. Has no
    /// effect if the bitmap starts too far from the expected packet.
    pub(crate) fn set_early_packets(&mut self, base: u32, bits: u64) {
        let place = (base + SACK_BITS).checked_sub(self.psn());
        let is_near = |place: &u32| (1..SACK_BITS + MAX_SACK_DISTANCE).contains(place);
        if let Some(place) = place.filter(is_near) {
            let number = self.transmission_number();
            self.words[WORDS - TRANSMISSION] = u64::from(place) << TRANSMISSION_BITS | number;
            self.words[WORDS - SACK] = bits;
        }
    }

    /// In ACKs, received bytes of the flow on the wire, in runs in which receivers count them.
    pub(crate) fn received_bytes(&self) -> u64 {
        self.words[WORDS - RECEIVED]
    }

    pub(crate) fn set_received_bytes(&mut self, bytes: u64) {
        self.words[WORDS - RECEIVED] = bytes;
    }

    /// Credit since the start of the flow, in quanta: requested in data and requests, granted in
    /// pulls.
    pub(crate) fn credit(&self) -> u64 {
        self.words[WORDS - CREDIT]
    }

    pub(crate) fn set_credit(&mut self, quanta: u64) {
        self.words[WORDS - CREDIT] = quanta;
    }

    /// A number of the path of this packet's INT, in runs that watch paths.
    pub(crate) fn path(&self) -> u64 {
        self.words[WORDS - PATH]
    }

    pub(crate) fn set_path(&mut self, path: u64) {
        self.words[WORDS - PATH] = path;
    }

    /// Time at which the packet left its sender, in runs whose packets carry it.
    pub(crate) fn timestamp(&self) -> Time {
        Time::from_ps(self.words[WORDS - TIMESTAMP])
    }

    pub(crate) fn set_timestamp(&mut self, at: Time) {
        self.words[WORDS - TIMESTAMP] = at.as_ps();
    }

    /// Time on links of this packet and of the data packet that it answers, in runs whose packets
    /// carry it.
    pub(crate) fn time_on_links(&self) -> Time {
        Time::from_ps(self.words[WORDS - TIME_ON_LINKS])
    }

    pub(crate) fn set_time_on_links(&mut self, time: Time) {
        self.words[WORDS - TIME_ON_LINKS] = time.as_ps();
    }
}

impl<const WORDS: usize> Message for Packet<WORDS> {
    #[inline(always)]
    fn time_bits(&self) -> u64 {
        self.stamp >> SIZE_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{MarkReport, ONE_LINE, TWO_LINES};

    #[test]
    fn a_packet_is_one_cache_line() {
        assert_eq!(size_of::<Packet<ONE_LINE>>(), 64);
        assert_eq!(size_of::<Packet<TWO_LINES>>(), 128);
    }

    #[test]
    fn kinds_are_told_apart() {
        for &kind in Kind::ALL {
            let mut packet = Packet::<TWO_LINES>::new(kind, u16::MAX);
            packet.mark();
            packet.count_hop();
            packet.set_ingress(usize::from(u16::MAX));
            assert_eq!((packet.kind(), packet.marked()), (kind, true));
            let is_data = matches!(
                kind,
                Kind::Data | Kind::DataWithAckRequest | Kind::LastData | Kind::Probe
            );
            let is_pfc = matches!(kind, Kind::Pause | Kind::Resume);
            let is_ack = matches!(kind, Kind::Ack | Kind::Nack);
            assert_eq!((packet.is_data(), packet.is_pfc()), (is_data, is_pfc));
            assert_eq!(packet.is_ack(), is_ack);
            assert_eq!(
                packet.goes_with_data(),
                is_data
                    || matches!(
                        kind,
                        Kind::RateRequest | Kind::Trimmed | Kind::CreditRequest
                    )
            );
            let class = match (is_data, is_pfc) {
                (true, _) => Class::Data,
                (_, true) => Class::Pfc,
                _ => Class::Control,
            };
            assert_eq!((packet.class(), packet.size()), (class, u16::MAX));
        }
    }

    /// Sets of kinds, consecutive, aligned or scattered, are recognised by their bits.
    #[test]
    fn sets_of_kinds_are_found() {
        let sets = [
            0,
            1,
            0b111,
            0xffff,
            0b11_0000,
            0b1_1000,
            0xf0,
            0xff00,
            0b1010,
            0x8001,
            1 << 15,
        ];
        for (set, &kind) in sets
            .iter()
            .flat_map(|set| Kind::ALL.iter().map(move |kind| (set, kind)))
        {
            let packet = Packet::<ONE_LINE>::new(kind, 64);
            assert_eq!(
                packet.is_one_of(*set),
                set >> kind as u32 & 1 == 1,
                "{set:b} {kind:?}"
            );
            assert!(
                packet.is(kind) && Kind::ALL.iter().filter(|other| packet.is(**other)).count() == 1
            );
        }
    }

    #[test]
    fn data_packets_say_how_their_marks_are_reported() {
        let mut packet = Packet::<ONE_LINE>::new(Kind::Data, 0);
        for kind in [Kind::Data, Kind::DataWithAckRequest, Kind::LastData] {
            for report in [MarkReport::EchoAndCnps, MarkReport::Echo] {
                let address = Address::new(1, 2, 3).reporting(report);
                packet.renew_data(kind, 7, (Lane::FIRST, 8), address, 1048);
                packet.mark();
                packet.count_hop();
                assert_eq!((packet.kind(), packet.size()), (kind, 1048));
                assert!(packet.is_data() && packet.goes_with_data());
                assert!(!packet.is_ack() && !packet.is_pfc());
                assert_eq!(packet.wants_cnps(), report == MarkReport::EchoAndCnps);
            }
        }
        packet.become_reply(Kind::Ack, 60);
        assert_eq!((packet.kind(), packet.marked()), (Kind::Ack, true));
    }

    /// The largest transmission number and the farthest bitmap do not overlap. Setting the number
    /// clears the bitmap.
    #[test]
    fn a_bitmap_stands_beside_the_transmission() {
        let mut packet = Packet::<ONE_LINE>::new(Kind::Ack, 60);
        packet.set_transmission_number(TRANSMISSION_MASK);
        assert_eq!(packet.early_packets(), None);
        packet.set_psn(100);
        for base in [100 - 63, 99, 100, 101, 99 + MAX_SACK_DISTANCE] {
            packet.set_early_packets(base, 1 << 63);
            assert_eq!(packet.early_packets(), Some((base, 1 << 63)));
            assert_eq!(packet.transmission_number(), TRANSMISSION_MASK);
        }
        packet.set_transmission_number(5);
        // The first bitmap ends before the expected packet, the second starts too far away.
        for base in [100 - 64, 100 + MAX_SACK_DISTANCE] {
            packet.set_early_packets(base, 1);
            assert_eq!(packet.early_packets(), None);
        }
        assert_eq!(
            (packet.transmission_number(), packet.early_packets()),
            (5, None)
        );
    }

    /// A header keeps flow, number, mark, hops and entropy. Its NACK has the same transmission and
    /// hop, for every number.
    #[test]
    fn a_trimmed_packet_is_a_header_of_the_control_class() {
        for at in [TrimmedAt::AnyHop, TrimmedAt::LastHop] {
            let packet = Packet::<ONE_LINE>::new(Kind::LastData, 1_048);
            let mut packet = packet.of_flow(3, 17, Address::new(1, 2, 3));
            packet.set_transmission_number(TRANSMISSION_MASK);
            packet.mark();
            packet.count_hop();
            packet.trim(64, at);
            assert_eq!((packet.kind(), packet.size()), (Kind::Trimmed, 64));
            assert_eq!((packet.class(), packet.is_data()), (Class::Control, false));
            packet.become_reply(Kind::Nack, 60);
            assert_eq!((packet.flow(), packet.psn(), packet.entropy()), (3, 17, 3));
            assert_eq!(packet.transmission_number(), TRANSMISSION_MASK);
            assert_eq!((packet.trimmed_at(), packet.destination()), (at, 1));
            packet.forget_trimming();
            assert_eq!(packet.early_packets(), None);
            assert!(packet.marked() && packet.hops() == 1);
        }
    }

    /// The last lane and the largest number do not overlap. A reply stays in the lane of the packet
    /// that it answers, with another number. A single lane is always the first.
    #[test]
    fn packets_know_their_lanes() {
        let mut packet = Packet::<ONE_LINE>::new(Kind::Pause, 64);
        for lane in Lane::first(8) {
            let frame = Packet::<ONE_LINE>::new(Kind::Pause, 64).in_lane(lane);
            assert_eq!((frame.lane_among::<8>(), frame.psn()), (lane, 0));
            for psn in [0, MAX_PACKETS - 1] {
                packet.renew_data(Kind::Data, 7, (lane, psn), Address::new(1, 2, 3), 1048);
                assert_eq!((packet.lane_among::<8>(), packet.psn()), (lane, psn));
                assert_eq!(packet.lane_among::<1>(), Lane::FIRST);
                packet.become_reply(Kind::Ack, 60);
                packet.set_psn(psn + 1);
                assert_eq!((packet.lane_among::<8>(), packet.psn()), (lane, psn + 1));
                let moved = packet.in_lane(Lane::FIRST);
                assert_eq!(
                    (moved.lane_among::<8>(), moved.psn()),
                    (Lane::FIRST, psn + 1)
                );
            }
        }
    }

    #[test]
    fn speculative_packets_say_where_they_stand() {
        let mut packet = Packet::<TWO_LINES>::new(Kind::Data, 1048);
        assert_eq!(packet.speculation(), None);
        let speculation = Speculation {
            started: Time::from_ns(15),
            sequence: u32::MAX,
            connections: 3,
        };
        packet.set_speculation(&speculation);
        assert_eq!(packet.speculation(), Some(speculation));
    }

    #[test]
    fn the_stamp_keeps_its_parts_apart() {
        let mut packet = Packet::<ONE_LINE>::new(Kind::LastData, 1090);
        packet.count_hop();
        packet.count_hop();
        packet.mark();
        packet.set_ingress(319);
        assert_eq!(packet.ingress(), 319);
        packet.set_arrival(Time::from_ms(1));
        assert_eq!(packet.time(Time::from_us(1)), Time::from_ms(1));
        assert_eq!(
            (packet.kind(), packet.hops(), packet.marked()),
            (Kind::LastData, 2, true)
        );
        packet.become_reply(Kind::Ack, 60);
        assert_eq!(
            (packet.kind(), packet.hops(), packet.is_data()),
            (Kind::Ack, 2, false)
        );
    }

    /// Before, at and long after 2⁴⁸ ps, which is the range of the stored times.
    #[test]
    fn times_of_arrival_are_known_at_any_time() {
        let mut packet = Packet::<ONE_LINE>::new(Kind::LastData, 1090);
        for since in [
            0,
            (1 << TIME_BITS) - 1,
            1 << TIME_BITS,
            31_536_000 << 39,
            u64::MAX >> 1,
        ] {
            for later in [0, 1, LONGEST_HOP.as_ps(), (1 << TIME_BITS) - 1] {
                packet.set_arrival(Time::from_ps(since + later));
                let found = packet.time(Time::from_ps(since));
                assert_eq!(found.as_ps(), since + later);
            }
        }
        assert_eq!(packet.kind(), Kind::LastData);
    }
}
