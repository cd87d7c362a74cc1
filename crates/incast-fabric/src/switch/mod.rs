//! An output-queued switch with credits, which replicates requests and combines responses.
//!
//! In each cycle, in this order (a packet is *ready* when its first flit has crossed the switch):
//!
//! 1. Table entries freed in earlier cycles go to inputs that wait, first come, first served.
//! 2. Room freed in earlier cycles goes to packets that wait for it, output by output.
//! 3. Inputs with a ready first packet, in order of their numbers: each copy of it goes to its
//!    output queue, or waits behind others for room there. When all copies have gone, the packet's
//!    room is given back upstream, and the next one follows in the same cycle. A response that a
//!    table entry waits for is gathered there; the last makes the combined response.
//! 4. Each output with a free link sends the first packet of one channel, if the receiver has room
//!    for all of it.
//!
//! The flits of a packet follow its first one, one a cycle.

mod output;
mod table;

use std::collections::VecDeque;

use self::output::{OutputPort, Waiting};
use self::table::ReductionTable;
use crate::config::{FabricConfig, Reserve, Turn};
use crate::group::Group;
use crate::packet::{
    CHANNELS, Channel, Credit, Cycle, FabricPacket, Leg, NEVER, NO_ENTRY, channel_of,
};

/// Constants that all nodes share.
#[derive(Debug)]
pub(crate) struct FabricFacts {
    pub(crate) config: FabricConfig,
    pub(crate) groups: Vec<Group>,
}

/// A channel's buffer at the end of a link.
#[derive(Debug, Default)]
struct InputBuffer {
    queue: VecDeque<FabricPacket>,
    /// Copies of the first packet that wait for room.
    copies_waiting: u32,
    /// The table entry that the first packet was given.
    entry: Option<u32>,
    state: InputState,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum InputState {
    /// Empty.
    #[default]
    Empty,
    /// The first packet is crossing the switch.
    Crossing,
    /// The packet waits for a table entry.
    NeedsEntry,
    /// Copies of it wait for room.
    NeedsRoom,
}

/// Requests of a switch to its node.
#[derive(Copy, Clone, Debug)]
pub(crate) enum SwitchAction {
    /// Send a packet by a port, in this cycle.
    Send(u16, FabricPacket),
    /// Give back room by a port.
    Return(u16, Credit),
    /// Call again in that cycle about an input.
    WakeInput(Cycle, u32),
    /// Call again in that cycle about an output.
    WakeOutput(Cycle, u32),
    /// Call again in that cycle about the table.
    WakeTable(Cycle),
}

/// Number of the input for a channel of a port.
fn input_number(port: u16, channel: Channel) -> u32 {
    (usize::from(port) * CHANNELS + channel) as u32
}

/// A switch.
#[derive(Debug)]
pub(crate) struct FabricSwitch {
    number: u16,
    /// By port and channel.
    inputs: Vec<InputBuffer>,
    outputs: Vec<OutputPort>,
    table: ReductionTable,
    /// Inputs to look at in this cycle.
    due_inputs: Vec<u32>,
    /// Outputs to look at in this cycle.
    due_outputs: Vec<u32>,
    /// Output ports of the copies of one packet.
    copies: Vec<u16>,
}

impl FabricSwitch {
    pub(crate) fn new(number: u16, config: &FabricConfig) -> Self {
        let ports = usize::from(config.shape.ports_of(number));
        let mut inputs = Vec::new();
        inputs.resize_with(ports * CHANNELS, InputBuffer::default);
        Self {
            number,
            inputs,
            outputs: (0..ports).map(|_| OutputPort::new(config)).collect(),
            table: ReductionTable::new(config.table_entries),
            due_inputs: Vec::new(),
            due_outputs: Vec::new(),
            copies: Vec::new(),
        }
    }

    /// A packet arrives at `port`. Says which input to wake when it is ready, if one is idle.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        port: u16,
        channel: Channel,
        packet: &FabricPacket,
    ) -> Option<u32> {
        let number = input_number(port, channel);
        let input = &mut self.inputs[number as usize];
        input.queue.push_back(*packet);
        let was_empty = input.state == InputState::Empty;
        if was_empty {
            input.state = InputState::Crossing;
        }
        was_empty.then_some(number)
    }

    /// A credit is on its way to `port`. Says whether to look at that output when it arrives.
    #[inline]
    pub(crate) fn expect_credit(&mut self, port: u16, credit: Credit) -> bool {
        self.outputs[usize::from(port)].expect(credit)
    }

