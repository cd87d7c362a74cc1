//! Where the time of a transfer goes.

use incast_units::Time;

use super::Transfer;
use crate::measure::{Breakdown, NicLog, SendState, Standing};
use crate::wire::Packet;

impl Transfer {
    /// Tells its timeline, if it has one, what keeps its next packet from now on.
    pub(crate) fn note_state(&mut self, state: SendState, now: Time, nic: &NicLog) {
        let standing = Standing {
            state,
            sends_again: self.sends_again(),
            timeouts: self.timeouts(),
            acked: self.sequence.acked,
        };
        if let Some(timeline) = &mut self.timeline {
            timeline.note(now, standing, nic);
        }
    }

    /// The parts of its FCT, if they are measured, completed by this ACK.
    pub(crate) fn breakdown<const WORDS: usize>(
        &self,
        ack: &Packet<WORDS>,
        finish: Time,
    ) -> Option<Breakdown> {
        let timeline = self.timeline.as_ref()?;
        let (left, at_sender) = timeline.parts(ack.timestamp());
        Some(Breakdown {
            flow: self.flow.id,
            at_sender,
            last: finish - left,
            on_links: timeline.asks_ack().then(|| ack.time_on_links()),
        })
    }
}
