//! A run without packets: each host receives its flows one after the other, at its link's rate.

mod openings;

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, HostId, Rate, Time};
use incast_workload::{Batch, ValidTraffic};

use crate::spec::ValidSpec;
use openings::Openings;

/// The flows that are drawn of an entry whose flows arrive one after the other, or wait for others.
const DRAWN: usize = 20_000;
/// The flows that are drawn of other entries: they may all start at once, and those that wait
/// longest are the last.
const DRAWN_AT_ONCE: usize = 1_000_000;
const PS_PER_SECOND: f64 = 1e12;

/// What the fluid run comes to.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct FluidRun {
    /// Flows that start.
    pub(super) flows: f64,
    pub(super) packet_hops: f64,
    /// When the last flow has ended, or the run is stopped.
    pub(super) end: Time,
    /// Time for which any flow is alive.
    pub(super) busy_ps: f64,
    /// Lives of all flows, summed.
    pub(super) lives_ps: f64,
    /// Of these lives, what flows spend that share their receiver's link.
    pub(super) shared_ps: f64,
    /// Time for which a link into a host carries such flows, summed over hosts.
    pub(super) contended_ps: f64,
    /// Flows alive at once, in the mean over busy time.
    pub(super) alive: f64,
    /// For each flow, the most of its packets that links hold, and for how long; summed.
    pub(super) held_ps: f64,
    /// Packets, and ACKs, that links hold at once: in the mean over busy time, or those that
    /// flows send before they hear of their receivers, or those that wait at switches because
    /// nothing holds their senders back, if that is more.
    pub(super) held: f64,
}

impl FluidRun {
    /// # Errors
    /// If a flow file can no longer be read.
    pub(super) fn of(spec: &ValidSpec) -> Result<Self, Diagnostic> {
        let mut all = Self::default();
        let mut spans = Vec::new();
        let mut queued = 0.0;
        for (tag, entry) in (0..).zip(spec.workload.entries()) {
            let drawn = Drawn::of(spec, entry, tag)?;
            all.flows += drawn.sum.flows * drawn.starting;
            all.packet_hops += drawn.sum.packet_hops * drawn.scale;
            all.lives_ps += drawn.sum.lives_ps * drawn.starting * drawn.waiting;
            all.shared_ps += drawn.sum.shared_ps * drawn.starting * drawn.waiting;
            all.contended_ps += drawn.sum.contended_ps * drawn.scale;
            all.held_ps += drawn.sum.held_ps * drawn.scale;
            all.held += drawn.opening;
            queued += drawn.queued;
            all.end = all.end.max(drawn.end);
            // An entry that is drawn in part goes on as it began.
            spans.push((drawn.sum.busy_ps * drawn.scale).min(drawn.end.as_ps() as f64));
        }
        let longest = spans.iter().copied().fold(0.0, f64::max);
        let sum: f64 = spans.iter().sum();
        all.busy_ps = sum.min(all.end.as_ps() as f64).max(longest);
        all.alive = all.lives_ps / all.busy_ps.max(1.0);
        all.held = all.held.max(all.held_ps / all.busy_ps.max(1.0));
        all.held = all.held.max(queued.min(room_of_buffers(spec)));
        Ok(all)
    }

    /// The part of the run until a moment, as if it were alike all the time.
    pub(super) fn share_until(&self, moment: Time) -> f64 {
        let end = self.end.as_ps().max(1);
        moment.min(self.end).as_ps() as f64 / end as f64
    }
}

/// Full packets that all switches can hold.
fn room_of_buffers(spec: &ValidSpec) -> f64 {
    let each =
        spec.network().buffer.size.as_u64() / spec.wire_size(spec.network().packets.mtu).as_u64();
    f64::from(spec.topology().switches) * each as f64
}

/// What the links of these hosts carry at a moment, where faults slow them down.
fn rate_beside_faults(spec: &ValidSpec, hosts: [HostId; 2], time: Time) -> Rate {
    let plan = spec.faults().map(|faults| &faults.plan);
    let rate = |host| plan.and_then(|plan| plan.degraded_rate(host, time));
    let degraded = hosts.into_iter().filter_map(rate);
    degraded.min().unwrap_or(Rate::from_bps(u64::MAX))
}

