use std::collections::BTreeMap;

use incast_units::{HostId, NodeId};

use super::super::path_count::{assert_size, diameter, paths, peers};
use super::*;
use crate::{NextHopOrder, Ports, Routes};

fn dragonfly(groups: Option<u32>, [a, p, h]: [u32; 3]) -> Dragonfly {
    Dragonfly {
        groups,
        routers_per_group: a,
        hosts_per_router: p,
        global_links_per_router: h,
        ..Dragonfly::default()
    }
}

/// Fig. 5 of Kim et al.: 9·4·2 = 72 hosts, 36 routers, 72 + 9·(4·3/2) + 9·8/2 = 162 links.
/// a = 8, p = h = 4: 33 groups, 33·32 = 1056 hosts, 1056 + 33·28 + 33·32/2 = 2508 links.
/// Five groups of 3 routers, h = 3: one of 5·9 global ports stays free, 15 + 15 + 22 links.
#[test]
fn sizes_follow_the_formula() {
    for (network, hosts, switches, links) in [
        (Dragonfly::default(), 72, 36, 162),
        (dragonfly(Some(9), [4, 2, 2]), 72, 36, 162),
        (dragonfly(None, [8, 4, 4]), 1056, 264, 2508),
        (dragonfly(Some(5), [3, 1, 3]), 15, 15, 52),
        (dragonfly(Some(2), [1, 4, 1]), 8, 2, 9),
    ] {
        let built = network.build().unwrap();
        assert_size(network.size(), &built, [hosts, switches, links]);
    }
}

/// Router 0 of group 0 has global ports 0 and 1, to groups 1 and 2. From groups 1 and 2, group 0 is
/// the 8th and the 7th after: their ports 7 and 6, both of router 3, nodes 72 + 4 + 3 and
/// 72 + 8 + 3. Router 3 of group 8 has ports 6 and 7, to the 7th and the 8th group after it: groups
/// 6 and 7, whose ports 1 and 0 are of router 0.
#[test]
fn groups_are_wired_as_described() {
    let topology = Dragonfly::default().build().unwrap();
    assert_eq!(peers(&topology, 72), [0, 1, 73, 74, 75, 79, 83]);
    assert_eq!(peers(&topology, 107), [70, 71, 104, 105, 106, 96, 100]);
    assert_eq!(topology.label(NodeId(107)), "router35");
}

/// The number of links between each two groups, and the number of global links of each router.
fn global_links(network: &Dragonfly) -> (BTreeMap<(u32, u32), u32>, Vec<u32>) {
    let topology = network.build().unwrap();
    let a = network.routers_per_group;
    let (mut pairs, mut routers) = (BTreeMap::new(), vec![0; topology.switches as usize]);
    for link in &topology.links {
        let ends = [link.a, link.b].map(|node| node.0.wrapping_sub(topology.hosts));
        let [one, other] = ends.map(|router| router / a);
        if !topology.is_host(link.a) && one != other {
            *pairs.entry((one.min(other), one.max(other))).or_default() += 1;
            ends.iter()
                .for_each(|&router| routers[router as usize] += 1);
        }
    }
    (pairs, routers)
}

/// For even and odd numbers of groups and ports: pairs of groups differ by at most one link, no
/// router has more than h global links, and at most one port stays free.
#[test]
fn global_links_are_spread_evenly() {
    for (a, h) in [(1, 7), (2, 2), (3, 3), (4, 2), (5, 1), (7, 3)] {
        for groups in 2..=a * h + 1 {
            let network = dragonfly(Some(groups), [a, 1, h]);
            let (pairs, routers) = global_links(&network);
            let [least, most] = [pairs.values().min(), pairs.values().max()].map(Option::unwrap);
            assert_eq!(pairs.len() as u32, groups * (groups - 1) / 2, "{network:?}");
            assert!(most - least <= 1, "{network:?}");
            assert!(routers.iter().all(|&links| links <= h), "{network:?}");
            let free = groups * a * h - routers.iter().sum::<u32>();
            assert_eq!(free, groups * a * h % 2, "{network:?}");
        }
    }
}

/// Local, global, local: 3 links between routers, whether pairs of groups have one link or more.
#[test]
fn three_links_lead_everywhere() {
    assert_eq!(diameter(&Dragonfly::default().build().unwrap()), 3);
    assert_eq!(diameter(&dragonfly(None, [8, 1, 4]).build().unwrap()), 3);
    assert_eq!(diameter(&dragonfly(Some(5), [3, 1, 3]).build().unwrap()), 3);
    assert_eq!(diameter(&dragonfly(None, [1, 1, 6]).build().unwrap()), 1);
}

