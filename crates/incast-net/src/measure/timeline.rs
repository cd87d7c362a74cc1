//! The parts of a flow's time at its sender, as sums.
//!
//! The time since the start of the flow is cut into pieces: a packet leaves, or the next one waits.
//!
//! ```text
//! start ─ waits ─ packet leaves ─ waits ─ packet leaves ─ … ─ the last packet leaves
//! ```
//!
//! Where packets keep their order and none is sent again, the last packet that leaves completes the
//! flow, and pieces become sums at once. Elsewhere pieces are kept, because two facts are known
//! only later. Waiting with a full window counts as waiting for a loss if the next packet is a
//! retransmission. And the packet that completes the flow is known only from the last ACK.

use incast_units::Time;

use super::{NicLog, SendState, SenderPart};

/// The packet of a flow that completes it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompletedBy {
    /// The packet that leaves last: none overtakes another, and none is sent again.
    Sent,
    /// The packet that the last ACK answers. `timed`: packets carry their times on links.
    Answered { timed: bool },
}

/// The state of a flow at its sender during a piece of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Doing {
    /// This packet leaves.
    Sending {
        psn: u32,
        again: bool,
    },
    /// The window is full, or all data have been sent, and no loss is known.
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

/// A piece of time, which ends where the next one begins.
#[derive(Copy, Clone, Debug)]
struct TimePiece {
    start: Time,
    doing: Doing,
}

/// What keeps the next packet of a flow from leaving, from some time on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// For its pacing until this time, then only for the link.
    Pace(Time),
    /// For an ACK: the window is full, or all data have been sent, and no loss is known.
    Full,
    Other(SenderPart),
}

impl Keeper {
    /// From the state of a sender; `sends_again`: whether its next packet is a retransmission.
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

/// A packet that starts to leave.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct DepartingPacket {
    pub(crate) psn: u32,
    /// Transmission time of the packet.
    pub(crate) time: Time,
    /// Packets of the flow that are acknowledged in order.
    pub(crate) acked: u32,
    /// Retransmission timeouts of the flow so far.
    pub(crate) timeouts: u32,
}

/// The packet that completes a flow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompletingPacket {
    /// The last packet of the flow.
    OfFlow,
    Number(u32),
    /// A packet, perhaps a probe, that carries its time on links.
    Timed,
}

/// The parts of a flow's time until the completing packet left.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimeAtSender {
    /// When the completing packet left.
    pub(crate) left: Time,
    pub(crate) packet: CompletingPacket,
    pub(crate) parts: [Time; SenderPart::NAMES.len()],
}

/// Number of kept pieces below which none become sums.
const PIECES: usize = 32;

/// The timeline of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    last: CompletedBy,
    sums: [Time; SenderPart::NAMES.len()],
    /// Sums when the last packet started to leave, where this packet completes the flow.
    sums_at_last: [Time; SenderPart::NAMES.len()],
    /// Pieces that are not in the sums yet, in order.
    pieces: Vec<TimePiece>,
    /// Number of kept pieces at which the oldest may be added to the sums.
    pieces_to_ask: usize,
    /// End of the last piece.
    told: Time,
    keeper: Keeper,
    /// Start of the last packet's transmission.
    sent: Option<Time>,
    out: Time,
    /// Number of timeouts at the end of this transmission.
    timeouts_when_out: u32,
    /// When another packet followed the last one at the NIC.
    followed: Time,
    /// The lowest PSN that was never sent.
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

    /// Sets what keeps the next packet from now on.
    #[inline]
    pub(crate) fn note(&mut self, now: Time, keeper: Keeper, nic: &NicLog) {
        if keeper != self.keeper {
            self.tell_until(now, nic);
            self.keeper = keeper;
        }
    }

    /// A timer may have expired now; `timeouts`: their number so far.
    pub(crate) fn note_timeouts(&mut self, now: Time, timeouts: u32) {
        if now <= self.out {
            self.timeouts_when_out = timeouts;
        }
    }

    /// A packet starts to leave.
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

    /// Another flow's packet starts to leave after this flow's last one.
    pub(crate) fn note_follower(&mut self, at: Time) {
        self.followed = at;
    }

    /// The parts of the flow's time, if the last ACK answers a packet that left at `answered`.
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

    /// The PSN of the packet that left at `left`, and the parts until then.
    fn until(&self, left: Time) -> (Option<u32>, [Time; SenderPart::NAMES.len()]) {
        let mut last = self.pieces.iter().rev();
        let psn = last.find_map(|piece| match piece.doing {
            Doing::Sending { psn, .. } if piece.start == left => Some(psn),
            _ => None,
        });
        let mut parts = self.sums_with(self.pieces.len(), left);
        // A probe leaves after all data have been sent.
        parts[SenderPart::Window as usize] += left.saturating_sub(self.told);
        (psn, parts)
    }

    /// Adds pieces up to `now`.
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

    /// Adds pieces in which only the NIC keeps the packet: the flow's own last packet, other
    /// packets, or a pause.
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

    /// Adds a piece, unless it is empty.
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

    /// A packet leaves that may be the flow's last packet.
    fn count_packet(&mut self, now: Time, time: Time) {
        // Where the link is faster than its rate, a packet has left before its transmission time
        // is over.
        let early = self.told.saturating_sub(now);
        self.sums[SenderPart::Sending as usize] -= early;
        self.sums_at_last = self.sums;
        self.sums[SenderPart::Sending as usize] += time;
    }

    /// A packet leaves, after which other packets may still complete the flow.
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

    /// A retransmission leaves: where its loss was not known, the pieces before it become waiting
    /// for the loss.
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

    /// Moves pieces before the first unacknowledged packet into the sums. Called while nothing has
    /// been retransmitted, so that none of these packets completes the flow. Pieces since the last
    /// packet stay.
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

    /// The sums plus the first `pieces` pieces, as far as they are before `until`.
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
