//! An output-queued switch with credits, which replicates requests and combines responses.
//!
//! In each cycle, in this order (a packet is *ready* when its first flit has crossed the switch):
//!
//! 1. Table entries freed in earlier cycles go to waiting inputs, first come, first served.
//! 2. Output queue room freed in earlier cycles goes to waiting packets, output by output.
//! 3. Inputs with a ready first packet act, in order of their numbers. Each copy of the packet goes
//!    to its output queue, or waits there for room. When all copies have gone, the packet's buffer
//!    room is given back upstream, and the next packet follows in the same cycle. A response that a
//!    table entry waits for is counted at the entry. The last such response makes the combined
//!    response.
//! 4. Each output with a free link sends the first packet of one channel, if the receiver has room
//!    for the whole packet.
//!
//! The flits of a packet follow its first flit, one per cycle.

mod census;
mod input;
mod output;
mod route;
mod table;

use self::input::{InputBuffer, InputState, input_number, port_of};
use self::output::OutputPort;
use self::route::Route;
use self::table::ReductionTable;
use crate::config::FabricConfig;
use crate::group::Group;
use crate::packet::{
    BufferCredit, CHANNELS, Channel, Cycle, FabricPacket, NEVER, RESPONSES, Ticket, TicketRole,
};
use crate::store::{Contributed, InputEvent, PacketStore};
use crate::touch::touch;
use crate::wheel::Wheel;

/// Constants that all nodes share.
#[derive(Debug)]
pub(crate) struct FabricFacts {
    pub(crate) config: FabricConfig,
    pub(crate) groups: Vec<Group>,
}

/// The links of a switch, from the switch's side.
pub(crate) trait SwitchLinks {
    /// Sends a packet over a port's link.
    fn send(&mut self, now: Cycle, port: u16, packet: Ticket, store: &mut PacketStore);

    /// Gives buffer room back upstream over a port's link. The credit leaves in its `ready` cycle.
    fn give_back(&mut self, port: u16, credit: BufferCredit);
}

/// A switch.
#[derive(Debug)]
pub(crate) struct FabricSwitch {
    number: u16,
    /// Number of ports to endpoints, which come first.
    own_ports: u16,
    /// The packet store of the node.
    pub(crate) store: PacketStore,
    /// Input buffers by port and channel.
    inputs: Vec<InputBuffer>,
    outputs: Vec<OutputPort>,
    table: ReductionTable,
    /// Inputs and outputs by the cycle in which they act. Inputs use their numbers, outputs use
    /// numbers from `first_output` on, in separate words. The last number stands for the table.
    wheel: Wheel,
    first_output: u32,
    /// Inputs and outputs that act in this cycle, as a bit set.
    due: Vec<u64>,
}

impl FabricSwitch {
    pub(crate) fn new(number: u16, config: &FabricConfig) -> Self {
        let ports = usize::from(config.shape.ports_of(number));
        let mut inputs = Vec::new();
        inputs.resize_with(ports * CHANNELS, InputBuffer::default);
        let first_output = inputs.len().next_multiple_of(64);
        let words = (first_output + ports + 1).div_ceil(64);
        Self {
            number,
            own_ports: config.shape.endpoints_of(number),
            store: PacketStore::default(),
            inputs,
            outputs: (0..ports).map(|_| OutputPort::new(config)).collect(),
            table: ReductionTable::new(config.table_entries),
            wheel: Wheel::new(words),
            first_output: first_output as u32,
            due: vec![0; words],
        }
    }

    /// Prefetches the first items of the queues.
    pub(crate) fn touch(&self, sum: &mut u64) {
        for input in &self.inputs {
            touch(&input.queue, sum, |&(ready, _)| ready);
        }
        for output in &self.outputs {
            output.touch(sum);
        }
    }

    /// Cycle of the next event.
    #[inline]
    pub(crate) fn next_event(&self) -> Option<Cycle> {
        self.wheel.next()
    }

    /// Moves the clock to `now`; all earlier events have been handled.
    pub(crate) fn advance(&mut self, now: Cycle) {
        self.wheel.advance(now);
    }

