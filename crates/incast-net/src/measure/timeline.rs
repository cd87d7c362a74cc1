//! Where the time of a flow goes at its sender, in sums.
//!
//! The time since its start is cut into pieces: a packet leaves, or something keeps the next one.
//!
//! ```text
//! start ─ waits ─ packet leaves ─ waits ─ packet leaves ─ … ─ the last packet leaves
//! ```
//!
//! Two things are known later than a piece ends. What a full window was waited for depends on the
//! packet that leaves next: if it has been sent before, its loss was. And which packet is the last
//! one is known when its ACK has come, where packets overtake each other or are sent again. So
//! pieces are kept until both are known, and then become sums.

use std::collections::VecDeque;

use incast_units::{Rate, Time};

use super::{SendState, SenderPart};
use crate::clock::{Clock, LinkClock, Ties};

/// Which packet of a flow completes it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompletedBy {
    /// The one that leaves last: none overtakes another, and none is sent again.
    Sent,
    /// The one that the last ACK answers.
    Answered,
}

/// What a flow does, or waits for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Doing {
    /// This packet leaves.
    Sending {
        psn: u32,
        again: bool,
    },
    /// The window is full, or all has been sent, and nothing is known to be lost.
    Full,
    Waiting(SenderPart),
}

impl Doing {
    fn part(self) -> SenderPart {
        match self {
            Self::Sending { again: false, .. } => SenderPart::Sending,
            Self::Sending { again: true, .. } => SenderPart::Resending,
            Self::Full => SenderPart::Window,
            Self::Waiting(part) => part,
        }
    }
}

/// It ends where the next one begins.
#[derive(Copy, Clone, Debug)]
struct TimePiece {
    start: Time,
    doing: Doing,
}

/// What a sender is in, from some time on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) state: SendState,
    /// Whether its next packet has been sent before, and is taken for lost.
    pub(crate) sends_again: bool,
    /// Retransmission timeouts so far.
    pub(crate) timeouts: u32,
    /// Packets that are acknowledged, and all before them.
    pub(crate) acked: u32,
}

/// The time of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    last: CompletedBy,
    sums: [Time; SenderPart::NAMES.len()],
    /// Pieces of time in order that are not summed yet.
    pieces: VecDeque<TimePiece>,
    /// When the last of them ends.
    told: Time,
    standing: Standing,
    /// When its last packet began to leave, and when it was out.
    sent: Option<Time>,
    out: Time,
    /// Timeouts at that time.
    timeouts_when_out: u32,
    /// When another packet followed it at the NIC.
    followed: Time,
    /// The first packet that was never sent.
    unsent: u32,
    has_sent_again: bool,
}

impl Timeline {
    pub(crate) fn new(start: Time, last: CompletedBy) -> Self {
        Self {
            last,
            sums: [Time::ZERO; SenderPart::NAMES.len()],
            pieces: VecDeque::new(),
            told: start,
            standing: Standing {
                state: SendState::Ready,
                sends_again: false,
                timeouts: 0,
                acked: 0,
            },
            sent: None,
            out: start,
            timeouts_when_out: 0,
            followed: Time::MAX,
            unsent: 0,
            has_sent_again: false,
        }
    }

    /// Whether the last ACK has to tell of the packet that it answers.
    pub(crate) fn asks_ack(&self) -> bool {
        self.last == CompletedBy::Answered
    }

    /// What its sender is in from now on.
    pub(crate) fn note(&mut self, now: Time, standing: Standing, nic: &NicLog) {
        self.tell_until(now, nic);
        self.standing = standing;
        if now <= self.out {
            self.timeouts_when_out = standing.timeouts;
        }
        if self.asks_ack() && !self.has_sent_again {
            self.settle_acked();
        }
    }

    /// This packet begins to leave, for some time.
    pub(crate) fn note_sent(&mut self, now: Time, psn: u32, time: Time, nic: &NicLog) {
        self.tell_until(now, nic);
        let again = psn < self.unsent;
        if again {
            self.has_sent_again = true;
            self.wait_for_loss();
        }
        self.unsent = self.unsent.max(psn + 1);
        if self.last == CompletedBy::Sent {
            self.settle(now);
        }
        let doing = Doing::Sending { psn, again };
        self.pieces.push_back(TimePiece { start: now, doing });
        (self.sent, self.out, self.told) = (Some(now), now + time, now + time);
        self.timeouts_when_out = self.standing.timeouts;
        self.followed = Time::MAX;
    }

    /// Another packet begins to leave after its last one.
    pub(crate) fn note_follower(&mut self, at: Time) {
        self.followed = at;
    }

