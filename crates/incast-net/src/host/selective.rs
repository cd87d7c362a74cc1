//! Selective repeat: what is lost is sent again, and nothing else.
//!
//! Every transmission of a flow has a number, its *order*, which its ACK returns. Packets of a
//! flow take one path and do not overtake each other; so when an ACK comes, every transmission
//! before the one that it answers has arrived or is lost, retransmissions too. The receiver keeps
//! what comes too early and answers each packet that is out of place at once, so the sender knows
//! which have arrived: one entry of a SACK for each ACK (as in IRN, SIGCOMM 2018), told apart by
//! order (as packet numbers do in QUIC, RFC 9002). Only a lost tail waits for the timeout.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The sender's view of what is on its way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selective {
    /// Transmissions that are neither acknowledged nor lost, in order.
    outstanding: VecDeque<Transmission>,
    /// Bytes of payload of these.
    in_flight: u64,
    /// Order of the next transmission.
    next: u64,
    /// The last transmission that asked for an ACK.
    asked: Option<u64>,
    /// Packets to be sent again.
    missing: BTreeSet<u32>,
    /// Packets that the receiver has although one before them is missing, and their payload.
    early: BTreeMap<u32, u64>,
}

#[derive(Copy, Clone, Debug)]
struct Transmission {
    order: u64,
    psn: u32,
    payload: u64,
}

/// What an ACK says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    /// Payload that has arrived, and of which this was not known.
    pub(crate) arrived: u64,
    /// Whether it shows that packets were lost.
    pub(crate) lost: bool,
}

impl Selective {
    /// The packet to send again first, if any is.
    #[inline]
    pub(crate) fn next_missing(&self) -> Option<u32> {
        self.missing.first().copied()
    }

    /// Payload in flight.
    #[inline]
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.outstanding.is_empty()
    }

    /// Whether packets in flight are sure to be acknowledged, if they arrive, before more are
    /// sent: the receiver answers every so many packets.
    pub(crate) fn awaits_ack(&self, ack_every: u32) -> bool {
        let asked = |first: &Transmission| self.asked.is_some_and(|order| order >= first.order);
        self.outstanding.front().is_some_and(asked) || self.outstanding.len() >= ack_every as usize
    }

    /// A packet leaves; returns the order of its transmission.
    pub(crate) fn send(&mut self, psn: u32, payload: u64, asks: bool) -> u64 {
        let order = self.next;
        self.next += 1;
        self.missing.remove(&psn);
        self.in_flight += payload;
        if asks {
            self.asked = Some(order);
        }
        let transmission = Transmission {
            order,
            psn,
            payload,
        };
        self.outstanding.push_back(transmission);
        order
    }

    /// An ACK of the transmission with this order: all packets before `expected` have arrived, of
    /// which the sender has learned `acked` before; `advance` is the payload between.
    pub(crate) fn acknowledge(&mut self, order: u64, expected: u32, advance: u64) -> News {
        let waiting = self.early.split_off(&expected);
        let known: u64 = std::mem::replace(&mut self.early, waiting).values().sum();
        self.missing = self.missing.split_off(&expected);
        let mut news = News {
            arrived: advance - known,
            lost: false,
        };
        while let Some(first) = self.outstanding.front().copied()
            && first.order <= order
        {
            self.outstanding.pop_front();
            self.in_flight -= first.payload;
            if first.psn < expected {
                continue;
            }
            if first.order < order {
                news.lost |= self.lose(first.psn);
            } else if self.early.insert(first.psn, first.payload).is_none() {
                news.arrived += first.payload;
                self.missing.remove(&first.psn);
            }
        }
        news
    }

    /// Says whether a packet is missing now that was not before.
    fn lose(&mut self, psn: u32) -> bool {
        !self.early.contains_key(&psn) && self.missing.insert(psn)
    }

    /// No ACK came in time: whatever is on its way counts as lost.
    pub(crate) fn time_out(&mut self) {
        for transmission in std::mem::take(&mut self.outstanding) {
            self.lose(transmission.psn);
        }
        self.in_flight = 0;
    }
}

/// The receiver's part: packets that came too early.
#[derive(Clone, Debug, Default)]
pub(crate) struct Early {
    /// Those, and their payload.
    packets: BTreeMap<u32, u64>,
    /// The last packet of the flow, once it has come.
    last: Option<u32>,
}

