use std::collections::{HashMap, HashSet, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::rings::{Rings, orders};
use crate::tasks::{Actions, TaskEvent};

/// The data of one rank: for each byte, the ranks whose bytes it is the sum of.
type Buffer = Vec<HashSet<u32>>;

/// All ranks of a collective, and the chunks in flight with their data.
struct Play<'a> {
    plan: &'a CollectivePlan,
    ranks: Vec<Box<dyn RankProgress + 'a>>,
    buffers: Vec<Buffer>,
    /// Events to come, each with its rank.
    pending: VecDeque<(u32, TaskEvent)>,
    carried: HashMap<u64, Buffer>,
    sent: Vec<u64>,
    done: Vec<Vec<u64>>,
}

impl<'a> Play<'a> {
    fn new(plan: &'a CollectivePlan, buffers: Vec<Buffer>) -> Self {
        let count = plan.hosts().len() as u32;
        Self {
            plan,
            ranks: (0..count).map(|rank| plan.rank(rank)).collect(),
            buffers,
            pending: (0..count).map(|rank| (rank, TaskEvent::Begin)).collect(),
            carried: HashMap::new(),
            sent: Vec::new(),
            done: vec![Vec::new(); count as usize],
        }
    }

    /// Delivers events until none is left; `pick` chooses the next one.
    fn play(&mut self, mut pick: impl FnMut(usize) -> usize) {
        while !self.pending.is_empty() {
            let (rank, event) = self.pending.remove(pick(self.pending.len())).unwrap();
            if let TaskEvent::Received(number) = event {
                self.receive(number);
            }
            let mut actions = Actions::default();
            self.ranks[rank as usize].advance(event, &mut actions);
            for number in actions.sends {
                self.send(rank, number);
            }
            let computes = actions.computes.iter();
            self.pending
                .extend(computes.map(|(token, _)| (rank, TaskEvent::Computed(*token))));
            self.done[rank as usize].extend(actions.done);
        }
    }

    fn chunk(&self, number: u64) -> Chunk {
        self.plan
            .schedule
            .chunk(number % self.plan.schedule.chunks())
    }

    fn send(&mut self, rank: u32, number: u64) {
        let chunk = self.chunk(number);
        assert_eq!(chunk.from, rank, "chunk {number}");
        assert_ne!(chunk.from, chunk.to);
        let Segment { offset, size } = chunk.segment;
        let range = offset as usize..(offset + size) as usize;
        let buffer = self.buffers[rank as usize][range].to_vec();
        assert!(
            self.carried.insert(number, buffer).is_none(),
            "{number} twice"
        );
        self.sent.push(number);
        self.pending
            .push_back((chunk.to, TaskEvent::Received(number)));
        self.pending
            .push_back((rank, TaskEvent::Acknowledged(number)));
    }

    /// Adds data to the buffer when they arrive. If a rank used them before its receive, the result
    /// would be wrong.
    fn receive(&mut self, number: u64) {
        let chunk = self.chunk(number);
        let offset = chunk.segment.offset as usize;
        let own = &mut self.buffers[chunk.to as usize];
        for (place, from) in self.carried[&number].iter().enumerate() {
            let byte = &mut own[offset + place];
            match chunk.effect {
                Effect::Add => {
                    assert!(byte.is_disjoint(from), "chunk {number} is added twice");
                    byte.extend(from);
                }
                Effect::Replace => *byte = from.clone(),
            }
        }
    }
}

/// Every rank has its own data.
fn own(ranks: u32, size: u64) -> Vec<Buffer> {
    let buffer = |rank| vec![HashSet::from([rank]); size as usize];
    (0..ranks).map(buffer).collect()
}

fn plan_of(
    ranks: u32,
    operation: CollectiveOperation,
    data: u64,
    schedule: impl Schedule + 'static,
    timing: RoundTiming,
) -> CollectivePlan {
    let hosts = (0..ranks).map(|rank| HostId(100 + rank)).collect();
    CollectivePlan::new(
        hosts,
        operation,
        Bytes::new(data),
        Arc::new(schedule),
        timing,
    )
}

