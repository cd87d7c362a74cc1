//! Clos of 320 hosts: the fat tree of HPCC's evaluation.
//!
//! Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, §5.1. Links and node numbers
//! are those of the topology file of its ns-3 artifact. Snyder & Lebeck, "Fast Convergence to
//! Fairness", §VI, use the same network. Snyder's One-RTT Convergence (2022) uses it with 16 times
//! the rates.
//!
//! ```text
//! core    16            aggregation switch p of each pod has links to cores 4p to 4p + 3
//! agg      4 in each of 5 pods
//! tor      4 in each of 5 pods
//! host    16 on each ToR
//! ```
//!
//! | parameter     | unit  | default  | meaning                        |
//! |---------------|-------|----------|--------------------------------|
//! | `host_rate`   | bit/s | 100 Gb/s | of links from hosts to ToRs    |
//! | `fabric_rate` | bit/s | 400 Gb/s | of links between switches      |
//! | `delay`       | s     | 1 µs     | of every link                  |
//!
//! Links: 320 + 5·4·4 + 5·4·4 = 480. Not oversubscribed: a ToR has 16·100 Gb/s down and
//! 4·400 Gb/s up.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::clos::{Clos, CoreOrder, Tier};
use super::plan::Size;
use crate::topology::Topology;

/// The fat tree of HPCC's evaluation: 320 hosts, 56 switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Clos320 {
    /// The rate of links from hosts to ToRs.
    pub host_rate: Rate,
    /// The rate of links between switches.
    pub fabric_rate: Rate,
    /// The propagation delay of every link.
    pub delay: Time,
}

impl Default for Clos320 {
    fn default() -> Self {
        Self {
            host_rate: Rate::from_gbps(100),
            fabric_rate: Rate::from_gbps(400),
            delay: Time::from_us(1),
        }
    }
}

impl Shape for Clos320 {}

impl Clos320 {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        self.clos().size()
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        self.clos().build()
    }

    fn clos(&self) -> Clos {
        Clos {
            name: "Clos of 320 hosts".to_owned(),
            pods: 5,
            tors_per_pod: 4,
            hosts_per_tor: 16,
            aggs_per_pod: 4,
            cores_per_agg: 4,
            core_order: CoreOrder::Grouped,
            host_links: Tier::single(self.host_rate, self.delay),
            agg_links: Tier::single(self.fabric_rate, self.delay),
            core_links: Tier::single(self.fabric_rate, self.delay),
            labels: ["tor", "agg", "core"],
        }
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::rate("host_rate", self.host_rate)?;
        check::rate("fabric_rate", self.fabric_rate)?;
        check::delay("delay", self.delay)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use incast_units::{HostId, NodeId};

    use super::*;
    use crate::digest::fnv1a;
    use crate::{NextHopOrder, Ports, Routes};

    #[test]
    fn the_size_follows_the_formula() {
        let clos = Clos320::default();
        assert_eq!(
            clos.size(),
            Size {
                hosts: 320,
                switches: 56,
                links: 480
            }
        );
        assert_eq!(clos.build().unwrap().validate(), Ok(()));
    }

    /// The digest of lines `a b rate/Gbps delay/ns`, one for each link, of the artifact's
    /// `mix/fat.txt` (alibaba-edu/High-Precision-Congestion-Control, 9f4be2a).
    #[test]
    fn links_are_those_of_the_artifact() {
        let mut lines = String::new();
        for link in Clos320::default().build().unwrap().links {
            let (gbps, ns) = (link.rate.as_bps() / 1_000_000_000, link.delay.as_ns());
            writeln!(lines, "{} {} {gbps} {ns}", link.a, link.b).unwrap();
        }
        assert_eq!(fnv1a(lines.as_bytes()), LINKS_DIGEST);
    }

    /// The digest of lines `node destination next_hop_node …`, for all nodes and destinations, of
    /// the tables of a run of the artifact. The artifact orders next hops by addresses on the heap:
    /// largest node first.
    #[test]
    fn next_hops_are_those_of_the_artifact() {
        let topology = Clos320::default().build().unwrap();
        let ports = Ports::new(&topology);
        let routes = Routes::shortest(&topology, NextHopOrder::DescendingNode);
        let mut lines = String::new();
        for node in (0..topology.nodes()).map(NodeId) {
            for host in (0..topology.hosts).filter(|&host| host != node.0) {
                write!(lines, "{node} {host}").unwrap();
                let next_hops = match topology.is_host(node) {
                    true => &[0],
                    false => routes.next_hops(node, HostId(host)),
                };
                for &port in next_hops {
                    write!(lines, " {}", ports.of(node)[usize::from(port)].peer).unwrap();
                }
                lines.push('\n');
            }
        }
        assert_eq!(fnv1a(lines.as_bytes()), NEXT_HOPS_DIGEST);
    }

    const LINKS_DIGEST: u64 = 0xfce7_1f4e_280a_e5f3;
    const NEXT_HOPS_DIGEST: u64 = 0x9358_35ea_697d_ab99;

    #[test]
    fn impossible_parameters_are_refused() {
        let message = |change: fn(&mut Clos320)| {
            let mut clos = Clos320::default();
            change(&mut clos);
            clos.build().unwrap_err().what
        };
        for (found, parameter) in [
            (message(|clos| clos.host_rate = Rate::ZERO), "host_rate"),
            (message(|clos| clos.fabric_rate = Rate::ZERO), "fabric_rate"),
            (message(|clos| clos.delay = Time::ZERO), "delay"),
        ] {
            assert!(found.starts_with(&format!("`{parameter}` is 0")), "{found}");
        }
    }
}
