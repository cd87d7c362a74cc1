//! The workloads of the 3CPO evaluation (§6.1.4, §6.3), as scripts.

use incast_random::{RandomStream, TrafficPurpose, TrafficStreams};

use crate::group::Group;
use crate::packet::{Cycle, OperationKind};
use crate::shape::FabricShape;
use crate::work::{Script, StepStart, Work, WorkKind, WorkStep};

/// Sets of operations in random order: the sizes of sets and the pauses between them are random.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RandomSets {
    /// Number of sets for each endpoint.
    pub sets: u32,
    /// Smallest and largest number of operations in a set.
    pub size: [u32; 2],
    /// Shortest and longest pause between sets, in cycles.
    pub pause: [Cycle; 2],
    /// If given, every other set has unicast operations to one endpoint, this many times as many.
    pub unicast_factor: Option<u32>,
}

impl RandomSets {
    /// Random-Multicast (§6.3.4).
    pub fn random_multicast() -> Self {
        Self {
            sets: 10,
            size: [64, 256],
            pause: [5_000, 10_000],
            unicast_factor: None,
        }
    }

    /// Multicast-Uni (§6.3.4).
    pub fn multicast_unicast() -> Self {
        Self {
            unicast_factor: Some(5),
            ..Self::random_multicast()
        }
    }

    /// A script for each endpoint of the fabric. Only members of `group` have work; `number` is the
    /// group's number.
    pub fn scripts(
        &self,
        shape: &FabricShape,
        number: u16,
        group: &Group,
        seed: u64,
    ) -> Vec<Script> {
        let streams = TrafficStreams { seed, tag: number };
        let script = |endpoint: u16| {
            if !group.has(endpoint) {
                return Script::default();
            }
            let mut random = streams.of_host(endpoint.into(), TrafficPurpose::Choice);
            let steps =
                (0..self.sets).map(|set| self.step(set, endpoint, number, group, &mut random));
            Script {
                steps: steps.collect(),
            }
        };
        (0..shape.endpoints()).map(script).collect()
    }

    fn step(
        &self,
        set: u32,
        endpoint: u16,
        number: u16,
        group: &Group,
        random: &mut RandomStream,
    ) -> WorkStep {
        let start = match set {
            0 => StepStart::At(0),
            _ => StepStart::After(between(random, self.pause)),
        };
        let [least, most] = self.size;
        let size = between(random, [least.into(), most.into()]) as u32;
        let work = match self.unicast_factor {
            Some(factor) if set.is_multiple_of(2) => {
                let target = other_member(group, endpoint, random);
                let kinds = [OperationKind::Read, OperationKind::Write];
                random_operations(random, kinds, target, size * factor)
            }
            _ => {
                let kinds = [OperationKind::ReadReduction, OperationKind::WriteMulticast];
                random_operations(random, kinds, number, size)
            }
        };
        WorkStep { start, work }
    }
}

fn between(random: &mut RandomStream, [least, most]: [u64; 2]) -> u64 {
    least + random.below(most - least + 1)
}

/// Another member; all have the same probability.
fn other_member(group: &Group, endpoint: u16, random: &mut RandomStream) -> u16 {
    let others = group.members().len() as u64 - 1;
    let place = random.below(others) as usize;
    let mut others = group.members().iter().filter(|&&member| member != endpoint);
    others.nth(place).copied().unwrap_or(endpoint)
}

/// `count` operations, each of one of two kinds with equal probability. Equal neighbours are
/// merged.
fn random_operations(
    random: &mut RandomStream,
    kinds: [OperationKind; 2],
    target: u16,
    count: u32,
) -> Vec<Work> {
    let mut work: Vec<Work> = Vec::new();
    for _ in 0..count {
        let kind = WorkKind::Single(kinds[random.below(2) as usize]);
        match work.last_mut() {
            Some(last) if last.kind == kind => last.count += 1,
            _ => work.push(Work::new(kind, target, 1)),
        }
    }
    work
}

/// Equal work for the first members of a group, started at random times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EqualWork {
    /// The operations of each initiator.
    pub work: Work,
    /// Number of members that initiate operations, the first of the group.
    pub initiators: u16,
    /// Earliest cycle of a start.
    pub start: Cycle,
    /// Starts are uniform in this many cycles.
    pub spread: Cycle,
}

impl EqualWork {
    /// A script for each endpoint of the fabric.
    pub fn scripts(&self, shape: &FabricShape, group: &Group, seed: u64) -> Vec<Script> {
        let mut scripts = vec![Script::default(); shape.endpoints().into()];
        let tag = self.work.target;
        let streams = TrafficStreams { seed, tag };
        for &member in group.members().iter().take(self.initiators.into()) {
            let mut random = streams.of_host(member.into(), TrafficPurpose::Jitter);
            let start = self.start + random.below(self.spread);
            scripts[usize::from(member)] = Script::once(start, self.work);
        }
        scripts
    }
}

/// Uniform random traffic: members send unicast operations to random other members.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UniformUnicast {
    /// Reads or writes.
    pub kind: OperationKind,
    /// Number of operations of each initiator.
    pub count: u32,
    /// Number of members that initiate operations, the first of the group.
    pub initiators: u16,
    /// When they start.
    pub start: Cycle,
}

