//! A host in a network with link faults ([`crate::faults`]): the plain host with a wire in front of
//! it.
//!
//! It also records when flows have recovered from a fault, and tells controllers of changes of the
//! path. INT from different paths, or from ACKs that overtook each other, must not be compared
//! (HPCC's pathID).

use std::sync::Arc;

use incast_units::{NodeId, Time};
use rustc_hash::{FxHashMap, FxHashSet};

use super::dispatch::Outbox as _;
use super::{Host, PORT, TIMERS};
use crate::config::FlowControl;
use crate::context::NetContext;
use crate::faults::{
    Affected, FaultPlan, FaultSide, GlobalChange, LossyWire, PortChange, WireEnds,
};
use crate::measure::{Log as _, Recorder};
use crate::wire::{Kind, Lane, Packet};

/// Timer: a fault begins or ends.
const FAULT: usize = TIMERS;

/// A host, its wire, and its knowledge of other links' faults.
#[derive(Clone)]
pub(crate) struct FaultyHost<'a, const WORDS: usize> {
    host: Host<'a, WORDS>,
    plan: Arc<FaultPlan>,
    wires: WireEnds,
    /// Number of changes of [`FaultPlan::global`] handled so far.
    heard: usize,
    /// Whether the switch at the other end may pause this host.
    is_pausable: bool,
    /// By congestion state: the path of the last INT, and the departure of its packet.
    paths: FxHashMap<u64, (u64, Time)>,
    /// By flow: faults that the flow has not recovered from, each with the bytes that must be
    /// acknowledged first.
    recovering: FxHashMap<u32, Vec<(u32, u64)>>,
    /// Changes before this time have been passed to the engine.
    announced: Time,
}

impl<'a, const WORDS: usize> From<Host<'a, WORDS>> for FaultyHost<'a, WORDS> {
    fn from(host: Host<'a, WORDS>) -> Self {
        let shared = Arc::clone(&host.sender.base.shared);
        let plan = Arc::clone(shared.faults.as_ref().expect("a network with faults"));
        let peer = plan.ports_of(host.node)[PORT].peer;
        let is_lossless = matches!(shared.config.flow_control, FlowControl::Pfc(_));
        Self {
            wires: WireEnds::new(Arc::clone(&plan), host.node, shared.config.seed),
            is_pausable: is_lossless && peer >= NodeId(plan.hosts()),
            plan,
            host,
            heard: 0,
            paths: FxHashMap::default(),
            recovering: FxHashMap::default(),
            announced: Time::ZERO,
        }
    }
}

