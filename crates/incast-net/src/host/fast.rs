//! The fast path of a host: the same parts, computed lazily.
//!
//! Between two arrivals a host's actions, transmissions and timeouts, follow from its state. So
//! they are not scheduled events: [`FastHost`] catches up with them before a packet arrives, a flow
//! starts, a sample is taken, or a window ends. One timer per window is enough. ACKs are committed
//! to the link ahead of time. In-order data and their ACKs take a [short path](short_path).

mod short_path;

use std::sync::Arc;

use incast_units::Time;

use crate::clock::INSTANT;
use crate::context::NetContext;
use crate::shared::Shared;
use crate::wire::{Class, Kind, Packet};

use self::short_path::ShortPath;
use super::dispatch::Outbox;
use super::sending::QpUpdate;
use super::{Host, SEND, START};

/// A host that catches up with its actions at its next event.
#[derive(Clone)]
pub(crate) struct FastHost<'a, const WORDS: usize> {
    host: Host<'a, WORDS>,
    shared: Arc<Shared>,
    short_path: ShortPath,
    /// Whether packets carry timestamps.
    stamps: bool,
    /// Whether a program needs to know of data that this host sends.
    is_heard: bool,
    /// Words of a packet that one INT record takes; 0 without INT.
    words_per_record: usize,
    /// A data packet of this host, into which a QP writes its own fields.
    template: Packet<WORDS>,
    /// Earliest timer of a QP or program.
    timer_deadline: Time,
    /// Earliest time at which the slow path (sample, timer, queued ACK, pause) has work.
    slow_path_deadline: Time,
    /// Time of the last event that could let packets leave.
    last_event: Time,
}

impl<'a, const WORDS: usize> From<Host<'a, WORDS>> for FastHost<'a, WORDS> {
    fn from(host: Host<'a, WORDS>) -> Self {
        let shared = Arc::clone(&host.sender.base.shared);
        Self {
            short_path: ShortPath::of(&shared, host.hears()),
            stamps: shared.stamped,
            shared,
            is_heard: host.hears().sent,
            words_per_record: host.sender.base.words_per_record,
            host,
            template: Packet::new(Kind::Data, 0),
            timer_deadline: Time::MAX,
            slow_path_deadline: Time::ZERO,
            last_event: Time::ZERO,
        }
    }
}

/// Events.
impl<const WORDS: usize> FastHost<'_, WORDS> {
    /// A packet arrives.
    #[inline]
    pub(crate) fn on_arrival<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.advance_to_arrival(context);
        match self.short_path {
            ShortPath::Plain => self.on_arrival_by_short_path::<false, C>(packet, context),
            ShortPath::Full => self.on_arrival_by_full_path(packet, context),
            ShortPath::Closed => self.on_any_packet(packet, context),
        }
    }

    /// Handles the start of a flow, or the end-of-window timer.
    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        let now = context.now();
        self.advance_to(now + INSTANT, context);
        self.last_event = now;
        if timer == START {
            while let Some(flow) = self.host.next_start(context) {
                self.host.open_qp(flow, context);
                self.note_programs();
                self.advance_to(now + INSTANT, context);
            }
        }
    }

    /// Catches up with all events before `end`.
    pub(crate) fn end_window<C: NetContext<WORDS>>(&mut self, end: Time, context: &mut C) {
        if self.slow_path_deadline < end || self.sends_before(end) {
            self.advance_to(end, context);
        }
        let next_departure = self.host.nic.next_departure(self.last_event);
        let next = next_departure.min(self.timer_deadline);
        if next < Time::MAX && context.timer_deadline(SEND) != Some(next) {
            context.set_timer(SEND, next);
        }
    }

    #[inline(never)]
    fn on_any_packet<C: NetContext<WORDS>>(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        self.dispatch(packet, context);
    }

    /// Updates the deadlines after programs may have queued packets or changed their next time.
    fn note_programs(&mut self) {
        self.note_timers();
        if self.host.nic.has_control() {
            self.slow_path_deadline = Time::ZERO;
        }
    }

    fn note_timers(&mut self) {
        self.timer_deadline = self.next_timer();
        self.slow_path_deadline = self.slow_path_deadline.min(self.timer_deadline);
    }

    /// Earliest timer of a QP or program.
    fn next_timer(&self) -> Time {
        let timer = self.host.sender.next_timer();
        timer.min(self.host.next_due())
    }
}

