//! Star: hosts around one switch, the smallest network with incast.
//!
//! Snyder & Lebeck, "Fast Convergence to Fairness for Reduced Long Flow Tail Latency", §III: 17
//! hosts, of which 16 send to the last, 100 Gb/s, 1 µs; §VI has 97 hosts. It is also the incast
//! rack of Teymoori et al., "LGC", §VI, whose hosts differ in base RTT.
//!
//! ```text
//!        n           switch n; its port i leads to host i
//!    ╱ ╱ │ ╲ ╲
//!   0 1  2  …  n−1   hosts
//! ```
//!
//! | parameter     | unit  | default  | meaning                                      |
//! |---------------|-------|----------|----------------------------------------------|
//! | `hosts`       | 1     | 17       | n                                            |
//! | `rate`        | bit/s | 100 Gb/s | of every link                                |
//! | `delay`       | s     | 1 µs     | of every link                                |
//! | `host_delays` | s     | none     | of each host's link, instead of `delay`      |
//!
//! Links: n.

use incast_diagnostic::Diagnostic;
use incast_registry::NamedSet;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::plan::{Size, TopologyBuilder, Wire};
use crate::topology::Topology;

/// Hosts around one switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Star {
    /// How many hosts there are.
    pub hosts: u32,
    /// The rate of every link.
    pub rate: Rate,
    /// The propagation delay of every link.
    pub delay: Time,
    /// The propagation delay of each host's link, for hosts that differ in base RTT.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_delays: Vec<Time>,
}

impl Default for Star {
    fn default() -> Self {
        Self {
            hosts: 17,
            rate: Rate::from_gbps(100),
            delay: Time::from_us(1),
            host_delays: Vec::new(),
        }
    }
}

impl Shape for Star {
    const SETS: &'static [NamedSet<Self>] = &[NamedSet {
        name: "star-97",
        summary: "97 hosts around one switch, 100 Gb/s, 1 µs",
        values: || Self {
            hosts: 97,
            ..Self::default()
        },
    }];
}

impl Star {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        let hosts = self.hosts.into();
        Size {
            hosts,
            switches: 1,
            links: hosts,
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let mut plan = TopologyBuilder::new(format!("star of {} hosts", self.hosts), self.size())?;
        let switch = plan.switches("switch", 1);
        for host in 0..self.hosts {
            let delay = self
                .host_delays
                .get(host as usize)
                .copied()
                .unwrap_or(self.delay);
            plan.link(
                host,
                switch,
                Wire {
                    rate: self.rate,
                    delay,
                },
            );
        }
        plan.finish()
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::at_least(2, "hosts", self.hosts)?;
        check::rate("rate", self.rate)?;
        check::delay("delay", self.delay)?;
        for &delay in &self.host_delays {
            check::delay("host_delays", delay)?;
        }
        check::per_host("host_delays", self.host_delays.len(), self.hosts)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::NodeId;

    use super::*;

    #[test]
    fn links_are_as_many_as_hosts() {
        let star = Star::default();
        assert_eq!(
            star.size(),
            Size {
                hosts: 17,
                switches: 1,
                links: 17
            }
        );
        let topology = star.build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        assert_eq!(topology.links.len(), 17);
        assert!(topology.links.iter().all(|link| link.b == NodeId(17)));
        assert_eq!(topology.label(NodeId(17)), "switch0");
    }

    /// LGC Fig. 8: base RTTs of 140 to 260 µs, less 100 µs for the receiver's link (50 µs one
    /// way), leave (140 − 100)/2 = 20 µs to (260 − 100)/2 = 80 µs for the senders' links.
    #[test]
    fn hosts_may_differ_in_delay() {
        let host_delays: Vec<_> = [20, 35, 50, 65, 80, 50].map(Time::from_us).to_vec();
        let star = Star {
            hosts: 6,
            host_delays: host_delays.clone(),
            ..Star::default()
        };
        let delays: Vec<_> = star
            .build()
            .unwrap()
            .links
            .iter()
            .map(|link| link.delay)
            .collect();
        assert_eq!(delays, host_delays);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let message = |star: Star| star.build().unwrap_err().to_string();
        let star = Star::default();
        assert_eq!(
            message(Star {
                hosts: 1,
                ..star.clone()
            }),
            "hosts: `hosts` is 1; write at least 2"
        );
        assert_eq!(
            message(Star {
                rate: Rate::ZERO,
                ..star.clone()
            }),
            "rate: `rate` is 0; nothing would ever leave; write e.g. `100Gbps`"
        );
        assert_eq!(
            message(Star {
                delay: Time::ZERO,
                ..star.clone()
            }),
            "delay: `delay` is 0; simulated time advances by the smallest link delay; \
             write at least `1ns`"
        );
        assert_eq!(
            message(Star {
                host_delays: vec![Time::from_us(1)],
                ..star.clone()
            }),
            "host_delays: `host_delays` has 1 entries for 17 hosts; write one for each"
        );
        assert_eq!(
            message(Star {
                hosts: u32::MAX,
                ..star
            }),
            "4294967296 nodes and 4294967295 links are too many: \
             at most 1048576 and 4194304"
        );
    }
}
