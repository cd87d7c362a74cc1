//! Credit: bytes that the receiver has granted, in place of a window or besides one.
//!
//! The sender's half of RCCC, for one flow. All bytes are bytes on the wire. C is the credit, G the
//! total that the receiver has granted since the flow began, W the largest credit:
//!
//! ```text
//! C ← S                            the flow begins, and speculates            (1)
//! C ← C − size                     a packet leaves                            (2)
//! C ← min(C, 0)                    the first ACK, NACK or pull: it ends       (3)
//! C ← min(C + (G' − G), W)         a pull that brings the sum G to G'         (4)
//! C > 0                            a packet may leave                         (5)
//! D = G + (min(L, B, W) − C)/n     the sum that a packet asks for             (6)
//! ```
//!
//! In (6) L is the bytes left to send, B the bound by the flow's window, n the number of flows of
//! the NIC that wait for the link. A speculating flow with bytes left asks for at least one packet.
//! By (5) the last packet may take C below 0.
//!
//! Besides an algorithm with a window, a packet leaves if window and credit both allow it. With
//! NSCC this is Ultra Ethernet's congestion management by senders and receivers together. B is then
//! W_cc + one packet.

use incast_units::{Bytes, Time};

use crate::{
    Ack, Backlog, Cnp, CongestionControl, ControlReply, Credit, Loss, LossKind, SendLimit, Sent,
    Start,
};

/// The credit of one flow, at its sender.
#[derive(Clone, Debug)]
pub(crate) struct Credits {
    /// C.
    credit: i64,
    /// W.
    most: i64,
    /// G.
    granted: u64,
    speculates: bool,
    /// Size of a full packet on the wire, in bytes.
    packet: i64,
}

impl Credits {
    /// `speculative` is S, `most` is W, in bytes; `packet` is the size of a full packet on the
    /// wire.
    pub(crate) fn new(speculative: u64, most: u64, packet: Bytes) -> Self {
        Self {
            credit: signed(speculative),
            most: signed(most),
            granted: 0,
            speculates: true,
            packet: signed(packet.as_u64()),
        }
    }

    /// Handles the first ACK, NACK or pull: rule (3).
    pub(crate) fn end_speculation(&mut self) {
        if std::mem::take(&mut self.speculates) {
            self.credit = self.credit.min(0);
        }
    }

    /// Rule (2).
    pub(crate) fn on_sent(&mut self, wire: Bytes) {
        self.credit -= signed(wire.as_u64());
    }

    /// Handles a pull: rule (4). A pull that arrives after a later one grants nothing.
    pub(crate) fn on_credit(&mut self, credit: &Credit) {
        self.end_speculation();
        let granted = credit.in_all.unwrap_or_default().as_u64();
        if granted > self.granted {
            let more = signed(granted - self.granted);
            self.credit = (self.credit + more).min(self.most);
            self.granted = granted;
        }
    }

    /// Bytes that may leave by rule (5): while any credit is left, a full packet may leave.
    pub(crate) fn room(&self) -> Bytes {
        match self.credit > 0 {
            true => Bytes::new((self.credit + self.packet - 1) as u64),
            false => Bytes::ZERO,
        }
    }

    /// Rule (6). `bound`: the bound by the flow's window, if it has one.
    pub(crate) fn wanted(&self, backlog: &Backlog, bound: Option<Bytes>) -> Bytes {
        let left = signed(backlog.left.as_u64());
        let bound = bound.map_or(i64::MAX, |bound| signed(bound.as_u64()));
        let mut wanted = left.min(bound).min(self.most) - self.credit;
        if self.speculates && left > 0 {
            wanted = wanted.max(self.packet);
        }
        let share = wanted / i64::from(backlog.flows.max(1));
        Bytes::new(self.granted.saturating_add_signed(share))
    }

    /// W.
    pub(crate) fn most(&self) -> Bytes {
        Bytes::new(self.most as u64)
    }
}

/// An algorithm whose flows also need credit. It answers with [`SendLimit::room`].
#[derive(Clone, Debug)]
pub(crate) struct CreditLimited<C> {
    algorithm: C,
    credits: Credits,
}

impl<C: CongestionControl> CreditLimited<C> {
    pub(crate) fn new(algorithm: C, credits: Credits) -> Self {
        Self { algorithm, credits }
    }

    /// The window of the algorithm, if it has one.
    fn window(&self) -> Option<Bytes> {
        let window = self.algorithm.limit().window;
        (window < Bytes::MAX).then_some(window)
    }
}

impl<C: CongestionControl + Clone> CongestionControl for CreditLimited<C> {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        self.credits.end_speculation();
        self.algorithm.on_ack(now, ack);
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        self.credits.on_sent(sent.wire);
        self.algorithm.on_sent(now, sent);
    }

    fn on_credit(&mut self, _now: Time, credit: &Credit) {
        self.credits.on_credit(credit);
    }

    fn credit_wanted(&self, backlog: &Backlog) -> Bytes {
        let packet = Bytes::new(self.credits.packet as u64);
        let bound = self.window().map(|window| window + packet);
        self.credits.wanted(backlog, bound)
    }

    fn is_bound_by_credit(&self) -> bool {
        self.credits.room() <= self.algorithm.limit().room
    }

    /// The limit that window and credit allow together.
    fn limit(&self) -> SendLimit {
        let limit = self.algorithm.limit();
        SendLimit {
            window: limit.window.min(self.credits.most()),
            room: limit.room.min(self.credits.room()),
            ..limit
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("credit_bytes", self.credits.credit as f64);
        self.algorithm.probe(record);
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        // A timeout is not an arrival, so it does not end speculation.
        if loss.kind != LossKind::Timeout {
            self.credits.end_speculation();
        }
        self.algorithm.on_loss(now, loss);
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.algorithm.on_cnp(now, cnp);
    }

    fn on_path_change(&mut self) {
        self.algorithm.on_path_change();
    }

    fn start(&self) -> Start {
        self.algorithm.start()
    }

    fn on_control(&mut self, now: Time, reply: &ControlReply) {
        self.algorithm.on_control(now, reply);
    }

    fn on_timer(&mut self, now: Time) {
        self.algorithm.on_timer(now);
    }

    fn next_timer(&self) -> Option<Time> {
        self.algorithm.next_timer()
    }
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
