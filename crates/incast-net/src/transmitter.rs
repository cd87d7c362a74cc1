//! The sending end of a link: one packet at a time, store and forward.

use incast_engine::{Context, EventPlace, Message as _};
use incast_units::{NodeId, Rate, Time};

use crate::clock::LinkClock;
use crate::config::Model;
use crate::measure::{PauseEvent, PortCounters};
use crate::timing_errors::PortErrors;
use crate::wire::{Class, Kind, Lane, Lanes, Packet};

#[derive(Clone, Debug)]
pub(crate) struct Transmitter {
    /// End of the current transmission; in the past if the link is free.
    free_at: Time,
    /// The place of this end among simultaneous events, if these are ordered by places.
    end_place: EventPlace,
    /// The lanes of data that the peer has paused.
    paused: Lanes,
    clock: LinkClock,
    bytes_per_ps: f64,
    /// Time from the end of a transmission to the packet's arrival.
    delay: Time,
    /// Timing errors of this end of the link, if any. Then `clock` has no whole times per byte.
    errors: Option<Box<PortErrors>>,
    /// Whether packets carry their time on links. If so, `clock` also has no whole times per byte.
    tells_time: bool,
    /// Bytes of all packets so far, PFC frames included, as INT reports them.
    pub(crate) sent_bytes: u64,
    /// Bytes of PFC frames in `sent_bytes`.
    pfc_bytes: u64,
    /// End of the last PFC frame's transmission.
    pfc_until: Time,
    /// Bytes of the control class in `sent_bytes`.
    control_bytes: u64,
    paused_since: Time,
    /// All counters except byte counters.
    counters: PortCounters,
}

impl Transmitter {
    pub(crate) fn new(model: &Model, rate: Rate, delay: Time) -> Self {
        Self {
            free_at: Time::ZERO,
            end_place: EventPlace::default(),
            paused: Lanes::default(),
            clock: LinkClock::new(model.clock, model.ties, rate),
            bytes_per_ps: rate.as_bps() as f64 / 8e12,
            delay,
            errors: None,
            tells_time: false,
            sent_bytes: 0,
            pfc_bytes: 0,
            pfc_until: Time::ZERO,
            control_bytes: 0,
            paused_since: Time::ZERO,
            counters: PortCounters::default(),
        }
    }

    /// Adds timing errors. Simultaneous events must not be ordered by places.
    pub(crate) fn with_errors(mut self, errors: PortErrors, model: &Model, rate: Rate) -> Self {
        self.errors = Some(Box::new(errors));
        self.set_rate(model, rate);
        self
    }

    /// Makes packets carry their time on links.
    pub(crate) fn telling_time(mut self) -> Self {
        self.tells_time = true;
        self.clock = self.clock.without_whole_times();
        self
    }

    /// Sets the rate of the link from its next transmission on; none is under way.
    pub(crate) fn set_rate(&mut self, model: &Model, rate: Rate) {
        self.clock = LinkClock::new(model.clock, model.ties, rate);
        self.bytes_per_ps = rate.as_bps() as f64 / 8e12;
        if let Some(errors) = &mut self.errors {
            errors.set_rate(rate);
            self.clock = self.clock.without_whole_times();
            self.bytes_per_ps = errors.bytes_per_ps(self.bytes_per_ps);
        }
        if self.tells_time {
            self.clock = self.clock.without_whole_times();
        }
    }

    /// Whether a packet of this size takes no time, as the clock rounds it.
    pub(crate) fn takes_no_time(&self, size: u64) -> bool {
        let mut clock = self.clock;
        clock.transmission_time(size) == Time::ZERO
    }

    /// The counters of this end of the link.
    pub(crate) fn counters(&self) -> PortCounters {
        PortCounters {
            data_bytes: self.sent_bytes - self.pfc_bytes - self.control_bytes,
            control_bytes: self.control_bytes,
            ..self.counters
        }
    }

    /// Packets sent, PFC frames excluded.
    pub(crate) fn packet_hops(&self) -> u64 {
        self.counters.packet_hops()
    }

    pub(crate) fn count_drop(&mut self) {
        self.counters.dropped += 1;
    }

    pub(crate) fn count_mark(&mut self) {
        self.counters.marked += 1;
    }

    /// Records that this many bytes wait for the link.
    #[inline]
    pub(crate) fn note_queue(&mut self, bytes: u64) {
        self.counters.queue_max = self.counters.queue_max.max(bytes);
    }

