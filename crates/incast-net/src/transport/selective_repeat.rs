//! Selective repeat at the sender: lost packets are sent again, and nothing else.
//!
//! Every transmission of a flow has a number, which its ACK returns. Packets of a flow take one
//! path and do not overtake each other. So the ACK of a transmission shows that every earlier one,
//! retransmissions included, has arrived or is lost. The receiver keeps out-of-order packets and
//! answers each of them at once: an ACK is a SACK of one entry (as in IRN, SIGCOMM 2018), told
//! apart by transmission number (as packet numbers do in QUIC, RFC 9002). Only a lost tail waits
//! for the timeout.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The sender's view of one flow's packets in flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelectiveRepeat {
    /// Transmissions that are neither acknowledged nor lost, by number.
    outstanding: VecDeque<Transmission>,
    /// Payload bytes of these.
    in_flight: u64,
    /// Number of the next transmission.
    next: u64,
    /// The last transmission that requested an ACK.
    ack_requested: Option<u64>,
    /// Packets to be sent again.
    lost: BTreeSet<u32>,
    /// Payload of packets that the receiver holds out of order.
    known_early: BTreeMap<u32, u64>,
}

#[derive(Copy, Clone, Debug)]
struct Transmission {
    number: u64,
    psn: u32,
    payload: u64,
}

/// What an ACK or NACK shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct AckOutcome {
    /// Payload bytes acknowledged for the first time, in order or not: what controllers are told.
    pub(crate) newly_acked: u64,
    /// Payload bytes acknowledged in order for the first time: what is measured.
    pub(crate) in_order: u64,
    /// Whether it shows a loss.
    pub(crate) shows_loss: bool,
}

impl SelectiveRepeat {
    /// The first packet to send again, if there is one.
    pub(crate) fn next_lost(&self) -> Option<u32> {
        self.lost.first().copied()
    }

    /// The packets to send again.
    pub(crate) fn lost(&self) -> impl Iterator<Item = u32> {
        self.lost.iter().copied()
    }

