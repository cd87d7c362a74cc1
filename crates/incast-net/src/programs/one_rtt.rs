//! One-RTT Convergence (1RC): each port limits how many of a flow's first packets it lets through.
//!
//! Snyder's dissertation, §5.2, Algorithms 3 and 4. Flows send speculative packets at line rate
//! until their first rate reply arrives. At every port a table has a window for each epoch:
//!
//! ```text
//! rate request of epoch τ:
//!     table[τ] ← ⌊b·epoch/packet⌋ within 1 … BDP, if there is none                            (1)
//!     first of its flow: let_through ← min(let_through, max(1, ⌊table[τ]/n⌋))                 (2)
//! speculative data: dropped if its number ≥ max(1, ⌊table[⌊SSTS/epoch⌋]/n⌋)                   (3)
//! ```
//!
//! b is the rate that the program before this one offers at the port. The epoch is the one in which
//! the packet was sent, by its sender's clock. (2) and (3) round alike, and n is the same in all
//! packets of a flow's start. So a prefix of them arrives, and the sender knows its length: no loss
//! has to be detected. A switch keeps the windows of the last epochs by its own clock. Packets of
//! older epochs pass.

use incast_diagnostic::Diagnostic;
use incast_random::{NetworkPurpose, RandomStream};
use incast_signals::OneRttOptions;
use incast_units::{Bytes, NodeId, Rate, Time};

use super::{
    NetworkFacts, Offer, OverAllocated, Program, ProgramDemands, SwitchFacts, SwitchProgramOptions,
    Verdict,
};
use crate::wire::{Packet, Pass, Speculation};

/// Number of epochs that a table holds.
const KEPT: u64 = 16;

/// A node's clock, which counts epochs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct EpochClock {
    epoch: Time,
    /// Lead of the clock over the slowest possible clock.
    offset: Time,
}

impl EpochClock {
    /// The clock of a node, whose skew is drawn from the run's seed.
    pub(crate) fn new(options: &OneRttOptions, node: NodeId, seed: u64) -> Self {
        let mut random = RandomStream::of_network(seed, node.0.into(), NetworkPurpose::ClockSkew);
        let span = 2 * options.clock_skew.as_ps() + 1;
        Self {
            epoch: options.epoch.unwrap_or(Time::from_us(1)),
            offset: Time::from_ps(random.below(span)),
        }
    }

    /// The time by this node's clock.
    pub(crate) fn read(&self, now: Time) -> Time {
        now + self.offset
    }

    /// The epoch of a time by any node's clock.
    pub(crate) fn epoch_of(&self, time: Time) -> u64 {
        time.as_ps() / self.epoch.as_ps()
    }
}

/// Windows of one port.
#[derive(Clone, Debug, Default)]
struct WindowTable {
    /// Epoch and window, indexed by the last bits of the epoch.
    entries: [(u64, u32); KEPT as usize],
}

impl WindowTable {
    /// The window of an epoch. A missing window becomes `new()`, in place of an older epoch's
    /// window. `None` if a later epoch has the place.
    fn entry(&mut self, epoch: u64, new: impl FnOnce() -> u32) -> Option<u32> {
        let entry = &mut self.entries[(epoch % KEPT) as usize];
        if entry.1 == 0 || entry.0 < epoch {
            *entry = (epoch, new());
        }
        self.window(epoch)
    }

    /// The window of an epoch, if it is there.
    fn window(&self, epoch: u64) -> Option<u32> {
        let (known, window) = self.entries[(epoch % KEPT) as usize];
        (known == epoch && window > 0).then_some(window)
    }
}

/// The tables of one switch.
#[derive(Clone, Debug)]
pub(crate) struct OneRtt {
    clock: EpochClock,
    tables: Vec<WindowTable>,
    sizes: WindowSizes,
}

/// Parameters of the size of windows.
#[derive(Copy, Clone, Debug)]
struct WindowSizes {
    epoch: Time,
    /// Packets of the largest window.
    largest: u64,
    /// Bits of a full packet on the wire.
    packet_bits: u64,
}

