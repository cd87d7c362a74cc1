//! Spans: periods at both ends of which all nodes stand at the same time. Where sides alternate,
//! the ends cut windows in two, so spans are long. A span ends early after many events, because the
//! program acts only between spans. It must hear in time that the run is to end, and its messages
//! stay in memory until then.

use std::ops::Range;

use incast_units::Time;

use super::{WindowContext, WindowEngine};
use crate::message::Message;
use crate::node::{Node, NodeShape};

/// Number of windows of each side in a span, where sides alternate.
const WINDOWS: u64 = 32;
/// Smallest number of messages and timers after which a span ends early: some tens of milliseconds.
/// The networks of tests are small.
const EVENTS: u64 = if cfg!(test) { 300 } else { 500_000 };
/// The same per port.
const EVENTS_PER_PORT: u64 = if cfg!(test) { 0 } else { 8 };

impl<M: Message, N: NodeShape> WindowEngine<N, M> {
    /// Planned length of a span.
    pub fn span(&self) -> Time {
        match self.state.router.turns.is_alternating() {
            true => self.length() * WINDOWS,
            false => self.length(),
        }
    }

    /// Total number of handled events after which a span that begins now ends early, in a network
    /// of this many ports.
    pub(crate) fn limit_of_span(&self, handled: u64, ports: usize) -> u64 {
        match self.state.router.turns.is_alternating() {
            true => handled + EVENTS.max(EVENTS_PER_PORT * ports as u64),
            false => u64::MAX,
        }
    }

    /// The first time at which all nodes can stand after this turn.
    pub(crate) fn meeting_after(&self, turn: u64) -> Time {
        let turns = self.state.router.turns;
        Time::from_ps(turns.end(turn).next_multiple_of(turns.length()))
    }

    /// Processes all events from `start` to `end`, both multiples of a window's length, but none at
    /// or after `stop`. Returns the end of the last window, or part of one, that had work. Returns
    /// the end of the span, too, which is earlier than `end` after many events.
    pub fn run_span<L>(
        &mut self,
        start: Time,
        mut end: Time,
        stop: Time,
        local: &mut L,
    ) -> (Time, Time)
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let limit = self.limit_of_span(self.handled(), self.ports());
        let (mut turn, mut last) = (0, start);
        while let Some(done) = self.run_first(turn..u64::MAX, (start, end, stop), local) {
            (turn, last) = (done + 1, self.end_of_turn(done).min(end));
            if self.handled() > limit {
                end = end.min(self.meeting_after(done));
            }
        }
        (last, end)
    }

    /// Takes all turns of `range` that have work from `start` to `end`, and before `stop`. Returns
    /// the end of the last window, or part of one.
    pub(crate) fn run_turns<L>(
        &mut self,
        range: Range<u64>,
        span: (Time, Time, Time),
        local: &mut L,
    ) -> Option<Time>
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let (mut turn, mut last) = (range.start, None);
        while let Some(done) = self.run_first(turn..range.end, span, local) {
            (turn, last) = (done + 1, Some(self.end_of_turn(done).min(span.1)));
        }
        last
    }

    /// Takes the first turn of `range` that has work from `start` to `end`, and before `stop`.
    #[inline(always)]
    fn run_first<L>(
        &mut self,
        range: Range<u64>,
        (start, end, stop): (Time, Time, Time),
        local: &mut L,
    ) -> Option<u64>
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let until = end.min(stop);
        let turn = self.first_turn_of(range, until)?;
        self.run_turn(turn, (start.as_ps(), until.as_ps()), local);
        Some(turn)
    }

    /// The first turn of `range` that has work, if its window starts before `until`.
    #[inline(always)]
    fn first_turn_of(&self, range: Range<u64>, until: Time) -> Option<u64> {
        let turn = self.first_turn_from(range.start)?;
        (turn < range.end && self.start_of_turn(turn) < until).then_some(turn)
    }

    /// Takes this turn in two parts, if it has work from `start` to `end`, and before `stop`: the
    /// `outer` nodes, by number, then the others. Calls `in_between` between the parts, with or
    /// without work. Returns the end of the window, or part of one.
    pub(crate) fn run_in_two<L>(
        &mut self,
        turn: u64,
        (start, end, stop): (Time, Time, Time),
        outer: &[bool],
        local: &mut L,
        in_between: impl FnOnce(&mut Self),
    ) -> Option<Time>
    where
        for<'c> N: Node<WindowContext<'c, M, L>>,
    {
        let until = end.min(stop);
        if self.first_turn_of(turn..turn + 1, until).is_none() {
            in_between(self);
            return None;
        }
        let span = (start.as_ps(), until.as_ps());
        self.run_turn_in_two(turn, span, outer, local, in_between);
        Some(self.end_of_turn(turn).min(end))
    }

    fn end_of_turn(&self, turn: u64) -> Time {
        Time::from_ps(self.state.router.turns.end(turn))
    }
}
