//! The link between an endpoint and its ToR, from the endpoint's side.

use crate::measure::PacketStart;
use crate::packet::{BufferCredit, Channel, Cycle, RESPONSES, Ticket, TicketRole};
use crate::store::PacketStore;
use crate::switch::{FabricFacts, FabricSwitch};

/// The link to the ToR.
#[derive(Debug)]
pub(crate) struct TorLink<'a> {
    pub(crate) facts: &'a FabricFacts,
    pub(crate) switch: &'a mut FabricSwitch,
    /// The ToR's port.
    pub(crate) port: u16,
    /// Start of every packet, if starts are recorded.
    pub(crate) starts: &'a mut Option<Vec<PacketStart>>,
}

impl TorLink<'_> {
    /// The packet store of the node.
    #[inline]
    pub(super) fn store(&mut self) -> &mut PacketStore {
        &mut self.switch.store
    }

    /// Endpoint `sender` sends a packet. Returns the credit for it if its time is already known.
    #[inline]
    pub(super) fn send(
        &mut self,
        now: Cycle,
        sender: u16,
        channel: Channel,
        packet: Ticket,
    ) -> Option<BufferCredit> {
        if let Some(starts) = self.starts {
            let place = PacketStart::from_endpoint(sender);
            starts.push(PacketStart::new(
                now,
                place,
                &self.switch.store.packet(packet),
            ));
        }
        let config = &self.facts.config;
        let ready = now + config.hop();
        if packet.role == TicketRole::Contribution {
            debug_assert_eq!(channel, RESPONSES);
            let is_certain = self.switch.arrive_for_entry(self.port, now, ready, packet);
            return is_certain.then(|| BufferCredit {
                ready: ready + config.flight(),
                channel: channel as u8,
                flits: packet.flits,
            });
        }
        self.switch.arrive(self.port, channel, ready, packet);
        None
    }

    /// Gives back the buffer room of a packet that has arrived.
    #[inline]
    pub(super) fn give_back(&mut self, now: Cycle, packet: Ticket) {
        let credit = BufferCredit {
            ready: now + self.facts.config.hop(),
            channel: packet.channel() as u8,
            flits: packet.flits,
        };
        self.switch.expect_credit(self.port, credit);
    }
}