/// a = 2, p = h = 1, 3 groups: routers 6 to 11 on a ring, 6–7–10–11–8–9–6. The global links are
/// 6–9, 8–11 and 10–7. From host 0 to host 5, 6–7–10–11 with one global link is as short as
/// 6–9–8–11 with two. To host 4, 6–7–10; to host 1, 6–7.
#[test]
fn paths_have_fewest_links_whatever_their_kind() {
    let ring = dragonfly(None, [2, 1, 1]).build().unwrap();
    assert_eq!(peers(&ring, 6), [0, 7, 9]);
    assert_eq!(peers(&ring, 8), [2, 9, 11]);
    assert_eq!(peers(&ring, 10), [4, 11, 7]);
    assert_eq!(paths(&ring, 0, 5), (5, 2));
    assert_eq!(paths(&ring, 0, 4), (4, 1));
    assert_eq!(paths(&ring, 0, 1), (3, 1));
}

/// With the defaults, 36·32 pairs of routers are in different groups. Of these, 378 have a shortest
/// path over one global link and another over more; 36 have shortest paths over more only.
#[test]
fn few_pairs_are_nearer_by_several_global_links() {
    let topology = Dragonfly::default().build().unwrap();
    let ports = Ports::new(&topology);
    let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
    let (mut both, mut only) = (0, 0);
    for (source, destination) in (0..36).flat_map(|a| (0..36).map(move |b| (a, b))) {
        if source / 4 == destination / 4 {
            continue;
        }
        let mut crossed = Vec::new();
        let mut open = vec![(72 + source, 0)];
        while let Some((node, global)) = open.pop() {
            if node == 72 + destination {
                crossed.push(global);
                continue;
            }
            for &port in routes.next_hops(NodeId(node), HostId(2 * destination)) {
                let next = ports.of(NodeId(node))[usize::from(port)].peer.0;
                let is_global = (next - 72) / 4 != (node - 72) / 4;
                open.push((next, global + u32::from(is_global)));
            }
        }
        let one = crossed.contains(&1);
        both += u32::from(one && crossed.iter().any(|&global| global > 1));
        only += u32::from(!one);
    }
    assert_eq!((both, only), (378, 36));
}

#[test]
fn each_kind_of_link_has_its_rate_and_delay() {
    let links = |network: Dragonfly| {
        let links = network.build().unwrap().links;
        [0, 72, 126].map(|link| {
            let link = links[link];
            (
                link.rate.as_bps() / 1_000_000_000,
                link.delay.as_ps() / 1_000,
            )
        })
    };
    let default = Dragonfly::default;
    assert_eq!(links(default()), [(100, 1_000); 3]);
    let local = Dragonfly {
        local_rate: Some(Rate::from_gbps(200)),
        local_delay: Some(Time::from_ns(50)),
        ..default()
    };
    assert_eq!(links(local), [(100, 1_000), (200, 50), (200, 50)]);
    let global = Dragonfly {
        global_rate: Some(Rate::from_gbps(400)),
        global_delay: Some(Time::from_ns(9)),
        ..default()
    };
    assert_eq!(links(global), [(100, 1_000), (100, 1_000), (400, 9)]);
}

#[test]
fn impossible_parameters_are_refused() {
    let message = |change: fn(&mut Dragonfly)| {
        let mut network = Dragonfly::default();
        change(&mut network);
        let wrong = network.build().unwrap_err();
        format!("{}; {}", wrong.what, wrong.hint)
    };
    for (found, expected) in [
        (
            message(|network| network.groups = Some(1)),
            "`groups` is 1; write at least 2",
        ),
        (
            message(|network| network.groups = Some(10)),
            "`groups` is 10, but the 8 global links of a group reach 8 others at most; write at \
             most 9, or larger `routers_per_group` or `global_links_per_router`",
        ),
        (
            message(|network| network.routers_per_group = 0),
            "`routers_per_group` is 0; write at least 1",
        ),
        (
            message(|network| network.hosts_per_router = 0),
            "`hosts_per_router` is 0; write at least 1",
        ),
        (
            message(|network| network.global_links_per_router = 0),
            "`global_links_per_router` is 0; write at least 1",
        ),
        (
            message(|network| network.global_links_per_router = u32::MAX),
            "206158430172 nodes and ",
        ),
        (
            message(|network| network.routers_per_group = u32::MAX),
            "18446744073709551615 nodes and ",
        ),
        (
            message(|network| network.host_rate = Rate::ZERO),
            "`host_rate` is 0",
        ),
        (
            message(|network| network.local_rate = Some(Rate::ZERO)),
            "`local_rate` is 0",
        ),
        (
            message(|network| network.global_rate = Some(Rate::ZERO)),
            "`global_rate` is 0",
        ),
        (
            message(|network| network.delay = Time::ZERO),
            "`delay` is 0",
        ),
        (
            message(|network| network.local_delay = Some(Time::ZERO)),
            "`local_delay` is 0",
        ),
        (
            message(|network| network.global_delay = Some(Time::ZERO)),
            "`global_delay` is 0",
        ),
    ] {
        assert!(found.starts_with(expected), "{found}");
    }
}
