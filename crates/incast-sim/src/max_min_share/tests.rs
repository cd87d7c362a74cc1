use std::ops::ControlFlow;

use incast_random::{NetworkPurpose, RandomStream};

use super::filling::FillingNetwork;

fn fair_bytes(network: FillingNetwork<'_>) -> Vec<f64> {
    let shares = network.fair_bytes(&mut || ControlFlow::Continue(()));
    shares.expect("nothing breaks off")
}

/// All of a flow on each of these links.
fn whole(links: &[u32]) -> Vec<(u32, f64)> {
    links.iter().map(|link| (*link, 1.0)).collect()
}

/// A long computation can be interrupted.
#[test]
fn filling_asks_whether_to_go_on() {
    let mut network = FillingNetwork::new(&[1.0]);
    network.add(&whole(&[0]), 0, 10);
    let mut asked = 0;
    let broken = network.fair_bytes(&mut || {
        asked += 1;
        ControlFlow::Break(())
    });
    assert_eq!((broken, asked), (None, 1));
}

/// (links, start, end) of each flow.
fn fair(capacities: &[f64], flows: &[(&[u32], u64, u64)]) -> Vec<f64> {
    let mut network = FillingNetwork::new(capacities);
    for (links, start, end) in flows {
        network.add(&whole(links), *start, *end);
    }
    fair_bytes(network)
}

/// One link of 10 B/ps: alone 50 ps · 10, together 50 ps · 5, alone again 50 ps · 10.
#[test]
fn two_flows_that_overlap() {
    let flows = [(&[0][..], 0, 100), (&[0], 50, 150)];
    assert_eq!(fair(&[10.0], &flows), [750.0, 750.0]);
}

/// Links of 10 and 20, one flow over both and one on each: the first link gives 5 and 5, the second
/// what is left, 15.
#[test]
fn who_is_held_up_elsewhere_leaves_more() {
    let flows = [(&[0, 1][..], 0, 10), (&[0], 0, 10), (&[1], 0, 10)];
    assert_eq!(fair(&[10.0, 20.0], &flows), [50.0, 50.0, 150.0]);
}

/// Links of 9, 12 and 7. Link 2 is full first, at 3.5 for B and D. On link 0, A and B share 9:
/// A rises to 5.5. On link 1, A and C share 12: C rises to 6.5.
#[test]
fn levels_rise_one_after_the_other() {
    let [a, b, c, d] = [&[0, 1][..], &[0, 2], &[1], &[2]];
    let flows = [(a, 0, 2), (b, 0, 2), (c, 0, 2), (d, 0, 2)];
    assert_eq!(fair(&[9.0, 12.0, 7.0], &flows), [11.0, 7.0, 13.0, 7.0]);
}

/// Links of 10 B/ps. A sends half of its packets over link 0 and half over link 1, B all over link
/// 0, C all over link 1 with a fifth of another, 2. Link 0: 1.5 r = 10, A and B get 20/3. What is
/// left of link 1 is 10 − 10/3: C gets 20/3, of which 4/3 cross link 2.
#[test]
fn a_flow_on_several_paths_takes_a_part_of_each() {
    let mut network = FillingNetwork::new(&[10.0, 10.0, 2.0]);
    network.add(&[(0, 0.5), (1, 0.5)], 0, 3);
    network.add(&[(0, 1.0)], 0, 3);
    network.add(&[(1, 1.0), (2, 0.2)], 0, 3);
    for bytes in fair_bytes(network) {
        assert!((bytes - 20.0).abs() < 1e-12, "{bytes}");
    }
}

/// The same with 1 B/ps on link 2: a fifth of C's packets is as much as it carries, 5 B/ps in all.
#[test]
fn a_small_part_may_be_the_bottleneck() {
    let mut network = FillingNetwork::new(&[10.0, 10.0, 1.0]);
    network.add(&[(0, 0.5), (1, 0.5)], 0, 3);
    network.add(&[(0, 1.0)], 0, 3);
    network.add(&[(1, 1.0), (2, 0.2)], 0, 3);
    let fair = fair_bytes(network);
    for (bytes, expected) in fair.into_iter().zip([20.0, 20.0, 15.0]) {
        assert!((bytes - expected).abs() < 1e-12, "{bytes}");
    }
}

