//! Departures and pauses of a host's NIC, for the timelines of its flows.

use incast_units::{Rate, Time};

use crate::clock::{Clock, LinkClock, Ties};

/// The last departure from a host's NIC, and the NIC's pauses.
#[derive(Clone, Debug)]
pub(crate) struct NicLog {
    /// Transmission times at the full rate of the link.
    clock: LinkClock,
    /// Start of the last transmission, if any, and the packet's size.
    sent: Option<(Time, u16)>,
    /// End of the transmission that a pause interrupts; [`Time::MAX`] before the first packet.
    out: Time,
    /// Start of the current pause; `None` if the NIC is not paused.
    paused: Option<Time>,
    /// Times in which the NIC was paused and no packet left.
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

    /// Whether a control packet matters to a timeline: the previous packet was a flow's data
    /// packet, or data are paused.
    #[inline(always)]
    pub(crate) fn listens(&self) -> bool {
        self.flow.is_some() || self.paused.is_some()
    }

    /// Notes a packet of this size that starts to leave.
    #[inline(always)]
    pub(crate) fn note_start(&mut self, size: u16, at: Time) {
        self.sent = Some((at, size));
        if let Some(since) = self.paused {
            self.end_pause(since, at);
            self.out = at + self.time_of(size);
        }
    }

    /// Transmission time of a packet of this size.
    #[inline]
    pub(crate) fn time_of(&mut self, size: u16) -> Time {
        self.clock.transmission_time(size.into())
    }

    /// The peer pauses or resumes data. `is_idle`: no flow is under way, so earlier pauses are
    /// dropped.
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

    /// Whether a pause ended after this time, or still lasts.
    #[inline]
    pub(super) fn has_paused_since(&self, time: Time) -> bool {
        self.paused.is_some() || self.pauses.last().is_some_and(|(_, end)| *end > time)
    }

    /// Times from `start` to `end` in which the NIC was paused and no packet left.
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
