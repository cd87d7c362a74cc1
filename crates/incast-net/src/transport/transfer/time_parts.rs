//! Where the time of a transfer goes.

use incast_units::Time;

use super::Transfer;
use crate::measure::{
    Breakdown, CompletingPacket, DepartingPacket, Keeper, NicLog, OnLinks, SendState,
};
use crate::wire::Packet;

impl Transfer {
    /// Tells its timeline, if it has one, what keeps its next packet from now on.
    pub(crate) fn note_state(&mut self, state: SendState, now: Time, nic: &NicLog) {
        self.note_keeper(Keeper::new(state, self.sends_again()), now, nic);
    }

    /// The same in the words of timelines.
    pub(crate) fn note_keeper(&mut self, keeper: Keeper, now: Time, nic: &NicLog) {
        if let Some(timeline) = &mut self.timeline {
            timeline.note(now, keeper, nic);
        }
    }

    /// Tells its timeline that a timer may have expired now.
    pub(crate) fn note_timeouts(&mut self, now: Time) {
        let timeouts = self.timeouts();
        if let Some(timeline) = &mut self.timeline {
            timeline.note_timeouts(now, timeouts);
        }
    }

    /// Tells its timeline that a packet begins to leave, for some time.
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

    /// Tells its timeline that another packet leaves after its last one.
    pub(crate) fn note_follower(&mut self, at: Time) {
        if let Some(timeline) = &mut self.timeline {
            timeline.note_follower(at);
        }
    }

    /// The parts of its FCT, if they are measured, completed by this ACK.
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