    /// When the packet left that completed it, if the last ACK answers one that left at `answered`;
    /// and its parts until then.
    pub(crate) fn parts(&self, answered: Time) -> (Time, [Time; SenderPart::NAMES.len()]) {
        let mut whole = self.clone();
        let left = match self.last {
            CompletedBy::Sent => self.sent.unwrap_or(self.told),
            CompletedBy::Answered => answered,
        };
        if left > whole.told {
            // A probe, which leaves when all has been sent.
            whole.push(whole.told, Doing::Full);
            whole.told = left;
        }
        whole.settle(left);
        (left, whole.sums)
    }

    /// Adds pieces up to a time.
    fn tell_until(&mut self, now: Time, nic: &NicLog) {
        let (from, state) = (self.told, self.standing.state);
        if from >= now {
            return;
        }
        let mut ready = now;
        match state {
            SendState::Ready => ready = from,
            SendState::Pacing(until) => {
                ready = until.clamp(from, now);
                if from < ready {
                    self.push(from, Doing::Waiting(SenderPart::Pacing));
                }
            }
            SendState::Window | SendState::SentAll if !self.standing.sends_again => {
                self.push(from, Doing::Full);
            }
            SendState::Window | SendState::SentAll => self.wait(from, SenderPart::Window),
            SendState::Grant => self.wait(from, SenderPart::Grant),
            SendState::Credit => self.wait(from, SenderPart::Credit),
            SendState::Turn => self.wait(from, SenderPart::Turn),
        }
        if ready < now {
            self.wait_for_nic(ready, now, nic);
        }
        self.told = now;
    }

    fn wait(&mut self, from: Time, part: SenderPart) {
        self.push(from, Doing::Waiting(part));
    }

    /// Nothing but the link keeps it: its own last packet, other ones, or a pause.
    fn wait_for_nic(&mut self, from: Time, until: Time, nic: &NicLog) {
        let mut at = from;
        for (pause, end) in nic.pauses_within(from, until) {
            self.wait_for_packets(at, pause);
            self.wait(pause, SenderPart::Pause);
            at = end;
        }
        self.wait_for_packets(at, until);
    }

    fn wait_for_packets(&mut self, from: Time, until: Time) {
        let own = match self.sent {
            Some(_) => self.followed.clamp(from, until.max(from)),
            None => from,
        };
        if from < own {
            self.wait(from, SenderPart::Sending);
        }
        if own < until {
            self.wait(own, SenderPart::Nic);
        }
    }

    fn push(&mut self, start: Time, doing: Doing) {
        if self.pieces.back().is_none_or(|last| last.doing != doing) {
            self.pieces.push_back(TimePiece { start, doing });
        }
    }

    /// The packet that leaves now has been sent before: where nothing was known of its loss, that
    /// was waited for.
    fn wait_for_loss(&mut self) {
        let part = match self.standing.timeouts > self.timeouts_when_out {
            true => SenderPart::Timeout,
            false => SenderPart::Loss,
        };
        let waits = self.pieces.iter_mut().rev();
        for piece in waits.take_while(|piece| !matches!(piece.doing, Doing::Sending { .. })) {
            if piece.doing == Doing::Full {
                piece.doing = Doing::Waiting(part);
            }
        }
    }

    /// Pieces before a time become sums.
    fn settle(&mut self, until: Time) {
        while let Some(piece) = self.pieces.front().filter(|piece| piece.start < until) {
            let end = self.pieces.get(1).map_or(self.told, |next| next.start);
            self.sums[piece.doing.part() as usize] += end.min(until) - piece.start;
            self.pieces.pop_front();
        }
    }

    /// Pieces become sums that are before the first packet without an ACK, if nothing has been sent
    /// again: the last packet is none of those before it.
    fn settle_acked(&mut self) {
        let acked = self.standing.acked;
        let is_open = |piece: &TimePiece| {
            piece.start >= self.out
                || matches!(piece.doing, Doing::Sending { psn, .. } if psn >= acked)
        };
        if let Some(first) = self.pieces.iter().find(|piece| is_open(piece)) {
            self.settle(first.start);
        }
    }
}

