//! Clos of 64 hosts: LGC's "8-ary fat tree".
//!
//! Teymoori et al., "LGC", §VI, Fig. 10(i): 64 nodes, all links 10 Gb/s. A full fat tree of k = 8
//! has 128 hosts, and two tiers of 8-port switches have 32. So this network is a fat tree of k = 8
//! with half of the hosts, two on each ToR.
//!
//! | parameter | unit  | default    | meaning       |
//! |-----------|-------|------------|---------------|
//! | `rate`    | bit/s | 10 Gb/s    | of every link |
//! | `delay`   | s     | 16.6666 µs | of every link |
//!
//! The paper's one-way delay of 100 µs is divided by the six links of a path between pods.
//!
//! Links: 64 + 8·4·4 + 8·4·4 = 320.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::fat_tree::FatTree;
use super::plan::Size;
use crate::topology::Topology;

/// LGC's half-populated fat tree of k = 8: 64 hosts, 80 switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Clos64 {
    /// The rate of every link.
    pub rate: Rate,
    /// The propagation delay of every link.
    pub delay: Time,
}

impl Default for Clos64 {
    fn default() -> Self {
        Self {
            rate: Rate::from_gbps(10),
            delay: Time::from_ps(16_666_600),
        }
    }
}

impl Shape for Clos64 {}

impl Clos64 {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        self.fat_tree().size()
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        check::rate("rate", self.rate)?;
        check::delay("delay", self.delay)?;
        let topology = self.fat_tree().build()?;
        Ok(Topology {
            name: "Clos of 64 hosts".to_owned(),
            ..topology
        })
    }

    fn fat_tree(&self) -> FatTree {
        FatTree {
            k: 8,
            hosts_per_tor: Some(2),
            host_rate: self.rate,
            delay: self.delay,
            ..FatTree::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_follows_the_formula() {
        let clos = Clos64::default();
        assert_eq!(
            clos.size(),
            Size {
                hosts: 64,
                switches: 80,
                links: 320
            }
        );
        let topology = clos.build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        assert!(
            topology
                .links
                .iter()
                .all(|link| link.rate == Rate::from_gbps(10))
        );
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let no_rate = Clos64 {
            rate: Rate::ZERO,
            ..Clos64::default()
        };
        let message = no_rate.build().unwrap_err().what;
        assert!(message.starts_with("`rate` is 0"), "{message}");
        let no_delay = Clos64 {
            delay: Time::ZERO,
            ..Clos64::default()
        };
        let message = no_delay.build().unwrap_err().what;
        assert!(message.starts_with("`delay` is 0"), "{message}");
    }
}
