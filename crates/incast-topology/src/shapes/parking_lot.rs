//! Parking lot: one long path, and cross traffic at each of its bottlenecks.
//!
//! Floyd, "Connections with multiple congested gateways in packet-switched networks", CCR 1991. A
//! flow from host 0 to host 1 crosses all n bottlenecks; a flow from host 2 + 2i to host 3 + 2i
//! crosses the i-th alone. With n = 2 it is also FNCC's network for congestion at different hops
//! (§5.4, Fig. 11). Two flows go to host 1: from hosts 0 and 2 (congestion at the first hop), 0 and
//! 4 (middle), or 0 and 5 (last).
//!
//! ```text
//!      2        4  3       6  5          3+2(n−1)  1
//!      │        │ ╱        │ ╱                  ╲  │
//! 0 ─ s0 ───── s1 ─────── s2 ── … ───────────── s(n)
//! ```
//!
//! | parameter     | unit  | default  | meaning                         |
//! |---------------|-------|----------|---------------------------------|
//! | `bottlenecks` | 1     | 2        | n, links between switches       |
//! | `host_rate`   | bit/s | 100 Gb/s | of the hosts' links             |
//! | `trunk_rate`  | bit/s | 100 Gb/s | of the links between switches   |
//! | `delay`       | s     | 1.5 µs   | of every link                   |
//!
//! Links: 2 + 2n + n.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::plan::{Size, TopologyBuilder, Wire};
use crate::topology::Topology;

/// One long path, and cross traffic at each of its bottlenecks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ParkingLot {
    /// How many links between switches the long path crosses.
    pub bottlenecks: u32,
    /// The rate of the hosts' links.
    pub host_rate: Rate,
    /// The rate of the links between switches.
    pub trunk_rate: Rate,
    /// The propagation delay of every link.
    pub delay: Time,
}

impl Default for ParkingLot {
    fn default() -> Self {
        let rate = Rate::from_gbps(100);
        Self {
            bottlenecks: 2,
            host_rate: rate,
            trunk_rate: rate,
            delay: Time::from_ns(1_500),
        }
    }
}

impl Shape for ParkingLot {}

impl ParkingLot {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        let bottlenecks = u64::from(self.bottlenecks);
        let hosts = 2 + 2 * bottlenecks;
        Size {
            hosts,
            switches: bottlenecks + 1,
            links: hosts + bottlenecks,
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let name = format!("parking lot of {} bottlenecks", self.bottlenecks);
        let mut plan = TopologyBuilder::new(name, self.size())?;
        let first = plan.switches("switch", self.bottlenecks + 1);
        let last = first + self.bottlenecks;
        let wire = |rate| Wire {
            rate,
            delay: self.delay,
        };
        plan.link(0, first, wire(self.host_rate));
        plan.link(1, last, wire(self.host_rate));
        for bottleneck in 0..self.bottlenecks {
            let (source, sink) = (2 + 2 * bottleneck, 3 + 2 * bottleneck);
            plan.link(source, first + bottleneck, wire(self.host_rate));
            plan.link(sink, first + bottleneck + 1, wire(self.host_rate));
        }
        for switch in first..last {
            plan.link(switch, switch + 1, wire(self.trunk_rate));
        }
        plan.finish()
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::at_least(1, "bottlenecks", self.bottlenecks)?;
        check::rate("host_rate", self.host_rate)?;
        check::rate("trunk_rate", self.trunk_rate)?;
        check::delay("delay", self.delay)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::HostId;

    use super::*;
    use crate::{NextHopOrder, Routes};

    /// n = 2: hosts 0 to 5, switches 6 to 8, 2 + 4 + 2 = 8 links.
    #[test]
    fn cross_traffic_joins_at_each_bottleneck() {
        let lot = ParkingLot::default();
        assert_eq!(
            lot.size(),
            Size {
                hosts: 6,
                switches: 3,
                links: 8
            }
        );
        let topology = lot.build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        let links: Vec<_> = topology
            .links
            .iter()
            .map(|link| (link.a.0, link.b.0))
            .collect();
        let expected = [
            (0, 6),
            (1, 8),
            (2, 6),
            (3, 7),
            (4, 7),
            (5, 8),
            (6, 7),
            (7, 8),
        ];
        assert_eq!(links, expected);
    }

    /// The long path has n + 2 = 5 links for n = 3, cross paths have 3.
    #[test]
    fn the_long_path_crosses_all_bottlenecks() {
        let lot = ParkingLot {
            bottlenecks: 3,
            ..ParkingLot::default()
        };
        let routes = Routes::shortest(&lot.build().unwrap(), NextHopOrder::ByPort);
        assert_eq!(routes.hops(HostId(0), HostId(1)), Some(5));
        for cross in 0..3 {
            assert_eq!(
                routes.hops(HostId(2 + 2 * cross), HostId(3 + 2 * cross)),
                Some(3)
            );
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let message = |change: fn(&mut ParkingLot)| {
            let mut lot = ParkingLot::default();
            change(&mut lot);
            lot.build().unwrap_err().what
        };
        for (found, parameter) in [
            (message(|lot| lot.bottlenecks = 0), "`bottlenecks` is 0"),
            (
                message(|lot| lot.host_rate = Rate::ZERO),
                "`host_rate` is 0",
            ),
            (
                message(|lot| lot.trunk_rate = Rate::ZERO),
                "`trunk_rate` is 0",
            ),
            (message(|lot| lot.delay = Time::ZERO), "`delay` is 0"),
            (
                message(|lot| lot.bottlenecks = u32::MAX),
                "12884901888 nodes",
            ),
        ] {
            assert!(found.starts_with(parameter), "{found}");
        }
    }
}
