//! INT on data: every data packet collects the state of each switch port by which it leaves.
//!
//! Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, §3: bytes sent before the
//! packet, bytes that wait behind it, the time, the rate of the link. ACKs echo these records.

use incast_signals::int::{IntWriter, PortSnapshot};
use incast_units::{NodeId, Time};

use crate::context::NetContext;
use crate::diagnostics;
use crate::wire::Packet;

/// Writes INT into data packets. Even without INT, counts the switches that they pass.
#[derive(Copy, Clone, Debug)]
pub(crate) struct IntOnData(IntWriter);

impl IntOnData {
    pub(crate) fn new(writer: IntWriter) -> Self {
        Self(writer)
    }

    /// Data packets carry no INT.
    pub(crate) fn off() -> Self {
        Self(IntWriter::Off)
    }

    /// A data packet begins to leave by this port.
    #[inline(always)]
    pub(crate) fn on_departure<const WORDS: usize, C: NetContext<WORDS>>(
        &self,
        packet: &mut Packet<WORDS>,
        port: &PortSnapshot,
        context: &mut C,
    ) {
        let hop = packet.hops();
        match self.0.write(&mut packet.words, hop, port) {
            true => packet.count_hop(),
            false => fail(hop, port.now, context),
        }
    }
}

/// Reports a violation: the packet has no room for this hop. A run with such paths is refused at
/// its start.
#[cold]
fn fail<const WORDS: usize, C: NetContext<WORDS>>(hop: usize, now: Time, context: &mut C) {
    let diagnostic = diagnostics::too_many_hops(hop + 1, hop);
    context.local().fail(now, NodeId(u32::MAX), diagnostic);
}