    pub(crate) fn note_input(&mut self, input: u32) {
        self.due_inputs.push(input);
    }

    pub(crate) fn note_output(&mut self, output: u32) {
        self.due_outputs.push(output);
    }

    /// One cycle, about the inputs and outputs noted.
    pub(crate) fn run_cycle(
        &mut self,
        now: Cycle,
        facts: &FabricFacts,
        actions: &mut Vec<SwitchAction>,
    ) {
        self.grant_entries(now, facts);
        self.admit_waiting(now, actions);
        self.present_inputs(now, facts, actions);
        self.send(now, actions);
    }

    /// Step 1: table entries.
    fn grant_entries(&mut self, now: Cycle, facts: &FabricFacts) {
        while !self.table.is_full()
            && let Some(number) = self.table.waiting.pop_front()
        {
            let input = &mut self.inputs[number as usize];
            input.state = InputState::Crossing;
            if let Some(packet) = input.queue.front().copied() {
                debug_assert!(packet.ready <= now);
                self.replicate(number, &packet, facts);
                self.reserve(number, &packet);
            }
            self.due_inputs.push(number);
        }
    }

    /// Step 2: room.
    fn admit_waiting(&mut self, now: Cycle, actions: &mut Vec<SwitchAction>) {
        self.due_outputs.sort_unstable();
        self.due_outputs.dedup();
        for place in 0..self.due_outputs.len() {
            let output = self.due_outputs[place] as usize;
            for channel in 0..self.outputs[output].channels.len() {
                while let Some(from) = self.outputs[output].channels[channel].admit() {
                    self.admitted(from, now, actions);
                }
            }
        }
    }

    fn admitted(&mut self, from: Waiting, now: Cycle, actions: &mut Vec<SwitchAction>) {
        match from {
            Waiting::Entry(entry) => self.free_entry(entry, now, actions),
            Waiting::Input(number) => {
                let input = &mut self.inputs[number as usize];
                input.copies_waiting -= 1;
                if input.copies_waiting == 0 {
                    self.finish_packet(number, now, actions);
                    self.due_inputs.push(number);
                }
            }
        }
    }

    fn free_entry(&mut self, entry: u32, now: Cycle, actions: &mut Vec<SwitchAction>) {
        self.table.release(entry);
        if !self.table.waiting.is_empty() {
            actions.push(SwitchAction::WakeTable(now + 1));
        }
    }

    /// All copies of the first packet have gone: its room is given back.
    fn finish_packet(&mut self, number: u32, now: Cycle, actions: &mut Vec<SwitchAction>) {
        let input = &mut self.inputs[number as usize];
        input.state = InputState::Crossing;
        input.entry = None;
        if let Some(packet) = input.queue.pop_front() {
            let (port, channel) = (number as usize / CHANNELS, number as usize % CHANNELS);
            let credit = Credit {
                ready: now,
                channel: channel as u8,
                flits: packet.flits() as u8,
            };
            actions.push(SwitchAction::Return(port as u16, credit));
        }
    }

    /// Step 3: inputs.
    fn present_inputs(&mut self, now: Cycle, facts: &FabricFacts, actions: &mut Vec<SwitchAction>) {
        let mut due = std::mem::take(&mut self.due_inputs);
        due.sort_unstable();
        due.dedup();
        for &number in &due {
            while self.present_first(number, now, facts, actions) {}
        }
        due.clear();
        self.due_inputs = due;
    }

    /// Presents the first packet of an input to its outputs. Says whether all of it has gone.
    #[inline]
    fn present_first(
        &mut self,
        number: u32,
        now: Cycle,
        facts: &FabricFacts,
        actions: &mut Vec<SwitchAction>,
    ) -> bool {
        let input = &mut self.inputs[number as usize];
        if input.state != InputState::Crossing {
            return false;
        }
        let Some(packet) = input.queue.front().copied() else {
            input.state = InputState::Empty;
            return false;
        };
        if packet.ready > now {
            actions.push(SwitchAction::WakeInput(packet.ready, number));
            return false;
        }
        if packet.leg == Leg::Response && packet.entry != NO_ENTRY {
            self.gather(&packet, now, actions);
        } else if !self.forward(number, &packet, facts) {
            return false;
        }
        self.finish_packet(number, now, actions);
        true
    }

