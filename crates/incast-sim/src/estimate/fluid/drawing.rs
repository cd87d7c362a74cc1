//! The first flows of a traffic entry, and estimates for all of its flows.

use std::collections::HashSet;

use incast_diagnostic::Diagnostic;
use incast_units::Time;
use incast_workload::{BatchStream, Flow, TaskGraph, ValidTraffic};

use super::network::{Reception, packets_of};
use super::starting_messages::{StartingMessage, StartingMessages};
use crate::spec::{By, NicTurns, ValidSpec};

/// The most batches that are drawn of open-loop traffic, and of task graphs.
const DRAWN: usize = 20_000;
/// The most batches that are drawn of other entries: their flows may all start at once, and the
/// last flows wait longest.
const DRAWN_AT_ONCE: usize = 1_000_000;

/// A traffic entry whose flows are being drawn.
pub(super) struct Drawing<'a> {
    spec: &'a ValidSpec,
    entry: &'a ValidTraffic,
    batches: BatchStream,
    /// The messages of the entry, if it is a task graph.
    tasks: Option<StartingMessages<'a>>,
    tag: u16,
    /// Begin and end of arrivals, if the traffic is open-loop.
    arrivals: Option<(Time, Time)>,
    /// The most batches to draw, and the number drawn so far.
    most: usize,
    drawn: usize,
    counts: Counts,
    nics: NicTurns,
    begin: Option<Time>,
    last_start: Time,
    /// The flows that were drawn last, until they are added.
    head: Option<StartingFlows>,
    sum: Sum,
}

/// Flows that start.
pub(super) struct StartingFlows {
    pub(super) flow: Flow,
    /// Number of flows.
    pub(super) count: f64,
    /// The message of a task graph, if the flow is one.
    task: Option<StartingMessage>,
}

/// Sums over the drawn flows of an entry.
#[derive(Default)]
struct Sum {
    flows: f64,
    packets: f64,
    packet_hops: f64,
    held_ps: f64,
    /// Time during which at least one flow was under way.
    busy_ps: f64,
    /// The end of the last flow so far, in ps.
    busy_until: f64,
    /// The ports that were bottlenecks, and the sum of their busy times.
    bottlenecks: HashSet<u32>,
    carried_ps: f64,
}

/// Totals of the drawn flows of an entry, and factors from these to all of its flows.
pub(super) struct Totals {
    /// Number of flows that were drawn.
    pub(super) flows: f64,
    pub(super) packet_hops: f64,
    pub(super) held_ps: f64,
    pub(super) busy_ps: f64,
    /// Flows that start in the run, over flows drawn.
    pub(super) starting: f64,
    /// Data received in the run, over data received of the flows drawn.
    pub(super) scale: f64,
    /// Lifetime of a flow among all flows, over its lifetime among the flows drawn.
    pub(super) waiting: f64,
    /// Flows that start at the same time, over drawn flows that start at the same time.
    pub(super) at_once: f64,
    pub(super) end: Time,
}

impl<'a> Drawing<'a> {
    pub(super) fn new(
        spec: &'a ValidSpec,
        tag: u16,
        graph: Option<&'a dyn TaskGraph>,
    ) -> Result<Self, Diagnostic> {
        let entry = &spec.workload.entries()[usize::from(tag)];
        let arrivals = entry.open_loop();
        let most = match arrivals.is_some() || graph.is_some() {
            true => DRAWN,
            false => DRAWN_AT_ONCE,
        };
        Ok(Self {
            spec,
            entry,
            batches: spec.workload.batches(spec.seed(), tag)?,
            tasks: graph.map(StartingMessages::new),
            tag,
            arrivals,
            most,
            drawn: 0,
            counts: Counts::default(),
            nics: NicTurns::new(spec.graph.nic_pairs.clone()),
            begin: arrivals.map(|(begin, _)| begin),
            last_start: Time::ZERO,
            head: None,
            sum: Sum::default(),
        })
    }

    /// Draws the next flows. Returns their start; `None` if no more are to be drawn, or they start
    /// after the stop time.
    pub(super) fn next(&mut self, stop: Time) -> Result<Option<Time>, Diagnostic> {
        if self.drawn == self.most {
            return Ok(None);
        }
        let Some(head) = self.draw()? else {
            return Ok(None);
        };
        self.drawn += 1;
        self.last_start = head.flow.start;
        self.begin.get_or_insert(self.last_start);
        if self.last_start >= stop {
            return Ok(None);
        }
        self.head = Some(head);
        Ok(Some(self.last_start))
    }

    fn draw(&mut self) -> Result<Option<StartingFlows>, Diagnostic> {
        if let Some(tasks) = &mut self.tasks {
            let Some(task) = tasks.next() else {
                return Ok(None);
            };
            let message = &task.message;
            let by = By::message(message.nic, message.turn);
            let (source, destination) = self.spec.ends(message.source, message.destination, by);
            let flow = Flow {
                start: task.time,
                source,
                destination,
                size: task.message.size,
                tag: self.tag,
            };
            self.counts.add(1, Some(1));
            return Ok(Some(StartingFlows {
                flow,
                count: 1.0,
                task: Some(task),
            }));
        }
        let batch = self.batches.next().transpose()?;
        Ok(batch.map(|batch| {
            let pieces = batch.piece.first_of.map(|(_, pieces)| pieces);
            self.counts.add(batch.count, pieces);
            let flow = batch.piece.flow;
            let (source, destination) = self.nics.next(flow.source, flow.destination);
            StartingFlows {
                flow: Flow {
                    source,
                    destination,
                    ..flow
                },
                count: batch.count as f64,
                task: None,
            }
        }))
    }

