//! The contents of a switch, for the checks at the end of a run and for deadlock reports.

use super::input::{InputBuffer, InputState};
use super::{CHANNELS, FabricSwitch};
use crate::packet::Channel;

/// The contents of a switch.
#[derive(Clone, Debug, Default)]
pub(crate) struct SwitchCensus {
    /// Packets in inputs and outputs.
    pub(crate) packets: u64,
    /// Table entries in use.
    pub(crate) entries: u32,
    /// Outputs with missing credits.
    pub(crate) outputs_in_debt: u32,
}

impl FabricSwitch {
    /// Counts what the switch holds. `depth`: flits of buffer room at the far end of every link.
    pub(crate) fn census(&self, depth: u32) -> SwitchCensus {
        let queued = self.inputs.iter().map(|input| input.queue.len() as u64);
        let channels = self.outputs.iter().flat_map(|output| &output.channels);
        let in_outputs = channels.clone().filter(|channel| !channel.is_empty());
        SwitchCensus {
            packets: queued.sum::<u64>() + in_outputs.count() as u64,
            entries: self.table.in_use(),
            outputs_in_debt: channels.filter(|c| c.all_credits() != depth).count() as u32,
        }
    }

    /// Flits in a port's output queue of `channel`.
    pub(crate) fn held_by(&self, port: u16, channel: Channel) -> u32 {
        self.outputs[usize::from(port)].channels[channel].held()
    }

    /// Ports whose first request waits for a table entry.
    pub(crate) fn ports_without_entry(&self) -> Vec<u16> {
        let waits = |(_, input): &(usize, &InputBuffer)| input.state == InputState::NeedsEntry;
        let inputs = self.inputs.iter().enumerate().filter(waits);
        inputs
            .map(|(number, _)| (number / CHANNELS) as u16)
            .collect()
    }

    /// Ports whose output queue of `channel` is full, so that packets wait for room.
    pub(crate) fn full_outputs(&self, channel: Channel) -> Vec<u16> {
        let outputs = self.outputs.iter().enumerate();
        let waited_for = outputs.filter(|(_, output)| {
            let mut waiting = output.channels[channel].waiting();
            waiting.any(|&packet| self.store.input_of(packet).is_some())
        });
        waited_for.map(|(port, _)| port as u16).collect()
    }
}
