//! Switch programs: what a switch does to packets passing by.
//!
//! A switch forwards; whatever else it does for congestion control is a program, one file each,
//! and several may run on one switch, in the order of [`Programs::new`]. Which of them run is
//! the configuration's choice, not theirs.
//!
//! | program       | when it acts                    | what it does                              |
//! |---------------|---------------------------------|-------------------------------------------|
//! | `int_on_data` | a data packet begins to leave   | writes the state of its port into it      |
//! | `int_on_acks` | an ACK arrives                  | writes the state of the port that its data |
//! |               |                                 | packet left by into it                    |
//! | `fair_rate`   | every so often, while data wait | computes a rate for each port, sends it to |
//! |               |                                 | the sources of the flows that wait there  |
//!
//! A program sees packets that arrive and the ports as they are at that moment: [`Program`].
//! Those that write INT act at every data packet, or at every ACK, and have places of their own.
//! INT on data is told the moment and the queue of each departure, since departures are settled
//! ahead or late.

mod fair_rate;
mod int_on_acks;
mod int_on_data;

use std::fmt::Debug;

use incast_units::{Rate, Time};

use crate::IntCollection;
use crate::packet::Packet;
use crate::shared::Shared;
use crate::switch::Port;
use incast_signals::int::IntWriter;

pub(crate) use self::int_on_data::IntOnData;

use self::fair_rate::FairRates;
use self::int_on_acks::IntOnAcks;

/// What a switch does to packets passing by.
///
/// Ports are shown as they are at the moment of the call: whatever was to leave before has left.
pub(crate) trait Program<const WORDS: usize>: Debug + Send {
    /// Whether it wants to see ACKs and NACKs.
    fn sees_acks(&self) -> bool {
        false
    }

    /// An ACK or NACK arrives at port `ingress`; it may be changed. `false`: it has no room for
    /// what is to be written into it.
    fn on_ack(
        &mut self,
        _packet: &mut Packet<WORDS>,
        _ingress: usize,
        _now: Time,
        _ports: &[Port<WORDS>],
    ) -> bool {
        true
    }

    /// When it wants to look at the ports next, to keep for itself what it sees.
    fn next_look(&self) -> Time {
        Time::MAX
    }

    /// The time of a look has come, and perhaps of more before `now`, between which nothing
    /// changed. What happens at `now` itself is still to come.
    fn look(&mut self, _now: Time, _ports: &[Port<WORDS>]) {}

    /// When it wants to act next, after `now`, as long as data wait at any port; `None` if never.
    fn next_tick(&self, _now: Time) -> Option<Time> {
        None
    }

    /// The time of a tick has come: packets of its own go into `out`, ahead of all data.
    fn tick(&mut self, _now: Time, _ports: &[Port<WORDS>], _out: &mut Vec<Packet<WORDS>>) {}
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
    next_look: Time,
    /// Whether any of them acts by itself.
    ticks: bool,
}

impl<const WORDS: usize> Programs<WORDS> {
    /// Those that the configuration asks for, on a switch whose links have these rates and whose
    /// ports are numbered from `first_port` among all ports of all nodes.
    pub(crate) fn new(shared: &Shared, rates: &[Rate], first_port: u32) -> Self {
        let writer = || IntWriter::new(&shared.layout, shared.words_for_int::<WORDS>());
        let (mut int_on_data, mut int_on_acks) = (IntOnData::off(), None);
        match shared.config.int {
            IntCollection::Off => {}
            IntCollection::Data => int_on_data = IntOnData::new(writer()),
            IntCollection::Acks(source) => {
                int_on_acks = Some(IntOnAcks::new(writer(), source, rates.len()));
            }
        }
        let mut stack: Vec<Box<dyn Program<WORDS>>> = Vec::new();
        if let Some(laws) = &shared.config.fair_rate {
            let program = FairRates::new(laws, rates, first_port, shared.cnp_size);
            stack.push(Box::new(program));
        }
        let mut programs = Self {
            int_on_data,
            int_on_acks,
            stack_sees_acks: stack.iter().any(|program| program.sees_acks()),
            ticks: stack
                .iter()
                .any(|program| program.next_tick(Time::ZERO).is_some()),
            stack,
            next_look: Time::MAX,
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
    pub(crate) fn tick_at_all(&self) -> bool {
        self.ticks
    }

    /// An ACK or NACK arrives at port `ingress`; `false` if it has no room for what a program has
    /// to write.
    #[inline(always)]
    pub(crate) fn on_ack(
        &mut self,
        packet: &mut Packet<WORDS>,
        ingress: usize,
        now: Time,
        ports: &[Port<WORDS>],
    ) -> bool {
        if let Some(program) = &self.int_on_acks
            && !program.on_ack(packet, ingress, now, ports)
        {
            return false;
        }
        !self.stack_sees_acks || self.show_to_stack(packet, ingress, now, ports)
    }

    #[inline(never)]
    fn show_to_stack(
        &mut self,
        packet: &mut Packet<WORDS>,
        ingress: usize,
        now: Time,
        ports: &[Port<WORDS>],
    ) -> bool {
        let mut stack = self.stack.iter_mut();
        stack.all(|program| program.on_ack(packet, ingress, now, ports))
    }

    /// When any of them wants to look at the ports next.
    #[inline]
    pub(crate) fn next_look(&self) -> Time {
        self.next_look
    }

    /// Lets them look, if it is time.
    pub(crate) fn look(&mut self, now: Time, ports: &[Port<WORDS>]) {
        if now < self.next_look {
            return;
        }
        if let Some(program) = &mut self.int_on_acks {
            program.look(now, ports);
        }
        for program in &mut self.stack {
            program.look(now, ports);
        }
        self.plan();
    }

    fn plan(&mut self) {
        let own = self.int_on_acks.iter().map(|program| program.next_look());
        let looks = self.stack.iter().map(|program| program.next_look());
        self.next_look = own.chain(looks).min().unwrap_or(Time::MAX);
    }

    /// When any of them acts next, after `now`.
    pub(crate) fn next_tick(&self, now: Time) -> Option<Time> {
        let ticks = self
            .stack
            .iter()
            .filter_map(|program| program.next_tick(now));
        ticks.min()
    }

    /// Lets them act.
    pub(crate) fn tick(&mut self, now: Time, ports: &[Port<WORDS>], out: &mut Vec<Packet<WORDS>>) {
        for program in &mut self.stack {
            program.tick(now, ports, out);
        }
    }
}
