//! A reference model of every policy: a list of all transmissions, which is searched from end to
//! end.

use std::collections::BTreeSet;

use incast_units::Time;

use super::{AckOutcome, Acknowledgement, Board, Kind, LossDetection, MTU, State};

#[derive(Clone, Debug)]
pub(super) struct PlainModel {
    detection: LossDetection,
    /// By number.
    sent: Vec<Sent>,
    lost: BTreeSet<u32>,
    early: BTreeSet<u32>,
    /// The latest transmission that has arrived, and its round trip.
    newest: Option<(usize, Time)>,
    loss_deadline: Time,
}

#[derive(Clone, Debug)]
struct Sent {
    psn: u32,
    payload: u64,
    requests_ack: bool,
    at: Time,
    is_open: bool,
}

impl PlainModel {
    pub(super) fn new(detection: LossDetection) -> Self {
        Self {
            detection,
            sent: Vec::new(),
            lost: BTreeSet::new(),
            early: BTreeSet::new(),
            newest: None,
            loss_deadline: Time::MAX,
        }
    }

    fn first_open(&self) -> usize {
        let first = self.sent.iter().position(|sent| sent.is_open);
        first.unwrap_or(self.sent.len())
    }

    fn open(&self) -> impl DoubleEndedIterator<Item = &Sent> {
        self.sent.iter().filter(|sent| sent.is_open)
    }

    /// Whether the scoreboard still has this transmission: it drops transmissions before the first
    /// open one.
    fn is_known(&self, number: usize) -> bool {
        (self.first_open()..self.sent.len()).contains(&number)
    }

    fn note_newest(&mut self, number: usize, now: Time) {
        let is_newer = self.newest.is_none_or(|(newest, _)| number > newest);
        if self.is_known(number) && is_newer {
            self.newest = Some((number, now - self.sent[number].at));
        }
    }

    /// A packet is early; returns its payload bytes if this was not known.
    fn arrive(&mut self, psn: u32) -> u64 {
        self.lost.remove(&psn);
        match self.early.insert(psn) {
            true => MTU,
            false => 0,
        }
    }

    fn lose(&mut self, number: usize) -> bool {
        let sent = &mut self.sent[number];
        let was_open = std::mem::replace(&mut sent.is_open, false);
        was_open && !self.early.contains(&sent.psn) && self.lost.insert(sent.psn)
    }

    /// Closes transmissions up to `number`, under the rule that none is overtaken.
    fn settle_in_order(&mut self, number: usize, expected: u32) -> bool {
        let mut shows_loss = false;
        for earlier in 0..number {
            if self.sent[earlier].psn < expected {
                self.sent[earlier].is_open = false;
            }
            shows_loss |= self.lose(earlier);
        }
        shows_loss
    }
}

impl Board for PlainModel {
    fn send(&mut self, psn: u32, payload: u64, requests_ack: bool, now: Time) -> u64 {
        self.lost.remove(&psn);
        self.sent.push(Sent {
            psn,
            payload,
            requests_ack,
            at: now,
            is_open: true,
        });
        self.sent.len() as u64 - 1
    }

    fn acknowledge(&mut self, ack: &Acknowledgement, advance: u64, now: Time) -> AckOutcome {
        let (number, expected) = (ack.transmission as usize, ack.expected);
        let is_nack = ack.kind == Kind::Nack;
        let is_in_order = matches!(self.detection, LossDetection::InOrder(_));
        let early = self.early.split_off(&expected);
        let known = self.early.len() as u64 * MTU;
        self.early = early;
        self.lost = self.lost.split_off(&expected);
        let mut newly_acked = advance - known;
        if !is_in_order {
            if !is_nack {
                self.note_newest(number, now);
            }
            let acknowledged = self.sent.iter_mut().filter(|sent| sent.psn < expected);
            acknowledged.for_each(|sent| sent.is_open = false);
        }
        if let Some(sack) = ack.sack {
            for psn in (0..64).map(|bit| sack.base + bit) {
                let is_set = sack.bits >> (psn - sack.base) & 1 == 1;
                if !is_set || psn < expected || self.early.contains(&psn) {
                    continue;
                }
                newly_acked += self.arrive(psn);
                let open = |sent: &Sent| sent.is_open && sent.psn == psn;
                if let Some(open) = self.sent.iter().position(open) {
                    self.note_newest(open, now);
                    self.sent[open].is_open = false;
                }
            }
        }
        let (mut shows_loss, mut trimmed) = (false, 0);
        if is_nack {
            shows_loss = self.lose(number);
            if shows_loss {
                trimmed = self.sent[number].payload;
            }
        } else {
            if is_in_order {
                shows_loss = self.settle_in_order(number, expected);
            }
            if self.is_known(number) {
                self.sent[number].is_open = false;
                let psn = self.sent[number].psn;
                if psn >= expected {
                    newly_acked += self.arrive(psn);
                }
            }
            shows_loss |= self.find_lost(now);
        }
        AckOutcome {
            newly_acked,
            in_order: advance,
            shows_loss,
            trimmed,
        }
    }

    fn time_out(&mut self) {
        for number in 0..self.sent.len() {
            self.lose(number);
        }
        self.loss_deadline = Time::MAX;
    }

    fn find_lost(&mut self, now: Time) -> bool {
        self.loss_deadline = Time::MAX;
        let LossDetection::Reordering(rule) = self.detection.clone() else {
            return false;
        };
        let Some((newest, round_trip)) = self.newest else {
            return false;
        };
        let mut shows_loss = false;
        for number in 0..newest {
            let until = self.sent[number].at + round_trip + rule.time;
            if !self.sent[number].is_open {
                continue;
            }
            if newest - number >= rule.packets as usize || now >= until {
                shows_loss |= self.lose(number);
            } else {
                self.loss_deadline = self.loss_deadline.min(until);
            }
        }
        shows_loss
    }

    fn state(&self) -> State {
        let requested = self.open().any(|sent| sent.requests_ack);
        let open = self.open().count();
        State {
            in_flight: self.open().map(|sent| sent.payload).sum(),
            has_nothing_in_flight: open == 0,
            is_owed_ack: [1, 2, 5, 100].map(|ack_every| requested || open >= ack_every),
            lost: self.lost.iter().copied().collect(),
            lost_bytes: self.lost.len() as u64 * MTU,
            loss_deadline: self.loss_deadline,
        }
    }
}
