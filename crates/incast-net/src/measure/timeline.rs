//! Where the time of a flow goes at its sender, in sums.
//!
//! The time since its start is cut into pieces: a packet leaves, or something keeps the next one.
//!
//! ```text
//! start ─ waits ─ packet leaves ─ waits ─ packet leaves ─ … ─ the last packet leaves
//! ```
//!
//! Pieces become sums at once where packets keep their order and none is sent again: the last one
//! that leaves is the one that completes the flow. Elsewhere two things are known later than a
//! piece ends. What a full window was waited for depends on the packet that leaves next: if it has
//! been sent before, its loss was. And which packet is the last one is known when its ACK has come.
//! So pieces are kept there until both are known.

use incast_units::Time;

use super::{NicLog, SendState, SenderPart};

/// Which packet of a flow completes it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompletedBy {
    /// The one that leaves last: none overtakes another, and none is sent again.
    Sent,
    /// The one that the last ACK answers; whether both tell their times on links.
    Answered { timed: bool },
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

/// What keeps the next packet of a flow, from some time on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// Its pace until then, and nothing but the link from then on.
    Pace(Time),
    /// The window is full, or all has been sent, and nothing is known to be lost.
    Full,
    Other(SenderPart),
}

impl Keeper {
    /// As a sender tells its state; whether its next packet has been sent before, and is taken for
    /// lost.
    pub(crate) fn new(state: SendState, sends_again: bool) -> Self {
        match state {
            SendState::Ready => Self::Pace(Time::ZERO),
            SendState::Pacing(until) => Self::Pace(until),
            SendState::Window | SendState::SentAll if !sends_again => Self::Full,
            SendState::Window | SendState::SentAll => Self::Other(SenderPart::Window),
            SendState::Grant => Self::Other(SenderPart::Grant),
            SendState::Credit => Self::Other(SenderPart::Credit),
            SendState::Turn => Self::Other(SenderPart::Turn),
        }
    }
}

/// A packet that begins to leave.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct DepartingPacket {
    pub(crate) psn: u32,
    /// How long it leaves.
    pub(crate) time: Time,
    /// Packets of the flow that are acknowledged, and all before them.
    pub(crate) acked: u32,
    /// Retransmission timeouts of the flow so far.
    pub(crate) timeouts: u32,
}

/// The packet that completed a flow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompletingPacket {
    /// The last one of the flow.
    OfFlow,
    Number(u32),
    /// It tells its time on links, and may be a probe.
    Timed,
}

/// Where the time of a flow went until the packet left that completed it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeAtSender {
    /// When that packet left.
    pub(crate) left: Time,
    pub(crate) packet: CompletingPacket,
    pub(crate) parts: [Time; SenderPart::NAMES.len()],
}

/// So many pieces are kept at least.
const PIECES: usize = 32;

