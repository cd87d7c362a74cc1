//! What leaves the NIC of a host, for the timelines of its flows.

use incast_units::{Rate, Time};

use crate::clock::{Clock, LinkClock, Ties};

/// What leaves the NIC of a host, and when it is paused.
#[derive(Clone, Debug)]
pub(crate) struct NicLog {
    /// Times of packets at the full rate of the link.
    clock: LinkClock,
    /// When the last packet began to leave, if one has left, and its size.
    sent: Option<(Time, u16)>,
    /// When it was out, as far as pauses ask.
    out: Time,
    /// Since when it is paused, if it is.
    paused: Option<Time>,
    /// When it was paused, and no packet left.
    pauses: Vec<(Time, Time)>,
    /// The flow of the last packet, if it was data.
    pub(crate) flow: Option<u32>,
}

impl NicLog {
    pub(crate) fn new(clock: Clock, rate: Rate) -> Self {
        Self {
            clock: LinkClock::new(clock, Ties::Insertion, rate),
            sent: None,
            out: Time::MAX,
            paused: None,
            pauses: Vec::new(),
            flow: None,
        }
    }

    /// Whether packets of the control class tell of more than themselves: a flow sent the packet
    /// before, or data are paused.
    #[inline(always)]
    pub(crate) fn listens(&self) -> bool {
        self.flow.is_some() || self.paused.is_some()
    }

    /// A packet of this size begins to leave.
    #[inline(always)]
    pub(crate) fn note_start(&mut self, size: u16, at: Time) {
        self.sent = Some((at, size));
        if let Some(since) = self.paused {
            self.end_pause(since, at);
            self.out = at + self.time_of(size);
        }
    }

    /// How long a packet of this size leaves.
    #[inline]
    pub(crate) fn time_of(&mut self, size: u16) -> Time {
        self.clock.transmission_time(size.into())
    }

    /// The peer pauses or resumes data; if no flow is under way, none asks for earlier pauses.
    pub(crate) fn set_paused(&mut self, paused: bool, now: Time, is_idle: bool) {
        if is_idle {
            self.pauses.clear();
        }
        match paused {
            true if self.paused.is_none() => {
                self.paused = Some(now);
                let last = self.sent.map(|(at, size)| at + self.time_of(size));
                self.out = last.unwrap_or(Time::MAX);
            }
            true => {}
            false => {
                if let Some(since) = self.paused.take() {
                    self.end_pause(since, now);
                }
            }
        }
    }

    fn end_pause(&mut self, since: Time, now: Time) {
        let from = since.max(self.out);
        if from < now {
            self.pauses.push((from, now));
        }
    }

    /// Whether a pause has ended after this time, or goes on.
    #[inline]
    pub(super) fn has_paused_since(&self, time: Time) -> bool {
        self.paused.is_some() || self.pauses.last().is_some_and(|(_, end)| *end > time)
    }

    /// Pauses within a span of time, in which no packet left.
    pub(super) fn pauses_within(
        &self,
        start: Time,
        end: Time,
    ) -> impl Iterator<Item = (Time, Time)> + use<> {
        let first = self.pauses.partition_point(|(_, until)| *until <= start);
        let open = self.paused.map(|since| (since.max(self.out), end));
        let known: Vec<_> = self.pauses[first..].iter().copied().chain(open).collect();
        let cut = known
            .into_iter()
            .map(move |(from, until)| (from.max(start), until.min(end)));
        cut.filter(|(from, until)| from < until)
    }
}
