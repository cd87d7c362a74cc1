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
mod int_on_acks;
mod int_on_data;
pub(crate) mod one_rtt;
pub(crate) mod s_perc;

use std::fmt::Debug;

use incast_diagnostic::Diagnostic;
use incast_registry::{NamedSet, registry};
use incast_signals::int::{IntWriter, PortSnapshot};
use incast_signals::{ProgramOptions, ProgramRequest};
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::IntSource;
use crate::packet::{Packet, Pass, Speculation};
use crate::shared::Shared;

pub(crate) use self::int_on_data::IntOnData;

use self::int_on_acks::IntOnAcks;

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
    pub(crate) shared: &'a Shared,
    pub(crate) node: NodeId,
    /// The rates of its links.
    pub(crate) rates: &'a [Rate],
    /// Number of its first port, counted over all nodes.
    pub(crate) first_port: u32,
}

/// An egress port, as programs see it: everything that was to leave before has left.
pub(crate) trait PortView<const WORDS: usize> {
    /// Bytes of data that wait.
    fn data_bytes(&self) -> u64;

    /// Does this with each data packet that waits.
    fn each_waiting(&self, act: &mut dyn FnMut(&Packet<WORDS>));

    /// Its record in INT at `now`, while no packet in particular leaves.
    fn snapshot(&self, now: Time) -> PortSnapshot;
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
pub(crate) trait Program<const WORDS: usize>: Debug + Send {
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

/// The programs of one switch.
#[derive(Debug)]
pub(crate) struct Programs<const WORDS: usize> {
    pub(crate) int_on_data: IntOnData,
    int_on_acks: Option<IntOnAcks>,
    /// All others, in order.
    stack: Vec<Box<dyn Program<WORDS>>>,
    /// Whether any of those wants to see ACKs.
    stack_sees_acks: bool,
    /// Whether any wants to see rate requests and replies.
    pub(crate) see_rate_requests: bool,
    /// Whether any wants to see speculative data.
    pub(crate) see_speculation: bool,
    next_observation: Time,
    /// Whether any of them acts by itself.
    have_timer: bool,
}

impl<const WORDS: usize> Programs<WORDS> {
    /// Those that the configuration asks for, on a switch whose links have these rates and whose
    /// ports are numbered from `first_port` among all ports of all nodes.
    pub(crate) fn new(shared: &Shared, node: NodeId, rates: &[Rate], first_port: u32) -> Self {
        let writer = || IntWriter::new(&shared.layout, shared.words_for_int::<WORDS>());
        let (mut int_on_data, mut int_on_acks) = (IntOnData::off(), None);
        match shared.config.int {
            IntSource::Off => {}
            IntSource::Data => int_on_data = IntOnData::new(writer()),
            IntSource::Acks => {
                let period = shared.config.int_table_period;
                int_on_acks = Some(IntOnAcks::new(writer(), period, rates.len()));
            }
        }
        let facts = SwitchFacts {
            shared,
            node,
            rates,
            first_port,
        };
        let programs = shared.config.programs.iter();
        let stack: Vec<Box<dyn Program<WORDS>>> =
            programs.map(|program| program.build(&facts)).collect();
        let mut programs = Self {
            int_on_data,
            int_on_acks,
            stack_sees_acks: stack.iter().any(|program| program.sees_acks()),
            see_rate_requests: stack.iter().any(|program| program.sees_rate_requests()),
            see_speculation: stack.iter().any(|program| program.sees_speculation()),
            have_timer: stack
                .iter()
                .any(|program| program.next_timer(Time::ZERO).is_some()),
            stack,
            next_observation: Time::MAX,
        };
        programs.plan();
        programs
    }

    /// Whether any of them wants to see ACKs.
    pub(crate) fn see_acks(&self) -> bool {
        self.int_on_acks.is_some() || self.stack_sees_acks
    }

    /// Whether any of them acts by itself.
    #[inline]
    pub(crate) fn have_timer(&self) -> bool {
        self.have_timer
    }

    /// An ACK or NACK arrives by port `ingress`; `false` if it has no room for what a program has
    /// to write.
    #[inline(always)]
    pub(crate) fn on_ack(
        &mut self,
        packet: &mut Packet<WORDS>,
        ingress: usize,
        now: Time,
        port: &impl PortView<WORDS>,
    ) -> bool {
        if let Some(program) = &self.int_on_acks
            && !program.on_ack(packet, ingress, now, port)
        {
            return false;
        }
        !self.stack_sees_acks || self.show_to_stack(packet, ingress, now, port)
    }

    #[inline(never)]
    fn show_to_stack(
        &mut self,
        packet: &mut Packet<WORDS>,
        ingress: usize,
        now: Time,
        port: &dyn PortView<WORDS>,
    ) -> bool {
        let mut stack = self.stack.iter_mut();
        stack.all(|program| program.on_ack(packet, ingress, now, port))
    }

    /// A rate request or reply arrives; data of its flow leave by `port`.
    pub(crate) fn on_rate_request(
        &mut self,
        packet: &mut Packet<WORDS>,
        port: usize,
        pass: Pass,
        now: Time,
    ) -> Result<(), OverAllocated> {
        let mut offer = Offer::default();
        for program in &mut self.stack {
            program.on_rate_request(packet, port, pass, now, &mut offer)?;
        }
        Ok(())
    }

    /// A speculative data packet arrives that will leave by `port`.
    pub(crate) fn on_speculation(
        &mut self,
        packet: &Speculation,
        port: usize,
        now: Time,
    ) -> Verdict {
        let mut verdicts = self.stack.iter_mut();
        match verdicts.any(|program| program.on_speculation(packet, port, now) == Verdict::Drop) {
            true => Verdict::Drop,
            false => Verdict::Pass,
        }
    }

    /// State of flows that is left in any of them when all have completed.
    pub(crate) fn left_over(&self) -> Option<String> {
        let mut left = self.stack.iter().filter_map(|program| program.left_over());
        left.next()
    }

    /// When any of them wants to observe the ports next.
    #[inline]
    pub(crate) fn next_observation(&self) -> Time {
        self.next_observation
    }

    /// Lets them observe the ports, if it is time.
    pub(crate) fn observe(&mut self, now: Time, ports: &[impl PortView<WORDS>]) {
        if now < self.next_observation {
            return;
        }
        let views = views(ports);
        if let Some(program) = &mut self.int_on_acks {
            program.observe(now, &views);
        }
        for program in &mut self.stack {
            program.observe(now, &views);
        }
        self.plan();
    }

    fn plan(&mut self) {
        let own = self.int_on_acks.iter();
        let own = own.map(|program| program.next_observation());
        let others = self.stack.iter();
        let others = others.map(|program| program.next_observation());
        self.next_observation = own.chain(others).min().unwrap_or(Time::MAX);
    }

    /// When any of them acts next, after `now`.
    pub(crate) fn next_timer(&self, now: Time) -> Option<Time> {
        let programs = self.stack.iter();
        programs.filter_map(|program| program.next_timer(now)).min()
    }

    /// Lets them act.
    pub(crate) fn on_timer(
        &mut self,
        now: Time,
        ports: &[impl PortView<WORDS>],
        out: &mut Vec<Packet<WORDS>>,
    ) {
        let views = views(ports);
        for program in &mut self.stack {
            program.on_timer(now, &views, out);
        }
    }
}

fn views<const WORDS: usize>(ports: &[impl PortView<WORDS>]) -> Vec<&dyn PortView<WORDS>> {
    let views = ports.iter().map(|port| port as &dyn PortView<WORDS>);
    views.collect()
}

#[cfg(test)]
mod tests;
