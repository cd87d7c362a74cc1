//! A packet: by value, one cache line, INT included.
//!
//! ```text
//! bytes  0–7   time of arrival (in ps, modulo 2⁵³) and kind, mark, hops (11 bits)
//!        8–15  flow, packet sequence number
//!       16–23  source, destination, source port, bytes on the wire
//!       24–63  five words: INT records, transmission number, timestamp
//! ```
//!
//! A run takes thirteen words and a second line for rate requests and packet traces, and where INT
//! is exact, longer than five hops, or beside timestamps, latencies or transmission numbers. While
//! a packet waits in a switch its ingress port takes the place of its time of arrival. A CNP of a
//! switch has a rate and a port in its first words. A rate request or reply (the papers' control
//! packet) has a [`ControlRecord`](incast_signals::s_perc::ControlRecord) in all of its thirteen
//! words. An ACK that collects INT itself has the number of its receiver's flows in place of its
//! source.

use incast_engine::{Message, TIME_BITS};
use incast_signals::s_perc::ControlRecord;
use incast_units::{Rate, Time};

/// Words of a packet that fits one cache line.
pub(crate) const ONE_LINE: usize = 5;
/// Words of a packet that takes two.
pub(crate) const TWO_LINES: usize = 13;
/// Words for INT of the largest packet: a quantised record takes one, an exact one two.
pub const MAX_INT_WORDS: usize = TWO_LINES;

/// The destination of a PFC frame, which its first receiver consumes; no host has this number.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// The kind of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Payload, with more to come.
    Data = 0,
    /// Payload with an ACK request (AckReq, a bit of the BTH): the sender cannot go on without an
    /// ACK.
    DataWithAckRequest = 1,
    /// The last payload of its flow, with an ACK request.
    LastData = 2,
    /// Collects rates on its way to the destination (the papers' control packet).
    RateRequest = 3,
    /// All packets before `psn` have arrived.
    Ack = 4,
    /// All packets before `psn` have arrived, and `psn` is missing.
    Nack = 5,
    /// A congestion notification.
    Cnp = 6,
    /// A rate request on its way back.
    RateReply = 7,
    /// PFC: stop sending data.
    Pause = 12,
    /// PFC: go on.
    Resume = 13,
}

/// How the receiver of a data packet reports its mark. A bit of a data packet's kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum MarkReport {
    /// By the echo in the ACK, and by CNPs where receivers send any.
    EchoAndCnps = 0,
    /// By the echo alone.
    Echo = 0b1000,
}

/// The two ways of a rate request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// With the data.
    Forward,
    /// Back.
    Reverse,
}

/// The fields of a speculative data packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Speculation {
    /// SSTS: when its flow started, by the sender's clock.
    pub(crate) started: Time,
    /// Its place among those that share a sequence.
    pub(crate) sequence: u32,
    /// n, by which its window is divided.
    pub(crate) connections: u16,
}

/// Marks the word of a speculative packet.
const SPECULATIVE: u64 = 1 << 63;

/// The class in which a packet is counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Data,
    /// ACKs, NACKs, CNPs, rate requests and replies.
    Control,
    /// PFC frames.
    Pfc,
}

/// By number. Those from 8 on are of data packets whose marks cause no CNPs; no packet has number
/// 11, 14 or 15.
const KINDS: [Kind; 16] = [
    Kind::Data,
    Kind::DataWithAckRequest,
    Kind::LastData,
    Kind::RateRequest,
    Kind::Ack,
    Kind::Nack,
    Kind::Cnp,
    Kind::RateReply,
    Kind::Data,
    Kind::DataWithAckRequest,
    Kind::LastData,
    Kind::Resume,
    Kind::Pause,
    Kind::Resume,
    Kind::Resume,
    Kind::Resume,
];

const META_BITS: u32 = u64::BITS - TIME_BITS;
const KIND_MASK: u64 = 0b1111;
/// The kind of a data packet, however its mark is reported.
const DATA_KIND_MASK: u64 = 0b0111;
const MARK: u64 = 0b1_0000;
const HOP: u64 = 0b10_0000;
const META_MASK: u64 = (1 << META_BITS) - 1;

/// Switches that a packet can count.
pub const MAX_HOPS: u32 = (1 << (META_BITS - 5)) - 1;
/// 37 minutes, a quarter of what times of arrival can tell: at most as long a packet is under way
/// on one link.
pub(crate) const LONGEST_HOP: Time = Time::from_ps(1 << (TIME_BITS - 2));

