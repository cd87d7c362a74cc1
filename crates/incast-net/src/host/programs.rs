//! Host programs: what a host does beside data, ACKs and CNPs. Switches have [switch
//! programs](crate::programs).
//!
//! Each other exchange of packets for congestion control is a program, in a file of its own.
//! Several programs may run on one host, in order. An algorithm names them in its needs. A program
//! sees the flows that its host sends and the data that it receives. It may send packets of its
//! own, of kinds that no other program has, and say when it acts next. Each NIC has its own
//! instance. For example, a pacer of pulls learns the active sources by [`HostProgram::on_data`]
//! and serves one of them in [`HostProgram::on_due`]. At the source, [`HostProgram::on_packet`]
//! passes credit to the controller by [`HostAccess::tell`].
//!
//! Hosts whose flows share congestion states run no programs: a program acts on single flows.

mod access;
mod credits;
mod installed;
mod rate_requests;

use std::fmt::Debug;

use dyn_clone::DynClone;
use incast_cc::Needs;
use incast_diagnostic::Diagnostic;
use incast_registry::{NamedSet, registry};
use incast_signals::{ProgramOptions, ProgramRequest};
use incast_units::{NodeId, Rate, Time};

use crate::flow::Flow;
use crate::shared::Shared;
use crate::wire::{Kind, Packet, PacketParts};

pub(crate) use self::access::HostAccess;
pub(super) use self::installed::HostPrograms;

use super::sending::Qp;

registry! {
    /// A host program with its options.
    #[derive(Clone, Debug, PartialEq)]
    pub enum HostProgramSpec: HostProgramOptions as "host program" {
        "rate-requests" => RateRequests(incast_signals::RateRequestOptions),
            "flows ask the links of their paths for rates, by packets of their own (s-PERC, RoCC)";
        "credits" => Credits(incast_signals::CreditOptions),
            "receivers grant their senders credit, by packets of their own (RCCC)";
    }

    impl {
        /// The fields that the program writes into packets.
        pub(crate) fn carries(&self) -> PacketParts;

        /// Whether the program measures the mean weights of flows.
        pub fn measures_weights(&self) -> bool;

        /// The program of one host.
        pub(crate) fn build<const WORDS: usize>(
            &self,
            host: &HostFacts<'_>,
        ) -> Box<dyn HostProgram<WORDS>>;
    }
}

impl HostProgramSpec {
    /// The program that an algorithm asks for.
    ///
    /// # Errors
    /// If there is no such program, or it has no such options.
    pub fn requested(request: &ProgramRequest) -> Result<Self, Diagnostic> {
        Self::read(request.name, &request.options).map_err(|error| {
            let what = format!("host program `{}`: {error}", request.name);
            Diagnostic::new(what, "ask for a program of the table, with its options")
        })
    }

    /// All programs that an algorithm asks for.
    ///
    /// # Errors
    /// If there is no such program, or it has no such options.
    pub fn all_requested(needs: &Needs) -> Result<Vec<Self>, Diagnostic> {
        needs.host_programs.iter().map(Self::requested).collect()
    }
}

/// The behaviour of options of a host program.
pub(crate) trait HostProgramOptions: ProgramOptions + Default + 'static {
    /// Named sets of options.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// The fields that the program writes into packets.
    fn carries(&self) -> PacketParts {
        PacketParts::default()
    }

    /// Whether the program measures the mean weights of flows.
    fn measures_weights(&self) -> bool {
        false
    }

    /// The program of one host.
    fn build<const WORDS: usize>(&self, host: &HostFacts<'_>) -> Box<dyn HostProgram<WORDS>>;
}

/// The host of a program.
pub(crate) struct HostFacts<'a> {
    pub(crate) node: NodeId,
    /// The rate of its link.
    pub(crate) rate: Rate,
    pub(crate) shared: &'a Shared,
}

/// The events that a program receives, in addition to the start and the end of flows. The fast
/// path skips events that no program receives.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hears {
    /// Every data packet that the host sends.
    pub(crate) sent: bool,
    /// Every ACK and NACK that arrives.
    pub(crate) acks: bool,
    /// Every data packet that the host receives.
    pub(crate) data: bool,
}

/// How much of a flow has arrived at its receiver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReceivedPart {
    /// A part.
    Part,
    /// All of it.
    All,
}

/// The fate of a packet that was handed to a program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The packet ends here.
    Taken,
    /// The program has turned it into a reply, which leaves by the control queue.
    Returned,
}

/// A host program: hooks, each of which is optional.
pub(crate) trait HostProgram<const WORDS: usize>: Debug + Send + DynClone {
    /// The kinds of packets that belong to this program.
    fn kinds(&self) -> &'static [Kind] {
        &[]
    }

    fn hears(&self) -> Hears {
        Hears::default()
    }

    /// A flow of this host starts. Its QP exists and has sent nothing.
    fn on_start(&mut self, _flow: &Flow, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// A data packet of a QP leaves; the program may write into the packet. Called if the program
    /// [hears](Hears) of sent data. `waiting`: QPs of the host that wait for the link, this QP
    /// included. Returns [`next_due`](Self::next_due).
    fn on_sent(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _qp: &Qp,
        _waiting: u32,
        _now: Time,
    ) -> Time {
        self.next_due()
    }

    /// An ACK or NACK has reached the sender of its flow. Called if the program [hears](Hears) of
    /// ACKs.
    fn on_ack(&mut self, _ack: &Packet<WORDS>, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// The last ACK of a flow of this host has arrived.
    fn on_end(&mut self, _flow: u32, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// A data packet, or the header of a trimmed packet that has to be sent again, has arrived and
    /// is not answered yet. Called if the program [hears](Hears) of data.
    fn on_data(
        &mut self,
        _packet: &Packet<WORDS>,
        _received: ReceivedPart,
        _host: &mut HostAccess<'_, '_, WORDS>,
    ) {
    }

    /// A CNP arrives. The program may change it before the controller of its flow is told.
    fn on_cnp(&mut self, _cnp: &mut Packet<WORDS>) {}

    /// A packet of one of the program's kinds arrives.
    fn on_packet(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _host: &mut HostAccess<'_, '_, WORDS>,
    ) -> Delivery {
        Delivery::Taken
    }

    /// Lower bound of the time at which the program acts next by itself; [`Time::MAX`] if it does
    /// not.
    fn next_due(&self) -> Time {
        Time::MAX
    }

    /// Does all that is due by now; called at [`next_due`](Self::next_due) or later.
    fn on_due(&mut self, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// Contents that are left after all flows have completed, if there are any.
    fn left_over(&self) -> Option<String> {
        None
    }
}

dyn_clone::clone_trait_object!(<const WORDS: usize> HostProgram<WORDS>);

#[cfg(test)]
mod tests;
