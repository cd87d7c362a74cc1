//! The scoreboard of one flow: the fate of each transmission, so that lost packets alone are sent
//! again.
//!
//! Every transmission of a flow has a number, which its ACK returns. So an ACK is a SACK of one
//! entry (as in IRN, SIGCOMM 2018), identified by transmission number (as packet numbers do in
//! QUIC, RFC 9002). It may name more packets by a bitmap. [`LossDetection`] is the policy by which
//! an ACK shows other transmissions to be lost. Only a lost tail waits for the timeout.
//!
//! A transmission is *open* until it is acknowledged or lost. A packet has one open transmission at
//! most.

use std::collections::{BTreeMap, VecDeque};

use incast_units::Time;

use super::acknowledgement::{AckOutcome, Acknowledgement, OnLost, Sack, Untold};
use super::loss_detection::{LossDetection, LossRule};
use super::psn_set::{PsnSet, ones};
use super::sequence::{NextSegment, Segments, Sequence};
use super::transmission::{Newest, Transmission};
use crate::wire::Kind;

mod losses;

pub(super) use self::losses::LatePackets;

/// The state of one flow's packets in flight, at its sender.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    segments: Segments,
    /// The rule of loss detection; `None`: all transmissions before an arrived transmission count
    /// as lost.
    rule: Option<Box<dyn LossRule>>,
    /// Whether the rule ever finds a loss.
    infers_losses: bool,
    /// Transmissions by number, from `first` on. The first one is open.
    sent: VecDeque<Transmission>,
    /// Number of the first transmission in `sent`.
    first: u64,
    /// Number of transmissions in `sent` that are not open.
    closed: u64,
    /// Payload bytes of open transmissions.
    in_flight: u64,
    /// The last open transmission that requested an ACK. A number below `first` means none.
    ack_requested: Option<u64>,
    /// Packets to be sent again.
    lost: PsnSet,
    /// Packets in `lost` whose loss a timeout showed.
    timed_out: PsnSet,
    /// By packet: the number of successive timeouts of this packet. Entries of packets that have
    /// arrived early may remain.
    timeouts: BTreeMap<u32, u32>,
    /// Packets that the receiver has, beyond the expected one.
    early: PsnSet,
    /// The open transmission of each packet from `first_psn`, the expected one, to the last that
    /// was sent. Only where transmissions may be acknowledged out of order.
    open: VecDeque<Option<u64>>,
    first_psn: u32,
    /// The latest transmission that has arrived, if the rule needs it.
    newest: Option<Newest>,
    /// Whether a probe has shown losses that the rule does not know yet.
    pub(super) is_probed: bool,
    /// Time at which the rule finds more losses without another ACK.
    loss_deadline: Time,
    /// The window under which the last packet left.
    window: u64,
    /// Buffer for transmissions that the rule finds; empty between calls.
    found: Vec<u64>,
    pub(super) untold: Untold,
}

impl Scoreboard {
    pub(super) fn new(segments: Segments, detection: &LossDetection) -> Self {
        let rule = detection.rule();
        Self {
            segments,
            infers_losses: rule.as_ref().is_some_and(|rule| rule.finds_losses()),
            rule,
            sent: VecDeque::new(),
            first: 0,
            closed: 0,
            in_flight: 0,
            ack_requested: None,
            lost: PsnSet::default(),
            timed_out: PsnSet::default(),
            timeouts: BTreeMap::new(),
            early: PsnSet::default(),
            open: VecDeque::new(),
            first_psn: 0,
            newest: None,
            is_probed: false,
            loss_deadline: Time::MAX,
            window: 0,
            found: Vec::new(),
            untold: Untold::default(),
        }
    }

    /// Whether transmissions never overtake each other.
    #[inline]
    fn is_in_order(&self) -> bool {
        self.rule.is_none()
    }

    /// The first packet to send again, if there is one.
    #[inline]
    pub(super) fn next_lost(&self) -> Option<u32> {
        self.lost.first()
    }

    /// Payload bytes and packets to send again.
    pub(super) fn lost(&self) -> (u64, u32) {
        let payload = self.lost.iter().map(|psn| self.segments.payload(psn));
        (payload.sum(), self.lost.len())
    }