fn segment(data: u64) -> Segment {
    Segment::all_of(Bytes::new(data))
}

/// A collective with random parameters, `which` selects operation and algorithm.
#[derive(Clone, Debug)]
struct Drawn {
    ranks: u32,
    data: u64,
    chunk: u64,
    rings: u32,
    in_turn: bool,
    root: u32,
    which: u32,
    channels: u64,
}

/// The first `rings` rings over the ranks, or all, if there are fewer.
fn rings_of(drawn: &Drawn) -> Vec<Vec<u32>> {
    let most = Rings::count_of(drawn.ranks).min(drawn.rings);
    orders(drawn.ranks, most)
}

impl Drawn {
    fn plan(&self, timing: RoundTiming) -> CollectivePlan {
        let all = segment(self.data);
        let part = |channel| self.channel(all.part(channel, self.channels));
        let (ranks, operation, first) = part(0);
        let schedule = match self.channels {
            1 => first,
            channels => Arc::new(Channels::new(
                (0..channels).map(|each| part(each).2).collect(),
            )),
        };
        let hosts = (0..ranks).map(|rank| HostId(100 + rank)).collect();
        CollectivePlan::new(hosts, operation, Bytes::new(self.data), schedule, timing)
    }

    /// Number of ranks, operation and schedule for a part of the data.
    fn channel(&self, all: Segment) -> (u32, CollectiveOperation, Arc<dyn Schedule>) {
        use CollectiveOperation::*;
        let (ranks, chunk, root) = (self.ranks, self.chunk, self.root % self.ranks);
        let powers = ranks.next_power_of_two();
        let ring = |kind| -> Arc<dyn Schedule> {
            let order = if self.in_turn {
                SendOrder::InTurn
            } else {
                SendOrder::Together
            };
            let ring = Ring::new(kind, rings_of(self), all).cut(chunk);
            Arc::new(ring.in_order(order))
        };
        let tree = |kind| -> Arc<dyn Schedule> {
            Arc::new(DoubleTree::new(kind, ranks, root, all, chunk))
        };
        let direct = |kind| -> Arc<dyn Schedule> { Arc::new(Direct::new(kind, ranks, all)) };
        let halving =
            |kind| -> Arc<dyn Schedule> { Arc::new(HalvingDoubling::new(kind, powers, all)) };
        match self.which % 14 {
            0 => (ranks, AllReduce, ring(RingKind::AllReduce)),
            1 => (ranks, ReduceScatter, ring(RingKind::ReduceScatter)),
            2 => (ranks, AllGather, ring(RingKind::AllGather)),
            3 => (ranks, AllReduce, tree(TreeKind::AllReduce)),
            4 => (ranks, Broadcast, tree(TreeKind::Broadcast)),
            5 => (ranks, Reduce, tree(TreeKind::Reduce)),
            6 => (ranks, AllReduce, direct(DirectKind::AllReduce)),
            7 => (ranks, ReduceScatter, direct(DirectKind::ReduceScatter)),
            8 => (ranks, AllGather, direct(DirectKind::AllGather)),
            9 => (powers, AllReduce, halving(HalvingDoublingKind::AllReduce)),
            10 => (
                powers,
                ReduceScatter,
                halving(HalvingDoublingKind::ReduceScatter),
            ),
            11 => (powers, AllGather, halving(HalvingDoublingKind::AllGather)),
            12 => {
                let chain = Chain::new(ranks, root, all, chunk, self.in_turn);
                let operation = if self.in_turn { Reduce } else { Broadcast };
                (ranks, operation, Arc::new(chain))
            }
            _ => {
                let size = 2 + self.root % 4;
                let ranks = size * ranks.max(2);
                let hierarchical = Hierarchical::new(ranks, size, all);
                (ranks, AllReduce, Arc::new(hierarchical))
            }
        }
    }