    /// Whether a packet is still in transmission when the current event happens.
    #[inline]
    pub(crate) fn busy<C: Context>(&self, context: &C) -> bool {
        self.free_at > context.now()
            || C::INSERTION_ORDER
                && self.free_at == context.now()
                && !context.is_past(self.end_place)
    }

    #[inline]
    pub(crate) fn free_at(&self) -> Time {
        self.free_at
    }

    /// Bytes that have left by `now`, including a part of the transmission that ends at `end`.
    /// `later`: bytes of transmissions that start at `end`, which are in `sent_bytes` already.
    #[inline(always)]
    pub(crate) fn sent_before(&self, later: u64, end: Time, now: Time) -> u64 {
        let sent = self.sent_bytes - later;
        if end <= now {
            return sent;
        }
        // Conversions between floats and signed integers take fewer instructions.
        let left = (end - now).as_ps() as i64 as f64;
        sent - (left * self.bytes_per_ps) as i64 as u64
    }

    /// Sets this timer for the end of the current transmission.
    #[inline]
    pub(crate) fn set_end_timer<C: Context>(&self, timer: usize, context: &mut C) {
        context.set_timer_at_place(timer, self.free_at, self.end_place);
    }

    /// Starts to transmit `packet`, of this class, out of `port` at `at`. The end of the
    /// transmission gets an event place before the arrival.
    #[inline(always)]
    pub(crate) fn start<const WORDS: usize, C: Context<Message = Packet<WORDS>>>(
        &mut self,
        port: usize,
        packet: &mut Packet<WORDS>,
        class: Class,
        at: Time,
        context: &mut C,
    ) {
        debug_assert_eq!(class, packet.class());
        debug_assert!(at >= self.free_at, "one packet at a time");
        let size = u64::from(packet.size());
        let time = if C::INSERTION_ORDER {
            self.end_place = context.take_place();
            let time = self.clock.time_of_size(size);
            if self.tells_time {
                self.tell_time(packet, time);
            }
            time
        } else {
            match self.clock.whole_time(size) {
                Some(time) => time,
                None => self.other_time(packet, class, at),
            }
        };
        self.free_at = at + time;
        self.sent_bytes += size;
        match class {
            Class::Data => self.counters.data_packets += 1,
            Class::Control => {
                self.counters.control_packets += 1;
                self.control_bytes += size;
            }
            Class::Pfc => {
                self.pfc_bytes += size;
                self.pfc_until = self.free_at;
                self.counters.pauses_sent += u64::from(packet.kind() == Kind::Pause);
            }
        }
        let arrival = self.free_at + self.delay;
        packet.set_arrival(arrival);
        context.send(port, packet, arrival);
    }