impl<const WORDS: usize> FaultyHost<'_, WORDS> {
    pub(crate) fn on_message<C: NetContext<WORDS>>(
        &mut self,
        port: usize,
        packet: &mut Packet<WORDS>,
        context: &mut C,
    ) {
        context.receive(self.host.node, port, packet);
        self.catch_up(context);
        context.local().faults.arrived_at_hosts += u64::from(!packet.is_pfc());
        let (flow, is_ack) = (packet.flow(), packet.is_ack());
        if is_ack && self.host.sender.base.shared.watches_paths {
            self.compare_paths(packet);
        }
        if packet.is_data() && self.host.sender.base.shared.int_on_acks {
            // From here on the packet records the path of its ACK.
            packet.set_path(0);
        }
        let mut wire = LossyWire::new(context, &mut self.wires);
        self.host.on_arrival(packet, &mut wire);
        if is_ack {
            if self.host.sender.congestion_state_of(flow).is_none() {
                self.paths.remove(&flow.into());
            }
            self.note_recovery(flow, context.now(), context.local());
        }
    }

    pub(crate) fn on_timer_expiry<C: NetContext<WORDS>>(&mut self, timer: usize, context: &mut C) {
        context.local().enter(self.host.node);
        self.catch_up(context);
        if timer != FAULT {
            let mut wire = LossyWire::new(context, &mut self.wires);
            return self.host.on_timer_expiry(timer, &mut wire);
        }
        if let Some(next) = self.next_change().filter(|next| *next < self.announced) {
            context.set_timer(timer, next);
        }
    }

    /// Tells a controller if the INT of this ACK cannot be compared with the previous ACK's.
    fn compare_paths(&mut self, ack: &Packet<WORDS>) {
        let Some(state) = self.host.sender.congestion_state_of(ack.flow()) else {
            return;
        };
        let now = (ack.path(), ack.timestamp());
        let before = self.paths.insert(state, now);
        if before.is_some_and(|(path, left)| path != now.0 || now.1 < left) {
            self.host.sender.on_path_change(ack.flow());
        }
    }

    /// Called after an ACK of a flow: records faults that the flow has recovered from.
    fn note_recovery(&mut self, flow: u32, now: Time, recorder: &mut Recorder) {
        let Some(waiting) = self.recovering.get_mut(&flow) else {
            return;
        };
        let acked = self.host.sender.acked_bytes_of(flow).unwrap_or(u64::MAX);
        waiting.retain(|&(fault, bytes)| {
            let recovered = bytes <= acked;
            if recovered {
                recorder.faults.recover(fault, flow, now);
            }
            !recovered
        });
        if waiting.is_empty() {
            self.recovering.remove(&flow);
        }
    }

    /// Applies all changes that are due, before any other event at this time.
    fn catch_up<C: NetContext<WORDS>>(&mut self, context: &mut C) {
        let now = context.now();
        if self.next_change().is_some_and(|next| next <= now) {
            self.host.take_samples(now, context.local());
            while let Some((_, change)) = self.wires.take_change(now) {
                self.change(change, context);
            }
            self.hear(now);
        }
        let (link, model) = (
            &mut self.host.nic.link,
            &self.host.sender.base.shared.config.model,
        );
        self.wires.take_rates(|_, rate| {
            let is_free = link.free_at() <= now;
            if is_free {
                link.set_rate(model, rate);
            }
            is_free
        });
    }

    fn change<C: NetContext<WORDS>>(&mut self, change: PortChange, context: &mut C) {
        if let PortChange::Rate(rate) = change {
            self.wires.set_rate(PORT, rate);
        }
        let paused = self.host.nic.link.paused();
        let mut wire = LossyWire::new(context, &mut self.wires);
        for lane in Lane::first(Lane::COUNT) {
            let is_paused = paused.contains(lane);
            let kind = match change {
                // A pause of this lane ends: packets sent from now on are lost.
                PortChange::Down if is_paused => Kind::Resume,
                // Data wait until the switch reports whether it pauses this lane.
                PortChange::Up | PortChange::Rate(_) if self.is_pausable && !is_paused => {
                    Kind::Pause
                }
                _ => continue,
            };
            self.host.on_pfc_frame(lane, kind, &mut wire);
        }
    }

    /// Handles changes that concern all hosts: faults that can no longer harm flows.
    fn hear(&mut self, now: Time) {
        let plan = Arc::clone(&self.plan);
        let rest = plan.global()[self.heard..].iter();
        for (_, change) in rest.take_while(|(time, _)| *time <= now) {
            self.heard += 1;
            if let GlobalChange::Over(fault, affected) = change {
                self.await_recovery(*fault, *affected);
            }
        }
    }

    /// For each flow, records the bytes that must be acknowledged before it has recovered from a
    /// fault.
    fn await_recovery(&mut self, fault: u32, affected: Affected) {
        let mut flows = Vec::new();
        self.host.append_unfinished(&mut flows);
        let mtu = self.host.sender.base.shared.mtu;
        for each in flows {
            let hosts = [each.flow.source, each.flow.destination];
            let is_connected = |epoch| self.plan.are_connected(epoch, hosts);
            let sent = (u64::from(each.sent) * mtu).min(each.flow.size.as_u64());
            let bytes = match affected {
                Affected::All => sent,
                Affected::Connected(epoch) if is_connected(epoch) => sent,
                Affected::CutOff(epoch) if !is_connected(epoch) => sent,
                Affected::Connected(_) | Affected::CutOff(_) => continue,
                Affected::ConnectedForGood(epoch) if is_connected(epoch) => sent,
                Affected::ConnectedForGood(_) => u64::MAX,
            };
            if bytes > each.acked.as_u64() {
                let waiting = self.recovering.entry(each.flow.id.0).or_default();
                waiting.push((fault, bytes));
            }
        }
    }

    fn next_change(&self) -> Option<Time> {
        let global = self.plan.global().get(self.heard).map(|(time, _)| *time);
        self.wires.next_change().into_iter().chain(global).min()
    }
}

impl<const WORDS: usize> FaultSide for FaultyHost<'_, WORDS> {
    fn fault_timers(&self) -> usize {
        1
    }

    fn announce_changes(&mut self, before: Time) -> Option<(usize, Time)> {
        self.announced = before;
        let next = self.next_change().filter(|next| *next < before)?;
        Some((FAULT, next))
    }

    fn append_recovering(&self, all: &mut FxHashSet<(u32, u32)>) {
        for (&flow, waiting) in &self.recovering {
            all.extend(waiting.iter().map(|&(fault, _)| (fault, flow)));
        }
    }
}

impl<'a, const WORDS: usize> AsRef<Host<'a, WORDS>> for FaultyHost<'a, WORDS> {
    fn as_ref(&self) -> &Host<'a, WORDS> {
        &self.host
    }
}

impl<'a, const WORDS: usize> AsMut<Host<'a, WORDS>> for FaultyHost<'a, WORDS> {
    fn as_mut(&mut self) -> &mut Host<'a, WORDS> {
        &mut self.host
    }
}