impl UniformUnicast {
    /// A script for each endpoint of the fabric.
    pub fn scripts(&self, shape: &FabricShape, group: &Group, seed: u64) -> Vec<Script> {
        let mut scripts = vec![Script::default(); shape.endpoints().into()];
        let streams = TrafficStreams { seed, tag: 0 };
        let kind = WorkKind::Single(self.kind);
        for &member in group.members().iter().take(self.initiators.into()) {
            let mut random = streams.of_host(member.into(), TrafficPurpose::Choice);
            let mut one = || Work::new(kind, other_member(group, member, &mut random), 1);
            let work = (0..self.count).map(|_| one()).collect();
            let start = StepStart::At(self.start);
            scripts[usize::from(member)].steps = vec![WorkStep { start, work }];
        }
        scripts
    }
}

/// Two random groups, each half of the fabric (§6.3.5).
///
/// # Panics
/// If the fabric has fewer than 4 endpoints.
pub fn random_halves(shape: &FabricShape, seed: u64) -> [Group; 2] {
    let mut endpoints: Vec<u16> = (0..shape.endpoints()).collect();
    let streams = TrafficStreams { seed, tag: 0 };
    streams
        .of_entry(TrafficPurpose::Choice)
        .shuffle(&mut endpoints);
    let (one, other) = endpoints.split_at(endpoints.len() / 2);
    [one, other].map(|members| Group::new(shape, members).expect("at least 4 endpoints"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> (FabricShape, Group) {
        let shape = FabricShape::fat_tree(128).unwrap();
        (shape, Group::all(&shape).unwrap())
    }

    /// 128 endpoints · 10 sets of 64 to 256 operations are 1280 sets of mean 160 and standard
    /// deviation √((193² − 1)/12) = 55.7. The standard deviation of the mean is 55.7/√1280 = 1.56;
    /// five of them are 7.8.
    #[test]
    fn random_multicast_has_ten_sets_of_64_to_256() {
        let (shape, group) = all();
        let scripts = RandomSets::random_multicast().scripts(&shape, 0, &group, 1);
        let sizes = scripts.iter().flat_map(|script| &script.steps);
        let sizes: Vec<u32> = sizes
            .map(|step| step.work.iter().map(|work| work.count).sum())
            .collect();
        assert_eq!(sizes.len(), 1280);
        assert!(sizes.iter().all(|size| (64..=256).contains(size)));
        let mean = f64::from(sizes.iter().sum::<u32>()) / 1280.0;
        assert!((mean - 160.0).abs() < 7.8, "{mean}");
        let reads = scripts.iter().flat_map(|script| &script.steps);
        let reads = reads
            .flat_map(|step| &step.work)
            .filter(|work| work.kind == WorkKind::Single(OperationKind::ReadReduction));
        let reads = f64::from(reads.map(|work| work.count).sum::<u32>());
        let share = reads / f64::from(sizes.iter().sum::<u32>());
        assert!((share - 0.5).abs() < 0.01, "{share}");
        for step in scripts.iter().flat_map(|script| &script.steps[1..]) {
            assert!(matches!(step.start, StepStart::After(5_000..=10_000)));
        }
    }

    /// Every other set is unicast, five times as large, to one other endpoint.
    #[test]
    fn multicast_unicast_alternates() {
        let (shape, group) = all();
        let scripts = RandomSets::multicast_unicast().scripts(&shape, 0, &group, 1);
        for (endpoint, script) in scripts.iter().enumerate() {
            for (set, step) in script.steps.iter().enumerate() {
                let unicast = |work: &Work| !work.first().kind.is_collective();
                assert!(step.work.iter().all(|work| unicast(work) == (set % 2 == 0)));
                if set % 2 == 0 {
                    let size: u32 = step.work.iter().map(|work| work.count).sum();
                    assert!((5 * 64..=5 * 256).contains(&size) && size.is_multiple_of(5));
                    let target = step.work[0].target;
                    assert!(step.work.iter().all(|work| work.target == target));
                    assert_ne!(usize::from(target), endpoint);
                }
            }
        }
    }

    #[test]
    fn initiators_are_the_first_members() {
        let shape = FabricShape::fat_tree(64).unwrap();
        let group = Group::new(&shape, &[5, 9, 20, 33]).unwrap();
        let work = EqualWork {
            work: Work::new(WorkKind::Transaction, 0, 7),
            initiators: 2,
            start: 100,
            spread: 50,
        };
        let scripts = work.scripts(&shape, &group, 1);
        let busy: Vec<_> = (0..64).filter(|&e| scripts[e].operations() > 0).collect();
        assert_eq!(busy, [5, 9]);
        let start = scripts[5].steps[0].start;
        assert!(matches!(start, StepStart::At(100..150)));
        assert_ne!(start, scripts[9].steps[0].start);
    }

    #[test]
    fn halves_share_no_member() {
        let shape = FabricShape::fat_tree(128).unwrap();
        let [one, other] = random_halves(&shape, 3);
        assert_eq!((one.members().len(), other.members().len()), (64, 64));
        assert!(one.members().iter().all(|&member| !other.has(member)));
        assert_ne!(random_halves(&shape, 4)[0], one);
    }
}
