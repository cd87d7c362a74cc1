//! A run without packets: links carry flows at their rates, and nothing else takes time.

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
    /// For each flow, the most of its packets that links hold, and for how long; summed.
    pub(super) held_ps: f64,
    /// Packets, and ACKs, that links hold at once: in the mean over busy time, or those that
    /// flows send before they hear of what is beyond, if that is more.
    pub(super) on_links: f64,
    /// Packets that wait at switches, because nothing holds their senders back.
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
            // An entry that is drawn in part goes on as it began.
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

    /// The part of the run until a moment, as if it were alike all the time.
    pub(super) fn share_until(&self, moment: Time) -> f64 {
        let end = self.end.as_ps().max(1);
        moment.min(self.end).as_ps() as f64 / end as f64
    }
}

/// Draws the first flows of all entries in order of start, as they meet each other.
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
