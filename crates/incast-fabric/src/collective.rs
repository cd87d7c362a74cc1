//! Collectives built of multicast writes and read reductions, in chunks of at most 128 bytes.
//!
//! | collective of S bytes, n members | each member's operations |
//! |---|---|
//! | all-reduce | reads the reduction of its share, S/n, and writes the result to all |
//! | reduce-scatter | reads the reduction of its share |
//! | all-gather | writes its share to all |
//! | broadcast | the root writes all data to all |
//!
//! Bandwidths are those of nccl-tests (`PERFORMANCE.md`). The algorithm bandwidth is S over the
//! time. The bus bandwidth is the algorithm bandwidth times a factor: 2(n − 1)/n for an all-reduce,
//! (n − 1)/n for reduce-scatter and all-gather, 1 for a broadcast. Where endpoints reduce the data,
//! the bus bandwidth is at most the link's rate. An all-reduce in the network can exceed the link's
//! rate.

use incast_diagnostic::Diagnostic;
use incast_units::Bytes;

use crate::group::Group;
use crate::packet::{Cycle, FLIT_BYTES, MAX_PAYLOAD_FLITS, OperationKind};
use crate::shape::FabricShape;
use crate::work::{Script, StepStart, Work, WorkKind, WorkStep};

/// A collective.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Every member gets the sum of all members' data.
    AllReduce,
    /// Each member gets its share of the sum.
    ReduceScatter,
    /// Every member gets the shares of all members.
    AllGather,
    /// Every member gets the first member's data.
    Broadcast,
}

impl CollectiveKind {
    /// All kinds, in the order of tables.
    pub const ALL: [Self; 4] = [
        Self::AllReduce,
        Self::ReduceScatter,
        Self::AllGather,
        Self::Broadcast,
    ];

    /// The name in tables and scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllGather => "all-gather",
            Self::Broadcast => "broadcast",
        }
    }

    /// Ratio of bus bandwidth to algorithm bandwidth for `members` members.
    pub fn bus_factor(self, members: u64) -> f64 {
        let n = members as f64;
        match self {
            Self::AllReduce => 2.0 * (n - 1.0) / n,
            Self::ReduceScatter | Self::AllGather => (n - 1.0) / n,
            Self::Broadcast => 1.0,
        }
    }

    fn work_kind(self) -> WorkKind {
        match self {
            Self::AllReduce => WorkKind::Transaction,
            Self::ReduceScatter => WorkKind::Single(OperationKind::ReadReduction),
            Self::AllGather | Self::Broadcast => WorkKind::Single(OperationKind::WriteMulticast),
        }
    }
}

/// Most bytes that one member may have as its share: 2³² − 1 packets.
const MAX_PART: u64 = u32::MAX as u64 * MAX_PAYLOAD_FLITS as u64 * FLIT_BYTES;

/// A collective operation of one group.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Which.
    pub kind: CollectiveKind,
    /// The group's number.
    pub group: u16,
    /// Data in bytes: each member's vector in an all-reduce, a reduce-scatter or a broadcast; each
    /// member's result in an all-gather.
    pub bytes: u64,
    /// When it starts.
    pub start: Cycle,
}

impl Collective {
    /// A script for each endpoint of the fabric.
    ///
    /// # Errors
    /// If there are no data, or a member's share has too many packets to count.
    pub fn scripts(&self, shape: &FabricShape, group: &Group) -> Result<Vec<Script>, Diagnostic> {
        if self.bytes == 0 {
            let diagnostic = Diagnostic::new("a collective of no data", "write e.g. `1MiB`");
            return Err(diagnostic.at("size"));
        }
        let members = group.members();
        let mut scripts = vec![Script::default(); shape.endpoints().into()];
        let parts = match self.kind {
            CollectiveKind::Broadcast => vec![self.bytes],
            _ => parts(self.bytes, members.len() as u64),
        };
        if let Some(&most) = parts.iter().max()
            && most > MAX_PART
        {
            let (most, limit) = (Bytes::new(most), Bytes::new(MAX_PART));
            let what = format!("a member would have {most} to send");
            let diagnostic = Diagnostic::new(what, format!("give at most {limit} to each"));
            return Err(diagnostic.at("size"));
        }
        for (&member, &bytes) in members.iter().zip(&parts) {
            scripts[usize::from(member)] = self.script(bytes);
        }
        Ok(scripts)
    }

