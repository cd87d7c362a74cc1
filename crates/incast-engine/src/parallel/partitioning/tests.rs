//! Plans for small networks of which the best is known.

use super::*;

fn edge(one: u32, other: u32, delay: u64, messages: u64) -> Edge {
    Edge {
        ends: [one, other],
        delay: Time::from_ns(delay),
        messages,
    }
}

/// What arrives at each node by its links, half of it in each direction.
fn load(nodes: usize, edges: Vec<Edge>, windows: u64) -> Load {
    let mut work = vec![0; nodes];
    for edge in &edges {
        for end in edge.ends {
            work[end as usize] += edge.messages / 2;
        }
    }
    Load {
        work,
        edges,
        windows,
        span: Time::from_us(windows),
    }
}

/// Racks of one switch (first) and `hosts` hosts, whose switches hang on one more (the last).
fn racks(racks: u32, hosts: u32, inside: u64, outside: u64, windows: u64) -> Load {
    let (size, root) = (hosts + 1, racks * (hosts + 1));
    let mut edges = Vec::new();
    for rack in 0..racks {
        let switch = rack * size;
        edges.extend((1..size).map(|host| edge(switch + host, switch, inside, 10_000)));
        edges.push(edge(switch, root, outside, 4_000));
    }
    load(root as usize + 1, edges, windows)
}

fn cut(plan: &Plan, load: &Load) -> u64 {
    let cut = load.edges.iter().filter(|edge| is_cut(&plan.homes, edge));
    cut.map(|edge| edge.messages).sum()
}

/// Four racks, two parts: two racks each, and the root in one of them. Its work is 8 000, so a
/// host or two change sides to make up for it.
#[test]
fn racks_stay_together() {
    let load = racks(4, 8, 1_000, 1_000, 100);
    let plan = load.best_plan(2);
    assert_eq!(plan.parts, 2);
    let mut sums = [0; 2];
    for (work, &home) in load.work.iter().zip(&plan.homes) {
        sums[usize::from(home)] += work;
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
    assert_eq!((plan.parts, plan.lookahead), (2, Time::from_us(10)));
    for rack in plan.homes[..36].chunks(9) {
        assert!(rack.iter().all(|home| home == &rack[0]), "{rack:?}");
    }
}

/// 8 messages in each of 10 000 windows: waiting for each other would take longer.
#[test]
fn little_work_is_not_divided() {
    let load = racks(1, 2, 1_000, 1_000, 10_000);
    assert_eq!(load.best_plan(8), Plan::whole(4));
}

/// The switch of a star has half the work: one part for it and a host or two, one for the rest;
/// more parts would not be faster.
#[test]
fn a_star_has_two_parts() {
    let edges = (0..16).map(|host| edge(host, 16, 1_000, 50_000)).collect();
    let load = load(17, edges, 1_000);
    let plan = load.best_plan(2);
    assert_eq!(plan.parts, 2);
    let with_switch = plan.homes.iter().filter(|&&home| home == plan.homes[16]);
    assert!(with_switch.count() <= 3, "{:?}", plan.homes);
}

/// Idle networks and single nodes are whole.
#[test]
fn there_may_be_nothing_to_divide() {
    assert_eq!(load(1, Vec::new(), 0).best_plan(4), Plan::whole(1));
    assert_eq!(racks(2, 3, 10, 10, 0).best_plan(1).parts, 1);
    let idle = load(5, vec![edge(0, 4, 10, 0)], 0);
    assert_eq!(idle.best_plan(3).parts, 1);
}