/// Sending.
impl<const WORDS: usize> FastHost<'_, WORDS> {
    /// Sends the next packet of a QP.
    #[inline(always)]
    fn send_data<C: NetContext<WORDS>>(&mut self, slot: u32, at: Time, context: &mut C) {
        match self.short_path {
            ShortPath::Closed => self.send_any(slot, at, context),
            _ if self.is_heard => self.send_heard(slot, at, context),
            ShortPath::Plain => self.send_in_order::<false, false, C>(slot, at, context),
            ShortPath::Full => self.send_by_full_path(slot, at, context),
        }
    }

    #[inline(never)]
    fn send_any<C: NetContext<WORDS>>(&mut self, slot: u32, at: Time, context: &mut C) {
        let mut packet = self.host.sender.next_packet(slot, at);
        self.host.tell_of_sent(slot, &mut packet, at);
        self.host
            .start_on_link(&mut packet, Class::Data, at, context);
        if self.is_heard && self.host.next_due() <= at {
            self.follow_programs(at, context);
        }
        self.host.reschedule(slot, at);
        self.note_timers();
    }

    /// Commits a control packet, which no pause stops, to the link, even if the link is not free
    /// yet. If a packet may leave before it, or it cannot start in this window, queues it.
    #[inline(always)]
    fn commit_control<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let nic = &self.host.nic;
        if !nic.has_control() && nic.link.free_at() < context.window_end() {
            let at = nic.link.free_at().max(context.now());
            self.host.start_on_link(packet, Class::Control, at, context);
        } else {
            self.queue_control(packet, context);
        }
    }

    #[inline(never)]
    fn queue_control<C: NetContext<WORDS>>(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let nic = &mut self.host.nic;
        if !nic.has_control() && !nic.control_is_paused() && !nic.link.busy(context) {
            let now = context.now();
            self.host
                .start_on_link(packet, Class::Control, now, context);
        } else {
            nic.enqueue_control(packet);
            self.slow_path_deadline = Time::ZERO;
        }
    }
}

/// Ahead of time.
impl<'a, const WORDS: usize, C: NetContext<WORDS>> Outbox<'a, WORDS, C> for FastHost<'a, WORDS> {
    fn send_control(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        if self.host.nic.control_is_pausable() {
            self.queue_control(packet, context);
        } else {
            self.commit_control(packet, context);
        }
    }

    fn on_qp_update(&mut self, update: QpUpdate, now: Time, _context: &mut C) {
        self.host.update_scheduler(update, now);
        self.note_timers();
    }

    fn run_programs(&mut self, now: Time, context: &mut C) {
        self.host.run_due_programs(now, context);
        self.note_programs();
    }

    /// Does nothing: queued packets leave when the host catches up.
    fn send_queued(&mut self, _context: &mut C) {}

    fn on_pause_change(&mut self, _context: &mut C) {
        self.slow_path_deadline = Time::ZERO;
    }
}

