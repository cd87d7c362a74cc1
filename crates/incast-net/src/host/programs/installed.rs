//! The programs of one host, and the calls by which the host tells them of events.

use incast_cc::Needs;
use incast_units::Time;

use crate::context::NetContext;
use crate::flow::Flow;
use crate::host::sending::QpUpdate;
use crate::host::{Host, PORT};
use crate::measure::PacketEvent;
use crate::wire::Packet;

use super::access::Acts;
use super::{Delivery, Hears, HostAccess, HostFacts, HostProgram, HostProgramSpec, ReceivedPart};

/// The programs of one host.
#[derive(Clone, Debug)]
pub(in crate::host) struct HostPrograms<const WORDS: usize> {
    /// In order.
    stack: Vec<Box<dyn HostProgram<WORDS>>>,
    /// The events that at least one program receives.
    pub(in crate::host) hears: Hears,
    /// Lower bound of the time at which a program acts next by itself.
    due: Time,
    acts: Acts<WORDS>,
}

impl<const WORDS: usize> HostPrograms<WORDS> {
    /// The host programs that algorithms need; `None` if they need none.
    pub(in crate::host) fn new(host: &HostFacts<'_>, needs: &Needs) -> Option<Box<Self>> {
        if needs.host_programs.is_empty() || host.shared.config.nic.shares_states() {
            return None;
        }
        let programs = HostProgramSpec::all_requested(needs);
        let programs = programs.expect("the run has checked that there are such programs");
        let stack = programs.iter().map(|program| program.build(host));
        Some(Box::new(Self::of(stack.collect())))
    }

    pub(super) fn of(stack: Vec<Box<dyn HostProgram<WORDS>>>) -> Self {
        let hears = stack.iter().map(|program| program.hears());
        let hears = hears.fold(Hears::default(), |all, one| Hears {
            sent: all.sent || one.sent,
            acks: all.acks || one.acks,
            data: all.data || one.data,
        });
        Self {
            stack,
            hears,
            due: Time::MAX,
            acts: Acts::default(),
        }
    }

    /// Lower bound of the time at which a program acts next by itself.
    #[inline]
    pub(in crate::host) fn next_due(&self) -> Time {
        self.due
    }

    /// Recomputes `due` after an event.
    #[inline]
    fn update_due(&mut self) {
        self.due = match &self.stack[..] {
            [only] => only.next_due(),
            several => {
                let due = several.iter().map(|program| program.next_due());
                due.min().unwrap_or(Time::MAX)
            }
        };
    }

    /// Contents that are left after all flows have completed, if there are any.
    pub(in crate::host) fn left_over(&self) -> Option<String> {
        self.stack.iter().find_map(|program| program.left_over())
    }
}

impl<'a, const WORDS: usize> Host<'a, WORDS> {
    /// Tells every program of an event at `now`, and queues the packets that they send.
    #[inline]
    fn tell_programs<C: NetContext<WORDS>>(
        &mut self,
        now: Time,
        context: &mut C,
        mut tell: impl FnMut(&mut dyn HostProgram<WORDS>, &mut HostAccess<'_, 'a, WORDS>),
    ) {
        if self.programs.is_some() {
            self.tell_each_program(now, context, &mut tell);
        }
    }

    /// Built once for each context, not for each event.
    fn tell_each_program<C: NetContext<WORDS>>(
        &mut self,
        now: Time,
        context: &mut C,
        tell: &mut dyn FnMut(&mut dyn HostProgram<WORDS>, &mut HostAccess<'_, 'a, WORDS>),
    ) {
        let Some(programs) = &mut self.programs else {
            return;
        };
        let mut access = HostAccess {
            now,
            sender: &mut self.sender,
            recorder: context.local(),
            acts: &mut programs.acts,
        };
        for program in &mut programs.stack {
            tell(&mut **program, &mut access);
        }
        programs.update_due();
        for packet in programs.acts.packets.drain(..) {
            let queued = || self.nic.control_bytes();
            context.note(PacketEvent::Enqueue, PORT, &packet, queued);
            self.nic.enqueue_control(&packet);
        }
    }