    /// A packet arrives over a link between switches.
    #[inline]
    pub(crate) fn arrive_by_link(&mut self, port: u16, packet: &FabricPacket) {
        let ticket = match packet.awaiting_entry() {
            Some(slot) => Ticket::new(slot, packet, TicketRole::Contribution),
            None => self.store.add(packet),
        };
        self.arrive(port, ticket.channel(), packet.ready, ticket);
    }

    /// A packet arrives at `port`.
    #[inline]
    pub(crate) fn arrive(&mut self, port: u16, channel: Channel, ready: Cycle, packet: Ticket) {
        let number = input_number(port, channel);
        let input = &mut self.inputs[number as usize];
        input.queue.push_back((ready, packet));
        input.uncertain += u32::from(packet.is_uncertain());
        if input.state == InputState::Empty {
            input.state = InputState::Crossing;
            self.wheel.push(ready, number);
        }
    }

    /// A response that a table entry waits for arrives at `port`. Returns whether it is certain to
    /// be counted when it is ready; its buffer room can then be given back at once.
    #[inline]
    pub(crate) fn arrive_for_entry(
        &mut self,
        port: u16,
        now: Cycle,
        ready: Cycle,
        packet: Ticket,
    ) -> bool {
        let number = input_number(port, RESPONSES);
        if self.inputs[number as usize].uncertain > 0 {
            self.arrive(port, RESPONSES, ready, packet);
            return false;
        }
        self.contribute_ahead(number, now, ready, packet);
        true
    }

    fn contribute_ahead(&mut self, input: u32, now: Cycle, ready: Cycle, packet: Ticket) {
        let ready = InputEvent::new(ready, input);
        if let Some(last) = self.store.contribute_ahead(packet, ready) {
            self.insert_last(last, packet, now);
        }
    }

    /// Schedules the last response to an operation at its input: the response is ready in a later
    /// cycle, or its input has not yet acted in this cycle.
    fn insert_last(&mut self, last: InputEvent, packet: Ticket, now: Cycle) {
        let (ready, number) = (last.ready(), last.input());
        let input = &mut self.inputs[number as usize];
        let role = TicketRole::LastContribution;
        let later = input.queue.iter().rev().take_while(|item| item.0 > ready);
        let place = input.queue.len() - later.count();
        input
            .queue
            .insert(place, (ready, Ticket { role, ..packet }));
        if place > 0 {
            return;
        }
        input.state = InputState::Crossing;
        if ready > now {
            self.wheel.push(ready, number);
        } else {
            self.note(number);
        }
    }

    /// A credit is on its way to `port`.
    #[inline]
    pub(crate) fn expect_credit(&mut self, port: u16, credit: BufferCredit) {
        if self.outputs[usize::from(port)].expect(credit) {
            self.wheel.push(credit.ready, self.output_event(port));
        }
    }

    /// Schedules an input or an output in this cycle.
    #[inline]
    fn note(&mut self, event: u32) {
        self.due[event as usize / 64] |= 1 << (event % 64);
    }

    /// Number of a port's output among the events.
    #[inline]
    fn output_event(&self, port: u16) -> u32 {
        self.first_output + u32::from(port)
    }

    fn first_word_of_outputs(&self) -> usize {
        self.first_output as usize / 64
    }

    /// Handles all events before `end`.
    pub(crate) fn run_until(
        &mut self,
        end: Cycle,
        facts: &FabricFacts,
        links: &mut impl SwitchLinks,
    ) {
        while let Some(now) = self.wheel.next()
            && now < end
        {
            self.wheel.take(now, &mut self.due);
            self.grant_entries(facts);
            self.admit_waiting(now, links);
            self.present_inputs(now, facts, links);
            self.send(now, links);
        }
    }

    /// Step 1: gives free table entries to waiting inputs.
    fn grant_entries(&mut self, facts: &FabricFacts) {
        while !self.table.is_full()
            && let Some(number) = self.table.waiting.pop_front()
        {
            let input = &mut self.inputs[number as usize];
            input.state = InputState::Crossing;
            if let Some(&(_, packet)) = input.queue.front() {
                let request = self.store.request(packet);
                let copies = Route::of(
                    request,
                    TicketRole::Request,
                    port_of(number),
                    self.number,
                    facts,
                );
                let copies = copies.count();
                self.reserve(number, packet, copies);
            }
            self.note(number);
        }
    }