    /// Payload bytes in flight.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    #[inline]
    pub(super) fn has_nothing_in_flight(&self) -> bool {
        self.sent.is_empty()
    }

    /// Whether the receiver owes an ACK if the packets in flight arrive, even if no more are sent.
    /// This holds if one of them requested an ACK, or `ack_every` packets are in flight.
    #[inline]
    pub(super) fn is_owed_ack(&self, ack_every: u32) -> bool {
        let open = self.sent.len() as u64 - self.closed;
        (open > 0 && self.ack_requested >= Some(self.first)) || open >= u64::from(ack_every)
    }

    /// Whether bytes are left and `window` admits the next packet.
    #[inline(never)]
    pub(super) fn may_send(&self, sequence: &Sequence, window: u64) -> bool {
        let has_sent_all = sequence.next == sequence.packets && self.lost.is_empty();
        let is_full = self.in_flight >= window;
        !has_sent_all && (!is_full || !self.is_owed_ack(sequence.ack_every))
    }

    /// Notes the window under which the last packet left, if it differs from the one given at
    /// sending.
    pub(super) fn note_window(&mut self, window: u64) {
        self.window = window;
    }

    /// Time at which more transmissions count as lost without another ACK; [`Time::MAX`] if none
    /// does.
    pub(super) fn loss_deadline(&self) -> Time {
        self.loss_deadline
    }

    /// The index of a transmission in `sent`, if it is there.
    #[inline]
    fn place(&self, number: u64) -> Option<usize> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        (place < self.sent.len()).then_some(place)
    }

    /// The open transmission of a packet, where no transmission overtakes another.
    fn first_open_of(&self, psn: u32) -> Option<u64> {
        let mut numbered = (self.first..).zip(&self.sent);
        let found = numbered.find(|(_, sent)| sent.is_open && sent.psn == psn);
        found.map(|(number, _)| number)
    }

    /// Removes and returns the open transmission of a packet, where transmissions may overtake each
    /// other.
    #[inline]
    fn take_open(&mut self, psn: u32) -> Option<u64> {
        let place = psn.checked_sub(self.first_psn)?;
        self.open.get_mut(place as usize)?.take()
    }
}

/// Sending.
impl Scoreboard {
    /// Takes the next packet to send: the first lost one, or else the next new one.
    #[inline(never)]
    pub(super) fn send_next(
        &mut self,
        sequence: &mut Sequence,
        window: u64,
        now: Time,
    ) -> NextSegment {
        self.window = window;
        let psn = self.next_lost().unwrap_or(sequence.next);
        let payload = self.segments.payload(psn);
        let is_retransmission = psn < sequence.next;
        let is_after_timeout = is_retransmission && self.timed_out.remove(psn);
        if !is_retransmission {
            sequence.next = psn + 1;
            sequence.next_byte = self.segments.first_byte(psn + 1);
        }
        let fills_window = self.in_flight + payload >= window;
        let requests_ack = sequence.ack_every > 1 && (is_retransmission || fills_window);
        let transmission = self.send(psn, payload, requests_ack, now);
        let kind = if psn + 1 == sequence.packets {
            Kind::LastData
        } else if requests_ack {
            Kind::DataWithAckRequest
        } else {
            Kind::Data
        };
        NextSegment {
            psn,
            payload,
            kind,
            is_retransmission,
            is_after_timeout,
            transmission,
            window,
        }
    }

    /// Notes a packet that leaves; returns the number of its transmission.
    #[inline]
    fn send(&mut self, psn: u32, payload: u64, requests_ack: bool, now: Time) -> u64 {
        let number = self.first + self.sent.len() as u64;
        if !self.lost.is_empty() {
            self.lost.remove(psn);
        }
        self.in_flight += payload;
        if requests_ack {
            self.ack_requested = Some(number);
        }
        self.sent.push_back(Transmission {
            sent: now,
            psn,
            payload: payload as u32,
            entropy: 0,
            requests_ack,
            is_open: true,
        });
        if !self.is_in_order() {
            self.note_open(psn, number);
        }
        number
    }