    /// The transmission time of a packet that starts to leave at `at`, where it is not a product,
    /// or the port has timing errors. For data with jitter, also sets the delay of the link.
    #[inline(never)]
    fn other_time<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        class: Class,
        at: Time,
    ) -> Time {
        let size = u64::from(packet.size());
        let mut time = self.clock.time_of_size(size);
        if let Some(errors) = &mut self.errors {
            time += errors.stretch(size);
            if class == Class::Data {
                self.delay = errors.next_delay(self.delay, at + time - self.free_at);
            }
        }
        if self.tells_time {
            self.tell_time(packet, time);
        }
        time
    }

    /// Adds the transmission time and the delay of the link to a packet's time on links.
    fn tell_time<const WORDS: usize>(&self, packet: &mut Packet<WORDS>, time: Time) {
        if knows_time(packet) {
            packet.set_time_on_links(packet.time_on_links() + time + self.delay);
        }
    }

    /// Takes back a control packet that was to start at `at`, and was revoked.
    pub(crate) fn take_back<const WORDS: usize>(&mut self, packet: &mut Packet<WORDS>, at: Time) {
        let size = u64::from(packet.size());
        if self.tells_time && knows_time(packet) {
            let time = packet.time(at) - at;
            packet.set_time_on_links(packet.time_on_links() - time);
        }
        self.free_at = at;
        if let Some(errors) = &mut self.errors {
            errors.take_back(size);
        }
        self.sent_bytes -= size;
        self.counters.control_packets -= 1;
        self.control_bytes -= size;
    }

    /// Bytes of data and control packets in transmission that have not left at `end`, the end of
    /// the run. A partly sent byte counts as not sent, so that no link carries more than its rate.
    pub(crate) fn unsent_at(&self, end: Time) -> u64 {
        if self.pfc_until == self.free_at {
            return 0;
        }
        /// Float products may be slightly above a whole number.
        const SLACK: f64 = 1e-6;
        let left = self.free_at.saturating_sub(end);
        // Up to one ps may come from earlier packets.
        let kept = self
            .errors
            .as_ref()
            .map_or(Time::ZERO, |errors| errors.most_kept());
        let left = left.saturating_sub(kept).as_ps() as f64 * self.bytes_per_ps;
        (left - SLACK).ceil().max(0.0) as u64
    }

    /// The lanes of data that the peer has paused.
    #[inline(always)]
    pub(crate) fn paused(&self) -> Lanes {
        self.paused
    }

    /// Counts a pause that still lasts at `end`, the end of the run.
    pub(crate) fn count_open_pause(&mut self, end: Time) {
        if !self.paused.is_empty() {
            self.counters.paused += end.saturating_sub(self.paused_since);
            self.paused_since = end;
        }
    }

    /// Time since which the peer has paused data of any lane; `None`: data are not paused.
    pub(crate) fn paused_since(&self) -> Option<Time> {
        (!self.paused.is_empty()).then_some(self.paused_since)
    }

    /// Pauses or resumes a lane for the peer; returns the event for the record.
    pub(crate) fn set_paused(
        &mut self,
        lane: Lane,
        paused: bool,
        now: Time,
        node: NodeId,
        port: u32,
    ) -> PauseEvent {
        let before = self.paused;
        match paused {
            true => self.paused.insert(lane),
            false => self.paused.remove(lane),
        }
        if before.is_empty() && paused {
            self.paused_since = now;
        } else if !before.is_empty() && self.paused.is_empty() {
            self.counters.paused += now - self.paused_since;
        }
        PauseEvent {
            time: now,
            node,
            port,
            paused,
        }
    }
}

/// Whether a packet is data, a trimmed header or an ACK, which may carry its time on links.
fn knows_time<const WORDS: usize>(packet: &Packet<WORDS>) -> bool {
    packet.is_data() || packet.is_ack() || packet.is(Kind::Trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 Gb/s, in whole ns: a packet of 1090 B takes 87 ns. An ACK of 60 B after it takes 4 ns,
    /// in which 50 B could leave. After 80 ns 7 ns of the packet are left, 87.5 B: 1090 − 87 B have
    /// left. Counting both together would give 11 ns, 137.5 B, and so 1150 − 137 = 1013 B.
    #[test]
    fn a_packet_that_has_not_begun_to_leave_does_not_count() {
        let ns = Time::from_ns;
        let mut link = Transmitter::new(&Model::hpcc_ns3(1, true), Rate::from_gbps(100), ns(1_000));
        (link.sent_bytes, link.free_at) = (1_150, ns(91));
        assert_eq!(link.sent_before(60, ns(87), ns(80)), 1_003);
        assert_eq!(link.sent_before(60, ns(87), ns(87)), 1_090);
        assert_eq!(link.sent_before(0, ns(91), ns(88)), 1_150 - 37);
        assert_eq!(link.sent_before(0, ns(91), ns(91)), 1_150);
    }

    /// Lane 0 is paused from 10 to 30 ns, lane 1 from 20 to 45, lane 0 again from 60: the link is
    /// paused for 35 ns. When the run ends at 100 ns, it has been paused for 40 ns more.
    #[test]
    fn a_link_is_paused_as_long_as_any_lane_is() {
        let ns = Time::from_ns;
        let mut link = Transmitter::new(&Model::standard(), Rate::from_gbps(100), ns(1_000));
        let lanes: Vec<_> = Lane::first(2).collect();
        for (at, lane, paused, since) in [
            (10, 0, true, Some(10)),
            (20, 1, true, Some(10)),
            (25, 1, true, Some(10)),
            (30, 0, false, Some(10)),
            (45, 1, false, None),
            (50, 1, false, None),
            (60, 0, true, Some(60)),
        ] {
            let event = link.set_paused(lanes[lane], paused, ns(at), NodeId(7), 2);
            assert_eq!((event.time, event.paused), (ns(at), paused));
            assert_eq!(link.paused().contains(lanes[lane]), paused);
            assert_eq!(link.paused_since(), since.map(ns), "at {at} ns");
        }
        assert_eq!(link.counters().paused, ns(35));
        link.count_open_pause(ns(100));
        assert_eq!(link.counters().paused, ns(75));
    }
}
