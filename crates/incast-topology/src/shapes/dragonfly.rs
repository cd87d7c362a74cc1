//! Dragonfly: groups of routers. All routers of a group are joined to each other, and so are all
//! groups.
//!
//! Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008,
//! §3.1 and Fig. 5: p = h = 2, a = 4 and g = 9, which are the defaults. The paper balances load
//! with a = 2p = 2h, and has at most g = a·h + 1 groups.
//!
//! ```text
//!           to other groups: a·h global links, h of each router
//!           ││    ││    ││    ││
//! group   ╭─r0────r1────r2────r3─╮    a routers, each joined to each other by a local link
//!         ╰──────────────────────╯
//! host      01    23    45    67      p on each router
//! ```
//!
//! | parameter                 | unit  | default      | meaning                                |
//! |---------------------------|-------|--------------|----------------------------------------|
//! | `groups`                  | 1     | a·h + 1      | g, at least 2                          |
//! | `routers_per_group`       | 1     | 4            | a                                      |
//! | `hosts_per_router`        | 1     | 2            | p                                      |
//! | `global_links_per_router` | 1     | 2            | h                                      |
//! | `host_rate`               | bit/s | 100 Gb/s     | of links from hosts to routers         |
//! | `local_rate`              | bit/s | `host_rate`  | of links inside groups                 |
//! | `global_rate`             | bit/s | `local_rate` | of links between groups                |
//! | `delay`                   | s     | 1 µs         | of links from hosts to routers         |
//! | `local_delay`             | s     | `delay`      | of links inside groups                 |
//! | `global_delay`            | s     | `local_delay` | of links between groups               |
//!
//! Links: g·a·p + g·a·(a − 1)/2 + ⌊g·a·h/2⌋.
//!
//! Global port k of a group, 0 to a·h − 1, belongs to its router ⌊k/h⌋. Ports in order lead to the
//! next group, the one after it, and so on around to the previous group; then the order repeats.
//! This gives q = ⌊a·h/(g − 1)⌋ links for each pair of groups. In each group r = a·h − q·(g − 1)
//! ports are left. They lead to the ⌊r/2⌋ nearest groups on either side and, if r is odd, to the
//! opposite group. If g is odd, too, there are two opposite groups; the port leads to one of them,
//! and one port of one group stays free. So pairs of groups have q or q + 1 links. If groups are
//! few, two routers may have several links.
//!
//! Packets take paths of fewest links. Most of these paths cross one global link, but a path with
//! two or three global links counts as equal if it is as short. So routing is not the paper's MIN,
//! which crosses one global link, nor Valiant's, nor UGAL.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::plan::{Size, TopologyBuilder, Wire, product};
use crate::topology::Topology;

/// Groups of routers; all routers of a group are joined to each other, and so are all groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dragonfly {
    /// How many groups there are; if absent, as many as global links can join.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<u32>,
    /// How many routers each group has.
    pub routers_per_group: u32,
    /// How many hosts each router has.
    pub hosts_per_router: u32,
    /// How many links each router has to other groups.
    pub global_links_per_router: u32,
    /// The rate of links from hosts to routers.
    pub host_rate: Rate,
    /// The rate of links inside groups; `host_rate` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_rate: Option<Rate>,
    /// The rate of links between groups; `local_rate` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_rate: Option<Rate>,
    /// The propagation delay of links from hosts to routers.
    pub delay: Time,
    /// The propagation delay of links inside groups; `delay` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_delay: Option<Time>,
    /// The propagation delay of links between groups; `local_delay` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_delay: Option<Time>,
}

/// A global link: at each end, the group and its global port.
type GlobalLink = [(u32, u32); 2];

impl Default for Dragonfly {
    fn default() -> Self {
        Self {
            groups: None,
            routers_per_group: 4,
            hosts_per_router: 2,
            global_links_per_router: 2,
            host_rate: Rate::from_gbps(100),
            local_rate: None,
            global_rate: None,
            delay: Time::from_us(1),
            local_delay: None,
            global_delay: None,
        }
    }
}

impl Shape for Dragonfly {}