    /// A response that a table entry waits for.
    fn gather(&mut self, packet: &FabricPacket, now: Cycle, actions: &mut Vec<SwitchAction>) {
        let Some((combined, port)) = self.table.gather(packet.entry) else {
            return;
        };
        let output = &mut self.outputs[usize::from(port)];
        let channel = &mut output.channels[channel_of(Leg::Response)];
        self.due_outputs.push(port.into());
        if channel.offer(&combined, Waiting::Entry(packet.entry)) {
            self.free_entry(packet.entry, now, actions);
        }
    }

    /// Sends a packet's copies to their outputs. Says whether all have gone.
    fn forward(&mut self, number: u32, packet: &FabricPacket, facts: &FabricFacts) -> bool {
        let needs_entry = self.replicate(number, packet, facts);
        let mut copy = *packet;
        if needs_entry {
            match self.entry_of(number, packet) {
                Some(entry) => copy.entry = entry,
                None => return false,
            }
        }
        let channel = channel_of(copy.leg);
        let mut waiting = 0;
        for &port in &self.copies {
            let output = &mut self.outputs[usize::from(port)];
            self.due_outputs.push(port.into());
            if !output.channels[channel].offer(&copy, Waiting::Input(number)) {
                waiting += 1;
            }
        }
        let input = &mut self.inputs[number as usize];
        input.copies_waiting = waiting;
        if waiting > 0 {
            input.state = InputState::NeedsRoom;
        }
        waiting == 0
    }

    /// The table entry of an input's first packet: one that it was given, or a free one, or none,
    /// so that it waits.
    fn entry_of(&mut self, number: u32, packet: &FabricPacket) -> Option<u32> {
        if let Some(entry) = self.inputs[number as usize].entry {
            return Some(entry);
        }
        if self.table.is_full() || !self.table.waiting.is_empty() {
            self.table.waiting.push_back(number);
            self.inputs[number as usize].state = InputState::NeedsEntry;
            return None;
        }
        Some(self.reserve(number, packet))
    }

    /// Takes a table entry for the first packet of an input, whose copies are known.
    fn reserve(&mut self, number: u32, packet: &FabricPacket) -> u32 {
        let port = (number as usize / CHANNELS) as u16;
        let entry = self.table.reserve(packet, port, self.copies.len() as u32);
        self.inputs[number as usize].entry = Some(entry);
        entry
    }

    /// Finds the outputs of a packet. Says whether it takes a table entry here.
    #[inline]
    fn replicate(&mut self, input: u32, packet: &FabricPacket, facts: &FabricFacts) -> bool {
        self.copies.clear();
        let (config, shape) = (&facts.config, &facts.config.shape);
        let is_tor = self.number < shape.tors;
        let port = (input as usize / CHANNELS) as u16;
        let comes_up = port < shape.endpoints_of(self.number);
        if packet.leg == Leg::Response || !packet.kind.is_collective() {
            let to = match packet.leg {
                Leg::Request => packet.target,
                Leg::Response => packet.initiator,
            };
            let tor = shape.tor_of(to);
            self.copies.push(match is_tor {
                true if tor == self.number => shape.local_port(to),
                true => shape.uplink_port(packet.uplink),
                false => shape.core_port(tor, packet.uplink),
            });
            return false;
        }
        let group = &facts.groups[usize::from(packet.target)];
        if !is_tor {
            let ports = group.tors().iter();
            let ports = ports.map(|&tor| shape.core_port(tor, packet.uplink));
            self.copies.extend(ports);
            return true;
        }
        if comes_up && !turns_at(config, group, self.number) {
            self.copies.push(shape.uplink_port(packet.uplink));
            return config.reserve == Reserve::Path;
        }
        self.copies.extend(group.ports_at(self.number));
        true
    }

    /// Step 4: links.
    fn send(&mut self, now: Cycle, actions: &mut Vec<SwitchAction>) {
        self.due_outputs.sort_unstable();
        self.due_outputs.dedup();
        for &number in &self.due_outputs {
            let turnout = self.outputs[number as usize].send(now);
            if let Some(packet) = turnout.sent {
                actions.push(SwitchAction::Send(number as u16, packet));
            }
            if turnout.wake != NEVER {
                actions.push(SwitchAction::WakeOutput(turnout.wake, number));
            }
        }
        self.due_outputs.clear();
    }
}

/// Whether a collective operation from below turns at this ToR.
fn turns_at(config: &FabricConfig, group: &Group, tor: u16) -> bool {
    match config.turn {
        Turn::Core => config.shape.cores == 0,
        Turn::Nearest => group.tors() == [tor],
    }
}

mod census;
