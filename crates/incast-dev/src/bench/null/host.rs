//! A host of the null network: sends one flow after the other, and answers packets with ACKs.

use incast_engine::{CheckedIndex, Context, Node};
use incast_units::{HostId, Time};

use super::packet::{NullLink, NullPacket};

/// Time from one data packet to the next, in transmission times. With 1, twice as many packets
/// would queue as under HPCC.
const GAPS: u64 = 2;

/// Sizes on the wire, in bytes.
#[derive(Copy, Clone, Debug)]
pub(super) struct WireSizes {
    /// The largest payload of a data packet.
    pub(super) payload: u64,
    /// Bytes of a data packet without its payload.
    pub(super) header: u64,
    /// An ACK.
    pub(super) ack: u64,
}

/// The unsent part of a flow.
#[derive(Copy, Clone, Debug)]
pub(super) struct NullTransfer {
    pub(super) start: Time,
    pub(super) bytes: u64,
    pub(super) destination: u16,
    pub(super) spread: u64,
}

/// The packets that have arrived, counted.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Arrived {
    pub(super) data: u64,
    pub(super) acks: u64,
    pub(super) last: Time,
    /// Sum of all arrival times.
    pub(super) times: u64,
}

#[derive(Debug)]
pub(super) struct NullHost {
    number: u16,
    link: NullLink,
    sizes: WireSizes,
    /// Transfers in order of start.
    transfers: Vec<NullTransfer>,
    /// Index of the first transfer that has not been sent in full.
    next: usize,
    /// Earliest time at which the next packet may leave, or [`Time::MAX`].
    due: Time,
    arrived: Arrived,
}

impl NullHost {
    pub(super) fn new(
        host: HostId,
        link: NullLink,
        sizes: WireSizes,
        transfers: Vec<NullTransfer>,
    ) -> Self {
        Self {
            number: host.0 as u16,
            link,
            sizes,
            next: 0,
            due: start_of(transfers.first()),
            transfers,
            arrived: Arrived::default(),
        }
    }

    pub(super) fn arrived(&self) -> Arrived {
        self.arrived
    }

    /// Sends the data packets that begin to leave before `limit`.
    #[inline]
    fn send<C: Context<Message = NullPacket>>(&mut self, limit: Time, context: &mut C) {
        while self.due < limit && self.link.free_at < limit {
            let transfer = self.transfers.at_mut(self.next);
            let payload = transfer.bytes.min(self.sizes.payload);
            let mut packet = NullPacket {
                arrival: Time::ZERO,
                spread: transfer.spread,
                source: self.number,
                destination: transfer.destination,
                size: (payload + self.sizes.header) as u16,
                is_ack: false,
                _words: [0; 5],
            };
            transfer.bytes -= payload;
            let at = self.link.free_at.max(self.due);
            self.link.start(0, &mut packet, at, context);
            self.due = at + (self.link.free_at - at) * GAPS;
            if transfer.bytes == 0 {
                self.next += 1;
                self.due = self.due.max(start_of(self.transfers.get(self.next)));
            }
        }
    }
}

fn start_of(transfer: Option<&NullTransfer>) -> Time {
    transfer.map_or(Time::MAX, |transfer| transfer.start)
}

impl<C: Context<Message = NullPacket>> Node<C> for NullHost {
    const HAS_ONE_PORT: bool = true;

    /// Answers data with an ACK, which goes ahead of data that has not begun to leave; counts ACKs.
    #[inline(always)]
    fn on_message(&mut self, _port: usize, packet: &mut NullPacket, context: &mut C) {
        let now = context.now();
        self.arrived.last = now;
        self.arrived.times = self.arrived.times.wrapping_add(now.as_ps());
        if packet.is_ack {
            self.arrived.acks += 1;
            return;
        }
        self.arrived.data += 1;
        self.send(now, context);
        (packet.source, packet.destination) = (packet.destination, packet.source);
        (packet.size, packet.is_ack) = (self.sizes.ack as u16, true);
        let at = self.link.free_at.max(now);
        self.link.start(0, packet, at, context);
    }

    #[inline]
    fn on_timer_expiry(&mut self, _timer: usize, _context: &mut C) {}

    /// Sets the timer. ACKs may delay the next data packet, so that a timer that is set is never
    /// too late.
    #[inline]
    fn end_window(&mut self, end: Time, context: &mut C) {
        self.send(end, context);
        if self.due < Time::MAX && context.timer_deadline(0).is_none() {
            context.set_timer(0, self.link.free_at.max(self.due));
        }
    }
}