/// The first flows of an entry.
struct Drawn {
    sum: FluidRun,
    /// Packets that flows send before they hear of their receivers, at most at once.
    opening: f64,
    /// Packets that wait at switches, at most, if nothing holds their senders back.
    queued: f64,
    /// How many times as many flows start in all.
    starting: f64,
    /// How many times as much is received in all.
    scale: f64,
    /// How many times as long a flow lives, if all of them are there.
    waiting: f64,
    end: Time,
}

impl Drawn {
    fn of(spec: &ValidSpec, entry: &ValidTraffic, tag: u16) -> Result<Self, Diagnostic> {
        let stop = spec.stop().unwrap_or(Time::MAX);
        let arrivals = entry.open_loop();
        let waits = entry.task_graph().is_some();
        let most = match arrivals.is_some() || waits {
            true => DRAWN,
            false => DRAWN_AT_ONCE,
        };
        let mut receivers = Receivers::new(spec, stop);
        receivers.is_uncontrolled = spec.algorithms().are_uncontrolled(tag);
        let mut sum = FluidRun::default();
        let (mut drawn, mut counts) = (0, Counts::default());
        let mut begin = arrivals.map(|(begin, _)| begin);
        let mut last_start = Time::ZERO;
        let mut batches = spec.workload.batches(spec.seed(), tag)?;
        for batch in batches.by_ref().take(most) {
            let batch = batch?;
            drawn += 1;
            counts.add(&batch);
            last_start = batch.piece.flow.start;
            begin.get_or_insert(last_start);
            if last_start >= stop {
                break;
            }
            receivers.add(&batch, &mut sum);
        }
        let rest = match drawn == most && last_start < stop && batches.next().is_some() {
            true => counts.rest(entry.expected_flows()),
            false => 1.0,
        };
        let room = receivers.room().max(1.0);
        // The run has the flows that start before it stops; those that wait for others start as
        // others are received.
        let begin = begin.unwrap_or(Time::ZERO);
        let seen = last_start.saturating_sub(begin).as_ps() as f64;
        let until_stop = stop.saturating_sub(begin).as_ps() as f64;
        let starting = match seen > 0.0 {
            _ if waits => rest.min(room),
            true => rest.min((until_stop / seen).max(1.0)),
            false => rest,
        };
        let scale = match arrivals {
            Some(_) => starting,
            None => starting.min(room),
        };
        let drained = receivers.last_end();
        let after = drained.saturating_sub(last_start);
        let end = match arrivals {
            Some((_, last)) if scale > 1.0 => last + after,
            _ => Time::from_ps((drained.as_ps() as f64 * scale) as u64),
        };
        // Flows that are there from the beginning wait for all others.
        let (waiting, at_once) = match arrivals.is_some() || waits {
            true => (1.0, 1.0),
            false => {
                let rest = after.as_ps() as f64 / drained.as_ps().max(1) as f64;
                (1.0 + (scale - 1.0) * rest, starting)
            }
        };
        Ok(Self {
            sum,
            opening: receivers.openings.largest * at_once,
            queued: receivers.queued(waits) * at_once,
            starting,
            scale,
            waiting,
            end: end.min(stop),
        })
    }
}

/// What has been drawn of an entry.
#[derive(Default)]
struct Counts {
    flows: f64,
    /// Messages that have begun, and the flows of all of their pieces: without an attack, each is
    /// one flow.
    messages: f64,
    pieces: f64,
}

impl Counts {
    fn add(&mut self, batch: &Batch) {
        self.flows += batch.count as f64;
        if let Some((_, pieces)) = batch.piece.first_of {
            self.messages += 1.0;
            self.pieces += pieces as f64;
        }
    }

    /// How many times as many flows there will be, of so many messages.
    fn rest(&self, messages: f64) -> f64 {
        let flows = messages * self.pieces / self.messages.max(1.0);
        (flows / self.flows.max(1.0)).max(1.0)
    }
}

/// The hosts, each of which receives one flow after the other.
struct Receivers<'a> {
    spec: &'a ValidSpec,
    stop: Time,
    /// By host: when it has received what was sent to it, in ps.
    free_at: Vec<f64>,
    /// By host: for how long it has received, in ps.
    received: Vec<f64>,
    /// When the flows so far have ended, in ps.
    busy_until: f64,
    base_rtt: f64,
    openings: Openings,
    /// Whether senders send as fast as their links carry.
    is_uncontrolled: bool,
    /// By host: the most packets that waited for its link at once, if they do.
    backlogs: Vec<f64>,
}

