//! Recovery from losses at the sender: a common interface to go-back-N and the scoreboard, and
//! options.

use incast_cc::LossKind;
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::acknowledgement::{AckOutcome, Acknowledgement, OnLost, Untold};
use super::loss_detection::LossDetection;
use super::scoreboard::{LatePackets, Scoreboard};
use super::sequence::{NextSegment, Segments, Sequence};
use super::timeout::{Backoff, RetransmissionTimer, TimeoutOf};
use crate::wire::Kind;

/// The packets that are sent again after a loss.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryKind {
    /// Everything from the first lost packet on; receivers discard early packets.
    GoBackN,
    /// Lost packets only; receivers keep early packets.
    Selective,
}

/// Recovery from losses.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveryConfig {
    /// The packets that are sent again after a loss.
    pub kind: RecoveryKind,
    /// How senders find losses; for selective repeat.
    pub loss_detection: LossDetection,
    /// Shortest time between NACKs for the same sequence number.
    pub nack_interval: Time,
    /// Retransmission timeout; `None` where no packet is ever lost.
    pub timeout: Option<Time>,
    /// Which packets count as lost at a timeout; under go-back-N all packets in flight do.
    pub timeout_of: TimeoutOf,
    /// The lengths of successive timeouts.
    pub backoff: Backoff,
}

/// The recovery of a flow, with its state.
#[derive(Clone, Debug)]
pub(super) enum Recovery {
    /// No state: after a loss the flow goes back to the first unacknowledged packet.
    GoBackN,
    /// The fate of every transmission: lost packets alone are sent again.
    Scoreboard(Box<Scoreboard>),
}

impl Recovery {
    pub(super) fn new(config: &RecoveryConfig, segments: Segments) -> Self {
        match config.kind {
            RecoveryKind::GoBackN => Self::GoBackN,
            RecoveryKind::Selective => {
                let scoreboard = Scoreboard::new(segments, &config.loss_detection);
                Self::Scoreboard(Box::new(scoreboard))
            }
        }
    }

    /// Whether every packet has been sent and none is known to be lost.
    #[inline]
    pub(super) fn has_sent_all(&self, sequence: &Sequence) -> bool {
        let has_lost = match self {
            Self::GoBackN => false,
            Self::Scoreboard(scoreboard) => scoreboard.next_lost().is_some(),
        };
        sequence.next == sequence.packets && !has_lost
    }

    /// Whether packets are in flight.
    pub(super) fn has_in_flight(&self, sequence: &Sequence) -> bool {
        match self {
            Self::GoBackN => sequence.next > sequence.acked,
            Self::Scoreboard(scoreboard) => !scoreboard.has_nothing_in_flight(),
        }
    }

    /// Payload bytes in flight.
    pub(super) fn in_flight(&self, sequence: &Sequence) -> u64 {
        match self {
            Self::GoBackN => sequence.in_flight(),
            Self::Scoreboard(scoreboard) => scoreboard.in_flight(),
        }
    }

    /// Whether the receiver owes an ACK even if no more packets are sent.
    pub(super) fn is_owed_ack(&self, sequence: &Sequence) -> bool {
        match self {
            Self::GoBackN => sequence.is_owed_ack(),
            Self::Scoreboard(scoreboard) => scoreboard.is_owed_ack(sequence.ack_every),
        }
    }

    /// Whether bytes are left and `window` admits the next packet.
    pub(super) fn may_send(&self, sequence: &Sequence, window: u64) -> bool {
        match self {
            Self::GoBackN => sequence.may_send(window),
            Self::Scoreboard(scoreboard) => scoreboard.may_send(sequence, window),
        }
    }