impl WindowSizes {
    /// (1): packets that fit into an epoch at this rate; without a rate, the largest window.
    fn window(&self, rate: Option<Rate>) -> u32 {
        let Some(rate) = rate else {
            return self.largest as u32;
        };
        let bits = u128::from(rate.as_bps()) * u128::from(self.epoch.as_ps());
        let packets = bits / 1_000_000_000_000 / u128::from(self.packet_bits);
        packets.clamp(1, self.largest.into()) as u32
    }
}

impl SwitchProgramOptions for OneRttOptions {
    fn demands(&self) -> ProgramDemands {
        ProgramDemands {
            symmetric_paths: true,
            one_path: Some("speculative packets arrive in the order in which they left"),
            lossless: true,
            ..ProgramDemands::default()
        }
    }

    fn complete(&mut self, network: &NetworkFacts) -> Result<(), Diagnostic> {
        let epoch = *self.epoch.get_or_insert(network.base_rtt);
        self.largest_window.get_or_insert(network.base_window);
        if epoch < network.base_rtt {
            let what = format!(
                "an epoch of {epoch} is shorter than the largest base RTT, {}: control packets \
                 would come back in a later one",
                network.base_rtt
            );
            let hint = format!("write at least \"{}\", or leave it out", network.base_rtt);
            return Err(Diagnostic::new(what, hint).at("1rc.epoch"));
        }
        Ok(())
    }

    fn build<const WORDS: usize>(&self, switch: &SwitchFacts<'_>) -> Box<dyn Program<WORDS>> {
        let clock = EpochClock::new(self, switch.node, switch.seed);
        let ports = switch.rates.len();
        Box::new(OneRtt::new(self, clock, ports, switch.full_packet))
    }
}

impl OneRtt {
    pub(crate) fn new(
        options: &OneRttOptions,
        clock: EpochClock,
        ports: usize,
        packet: Bytes,
    ) -> Self {
        let largest = options.largest_window.unwrap_or(packet);
        Self {
            tables: vec![WindowTable::default(); ports],
            clock,
            sizes: WindowSizes {
                epoch: clock.epoch,
                largest: (largest.as_u64() / packet.as_u64()).clamp(1, u16::MAX.into()),
                packet_bits: packet.as_u64() * 8,
            },
        }
    }

    /// Packets that a window lets through for the flows of a host with n connections.
    fn share(window: u32, connections: u16) -> u32 {
        (window / u32::from(connections.max(1))).max(1)
    }
}

impl<const WORDS: usize> Program<WORDS> for OneRtt {
    fn sees_rate_requests(&self) -> bool {
        true
    }

    fn sees_speculation(&self) -> bool {
        true
    }

    fn on_rate_request(
        &mut self,
        packet: &mut Packet<WORDS>,
        port: usize,
        pass: Pass,
        _now: Time,
        offer: &mut Offer,
    ) -> Result<(), OverAllocated> {
        let mut record = packet.control_record();
        if pass == Pass::Reverse || record.leaves() {
            return Ok(());
        }
        let epoch = self.clock.epoch_of(record.sent_at());
        let window = self.tables[port].entry(epoch, || self.sizes.window(offer.rate));
        if let Some(window) = window
            && record.is_first()
        {
            let share = Self::share(window, record.speculative_connections());
            record.limit_let_through(share as u16);
        }
        Ok(())
    }

    fn on_speculation(&mut self, packet: &Speculation, port: usize, now: Time) -> Verdict {
        let epoch = self.clock.epoch_of(packet.started);
        let current = self.clock.epoch_of(self.clock.read(now));
        // Two epochs fewer than a table holds, so that the entry exists however far a clock is
        // ahead.
        if current >= epoch + KEPT - 2 {
            return Verdict::Pass;
        }
        let window = self.tables[port].window(epoch);
        let passes =
            window.is_none_or(|window| packet.sequence < Self::share(window, packet.connections));
        if passes { Verdict::Pass } else { Verdict::Drop }
    }
}

#[cfg(test)]
mod tests;
