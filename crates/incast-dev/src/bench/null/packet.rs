//! A packet of the null network, and the sending end of a link.

use incast_engine::{Context, Message};
use incast_topology::Port;
use incast_units::{Bytes, Time};

/// A packet of the same size in memory as a real one: a cache line.
#[derive(Copy, Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct NullPacket {
    pub(super) arrival: Time,
    /// A random number, the same for all packets and ACKs of a flow, by which switches pick a path.
    pub(super) spread: u64,
    pub(super) source: u16,
    pub(super) destination: u16,
    /// Bytes on the wire.
    pub(super) size: u16,
    pub(super) is_ack: bool,
    /// The space that INT takes in a real packet.
    pub(super) _words: [u64; 5],
}

impl Message for NullPacket {
    #[inline]
    fn time_bits(&self) -> u64 {
        self.arrival.as_ps()
    }
}

/// The sending end of a link.
#[derive(Copy, Clone, Debug)]
pub(super) struct NullLink {
    /// End of the last transmission.
    pub(super) free_at: Time,
    /// Transmission time of a byte in ps, rounded up; exact for all usual rates.
    ps_per_byte: u64,
    delay: Time,
}

impl NullLink {
    pub(super) fn new(port: &Port) -> Self {
        Self {
            free_at: Time::ZERO,
            ps_per_byte: port.rate.transmission_time(Bytes::new(1)).as_ps(),
            delay: port.delay,
        }
    }

    /// Begins at `at` to send a packet out of `port`; the link must be idle then.
    #[inline(always)]
    pub(super) fn start<C: Context<Message = NullPacket>>(
        &mut self,
        port: usize,
        packet: &mut NullPacket,
        at: Time,
        context: &mut C,
    ) {
        self.free_at = at + Time::from_ps(self.ps_per_byte * u64::from(packet.size));
        packet.arrival = self.free_at + self.delay;
        context.send(port, packet, packet.arrival);
    }
}