    /// The operations for `bytes` bytes: full packets, then one with the rest.
    fn script(&self, bytes: u64) -> Script {
        let flits = bytes.div_ceil(FLIT_BYTES);
        let (full, rest) = (
            flits / u64::from(MAX_PAYLOAD_FLITS),
            flits % u64::from(MAX_PAYLOAD_FLITS),
        );
        let work = |data: u64, count: u64| Work {
            kind: self.kind.work_kind(),
            target: self.group,
            data: data as u8,
            count: count as u32,
        };
        let mut all = vec![work(MAX_PAYLOAD_FLITS.into(), full), work(rest, 1)];
        all.retain(|work| work.count > 0 && work.data > 0);
        let steps = if all.is_empty() {
            Vec::new()
        } else {
            vec![WorkStep {
                start: StepStart::At(self.start),
                work: all,
            }]
        };
        Script { steps }
    }
}

/// Splits `bytes` into shares that differ by at most one byte.
fn parts(bytes: u64, members: u64) -> Vec<u64> {
    let more = bytes % members;
    (0..members)
        .map(|part| bytes / members + u64::from(part < more))
        .collect()
}

/// A row of a table as nccl-tests print it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct CollectiveTiming {
    /// Which collective.
    pub kind: CollectiveKind,
    /// Data in bytes.
    pub bytes: u64,
    /// Cycles from the collective's start to its last completion.
    pub cycles: Cycle,
    /// Duration of the collective, in seconds.
    pub seconds: f64,
    /// Data over time, in bytes per second.
    pub algorithm_bandwidth: f64,
    /// Algorithm bandwidth times the bus factor.
    pub bus_bandwidth: f64,
}

impl CollectiveTiming {
    /// The timing of a collective that took `cycles` cycles of a clock of `hertz`.
    pub fn new(collective: &Collective, members: u64, cycles: Cycle, hertz: f64) -> Self {
        let seconds = cycles as f64 / hertz;
        let algorithm_bandwidth = collective.bytes as f64 / seconds;
        Self {
            kind: collective.kind,
            bytes: collective.bytes,
            cycles,
            seconds,
            algorithm_bandwidth,
            bus_bandwidth: algorithm_bandwidth * collective.kind.bus_factor(members),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collective(kind: CollectiveKind, bytes: u64) -> Collective {
        Collective {
            kind,
            group: 0,
            bytes,
            start: 0,
        }
    }

    /// 64 members share 64 KiB + 100 bytes: 1024 bytes and 1 more for each; the first 36 get
    /// another byte. 1025 or 1026 bytes are 65 flits: 8 packets of 8 flits and one of 1.
    #[test]
    fn data_are_cut_into_packets() {
        let shape = FabricShape::fat_tree(64).unwrap();
        let group = Group::all(&shape).unwrap();
        let scripts = |kind, bytes| collective(kind, bytes).scripts(&shape, &group).unwrap();
        let reduce = scripts(CollectiveKind::AllReduce, 65_636);
        for script in &reduce {
            let work = &script.steps[0].work;
            let shape: Vec<_> = work.iter().map(|w| (w.data, w.count, w.kind)).collect();
            assert_eq!(
                shape,
                [(8, 8, WorkKind::Transaction), (1, 1, WorkKind::Transaction)]
            );
        }
        let broadcast = scripts(CollectiveKind::Broadcast, 1 << 20);
        assert_eq!(broadcast[0].operations(), (1 << 20) / 128);
        assert!(broadcast[1..].iter().all(|script| script.steps.is_empty()));
        let tiny = scripts(CollectiveKind::AllGather, 3);
        let busy = tiny.iter().filter(|script| script.operations() > 0).count();
        assert_eq!(busy, 3);
        let none = collective(CollectiveKind::AllReduce, 0).scripts(&shape, &group);
        assert_eq!(
            none.unwrap_err().to_string(),
            "size: a collective of no data; write e.g. `1MiB`"
        );
        let largest = scripts(CollectiveKind::Broadcast, MAX_PART);
        assert_eq!(largest[0].operations(), u64::from(u32::MAX));
        let larger = collective(CollectiveKind::Broadcast, MAX_PART + 1).scripts(&shape, &group);
        assert_eq!(
            larger.unwrap_err().to_string(),
            "size: a member would have 549755813761B to send; give at most 549755813760B to each"
        );
    }

    /// 1 MiB in 65 536 cycles at 1 GHz is 16 bytes per cycle, 16 GB/s. Among 64 members the bus
    /// bandwidth of an all-reduce is 2·63/64 times 16 GB/s: 31.5 GB/s.
    #[test]
    fn bandwidths_are_those_of_nccl_tests() {
        let reduce = collective(CollectiveKind::AllReduce, 1 << 20);
        let row = CollectiveTiming::new(&reduce, 64, 65_536, 1e9);
        assert!((row.algorithm_bandwidth - 16e9).abs() < 1.0);
        assert!((row.bus_bandwidth - 31.5e9).abs() < 1.0);
        assert_eq!(CollectiveKind::AllGather.bus_factor(4), 0.75);
        assert_eq!(CollectiveKind::Broadcast.bus_factor(4), 1.0);
    }
}