impl Dragonfly {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        let routers = product([self.routers_per_group]).saturating_mul(self.group_count());
        let hosts = routers.saturating_mul(self.hosts_per_router.into());
        let local = self.routers_per_group.saturating_sub(1).into();
        let global = self.global_links_per_router.into();
        Size {
            hosts,
            switches: routers,
            links: hosts
                .saturating_add(routers.saturating_mul(local) / 2)
                .saturating_add(routers.saturating_mul(global) / 2),
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let size = self.size();
        let a = self.routers_per_group;
        let name = format!(
            "dragonfly of {} groups, {a} × {} hosts each",
            self.group_count(),
            self.hosts_per_router
        );
        let mut plan = TopologyBuilder::new(name, size)?;
        let routers = plan.switches("router", size.switches as u32);
        let [host_wire, local_wire, global_wire] = self.wires();
        for host in 0..routers {
            plan.link(host, routers + host / self.hosts_per_router, host_wire);
        }
        for first in (0..size.switches as u32).step_by(a as usize) {
            for (one, other) in (0..a).flat_map(|one| (one + 1..a).map(move |other| (one, other))) {
                let first = routers + first;
                plan.link(first + one, first + other, local_wire);
            }
        }
        let router =
            |(group, port): (u32, u32)| routers + group * a + port / self.global_links_per_router;
        for [one, other] in self.global_links() {
            plan.link(router(one), router(other), global_wire);
        }
        plan.allow_parallel_links();
        plan.finish()
    }

    fn group_count(&self) -> u64 {
        let reached = self.global_ports();
        self.groups.map_or(reached.saturating_add(1), u64::from)
    }

    /// Number of global ports of a group.
    fn global_ports(&self) -> u64 {
        product([self.routers_per_group, self.global_links_per_router])
    }

    /// Rate and delay of links to hosts, inside groups, and between groups.
    fn wires(&self) -> [Wire; 3] {
        let local_rate = self.local_rate.unwrap_or(self.host_rate);
        let global_rate = self.global_rate.unwrap_or(local_rate);
        let local_delay = self.local_delay.unwrap_or(self.delay);
        let global_delay = self.global_delay.unwrap_or(local_delay);
        [
            (self.host_rate, self.delay),
            (local_rate, local_delay),
            (global_rate, global_delay),
        ]
        .map(|(rate, delay)| Wire { rate, delay })
    }

    /// All global links: first those that every pair of groups has, then those of the remaining
    /// ports.
    fn global_links(&self) -> Vec<GlobalLink> {
        let (groups, ports) = (self.group_count() as u32, self.global_ports() as u32);
        let (others, rounds) = (groups - 1, ports / (groups - 1));
        let mut links = Vec::new();
        for round in 0..rounds {
            for (one, other) in (0..groups).flat_map(|a| (a + 1..groups).map(move |b| (a, b))) {
                let (there, back) = (other - one - 1, groups - other + one - 1);
                links.push([
                    (one, round * others + there),
                    (other, round * others + back),
                ]);
            }
        }
        links.extend(ports_left(groups, rounds * others, ports - rounds * others));
        links
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::at_least(1, "routers_per_group", self.routers_per_group)?;
        check::at_least(1, "hosts_per_router", self.hosts_per_router)?;
        check::at_least(1, "global_links_per_router", self.global_links_per_router)?;
        check::at_least(2, "groups", self.groups.unwrap_or(2))?;
        let groups_max = self.global_ports().saturating_add(1);
        if self.group_count() > groups_max {
            return Err(Diagnostic::new(
                format!(
                    "`groups` is {}, but the {} global links of a group reach {} others at most",
                    self.group_count(),
                    self.global_ports(),
                    self.global_ports()
                ),
                format!(
                    "write at most {groups_max}, or larger `routers_per_group` or \
                     `global_links_per_router`"
                ),
            )
            .at("groups"));
        }
        check::rate("host_rate", self.host_rate)?;
        check::rate("local_rate", self.local_rate.unwrap_or(self.host_rate))?;
        check::rate("global_rate", self.global_rate.unwrap_or(self.host_rate))?;
        check::delay("delay", self.delay)?;
        check::delay("local_delay", self.local_delay.unwrap_or(self.delay))?;
        check::delay("global_delay", self.global_delay.unwrap_or(self.delay))
    }
}

/// Links of the last `left` ports of each group, fewer than there are other groups. They lead to
/// the nearest groups, equally many on either side, and to the opposite group if `left` is odd.
fn ports_left(groups: u32, first: u32, left: u32) -> Vec<GlobalLink> {
    let mut links = Vec::new();
    for distance in 1..=left / 2 {
        for group in 0..groups {
            let other = (group + distance) % groups;
            let (there, back) = (first + distance - 1, first + left - distance);
            links.push([(group, there), (other, back)]);
        }
    }
    if left % 2 == 1 {
        // If g is odd, steps of ⌊g/2⌋ from group 0 visit all groups; every second step is a link.
        let half = groups / 2;
        for number in 0..half {
            let group = match groups % 2 {
                0 => number,
                _ => 2 * number * half % groups,
            };
            let port = first + left / 2;
            links.push([(group, port), ((group + half) % groups, port)]);
        }
    }
    links
}

#[cfg(test)]
mod tests;
