//! The port-by-port path: a window is processed one egress port at a time.
//!
//! Egress ports are independent of each other as long as no peer is paused, no packet is dropped
//! from a buffer that ports share, and no program or sample reads across ports. Each has its own
//! queues, its own marking random stream and its own link. If this holds throughout a window, in
//! any order of the packets, the window is processed one egress port after the other. The packets
//! of a port stay in order, and the final state is the same. Where every port has [a buffer of its
//! own](crate::buffer), such a window may also have drops and trimmed packets.
//!
//! Such a window may have samples of queues. If many packets arrive, it is processed in parts, from
//! sample to sample: few packets per port and part are sorted faster. Otherwise it is processed at
//! once, and each port adds its waiting bytes to the samples as it passes their times.

use incast_engine::{CheckedIndex, Message, PortBatch};
use incast_units::Time;

use crate::context::NetContext;
use crate::routing::Recall;
use crate::wire::Packet;

use super::arrival::{self, Arrival, MAX_BATCHES, MAX_PLACES};
use super::lazy::FastSwitch;
use super::queue_sample::MOST_SAMPLES;

use self::one_port::Common;

mod one_port;

/// If a window has fewer arrivals than a switch has ports, by more than this factor, busy ports are
/// listed.
const PORTS_PER_ARRIVAL: usize = 4;

/// Windows with more batches than this, and more packets per batch, are processed in parts.
const FEW_BATCHES: usize = 4;
const FEW_PACKETS: usize = 8;

impl<const WORDS: usize> FastSwitch<WORDS> {
    /// Processes all `count` packets that arrive in a window, if their order over all ports does
    /// not matter. If the order may matter, returns `false`: then no packets, or only those before
    /// an observation, have been taken out of the batches.
    #[inline(never)]
    pub(crate) fn process_by_port<C: NetContext<WORDS>>(
        &mut self,
        batches: &mut [PortBatch<Packet<WORDS>>],
        count: usize,
        context: &mut C,
    ) -> bool {
        let (start, end) = (context.now(), context.window_end());
        let in_parts = batches.len() > FEW_BATCHES && count > FEW_PACKETS * batches.len();
        match in_parts {
            true => self.observe(start, context),
            false => self.observe_before(start, context),
        }
        if !self.can_process(count, batches, context) {
            return false;
        }
        let is_sparse = count * PORTS_PER_ARRIVAL < self.arrivals.len();
        loop {
            let plain = &mut self.plain;
            let until = match in_parts {
                true => plain.next_observation.min(end),
                false => plain.programs.next_observation().min(end),
            };
            let is_listed = match plain.forwarding.recall {
                Recall::ByFlow => self.list_until::<false>(batches, is_sparse, (start, until)),
                Recall::Nothing => self.list_until::<true>(batches, is_sparse, (start, until)),
            };
            if !is_listed {
                return false;
            }
            if !in_parts {
                self.samples.begin(&mut self.plain.sampling, until);
            }
            self.process_listed(batches, is_sparse, (start, until), context);
            if until == end {
                return true;
            }
            self.observe(until, context);
        }
    }

    /// Makes the observations that are due before `start`. Observations at `start` are made only if
    /// a program has one.
    #[inline(always)]
    fn observe_before<C: NetContext<WORDS>>(&mut self, start: Time, context: &mut C) {
        if start >= self.plain.programs.next_observation() {
            self.observe(start, context);
        } else if start > self.plain.next_observation {
            self.observe(start - Time::from_ps(1), context);
        }
    }

    /// Lists the packets that arrive before the end of `part`. Returns `false`, having changed
    /// nothing, if a PFC frame is among them. `ANEW`: ports of earlier packets are not reused.
    #[inline(never)]
    fn list_until<const ANEW: bool>(
        &mut self,
        batches: &mut [PortBatch<Packet<WORDS>>],
        is_sparse: bool,
        part: (Time, Time),
    ) -> bool {
        match (is_sparse, self.plain.forwarding.has_entries_by_host()) {
            (true, true) => self.sort_by_egress::<true, ANEW>(batches, part, list_busy),
            (true, false) => self.sort_by_egress::<false, ANEW>(batches, part, list_busy),
            (false, true) => self.sort_by_egress::<true, ANEW>(batches, part, |_, _, _| {}),
            (false, false) => self.sort_by_egress::<false, ANEW>(batches, part, |_, _, _| {}),
        }
    }

    /// Processes the listed packets, port by port, and completes the samples of this part.
    #[inline(always)]
    fn process_listed<C: NetContext<WORDS>>(
        &mut self,
        batches: &mut [PortBatch<Packet<WORDS>>],
        is_sparse: bool,
        part: (Time, Time),
        context: &mut C,
    ) {
        let may_lose = self.plain.buffer.port_rule().is_some();
        if self.samples.is_empty() {
            return match may_lose {
                false => self.process::<false, false, C>(batches, is_sparse, part, context),
                true => self.process::<false, true, C>(batches, is_sparse, part, context),
            };
        }
        match may_lose {
            false => self.process::<true, false, C>(batches, is_sparse, part, context),
            true => self.process::<true, true, C>(batches, is_sparse, part, context),
        }
        self.plain.end_samples(&mut self.samples, context.local());
    }

