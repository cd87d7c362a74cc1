//! Torus: switches on a grid of any number of dimensions; each line of the grid is a ring.
//!
//! Dally, Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE
//! Transactions on Computers 36(5), 1987: k-ary n-cubes. With `wrap = false` lines stay open: a
//! mesh.
//!
//! ```text
//!  ╭──────────╮     dimensions = [4, 3], the first from left to right; each switch has
//!  ├ 8  9 10 11     `hosts_per_switch` hosts
//!  ├ 4  5  6  7     the ring of a column: 0, 4, 8, and back to 0
//!  ╰ 0  1  2  3     the ring of a row: 0, 1, 2, 3, and back to 0
//! ```
//!
//! | parameter          | unit  | default     | meaning                                      |
//! |--------------------|-------|-------------|----------------------------------------------|
//! | `dimensions`       | 1     | [4, 4, 4]   | k₀, k₁, …: switches along each, at least 2   |
//! | `hosts_per_switch` | 1     | 1           | h                                            |
//! | `wrap`             |       | true        | whether lines are closed to rings            |
//! | `host_rate`        | bit/s | 100 Gb/s    | of links from hosts to switches              |
//! | `switch_rate`      | bit/s | `host_rate` | of links between switches                    |
//! | `delay`            | s     | 1 µs        | of every link                                |
//!
//! Links, with N = k₀·k₁·… switches: N·h, and for each dimension N if kᵢ ≥ 3, N/2 if kᵢ = 2 (the
//! ring of two switches is one link, not two), N − N/kᵢ in a mesh.
//!
//! The switch at (x₀, x₁, …) has number x₀ + k₀·(x₁ + k₁·(…)), and hosts are numbered alike. The
//! longest of all shortest paths crosses ⌊k₀/2⌋ + ⌊k₁/2⌋ + … links between switches, in a mesh
//! (k₀ − 1) + (k₁ − 1) + …

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::plan::{Size, TopologyBuilder, Wire};
use crate::topology::Topology;

/// Switches on a grid of any number of dimensions; each line of the grid is a ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Torus {
    /// How many switches there are along each dimension, at least 2.
    pub dimensions: Vec<u32>,
    /// How many hosts each switch has.
    pub hosts_per_switch: u32,
    /// Whether the last switch of each line is joined to the first; otherwise the network is a
    /// mesh.
    pub wrap: bool,
    /// The rate of links from hosts to switches.
    pub host_rate: Rate,
    /// The rate of links between switches; `host_rate` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_rate: Option<Rate>,
    /// The propagation delay of every link.
    pub delay: Time,
}

impl Default for Torus {
    fn default() -> Self {
        Self {
            dimensions: vec![4, 4, 4],
            hosts_per_switch: 1,
            wrap: true,
            host_rate: Rate::from_gbps(100),
            switch_rate: None,
            delay: Time::from_us(1),
        }
    }
}

impl Shape for Torus {}

impl Torus {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        let lengths = || self.dimensions.iter().map(|&length| u64::from(length));
        let switches = lengths().fold(1, u64::saturating_mul);
        let hosts = switches.saturating_mul(self.hosts_per_switch.into());
        let lines = |length: u64| switches.checked_div(length).unwrap_or(0);
        let along = |length| match self.is_ring(length) {
            true => switches,
            false => switches - lines(length),
        };
        Size {
            hosts,
            switches,
            links: lengths().map(along).fold(hosts, u64::saturating_add),
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let lengths: Vec<_> = self.dimensions.iter().map(u32::to_string).collect();
        let kind = match self.wrap {
            true => "torus",
            false => "mesh",
        };
        let name = format!("{kind} of {}", lengths.join(" × "));
        let size = self.size();
        let mut plan = TopologyBuilder::new(name, size)?;
        let switches = plan.switches("switch", size.switches as u32);
        for host in 0..switches {
            let wire = self.wire(self.host_rate);
            plan.link(host, switches + host / self.hosts_per_switch, wire);
        }
        let wire = self.wire(self.switch_rate.unwrap_or(self.host_rate));
        for switch in 0..size.switches as u32 {
            for next in self.next_along_dimensions(switch) {
                plan.link(switches + switch, switches + next, wire);
            }
        }
        plan.finish()
    }

    /// The next switch along each dimension in which a link leads on from `switch`.
    fn next_along_dimensions(&self, switch: u32) -> Vec<u32> {
        let mut next = Vec::with_capacity(self.dimensions.len());
        let mut stride = 1;
        for &length in &self.dimensions {
            let place = switch / stride % length;
            if place + 1 < length {
                next.push(switch + stride);
            } else if self.is_ring(length.into()) {
                next.push(switch - place * stride);
            }
            stride *= length;
        }
        next
    }

    /// Whether a line of `length` switches has a link from its last to its first. With two switches
    /// it would be a second link between them.
    fn is_ring(&self, length: u64) -> bool {
        self.wrap && length > 2
    }

    fn wire(&self, rate: Rate) -> Wire {
        let delay = self.delay;
        Wire { rate, delay }
    }

    fn check(&self) -> Result<(), Diagnostic> {
        if self.dimensions.is_empty() {
            let what = "`dimensions` is empty";
            return Err(Diagnostic::new(what, "write e.g. [4, 4, 4]").at("dimensions"));
        }
        if let Some(length) = self.dimensions.iter().find(|&&length| length < 2) {
            return Err(Diagnostic::new(
                format!("`dimensions` has a {length}"),
                "write at least 2 for each, and leave out those of 1",
            )
            .at("dimensions"));
        }
        check::at_least(1, "hosts_per_switch", self.hosts_per_switch)?;
        check::rate("host_rate", self.host_rate)?;
        check::rate("switch_rate", self.switch_rate.unwrap_or(self.host_rate))?;
        check::delay("delay", self.delay)
    }
}

#[cfg(test)]
mod tests;
