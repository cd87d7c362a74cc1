//! The outcome of each fault in a run, from the logs of the nodes.

use incast_units::{FlowId, Time};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::FaultPlan;
use crate::measure::{FaultLog, FaultOutcome, FaultRecord, UnfinishedFlow};

impl FaultPlan {
    /// The record of a run that ended at `end`; `waiting` are pairs of a fault and a flow that has
    /// not recovered from it.
    pub(crate) fn record(
        &self,
        log: FaultLog,
        waiting: &FxHashSet<(u32, u32)>,
        unfinished: &[UnfinishedFlow],
        end: Time,
    ) -> FaultRecord {
        let mut faults: Vec<FaultOutcome> = (0..)
            .zip(self.faults())
            .map(|(number, _)| log.outcomes.get(&number).cloned().unwrap_or_default())
            .collect();
        let alive = |flow: u32| {
            let place = unfinished.binary_search_by_key(&flow, |each| each.flow.id.0);
            place.ok().map(|place| &unfinished[place].flow)
        };
        // A flow that started after its hosts were cut off for good has lost no packet, but is
        // lost.
        let is_lost = |flow: u32| {
            alive(flow)
                .is_some_and(|flow| !self.are_connected_in_the_end(flow.source, flow.destination))
        };
        let recovery = |fault: u32, flow: u32| {
            let over = self.over_at(fault);
            match log.recovered.get(&(fault, flow)) {
                Some(&at) => Some(at),
                None if waiting.contains(&(fault, flow)) => None,
                None if end < over && alive(flow).is_some() => None,
                None if self.is_for_good(fault) && is_lost(flow) => None,
                // The flow had nothing in flight when the fault was over, or had completed.
                None => Some(over.min(end)),
            }
        };
        let mut latest: FxHashMap<u32, Option<Time>> = FxHashMap::default();
        for &(fault, flow) in &log.affected {
            faults[fault as usize].flows += 1;
            if self.fails(fault) {
                let at = recovery(fault, flow);
                let all = latest.entry(fault).or_insert(Some(Time::ZERO));
                *all = all.zip(at).map(|(one, other)| one.max(other));
            }
        }
        for (fault, at) in latest {
            faults[fault as usize].recovered = at;
        }
        FaultRecord {
            ports: log.ports.into_iter().collect(),
            flows: log
                .flows
                .into_iter()
                .map(|(flow, losses)| (FlowId(flow), losses))
                .collect(),
            faults,
            arrived_at_hosts: log.arrived_at_hosts,
            arrived_at_switches: log.arrived_at_switches,
        }
    }
}