#[derive(Copy, Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Packet<const WORDS: usize> {
    stamp: u64,
    pub(crate) flow: u32,
    pub(crate) psn: u32,
    pub(crate) source: u16,
    pub(crate) destination: u16,
    pub(crate) source_port: u16,
    /// Bytes on the wire.
    pub(crate) size: u16,
    pub(crate) words: [u64; WORDS],
}

impl<const WORDS: usize> Packet<WORDS> {
    pub(crate) fn new(kind: Kind, size: u16) -> Self {
        Self {
            stamp: kind as u64,
            flow: 0,
            psn: 0,
            source: 0,
            destination: 0,
            source_port: 0,
            size,
            words: [0; WORDS],
        }
    }

    /// Becomes a data packet of this kind that has not left yet.
    #[inline]
    pub(crate) fn renew_data(&mut self, kind: Kind, report: MarkReport, size: u16) {
        (self.stamp, self.size) = (kind as u64 | report as u64, size);
    }

    /// Of a data packet: whether its receiver may answer a mark by a CNP.
    #[inline]
    pub(crate) fn wants_cnps(&self) -> bool {
        self.stamp & MarkReport::Echo as u64 == 0
    }

    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        KINDS[(self.stamp & KIND_MASK) as usize]
    }

    pub(crate) fn set_kind(&mut self, kind: Kind) {
        self.stamp = self.stamp & !KIND_MASK | kind as u64;
    }

    #[inline]
    pub(crate) fn is_data(&self) -> bool {
        self.stamp & DATA_KIND_MASK <= Kind::LastData as u64
    }

    /// ACK or NACK.
    #[inline]
    pub(crate) fn is_ack(&self) -> bool {
        self.stamp & (KIND_MASK - 1) == Kind::Ack as u64
    }

    /// Whether it goes the way of its flow's data.
    #[inline]
    pub(crate) fn goes_with_data(&self) -> bool {
        self.stamp & DATA_KIND_MASK <= Kind::RateRequest as u64
    }

    /// Of a rate request or reply: its way.
    #[inline]
    pub(crate) fn rate_pass(&self) -> Option<Pass> {
        match self.stamp & (KIND_MASK - 4) {
            3 if self.stamp & 4 == 0 => Some(Pass::Forward),
            3 => Some(Pass::Reverse),
            _ => None,
        }
    }

    /// The record of a rate request or reply.
    #[inline]
    pub(crate) fn control_record(&mut self) -> ControlRecord<'_> {
        ControlRecord::new(&mut self.words)
    }

    #[inline]
    pub(crate) fn is_pfc(&self) -> bool {
        self.stamp & KIND_MASK >= Kind::Pause as u64
    }

    #[inline]
    pub(crate) fn class(&self) -> Class {
        if self.is_data() {
            Class::Data
        } else if self.is_pfc() {
            Class::Pfc
        } else {
            Class::Control
        }
    }

    #[inline]
    pub(crate) fn marked(&self) -> bool {
        self.stamp & MARK != 0
    }

    #[inline]
    pub(crate) fn mark(&mut self) {
        self.stamp |= MARK;
    }

    /// Switches passed so far, or by the data packet that this acknowledges.
    #[inline]
    pub(crate) fn hops(&self) -> usize {
        ((self.stamp & META_MASK) / HOP) as usize
    }

    #[inline]
    pub(crate) fn count_hop(&mut self) {
        self.stamp += HOP;
    }

    /// Counts a hop less: the packet is back at the switch before.
    #[inline]
    pub(crate) fn uncount_hop(&mut self) {
        self.stamp -= HOP;
    }

    /// The hops of the data packet that this one acknowledges no longer count.
    #[inline]
    pub(crate) fn reset_hops(&mut self) {
        self.stamp &= !(META_MASK - (HOP - 1));
    }

    /// Flows that share the receiver, in an ACK that collects INT: it takes the path of its data
    /// back, so that no switch reads its source.
    #[inline]
    pub(crate) fn receiver_flows(&self) -> u16 {
        self.source
    }

    #[inline]
    pub(crate) fn set_receiver_flows(&mut self, flows: u16) {
        self.source = flows;
    }

    /// The rate that a switch asks for, and the port that asks; in CNPs of switches alone.
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
        self.stamp = at.as_ps() << META_BITS | self.stamp & META_MASK;
    }

    /// Ingress port, while the packet waits in a switch.
    #[inline]
    pub(crate) fn ingress(&self) -> usize {
        (self.stamp >> META_BITS) as usize
    }

    #[inline]
    pub(crate) fn set_ingress(&mut self, port: usize) {
        self.stamp = (port as u64) << META_BITS | self.stamp & META_MASK;
    }

    /// Whether this data packet is speculative; it is a packet of two lines.
    #[inline(always)]
    pub(crate) fn is_speculative(&self) -> bool {
        self.words[WORDS - 3] & SPECULATIVE != 0
    }

    /// The fields of a speculative data packet, which has two lines.
    #[inline]
    pub(crate) fn speculation(&self) -> Option<Speculation> {
        let word = self.words[WORDS - 3];
        self.is_speculative().then(|| Speculation {
            started: Time::from_ps(self.words[WORDS - 4]),
            sequence: word as u32,
            connections: (word >> 32) as u16,
        })
    }

    pub(crate) fn set_speculation(&mut self, speculation: &Speculation) {
        let connections = u64::from(speculation.connections) << 32;
        self.words[WORDS - 4] = speculation.started.as_ps();
        self.words[WORDS - 3] = SPECULATIVE | connections | u64::from(speculation.sequence);
    }

    /// The number of this transmission of its flow, or of the one that this packet answers; with
    /// selective repeat.
    pub(crate) fn transmission_number(&self) -> u64 {
        self.words[WORDS - 2]
    }

    pub(crate) fn set_transmission_number(&mut self, number: u64) {
        self.words[WORDS - 2] = number;
    }

    /// A number of the path that INT in this packet is of, in runs that watch paths.
    pub(crate) fn path(&self) -> u64 {
        self.words[WORDS - 3]
    }

    pub(crate) fn set_path(&mut self, path: u64) {
        self.words[WORDS - 3] = path;
    }

    /// Time at which it left its sender, if packets carry timestamps or round trips are recorded.
    pub(crate) fn timestamp(&self) -> Time {
        Time::from_ps(self.words[WORDS - 1])
    }

    pub(crate) fn set_timestamp(&mut self, at: Time) {
        self.words[WORDS - 1] = at.as_ps();
    }
}

