//! A run without packets: each host receives its flows one after the other, at its link's rate.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Time};
use incast_workload::{Flow, ValidTraffic};

use crate::spec::ValidSpec;

/// The flows that are drawn of each entry.
const DRAWN: usize = 20_000;
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
    /// Flows alive at once, in the mean over busy time.
    pub(super) alive: f64,
}

impl FluidRun {
    /// # Errors
    /// If a flow file can no longer be read.
    pub(super) fn of(spec: &ValidSpec) -> Result<Self, Diagnostic> {
        let mut all = Self::default();
        let mut spans = Vec::new();
        for (tag, entry) in (0..).zip(spec.workload.entries()) {
            let drawn = Drawn::of(spec, entry, tag)?;
            all.flows += drawn.sum.flows * drawn.scale;
            all.packet_hops += drawn.sum.packet_hops * drawn.scale;
            all.lives_ps += drawn.sum.lives_ps * drawn.scale;
            all.end = all.end.max(drawn.end);
            // An entry that is drawn in part goes on as it began.
            spans.push((drawn.sum.busy_ps * drawn.scale).min(drawn.end.as_ps() as f64));
        }
        let longest = spans.iter().copied().fold(0.0, f64::max);
        let sum: f64 = spans.iter().sum();
        all.busy_ps = sum.min(all.end.as_ps() as f64).max(longest);
        all.alive = all.lives_ps / all.busy_ps.max(1.0);
        Ok(all)
    }

    /// The part of the run until a moment, as if it were alike all the time.
    pub(super) fn share_until(&self, moment: Time) -> f64 {
        let end = self.end.as_ps().max(1);
        moment.min(self.end).as_ps() as f64 / end as f64
    }
}

/// The first flows of an entry.
struct Drawn {
    sum: FluidRun,
    /// How many times as much there is in all.
    scale: f64,
    end: Time,
}

impl Drawn {
    fn of(spec: &ValidSpec, entry: &ValidTraffic, tag: u16) -> Result<Self, Diagnostic> {
        let stop = spec.stop().unwrap_or(Time::MAX);
        let mut receivers = Receivers::new(spec, stop);
        let mut sum = FluidRun::default();
        let mut drawn = 0;
        let mut last_start = Time::ZERO;
        let mut flows = entry.all_flows(spec.seed(), tag)?;
        for flow in flows.by_ref().take(DRAWN) {
            let flow = flow?;
            drawn += 1;
            last_start = flow.start;
            if flow.start < stop {
                receivers.add(&flow, &mut sum);
            }
        }
        let rest = match drawn == DRAWN && flows.next().is_some() {
            true => (entry.expected_flows() / drawn as f64).max(1.0),
            false => 1.0,
        };
        // Of flows that arrive one after the other the run has those that start before it stops.
        let arrivals = entry.open_loop();
        let seen = arrivals.map(|(begin, _)| last_start.saturating_sub(begin).as_ps() as f64);
        let until_stop = arrivals.map(|(begin, _)| stop.saturating_sub(begin).as_ps() as f64);
        let scale = match seen.zip(until_stop) {
            Some((seen, until_stop)) if seen > 0.0 => rest.min((until_stop / seen).max(1.0)),
            _ => rest.min(receivers.room().max(1.0)),
        };
        let drained = receivers.last_end();
        let end = match arrivals {
            Some((_, last)) if scale > 1.0 => last + drained.saturating_sub(last_start),
            _ => Time::from_ps((drained.as_ps() as f64 * scale) as u64),
        };
        Ok(Self {
            sum,
            scale,
            end: end.min(stop),
        })
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
        }
    }

    /// Adds a flow, and as much of its packets as arrives before the stop time.
    fn add(&mut self, flow: &Flow, sum: &mut FluidRun) {
        let Flow {
            source,
            destination,
            size,
            ..
        } = *flow;
        let (start, stop) = (flow.start.as_ps() as f64, self.stop.as_ps() as f64);
        let spec = self.spec;
        let pair = spec.pair(source, destination);
        let packets = &spec.network().packets;
        let mtu = packets.mtu.as_u64();
        let count = size.as_u64().div_ceil(mtu) as f64;
        let full = Bytes::new(size.as_u64().min(mtu));
        let wire = count * spec.wire_size(full).as_u64() as f64;
        let time = wire * 8.0 * PS_PER_SECOND / pair.rate.as_bps() as f64;
        let free_at = &mut self.free_at[destination.index()];
        let begin = free_at.max(start);
        *free_at = begin + time;
        let end = (begin + time + self.base_rtt).min(stop);
        let sent = ((stop - begin) / time.max(1.0)).clamp(0.0, 1.0);
        self.received[destination.index()] += sent * time;
        let links = spec.routes().hops(source, destination).unwrap_or_default();
        let acks = count / f64::from(spec.network().ack_every);
        sum.flows += 1.0;
        sum.packet_hops += sent * (count + acks) * f64::from(links);
        sum.lives_ps += end - start;
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

    fn last_end(&self) -> Time {
        Time::from_ps(self.busy_until as u64)
    }
}
