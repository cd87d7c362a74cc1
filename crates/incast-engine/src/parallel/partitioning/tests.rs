//! Plans for small networks whose best plan is known.

use super::*;

fn link(one: u32, other: u32, delay: u64, messages: u64) -> LinkLoad {
    LinkLoad {
        ends: [one, other],
        delay: Time::from_ns(delay),
        messages,
    }
}

/// A load in which each link has half of its messages in each direction.
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

/// Racks of one switch (first) and `hosts` hosts; all switches are linked to a root (last).
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

/// Hosts of two racks have work, and so have the switches of the other two racks. The sides take
/// turns. Racks stay whole: hosts have no links to another shard, so they need not wait for other
/// shards' switches. The root's two links between shards have 2 000 messages at each end, which
/// cost a quarter each: 500.
#[test]
fn inner_nodes_need_not_take_turns() {
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
    let (plan, _) = load.best_plan(2);
    let sums = [0, 1].map(|shard| {
        let of_shard = |&(_, of): &(_, &u16)| *of == shard;
        let work = load.work.iter().zip(&plan.shard_of_node);
        work.filter(of_shard).map(|(work, _)| work).sum::<u64>()
    });
    assert_eq!(sums, [80_000; 2]);
    let cost = load.parts_of_cost(&plan);
    let expected = PlanCost {
        longest: 80_000 + 2 * 500,
        turns: 80_000 + 2 * 500,
        rounds: 100 * ROUND_COST,
    };
    assert_eq!(cost, expected);
}

/// The sides of a star take turns, and hosts that are not in the switch's shard wait for the
/// switch. Half of the hosts are in each shard. The switch has as much work as all hosts.
#[test]
fn outer_nodes_are_divided_by_side() {
    let links = (0..16).map(|host| link(host, 16, 1_000, 50_000)).collect();
    let mut load = load(17, links, 1_000);
    load.sides[16] = 1;
    let (plan, cost) = load.best_plan(2);
    let hosts = plan.shard_of_node[..16].iter();
    let with_switch = hosts.filter(|&&shard| shard == plan.shard_of_node[16]);
    assert!((7..=9).contains(&with_switch.count()), "{plan:?}");
    let mut sums = [0; 2];
    for (work, &shard) in load.work.iter().zip(&plan.shard_of_node) {
        sums[usize::from(shard)] += work;
    }
    // Balanced work would put the switch into a shard without hosts; the turns would then cost 800
    // 000.
    assert!(sums[0].abs_diff(sums[1]) >= 350_000, "{sums:?}");
    assert!(cost < 760_000, "{cost}");
}

/// A fat tree of switches with eight ports: 128 hosts, 32 edge and 32 aggregation switches, 16
/// cores. Some links have up to half more messages than others. The links of a path from the first
/// pod to the second have three times as many.
fn fat_tree() -> MeasuredLoad {
    let path = [128, 160, 192, 164, 132];
    let mut links = Vec::new();
    let mut join = |one: u32, other: u32| {
        let messages = match [one, other].iter().all(|end| path.contains(end)) {
            true => 30_000,
            false => 10_000 + 1_000 * (u64::from(one * 7 + other * 3) % 6),
        };
        links.push(link(one, other, 1_000, messages));
    };
    for host in 0..128 {
        join(host, 128 + host / 4);
    }
    for edge in 0..32 {
        for place in 0..4 {
            join(128 + edge, 160 + edge / 4 * 4 + place);
        }
    }
    for aggregation in 0..32 {
        for place in 0..4 {
            join(160 + aggregation, 192 + aggregation % 4 * 4 + place);
        }
    }
    load(208, links, 1_000)
}

/// Eight shards of a pod and two cores each: only aggregation and core switches have links to other
/// shards.
#[test]
fn pods_stay_whole() {
    let load = fat_tree();
    let (plan, _) = load.best_plan(8);
    assert_eq!(plan.shards, 8);
    let outer: Vec<_> = (0..208).filter(|&node| plan.outer[node]).collect();
    assert_eq!(outer, Vec::from_iter(160..208));
    for pod in 0..8 {
        let aggregation = 160 + 4 * pod..164 + 4 * pod;
        let shards = aggregation.map(|node| plan.shard_of_node[node]);
        assert!(shards.is_sorted_by(|one, other| one == other), "{plan:?}");
    }
}

/// Four racks and two shards: each shard has two racks, and one has the root. The root's work is 8
/// 000, so a host or two move to balance the shards.
#[test]
fn racks_stay_together() {
    let load = racks(4, 8, 1_000, 1_000, 100);
    let (plan, _) = load.best_plan(2);
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

/// 10 ns inside a rack, 10 us between racks. Half a million windows of 10 ns would need half a
/// million rounds, so only long links are cut.
#[test]
fn short_links_are_not_cut() {
    let mut load = racks(4, 8, 10, 10_000, 500_000);
    load.span = Time::from_ms(5);
    let (plan, _) = load.best_plan(2);
    assert_eq!((plan.shards, plan.lookahead), (2, Time::from_us(10)));
    for rack in plan.shard_of_node[..36].chunks(9) {
        assert!(rack.iter().all(|shard| shard == &rack[0]), "{rack:?}");
    }
}

/// 8 messages in each of 10 000 rounds: synchronisation would take longer than the work.
#[test]
fn little_work_is_not_divided() {
    let load = racks(1, 2, 1_000, 1_000, 10_000);
    assert_eq!(load.best_plan(8).0, ShardPlan::single(4));
}

/// The switch of a star has half of the work. One shard has the switch and a host or two, the other
/// shard has all other hosts. More shards would not be faster.
#[test]
fn a_star_has_two_shards() {
    let links = (0..16).map(|host| link(host, 16, 1_000, 50_000)).collect();
    let load = load(17, links, 1_000);
    let (plan, _) = load.best_plan(2);
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
    assert_eq!(load(1, Vec::new(), 0).best_plan(4).0, ShardPlan::single(1));
    assert_eq!(racks(2, 3, 10, 10, 0).best_plan(1).0.shards, 1);
    let idle = load(5, vec![link(0, 4, 10, 0)], 0);
    assert_eq!(idle.best_plan(3).0.shards, 1);
}
