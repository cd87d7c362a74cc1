//! Plans for small networks of which the best is known.

use super::*;

fn link(one: u32, other: u32, delay: u64, messages: u64) -> LinkLoad {
    LinkLoad {
        ends: [one, other],
        delay: Time::from_ns(delay),
        messages,
    }
}

/// The load of links whose messages go half in each direction.
fn load(nodes: usize, links: Vec<LinkLoad>, rounds: u64) -> MeasuredLoad {
    let mut work = vec![0; nodes];
    for link in &links {
        for end in link.ends {
            work[end as usize] += link.messages / 2;
        }
    }
    MeasuredLoad {
        work,
        links,
        sides: vec![0; nodes],
        rounds,
        span: Time::from_us(rounds),
    }
}

/// Racks of one switch (first) and `hosts` hosts, whose switches hang on one more (the last).
fn racks(racks: u32, hosts: u32, inside: u64, outside: u64, rounds: u64) -> MeasuredLoad {
    let (size, root) = (hosts + 1, racks * (hosts + 1));
    let mut links = Vec::new();
    for rack in 0..racks {
        let switch = rack * size;
        links.extend((1..size).map(|host| link(switch + host, switch, inside, 10_000)));
        links.push(link(switch, root, outside, 4_000));
    }
    load(root as usize + 1, links, rounds)
}

fn cut(plan: &ShardPlan, load: &MeasuredLoad) -> u64 {
    let cut = load
        .links
        .iter()
        .filter(|link| is_cut(&plan.shard_of_node, link));
    cut.map(|link| link.messages).sum()
}

/// Hosts of two racks have work, and switches of the other two; the sides take turns. Half of each
/// side is in each shard, though racks as they are would have equal work.
#[test]
fn each_side_is_divided() {
    let mut load = racks(4, 8, 1_000, 1_000, 100);
    let is_switch = |node: usize| node.is_multiple_of(9);
    load.sides = (0..load.work.len())
        .map(|node| is_switch(node).into())
        .collect();
    for (node, work) in load.work.iter_mut().enumerate() {
        *work = match (is_switch(node), node < 18) {
            (false, true) => 5_000,
            (true, false) if node < 36 => 40_000,
            _ => 0,
        };
    }
    let plan = load.best_plan(2);
    let mut sums = [[0; 2]; 2];
    for ((work, &shard), &side) in load.work.iter().zip(&plan.shard_of_node).zip(&load.sides) {
        sums[usize::from(side)][usize::from(shard)] += work;
    }
    assert_eq!(sums, [[40_000; 2]; 2]);
    // One shard after the other would take 80 000 in each of the turns.
    assert!(load.cost(&plan) < load.cost(&ShardPlan::single(load.work.len())) * 3 / 4);
}

/// Four racks, two shards: two racks each, and the root in one of them. Its work is 8 000, so a
/// host or two move to make up for it.
#[test]
fn racks_stay_together() {
    let load = racks(4, 8, 1_000, 1_000, 100);
    let plan = load.best_plan(2);
    assert_eq!(plan.shards, 2);
    let mut sums = [0; 2];
    for (work, &shard) in load.work.iter().zip(&plan.shard_of_node) {
        sums[usize::from(shard)] += work;
    }
    assert!(
        sums[0].abs_diff(sums[1]) * 20 < sums[0] + sums[1],
        "{sums:?}"
    );
    assert!(cut(&plan, &load) <= 8_000 + 20_000, "{}", cut(&plan, &load));
}

/// 10 ns inside a rack, 10 us between: half a million windows of 10 ns would mean as many rounds,
/// so only long links are cut.
#[test]
fn short_links_are_not_cut() {
    let mut load = racks(4, 8, 10, 10_000, 500_000);
    load.span = Time::from_ms(5);
    let plan = load.best_plan(2);
    assert_eq!((plan.shards, plan.lookahead), (2, Time::from_us(10)));
    for rack in plan.shard_of_node[..36].chunks(9) {
        assert!(rack.iter().all(|shard| shard == &rack[0]), "{rack:?}");
    }
}

/// 8 messages in each of 10 000 rounds: synchronisation would take longer.
#[test]
fn little_work_is_not_divided() {
    let load = racks(1, 2, 1_000, 1_000, 10_000);
    assert_eq!(load.best_plan(8), ShardPlan::single(4));
}

/// The switch of a star has half the work: one shard for it and a host or two, one for the rest;
/// more shards would not be faster.
#[test]
fn a_star_has_two_shards() {
    let links = (0..16).map(|host| link(host, 16, 1_000, 50_000)).collect();
    let load = load(17, links, 1_000);
    let plan = load.best_plan(2);
    assert_eq!(plan.shards, 2);
    let with_switch = plan
        .shard_of_node
        .iter()
        .filter(|&&shard| shard == plan.shard_of_node[16]);
    assert!(with_switch.count() <= 3, "{:?}", plan.shard_of_node);
}

/// Idle networks and single nodes stay in one shard.
#[test]
fn there_may_be_nothing_to_divide() {
    assert_eq!(load(1, Vec::new(), 0).best_plan(4), ShardPlan::single(1));
    assert_eq!(racks(2, 3, 10, 10, 0).best_plan(1).shards, 1);
    let idle = load(5, vec![link(0, 4, 10, 0)], 0);
    assert_eq!(idle.best_plan(3).shards, 1);
}
