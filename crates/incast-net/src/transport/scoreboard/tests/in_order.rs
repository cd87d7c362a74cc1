//! A reference model of [`LossDetection::InOrder`](super::LossDetection), with ordered maps and
//! sets.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{AckOutcome, Acknowledgement, Board, MTU, State};
use incast_units::Time;

#[derive(Clone, Debug, Default)]
pub(super) struct InOrderModel {
    /// Transmissions that are neither acknowledged nor lost, by number.
    outstanding: VecDeque<Transmission>,
    /// Payload bytes of the outstanding transmissions.
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

impl InOrderModel {
    /// Notes a lost transmission; returns whether its packet's loss is new.
    fn lose(&mut self, psn: u32) -> bool {
        !self.known_early.contains_key(&psn) && self.lost.insert(psn)
    }
}

impl Board for InOrderModel {
    fn send(&mut self, psn: u32, payload: u64, requests_ack: bool, _now: Time) -> u64 {
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

    fn acknowledge(&mut self, ack: &Acknowledgement, advance: u64, _now: Time) -> AckOutcome {
        let (number, expected) = (ack.transmission, ack.expected);
        let still_early = self.known_early.split_off(&expected);
        let in_order_now = std::mem::replace(&mut self.known_early, still_early);
        let known: u64 = in_order_now.values().sum();
        self.lost = self.lost.split_off(&expected);
        let mut outcome = AckOutcome {
            newly_acked: advance - known,
            in_order: advance,
            shows_loss: false,
            trimmed: 0,
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

    fn time_out(&mut self) {
        for transmission in std::mem::take(&mut self.outstanding) {
            self.lose(transmission.psn);
        }
        self.in_flight = 0;
    }

    fn find_lost(&mut self, _now: Time) -> bool {
        false
    }

    fn state(&self) -> State {
        let is_owed_ack = |ack_every: usize| {
            let first = self.outstanding.front();
            first.is_some_and(|first| self.ack_requested >= Some(first.number))
                || self.outstanding.len() >= ack_every
        };
        State {
            in_flight: self.in_flight,
            has_nothing_in_flight: self.outstanding.is_empty(),
            is_owed_ack: [1, 2, 5, 100].map(is_owed_ack),
            lost: self.lost.iter().copied().collect(),
            lost_bytes: self.lost.len() as u64 * MTU,
            loss_deadline: Time::MAX,
        }
    }
}
