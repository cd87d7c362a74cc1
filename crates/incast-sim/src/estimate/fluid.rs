//! A run without packets: links carry flows at their rates, without other delays.

mod drawing;
mod network;
mod openings;
mod paths;
mod sharing;
mod starting_messages;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_units::Time;
use incast_workload::{TaskGraph, ValidTraffic};

use crate::spec::ValidSpec;
use drawing::{Drawing, Totals};
use network::{FluidNetwork, room_of_buffers};

/// Totals of the fluid run.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct FluidRun {
    /// Flows that start.
    pub(super) flows: f64,
    pub(super) packet_hops: f64,
    /// The end of the last flow, or the stop time.
    pub(super) end: Time,
    /// Time during which at least one flow is under way.
    pub(super) busy_ps: f64,
    /// Sum of the lifetimes of all flows.
    pub(super) lives_ps: f64,
    /// Mean number of flows under way, over busy time.
    pub(super) alive: f64,
    /// Sum over flows of the most packets of the flow on links, times their duration there.
    pub(super) held_ps: f64,
    /// Packets and ACKs on links at once: the mean over busy time, or the packets that new flows
    /// send before the first feedback, if these are more.
    pub(super) on_links: f64,
    /// The most packets queued at switches, by flows without congestion control.
    pub(super) queued: f64,
}

impl FluidRun {
    /// # Errors
    /// If a flow file can no longer be read.
    pub(super) fn of(spec: &ValidSpec) -> Result<Self, Diagnostic> {
        let stop = spec.stop().unwrap_or(Time::MAX);
        let mut network = FluidNetwork::new(spec, stop);
        let entries = spec.workload.entries().iter();
        let graphs: Vec<_> = entries.map(ValidTraffic::task_graph).collect();
        let drawings = draw(spec, &graphs, &mut network)?;
        let (queued, opening) = (network.queued(), network.openings.largest);
        let mut all = Self::default();
        let (mut longest, mut sum, mut at_once) = (0.0_f64, 0.0, 1.0_f64);
        for (drawing, lives) in drawings.into_iter().zip(network.links.end()) {
            let drawn = drawing.totals(stop)?;
            all.add(&drawn, lives);
            // The flows that are not drawn are assumed to continue like those that are.
            let span = (drawn.busy_ps * drawn.scale).min(drawn.end.as_ps() as f64);
            longest = longest.max(span);
            sum += span;
            at_once = at_once.max(drawn.at_once);
        }
        all.busy_ps = sum.min(all.end.as_ps() as f64).max(longest);
        all.alive = all.lives_ps / all.busy_ps.max(1.0);
        all.on_links = (all.held_ps / all.busy_ps.max(1.0)).max(opening * at_once);
        all.queued = (queued * at_once).min(room_of_buffers(spec));
        Ok(all)
    }

    fn add(&mut self, drawn: &Totals, lives_ps: f64) {
        self.flows += drawn.flows * drawn.starting;
        self.packet_hops += drawn.packet_hops * drawn.scale;
        self.lives_ps += lives_ps * drawn.starting * drawn.waiting;
        self.held_ps += drawn.held_ps * drawn.scale;
        self.end = self.end.max(drawn.end);
    }

    /// The fraction of the run until `moment`, if its load is constant.
    pub(super) fn share_until(&self, moment: Time) -> f64 {
        let end = self.end.as_ps().max(1);
        moment.min(self.end).as_ps() as f64 / end as f64
    }
}

/// Draws the first flows of all entries in order of start, so that flows of different entries share
/// links.
fn draw<'a>(
    spec: &'a ValidSpec,
    graphs: &'a [Option<Arc<dyn TaskGraph>>],
    network: &mut FluidNetwork,
) -> Result<Vec<Drawing<'a>>, Diagnostic> {
    let stop = spec.stop().unwrap_or(Time::MAX);
    let mut drawings = Vec::new();
    let mut heads = BinaryHeap::new();
    for (tag, graph) in (0..).zip(graphs) {
        let mut drawing = Drawing::new(spec, tag, graph.as_deref())?;
        heads.extend(drawing.next(stop)?.map(|start| Reverse((start, tag))));
        drawings.push(drawing);
    }
    while let Some(Reverse((_, tag))) = heads.pop() {
        let drawing = &mut drawings[usize::from(tag)];
        if let Some(head) = drawing.take() {
            let reception = network.add(&head.flow, head.count);
            drawing.add(&head, &reception, stop);
        }
        heads.extend(drawing.next(stop)?.map(|start| Reverse((start, tag))));
    }
    Ok(drawings)
}