    /// Takes the next packet to send.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        sequence: &mut Sequence,
        segments: Segments,
        window: u64,
        now: Time,
    ) -> NextSegment {
        match self {
            Self::GoBackN => sequence.send(segments, window),
            Self::Scoreboard(scoreboard) => scoreboard.send_next(sequence, window, now),
        }
    }

    /// Applies an ACK or NACK; `advance` payload bytes were acknowledged in order for the first
    /// time.
    #[inline]
    pub(super) fn acknowledge(
        &mut self,
        ack: &Acknowledgement,
        advance: u64,
        now: Time,
        on_lost: OnLost<'_>,
    ) -> AckOutcome {
        match self {
            Self::GoBackN => AckOutcome {
                newly_acked: advance,
                in_order: advance,
                shows_loss: ack.kind == Kind::Nack,
                trimmed: 0,
            },
            Self::Scoreboard(scoreboard) => scoreboard.acknowledge(ack, advance, now, on_lost),
        }
    }

    /// Reacts to a loss. A scoreboard has noted the lost packets before.
    pub(super) fn recover(&mut self, sequence: &mut Sequence) {
        if let Self::GoBackN = self {
            sequence.go_back(LossKind::Nack);
        }
    }

    /// Reacts to a timeout of the whole flow.
    pub(super) fn time_out(&mut self, sequence: &mut Sequence, on_lost: OnLost<'_>) {
        match self {
            Self::GoBackN => sequence.go_back(LossKind::Timeout),
            Self::Scoreboard(scoreboard) => scoreboard.time_out(on_lost),
        }
    }

    /// Finds transmissions whose own timeouts are over; `None` without a scoreboard. `timer` gives
    /// the length of timeouts.
    pub(super) fn time_out_late(
        &mut self,
        timer: &RetransmissionTimer,
        now: Time,
        on_lost: OnLost<'_>,
    ) -> Option<LatePackets> {
        match self {
            Self::GoBackN => None,
            Self::Scoreboard(scoreboard) => Some(scoreboard.time_out_late(timer, now, on_lost)),
        }
    }

    /// Time at which overtaken transmissions count as lost; [`Time::MAX`] if none does.
    pub(super) fn loss_deadline(&self) -> Time {
        match self {
            Self::GoBackN => Time::MAX,
            Self::Scoreboard(scoreboard) => scoreboard.loss_deadline(),
        }
    }

    /// Finds the transmissions that count as lost at `now`; returns whether there are any.
    pub(super) fn find_lost(&mut self, now: Time, on_lost: OnLost<'_>) -> bool {
        match self {
            Self::GoBackN => false,
            Self::Scoreboard(scoreboard) => scoreboard.find_lost(now, on_lost),
        }
    }

    /// The first packet that waits to be sent again alone, if any.
    pub(super) fn next_lost(&self) -> Option<u32> {
        match self {
            Self::GoBackN => None,
            Self::Scoreboard(scoreboard) => scoreboard.next_lost(),
        }
    }

    /// Whether the packet that is sent next, if any, is a retransmission.
    pub(super) fn sends_again(&self, sequence: &Sequence) -> bool {
        match self {
            Self::GoBackN => sequence.next < sequence.first_unsent(),
            Self::Scoreboard(scoreboard) => scoreboard.next_lost().is_some(),
        }
    }

    /// Records that a probe shows losses. The lost packets are found when the probe's ACK is
    /// applied.
    pub(super) fn note_probe(&mut self) {
        if let Self::Scoreboard(scoreboard) = self {
            scoreboard.is_probed = true;
        }
    }

    /// Facts on single transmissions; `None` without a scoreboard.
    pub(super) fn untold(&mut self) -> Option<&mut Untold> {
        match self {
            Self::GoBackN => None,
            Self::Scoreboard(scoreboard) => Some(&mut scoreboard.untold),
        }
    }

    /// Notes the window under which the last packet left.
    pub(super) fn note_window(&mut self, window: u64) {
        if let Self::Scoreboard(scoreboard) = self {
            scoreboard.note_window(window);
        }
    }

    /// Payload bytes and number of packets to send again, except those from `snd_nxt` on.
    pub(super) fn lost(&self) -> (u64, u32) {
        match self {
            Self::GoBackN => (0, 0),
            Self::Scoreboard(scoreboard) => scoreboard.lost(),
        }
    }
}
