//! The sequence numbers of one flow at its sender. Go-back-N needs no other state.

use incast_cc::LossKind;

use crate::wire::Kind;

/// The cutting of a flow into packets: all but the last are full.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Segments {
    /// Payload bytes of a full packet.
    pub(crate) mtu: u64,
    /// Payload bytes of the flow.
    pub(crate) size: u64,
}

/// `snd_una` and `snd_nxt`, in packets and bytes, and the state of ACKs owed for the packets
/// between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequence {
    /// Number of packets of the flow.
    pub(crate) packets: u32,
    /// `snd_nxt` in packets: the next packet in order to send, apart from single retransmissions.
    pub(super) next: u32,
    /// `snd_nxt` in bytes.
    pub(super) next_byte: u64,
    /// `snd_una` in packets: all packets before this PSN are acknowledged.
    pub(crate) acked: u32,
    /// `snd_una` in bytes.
    pub(super) acked_byte: u64,
    /// `snd_max` at the last go-back, in packets (0 before one): retransmissions lie below it.
    sent_before: u32,
    /// The receiver sends an ACK for this many packets, or earlier on request.
    pub(super) ack_every: u32,
    /// Go-back-N: one past the PSN of the last packet with an ACK request.
    ack_requested: u32,
    /// Go-back-N: whether a timeout caused the last go-back.
    has_timed_out: bool,
}

/// A packet that leaves now.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NextSegment {
    pub(crate) psn: u32,
    pub(crate) payload: u64,
    pub(crate) kind: Kind,
    pub(crate) is_retransmission: bool,
    /// Whether a timeout caused this retransmission.
    pub(crate) is_after_timeout: bool,
    /// The number of this transmission; only with a scoreboard.
    pub(crate) transmission: u64,
    /// The window under which the packet leaves. If the limit has a number of bytes that may leave,
    /// the window in the same limit.
    pub(crate) window: u64,
}

impl Segments {
    /// Sequence number of the first byte of packet `psn`.
    #[inline(always)]
    pub(super) fn first_byte(&self, psn: u32) -> u64 {
        (u64::from(psn) * self.mtu).min(self.size)
    }

    /// Payload of packet `psn`.
    #[inline]
    pub(super) fn payload(&self, psn: u32) -> u64 {
        self.first_byte(psn + 1) - self.first_byte(psn)
    }
}

impl Sequence {
    pub(super) fn new(packets: u32, ack_every: u32) -> Self {
        Self {
            packets,
            ack_every,
            ..Self::default()
        }
    }

    /// Whether all packets are acknowledged.
    #[inline(always)]
    pub(super) fn is_finished(&self) -> bool {
        self.acked == self.packets
    }

    /// The first packet that has never been sent.
    pub(super) fn first_unsent(&self) -> u32 {
        self.next.max(self.sent_before)
    }

    /// All packets before `psn` have arrived; returns the payload bytes acknowledged for the first
    /// time.
    #[inline(always)]
    pub(super) fn acknowledge_before(&mut self, psn: u32, segments: Segments) -> u64 {
        if psn <= self.acked {
            return 0;
        }
        let byte = segments.first_byte(psn);
        let newly_acked = byte - self.acked_byte;
        (self.acked, self.acked_byte) = (psn, byte);
        if psn > self.next {
            // An ACK of packets that were sent before the flow went back.
            (self.next, self.next_byte) = (psn, byte);
        }
        newly_acked
    }

    /// Continues at `psn`, or at `snd_nxt` if that is lower.
    pub(super) fn resume_at(&mut self, psn: u32, segments: Segments) {
        let psn = psn.min(self.next);
        (self.next, self.next_byte) = (psn, segments.first_byte(psn));
        self.ack_requested = self.ack_requested.min(psn);
    }
}

/// Go-back-N.
impl Sequence {
    /// Payload bytes in flight.
    #[inline]
    pub(super) fn in_flight(&self) -> u64 {
        self.next_byte - self.acked_byte
    }

    #[inline]
    fn window_is_full(&self, window: u64) -> bool {
        self.in_flight() >= window
    }

    /// Whether bytes are left and `window` admits the next packet.
    #[inline(always)]
    pub(super) fn may_send(&self, window: u64) -> bool {
        self.next != self.packets && (!self.window_is_full(window) || !self.is_owed_ack())
    }

    /// Whether the receiver owes an ACK even if no more packets are sent.
    #[inline]
    pub(super) fn is_owed_ack(&self) -> bool {
        self.ack_requested > self.acked || self.next - self.acked >= self.ack_every
    }

    /// Takes the next packet to send.
    #[inline(always)]
    pub(super) fn send(&mut self, segments: Segments, window: u64) -> NextSegment {
        let psn = self.next;
        let payload = segments.mtu.min(segments.size - self.next_byte);
        let is_retransmission = psn < self.sent_before;
        self.next = psn + 1;
        self.next_byte += payload;
        let kind = if self.next == self.packets {
            Kind::LastData
        } else if self.ack_every > 1 && self.window_is_full(window) {
            self.ack_requested = self.next;
            Kind::DataWithAckRequest
        } else {
            Kind::Data
        };
        NextSegment {
            psn,
            payload,
            kind,
            is_retransmission,
            is_after_timeout: is_retransmission && self.has_timed_out,
            transmission: 0,
            window,
        }
    }

    /// Continues with the first packet that is not acknowledged.
    pub(super) fn go_back(&mut self, cause: LossKind) {
        self.has_timed_out = cause == LossKind::Timeout;
        self.sent_before = self.first_unsent();
        (self.next, self.next_byte) = (self.acked, self.acked_byte);
        self.ack_requested = self.acked;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENTS: Segments = Segments {
        mtu: 1_000,
        size: 10_000,
    };

    /// One ACK for eight packets; the window holds three, so the third packet requests an ACK. When
    /// the flow goes back to packet 1, this request is forgotten: only retransmissions count.
    #[test]
    fn going_back_forgets_the_request_for_an_ack() {
        let mut sequence = Sequence::new(10, 8);
        let kinds = [(); 3].map(|()| sequence.send(SEGMENTS, 3_000).kind);
        assert_eq!(kinds, [Kind::Data, Kind::Data, Kind::DataWithAckRequest]);
        sequence.acknowledge_before(1, SEGMENTS);
        assert!(sequence.is_owed_ack());
        sequence.go_back(LossKind::Nack);
        assert!(!sequence.is_owed_ack());
        let again = sequence.send(SEGMENTS, 9_000);
        assert_eq!((again.psn, again.kind), (1, Kind::Data));
        assert!(again.is_retransmission && !sequence.is_owed_ack());
    }

    /// Retransmissions after a timeout, up to the last packet sent before, and after a NACK.
    #[test]
    fn a_packet_knows_why_it_is_sent_again() {
        let mut sequence = Sequence::new(10, 1);
        let sends = |sequence: &mut Sequence| {
            let sent = sequence.send(SEGMENTS, u64::MAX);
            (sent.psn, sent.is_retransmission, sent.is_after_timeout)
        };
        assert_eq!(sends(&mut sequence), (0, false, false));
        sequence.go_back(LossKind::Timeout);
        assert_eq!(sends(&mut sequence), (0, true, true));
        assert_eq!(sends(&mut sequence), (1, false, false));
        sequence.go_back(LossKind::Nack);
        assert_eq!(sends(&mut sequence), (0, true, false));
    }
}