    /// Tells programs that a flow starts, whose QP exists.
    pub(in crate::host) fn tell_of_start<C: NetContext<WORDS>>(
        &mut self,
        flow: &Flow,
        context: &mut C,
    ) {
        let now = context.now();
        self.tell_programs(now, context, |program, host| program.on_start(flow, host));
    }

    /// Tells programs that a data packet of the QP in this slot leaves.
    #[inline]
    pub(in crate::host) fn tell_of_sent(
        &mut self,
        slot: u32,
        packet: &mut Packet<WORDS>,
        now: Time,
    ) {
        if let Some(programs) = &mut self.programs
            && programs.hears.sent
        {
            let qp = self.sender.own.qps.get_mut(slot);
            let waiting = self.nic.scheduler.waiting();
            programs.due = match &mut programs.stack[..] {
                [only] => only.on_sent(packet, qp, waiting, now),
                several => {
                    let due = several.iter_mut();
                    let due = due.map(|program| program.on_sent(packet, qp, waiting, now));
                    due.min().unwrap_or(Time::MAX)
                }
            };
        }
    }

    /// Tells programs of an ACK or NACK, after its effect on the QP.
    pub(in crate::host) fn tell_of_ack<C: NetContext<WORDS>>(
        &mut self,
        ack: &Packet<WORDS>,
        update: QpUpdate,
        context: &mut C,
    ) {
        let Some(programs) = &self.programs else {
            return;
        };
        let hears_all = programs.hears.acks;
        let is_last = matches!(update, QpUpdate::Completed(_));
        if !hears_all && !is_last {
            return;
        }
        let now = context.now();
        self.tell_programs(now, context, |program, host| {
            if program.hears().acks {
                program.on_ack(ack, host);
            }
            if is_last {
                program.on_end(ack.flow(), host);
            }
        });
    }

    /// Tells programs that data have arrived. Returns whether any program receives this event.
    #[inline]
    pub(in crate::host) fn tell_of_data<C: NetContext<WORDS>>(
        &mut self,
        packet: &Packet<WORDS>,
        context: &mut C,
    ) -> bool {
        let hears = self.hears().data;
        if hears {
            let received = match self.receiver.just_received == Some(packet.flow()) {
                true => ReceivedPart::All,
                false => ReceivedPart::Part,
            };
            let now = context.now();
            self.tell_programs(now, context, |program, host| {
                if program.hears().data {
                    program.on_data(packet, received, host);
                }
            });
        }
        hears
    }

    /// Tells programs of a CNP, before the controller of its flow.
    pub(in crate::host) fn tell_of_cnp(&mut self, cnp: &mut Packet<WORDS>) {
        if let Some(programs) = &mut self.programs {
            for program in &mut programs.stack {
                program.on_cnp(cnp);
            }
            programs.update_due();
        }
    }

    /// Hands a packet to the program to which its kind belongs.
    pub(in crate::host) fn hand_to_program<C: NetContext<WORDS>>(
        &mut self,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) -> Delivery {
        let (now, kind) = (context.now(), packet.kind());
        let mut delivery = Delivery::Taken;
        self.tell_programs(now, context, |program, host| {
            if program.kinds().contains(&kind) {
                delivery = program.on_packet(packet, host);
            }
        });
        delivery
    }

    /// Lets programs do what is due by `now`.
    pub(in crate::host) fn run_due_programs<C: NetContext<WORDS>>(
        &mut self,
        now: Time,
        context: &mut C,
    ) {
        self.tell_programs(now, context, |program, host| {
            if program.next_due() <= now {
                program.on_due(host);
            }
        });
    }

    /// Takes a slot whose next send time programs may have changed; `None` when none is left.
    pub(in crate::host) fn next_changed_by_programs(&mut self) -> Option<u32> {
        self.programs.as_mut()?.acts.changed.pop()
    }

    /// Lower bound of the time at which a program acts next by itself; [`Time::MAX`] if none does.
    #[inline]
    pub(in crate::host) fn next_due(&self) -> Time {
        let programs = self.programs.as_ref();
        programs.map_or(Time::MAX, |programs| programs.due)
    }

    /// The events that at least one program receives.
    #[inline]
    pub(in crate::host) fn hears(&self) -> Hears {
        let programs = self.programs.as_ref();
        programs.map_or_else(Hears::default, |programs| programs.hears)
    }
}
