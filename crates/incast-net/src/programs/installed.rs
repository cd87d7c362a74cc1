//! The programs of one switch.

use incast_signals::int::IntWriter;
use incast_units::Time;

use super::int_on_acks::IntOnAcks;
use super::{
    IntOnData, Offer, OverAllocated, PortView, Program, SwitchFacts, SwitchProgram, Verdict,
};
use crate::wire::{Packet, Pass, Speculation};

/// The packets into which switches write INT.
pub(crate) enum IntWriting {
    /// None.
    Off,
    /// Data.
    OnData(IntWriter),
    /// ACKs, with the live state of ports, or the state at the last refresh of a table with this
    /// period.
    OnAcks(IntWriter, Option<Time>),
}

/// The programs of one switch.
#[derive(Clone, Debug)]
pub(crate) struct Programs<const WORDS: usize> {
    pub(crate) int_on_data: IntOnData,
    int_on_acks: Option<IntOnAcks>,
    /// All programs that do not write INT, in order.
    stack: Vec<Box<dyn Program<WORDS>>>,
    /// Whether a program of `stack` sees ACKs.
    stack_sees_acks: bool,
    /// Whether a program sees rate requests and replies.
    pub(crate) see_rate_requests: bool,
    /// Whether a program sees speculative data.
    pub(crate) see_speculation: bool,
    next_observation: Time,
    /// Whether a program has a timer.
    have_timer: bool,
}

impl<const WORDS: usize> Programs<WORDS> {
    /// The programs of this switch: `programs`, and those that write INT.
    pub(crate) fn new(
        programs: &[SwitchProgram],
        int: IntWriting,
        switch: &SwitchFacts<'_>,
    ) -> Self {
        let (mut int_on_data, mut int_on_acks) = (IntOnData::off(), None);
        match int {
            IntWriting::Off => {}
            IntWriting::OnData(writer) => int_on_data = IntOnData::new(writer),
            IntWriting::OnAcks(writer, table_period) => {
                int_on_acks = Some(IntOnAcks::new(writer, table_period, switch.rates.len()));
            }
        }
        let stack: Vec<Box<dyn Program<WORDS>>> = programs
            .iter()
            .map(|program| program.build(switch))
            .collect();
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

    /// Whether a program sees ACKs.
    pub(crate) fn see_acks(&self) -> bool {
        self.int_on_acks.is_some() || self.stack_sees_acks
    }

    /// Whether a program sees packets that are not data.
    pub(crate) fn see_control(&self) -> bool {
        self.see_acks() || self.see_rate_requests
    }

    /// Whether a program has a timer.
    #[inline]
    pub(crate) fn have_timer(&self) -> bool {
        self.have_timer
    }

    /// An ACK or NACK arrives by port `ingress`. `false`: it has no room for the data to be
    /// written.
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

    /// A speculative data packet, which will leave by `port`, arrives.
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

    /// State of flows that is left in a program when all flows have completed; `None` if there is
    /// none.
    pub(crate) fn left_over(&self) -> Option<String> {
        let mut left = self.stack.iter().filter_map(|program| program.left_over());
        left.next()
    }

    /// Time at which a program next observes the ports.
    #[inline]
    pub(crate) fn next_observation(&self) -> Time {
        self.next_observation
    }

    /// Lets programs observe the ports if an observation is due.
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

    /// Time after `now` at which a program acts next.
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
