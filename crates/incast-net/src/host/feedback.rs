//! Feedback per sender: flows of a receiver that share a congestion state at their sender also
//! share a CNP limit, and count as one.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use incast_units::Time;
use rustc_hash::FxHasher;

use crate::cnp::{CnpConfig, CnpLimiter};
use crate::wire::Packet;

/// Source and UDP source port of a persistent QP, or of all flows of a pair.
type Sender = (u32, u16);
type SenderMap<T> = HashMap<Sender, T, BuildHasherDefault<FxHasher>>;

/// The senders of a host's flows, if feedback is per sender rather than per flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Senders {
    cnps: SenderMap<CnpLimiter>,
    /// By sender: number of flows in progress.
    in_progress: SenderMap<u32>,
}

impl Senders {
    /// Whether a marked packet that arrives now causes a CNP.
    pub(super) fn answers_mark<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        now: Time,
        config: CnpConfig,
    ) -> bool {
        let limiter = self.cnps.entry(sender_of(packet)).or_default();
        limiter.answers_mark(now, config)
    }

    /// Counts the first packet of a flow. Returns its sender.
    pub(super) fn begin<const WORDS: usize>(&mut self, packet: &Packet<WORDS>) -> Sender {
        let sender = sender_of(packet);
        *self.in_progress.entry(sender).or_default() += 1;
        sender
    }

    /// Counts the end of a flow of this sender.
    pub(super) fn end(&mut self, sender: Sender) {
        if let Some(flows) = self.in_progress.get_mut(&sender) {
            *flows -= 1;
            if *flows == 0 {
                self.in_progress.remove(&sender);
            }
        }
    }

    /// Number of senders with flows in progress.
    pub(super) fn len(&self) -> usize {
        self.in_progress.len()
    }
}

fn sender_of<const WORDS: usize>(packet: &Packet<WORDS>) -> Sender {
    (packet.source(), packet.entropy())
}

#[cfg(test)]
mod tests {
    use crate::wire::{Address, Kind, ONE_LINE};

    use super::*;

    fn packet(source: u32, source_port: u16) -> Packet<ONE_LINE> {
        let mut packet = Packet::new(Kind::Data, 1_000);
        packet.address = Address::new(source, 0, source_port);
        packet
    }

    /// Two flows of one sender and one flow of another. The CNP of a flow counts for all flows of
    /// its sender.
    #[test]
    fn flows_of_one_sender_count_together() {
        let mut senders = Senders::default();
        let (one, other) = (packet(3, 10), packet(3, 11));
        let begun = [&one, &one, &other].map(|packet| senders.begin(packet));
        assert_eq!(senders.len(), 2);
        senders.end(begun[0]);
        assert_eq!(senders.len(), 2);
        senders.end(begun[1]);
        senders.end(begun[2]);
        assert_eq!(senders.len(), 0);
        let config = CnpConfig::Interval(Time::from_us(4));
        let mut answers = |packet, us| senders.answers_mark(packet, Time::from_us(us), config);
        assert_eq!(
            [answers(&one, 0), answers(&one, 3), answers(&one, 4)],
            [true, false, true]
        );
        assert!(answers(&other, 1));
    }
}
