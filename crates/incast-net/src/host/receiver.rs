//! The receiving end of flows: what arrives in order is delivered and acknowledged, what does
//! not is asked for again (go-back-N), or kept until its turn comes (selective repeat).

use incast_units::Time;

use crate::CnpConfig;
use crate::context::NetContext;
use crate::packet::{Kind, Packet};

use super::Host;
use super::selective::Early;

/// One flow, at its receiver, until it is complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver {
    /// Number of the packet that comes next.
    expected: u32,
    /// Packets received since the last ACK.
    unacknowledged: u32,
    /// The packet asked for last, and until when it is not asked for again.
    nack: Option<(u32, Time)>,
    /// Until when no CNP is sent.
    next_cnp: Time,
    /// Packets that came too early; with selective repeat, if there ever were any.
    early: Option<Box<Early>>,
}

impl Receiver {
    /// Takes the packet that was expected; says whether an ACK is due.
    #[inline]
    fn accept(&mut self, kind: Kind, ack_every: u32) -> bool {
        self.expected += 1;
        if ack_every > 1 && kind == Kind::Data && self.unacknowledged + 1 < ack_every {
            self.unacknowledged += 1;
            return false;
        }
        self.unacknowledged = 0;
        true
    }

    /// Takes what follows and has come already.
    #[cold]
    fn accept_early(&mut self) -> Followers {
        let mut followers = Followers::default();
        let Some(early) = &mut self.early else {
            return followers;
        };
        while let Some(payload) = early.take(self.expected) {
            followers.any = true;
            followers.payload += payload;
            followers.complete = early.is_last(self.expected);
            self.expected += 1;
        }
        if followers.any {
            self.unacknowledged = 0;
        }
        followers
    }
}

/// Packets that came too early, and whose turn has come.
#[derive(Copy, Clone, Debug, Default)]
struct Followers {
    any: bool,
    payload: u64,
    /// Whether the last packet of the flow is among them.
    complete: bool,
}

impl<const WORDS: usize> Host<'_, WORDS> {
    #[inline(always)]
    pub(super) fn on_data<const PLAIN: bool, C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let shared = self.shared;
        if !PLAIN
            && shared.lossy
            && let Some(&packets) = self.received.get(&packet.flow)
        {
            // Its last ACK was lost, or is still on its way.
            return self.reply(Kind::Ack, packets, packet, context);
        }
        if !PLAIN && shared.sends_cnps && packet.marked() {
            self.notify(packet, context);
        }
        let receiver = self.receivers.entry(packet.flow);
        if packet.psn != receiver.expected || !PLAIN && receiver.early.is_some() {
            return self.on_odd_data(packet, context);
        }
        let kind = packet.kind();
        let ack_every = if PLAIN { 1 } else { shared.config.ack_every };
        let due = receiver.accept(kind, ack_every);
        let expected = receiver.expected;
        context.local().delivered += u64::from(packet.size) - shared.data_overhead;
        if kind == Kind::LastData {
            self.forget(packet.flow, expected);
        }
        if due {
            self.acknowledge::<PLAIN, C>(Kind::Ack, expected, packet, context);
        }
    }

    /// Data that are out of place, or come when others are kept for later.
    #[inline(never)]
    fn on_odd_data<C: NetContext<WORDS>>(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let shared = self.shared;
        let receiver = self.receivers.entry(packet.flow);
        let payload = u64::from(packet.size) - shared.data_overhead;
        let last = packet.kind() == Kind::LastData;
        if packet.psn == receiver.expected {
            let due = receiver.accept(packet.kind(), shared.config.ack_every);
            let followers = receiver.accept_early();
            let expected = receiver.expected;
            context.local().delivered += payload + followers.payload;
            if last || followers.complete {
                self.forget(packet.flow, expected);
            }
            if due || followers.any {
                self.reply(Kind::Ack, expected, packet, context);
            }
        } else if packet.psn > receiver.expected {
            if shared.numbered {
                let early = receiver.early.get_or_insert_default();
                early.keep(packet.psn, payload, last);
                let expected = receiver.expected;
                return self.reply(Kind::Ack, expected, packet, context);
            }
            self.ask_again(packet, context);
        } else if shared.lossy {
            // The ACK of this packet may have been lost: without another, the sender waits.
            let expected = receiver.expected;
            self.reply(Kind::Ack, expected, packet, context);
        }
    }

    /// A flow is complete. Where its packets may come again, their number is kept to tell them
    /// from those of a new flow.
    #[inline(never)]
    fn forget(&mut self, flow: u32, packets: u32) {
        self.receivers.remove(flow);
        if self.shared.lossy {
            self.received.insert(flow, packets);
        }
    }

    /// Tells the sender of a mark, once in a while.
    #[inline(never)]
    fn notify<C: NetContext<WORDS>>(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        let CnpConfig::Interval(interval) = self.shared.config.cnp else {
            return;
        };
        let now = context.now();
        let receiver = self.receivers.entry(packet.flow);
        if now < receiver.next_cnp {
            return;
        }
        receiver.next_cnp = now + interval;
        let mut cnp = *packet;
        cnp.words = [0; WORDS];
        cnp.turn_back(Kind::Cnp, self.shared.cnp_size);
        self.answer::<false, C>(&mut cnp, context);
    }

    /// A packet is missing before this one: says so, once in a while.
    fn ask_again<C: NetContext<WORDS>>(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let receiver = self.receivers.entry(packet.flow);
        let (expected, now) = (receiver.expected, context.now());
        if receiver
            .nack
            .is_some_and(|(asked, until)| asked == expected && now < until)
        {
            return;
        }
        receiver.nack = Some((expected, now + self.shared.config.recovery.nack_interval));
        self.reply(Kind::Nack, expected, packet, context);
    }

    /// Turns a data packet into its ACK: INT, timestamp and mark go back as they came.
    #[inline(always)]
    fn acknowledge<const PLAIN: bool, C: NetContext<WORDS>>(
        &mut self,
        kind: Kind,
        expected: u32,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        packet.turn_back(kind, self.shared.ack_size);
        packet.psn = expected;
        if !PLAIN && self.shared.int_on_acks {
            self.begin_int(packet);
        }
        self.answer::<PLAIN, C>(packet, context);
    }

    /// The same where it is rare, and not worth a place of its own.
    #[inline(never)]
    fn reply<C: NetContext<WORDS>>(
        &mut self,
        kind: Kind,
        expected: u32,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        self.acknowledge::<false, C>(kind, expected, packet, context);
    }

    /// An ACK that collects INT on its way says how many flows are under way to this host: those
    /// of which something has arrived and something is missing, its own in any case.
    #[inline]
    fn begin_int(&self, packet: &mut Packet<WORDS>) {
        let flows = u16::try_from(self.receivers.len()).unwrap_or(u16::MAX);
        packet.set_receiver_flows(flows.max(1));
        packet.reset_hops();
    }
}

impl<const WORDS: usize> Packet<WORDS> {
    #[inline]
    fn turn_back(&mut self, kind: Kind, size: u16) {
        self.set_kind(kind);
        self.size = size;
        std::mem::swap(&mut self.source, &mut self.destination);
    }
}
