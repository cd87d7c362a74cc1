//! Switch programs: actions of a switch on packets in addition to forwarding.
//!
//! A switch forwards. Everything else that it does for congestion control is a program, in a file
//! of its own. Several programs may run on one switch, in order. An algorithm names programs of the
//! table [`SwitchProgram`] in its needs; INT is an option of the network.
//!
//! | file          | when it acts                    | what it does                              |
//! |---------------|---------------------------------|-------------------------------------------|
//! | `int_on_data` | a data packet begins to leave   | writes the state of its port into it      |
//! | `int_on_acks` | an ACK arrives                  | writes the state of the port that its data |
//! |               |                                 | packet left by into it                    |
//! | `fair_rate`   | every so often, while data wait | computes a rate for each port, sends it to |
//! |               |                                 | the sources of the flows that wait there  |
//!
//! A [`Program`] sees arriving packets, and the current state of ports through a [`PortView`]. The
//! two programs that write INT act on every data packet or every ACK, and are called directly. INT
//! on data gets the time and the queue of each departure, since the fast paths compute departures
//! early or late.

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
        /// The program's demands on the network.
        pub fn demands(&self) -> ProgramDemands;

        /// Fills in options that were left out and follow from the network.
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

/// Requirements of a switch program on the network.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramDemands {
    /// Rate replies return on the path of their flow's data.
    pub symmetric_paths: bool,
    /// Largest number of switches on a path, if it is limited.
    pub most_switches: Option<usize>,
    /// No packet is lost, except by the program itself: PFC.
    pub lossless: bool,
    /// Every packet in a data queue names its source; ACKs that collect INT do not.
    pub packet_sources: bool,
    /// The reason why flows must keep one path, if they must.
    pub one_path: Option<&'static str>,
    /// The [plain path](crate::ExecutionPath::Plain).
    pub each_event: bool,
}

/// Facts of a network from which options of switch programs follow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NetworkFacts {
    /// The largest base RTT.
    pub base_rtt: Time,
    /// The largest bandwidth-delay product.
    pub base_window: Bytes,
}

/// The behaviour of options of a switch program.
pub(crate) trait SwitchProgramOptions: ProgramOptions + Default + 'static {
    /// Named sets of options.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// The program's demands on the network.
    fn demands(&self) -> ProgramDemands {
        ProgramDemands::default()
    }

    /// Fills in options that were left out and follow from the network.
    ///
    /// # Errors
    /// If an option does not suit the network.
    fn complete(&mut self, _network: &NetworkFacts) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// The program of one switch.
    fn build<const WORDS: usize>(&self, switch: &SwitchFacts<'_>) -> Box<dyn Program<WORDS>>;
}

/// Facts of a switch that its programs depend on.
pub(crate) struct SwitchFacts<'a> {
    pub(crate) node: NodeId,
    /// The rates of its links.
    pub(crate) rates: &'a [Rate],
    /// Number of the switch's first port, counted over all nodes.
    pub(crate) first_port: u32,
    /// Seed of all random streams of the network.
    pub(crate) seed: u64,
    /// Bytes of a full data packet on the wire.
    pub(crate) full_packet: Bytes,
    pub(crate) cnp_size: u16,
}

/// An egress port for programs; its departures so far have been computed.
pub(crate) trait PortView<const WORDS: usize> {
    /// Bytes of data packets in the queue.
    fn data_bytes(&self) -> u64;

    /// Calls `act` for each data packet in the queue.
    fn each_waiting(&self, act: &mut dyn FnMut(&Packet<WORDS>));

    /// The port's INT record at `now`, with a transmission that starts at `now` counted as started.
    fn snapshot(&self, now: Time) -> PortSnapshot;

    /// The port's INT record before any event at `now`.
    fn snapshot_before(&self, now: Time) -> PortSnapshot;
}

/// The rate that earlier programs offer to later ones, for a rate request.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) struct Offer {
    /// The rate that a flow may have at the port.
    pub(crate) rate: Option<Rate>,
}

/// The flows of a link that are limited elsewhere use all of its rate, against the rules of s-PERC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct OverAllocated;

/// The fate of a data packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    /// Dropped; its sender will know without a message.
    Drop,
}

/// A switch program: hooks for packets that pass. Every hook is optional.
pub(crate) trait Program<const WORDS: usize>: Debug + Send + DynClone {
    /// Whether the program sees ACKs and NACKs.
    fn sees_acks(&self) -> bool {
        false
    }

    /// An ACK or NACK, which may be changed, arrives by port `ingress`. `false`: the packet has no
    /// room for the data to be written.
    fn on_ack(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _ingress: usize,
        _now: Time,
        _port: &dyn PortView<WORDS>,
    ) -> bool {
        true
    }

    /// Whether the program sees rate requests and replies.
    fn sees_rate_requests(&self) -> bool {
        false
    }

    /// A rate request, or a reply to one, arrives; data of its flow leave by `port`. The packet may
    /// be changed.
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

    /// Whether the program sees speculative data.
    fn sees_speculation(&self) -> bool {
        false
    }

    /// A speculative data packet, which will leave by `port`, arrives.
    fn on_speculation(&mut self, _packet: &Speculation, _port: usize, _now: Time) -> Verdict {
        Verdict::Pass
    }

    /// State of flows that is left when all flows have completed; `None` if there is none.
    fn left_over(&self) -> Option<String> {
        None
    }

    /// Time at which the program next observes the ports.
    fn next_observation(&self) -> Time {
        Time::MAX
    }

    /// Observes the ports at [`next_observation`](Self::next_observation) or later, before events
    /// at `now` itself. Ports have not changed in between.
    fn observe(&mut self, _now: Time, _ports: &[&dyn PortView<WORDS>]) {}

    /// Time after `now` at which the program acts next, while packets wait at any port; `None`:
    /// never.
    fn next_timer(&self, _now: Time) -> Option<Time> {
        None
    }

    /// Acts at the time of the timer. Packets in `out` leave ahead of all data.
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
