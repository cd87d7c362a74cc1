//! Switch programs: what a switch does with packets beside forwarding.
//!
//! A switch forwards; whatever else it does for congestion control is a program, one file each,
//! and several may run on one switch, in order. Those of the table [`SwitchProgram`] are asked for
//! by name, in an algorithm's needs; INT is an option of the network.
//!
//! | file          | when it acts                    | what it does                              |
//! |---------------|---------------------------------|-------------------------------------------|
//! | `int_on_data` | a data packet begins to leave   | writes the state of its port into it      |
//! | `int_on_acks` | an ACK arrives                  | writes the state of the port that its data |
//! |               |                                 | packet left by into it                    |
//! | `fair_rate`   | every so often, while data wait | computes a rate for each port, sends it to |
//! |               |                                 | the sources of the flows that wait there  |
//!
//! A program sees packets that arrive, and ports through a [`PortView`], as they are at that
//! moment: a [`Program`]. The two that write INT act on every data packet, or on every ACK, and
//! have places of their own. INT on data is told the time and the queue of each departure, since
//! the fast paths compute departures ahead of time or late.

mod fair_rate;
mod installed;
mod int_on_acks;
mod int_on_data;
pub(crate) mod one_rtt;
pub(crate) mod s_perc;

use std::fmt::Debug;

use dyn_clone::DynClone;
use incast_diagnostic::Diagnostic;
use incast_registry::{NamedSet, registry};
use incast_signals::int::PortSnapshot;
use incast_signals::{ProgramOptions, ProgramRequest};
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::wire::{Packet, Pass, Speculation};

pub(crate) use self::installed::{IntWriting, Programs};
pub(crate) use self::int_on_data::IntOnData;

registry! {
    /// A switch program with its options.
    #[derive(Clone, Debug, PartialEq)]
    pub enum SwitchProgram: SwitchProgramOptions as "switch program" {
        "fair-rates" => FairRates(incast_signals::FairRateOptions),
            "a PI controller of each queue computes a rate and sends it to the sources (RoCC)";
        "s-perc" => SPerc(incast_signals::s_perc::SPercOptions),
            "control packets find the max-min fair rates link by link (s-PERC)";
        "1rc" => OneRtt(incast_signals::OneRttOptions),
            "windows for the first packets of flows; speculative ones beyond are dropped (1RC)";
    }

    impl {
        /// Its demands on the network.
        pub fn demands(&self) -> ProgramDemands;

        /// Fills in what was left out and follows from the network.
        ///
        /// # Errors
        /// If an option does not suit the network.
        pub fn complete(&mut self, network: &NetworkFacts) -> Result<(), Diagnostic>;

        /// The program of one switch.
        pub(crate) fn build<const WORDS: usize>(
            &self,
            switch: &SwitchFacts<'_>,
        ) -> Box<dyn Program<WORDS>>;
    }
}

impl SwitchProgram {
    /// The program that an algorithm asks for.
    ///
    /// # Errors
    /// If there is no such program, or it has no such options.
    pub fn requested(request: &ProgramRequest) -> Result<Self, Diagnostic> {
        Self::read(request.name, &request.options).map_err(|error| {
            let what = format!("switch program `{}`: {error}", request.name);
            Diagnostic::new(what, "ask for a program of the table, with its options")
        })
    }
}

/// Demands of a switch program on the network.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramDemands {
    /// Rate replies come back by the path of their flow's data.
    pub symmetric_paths: bool,
    /// Switches of the longest path, if there may not be more.
    pub most_switches: Option<usize>,
    /// No packet is lost but by the program itself: PFC.
    pub lossless: bool,
    /// Every packet in a data queue names its source; ACKs that collect INT do not.
    pub packet_sources: bool,
    /// Flows keep one path, for this reason.
    pub one_path: Option<&'static str>,
    /// The [plain path](crate::ExecutionPath::Plain).
    pub each_event: bool,
}

/// Facts of a network that options of switch programs follow from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NetworkFacts {
    /// The largest base RTT.
    pub base_rtt: Time,
    /// The largest bandwidth-delay product.
    pub base_window: Bytes,
}

