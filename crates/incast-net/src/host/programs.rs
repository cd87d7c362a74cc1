//! Host programs: what a host does beside data, ACKs and CNPs. The twin of [switch
//! programs](crate::programs).
//!
//! Whatever else a host sends for congestion control is a program, one file each, and several may
//! run on one host, in order. They are asked for by name, in an algorithm's needs. A program sees
//! the flows that its host sends and the data that it receives. It may send packets of its own, of
//! kinds that no other program has, and say when it acts next. So a pacer of pulls or credits is a
//! program: [`HostProgram::on_data`] tells it which sources are active, [`HostProgram::on_due`] has
//! it serve one of them, and at the source [`HostProgram::on_packet`] hands credit on by
//! [`HostAccess::tell`]. There is one instance for each NIC.
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
        /// What it writes into packets.
        pub(crate) fn carries(&self) -> PacketParts;

        /// Whether it measures the mean weights of flows.
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
    /// Sets of options that go by a name.
    const SETS: &'static [NamedSet<Self>] = &[];

    /// What it writes into packets.
    fn carries(&self) -> PacketParts {
        PacketParts::default()
    }

    /// Whether it measures the mean weights of flows.
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

/// What a program has to hear of, beside the beginning and the end of flows. What none hears of,
/// the fast path leaves out.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hears {
    /// It hears of every data packet that its host sends.
    pub(crate) sent: bool,
    /// It hears of every ACK and NACK.
    pub(crate) acks: bool,
    /// It hears of every data packet that its host receives.
    pub(crate) data: bool,
}

/// How much of a flow its receiver has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReceivedPart {
    /// A part.
    Part,
    /// All of it.
    All,
}

/// What becomes of a packet that a program was given.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The packet is at its destination.
    Taken,
    /// The program has turned it into a reply, which leaves by the control queue.
    Returned,
}

/// A host program: hooks, each of which is optional.
pub(crate) trait HostProgram<const WORDS: usize>: Debug + Send + DynClone {
    /// The kinds of packets that are this program's.
    fn kinds(&self) -> &'static [Kind] {
        &[]
    }

    fn hears(&self) -> Hears {
        Hears::default()
    }

    /// A flow of this host starts. Its QP is there, and has sent nothing.
    fn on_start(&mut self, _flow: &Flow, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// A data packet of a QP leaves, and may be written into; if it [hears](Hears) of that. So many
    /// QPs of the host waited for the link, this one included. Returns
    /// [`next_due`](Self::next_due).
    fn on_sent(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _qp: &Qp,
        _waiting: u32,
        _now: Time,
    ) -> Time {
        self.next_due()
    }

    /// An ACK or NACK has reached the sender of its flow; if it [hears](Hears) of that.
    fn on_ack(&mut self, _ack: &Packet<WORDS>, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// The last ACK of a flow of this host has arrived.
    fn on_end(&mut self, _flow: u32, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// Data have arrived, or the header of a trimmed packet that has to be sent again, and have not
    /// been answered; if it [hears](Hears) of that.
    fn on_data(
        &mut self,
        _packet: &Packet<WORDS>,
        _received: ReceivedPart,
        _host: &mut HostAccess<'_, '_, WORDS>,
    ) {
    }

    /// A CNP arrives. What the controller of its flow is told may be changed.
    fn on_cnp(&mut self, _cnp: &mut Packet<WORDS>) {}

    /// A packet of its own kinds arrives.
    fn on_packet(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _host: &mut HostAccess<'_, '_, WORDS>,
    ) -> Delivery {
        Delivery::Taken
    }

    /// Lower bound of the time at which it acts next by itself; [`Time::MAX`] if it does not.
    fn next_due(&self) -> Time {
        Time::MAX
    }

    /// The time that the program asked for may have come: it does all that is due by now.
    fn on_due(&mut self, _host: &mut HostAccess<'_, '_, WORDS>) {}

    /// Contents that are left after all flows have completed, if there are any.
    fn left_over(&self) -> Option<String> {
        None
    }
}

dyn_clone::clone_trait_object!(<const WORDS: usize> HostProgram<WORDS>);

#[cfg(test)]
mod tests;