/// Catching up.
impl<const WORDS: usize> FastHost<'_, WORDS> {
    /// Catches up before a message is handled. Usually at most one data packet has to be sent,
    /// which needs no call.
    #[inline(always)]
    fn advance_to_arrival<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        let limit = now + INSTANT;
        if self.slow_path_deadline < limit {
            self.run_slow_path(limit, context);
        } else if self.sends_before(limit) {
            self.send_next(context);
            if self.host.nic.link.free_at() < limit || self.slow_path_deadline < limit {
                self.advance_to(limit, context);
            }
        }
        self.last_event = now;
    }

    /// Takes samples, sends packets, and runs timers, in order of time, before `limit`.
    #[inline(never)]
    fn advance_to<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        while self.slow_path_deadline >= limit && self.sends_before(limit) {
            self.send_next(context);
        }
        if self.slow_path_deadline < limit {
            self.run_slow_path(limit, context);
        }
    }

    /// Whether a data packet leaves before `limit`, and before the slow path has work.
    #[inline(always)]
    fn sends_before(&self, limit: Time) -> bool {
        let nic = &self.host.nic;
        nic.scheduler.earliest() < limit && nic.link.free_at() < limit
    }

    /// Sends the next packet, which is a data packet.
    #[inline(always)]
    fn send_next<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let nic = &mut self.host.nic;
        let eligible = nic.scheduler.earliest();
        let at = eligible.max(nic.link.free_at()).max(self.last_event);
        let slot = nic.scheduler.serve(at);
        self.send_data(slot, at, context);
    }

    /// Takes samples, sends packets, and runs timers. While nothing may be sent, usually nothing is
    /// due.
    #[inline(never)]
    fn run_slow_path<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        if self.timer_or_sample() < limit || !self.host.nic.is_held() {
            self.run_due(limit, context);
        }
    }

    #[inline(never)]
    fn run_due<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        self.take_samples(limit - INSTANT, context);
        self.run_due_work(limit, context);
        let nic = &self.host.nic;
        self.slow_path_deadline = if nic.has_control() || nic.is_paused() {
            Time::ZERO
        } else {
            self.timer_or_sample()
        };
    }

    #[inline]
    fn timer_or_sample(&self) -> Time {
        self.timer_deadline.min(self.host.sampling.next())
    }

    /// Sends packets and runs timers before `limit`. At equal times, packets leave before timers
    /// expire.
    fn run_due_work<C: NetContext<WORDS>>(&mut self, limit: Time, context: &mut C) {
        loop {
            let departure = self.host.nic.next_departure(self.last_event);
            if self.timer_deadline < departure.min(limit) {
                self.run_timers(context);
            } else if departure >= limit {
                return;
            } else if self.host.nic.control_may_leave() {
                let mut packet = self.host.nic.dequeue_control();
                let class = packet.class();
                self.host
                    .start_on_link(&mut packet, class, departure, context);
            } else {
                let slot = self.host.nic.scheduler.serve(departure);
                self.send_data(slot, departure, context);
            }
        }
    }

    /// Runs the earliest timers. At equal times, QPs come before programs.
    #[inline(never)]
    fn run_timers<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let at = self.timer_deadline;
        if self.host.sender.next_timer() == at {
            while let Some(expiry) = self.host.sender.run_due_timer(at) {
                self.host.reschedule(expiry.slot, at);
                self.host.queue_probe(&expiry, at);
            }
        } else {
            self.follow_programs(at, context);
        }
        self.last_event = self.last_event.max(at);
        self.timer_deadline = self.next_timer();
    }

    fn take_samples<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        if self.host.sampling.due(until) {
            self.take_due_samples(until, context);
        }
    }

    /// Takes all samples up to `until`, each of the state at its time.
    #[cold]
    fn take_due_samples<C: NetContext<WORDS>>(&mut self, until: Time, context: &mut C) {
        while !self.host.sender.is_empty() && self.host.sampling.due(until) {
            let next = self.host.sampling.next();
            self.run_due_work(next, context);
            // The state does not change before the next event.
            let departure = self.host.nic.next_departure(self.last_event);
            let unchanged = departure.min(self.timer_deadline).max(next);
            self.host
                .take_samples(unchanged.min(until), context.local());
        }
        self.host.take_samples(until, context.local());
    }
}

impl<const WORDS: usize> std::fmt::Debug for FastHost<'_, WORDS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("FastHost").field(&self.host).finish()
    }
}

impl<'a, const WORDS: usize> AsRef<Host<'a, WORDS>> for FastHost<'a, WORDS> {
    fn as_ref(&self) -> &Host<'a, WORDS> {
        &self.host
    }
}

impl<'a, const WORDS: usize> AsMut<Host<'a, WORDS>> for FastHost<'a, WORDS> {
    fn as_mut(&mut self) -> &mut Host<'a, WORDS> {
        &mut self.host
    }
}
