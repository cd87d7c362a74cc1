//! `[[work]]`: what the members of a group do.

use incast_diagnostic::Diagnostic;
use incast_fabric::FabricShape;
use incast_fabric::{
    Collective, CollectiveKind, EqualWork, Group, OperationKind, RandomSets, Script, Work, WorkKind,
};
use incast_units::Bytes;
use serde::{Deserialize, Serialize};

/// A kind of work.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WorkName {
    /// Read reductions, each followed by a multicast write.
    Transactions,
    /// Read reductions.
    Reads,
    /// Multicast writes.
    Writes,
    /// Sets of random size and kind, with pauses: Random-Multicast.
    RandomSets,
    /// The same, every other set unicast: Multicast-Uni.
    RandomSetsAndUnicast,
    AllReduce,
    ReduceScatter,
    AllGather,
    Broadcast,
}

impl WorkName {
    fn collective(self) -> Option<CollectiveKind> {
        match self {
            Self::AllReduce => Some(CollectiveKind::AllReduce),
            Self::ReduceScatter => Some(CollectiveKind::ReduceScatter),
            Self::AllGather => Some(CollectiveKind::AllGather),
            Self::Broadcast => Some(CollectiveKind::Broadcast),
            _ => None,
        }
    }

    fn equal(self) -> Option<WorkKind> {
        match self {
            Self::Transactions => Some(WorkKind::Transaction),
            Self::Reads => Some(WorkKind::Single(OperationKind::ReadReduction)),
            Self::Writes => Some(WorkKind::Single(OperationKind::WriteMulticast)),
            _ => None,
        }
    }
}

/// `[[work]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkSection {
    kind: WorkName,
    /// Number of the `[[group]]`.
    #[serde(default)]
    pub(super) group: u16,
    /// Members that initiate operations, the first ones; all if left out.
    initiators: Option<u16>,
    /// Operations or transactions of each initiator.
    count: Option<u32>,
    /// Data of a collective.
    size: Option<Bytes>,
    /// The first cycle.
    #[serde(default)]
    start: u64,
    /// Starts are uniform in so many cycles.
    #[serde(default)]
    spread: u64,
}

impl WorkSection {
    /// The collective that this is, if it is one.
    pub(super) fn collective(&self) -> Option<Collective> {
        Some(Collective {
            kind: self.kind.collective()?,
            group: self.group,
            bytes: self.size.unwrap_or(Bytes::ZERO).as_u64(),
            start: self.start,
        })
    }

    /// A script for each endpoint.
    pub(super) fn scripts(
        &self,
        shape: &FabricShape,
        groups: &[Group],
        seed: u64,
    ) -> Result<Vec<Script>, Diagnostic> {
        let Some(group) = groups.get(usize::from(self.group)) else {
            let what = format!("there is no group {}", self.group);
            let hint = format!(
                "groups are 0 to {}, in the order of [[group]]",
                groups.len() - 1
            );
            return Err(Diagnostic::new(what, hint).at("group"));
        };
        self.check_keys()?;
        let members = group.members().len();
        if let Some(initiators) = self.initiators
            && usize::from(initiators) > members
        {
            let what = format!("{initiators} initiators in a group of {members}");
            return Err(Diagnostic::new(what, "write at most that").at("initiators"));
        }
        if let Some(collective) = self.collective() {
            return collective.scripts(shape, group);
        }
        let Some(kind) = self.kind.equal() else {
            let sets = match self.kind {
                WorkName::RandomSets => RandomSets::random_multicast(),
                _ => RandomSets::multicast_unicast(),
            };
            return Ok(sets.scripts(shape, self.group, group, seed));
        };
        let count = self.count.unwrap_or_default();
        if count == 0 {
            let diagnostic = Diagnostic::new("no operations", "write e.g. count = 128");
            return Err(diagnostic.at("count"));
        }
        let equal = EqualWork {
            work: Work::new(kind, self.group, count),
            initiators: self.initiators.unwrap_or(members as u16),
            start: self.start,
            spread: self.spread,
        };
        Ok(equal.scripts(shape, group, seed))
    }

    /// Keys that this kind of work does not have are mistakes.
    fn check_keys(&self) -> Result<(), Diagnostic> {
        let (equal, collective) = (
            self.kind.equal().is_some(),
            self.kind.collective().is_some(),
        );
        let wrong = [
            ("initiators", self.initiators.is_some() && !equal),
            ("count", self.count.is_some() && !equal),
            ("spread", self.spread > 0 && !equal),
            ("start", self.start > 0 && !equal && !collective),
            ("size", self.size.is_some() && !collective),
        ];
        match wrong.iter().find(|(_, wrong)| *wrong) {
            None => Ok(()),
            Some((key, _)) => {
                let diagnostic = Diagnostic::new("this kind of work has no such key", "remove it");
                Err(diagnostic.at(key))
            }
        }
    }
}
