//! All traffic of a scenario: the merged flows of its entries, under its attack.

use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::Time;

use crate::attack::{
    AttackContext, AttackSpec, Batch, BatchStream, PieceStream, Roles, ValidAttack, attacked,
    batches, whole,
};
use crate::diagnostics;
use crate::files::Files;
use crate::flow::FlowStream;
use crate::merge::merge;
use crate::network::Network;
use crate::tasks::TaskGraph;
use crate::traffic::{TrafficSpec, ValidTraffic};

/// All traffic of a scenario.
#[derive(Debug)]
pub struct Workload {
    network: Network,
    entries: Vec<ValidTraffic>,
    attack: Option<ValidAttack>,
    /// For each entry, whether the attack lays it over shuffled rings.
    shuffled: Vec<bool>,
}

impl Workload {
    /// Checks the entries of a scenario; an entry's tag is its index.
    ///
    /// # Errors
    /// The error of [`TrafficSpec::validate`] for the first wrong entry; keys begin with
    /// `traffic[i]`.
    pub fn new(
        entries: &[TrafficSpec],
        network: &Network,
        files: &Arc<dyn Files>,
    ) -> Result<Self, Diagnostic> {
        let valid = |(index, entry): (usize, &TrafficSpec)| {
            check_index(index)?;
            let place = format!("traffic[{index}]");
            entry.validate(network, files).at(place)
        };
        let valid: Result<_, _> = entries.iter().enumerate().map(valid).collect();
        Ok(Self {
            network: network.clone(),
            entries: valid?,
            attack: None,
            shuffled: vec![false; entries.len()],
        })
    }

    /// Puts the traffic under an attack; `tenants` has the tenant of each entry.
    ///
    /// # Errors
    /// Attackers that do not exist, and impossible parameters of the attack; keys begin with
    /// `attack`.
    pub fn under(
        mut self,
        attack: &AttackSpec,
        tenants: &[Option<String>],
        network: &Network,
    ) -> Result<Self, Diagnostic> {
        let entries = &self.entries;
        let context = AttackContext {
            network,
            tenants,
            entries,
        };
        let attack = attack.check(context).at("attack")?;
        for (index, entry) in self.entries.iter_mut().enumerate() {
            if attack.shuffles(entry, index) {
                self.shuffled[index] = entry.shuffle().at(format!("traffic[{index}]"))?;
            }
        }
        Ok(Self {
            attack: Some(attack),
            ..self
        })
    }

    /// The network that the entries were checked against.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// All flows of the run with this seed, in order of start, each with its message.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn pieces(&self, seed: u64) -> Result<PieceStream, Diagnostic> {
        let streams = (0..)
            .zip(&self.entries)
            .map(|(tag, entry)| entry.flows(seed, tag));
        let messages = merge(streams.collect::<Result<_, _>>()?);
        Ok(match &self.attack {
            Some(attack) => {
                let collectives = self.entries.iter();
                let collectives = collectives.map(|entry| entry.task_graph().is_some());
                attacked(messages, attack.begin(seed), collectives.collect())
            }
            None => whole(messages),
        })
    }

    /// The tags of entries whose messages the attack would cut, but leaves whole because they are
    /// tasks.
    pub fn left_whole(&self, seed: u64) -> Vec<u16> {
        let Some(attack) = self.attack.as_ref().map(|attack| attack.begin(seed)) else {
            return Vec::new();
        };
        let entries = (0..).zip(&self.entries).zip(&self.shuffled);
        let whole = entries.filter_map(|((tag, entry), shuffled)| {
            let graph = entry.task_graph().filter(|_| !shuffled)?;
            attack.would_cut(graph.as_ref(), tag).then_some(tag)
        });
        whole.collect()
    }

    /// The roles of flows in the run with this seed, if there is an attack.
    pub fn roles(&self, seed: u64) -> Option<Roles> {
        let attack = self.attack.as_ref()?;
        Some(Roles(attack.begin(seed)))
    }

    /// The task graphs, each with the tag of its entry.
    pub fn task_graphs(&self) -> impl Iterator<Item = (u16, Arc<dyn TaskGraph>)> {
        let numbered = (0..).zip(&self.entries);
        numbered.filter_map(|(tag, entry)| Some((tag, entry.task_graph()?)))
    }

    /// All flows of the run with this seed, in order of start.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn flows(&self, seed: u64) -> Result<FlowStream, Diagnostic> {
        let pieces = self.pieces(seed)?;
        Ok(Box::new(pieces.map(|piece| Ok(piece?.flow))))
    }

    /// Begin and end of arrivals of all open-loop entries, expected over seeds; `None` if no entry
    /// is open-loop.
    pub fn open_loop(&self) -> Option<(Time, Time)> {
        let spans = self.entries.iter().filter_map(ValidTraffic::open_loop);
        spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// The entries, in order.
    pub fn entries(&self) -> &[ValidTraffic] {
        &self.entries
    }

    /// Number of flows: exact, or the average over seeds. Under an attack, pieces are counted.
    /// Their number is estimated from the first messages of the run with this seed.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn expected_flows(&self, seed: u64) -> Result<f64, Diagnostic> {
        let attack = self.attack.as_ref().map(|attack| attack.begin(seed));
        let of_entry = |(tag, entry): (u16, &ValidTraffic)| match &attack {
            Some(attack) if entry.task_graph().is_none() => attack.expected_flows(entry, seed, tag),
            _ => Ok(entry.expected_flows()),
        };
        (0..).zip(&self.entries).map(of_entry).sum()
    }

    /// All flows of an entry in the run with this seed, in order of start, in batches where an
    /// attack makes many pieces. Empty for a task graph.
    ///
    /// # Errors
    /// If a flow file can no longer be read.
    pub fn batches(&self, seed: u64, tag: u16) -> Result<BatchStream, Diagnostic> {
        let entry = &self.entries[usize::from(tag)];
        let flows = entry.flows(seed, tag)?;
        Ok(match &self.attack {
            Some(attack) => batches(flows, attack.begin(seed)),
            None => {
                let pieces = whole(flows);
                Box::new(pieces.map(|piece| piece.map(Batch::single)))
            }
        })
    }
}

fn check_index(entry: usize) -> Result<(), Diagnostic> {
    match entry <= u16::MAX.into() {
        true => Ok(()),
        false => Err(diagnostics::too_many_entries(entry).at("traffic")),
    }
}

#[cfg(test)]
mod tests;
