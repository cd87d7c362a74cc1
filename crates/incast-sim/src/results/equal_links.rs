//! The balance of traffic over equivalent links: links of one switch with the same rate that lead
//! one tier away from the hosts.
//!
//! ```text
//! largest over mean = Σ over groups max bytes / Σ over groups mean bytes
//! Jain's index      = Σ over groups w·(Σ b)²/(n·Σ b²),  w: the group's share of all bytes
//! ```

use std::collections::BTreeMap;

use incast_units::{NodeId, Rate};
use serde::{Deserialize, Serialize};

use super::ports::{LinkUse, PortNames};

/// The balance of traffic over equivalent links.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EqualLinks {
    /// Number of switches whose equivalent links carried traffic.
    pub switches: u64,
    /// Bytes of the busiest link over the mean of its group; 1 if all links carried the same.
    pub largest_over_mean: f64,
    /// Jain's index over the links of a group; 1 if all links carried the same.
    pub jain: f64,
}

impl EqualLinks {
    /// `None` if no equivalent links carried traffic.
    pub(crate) fn of(links: LinkUse<'_>, ports: &PortNames) -> Option<Self> {
        let groups = groups(ports);
        let sent = |group: &Vec<usize>| -> Vec<u64> {
            group
                .iter()
                .map(|port| links.sent(*port).as_u64())
                .collect()
        };
        Self::of_groups(groups.iter().map(sent))
    }

    /// Facts from the bytes of each link, group by group.
    fn of_groups(groups: impl Iterator<Item = Vec<u64>>) -> Option<Self> {
        let (mut switches, mut largest, mut means, mut jain, mut all) = (0, 0.0, 0.0, 0.0, 0.0);
        for bytes in groups {
            let sum: u64 = bytes.iter().sum();
            let Some(max) = bytes.iter().max().filter(|_| sum > 0) else {
                continue;
            };
            let (sum, links) = (sum as f64, bytes.len() as f64);
            let squares: f64 = bytes.iter().map(|bytes| (*bytes as f64).powi(2)).sum();
            switches += 1;
            largest += *max as f64;
            means += sum / links;
            jain += sum * (sum * sum / (links * squares));
            all += sum;
        }
        (switches > 0).then(|| Self {
            switches,
            largest_over_mean: largest / means,
            jain: jain / all,
        })
    }
}

/// Groups of at least two equivalent links, as global port indices.
fn groups(ports: &PortNames) -> Vec<Vec<usize>> {
    let tiers = tiers(ports);
    let mut groups: BTreeMap<(NodeId, Rate), Vec<usize>> = BTreeMap::new();
    for (number, port) in ports.iter().enumerate() {
        let (here, there) = (tiers[port.node.index()], tiers[port.peer.index()]);
        if here > 0 && there > here {
            groups
                .entry((port.node, port.rate))
                .or_default()
                .push(number);
        }
    }
    let several = groups.into_values().filter(|group| group.len() > 1);
    several.collect()
}

/// The distance of each node from the nearest host, in links.
fn tiers(ports: &PortNames) -> Vec<u32> {
    let nodes = ports.iter().last().map_or(0, |port| port.node.index() + 1);
    let mut tiers = vec![u32::MAX; nodes];
    for port in ports.iter().filter(|port| port.at_host) {
        tiers[port.node.index()] = 0;
    }
    for tier in 0.. {
        let next: Vec<_> = ports
            .iter()
            .filter(|port| tiers[port.node.index()] == tier)
            .map(|port| port.peer.index())
            .filter(|peer| tiers[*peer] == u32::MAX)
            .collect();
        if next.is_empty() {
            break;
        }
        next.into_iter().for_each(|node| tiers[node] = tier + 1);
    }
    tiers
}

#[cfg(test)]
mod tests {
    use incast_topology::{Ports, TopologySpec};

    use super::*;

    fn of(groups: &[&[u64]]) -> Option<EqualLinks> {
        EqualLinks::of_groups(groups.iter().map(|group| group.to_vec()))
    }

    /// 100 and 300 B: the larger is 1.5 of the mean, Jain's index 400²/(2·100,000) = 0.8. With a
    /// second group of two links of 800 B each: (300 + 800)/(200 + 800) = 1.1;
    /// (400·0.8 + 1600)/2000 = 0.96.
    #[test]
    fn groups_count_by_their_bytes() {
        let close = |links: EqualLinks, largest: f64, jain: f64| {
            (links.largest_over_mean - largest).abs() < 1e-12 && (links.jain - jain).abs() < 1e-12
        };
        assert!(close(of(&[&[100, 300]]).unwrap(), 1.5, 0.8));
        let two = of(&[&[100, 300], &[800, 800], &[0, 0]]).unwrap();
        assert!(close(two, 1.1, 0.96));
        assert_eq!(two.switches, 2);
        assert_eq!(of(&[&[0, 0]]), None);
        assert_eq!(of(&[]), None);
    }

    /// In a fat tree with k = 4, the two uplinks of each of 8 ToRs and 8 aggregation switches; in a
    /// star none.
    #[test]
    fn links_away_from_hosts_are_groups() {
        let groups = |shape: &str| {
            let shape: TopologySpec = toml::from_str(shape).unwrap();
            let topology = shape.build().unwrap();
            let ports = Ports::new(&topology);
            groups(&PortNames::new(&topology, &ports))
        };
        let tree = groups("kind = \"fat-tree\"\nk = 4");
        assert_eq!(tree.len(), 16);
        assert!(tree.iter().all(|group| group.len() == 2));
        assert_eq!(groups("kind = \"star\"\nhosts = 5").len(), 0);
    }
}
