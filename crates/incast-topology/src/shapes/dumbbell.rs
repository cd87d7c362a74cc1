//! Dumbbell: senders, a chain of switches, receivers.
//!
//! Xu et al., "FNCC", §5.1, Fig. 9: M = 3 switches, N = 2 senders, one receiver, 100 Gb/s, 1.5 µs.
//! With other rates it is the network of Teymoori et al., "LGC", §IV, whose bottleneck has 1 to 6
//! times the hosts' rate. With M = 2 it is the dumbbell of testbeds.
//!
//! ```text
//!   0 ─╮                            ╭─ N
//!   …  ├─ s0 ── s1 ── … ── s(M−1) ──┤  …
//! N−1 ─╯                            ╰─ N+R−1
//! ```
//!
//! | parameter       | unit  | default  | meaning                                |
//! |-----------------|-------|----------|----------------------------------------|
//! | `switches`      | 1     | 3        | M, switches in the chain               |
//! | `senders`       | 1     | 2        | N, hosts at the first switch           |
//! | `receivers`     | 1     | 1        | R, hosts at the last switch            |
//! | `sender_rate`   | bit/s | 100 Gb/s | of the senders' links                  |
//! | `receiver_rate` | bit/s | 100 Gb/s | of the receivers' links                |
//! | `trunk_rate`    | bit/s | 100 Gb/s | of the links between switches          |
//! | `delay`         | s     | 1.5 µs   | of every link                          |
//!
//! Links: N + R + (M − 1). A sender's port 0 leads to the first switch, whose ports lead to the
//! senders in order (then, if M = 1, to the receivers), and last to the next switch.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::check;
use super::plan::{Size, TopologyBuilder, Wire};
use crate::topology::Topology;

/// Senders, a chain of switches, receivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dumbbell {
    /// How many switches the chain has.
    pub switches: u32,
    /// How many hosts there are at the first switch.
    pub senders: u32,
    /// How many hosts there are at the last switch.
    pub receivers: u32,
    /// The rate of the senders' links.
    pub sender_rate: Rate,
    /// The rate of the receivers' links.
    pub receiver_rate: Rate,
    /// The rate of the links between switches.
    pub trunk_rate: Rate,
    /// The propagation delay of every link.
    pub delay: Time,
}

impl Default for Dumbbell {
    fn default() -> Self {
        let rate = Rate::from_gbps(100);
        Self {
            switches: 3,
            senders: 2,
            receivers: 1,
            sender_rate: rate,
            receiver_rate: rate,
            trunk_rate: rate,
            delay: Time::from_ns(1_500),
        }
    }
}

impl Shape for Dumbbell {}

impl Dumbbell {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        let hosts = u64::from(self.senders) + u64::from(self.receivers);
        let switches = self.switches.into();
        Size {
            hosts,
            switches,
            links: (hosts + switches).saturating_sub(1),
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If a parameter is impossible.
    pub fn build(&self) -> Result<Topology, Diagnostic> {
        self.check()?;
        let name = format!(
            "dumbbell of {} + {} hosts, {} switches",
            self.senders, self.receivers, self.switches
        );
        let mut plan = TopologyBuilder::new(name, self.size())?;
        let first = plan.switches("switch", self.switches);
        let last = first + self.switches - 1;
        let wire = |rate| Wire {
            rate,
            delay: self.delay,
        };
        for sender in 0..self.senders {
            plan.link(sender, first, wire(self.sender_rate));
        }
        for receiver in self.senders..first {
            plan.link(receiver, last, wire(self.receiver_rate));
        }
        for switch in first..last {
            plan.link(switch, switch + 1, wire(self.trunk_rate));
        }
        plan.finish()
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check::at_least(1, "switches", self.switches)?;
        check::at_least(1, "senders", self.senders)?;
        check::at_least(1, "receivers", self.receivers)?;
        check::rate("sender_rate", self.sender_rate)?;
        check::rate("receiver_rate", self.receiver_rate)?;
        check::rate("trunk_rate", self.trunk_rate)?;
        check::delay("delay", self.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N = 2, R = 1, M = 3: 2 + 1 + (3 − 1) = 5 links.
    #[test]
    fn hosts_hang_at_both_ends_of_the_chain() {
        let dumbbell = Dumbbell::default();
        assert_eq!(
            dumbbell.size(),
            Size {
                hosts: 3,
                switches: 3,
                links: 5
            }
        );
        let topology = dumbbell.build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        let links: Vec<_> = topology
            .links
            .iter()
            .map(|link| (link.a.0, link.b.0))
            .collect();
        assert_eq!(links, [(0, 3), (1, 3), (2, 5), (3, 4), (4, 5)]);
    }

    #[test]
    fn each_part_has_its_rate() {
        let dumbbell = Dumbbell {
            sender_rate: Rate::from_gbps(10),
            receiver_rate: Rate::from_gbps(1),
            trunk_rate: Rate::from_gbps(60),
            ..Dumbbell::default()
        };
        let links = dumbbell.build().unwrap().links;
        let rates: Vec<_> = links
            .iter()
            .map(|link| link.rate.as_bps() / 1_000_000_000)
            .collect();
        assert_eq!(rates, [10, 10, 1, 60, 60]);
    }

    /// M = 1 is a star.
    #[test]
    fn one_switch_needs_no_trunk() {
        let dumbbell = Dumbbell {
            switches: 1,
            ..Dumbbell::default()
        };
        let topology = dumbbell.build().unwrap();
        assert_eq!(topology.validate(), Ok(()));
        assert_eq!(topology.links.len(), 3);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let message = |change: fn(&mut Dumbbell)| {
            let mut dumbbell = Dumbbell::default();
            change(&mut dumbbell);
            dumbbell.build().unwrap_err().what
        };
        for (found, parameter) in [
            (message(|d| d.switches = 0), "`switches` is 0"),
            (message(|d| d.senders = 0), "`senders` is 0"),
            (message(|d| d.receivers = 0), "`receivers` is 0"),
            (
                message(|d| d.sender_rate = Rate::ZERO),
                "`sender_rate` is 0",
            ),
            (
                message(|d| d.receiver_rate = Rate::ZERO),
                "`receiver_rate` is 0",
            ),
            (message(|d| d.trunk_rate = Rate::ZERO), "`trunk_rate` is 0"),
            (message(|d| d.delay = Time::ZERO), "`delay` is 0"),
            (message(|d| d.senders = u32::MAX), "4294967299 nodes"),
        ] {
            assert!(found.starts_with(parameter), "{found}");
        }
    }
}