    /// Notes the entropy of the last transmission.
    pub(super) fn note_entropy(&mut self, entropy: u16) {
        if let Some(last) = self.sent.back_mut() {
            last.entropy = entropy;
        }
    }

    #[inline]
    fn note_open(&mut self, psn: u32, number: u64) {
        let place = (psn - self.first_psn) as usize;
        if place == self.open.len() {
            self.open.push_back(Some(number));
        } else {
            self.note_open_again(place, number);
        }
    }

    /// Records a retransmission, or a packet whose predecessors have no entries, because they were
    /// already acknowledged.
    #[inline(never)]
    fn note_open_again(&mut self, place: usize, number: u64) {
        if place >= self.open.len() {
            self.open.resize(place + 1, None);
        }
        self.open[place] = Some(number);
    }
}

/// ACKs.
impl Scoreboard {
    /// Applies an ACK or NACK; `advance` payload bytes were acknowledged in order for the first
    /// time.
    pub(super) fn acknowledge(
        &mut self,
        ack: &Acknowledgement,
        advance: u64,
        now: Time,
        on_lost: OnLost<'_>,
    ) -> AckOutcome {
        let expected = ack.expected;
        self.note_news(ack);
        self.timed_out.remove_before(expected);
        if !self.timeouts.is_empty() {
            self.timeouts = self.timeouts.split_off(&expected);
        }
        let mut newly_acked = advance - self.take_early_before(expected);
        if !self.is_in_order() {
            if ack.kind != Kind::Nack {
                self.note_newest(ack.transmission, now);
            }
            self.close_before(expected);
        }
        if let Some(sack) = ack.sack {
            newly_acked += self.apply(sack, expected, now);
        }
        let in_flight = self.in_flight;
        let mut trimmed = 0;
        let shows_loss = if ack.kind == Kind::Nack {
            let shows_loss = self.lose(ack.transmission, on_lost);
            if shows_loss {
                trimmed = in_flight - self.in_flight;
            }
            shows_loss
        } else if self.is_in_order() {
            let shows_loss = self.lose_before(ack.transmission, expected, on_lost);
            newly_acked += self.arrive(ack.transmission, expected);
            shows_loss
        } else {
            newly_acked += self.arrive(ack.transmission, expected);
            self.find_lost(now, on_lost)
        };
        AckOutcome {
            newly_acked,
            in_order: advance,
            shows_loss,
            trimmed,
        }
    }

    /// Records the facts of an ACK or NACK on single transmissions, before its other effects.
    /// Packets before the expected one need not be sent again.
    fn note_news(&mut self, ack: &Acknowledgement) {
        let open = |place: usize| self.sent[place].is_open;
        self.untold.was_awaited = self.place(ack.transmission).is_some_and(open);
        self.untold.hear(ack.received);
        while let Some(psn) = self.lost.first().filter(|psn| *psn < ack.expected) {
            self.lost.remove(psn);
            self.untold.restored.add(self.segments.payload(psn));
        }
    }

    /// [`Scoreboard::acknowledge`] without a rule, in a simple case: all transmissions up to
    /// `number` are of packets before `expected`, and no packet is lost or early. Otherwise returns
    /// `false`, without effect.
    #[inline]
    pub(super) fn acknowledge_in_order(&mut self, number: u64, expected: u32) -> bool {
        let is_plain = self.lost.is_empty() && self.early.is_empty() && self.closed == 0;
        if !is_plain || !self.is_in_order() {
            return false;
        }
        let count = (number + 1).saturating_sub(self.first) as usize;
        let mut payload = 0;
        for sent in self.sent.iter().take(count) {
            if sent.psn >= expected {
                return false;
            }
            payload += u64::from(sent.payload);
        }
        self.sent.drain(..count);
        self.untold.was_awaited = count > 0;
        self.first += count as u64;
        self.in_flight -= payload;
        true
    }