/// The time of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    last: CompletedBy,
    sums: [Time; SenderPart::NAMES.len()],
    /// Sums when its last packet began to leave, where that completes the flow.
    sums_at_last: [Time; SenderPart::NAMES.len()],
    /// In order, those that are no sums yet.
    pieces: Vec<TimePiece>,
    /// How many there are when it is asked next which of them can become sums.
    pieces_to_ask: usize,
    /// When the last of them ends.
    told: Time,
    keeper: Keeper,
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
            sums_at_last: [Time::ZERO; SenderPart::NAMES.len()],
            pieces: Vec::new(),
            pieces_to_ask: PIECES,
            told: start,
            keeper: Keeper::Pace(Time::ZERO),
            sent: None,
            out: start,
            timeouts_when_out: 0,
            followed: Time::MAX,
            unsent: 0,
            has_sent_again: false,
        }
    }

    /// What keeps its next packet from now on.
    #[inline]
    pub(crate) fn note(&mut self, now: Time, keeper: Keeper, nic: &NicLog) {
        if keeper != self.keeper {
            self.tell_until(now, nic);
            self.keeper = keeper;
        }
    }

    /// A timer may have expired now, after so many timeouts in all.
    pub(crate) fn note_timeouts(&mut self, now: Time, timeouts: u32) {
        if now <= self.out {
            self.timeouts_when_out = timeouts;
        }
    }

    /// This packet begins to leave.
    pub(crate) fn note_sent(&mut self, now: Time, packet: DepartingPacket, nic: &NicLog) {
        self.tell_until(now, nic);
        match self.last {
            CompletedBy::Sent => self.count_packet(now, packet.time),
            CompletedBy::Answered { .. } => self.keep_packet(now, packet),
        }
        (self.sent, self.out, self.told) = (Some(now), now + packet.time, now + packet.time);
        self.timeouts_when_out = packet.timeouts;
        self.followed = Time::MAX;
    }

    /// Another packet begins to leave after its last one.
    pub(crate) fn note_follower(&mut self, at: Time) {
        self.followed = at;
    }

    /// Where its time went, if the last ACK answers a packet that left at `answered`.
    pub(crate) fn at_sender(&self, answered: Time) -> TimeAtSender {
        match self.last {
            CompletedBy::Sent => TimeAtSender {
                left: self.sent.unwrap_or(self.told),
                packet: CompletingPacket::OfFlow,
                parts: self.sums_at_last,
            },
            CompletedBy::Answered { timed } => {
                let (psn, parts) = self.until(answered);
                TimeAtSender {
                    left: answered,
                    packet: match timed {
                        true => CompletingPacket::Timed,
                        false => CompletingPacket::Number(psn.expect("it left at that time")),
                    },
                    parts,
                }
            }
        }
    }

    /// The number of the packet that left at a time, and the parts until then.
    fn until(&self, left: Time) -> (Option<u32>, [Time; SenderPart::NAMES.len()]) {
        let mut last = self.pieces.iter().rev();
        let psn = last.find_map(|piece| match piece.doing {
            Doing::Sending { psn, .. } if piece.start == left => Some(psn),
            _ => None,
        });
        let mut parts = self.sums_with(self.pieces.len(), left);
        // A probe leaves when all has been sent.
        parts[SenderPart::Window as usize] += left.saturating_sub(self.told);
        (psn, parts)
    }

    /// Adds pieces up to a time.
    fn tell_until(&mut self, now: Time, nic: &NicLog) {
        let from = self.told;
        if from >= now {
            return;
        }
        match self.keeper {
            Keeper::Pace(until) => {
                let ready = until.clamp(from, now);
                self.add(from, ready, Doing::Waiting(SenderPart::Pacing));
                if ready < now {
                    self.wait_for_nic(ready, now, nic);
                }
            }
            Keeper::Full => self.add(from, now, Doing::Full),
            Keeper::Other(part) => self.add(from, now, Doing::Waiting(part)),
        }
        self.told = now;
    }

    /// Nothing but the link keeps it: its own last packet, other ones, or a pause.
    fn wait_for_nic(&mut self, from: Time, until: Time, nic: &NicLog) {
        let mut at = from;
        if nic.has_paused_since(from) {
            for (pause, end) in nic.pauses_within(from, until) {
                self.wait_for_packets(at, pause);
                self.add(pause, end, Doing::Waiting(SenderPart::Pause));
                at = end;
            }
        }
        self.wait_for_packets(at, until);
    }

    fn wait_for_packets(&mut self, from: Time, until: Time) {
        let own = match self.sent {
            Some(_) => self.followed.clamp(from, until.max(from)),
            None => from,
        };
        self.add(from, own, Doing::Waiting(SenderPart::Sending));
        self.add(own, until, Doing::Waiting(SenderPart::Nic));
    }

    /// Adds a piece, or nothing if it ends where it starts.
    #[inline]
    fn add(&mut self, start: Time, end: Time, doing: Doing) {
        if start >= end {
            return;
        }
        match self.last {
            CompletedBy::Sent => self.sums[doing.part() as usize] += end - start,
            CompletedBy::Answered { .. } => {
                if self.pieces.last().is_none_or(|last| last.doing != doing) {
                    self.pieces.push(TimePiece { start, doing });
                }
            }
        }
    }

    /// A packet leaves that may be the last one.
    fn count_packet(&mut self, now: Time, time: Time) {
        // Where the link is faster than its rate, packets are out before their time.
        let early = self.told.saturating_sub(now);
        self.sums[SenderPart::Sending as usize] -= early;
        self.sums_at_last = self.sums;
        self.sums[SenderPart::Sending as usize] += time;
    }

    /// A packet leaves, and it is not known which one is the last.
    fn keep_packet(&mut self, now: Time, packet: DepartingPacket) {
        let psn = packet.psn;
        let again = psn < self.unsent;
        if again {
            self.has_sent_again = true;
            self.wait_for_loss(packet.timeouts);
        }
        self.unsent = self.unsent.max(psn + 1);
        if self.pieces.len() >= self.pieces_to_ask && !self.has_sent_again {
            self.settle(packet.acked);
            self.pieces_to_ask = PIECES.max(2 * self.pieces.len());
        }
        let doing = Doing::Sending { psn, again };
        self.pieces.push(TimePiece { start: now, doing });
    }

    /// The packet that leaves now has been sent before: where nothing was known of its loss, that
    /// was waited for.
    fn wait_for_loss(&mut self, timeouts: u32) {
        let part = match timeouts > self.timeouts_when_out {
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

    /// Pieces become sums that are before the first packet without an ACK, if nothing has been sent
    /// again: the last packet is none of those before it. Waits since the last packet stay.
    fn settle(&mut self, acked: u32) {
        let is_open = |piece: &TimePiece| {
            piece.start >= self.out
                || matches!(piece.doing, Doing::Sending { psn, .. } if psn >= acked)
        };
        let first = self.pieces.iter().position(is_open);
        let settled = first.unwrap_or(self.pieces.len());
        self.sums = self.sums_with(settled, self.told);
        self.pieces.drain(..settled);
    }

    /// Sums and so many pieces, as far as they are before a time.
    fn sums_with(&self, pieces: usize, until: Time) -> [Time; SenderPart::NAMES.len()] {
        let mut sums = self.sums;
        let ends = self.pieces.iter().skip(1).map(|next| next.start);
        let ends = ends.chain([self.told]);
        for (piece, end) in self.pieces.iter().zip(ends).take(pieces) {
            let time = end.min(until).saturating_sub(piece.start);
            sums[piece.doing.part() as usize] += time;
        }
        sums
    }
}

#[cfg(test)]
mod tests;
