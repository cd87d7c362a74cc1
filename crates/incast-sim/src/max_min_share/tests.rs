use std::ops::ControlFlow;

use incast_random::{NetworkPurpose, RandomStream};

use super::filling::FillingNetwork;

fn fair_bytes(network: FillingNetwork<'_>) -> Vec<f64> {
    let shares = network.fair_bytes(&mut || ControlFlow::Continue(()));
    shares.expect("nothing breaks off")
}

/// The whole rate of a flow on each of these links.
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

/// On one link of 10 B/ps, each flow sends 50 ps · 10 alone and 50 ps · 5 beside the other.
#[test]
fn two_flows_that_overlap() {
    let flows = [(&[0][..], 0, 100), (&[0], 50, 150)];
    assert_eq!(fair(&[10.0], &flows), [750.0, 750.0]);
}

/// Links of 10 and 20 carry one flow over both and one over each. The first link gives 5 to each of
/// its two flows; the second link gives the remaining 15 to its own flow.
#[test]
fn who_is_held_up_elsewhere_leaves_more() {
    let flows = [(&[0, 1][..], 0, 10), (&[0], 0, 10), (&[1], 0, 10)];
    assert_eq!(fair(&[10.0, 20.0], &flows), [50.0, 50.0, 150.0]);
}

/// Links of 9, 12 and 7. Link 2 is the first full one, at 3.5 for B and D. A and B share the 9 of
/// link 0, so A rises to 5.5. A and C share the 12 of link 1, so C rises to 6.5.
#[test]
fn levels_rise_one_after_the_other() {
    let [a, b, c, d] = [&[0, 1][..], &[0, 2], &[1], &[2]];
    let flows = [(a, 0, 2), (b, 0, 2), (c, 0, 2), (d, 0, 2)];
    assert_eq!(fair(&[9.0, 12.0, 7.0], &flows), [11.0, 7.0, 13.0, 7.0]);
}

/// All links have 10 B/ps. A sends half of its packets over link 0 and half over link 1; B sends
/// all over link 0. C sends all over link 1, and a fifth of them also over link 2. On link 0, 1.5
/// r = 10, so A and B get 20/3. Link 1 has 10 − 10/3 left for C: 20/3, of which 4/3 cross link 2.
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

/// The same flows with 1 B/ps on link 2: this link limits C to 5 B/ps, a fifth of which crosses it.
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

/// Two flows use one link, one after the other. The moment at which one ends and the other starts
/// counts for neither.
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

/// The definition of max-min fair rates: each flow has a full link on which no flow has a higher
/// rate. Checked in 200 random networks of 12 links and 30 flows, all alive for 1 ps.
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

/// A change of flows computes rates anew only in the part of the network that it touches. The rates
/// must equal those of a full computation. To force one, a further flow without effect joins all
/// links; each other flow's share must stay the same.
#[test]
fn what_a_change_cannot_touch_stays() {
    for seed in 0..50 {
        let mut random = RandomStream::of_network(seed, 1, NetworkPurpose::Scheduling);
        let mut below = |most: u32| (random.uniform() * f64::from(most)) as u32;
        // Flows stay inside pairs of links, so the network has up to six separate parts.
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
        // The added link is full at once, and its flow, which is on all links, has a rate near
        // zero.
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
