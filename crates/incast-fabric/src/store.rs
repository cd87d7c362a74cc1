//! The packets of one node: queues of its switch and of its endpoints hold [`Ticket`]s, the rest
//! of a packet is here, once for all its copies.
//!
//! A slot is freed when its packet leaves the node, or completes an operation. The copies of a
//! replicated request share its slot, which is also its table entry: what the switch remembers
//! until all responses have come.

use crate::packet::{Cycle, FabricPacket, Leg, Ticket, TicketRole};

/// A packet, and the table entry of a replicated one.
#[derive(Copy, Clone, Debug)]
struct Slot {
    packet: FabricPacket,
    /// Responses that have not been counted; 0 unless the packet has been replicated.
    missing: u32,
    /// Where the packet, or the combined response, waits for room at outputs.
    from: Waiting,
    /// Where a replicated request came from, and the combined response goes.
    port: u16,
    /// Of the responses counted ahead of time the last: when it is ready, and at which input.
    last: (Cycle, u32),
}

/// Where a packet that waits for room comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The first packet of an input.
    Input(u32),
    /// The combined response of a table entry.
    Entry,
}

/// What a response does that is counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contributed {
    NotLast,
    /// It completes the combined response, which leaves by this port.
    Last(Ticket, u16),
    /// The last of all is one that was counted ahead of time: when it is ready, and at which
    /// input.
    LastAt((Cycle, u32)),
}

/// The packets of one node.
#[derive(Debug, Default)]
pub(crate) struct PacketStore {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl PacketStore {
    /// Takes a packet in.
    #[inline]
    pub(crate) fn add(&mut self, packet: &FabricPacket) -> Ticket {
        let slot = Slot {
            packet: *packet,
            missing: 0,
            from: Waiting::Entry,
            port: 0,
            last: (0, 0),
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.slots[number as usize] = slot;
                number
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        };
        let role = match packet.leg {
            Leg::Request => TicketRole::Request,
            Leg::Response => TicketRole::Response,
        };
        Ticket::new(number, packet, role)
    }

    pub(crate) fn free(&mut self, ticket: Ticket) {
        self.free.push(ticket.slot);
    }

    fn slot(&mut self, ticket: Ticket) -> &mut Slot {
        &mut self.slots[ticket.slot as usize]
    }

    /// The packet that an operation's request was.
    #[inline]
    pub(crate) fn request(&self, ticket: Ticket) -> &FabricPacket {
        &self.slots[ticket.slot as usize].packet
    }

    /// A packet as it goes over a link.
    #[inline]
    pub(crate) fn packet(&self, ticket: Ticket) -> FabricPacket {
        let Slot {
            packet, missing, ..
        } = &self.slots[ticket.slot as usize];
        match ticket.role {
            TicketRole::Request if *missing > 0 => FabricPacket {
                entry: ticket.slot,
                ..*packet
            },
            TicketRole::Request => *packet,
            _ => packet.response(),
        }
    }

    /// Whether all copies of a packet are this one.
    #[inline]
    pub(crate) fn is_only_copy(&self, ticket: Ticket) -> bool {
        ticket.role != TicketRole::Request || self.slots[ticket.slot as usize].missing == 0
    }

    /// Where a packet waits for room at outputs.
    #[inline]
    pub(crate) fn set_waiting(&mut self, ticket: Ticket, from: Waiting) {
        self.slot(ticket).from = from;
    }

    #[inline]
    pub(crate) fn waiting(&self, ticket: Ticket) -> Waiting {
        self.slots[ticket.slot as usize].from
    }

    /// Makes the slot of a request that came by `port` a table entry, for so many responses.
    pub(crate) fn reserve(&mut self, ticket: Ticket, port: u16, missing: u32) {
        let slot = self.slot(ticket);
        (slot.port, slot.missing) = (port, missing);
    }

    /// A response is counted that is ready at an input now.
    #[inline]
    pub(crate) fn contribute(&mut self, ticket: Ticket, now: Cycle, input: u32) -> Contributed {
        let slot = self.slot(ticket);
        slot.missing -= 1;
        if slot.missing > 0 {
            return Contributed::NotLast;
        }
        if slot.last > (now, input) {
            slot.missing = 1;
            return Contributed::LastAt(slot.last);
        }
        let role = TicketRole::Response;
        Contributed::Last(Ticket { role, ..ticket }, slot.port)
    }

    /// A response is counted that will be ready at an input in a later cycle. If it was the last
    /// to be counted, says when and where the last of all is ready.
    #[inline]
    pub(crate) fn contribute_ahead(
        &mut self,
        ticket: Ticket,
        ready: Cycle,
        input: u32,
    ) -> Option<(Cycle, u32)> {
        let slot = self.slot(ticket);
        slot.last = slot.last.max((ready, input));
        slot.missing -= 1;
        if slot.missing > 0 {
            return None;
        }
        // The last of all counts when it is ready.
        slot.missing = 1;
        Some(slot.last)
    }
}