    /// Removes packets before `expected` from the early ones; returns their payload bytes.
    fn take_early_before(&mut self, expected: u32) -> u64 {
        if self.early.first().is_none_or(|first| first >= expected) {
            return 0;
        }
        let mtu = self.segments.mtu;
        // Only the last packet of a flow may be shorter.
        let last = expected
            .checked_sub(1)
            .filter(|psn| self.early.contains(*psn));
        let missing = last.map_or(0, |psn| mtu - self.segments.payload(psn));
        u64::from(self.early.remove_before(expected)) * mtu - missing
    }

    /// Notes that packet `psn` is early; returns its payload bytes if this was not known.
    fn note_arrival(&mut self, psn: u32) -> u64 {
        if !self.early.insert(psn) {
            return 0;
        }
        let payload = self.segments.payload(psn);
        if !self.lost.is_empty() && self.lost.remove(psn) {
            self.untold.restored.add(payload);
        }
        payload
    }

    /// Applies a bitmap of early packets; returns the payload bytes that are newly known to have
    /// arrived.
    fn apply(&mut self, sack: Sack, expected: u32, now: Time) -> u64 {
        let mut newly_acked = 0;
        for bit in ones(sack.bits & !self.early.bits_from(sack.base)) {
            let psn = sack.base + bit;
            if psn < expected {
                continue;
            }
            newly_acked += self.note_arrival(psn);
            if self.is_in_order() {
                if let Some(number) = self.first_open_of(psn) {
                    self.close(number);
                }
            } else if let Some(number) = self.take_open(psn) {
                self.note_newest(number, now);
                self.close_at((number - self.first) as usize);
            }
        }
        newly_acked
    }

    /// A transmission has arrived, which may have counted as lost. Returns the payload bytes of its
    /// packet if the packet is early, and this was not known.
    fn arrive(&mut self, number: u64, expected: u32) -> u64 {
        let Some(place) = self.place(number) else {
            return 0;
        };
        let psn = self.sent[place].psn;
        self.close(number);
        match psn < expected {
            true => 0,
            false => self.note_arrival(psn),
        }
    }

    #[inline]
    fn note_newest(&mut self, number: u64, now: Time) {
        if self.infers_losses {
            self.keep_newest(number, now);
        }
    }

    #[inline(never)]
    fn keep_newest(&mut self, number: u64, now: Time) {
        let is_known = |newest: &Newest| number <= newest.number;
        if let Some(place) = self.place(number)
            && !self.newest.as_ref().is_some_and(is_known)
        {
            let round_trip = now - self.sent[place].sent;
            self.newest = Some(Newest { number, round_trip });
        }
    }

    /// Closes the transmissions of packets before `expected`, which are acknowledged.
    fn close_before(&mut self, expected: u32) {
        while self.first_psn < expected {
            self.first_psn += 1;
            if let Some(number) = self.open.pop_front().flatten() {
                self.close_at((number - self.first) as usize);
            }
        }
    }

    /// Closes a transmission, which is acknowledged or lost, if it is open.
    #[inline]
    fn close(&mut self, number: u64) {
        if let Some(place) = self.place(number)
            && let Some(sent) = self.sent.get(place).filter(|sent| sent.is_open)
        {
            self.take_open(sent.psn);
            self.close_at(place);
        }
    }

    /// Closes the open transmission at this index.
    #[inline]
    fn close_at(&mut self, place: usize) {
        let sent = &mut self.sent[place];
        sent.is_open = false;
        self.closed += 1;
        self.in_flight -= u64::from(sent.payload);
        if sent.requests_ack && self.ack_requested == Some(self.first + place as u64) {
            self.find_last_request(place);
        }
        if place == 0 {
            self.forget_closed();
        }
    }

    /// Finds the last ACK request before the one at this index, whose transmission is closed.
    fn find_last_request(&mut self, place: usize) {
        let asks = |sent: &Transmission| sent.is_open && sent.requests_ack;
        let earlier = self.sent.range(..place).rposition(asks);
        self.ack_requested = earlier.map(|place| self.first + place as u64);
    }

    /// Drops closed transmissions before the first open one.
    #[inline]
    fn forget_closed(&mut self) {
        while self.sent.front().is_some_and(|sent| !sent.is_open) {
            self.sent.pop_front();
            self.first += 1;
            self.closed -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