    /// Step 2: room.
    #[inline]
    fn admit_waiting(&mut self, now: Cycle, links: &mut impl SwitchLinks) {
        for word in self.first_word_of_outputs()..self.due.len() {
            let first = (word - self.first_word_of_outputs()) * 64;
            let mut due = self.due[word];
            while let Some(output) = take_lowest(&mut due).map(|bit| first + bit) {
                // The number after the outputs' numbers stands for the table.
                if output < self.outputs.len() {
                    self.admit_at(output, now, links);
                }
            }
        }
    }

    #[inline]
    fn admit_at(&mut self, output: usize, now: Cycle, links: &mut impl SwitchLinks) {
        for channel in 0..self.outputs[output].channels.len() {
            while let Some(packet) = self.outputs[output].channels[channel].admit() {
                self.admitted(packet, now, links);
            }
        }
    }

    fn admitted(&mut self, packet: Ticket, now: Cycle, links: &mut impl SwitchLinks) {
        let Some(number) = self.store.input_of(packet) else {
            return self.free_entry(now);
        };
        let input = &mut self.inputs[number as usize];
        input.copies_waiting -= 1;
        if input.copies_waiting == 0 {
            self.finish_packet(number, now, links);
            self.note(number);
        }
    }

    fn free_entry(&mut self, now: Cycle) {
        self.table.release();
        if !self.table.waiting.is_empty() {
            let table = self.first_output + self.outputs.len() as u32;
            self.wheel.push(now + 1, table);
        }
    }

    /// All copies of the first packet have gone: gives back its buffer room.
    #[inline]
    fn finish_packet(&mut self, number: u32, now: Cycle, links: &mut impl SwitchLinks) {
        let input = &mut self.inputs[number as usize];
        input.state = InputState::Crossing;
        input.has_entry = false;
        let Some((_, packet)) = input.queue.pop_front() else {
            return;
        };
        if packet.role != TicketRole::LastContribution {
            self.give_back(number, now, packet, links);
        }
        self.inputs[number as usize].uncertain -= u32::from(packet.is_uncertain());
    }

    #[inline]
    fn give_back(&self, number: u32, ready: Cycle, packet: Ticket, links: &mut impl SwitchLinks) {
        let credit = BufferCredit {
            ready,
            channel: (number as usize % CHANNELS) as u8,
            flits: packet.flits,
        };
        links.give_back(port_of(number), credit);
    }

    /// Step 3: inputs.
    #[inline]
    fn present_inputs(&mut self, now: Cycle, facts: &FabricFacts, links: &mut impl SwitchLinks) {
        for word in 0..self.first_word_of_outputs() {
            // Handling one input can make inputs with higher numbers due.
            while let Some(bit) = take_lowest(&mut self.due[word]) {
                let number = (word * 64 + bit) as u32;
                while self.present_first(number, now, facts, links) {}
            }
        }
    }

    /// Handles the first packet of an input. Returns whether all of it has gone.
    #[inline]
    fn present_first(
        &mut self,
        number: u32,
        now: Cycle,
        facts: &FabricFacts,
        links: &mut impl SwitchLinks,
    ) -> bool {
        let input = &mut self.inputs[number as usize];
        if input.state != InputState::Crossing {
            return false;
        }
        let Some(&(ready, packet)) = input.queue.front() else {
            input.state = InputState::Empty;
            return false;
        };
        if ready > now {
            self.wait_for_first(number, now, (ready, packet), links);
            return false;
        }
        match packet.role {
            TicketRole::Contribution | TicketRole::LastContribution => {
                self.gather(number, packet, now)
            }
            TicketRole::Request | TicketRole::Response => {
                if !self.forward(number, packet, facts) {
                    return false;
                }
            }
        }
        self.finish_packet(number, now, links);
        true
    }