    /// The bytes that a rank has before an all-gather, or after a reduce-scatter.
    fn shard(&self, plan: &CollectivePlan, rank: u32) -> Vec<u64> {
        let all = segment(self.data);
        let parts = (0..self.channels).map(|channel| all.part(channel, self.channels));
        parts
            .flat_map(|part| self.shard_of_channel(plan, rank, part))
            .collect()
    }

    fn shard_of_channel(&self, plan: &CollectivePlan, rank: u32, all: Segment) -> Vec<u64> {
        let ranks = plan.hosts.len() as u64;
        let bytes = |segment: Segment| segment.offset..segment.offset + segment.size;
        if !matches!(self.which % 14, 1 | 2) {
            return bytes(all.part(rank.into(), ranks)).collect();
        }
        let rings = rings_of(self);
        let share = all.size.div_ceil(rings.len() as u64);
        let loops = share.div_ceil(ranks * self.chunk).max(1);
        let mut shard = Vec::new();
        for (number, ring) in (0..).zip(&rings) {
            let place = ring.iter().position(|other| *other == rank).unwrap();
            let share = all.part(number, rings.len() as u64);
            let parts = (0..loops).map(|part| share.part(part, loops).part(place as u64, ranks));
            shard.extend(parts.flat_map(bytes));
        }
        shard
    }
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (
        2_u32..10,
        1_u64..200,
        1_u64..60,
        1_u32..5,
        any::<bool>(),
        0_u32..10,
        0_u32..14,
        1_u64..4,
    )
        .prop_map(|drawn| {
            let (ranks, data, chunk, rings, in_turn, root, which, channels) = drawn;
            Drawn {
                ranks,
                data,
                chunk,
                rings,
                in_turn,
                root,
                which,
                channels,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// In any order of arrivals, ACKs and computing: every chunk is sent once, by its sender; every
    /// rank finishes every round; and the data are the operation's result. (Rounds after the first
    /// move the same data again.)
    #[test]
    fn every_collective_does_what_it_promises(
        drawn in drawn(),
        rounds in 1_u64..3,
        slots in prop::option::of(1_u32..3),
        computes: bool,
        picks in prop::collection::vec(0_usize..1000, 64),
    ) {
        let timing = RoundTiming {
            rounds,
            slots,
            compute: if computes { Time::from_ns(1) } else { Time::ZERO },
            ..RoundTiming::default()
        };
        let plan = drawn.plan(timing);
        let ranks = plan.hosts.len() as u32;
        let (operation, _) = plan.collective().unwrap();
        let mut buffers = own(ranks, drawn.data);
        let root = drawn.root % ranks;
        if operation == CollectiveOperation::AllGather {
            for (rank, buffer) in (0..).zip(&mut buffers) {
                let shard = drawn.shard(&plan, rank);
                for (place, byte) in (0..).zip(buffer) {
                    if !shard.contains(&place) {
                        byte.clear();
                    }
                }
            }
        }
        let mut play = Play::new(&plan, buffers);
        // A second round would add data twice.
        if rounds == 1 {
            let mut turn = 0;
            play.play(|among| {
                turn += 1;
                picks[turn % picks.len()] % among
            });
        } else {
            for number in 0..plan.messages() as u64 {
                let message = plan.message(number);
                prop_assert_ne!(message.source, message.destination);
            }
            return check_rounds(&plan, &picks);
        }
        prop_assert_eq!(play.sent.len() as u128, plan.messages());
        let all: HashSet<u32> = (0..ranks).collect();
        for (rank, buffer) in (0..).zip(&play.buffers) {
            prop_assert_eq!(&play.done[rank as usize], &[0]);
            let expected = |place: u64| match operation {
                CollectiveOperation::AllReduce => Some(all.clone()),
                CollectiveOperation::ReduceScatter => {
                    let shard = drawn.shard(&plan, rank);
                    shard.contains(&place).then(|| all.clone())
                }
                CollectiveOperation::AllGather => {
                    let mut owners = (0..ranks).filter(|owner| {
                        drawn.shard(&plan, *owner).contains(&place)
                    });
                    owners.next().map(|owner| HashSet::from([owner]))
                }
                CollectiveOperation::Broadcast => Some(HashSet::from([root])),
                CollectiveOperation::Reduce => (rank == root).then(|| all.clone()),
                _ => None,
            };
            for (place, byte) in (0..).zip(buffer) {
                if let Some(expected) = expected(place) {
                    prop_assert_eq!(byte, &expected, "rank {}, byte {}", rank, place);
                }
            }
        }
    }
}

/// Every chunk of every round is sent once, and every rank finishes every round, in order.
fn check_rounds(plan: &CollectivePlan, picks: &[usize]) -> Result<(), TestCaseError> {
    let count = plan.hosts().len() as u32;
    let mut ranks: Vec<_> = (0..count).map(|rank| plan.rank(rank)).collect();
    let mut pending: VecDeque<_> = (0..count).map(|rank| (rank, TaskEvent::Begin)).collect();
    let (mut sent, mut done) = (HashSet::new(), vec![Vec::new(); count as usize]);
    let mut turn = 0;
    while !pending.is_empty() {
        turn += 1;
        let pick = picks[turn % picks.len()] % pending.len();
        let (rank, event) = pending.remove(pick).unwrap();
        let mut actions = Actions::default();
        ranks[rank as usize].advance(event, &mut actions);
        for number in actions.sends {
            prop_assert!(sent.insert(number));
            let message = plan.message(number);
            prop_assert_eq!(message.source, plan.hosts()[rank as usize]);
            let to = message.destination.0 - 100;
            pending.push_back((to, TaskEvent::Received(number)));
            pending.push_back((rank, TaskEvent::Acknowledged(number)));
        }
        let computes = actions.computes.iter();
        pending.extend(computes.map(|(token, _)| (rank, TaskEvent::Computed(*token))));
        done[rank as usize].extend(actions.done);
    }
    prop_assert_eq!(sent.len() as u128, plan.messages());
    let rounds: Vec<_> = (0..plan.rounds()).collect();
    prop_assert!(done.iter().all(|done| *done == rounds));
    Ok(())
}

/// 3 ranks, 10 B: chunks 0 to 2 have ⌊10/3⌋ = 3, ⌊20/3⌋ - 3 = 3 and 10 - 6 = 4 bytes. Rank i sends
/// chunk i - s (mod 3) in step s; there are 2·(3 - 1) = 4 steps.
#[test]
fn chunks_go_around_the_ring() {
    let ring = Ring::new(RingKind::AllReduce, vec![vec![0, 1, 2]], segment(10));
    let timing = RoundTiming::default();
    let plan = plan_of(3, CollectiveOperation::AllReduce, 10, ring, timing);
    assert_eq!(plan.messages(), 12);
    let messages = (0..12).map(|number| plan.message(number));
    let sizes: Vec<_> = messages.map(|message| message.size.as_u64()).collect();
    assert_eq!(sizes, [3, 3, 4, 4, 3, 3, 3, 4, 3, 3, 3, 4]);
    for number in 0..12 {
        let message = plan.message(number);
        assert_eq!(u64::from(message.source.0), 100 + number % 3);
        assert_eq!(u64::from(message.destination.0), 100 + (number + 1) % 3);
    }
}

/// 3 ranks, 10 B over two channels of 5 B: each has chunks of 1, 2 and 2 B. The first 12 chunks are
/// those of the first channel. Each channel is a stream of its own.
#[test]
fn channels_have_parts_of_the_data() {
    let ring = |part| -> Arc<dyn Schedule> {
        let part = segment(10).part(part, 2);
        Arc::new(Ring::new(RingKind::AllReduce, vec![vec![0, 1, 2]], part))
    };
    let channels = Channels::new(vec![ring(0), ring(1)]);
    assert_eq!((channels.chunks(), channels.streams()), (24, 2));
    let chunk = |number| {
        let chunk = channels.chunk(number);
        (chunk.segment.offset, chunk.segment.size, chunk.lane)
    };
    assert_eq!([0, 1, 2].map(chunk), [(0, 1, 0), (1, 2, 0), (3, 2, 0)]);
    assert_eq!([12, 13, 14].map(chunk), [(5, 1, 1), (6, 2, 1), (8, 2, 1)]);
    assert_eq!(channels.operation(0, 0, 0), Some(Operation::Send(0)));
    assert_eq!(channels.operation(0, 1, 0), Some(Operation::Send(12)));
    assert_eq!(channels.operation(0, 1, 1), Some(Operation::Receive(14)));
    let timing = RoundTiming::default();
    let plan = plan_of(3, CollectiveOperation::AllReduce, 10, channels, timing);
    assert_eq!(
        [0, 23].map(|number| plan.message(number).nic),
        [Some(0), Some(1)]
    );
    let alone = Ring::new(RingKind::AllReduce, vec![vec![0, 1, 2]], segment(10));
    let plan = plan_of(3, CollectiveOperation::AllReduce, 10, alone, timing);
    assert_eq!(plan.message(0).nic, None);
}

/// A ring of 4 that carries 100 B in chunks of at most 10 B: 3 loops of 33 B or 34 B each.
#[test]
fn large_shares_go_around_in_loops() {
    let ring = Ring::new(RingKind::AllGather, vec![vec![0, 1, 2, 3]], segment(100)).cut(10);
    assert_eq!(ring.chunks(), 3 * 3 * 4);
    let largest = (0..ring.chunks()).map(|number| ring.chunk(number).segment.size);
    assert_eq!(largest.max(), Some(9));
}

/// Of 10 B, rank i gets part i, of 3, 3 or 4 B, from both other ranks; or all 10 B from the rank
/// before.
#[test]
fn parts_go_to_their_ranks() {
    let chunks = |kind| {
        let direct = Direct::new(kind, 3, segment(10));
        let chunks = (0..direct.chunks()).map(|number| {
            let chunk = direct.chunk(number);
            (
                chunk.from,
                chunk.to,
                chunk.segment.offset,
                chunk.segment.size,
            )
        });
        let mut chunks: Vec<_> = chunks.collect();
        chunks.sort_unstable();
        chunks
    };
    let parts = [
        (0, 1, 3, 3),
        (0, 2, 6, 4),
        (1, 0, 0, 3),
        (1, 2, 6, 4),
        (2, 0, 0, 3),
        (2, 1, 3, 3),
    ];
    assert_eq!(chunks(DirectKind::AllToAll), parts);
    let next = [(0, 1, 0, 10), (1, 2, 0, 10), (2, 0, 0, 10)];
    assert_eq!(chunks(DirectKind::SendReceive), next);
}

/// The root of a broadcast to 2 other ranks, in 5 pieces, has 2 slots: it sends 2 pieces at once to
/// its only receiver.
#[test]
fn slots_hold_back_what_is_not_acknowledged() {
    let chain = Chain::new(3, 1, segment(50), 10, false);
    let timing = RoundTiming {
        slots: Some(2),
        ..RoundTiming::default()
    };
    let mut root = StreamProgress::new(&chain, 1, timing);
    let mut sends = |event| {
        let mut actions = Actions::default();
        root.advance(event, &mut actions);
        (actions.sends, actions.done)
    };
    // Number of a chunk: piece · 2 + edge.
    assert_eq!(sends(TaskEvent::Begin), (vec![0, 2], vec![]));
    assert_eq!(sends(TaskEvent::Acknowledged(2)), (vec![4], vec![]));
    assert_eq!(sends(TaskEvent::Acknowledged(0)), (vec![6], vec![]));
    assert_eq!(sends(TaskEvent::Acknowledged(4)), (vec![8], vec![0]));
    assert_eq!(sends(TaskEvent::Acknowledged(6)), (vec![], vec![]));
}
