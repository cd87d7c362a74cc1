//! Handling of packets that arrive at a host: the choice of the side, and the reaction.
//!
//! The plain host and the fast host differ in the times of their actions, not in the actions. The
//! plain host transmits at once and sets timers. The fast host commits packets to the link ahead of
//! time and records deadlines. So the actions of a host are an [`Outbox`], and packets are
//! distinguished only here.

use incast_units::Time;

use crate::context::NetContext;
use crate::wire::{Kind, Lane, Packet};

use super::Host;
use super::programs::Delivery;
use super::receiver::Answer;
use super::sending::QpUpdate;

/// The actions of a host on any execution path, after a change of its state.
pub(super) trait Outbox<'a, const WORDS: usize, C: NetContext<WORDS>>:
    AsMut<Host<'a, WORDS>>
{
    /// Sends a control packet as soon as the link is free.
    fn send_control(&mut self, packet: &mut Packet<WORDS>, context: &mut C);

    /// Called when an ACK, a NACK, a CNP or a program may have changed a QP at `now`.
    fn on_qp_update(&mut self, update: QpUpdate, now: Time, context: &mut C);

    /// Called if the host has programs that may have work to do, or have sent packets.
    fn run_programs(&mut self, now: Time, context: &mut C);

    /// Sends queued packets as soon as the link is free.
    fn send_queued(&mut self, context: &mut C);

    /// Called when the peer has paused or resumed a lane of data.
    fn on_pause_change(&mut self, context: &mut C);

    /// Handles a PFC frame for a lane.
    fn on_pfc_frame(&mut self, lane: Lane, kind: Kind, context: &mut C) {
        self.as_mut().set_paused(lane, kind, context);
        self.on_pause_change(context);
    }

    /// Any packet arrives.
    fn dispatch(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        match packet.kind() {
            Kind::Data | Kind::DataWithAckRequest | Kind::LastData => self.on_data(packet, context),
            Kind::Ack | Kind::Nack => self.on_ack(packet, context),
            Kind::Trimmed => self.on_trimmed(packet, context),
            Kind::Probe => self.on_probe(packet, context),
            Kind::Cnp => self.on_cnp(packet, context),
            kind @ (Kind::Pause | Kind::Resume) => self.on_pfc_frame(packet.lane(), kind, context),
            // All other kinds belong to programs.
            _ => self.on_program_packet(packet, context),
        }
    }

    /// Data arrive.
    fn on_data(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        self.send_cnp(packet, context);
        let now = context.now();
        let host = self.as_mut();
        let answer = host.receiver.on_data(packet, now, context.local());
        let is_heard = host.tell_of_data(packet, context);
        if let Some(answer) = answer {
            let psn = packet.psn();
            host.receiver.answer(packet, answer);
            host.receiver.name_early(packet, psn);
            self.send_control(packet, context);
        }
        if is_heard {
            self.follow_programs(now, context);
            self.send_queued(context);
        }
        self.as_mut().on_flow_received(context);
    }

    /// Handles the header of a trimmed packet, which is answered at once.
    #[inline(never)]
    fn on_trimmed(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let (now, psn) = (context.now(), packet.psn());
        let host = self.as_mut();
        let answer = host.receiver.on_trimmed(packet, context.local());
        let is_asked_for = matches!(answer, Answer::Nack(_));
        let is_heard = is_asked_for && host.tell_of_data(packet, context);
        host.receiver.answer(packet, answer);
        if !is_asked_for {
            packet.forget_trimming();
            host.receiver.name_early(packet, psn);
        }
        self.send_control(packet, context);
        if is_heard {
            self.follow_programs(now, context);
            self.send_queued(context);
        }
    }

    /// Handles a probe, which is answered at once.
    #[inline(never)]
    fn on_probe(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let receiver = &mut self.as_mut().receiver;
        let answer = receiver.on_probe(packet);
        receiver.answer(packet, answer);
        receiver.name_early(packet, 0);
        self.send_control(packet, context);
    }

    /// Sends a CNP in answer to a data packet, if one is due.
    #[inline(never)]
    fn send_cnp(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        let receiver = &mut self.as_mut().receiver;
        if let Some(mut cnp) = receiver.cnp_for(packet, context.now()) {
            self.send_control(&mut cnp, context);
        }
    }

    /// Handles an ACK or NACK.
    fn on_ack(&mut self, packet: &Packet<WORDS>, context: &mut C) {
        let now = context.now();
        let host = self.as_mut();
        let update = host.sender.on_ack(packet, now, context.local());
        host.tell_of_ack(packet, update, context);
        self.follow_programs(now, context);
        self.on_qp_update(update, now, context);
        self.as_mut().on_flow_acknowledged(context);
    }

    /// A CNP arrives.
    fn on_cnp(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        let now = context.now();
        let host = self.as_mut();
        host.tell_of_cnp(packet);
        let update = host.sender.on_cnp(packet, now);
        self.on_qp_update(update, now, context);
    }

    /// Handles a packet of a program.
    fn on_program_packet(&mut self, packet: &mut Packet<WORDS>, context: &mut C) {
        match self.as_mut().hand_to_program(packet, context) {
            Delivery::Returned => self.send_control(packet, context),
            Delivery::Taken => {
                self.follow_programs(context.now(), context);
                self.send_queued(context);
            }
        }
    }

    /// Called after programs were told of an event: runs due programs, and updates QPs that they
    /// changed.
    fn follow_programs(&mut self, now: Time, context: &mut C) {
        if self.as_mut().programs.is_none() {
            return;
        }
        self.run_programs(now, context);
        while let Some(slot) = self.as_mut().next_changed_by_programs() {
            self.on_qp_update(QpUpdate::Updated(slot), now, context);
        }
    }
}