    /// Schedules an input for the cycle in which its first packet is ready.
    fn wait_for_first(
        &mut self,
        number: u32,
        now: Cycle,
        first: (Cycle, Ticket),
        links: &mut impl SwitchLinks,
    ) {
        let input = &mut self.inputs[number as usize];
        let is_certain = input.uncertain == 0 && first.1.role == TicketRole::Contribution;
        if !is_certain || port_of(number) >= self.own_ports {
            self.wheel.push(first.0, number);
            return;
        }
        input.state = InputState::Empty;
        for (ready, packet) in std::mem::take(&mut input.queue) {
            if packet.role == TicketRole::LastContribution {
                self.insert_last(InputEvent::new(ready, number), packet, now);
            } else {
                self.give_back(number, ready, packet, links);
                self.contribute_ahead(number, now, ready, packet);
            }
        }
    }

    /// Counts a response that a table entry waits for.
    #[inline]
    fn gather(&mut self, number: u32, packet: Ticket, now: Cycle) {
        match self.store.contribute(packet, InputEvent::new(now, number)) {
            Contributed::NotLast => {}
            Contributed::Last(combined, from) => {
                if self.offer(port_of(from), combined) {
                    self.free_entry(now);
                }
            }
            Contributed::LastAt(last) => self.insert_last(last, packet, now),
        }
    }

    /// Offers a packet to an output. Returns whether the output queue took it.
    #[inline]
    fn offer(&mut self, port: u16, packet: Ticket) -> bool {
        self.note(self.output_event(port));
        self.outputs[usize::from(port)].channels[packet.channel()].offer(packet)
    }

    /// Offers copies of a packet to their outputs. Returns whether all have gone.
    #[inline]
    fn forward(&mut self, number: u32, packet: Ticket, facts: &FabricFacts) -> bool {
        let request = self.store.request(packet);
        let route = Route::of(request, packet.role, port_of(number), self.number, facts);
        if route.takes_entry() && !self.take_entry(number, packet, route.count()) {
            return false;
        }
        self.store.set_input(packet, number);
        let mut waiting = 0;
        route.for_each(|port| waiting += u32::from(!self.offer(port, packet)));
        let input = &mut self.inputs[number as usize];
        input.copies_waiting = waiting;
        if waiting > 0 {
            input.state = InputState::NeedsRoom;
        }
        waiting == 0
    }

    /// Takes a table entry for the first packet of an input, unless it has one. Returns whether the
    /// packet has an entry; if not, it waits.
    fn take_entry(&mut self, number: u32, packet: Ticket, copies: u32) -> bool {
        let input = &mut self.inputs[number as usize];
        if input.has_entry {
            return true;
        }
        if self.table.is_full() || !self.table.waiting.is_empty() {
            self.table.waiting.push_back(number);
            input.state = InputState::NeedsEntry;
            return false;
        }
        self.reserve(number, packet, copies);
        true
    }

    /// Fills a table entry for the first packet of an input.
    fn reserve(&mut self, number: u32, packet: Ticket, copies: u32) {
        self.table.reserve();
        self.store.reserve(packet, copies);
        self.inputs[number as usize].has_entry = true;
    }

    /// Step 4: links.
    #[inline]
    fn send(&mut self, now: Cycle, links: &mut impl SwitchLinks) {
        for word in self.first_word_of_outputs()..self.due.len() {
            let first = (word - self.first_word_of_outputs()) * 64;
            let mut due = std::mem::take(&mut self.due[word]);
            while let Some(number) = take_lowest(&mut due).map(|bit| first + bit) {
                if number < self.outputs.len() {
                    self.send_by(number, now, links);
                }
            }
        }
    }

    #[inline]
    fn send_by(&mut self, number: usize, now: Cycle, links: &mut impl SwitchLinks) {
        let turnout = self.outputs[number].send(now);
        if let Some(packet) = turnout.sent {
            links.send(now, number as u16, packet, &mut self.store);
        }
        if turnout.wake != NEVER {
            self.wheel
                .push(turnout.wake, self.output_event(number as u16));
        }
    }
}

/// Removes the lowest number from one word of a bit set.
#[inline]
fn take_lowest(word: &mut u64) -> Option<usize> {
    let lowest = (*word != 0).then(|| word.trailing_zeros() as usize);
    *word &= word.wrapping_sub(1);
    lowest
}