/// What leaves the NIC of a host, and when it is paused.
#[derive(Clone, Debug)]
pub(crate) struct NicLog {
    /// Times of packets at the full rate of the link.
    clock: LinkClock,
    /// When the last packet was out; never, if none has left.
    out: Time,
    /// Since when the NIC is paused, if it is.
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
            out: Time::MAX,
            paused: None,
            pauses: Vec::new(),
            flow: None,
        }
    }

    /// A packet of this size begins to leave; returns how long it takes.
    pub(crate) fn note_start(&mut self, size: u16, at: Time) -> Time {
        if let Some(since) = self.paused {
            self.end_pause(since, at);
        }
        let time = self.clock.transmission_time(size.into());
        self.out = at + time;
        time
    }

    /// The peer pauses or resumes data; if no flow is under way, none asks for earlier pauses.
    pub(crate) fn set_paused(&mut self, paused: bool, now: Time, is_idle: bool) {
        if is_idle {
            self.pauses.clear();
        }
        match paused {
            true => {
                self.paused.get_or_insert(now);
            }
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

    /// Pauses within a span of time, in which no packet left.
    fn pauses_within(&self, start: Time, end: Time) -> impl Iterator<Item = (Time, Time)> + use<> {
        let first = self.pauses.partition_point(|(_, until)| *until <= start);
        let open = self.paused.map(|since| (since.max(self.out), end));
        let known: Vec<_> = self.pauses[first..].iter().copied().chain(open).collect();
        let cut = known
            .into_iter()
            .map(move |(from, until)| (from.max(start), until.min(end)));
        cut.filter(|(from, until)| from < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS: fn(u64) -> Time = Time::from_ns;
    /// Bytes of a packet, which takes 83,840 ps.
    const WIRE: u16 = 1048;
    const PACKET: u64 = 83_840;

    /// A host at 100 Gb/s with one flow, which starts at 0.
    struct Host {
        nic: NicLog,
        flow: Timeline,
    }

    impl Host {
        fn new(last: CompletedBy) -> Self {
            Self {
                nic: NicLog::new(Clock::Picoseconds, Rate::from_gbps(100)),
                flow: Timeline::new(Time::ZERO, last),
            }
        }

        fn send(&mut self, ns: u64, psn: u32) {
            let time = self.nic.note_start(WIRE, NS(ns));
            self.flow.note_sent(NS(ns), psn, time, &self.nic);
        }

        fn note(&mut self, ns: u64, state: SendState, timeouts: u32) {
            let standing = Standing {
                state,
                sends_again: false,
                timeouts,
                acked: 0,
            };
            self.flow.note(NS(ns), standing, &self.nic);
        }

        /// Parts in ps, without those that have none.
        fn parts(&self, answered: u64) -> Vec<(&'static str, u64)> {
            let (left, sums) = self.flow.parts(NS(answered));
            assert_eq!(sums.iter().copied().sum::<Time>(), left);
            let named = SenderPart::NAMES.into_iter().zip(sums.map(Time::as_ps));
            named.filter(|(_, time)| *time > 0).collect()
        }
    }

    /// The window opens after 1000 ns, the pace lets the third packet go at 2000 ns. The NIC is
    /// paused up to 2500 ns, and an ACK leaves up to 2600 ns.
    #[test]
    fn waits_are_told_apart() {
        let mut host = Host::new(CompletedBy::Sent);
        host.send(0, 0);
        host.note(0, SendState::Window, 0);
        host.note(1000, SendState::Ready, 0);
        host.send(1000, 1);
        host.note(1000, SendState::Pacing(NS(2000)), 0);
        host.nic.set_paused(true, NS(1900), false);
        host.nic.set_paused(false, NS(2500), false);
        host.nic.note_start(1250, NS(2500));
        host.flow.note_follower(NS(2500));
        host.send(2600, 2);
        let expected = [
            ("fct_sending_ps", 2 * PACKET),
            ("fct_full_window_ps", 1_000_000 - PACKET),
            ("fct_pacing_ps", 1_000_000 - PACKET),
            ("fct_nic_ps", 100_000),
            ("fct_nic_paused_ps", 500_000),
        ];
        assert_eq!(host.parts(0), expected);
    }

    /// Two packets leave at 0 and 100 ns, and nothing may follow. A timeout sends the first one
    /// again at 1000 ns. What completes the flow may be the answer to any of them.
    #[test]
    fn what_was_waited_for_is_known_when_a_packet_leaves_again() {
        let mut host = Host::new(CompletedBy::Answered);
        host.send(0, 0);
        host.note(0, SendState::Pacing(NS(100)), 0);
        host.send(100, 1);
        host.note(100, SendState::SentAll, 0);
        host.note(1000, SendState::Ready, 1);
        host.send(1000, 0);
        host.note(1000, SendState::SentAll, 1);
        host.note(3000, SendState::SentAll, 1);
        let before = [
            ("fct_sending_ps", PACKET),
            ("fct_pacing_ps", 100_000 - PACKET),
        ];
        assert_eq!(host.parts(100), before);
        let all = [
            ("fct_sending_ps", 2 * PACKET),
            ("fct_pacing_ps", 100_000 - PACKET),
            ("fct_timeout_ps", 900_000 - PACKET),
        ];
        assert_eq!(host.parts(1000), all);
    }
}