impl<const WORDS: usize> Message for Packet<WORDS> {
    #[inline(always)]
    fn time_bits(&self) -> u64 {
        self.stamp >> META_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_one_cache_line() {
        assert_eq!(size_of::<Packet<ONE_LINE>>(), 64);
        assert_eq!(size_of::<Packet<TWO_LINES>>(), 128);
    }

    #[test]
    fn kinds_are_told_apart() {
        let of = |kind| Packet::<TWO_LINES>::new(kind, 64);
        let all = [&KINDS[..8], &KINDS[12..14]].concat();
        for kind in &all {
            let mut packet = of(*kind);
            packet.mark();
            packet.count_hop();
            assert_eq!((packet.kind(), packet.marked()), (*kind, true));
            assert_eq!(KINDS[*kind as usize], *kind);
            let is_ack = matches!(kind, Kind::Ack | Kind::Nack);
            let is_pfc = matches!(kind, Kind::Pause | Kind::Resume);
            assert_eq!((packet.is_ack(), packet.is_pfc()), (is_ack, is_pfc));
            let goes_with_data = packet.is_data() || *kind == Kind::RateRequest;
            assert_eq!(packet.goes_with_data(), goes_with_data);
            let pass = match kind {
                Kind::RateRequest => Some(Pass::Forward),
                Kind::RateReply => Some(Pass::Reverse),
                _ => None,
            };
            assert_eq!(packet.rate_pass(), pass);
        }
    }

    #[test]
    fn data_packets_say_how_their_marks_are_reported() {
        let mut packet = Packet::<ONE_LINE>::new(Kind::Data, 0);
        for kind in [Kind::Data, Kind::DataWithAckRequest, Kind::LastData] {
            for report in [MarkReport::EchoAndCnps, MarkReport::Echo] {
                packet.renew_data(kind, report, 1048);
                packet.mark();
                packet.count_hop();
                assert_eq!((packet.kind(), packet.size), (kind, 1048));
                assert!(packet.is_data() && packet.goes_with_data());
                assert!(!packet.is_ack() && !packet.is_pfc());
                assert_eq!(packet.rate_pass(), None);
                assert_eq!(packet.wants_cnps(), report == MarkReport::EchoAndCnps);
            }
        }
        packet.set_kind(Kind::Ack);
        assert_eq!((packet.kind(), packet.marked()), (Kind::Ack, true));
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
        packet.set_kind(Kind::Ack);
        assert_eq!(
            (packet.kind(), packet.hops(), packet.is_data()),
            (Kind::Ack, 2, false)
        );
    }

    /// Before, at and long after 2⁵³ ps: the packet keeps what is left of them.
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