/// The behaviour of options of a switch program.
pub(crate) trait SwitchProgramOptions: ProgramOptions + Default + 'static {
    /// Sets of options that go by a name.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// Its demands on the network.
    fn demands(&self) -> ProgramDemands {
        ProgramDemands::default()
    }

    /// Fills in what was left out and follows from the network.
    ///
    /// # Errors
    /// If an option does not suit the network.
    fn complete(&mut self, _network: &NetworkFacts) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// The program of one switch.
    fn build<const WORDS: usize>(&self, switch: &SwitchFacts<'_>) -> Box<dyn Program<WORDS>>;
}

/// The switch of a program.
pub(crate) struct SwitchFacts<'a> {
    pub(crate) node: NodeId,
    /// The rates of its links.
    pub(crate) rates: &'a [Rate],
    /// Number of its first port, counted over all nodes.
    pub(crate) first_port: u32,
    /// Seed of all random streams of the network.
    pub(crate) seed: u64,
    /// Bytes of a full data packet on the wire.
    pub(crate) full_packet: Bytes,
    pub(crate) cnp_size: u16,
}

/// An egress port, as programs see it: everything that was to leave before has left.
pub(crate) trait PortView<const WORDS: usize> {
    /// Bytes of data that wait.
    fn data_bytes(&self) -> u64;

    /// Does this with each data packet that waits.
    fn each_waiting(&self, act: &mut dyn FnMut(&Packet<WORDS>));

    /// Its record in INT at `now`, while no packet in particular leaves: what starts to leave at
    /// `now` has begun.
    fn snapshot(&self, now: Time) -> PortSnapshot;

    /// Its record in INT before anything happens at `now`.
    fn snapshot_before(&self, now: Time) -> PortSnapshot;
}

/// The rate for a rate request, from programs that found one to those after them.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) struct Offer {
    /// The rate that a flow may have at the port.
    pub(crate) rate: Option<Rate>,
}

/// Flows that are limited elsewhere have all of a link: a broken promise of s-PERC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct OverAllocated;

/// The fate of a data packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    /// Dropped; its sender will know without being told.
    Drop,
}

/// A switch program: hooks for packets that pass. Every hook is optional.
pub(crate) trait Program<const WORDS: usize>: Debug + Send + DynClone {
    /// Whether it wants to see ACKs and NACKs.
    fn sees_acks(&self) -> bool {
        false
    }

    /// An ACK or NACK arrives by port `ingress`; it may be changed. `false`: the packet has no
    /// room for what is to be written into it.
    fn on_ack(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _ingress: usize,
        _now: Time,
        _port: &dyn PortView<WORDS>,
    ) -> bool {
        true
    }

    /// Whether it wants to see rate requests and replies.
    fn sees_rate_requests(&self) -> bool {
        false
    }

    /// A rate request arrives that will leave by `port`, or a reply that has come in by it: data of
    /// its flow leave by it. The packet may be changed.
    fn on_rate_request(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _port: usize,
        _pass: Pass,
        _now: Time,
        _offer: &mut Offer,
    ) -> Result<(), OverAllocated> {
        Ok(())
    }

    /// Whether it wants to see speculative data.
    fn sees_speculation(&self) -> bool {
        false
    }

    /// A speculative data packet arrives that will leave by `port`.
    fn on_speculation(&mut self, _packet: &Speculation, _port: usize, _now: Time) -> Verdict {
        Verdict::Pass
    }

    /// State of flows that is left when all have completed.
    fn left_over(&self) -> Option<String> {
        None
    }

    /// When it wants to observe the ports next, to keep for itself what it sees.
    fn next_observation(&self) -> Time {
        Time::MAX
    }

    /// The time of an observation has come, and perhaps of more before `now`, between which
    /// no port changed. Events at `now` itself are still to come.
    fn observe(&mut self, _now: Time, _ports: &[&dyn PortView<WORDS>]) {}

    /// When it wants to act next, after `now`, as long as packets wait at any port; `None` if
    /// never.
    fn next_timer(&self, _now: Time) -> Option<Time> {
        None
    }

    /// That time has come. Packets of its own go into `out`, and leave ahead of all data.
    fn on_timer(
        &mut self,
        _now: Time,
        _ports: &[&dyn PortView<WORDS>],
        _out: &mut Vec<Packet<WORDS>>,
    ) {
    }
}

dyn_clone::clone_trait_object!(<const WORDS: usize> Program<WORDS>);

#[cfg(test)]
mod tests;
