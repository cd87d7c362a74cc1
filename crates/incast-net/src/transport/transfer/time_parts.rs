//! The parts of a transfer's time.

use incast_units::Time;

use super::Transfer;
use crate::measure::{
    Breakdown, CompletingPacket, DepartingPacket, Keeper, NicLog, OnLinks, SendState,
};
use crate::wire::Packet;

impl Transfer {
    /// Sets in the timeline, if there is one, what keeps the next packet from now on.
    pub(crate) fn note_state(&mut self, state: SendState, now: Time, nic: &NicLog) {
        self.note_keeper(Keeper::new(state, self.sends_again()), now, nic);
    }

    /// Like [`note_state`](Self::note_state), in terms of the timeline.
    pub(crate) fn note_keeper(&mut self, keeper: Keeper, now: Time, nic: &NicLog) {
        if let Some(timeline) = &mut self.timeline {
            timeline.note(now, keeper, nic);
        }
    }

    /// Notes in the timeline that a timer may have expired now.
    pub(crate) fn note_timeouts(&mut self, now: Time) {
        let timeouts = self.timeouts();
        if let Some(timeline) = &mut self.timeline {
            timeline.note_timeouts(now, timeouts);
        }
    }

    /// Notes in the timeline that a packet starts to leave; `time`: its transmission time.
    pub(crate) fn note_sent(&mut self, now: Time, psn: u32, time: Time, nic: &NicLog) {
        let packet = DepartingPacket {
            psn,
            time,
            acked: self.sequence.acked,
            timeouts: self.timeouts(),
        };
        if let Some(timeline) = &mut self.timeline {
            timeline.note_sent(now, packet, nic);
        }
    }

    /// Notes in the timeline that another packet leaves after this flow's last one.
    pub(crate) fn note_follower(&mut self, at: Time) {
        if let Some(timeline) = &mut self.timeline {
            timeline.note_follower(at);
        }
    }

    /// The parts of the FCT of a flow that completes with this ACK, if they are measured.
    pub(crate) fn breakdown<const WORDS: usize>(
        &self,
        ack: &Packet<WORDS>,
        finish: Time,
    ) -> Option<Breakdown> {
        let told = self.timeline.as_ref()?.at_sender(ack.timestamp());
        Some(Breakdown {
            flow: self.flow.id,
            at_sender: told.parts,
            last: finish - told.left,
            on_links: match told.packet {
                CompletingPacket::Timed => OnLinks::Told(ack.time_on_links()),
                CompletingPacket::Number(psn) if psn + 1 < self.sequence.packets => {
                    OnLinks::FullPacket
                }
                CompletingPacket::Number(_) | CompletingPacket::OfFlow => OnLinks::LastPacket,
            },
        })
    }
}
