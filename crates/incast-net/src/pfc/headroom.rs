//! Headroom: buffer of an ingress port for packets that arrive after a pause was decided.

use incast_units::{Bytes, Rate, Time};

use crate::{Clock, PacketSizes};

/// Headroom of an ingress port.
#[derive(Clone, Debug, PartialEq)]
pub enum Headroom {
    /// What can still arrive: the link's bandwidth over two propagation delays, a packet that
    /// has just begun at either end, and the pause frame.
    WorstCase,
    /// This multiple of the link's rate · delay, rounded down.
    RateDelay(u64),
    /// A fixed number of bytes.
    Fixed(Bytes),
}

impl Headroom {
    /// Headroom of a port whose link has this rate and delay, in bytes. In the worst case a packet
    /// has just exceeded the threshold. The pause frame waits for a packet that has just begun to
    /// leave and for an earlier resume frame, is transmitted, and travels. The peer finishes the
    /// packet that it has just begun, and all packets on the link by then still arrive. A clock
    /// that rounds transmission times down makes the link faster than `rate`, so more arrives.
    pub fn of(&self, rate: Rate, delay: Time, packets: &PacketSizes, clock: Clock) -> Bytes {
        match self {
            Self::Fixed(bytes) => *bytes,
            // As the artifact: whole bytes first, then the multiple.
            Self::RateDelay(multiple) => rate.bytes_in(delay) * *multiple,
            Self::WorstCase => {
                let on_the_way = u128::from(rate.as_bps()) * u128::from(delay.as_ps()) * 2;
                // Rounded up: where a byte takes no whole number of ps, so are transmissions.
                let on_the_way = on_the_way.div_ceil(8_000_000_000_000) as u64;
                let exact = Bytes::new(on_the_way) + packets.largest() * 3 + packets.pfc_frame * 2;
                clock.at_most_sent(exact, rate, packets.smallest())
            }
        }
    }
}