/// One link for two flows, one after the other: the moment at which one leaves and one comes counts
/// for neither.
#[test]
fn flows_that_only_touch_do_not_share() {
    let flows = [(&[0][..], 0, 10), (&[0], 10, 30)];
    assert_eq!(fair(&[4.0], &flows), [40.0, 80.0]);
}

#[test]
fn a_flow_of_no_time_gets_nothing() {
    assert_eq!(fair(&[4.0], &[(&[0], 5, 5), (&[0], 0, 10)]), [0.0, 40.0]);
    assert_eq!(fair(&[4.0], &[]), [0.0; 0]);
}

/// What makes rates max-min fair: each flow has a link that is full and on which no flow has more.
/// 200 networks of 12 links and 30 flows drawn at random, all alive for 1 ps.
#[test]
fn every_flow_has_a_bottleneck() {
    for seed in 0..200 {
        let mut random = RandomStream::of_network(seed, 0, NetworkPurpose::Scheduling);
        let mut below = |most: u32| (random.uniform() * f64::from(most)) as u32;
        let capacities: Vec<f64> = (0..12).map(|_| f64::from(1 + below(40))).collect();
        let flows: Vec<Vec<u32>> = (0..30)
            .map(|_| {
                let mut links: Vec<u32> = (0..1 + below(4)).map(|_| below(12)).collect();
                links.sort_unstable();
                links.dedup();
                links
            })
            .collect();
        let mut network = FillingNetwork::new(&capacities);
        for links in &flows {
            network.add(&whole(links), 0, 1);
        }
        let rates = fair_bytes(network);
        let on = |link: u32| {
            flows
                .iter()
                .zip(&rates)
                .filter(move |(links, _)| links.contains(&link))
        };
        for (links, &rate) in flows.iter().zip(&rates) {
            let is_bottleneck = |&&link: &&u32| {
                let load: f64 = on(link).map(|(_, rate)| rate).sum();
                let most = on(link).map(|(_, &rate)| rate).fold(0.0, f64::max);
                (load - capacities[link as usize]).abs() < 1e-9 && most <= rate + 1e-9
            };
            assert!(
                links.iter().find(is_bottleneck).is_some(),
                "seed {seed}: {links:?}"
            );
        }
        for (link, capacity) in capacities.iter().enumerate() {
            let load: f64 = on(link as u32).map(|(_, rate)| rate).sum();
            assert!(load <= capacity + 1e-9, "seed {seed}: link {link}");
        }
    }
}

/// Coming and going in any order: rates that are only filled anew around a change are those that
/// filling everything gives. Each flow's share of a network in which all links are joined by one
/// flow without effect must be the same as without that flow.
#[test]
fn what_a_change_cannot_touch_stays() {
    for seed in 0..50 {
        let mut random = RandomStream::of_network(seed, 1, NetworkPurpose::Scheduling);
        let mut below = |most: u32| (random.uniform() * f64::from(most)) as u32;
        // Links in pairs: flows stay inside a pair, so there are up to six parts.
        let capacities: Vec<f64> = (0..12).map(|_| f64::from(1 + below(40))).collect();
        let flows: Vec<(Vec<u32>, u64, u64)> = (0..60)
            .map(|_| {
                let pair = 2 * below(6);
                let links = [vec![pair], vec![pair + 1], vec![pair, pair + 1]];
                let start = u64::from(below(100));
                let length = u64::from(1 + below(50));
                (links[below(3) as usize].clone(), start, start + length)
            })
            .collect();
        // One more link, full at once, whose flow is on all: it has next to nothing.
        let mut joined_capacities = capacities.clone();
        joined_capacities.push(1e-9);
        let mut apart = FillingNetwork::new(&capacities);
        let mut joined = FillingNetwork::new(&joined_capacities);
        for (links, start, end) in &flows {
            apart.add(&whole(links), *start, *end);
            joined.add(&whole(links), *start, *end);
        }
        joined.add(
            &(0..13).map(|link| (link, 1.0)).collect::<Vec<_>>(),
            0,
            1000,
        );
        let (apart, joined) = (fair_bytes(apart), fair_bytes(joined));
        for (flow, (one, other)) in apart.iter().zip(&joined).enumerate() {
            assert!(
                (one - other).abs() < 1e-5,
                "seed {seed}, flow {flow}: {one}, {other}"
            );
        }
    }
}
