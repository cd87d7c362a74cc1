//! Who attacks.

use incast_diagnostic::{Diagnostic, Placed};
use incast_random::{TrafficPurpose, TrafficStreams};
use incast_units::{Bytes, HostId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics;
use crate::flow::Flow;
use crate::hosts::HostSet;
use crate::network::Network;

/// Whether a flow is an attacker's or a victim's.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// An attacker's, whether or not the attack changes the flow.
    Attacker,
    /// Any other.
    Victim,
}

impl Role {
    /// The role's name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attacker => "attacker",
            Self::Victim => "victim",
        }
    }
}

/// Who attacks: exactly one of these keys.
///
/// ```toml
/// attackers = { share = 0.1 }             # a tenth of the hosts, drawn by the seed
/// attackers = { hosts = "0-31" }          # all flows from these hosts
/// attackers = { larger_than = "1MB" }     # larger flows, of any host
/// attackers = { tenant = "storage" }      # all flows of this tenant's traffic entries
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Attackers")]
pub struct AttackersSpec {
    /// All flows from this share of the hosts, which the seed draws. Above 0, at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub share: Option<f64>,
    /// All flows from these hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<HostSet>,
    /// All flows of more than this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub larger_than: Option<Bytes>,
    /// The flows of this tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// Attackers that exist.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CheckedAttackers {
    /// A number of hosts, which the seed of a run draws.
    Drawn(u32),
    /// These hosts, in ascending order.
    Hosts(Vec<HostId>),
    LargerThan(Bytes),
    /// For each traffic entry, whether it belongs to the tenant.
    Entries(Vec<bool>),
}

impl AttackersSpec {
    /// The attackers on this network; `tenants` has the tenant of each traffic entry.
    pub(super) fn check(
        &self,
        network: &Network,
        tenants: &[Option<String>],
    ) -> Result<CheckedAttackers, Diagnostic> {
        let given = [
            self.share.is_some(),
            self.hosts.is_some(),
            self.larger_than.is_some(),
            self.tenant.is_some(),
        ];
        match given.into_iter().filter(|given| *given).count() {
            0 => return Err(diagnostics::no_attackers()),
            1 => {}
            _ => return Err(diagnostics::several_attackers()),
        }
        if let Some(share) = self.share {
            let hosts = network.hosts();
            return drawn(share, hosts).at("share").map(CheckedAttackers::Drawn);
        }
        if let Some(hosts) = &self.hosts {
            let mut hosts = hosts.select(network).at("hosts")?;
            hosts.sort_unstable();
            return Ok(CheckedAttackers::Hosts(hosts));
        }
        if let Some(tenant) = &self.tenant {
            let entries = entries_of(tenant, tenants).at("tenant")?;
            return Ok(CheckedAttackers::Entries(entries));
        }
        Ok(CheckedAttackers::LargerThan(
            self.larger_than.unwrap_or_default(),
        ))
    }
}

/// The number of hosts in this share of all, rounded to the nearest, and at least 1.
fn drawn(share: f64, hosts: u32) -> Result<u32, Diagnostic> {
    match share > 0.0 && share <= 1.0 {
        true => Ok(((share * f64::from(hosts)).round() as u32).clamp(1, hosts)),
        false => Err(diagnostics::attackers_share(share)),
    }
}

fn entries_of(tenant: &str, tenants: &[Option<String>]) -> Result<Vec<bool>, Diagnostic> {
    let named: Vec<_> = tenants.iter().map(Option::as_deref).collect();
    if named.contains(&Some(tenant)) {
        return Ok(named.iter().map(|name| *name == Some(tenant)).collect());
    }
    let mut known: Vec<_> = named.into_iter().flatten().collect();
    known.dedup();
    match known.is_empty() {
        true => Err(diagnostics::no_tenants(tenant)),
        false => Err(Diagnostic::unknown("tenant", tenant, known)),
    }
}

impl CheckedAttackers {
    /// Draws the attackers' hosts by the seed, if only their number is given.
    pub(super) fn draw(&self, seed: u64, hosts: u32) -> Self {
        let Self::Drawn(count) = self else {
            return self.clone();
        };
        let mut all: Vec<_> = (0..hosts).map(HostId).collect();
        let streams = TrafficStreams { seed, tag: 0 };
        let mut stream = streams.of_entry(TrafficPurpose::Attackers);
        stream.choose_first(*count as usize, &mut all);
        all.truncate(*count as usize);
        all.sort_unstable();
        Self::Hosts(all)
    }

    /// Whether the message is an attacker's; `false` while hosts have still to be drawn.
    pub(super) fn sends(&self, message: &Flow) -> bool {
        match self {
            Self::Drawn(_) => false,
            Self::Hosts(hosts) => hosts.binary_search(&message.source).is_ok(),
            Self::LargerThan(size) => message.size > *size,
            Self::Entries(entries) => entries.get(usize::from(message.tag)) == Some(&true),
        }
    }
}