    /// Processes the listed packets, port by port; all arrive before `until`, the end of the part.
    /// `SAMPLES`: the part has samples. `LOSSES`: packets may be dropped.
    #[inline(never)]
    fn process<const SAMPLES: bool, const LOSSES: bool, C: NetContext<WORDS>>(
        &mut self,
        batches: &mut [PortBatch<Packet<WORDS>>],
        is_sparse: bool,
        (start, until): (Time, Time),
        context: &mut C,
    ) {
        let plain = &mut self.plain;
        let mut common = Common {
            start,
            times: match SAMPLES {
                true => self.samples.times(until),
                false => [until; MOST_SAMPLES + 1],
            },
            until,
            number: 0,
            sample: 0,
            rule: plain.buffer.port_rule(),
            buffer: &mut plain.buffer,
            int: plain.programs.int_on_data,
            backlogged: &mut plain.backlogged,
            sampled: &mut plain.sampled,
            samples: &mut self.samples,
        };
        if SAMPLES {
            // Sampled ports without arrivals; the other ports add to samples between their
            // arrivals.
            for place in 0..common.sampled.len() {
                let number = usize::from(common.sampled[place]);
                if self.arrivals.at(number).is_empty() {
                    common.begin(number);
                    let port = plain.ports.at_mut(number);
                    port.add_to_samples(until, &mut common, context);
                }
            }
        }
        let ties = plain.ties;
        let mut all = 0..self.arrivals.len();
        while let Some(number) = match is_sparse {
            true => self.busy.pop().map(usize::from),
            false => all.find(|&number| !self.arrivals.at(number).is_empty()),
        } {
            let arrivals = self.arrivals.at_mut(number);
            arrival::sort(arrivals);
            if let Some(ties) = ties {
                let port = |arrival: &Arrival| batches[arrival.batch()].port();
                ties.sort(arrivals, |arrival| arrival.time(start), port);
            }
            let port = plain.ports.at_mut(number);
            context.check_port(number);
            match SAMPLES {
                true => common.begin(number),
                false => common.number = number,
            }
            // No pause begins or ends in this window.
            if !port.egress.link.paused().is_empty() {
                port.queue_all::<LOSSES, C>(number, batches, arrivals, &mut common, context);
            } else {
                port.receive_all::<SAMPLES, LOSSES, C>(batches, arrivals, &mut common, context);
            }
            if SAMPLES && port.may_wait() {
                port.add_to_samples(until, &mut common, context);
            }
            arrivals.clear();
        }
    }

    /// Whether no event at one port in this window can affect another port.
    #[inline(always)]
    fn can_process<C: NetContext<WORDS>>(
        &self,
        count: usize,
        batches: &[PortBatch<Packet<WORDS>>],
        context: &C,
    ) -> bool {
        let plain = &self.plain;
        let bytes = |count: usize| count as u64 * self.largest;
        let arriving = batches.iter();
        let arriving = arriving.map(|batch| (batch.port(), bytes(batch.rest().len())));
        !self.inspects_control
            && plain.shared.config.path_choice().is_stateless()
            && !plain.programs.have_timer()
            && plain.shared.ns3_marking_streams.is_none()
            && plain.observes_rarely(context.window_end())
            && batches.len() <= MAX_BATCHES
            && count <= MAX_PLACES
            && plain.buffer.are_ports_independent(bytes(count), arriving)
    }

    /// Takes all packets that arrive before `until` out of the batches, and lists them by egress
    /// port. If a PFC frame is among them, takes none and returns `false`. `note` is called with
    /// `busy`, the port and its list before each packet is listed.
    #[inline(always)]
    fn sort_by_egress<const BY_HOST: bool, const ANEW: bool>(
        &mut self,
        batches: &mut [PortBatch<Packet<WORDS>>],
        (start, until): (Time, Time),
        note: impl Fn(&mut Vec<u16>, usize, &[Arrival]),
    ) -> bool {
        let forwarding = &mut self.plain.forwarding;
        let mut lookup = forwarding.lookup::<BY_HOST, ANEW>(&self.plain.selector);
        let arrivals = &mut self.arrivals[..];
        let limit = Arrival::origin(start, 0).later(until);
        for number in 0..batches.len() {
            let batch = batches.at_mut(number);
            let taken = batch.taken();
            let mut origin = Arrival::origin(start, number).plus(taken);
            let mut count = 0;
            for packet in batch.rest() {
                let arrival = origin.later(Time::from_ps(packet.time_bits()));
                if arrival >= limit {
                    break;
                }
                let Some(egress) = lookup.port(packet) else {
                    give_back(arrivals, batches);
                    self.busy.clear();
                    return false;
                };
                let arrivals = arrivals.at_mut(egress);
                note(&mut self.busy, egress, arrivals);
                arrivals.push(arrival);
                origin = origin.plus(1);
                count += 1;
            }
            batch.take(count);
        }
        true
    }
}

/// Adds a port to `busy` at its first arrival.
#[inline(always)]
fn list_busy(busy: &mut Vec<u16>, port: usize, arrivals: &[Arrival]) {
    if arrivals.is_empty() {
        busy.push(port as u16);
    }
}

/// Empties the lists and returns the packets to the batches.
#[cold]
#[inline(never)]
fn give_back<M: Message>(arrivals: &mut [Vec<Arrival>], batches: &mut [PortBatch<M>]) {
    for arrival in arrivals.iter_mut().flat_map(|arrivals| arrivals.drain(..)) {
        batches[arrival.batch()].give_back(arrival.place());
    }
}