impl Early {
    /// Keeps a packet.
    pub(crate) fn keep(&mut self, psn: u32, payload: u64, is_last: bool) {
        self.packets.insert(psn, payload);
        if is_last {
            self.last = Some(psn);
        }
    }

    /// The payload of the packet that comes next, if it is here already.
    pub(crate) fn take(&mut self, psn: u32) -> Option<u64> {
        self.packets.remove(&psn)
    }

    /// Whether a packet is the last of its flow, as far as this is known.
    pub(crate) fn is_last(&self, psn: u32) -> bool {
        self.last == Some(psn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MTU: u64 = 1_000;

    /// Packets 0 to 4 have left, with orders of the same numbers.
    fn five() -> Selective {
        let mut flow = Selective::default();
        for psn in 0..5 {
            assert_eq!(flow.send(psn, MTU, false), u64::from(psn));
        }
        flow
    }

    fn news(arrived: u64, lost: bool) -> News {
        News { arrived, lost }
    }

    #[test]
    fn packets_in_order_leave_nothing_behind() {
        let mut flow = five();
        assert_eq!(flow.acknowledge(0, 1, MTU), news(MTU, false));
        // One ACK for two packets.
        assert_eq!(flow.acknowledge(2, 3, 2 * MTU), news(2 * MTU, false));
        assert_eq!((flow.in_flight(), flow.next_missing()), (2 * MTU, None));
    }

    /// 1 and 3 are lost, 2 and 4 come early. Packet 1, sent again with order 5, fills up to 2.
    #[test]
    fn holes_are_found_and_filled() {
        let mut flow = five();
        flow.acknowledge(0, 1, MTU);
        assert_eq!(flow.acknowledge(2, 1, 0), news(MTU, true));
        assert_eq!((flow.in_flight(), flow.next_missing()), (2 * MTU, Some(1)));
        assert_eq!(flow.acknowledge(4, 1, 0), news(MTU, true));
        assert!(flow.is_idle());
        assert_eq!(flow.send(1, MTU, false), 5);
        assert_eq!(flow.next_missing(), Some(3));
        assert_eq!(flow.send(3, MTU, false), 6);
        assert_eq!(flow.next_missing(), None);
        // 1 and 2 are acknowledged; of 2 it was known.
        assert_eq!(flow.acknowledge(5, 3, 2 * MTU), news(MTU, false));
        assert_eq!(flow.acknowledge(6, 5, 2 * MTU), news(MTU, false));
        assert!(flow.early.is_empty());
    }

    /// Packet 0 is lost twice: what was sent after its retransmission shows it.
    #[test]
    fn a_lost_retransmission_is_found() {
        let mut flow = five();
        flow.acknowledge(1, 0, 0);
        assert_eq!((flow.send(0, MTU, false), flow.send(5, MTU, false)), (5, 6));
        assert_eq!(flow.acknowledge(4, 0, 0).arrived, MTU);
        assert_eq!(flow.acknowledge(6, 0, 0), news(MTU, true));
        // Of 2 and 3 no ACK came, so they count as lost, too.
        assert_eq!(flow.missing, BTreeSet::from([0, 2, 3]));
        // The receiver had them: it expects 6.
        assert_eq!(flow.send(0, MTU, false), 7);
        assert_eq!(flow.acknowledge(7, 6, 6 * MTU), news(3 * MTU, false));
        assert_eq!(flow.next_missing(), None);
    }

    #[test]
    fn after_a_timeout_all_is_missing_that_is_not_known() {
        let mut flow = five();
        flow.acknowledge(3, 0, 0);
        flow.time_out();
        assert_eq!(flow.missing, BTreeSet::from([0, 1, 2, 4]));
        assert_eq!(flow.in_flight(), 0);
        // A late ACK, of a transmission given up, still says what is expected.
        assert_eq!(flow.acknowledge(0, 1, MTU), news(MTU, false));
        assert_eq!(flow.next_missing(), Some(1));
    }

    #[test]
    fn an_ack_is_awaited_if_one_was_asked_for_or_is_due() {
        let mut flow = Selective::default();
        assert!(!flow.awaits_ack(1));
        flow.send(0, MTU, false);
        assert!(flow.awaits_ack(1) && !flow.awaits_ack(2));
        flow.send(1, MTU, true);
        flow.send(2, MTU, false);
        assert!(flow.awaits_ack(8));
        flow.acknowledge(1, 2, 2 * MTU);
        assert!(!flow.awaits_ack(8));
    }
}
