use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

fn hosts(count: u32) -> Vec<HostId> {
    (0..count).map(HostId).collect()
}

fn plan(count: u32, rings: u32, data: u64) -> CollectivePlan {
    CollectivePlan::new(&hosts(count), rings, Bytes::new(data))
}

/// 3 hosts, 10 B: chunks 0–2 have ⌊10/3⌋ = 3, ⌊20/3⌋ - 3 = 3 and 10 - 6 = 4 bytes. Host i sends
/// chunk i - s (mod 3) in step s; there are 2·(3 - 1) = 4 steps.
#[test]
fn chunks_go_around_the_ring() {
    let plan = plan(3, 1, 10);
    assert_eq!(plan.sends(), 12);
    let sizes: Vec<_> = (0..12)
        .map(|number| plan.send(number).size.as_u64())
        .collect();
    assert_eq!(sizes, [3, 3, 4, 4, 3, 3, 3, 4, 3, 3, 3, 4]);
    for number in 0..12 {
        let chunk = plan.send(number);
        assert_eq!(chunk.destination.0, (chunk.source.0 + 1) % 3);
        assert_eq!(chunk.source.0 as u64, number % 3);
    }
}

/// 5 hosts have 4 rings, the first of which is the list. A ring's share of 21 B is 5, 5, 5 or 6 B.
#[test]
fn rings_share_the_data_and_no_pair() {
    let listed = [4, 2, 0, 1, 3].map(HostId);
    let plan = CollectivePlan::new(&listed, 4, Bytes::new(21));
    assert_eq!(plan.hosts(), listed);
    let firsts: Vec<_> = plan.first_sends().map(|number| plan.send(number)).collect();
    let sizes: u64 = firsts.iter().map(|chunk| chunk.size.as_u64()).sum();
    assert_eq!((firsts.len(), sizes), (20, 21));
    let mut pairs: Vec<_> = firsts
        .iter()
        .map(|chunk| (chunk.source, chunk.destination))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), 20);
}

/// What hosts do when chunks arrive in the order in which `pick` chooses among those on their way:
/// numbers of sends by the host that sends them, and when each host was done with each round.
fn played(plan: &CollectivePlan, mut pick: impl FnMut(usize) -> usize) -> (Vec<u64>, Vec<u64>) {
    let mut ranks: HashMap<_, _> = plan
        .hosts()
        .iter()
        .map(|host| (*host, RankProgress::new(plan, *host)))
        .collect();
    let mut on_their_way: VecDeque<u64> = plan.first_sends().collect();
    let (mut sent, mut done) = (Vec::new(), Vec::new());
    while !on_their_way.is_empty() {
        let number = on_their_way.remove(pick(on_their_way.len())).unwrap();
        sent.push(number);
        let chunk = plan.send(number);
        let mut next = Vec::new();
        let rank = ranks.get_mut(&chunk.destination).unwrap();
        done.extend(rank.on_arrival(number, &mut next));
        for number in &next {
            assert_eq!(plan.send(*number).source, chunk.destination);
        }
        on_their_way.extend(next);
    }
    (sent, done)
}

proptest! {
    /// In any order of arrival every chunk is sent once, every host is done with every round, and
    /// no chunk goes on before it has arrived.
    #[test]
    fn every_chunk_is_sent_once(
        count in 2_u32..9,
        rings in 1_u32..8,
        in_turn: bool,
        rounds in 1_u64..4,
        picks in prop::collection::vec(0_usize..1000, 64),
    ) {
        let rings = rings.min(Rings::count_of(count));
        let order = if in_turn { SendOrder::InTurn } else { SendOrder::Together };
        let plan = plan(count, rings, 1000)
            .with_timing(Time::ZERO, rounds, Time::ZERO)
            .in_order(order);
        let mut turn = 0;
        let (sent, done) = played(&plan, |among| {
            turn += 1;
            picks[turn % picks.len()] % among
        });
        let mut arrived: HashMap<u64, usize> = HashMap::new();
        for (time, number) in sent.iter().enumerate() {
            prop_assert!(arrived.insert(*number, time).is_none(), "{number} twice");
        }
        prop_assert_eq!(arrived.len() as u128, plan.sends());
        prop_assert_eq!(done.len() as u64, u64::from(count) * rounds);
        for number in sent {
            let chunk = plan.send(number);
            if let Some(step) = chunk.step.checked_sub(1) {
                let place = (chunk.next_place + 2 * plan.places() - 2) % plan.places();
                let before = plan.number(chunk.round, chunk.ring, step, place);
                prop_assert!(arrived[&before] < arrived[&number]);
                prop_assert_eq!(plan.send(before).size, chunk.size);
            }
        }
    }
}

/// In turn, a host has one chunk on its way: n, in all, at any time.
#[test]
fn in_turn_each_host_sends_one_chunk_at_a_time() {
    let plan = plan(5, 1, 1000).shuffled();
    assert_eq!((plan.first_sends().count(), plan.sends()), (5, 5 * 4 * 8));
    let mut most = 0;
    played(&plan, |among| {
        most = most.max(among);
        0
    });
    assert_eq!(most, 5);
    // The pairs of a host change from send to send.
    let (sent, _) = played(&plan, |_| 0);
    let own = sent.iter().map(|number| plan.send(*number));
    let to: Vec<_> = own.filter(|chunk| chunk.source == HostId(0)).collect();
    for pair in to.windows(2) {
        assert_ne!(pair[0].destination, pair[1].destination);
    }
}
