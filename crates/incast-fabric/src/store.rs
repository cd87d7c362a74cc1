//! The packets of one node: queues of its switch and of its endpoints hold [`Ticket`]s, the rest
//! of a packet is here, once for all its copies.
//!
//! A slot is freed when its packet leaves the node, or completes an operation. The copies of a
//! replicated request share its slot, which is also its table entry: what the switch remembers
//! until all responses have come.

use crate::packet::{Cycle, FabricPacket, Leg, Ticket, TicketRole};

/// Packets by slot, apart from what is looked up for each copy: that stays in the cache.
#[derive(Debug, Default)]
pub(crate) struct PacketStore {
    packets: Vec<FabricPacket>,
    states: Vec<SlotState>,
    free: Vec<u32>,
}

/// The state of a packet, and the table entry of a replicated one.
#[derive(Copy, Clone, Debug)]
struct SlotState {
    /// The last of the responses that were counted ahead of time.
    last: InputEvent,
    /// Responses that have not been counted; 0 unless the packet has been replicated.
    missing: u32,
    /// The input that the packet came by, or [`COMBINED`].
    input: u32,
}

/// In place of an input: the packet is the combined response of a table entry.
const COMBINED: u32 = u32::MAX;

/// A packet is ready at an input: the cycle, and below it the input's number.
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

/// What a response does that is counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contributed {
    NotLast,
    /// It completes the combined response, which leaves by the port of this input.
    Last(Ticket, u32),
    /// The last of all is one that was counted ahead of time.
    LastAt(InputEvent),
}

impl PacketStore {
    /// Takes a packet in.
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

    /// The packet that an operation's request was.
    #[inline]
    pub(crate) fn request(&self, ticket: Ticket) -> &FabricPacket {
        &self.packets[ticket.slot as usize]
    }

    /// A packet as it goes over a link.
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

    /// Whether no other copies of a packet share its slot.
    #[inline]
    pub(crate) fn is_only_copy(&self, ticket: Ticket) -> bool {
        ticket.role != TicketRole::Request || self.states[ticket.slot as usize].missing == 0
    }

    /// A packet goes from an input to its outputs.
    #[inline]
    pub(crate) fn set_input(&mut self, ticket: Ticket, input: u32) {
        self.state(ticket).input = input;
    }

    /// The input of a packet; none of a combined response.
    #[inline]
    pub(crate) fn input_of(&self, ticket: Ticket) -> Option<u32> {
        let input = self.states[ticket.slot as usize].input;
        (input != COMBINED).then_some(input)
    }

    /// Makes the slot of a request a table entry, for so many responses.
    pub(crate) fn reserve(&mut self, ticket: Ticket, missing: u32) {
        self.state(ticket).missing = missing;
    }

    /// A response is counted that is ready at an input now.
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

    /// A response is counted that will be ready at an input in a later cycle. If it was the last
    /// to be counted, says when and where the last of all is ready.
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
        // The last of all counts when it is ready.
        state.missing = 1;
        Some(state.last)
    }
}
