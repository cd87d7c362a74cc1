//! `[[work]]`: the operations of a group's members.

use incast_diagnostic::Diagnostic;
use incast_fabric::FabricShape;
use incast_fabric::{
    Collective, CollectiveKind, EqualWork, Group, MAX_PAYLOAD_FLITS, OperationKind, RandomSets,
    Script, UniformUnicast, Work, WorkKind,
};
use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of work.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WorkName {
    /// Read reductions, each followed by a multicast write.
    Transactions,
    /// Read reductions.
    Reads,
    /// Multicast writes.
    Writes,
    /// Unicast reads, each of another member at random.
    UniformReads,
    /// Unicast writes, each to another member at random.
    UniformWrites,
    /// Sets of random size and kind, with pauses: Random-Multicast.
    RandomSets,
    /// Random sets, every other set unicast: Multicast-Uni.
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

    fn uniform(self) -> Option<OperationKind> {
        match self {
            Self::UniformReads => Some(OperationKind::Read),
            Self::UniformWrites => Some(OperationKind::Write),
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Work")]
pub(super) struct WorkSection {
    /// The kind of operations.
    kind: WorkName,
    /// Number of the `[[group]]`.
    #[serde(default)]
    pub(super) group: u16,
    /// Number of members that initiate operations, from the first on; all if left out.
    initiators: Option<u16>,
    /// Members that initiate operations, by endpoint, in place of `initiators`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    members: Option<Vec<u16>>,
    /// Flits of data of each operation, 1 to 8. Default: 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<u8>,
    /// Number of operations or transactions of each initiator.
    count: Option<u32>,
    /// Size of the data of a collective.
    size: Option<Bytes>,
    /// The cycle in which the work begins.
    #[serde(default)]
    start: u64,
    /// Number of cycles over which starts are uniformly distributed.
    #[serde(default)]
    spread: u64,
}

/// The latest start: ready times of stored packets have 44 bits, and half of their range is for
/// starts.
const LATEST: u64 = 1 << 42;

impl WorkSection {
    /// The collective, if the work is one.
    pub(super) fn collective(&self) -> Option<Collective> {
        Some(Collective {
            kind: self.kind.collective()?,
            group: self.group,
            bytes: self.size.unwrap_or(Bytes::ZERO).as_u64(),
            start: self.start,
        })
    }

    /// A script for each endpoint with work.
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
        self.check_times()?;
        self.check_members(group)?;
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
        let sets = match self.kind {
            WorkName::RandomSets => Some(RandomSets::random_multicast()),
            WorkName::RandomSetsAndUnicast => Some(RandomSets::multicast_unicast()),
            _ => None,
        };
        if let Some(sets) = sets {
            return Ok(sets.scripts(shape, self.group, group, seed));
        }
        let count = self.count.unwrap_or_default();
        if count == 0 {
            let diagnostic = Diagnostic::new("no operations", "write e.g. count = 128");
            return Err(diagnostic.at("count"));
        }
        let initiators = self.initiators.unwrap_or(members as u16);
        if let Some(kind) = self.kind.uniform() {
            let uniform = UniformUnicast {
                kind,
                count,
                initiators,
                start: self.start,
            };
            return Ok(uniform.scripts(shape, group, seed));
        }
        self.equal_scripts(initiators, count, shape, group, seed)
    }

    /// Equal scripts for transactions, reads and writes.
    fn equal_scripts(
        &self,
        initiators: u16,
        count: u32,
        shape: &FabricShape,
        group: &Group,
        seed: u64,
    ) -> Result<Vec<Script>, Diagnostic> {
        let kind = self.kind.equal().unwrap_or(WorkKind::Transaction);
        let mut work = Work::new(kind, self.group, count);
        work.data = self.payload.unwrap_or(work.data);
        if !(1..=MAX_PAYLOAD_FLITS).contains(&work.data) {
            let what = format!("{} flits of data", work.data);
            return Err(Diagnostic::new(what, "write 1 to 8").at("payload"));
        }
        let equal = EqualWork {
            work,
            initiators,
            start: self.start,
            spread: self.spread,
        };
        let mut scripts = equal.scripts(shape, group, seed);
        if let Some(members) = &self.members {
            for (endpoint, script) in (0_u16..).zip(&mut scripts) {
                if !members.contains(&endpoint) {
                    *script = Script::default();
                }
            }
        }
        Ok(scripts)
    }

    /// Checks that the initiators belong to the group.
    fn check_members(&self, group: &Group) -> Result<(), Diagnostic> {
        if self.members.is_some() && self.initiators.is_some() {
            let diagnostic = Diagnostic::new(
                "initiators are given twice",
                "write `members` or `initiators`",
            );
            return Err(diagnostic.at("members"));
        }
        let members = self.members.iter().flatten();
        match members.copied().find(|&endpoint| !group.has(endpoint)) {
            None => Ok(()),
            Some(stranger) => {
                let what = format!("endpoint {stranger} is no member of group {}", self.group);
                let hint = "an initiator works with others of its group";
                Err(Diagnostic::new(what, hint).at("members"))
            }
        }
    }

    /// Checks that starts are not too late.
    fn check_times(&self) -> Result<(), Diagnostic> {
        let times = [("start", self.start), ("spread", self.spread)];
        match times.into_iter().find(|(_, cycles)| *cycles > LATEST) {
            None => Ok(()),
            Some((key, cycles)) => {
                let what = format!("{cycles} cycles are too late to simulate");
                let hint = format!("write at most {LATEST}, which is 2^42");
                Err(Diagnostic::new(what, hint).at(key))
            }
        }
    }

    /// Refuses keys that this kind of work does not have.
    fn check_keys(&self) -> Result<(), Diagnostic> {
        let equal = self.kind.equal().is_some();
        let collective = self.kind.collective().is_some();
        let counted = equal || self.kind.uniform().is_some();
        let wrong = [
            ("initiators", self.initiators.is_some() && !counted),
            ("members", self.members.is_some() && !equal),
            ("payload", self.payload.is_some() && !equal),
            ("count", self.count.is_some() && !counted),
            ("spread", self.spread > 0 && !equal),
            ("start", self.start > 0 && !counted && !collective),
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
