//! Folded Clos networks of two or three tiers, on which fat trees and leaf-spines are built.
//!
//! ```text
//! cores            each core has a bundle to one aggregation switch of every pod
//!   │
//! aggregation ╮    all to all inside a pod
//!   │         pod
//! ToRs        ╯
//!   │
//! hosts
//! ```
//!
//! Without cores, all aggregation switches are spines of one pod.

use incast_diagnostic::Diagnostic;
use incast_units::{Rate, Time};

use super::plan::{Size, TopologyBuilder, Wire, product};
use crate::topology::Topology;

/// A folded Clos network.
#[derive(Clone, Debug)]
pub struct Clos {
    /// The name of the network.
    pub name: String,
    /// Pods.
    pub pods: u32,
    /// Number of ToRs in a pod.
    pub tors_per_pod: u32,
    /// Number of hosts on a ToR.
    pub hosts_per_tor: u32,
    /// Number of aggregation switches in a pod; of spines, if there are no cores.
    pub aggs_per_pod: u32,
    /// Number of cores that an aggregation switch has links to; 0 for two tiers.
    pub cores_per_agg: u32,
    /// How cores are assigned to aggregation switches.
    pub core_order: CoreOrder,
    /// Links from hosts to ToRs.
    pub host_links: Tier,
    /// Links from ToRs to aggregation switches.
    pub agg_links: Tier,
    /// Links from aggregation switches to cores.
    pub core_links: Tier,
    /// The labels of the switches, from the hosts upwards.
    pub labels: [&'static str; 3],
}

/// The links below a tier of switches.
#[derive(Copy, Clone, Debug)]
pub struct Tier {
    /// The rate of each direction.
    pub rate: Rate,
    /// The propagation delay of each direction.
    pub delay: Time,
    /// Number of links between the same two nodes.
    pub bundle: u32,
}

/// The rate of a slowed link, as with `-failed` of uet-htsim. A rate that rounds down to 0 becomes
/// the smallest rate, because a link must have one.
pub(super) fn quarter(rate: Rate) -> Rate {
    Rate::from_bps((rate.as_bps() / 4).max(1))
}

/// The cores that an aggregation switch has links to, by its index p in the pod.
#[derive(Copy, Clone, Debug)]
pub enum CoreOrder {
    /// Cores p·c to p·c + c − 1, where c is the number of cores per aggregation switch.
    Grouped,
    /// Cores p, p + a, p + 2a, …, where a is the number of aggregation switches per pod.
    Interleaved,
}

impl Tier {
    /// A tier without bundles: single links.
    pub fn single(rate: Rate, delay: Time) -> Self {
        Self {
            rate,
            delay,
            bundle: 1,
        }
    }

    fn wire(self) -> Wire {
        Wire {
            rate: self.rate,
            delay: self.delay,
        }
    }
}

impl Clos {
    /// The size of the network, by formula.
    pub fn size(&self) -> Size {
        let tors = product([self.pods, self.tors_per_pod]);
        let aggs = product([self.pods, self.aggs_per_pod]);
        let cores = product([self.aggs_per_pod, self.cores_per_agg]);
        let hosts = tors.saturating_mul(self.hosts_per_tor.into());
        let tor_uplinks = tors.saturating_mul(product([self.aggs_per_pod, self.agg_links.bundle]));
        let agg_uplinks =
            aggs.saturating_mul(product([self.cores_per_agg, self.core_links.bundle]));
        Size {
            hosts,
            switches: tors.saturating_add(aggs).saturating_add(cores),
            links: hosts
                .saturating_add(tor_uplinks)
                .saturating_add(agg_uplinks),
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// If the network is larger than allowed, or has no hosts.
    pub fn build(self) -> Result<Topology, Diagnostic> {
        let mut plan = TopologyBuilder::new(self.name.clone(), self.size())?;
        let [tor_label, agg_label, core_label] = self.labels;
        let tors = plan.switches(tor_label, self.pods * self.tors_per_pod);
        let aggs = plan.switches(agg_label, self.pods * self.aggs_per_pod);
        let cores = plan.switches(core_label, self.aggs_per_pod * self.cores_per_agg);
        for host in 0..tors {
            plan.link(
                host,
                tors + host / self.hosts_per_tor,
                self.host_links.wire(),
            );
        }
        for tor in 0..self.pods * self.tors_per_pod {
            let pod = tor / self.tors_per_pod;
            for place in 0..self.aggs_per_pod {
                let agg = aggs + pod * self.aggs_per_pod + place;
                self.bundle(&mut plan, tors + tor, agg, self.agg_links);
            }
        }
        for agg in 0..self.pods * self.aggs_per_pod {
            let place = agg % self.aggs_per_pod;
            for number in 0..self.cores_per_agg {
                let core = cores + self.core(place, number);
                self.bundle(&mut plan, aggs + agg, core, self.core_links);
            }
        }
        if self.agg_links.bundle > 1 || self.core_links.bundle > 1 {
            plan.allow_parallel_links();
        }
        plan.finish()
    }

    fn core(&self, place: u32, number: u32) -> u32 {
        match self.core_order {
            CoreOrder::Grouped => place * self.cores_per_agg + number,
            CoreOrder::Interleaved => place + number * self.aggs_per_pod,
        }
    }

    fn bundle(&self, plan: &mut TopologyBuilder, lower: u32, upper: u32, tier: Tier) {
        for _ in 0..tier.bundle {
            plan.link(lower, upper, tier.wire());
        }
    }
}