    /// The flows that were drawn last.
    pub(super) fn take(&mut self) -> Option<StartingFlows> {
        self.head.take()
    }

    /// Adds drawn flows, with their reception by the fluid network.
    pub(super) fn add(&mut self, head: &StartingFlows, reception: &Reception, stop: Time) {
        let sum = &mut self.sum;
        let flow = &head.flow;
        let start = flow.start.as_ps() as f64;
        let largest_rtt = self.spec.largest_base_rtt().rtt.as_ps() as f64;
        let end = (reception.received + largest_rtt).min(stop.as_ps() as f64);
        sum.flows += head.count;
        sum.packets += head.count * packets_of(flow.size, self.spec.network().packets.mtu);
        sum.packet_hops += reception.packet_hops;
        sum.held_ps += reception.held_ps;
        sum.busy_ps += (end - sum.busy_until.max(start)).max(0.0);
        sum.busy_until = sum.busy_until.max(end);
        if reception.carried_ps > 0.0 {
            sum.bottlenecks.insert(reception.bottleneck);
            sum.carried_ps += reception.carried_ps;
        }
        if let (Some(tasks), Some(task)) = (&mut self.tasks, &head.task) {
            let rtt = self.spec.pair(flow.source, flow.destination).rtt;
            let after = |time: u64| Time::from_ps((reception.received + time as f64) as u64);
            tasks.takes(task, after(rtt.as_ps() / 2), after(rtt.as_ps()));
        }
    }

    /// Totals of the entry.
    pub(super) fn totals(mut self, stop: Time) -> Result<Totals, Diagnostic> {
        let waits = self.tasks.is_some();
        let (arrivals, last_start) = (self.arrivals, self.last_start);
        let is_cut = self.drawn == self.most && last_start < stop;
        let all = self.counts.rest(self.entry.expected_flows());
        let rest = match is_cut && self.draw()?.is_some() {
            true => all,
            false => 1.0,
        };
        let room = self.room(stop).max(1.0);
        // Only flows that start before the stop time count. Flows that wait for others start at the
        // pace at which others are received.
        let begin = self.begin.unwrap_or(Time::ZERO);
        let seen = last_start.saturating_sub(begin).as_ps() as f64;
        let until_stop = stop.saturating_sub(begin).as_ps() as f64;
        let larger = self.larger(rest);
        let starting = match seen > 0.0 {
            _ if waits => rest.min((room / larger).max(1.0)),
            true => rest.min((until_stop / seen).max(1.0)),
            false => rest,
        };
        let scale = match arrivals {
            Some(_) => starting,
            None => (starting * larger).min(room).max(1.0),
        };
        let drained = Time::from_ps(self.sum.busy_until as u64);
        let after = drained.saturating_sub(last_start);
        let end = match arrivals {
            Some((_, last)) if scale > 1.0 => last + after,
            _ => Time::from_ps((drained.as_ps() as f64 * scale) as u64),
        };
        // If all flows start at the beginning, each waits for all others.
        let (waiting, at_once) = match arrivals.is_some() || waits {
            true => (1.0, 1.0),
            false => {
                let rest = after.as_ps() as f64 / drained.as_ps().max(1) as f64;
                (1.0 + (scale - 1.0) * rest, starting)
            }
        };
        Ok(Totals {
            flows: self.sum.flows,
            packet_hops: self.sum.packet_hops,
            held_ps: self.sum.held_ps,
            busy_ps: self.sum.busy_ps,
            starting,
            scale,
            waiting,
            at_once,
            end: end.min(stop),
        })
    }

    /// The mean number of packets of all messages of a task graph over that of the drawn messages;
    /// 1 if all were drawn. `rest`: the number of all messages over that of the drawn ones.
    fn larger(&self, rest: f64) -> f64 {
        match &self.tasks {
            Some(tasks) if rest > 1.0 => {
                let mean = tasks.mean_packets(self.spec.network().packets.mtu);
                mean * self.sum.flows / self.sum.packets.max(1.0)
            }
            _ => 1.0,
        }
    }

    /// Data that the bottlenecks can carry until the stop time, over the data that they have
    /// carried.
    fn room(&self, stop: Time) -> f64 {
        let bottlenecks = self.sum.bottlenecks.len() as f64;
        bottlenecks * stop.as_ps() as f64 / self.sum.carried_ps.max(1.0)
    }
}

/// Numbers of flows and messages that have been drawn of an entry.
#[derive(Default)]
struct Counts {
    flows: f64,
    /// Messages that have begun, and the number of all their pieces. Without an attack, each
    /// message is one piece.
    messages: f64,
    pieces: f64,
}

impl Counts {
    /// Adds flows; `pieces` is given with the first flow of a message, and has the message's number
    /// of pieces.
    fn add(&mut self, flows: u64, pieces: Option<u64>) {
        self.flows += flows as f64;
        if let Some(pieces) = pieces {
            self.messages += 1.0;
            self.pieces += pieces as f64;
        }
    }

    /// Flows of `messages` messages, over flows drawn so far.
    fn rest(&self, messages: f64) -> f64 {
        let flows = messages * self.pieces / self.messages.max(1.0);
        (flows / self.flows.max(1.0)).max(1.0)
    }
}
