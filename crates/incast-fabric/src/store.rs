//! The packets of one node. Queues of its switch and endpoints hold [`Ticket`]s; the rest of each
//! packet is here, once for all its copies.
//!
//! A slot is freed when its packet leaves the node, or completes an operation. The copies of a
//! replicated request share its slot. The slot is also the request's table entry: it holds the
//! state of the reduction until all responses have come.

use crate::packet::{Cycle, FabricPacket, Leg, Ticket, TicketRole};

/// Packets by slot. The states, which are read for each copy, are in a vector of their own, so that
/// they stay in the cache.
#[derive(Debug, Default)]
pub(crate) struct PacketStore {
    packets: Vec<FabricPacket>,
    states: Vec<SlotState>,
    free: Vec<u32>,
}

/// The state of a packet, and the table entry of a replicated packet.
#[derive(Copy, Clone, Debug)]
struct SlotState {
    /// The latest response among those counted ahead of time.
    last: InputEvent,
    /// Responses not yet counted; 0 unless the packet has been replicated.
    missing: u32,
    /// The input by which the packet arrived, or [`COMBINED`].
    input: u32,
}

/// Value of `input` for the combined response of a table entry.
const COMBINED: u32 = u32::MAX;

/// A packet becomes ready at an input: the cycle in the upper bits, the input's number in the
/// lower.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InputEvent(u64);

impl InputEvent {
    const INPUT_BITS: u32 = 20;

    #[inline]
    pub(crate) fn new(ready: Cycle, input: u32) -> Self {
        debug_assert!(input < 1 << Self::INPUT_BITS, "an input of 65 536 ports");
        Self(ready << Self::INPUT_BITS | u64::from(input))
    }

    #[inline]
    pub(crate) fn ready(self) -> Cycle {
        self.0 >> Self::INPUT_BITS
    }

    #[inline]
    pub(crate) fn input(self) -> u32 {
        (self.0 % (1 << Self::INPUT_BITS)) as u32
    }
}

/// The effect of counting a response.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contributed {
    NotLast,
    /// The response is the last. Gives the combined response, and the input whose port it leaves
    /// by.
    Last(Ticket, u32),
    /// All responses are counted; the last to become ready is this one, counted ahead of time.
    LastAt(InputEvent),
}

impl PacketStore {
    /// Stores a packet; returns its ticket.
    #[inline]
    pub(crate) fn add(&mut self, packet: &FabricPacket) -> Ticket {
        let state = SlotState {
            last: InputEvent(0),
            missing: 0,
            input: COMBINED,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.packets[number as usize] = *packet;
                self.states[number as usize] = state;
                number
            }
            None => {
                self.packets.push(*packet);
                self.states.push(state);
                self.packets.len() as u32 - 1
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

    #[inline]
    fn state(&mut self, ticket: Ticket) -> &mut SlotState {
        &mut self.states[ticket.slot as usize]
    }

    /// The request packet of an operation.
    #[inline]
    pub(crate) fn request(&self, ticket: Ticket) -> &FabricPacket {
        &self.packets[ticket.slot as usize]
    }

    /// The packet of a ticket, as it goes over a link.
    #[inline]
    pub(crate) fn packet(&self, ticket: Ticket) -> FabricPacket {
        let packet = self.request(ticket);
        match ticket.role {
            TicketRole::Request if self.is_only_copy(ticket) => *packet,
            TicketRole::Request => FabricPacket {
                entry: ticket.slot,
                ..*packet
            },
            _ => packet.response(),
        }
    }

    /// Whether no other copy of the packet uses its slot.
    #[inline]
    pub(crate) fn is_only_copy(&self, ticket: Ticket) -> bool {
        ticket.role != TicketRole::Request || self.states[ticket.slot as usize].missing == 0
    }

    /// Records the input by which a packet arrived.
    #[inline]
    pub(crate) fn set_input(&mut self, ticket: Ticket, input: u32) {
        self.state(ticket).input = input;
    }

    /// The input by which a packet arrived; `None` for a combined response.
    #[inline]
    pub(crate) fn input_of(&self, ticket: Ticket) -> Option<u32> {
        let input = self.states[ticket.slot as usize].input;
        (input != COMBINED).then_some(input)
    }

    /// Makes the slot of a request a table entry that waits for `missing` responses.
    pub(crate) fn reserve(&mut self, ticket: Ticket, missing: u32) {
        self.state(ticket).missing = missing;
    }

    /// Counts a response that is ready at an input now.
    #[inline]
    pub(crate) fn contribute(&mut self, ticket: Ticket, now: InputEvent) -> Contributed {
        let state = self.state(ticket);
        state.missing -= 1;
        if state.missing > 0 {
            return Contributed::NotLast;
        }
        if state.last > now {
            state.missing = 1;
            return Contributed::LastAt(state.last);
        }
        let input = std::mem::replace(&mut state.input, COMBINED);
        let role = TicketRole::Response;
        Contributed::Last(Ticket { role, ..ticket }, input)
    }

    /// Counts a response that becomes ready at an input in a later cycle. If it is the last to be
    /// counted, returns when and where the last response becomes ready.
    #[inline]
    pub(crate) fn contribute_ahead(
        &mut self,
        ticket: Ticket,
        ready: InputEvent,
    ) -> Option<InputEvent> {
        let state = self.state(ticket);
        state.last = state.last.max(ready);
        state.missing -= 1;
        if state.missing > 0 {
            return None;
        }
        // The response that becomes ready last is counted at that time.
        state.missing = 1;
        Some(state.last)
    }
}