impl<'a> Receivers<'a> {
    fn new(spec: &'a ValidSpec, stop: Time) -> Self {
        Self {
            spec,
            stop,
            free_at: vec![0.0; spec.topology().hosts as usize],
            received: vec![0.0; spec.topology().hosts as usize],
            busy_until: 0.0,
            base_rtt: spec.largest_base_rtt().rtt.as_ps() as f64,
            openings: Openings::new(spec),
            is_uncontrolled: false,
            backlogs: vec![0.0; spec.topology().hosts as usize],
        }
    }

    /// Adds flows, and as much of their packets as arrives before the stop time.
    fn add(&mut self, batch: &Batch, sum: &mut FluidRun) {
        let (flow, flows) = (&batch.piece.flow, batch.count as f64);
        let (source, destination) = (flow.source, flow.destination);
        let (start, stop) = (flow.start.as_ps() as f64, self.stop.as_ps() as f64);
        let spec = self.spec;
        let pair = spec.pair(source, destination);
        let packets = &spec.network().packets;
        let mtu = packets.mtu.as_u64();
        let count = flow.size.as_u64().div_ceil(mtu) as f64;
        let full = Bytes::new(flow.size.as_u64().min(mtu));
        let wire = count * spec.wire_size(full).as_u64() as f64;
        let began = Time::from_ps(self.free_at[destination.index()].max(start) as u64);
        let rate = pair
            .rate
            .min(rate_beside_faults(spec, [source, destination], began));
        let each = wire * 8.0 * PS_PER_SECOND / rate.as_bps() as f64;
        let (count, time) = (flows * count, flows * each);
        let sending = self
            .openings
            .add(source.index(), [start, stop], count, time);
        let free_at = &mut self.free_at[destination.index()];
        let begin = free_at.max(start);
        *free_at = begin + time;
        let end = (begin + time + self.base_rtt).min(stop);
        let sent = ((stop - begin) / time.max(1.0)).clamp(0.0, 1.0);
        self.received[destination.index()] += sent * time;
        let links = spec.routes().hops(source, destination).unwrap_or_default();
        let acks = count / f64::from(spec.network().ack_every);
        sum.flows += flows;
        sum.packet_hops += sent * (count + acks) * f64::from(links);
        if self.is_uncontrolled {
            // What the source has sent by then, and the receiver's link has not carried.
            let [first, last] = sending.map(|at| at.min(stop));
            let arrived = ((last - first) / time.max(1.0)).clamp(0.0, 1.0);
            sum.packet_hops +=
                (arrived - sent).max(0.0) * count * f64::from(links.saturating_sub(1));
            let backlog = &mut self.backlogs[destination.index()];
            let not_carried = (begin + time - last) * (count / time.max(1.0));
            *backlog = backlog.max(not_carried - (1.0 - arrived) * count);
        }
        // When the flow in the middle of them begins.
        let middle = begin + (time - each) / 2.0;
        sum.lives_ps += flows * ((middle + each + self.base_rtt).min(stop) - start);
        if middle > start {
            // Flows that share a link live twice as long, in the mean, as if they took turns.
            let shared = 2.0 * (middle - start) + each;
            sum.shared_ps += flows * shared.min(stop - start);
            sum.contended_ps += sent * time;
        }
        let under_way = (end - begin).clamp(0.0, self.base_rtt);
        let held = (count * under_way / time.max(1.0)).min(sent * count);
        sum.held_ps += held * (end - begin).max(0.0);
        sum.busy_ps += (end - self.busy_until.max(start)).max(0.0);
        self.busy_until = self.busy_until.max(end);
    }

    /// How many times as much the hosts can receive that receive anything, before the run is
    /// stopped.
    fn room(&self) -> f64 {
        let busy = self.received.iter().filter(|time| **time > 0.0);
        let (hosts, sum) = (busy.clone().count() as f64, busy.sum::<f64>());
        hosts * self.stop.as_ps() as f64 / sum.max(1.0)
    }

    /// Packets that wait at switches, at most, if nothing holds their senders back.
    fn queued(&self, waits: bool) -> f64 {
        match self.is_uncontrolled && waits {
            // When each flow starts, and what it meets, is not known: none of the room is taken, or
            // all of it.
            true => 0.5 * room_of_buffers(self.spec),
            false => self.backlogs.iter().sum(),
        }
    }

    fn last_end(&self) -> Time {
        Time::from_ps(self.busy_until as u64)
    }
}