    /// Payload bytes in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    pub(crate) fn has_nothing_in_flight(&self) -> bool {
        self.outstanding.is_empty()
    }

    /// Whether the receiver owes an ACK, if packets in flight arrive, even if no more are sent: one
    /// was requested, or `ack_every` packets are in flight.
    pub(crate) fn is_owed_ack(&self, ack_every: u32) -> bool {
        let first = self.outstanding.front();
        first.is_some_and(|first| self.ack_requested >= Some(first.number))
            || self.outstanding.len() >= ack_every as usize
    }

    /// A packet leaves; returns the number of its transmission.
    pub(crate) fn send(&mut self, psn: u32, payload: u64, requests_ack: bool) -> u64 {
        let number = self.next;
        self.next += 1;
        self.lost.remove(&psn);
        self.in_flight += payload;
        if requests_ack {
            self.ack_requested = Some(number);
        }
        let transmission = Transmission {
            number,
            psn,
            payload,
        };
        self.outstanding.push_back(transmission);
        number
    }

    /// An ACK of transmission `number` arrives. All packets before `expected` have arrived, of
    /// which `advance` payload bytes were acknowledged in order for the first time.
    pub(crate) fn acknowledge(&mut self, number: u64, expected: u32, advance: u64) -> AckOutcome {
        let still_early = self.known_early.split_off(&expected);
        let in_order_now = std::mem::replace(&mut self.known_early, still_early);
        let known: u64 = in_order_now.values().sum();
        self.lost = self.lost.split_off(&expected);
        let mut outcome = AckOutcome {
            newly_acked: advance - known,
            in_order: advance,
            shows_loss: false,
        };
        while let Some(first) = self.outstanding.front().copied()
            && first.number <= number
        {
            self.outstanding.pop_front();
            self.in_flight -= first.payload;
            if first.psn < expected {
                continue;
            }
            if first.number < number {
                outcome.shows_loss |= self.lose(first.psn);
            } else if self.known_early.insert(first.psn, first.payload).is_none() {
                outcome.newly_acked += first.payload;
                self.lost.remove(&first.psn);
            }
        }
        outcome
    }

    /// [`SelectiveRepeat::acknowledge`], if all transmissions up to `number` are of packets before
    /// `expected`, and nothing is lost or came early; else it has no effect and gives `false`.
    #[inline]
    pub(crate) fn acknowledge_in_order(&mut self, number: u64, expected: u32) -> bool {
        if !self.lost.is_empty() || !self.known_early.is_empty() {
            return false;
        }
        let of_ack = |sent: &&Transmission| sent.number <= number;
        let (mut count, mut payload) = (0, 0);
        for sent in self.outstanding.iter().take_while(of_ack) {
            if sent.psn >= expected {
                return false;
            }
            count += 1;
            payload += sent.payload;
        }
        self.outstanding.drain(..count);
        self.in_flight -= payload;
        true
    }

    /// Notes a lost transmission; says whether its packet was not known to be lost before.
    fn lose(&mut self, psn: u32) -> bool {
        !self.known_early.contains_key(&psn) && self.lost.insert(psn)
    }

    /// No ACK came in time: every transmission in flight counts as lost.
    pub(crate) fn time_out(&mut self) {
        for transmission in std::mem::take(&mut self.outstanding) {
            self.lose(transmission.psn);
        }
        self.in_flight = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MTU: u64 = 1_000;

    /// Packets 0 to 4 have left, with transmission numbers equal to theirs.
    fn five_in_flight() -> SelectiveRepeat {
        let mut flow = SelectiveRepeat::default();
        for psn in 0..5 {
            assert_eq!(flow.send(psn, MTU, false), u64::from(psn));
        }
        flow
    }

    fn outcome(newly_acked: u64, in_order: u64, shows_loss: bool) -> AckOutcome {
        AckOutcome {
            newly_acked,
            in_order,
            shows_loss,
        }
    }

    #[test]
    fn packets_in_order_leave_nothing_behind() {
        let mut flow = five_in_flight();
        assert_eq!(flow.acknowledge(0, 1, MTU), outcome(MTU, MTU, false));
        // One ACK for two packets.
        assert_eq!(
            flow.acknowledge(2, 3, 2 * MTU),
            outcome(2 * MTU, 2 * MTU, false)
        );
        assert_eq!((flow.in_flight(), flow.next_lost()), (2 * MTU, None));
    }

    /// 1 and 3 are lost, 2 and 4 come early. Packet 1, sent again as transmission 5, fills up to 2.
    #[test]
    fn holes_are_found_and_filled() {
        let mut flow = five_in_flight();
        flow.acknowledge(0, 1, MTU);
        assert_eq!(flow.acknowledge(2, 1, 0), outcome(MTU, 0, true));
        assert_eq!((flow.in_flight(), flow.next_lost()), (2 * MTU, Some(1)));
        assert_eq!(flow.acknowledge(4, 1, 0), outcome(MTU, 0, true));
        assert!(flow.has_nothing_in_flight());
        assert_eq!(flow.send(1, MTU, false), 5);
        assert_eq!(flow.next_lost(), Some(3));
        assert_eq!(flow.send(3, MTU, false), 6);
        assert_eq!(flow.next_lost(), None);
        // 1 and 2 are acknowledged; of 2 it was known.
        assert_eq!(
            flow.acknowledge(5, 3, 2 * MTU),
            outcome(MTU, 2 * MTU, false)
        );
        assert_eq!(
            flow.acknowledge(6, 5, 2 * MTU),
            outcome(MTU, 2 * MTU, false)
        );
        assert!(flow.known_early.is_empty());
    }

    /// Packet 0 is lost twice: what was sent after its retransmission shows it.
    #[test]
    fn a_lost_retransmission_is_found() {
        let mut flow = five_in_flight();
        flow.acknowledge(1, 0, 0);
        assert_eq!((flow.send(0, MTU, false), flow.send(5, MTU, false)), (5, 6));
        assert_eq!(flow.acknowledge(4, 0, 0).newly_acked, MTU);
        assert_eq!(flow.acknowledge(6, 0, 0), outcome(MTU, 0, true));
        // Of 2 and 3 no ACK came, so they count as lost, too.
        assert_eq!(flow.lost, BTreeSet::from([0, 2, 3]));
        // The receiver had them: it expects 6.
        assert_eq!(flow.send(0, MTU, false), 7);
        assert_eq!(
            flow.acknowledge(7, 6, 6 * MTU),
            outcome(3 * MTU, 6 * MTU, false)
        );
        assert_eq!(flow.next_lost(), None);
    }

    #[test]
    fn after_a_timeout_all_unknown_packets_are_lost() {
        let mut flow = five_in_flight();
        flow.acknowledge(3, 0, 0);
        flow.time_out();
        assert_eq!(flow.lost, BTreeSet::from([0, 1, 2, 4]));
        assert_eq!(flow.in_flight(), 0);
        // A late ACK, of a transmission given up, still says what is expected.
        assert_eq!(flow.acknowledge(0, 1, MTU), outcome(MTU, MTU, false));
        assert_eq!(flow.next_lost(), Some(1));
    }

    /// Six packets leave, two of them twice; any transmission, and any ACK, may be lost. The method
    /// for ACKs in order has the effect of the general one, or none.
    #[test]
    fn acks_in_order_are_as_others() {
        let mut taken = 0;
        for lost in 0..1_u32 << 16 {
            let mut flow = SelectiveRepeat::default();
            let (mut received, mut acked) = ([false; 8], 0);
            for step in 0..8 {
                let psn = [0, 1, 2, 3, 1, 4, 2, 5][step];
                let number = flow.send(psn, MTU, false);
                if lost >> step & 1 == 1 {
                    continue;
                }
                received[psn as usize] = true;
                let expected = received.iter().position(|received| !received);
                let expected = expected.expect("two never leave") as u32;
                if lost >> (8 + step) & 1 == 1 {
                    continue;
                }
                let (mut short, before) = (flow.clone(), format!("{flow:?}"));
                let advance = u64::from(expected - acked) * MTU;
                let answer = flow.acknowledge(number, expected, advance);
                if expected > acked && short.acknowledge_in_order(number, expected) {
                    assert_eq!(answer, outcome(advance, advance, false));
                    assert_eq!(format!("{short:?}"), format!("{flow:?}"));
                    taken += 1;
                } else {
                    assert_eq!(format!("{short:?}"), before);
                }
                acked = expected;
            }
        }
        assert!(taken > 30_000, "{taken}");
    }

    #[test]
    fn an_ack_is_awaited_if_one_was_requested_or_is_due() {
        let mut flow = SelectiveRepeat::default();
        assert!(!flow.is_owed_ack(1));
        flow.send(0, MTU, false);
        assert!(flow.is_owed_ack(1) && !flow.is_owed_ack(2));
        flow.send(1, MTU, true);
        flow.send(2, MTU, false);
        assert!(flow.is_owed_ack(8));
        flow.acknowledge(1, 2, 2 * MTU);
        assert!(!flow.is_owed_ack(8));
    }
}
