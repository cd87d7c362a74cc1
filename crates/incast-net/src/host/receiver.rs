//! The receiving end of flows: what arrives in order is delivered and acknowledged, what does
//! not is asked for again (go-back-N).

use incast_units::Time;

use crate::CnpConfig;
use crate::context::NetContext;
use crate::packet::{Kind, Packet};

use super::Host;

/// One flow, at its receiver.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// Number of the packet that comes next.
    expected: u32,
    /// Packets received since the last ACK.
    unacknowledged: u32,
    /// The packet asked for last, and until when it is not asked for again.
    nack: Option<(u32, Time)>,
    /// Until when no CNP is sent.
    next_cnp: Time,
    complete: bool,
}

impl Receiver {
    fn new() -> Self {
        Self {
            expected: 0,
            unacknowledged: 0,
            nack: None,
            next_cnp: Time::ZERO,
            complete: false,
        }
    }
}

impl<const WORDS: usize> Host<'_, WORDS> {
    #[inline]
    pub(super) fn on_data<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        let last = packet.kind() == Kind::LastData;
        let receiver = self
            .receivers
            .entry(packet.flow)
            .or_insert_with(Receiver::new);
        if self.shared.sends_cnps
            && packet.marked()
            && let CnpConfig::Interval(interval) = self.shared.config.cnp
            && context.now() >= receiver.next_cnp
        {
            receiver.next_cnp = context.now() + interval;
            let mut cnp = *packet;
            cnp.turn_back(Kind::Cnp, self.shared.cnp_size);
            self.acks.push_back(cnp);
        }
        if packet.psn == receiver.expected && !receiver.complete {
            receiver.expected += 1;
            receiver.complete = last;
            receiver.unacknowledged += 1;
            context.local().delivered += u64::from(packet.size) - self.shared.data_overhead;
            let every = self.shared.config.ack_every;
            let due = last || receiver.unacknowledged >= every;
            let expected = receiver.expected;
            if due {
                receiver.unacknowledged = 0;
            }
            if last && !self.shared.lossy {
                self.receivers.remove(&packet.flow);
            }
            if due {
                self.acknowledge(Kind::Ack, expected, packet, context);
            }
        } else if packet.psn > receiver.expected {
            self.ask_again(packet, context);
        } else if self.shared.lossy {
            // The ACK of this packet may have been lost: without another, the sender waits.
            let expected = receiver.expected;
            self.acknowledge(Kind::Ack, expected, packet, context);
        }
    }

    /// A packet is missing before this one: says so, once in a while.
    fn ask_again<C: NetContext<WORDS>>(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let receiver = self
            .receivers
            .get_mut(&packet.flow)
            .expect("its receiver exists");
        let (expected, now) = (receiver.expected, context.now());
        if receiver
            .nack
            .is_some_and(|(asked, until)| asked == expected && now < until)
        {
            return;
        }
        receiver.nack = Some((expected, now + self.shared.config.recovery.nack_interval));
        self.acknowledge(Kind::Nack, expected, packet, context);
    }

    /// Turns a data packet into its ACK: INT, timestamp and mark go back as they came.
    #[inline]
    fn acknowledge<C: NetContext<WORDS>>(
        &mut self,
        kind: Kind,
        expected: u32,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        packet.turn_back(kind, self.shared.ack_size);
        packet.psn = expected;
        self.answer(packet, context);
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
