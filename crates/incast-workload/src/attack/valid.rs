//! An attack that fits its network and its traffic.

use std::collections::BTreeSet;
use std::sync::Arc;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{Bytes, HostId};

use super::attackers::CheckedAttackers;
use super::shuffled::Overlay;
use super::{Attack, AttackNumbers, AttackSpec, Role};
use crate::diagnostics;
use crate::flow::Flow;
use crate::network::Network;
use crate::rings::Rings;
use crate::tasks::TaskGraph;
use crate::traffic::ValidTraffic;

/// The number of messages drawn to estimate pieces per message, for open-loop traffic, whose
/// messages are independent.
const DRAWN: usize = 20_000;
/// The number of messages drawn for other traffic, where the first messages may all be of one host.
const DRAWN_AT_ONCE: usize = 1_000_000;

/// The network and traffic that an attack is checked against.
#[derive(Copy, Clone)]
pub(crate) struct AttackContext<'a> {
    pub(crate) network: &'a Network,
    /// By traffic entry.
    pub(crate) tenants: &'a [Option<String>],
    pub(crate) entries: &'a [ValidTraffic],
}

/// An attack that has been checked.
#[derive(Debug)]
pub(crate) struct ValidAttack {
    spec: AttackSpec,
    attackers: CheckedAttackers,
    /// Number of hosts of the network.
    hosts: u32,
    /// Hosts of the attackers, if the attack uses rings; empty if the seed draws the hosts.
    owned: Vec<HostId>,
}

/// An attack in a run.
#[derive(Debug)]
pub(crate) struct AttackUnderWay {
    pub(super) attack: &'static dyn Attack,
    pub(super) attackers: CheckedAttackers,
    pub(super) numbers: AttackNumbers,
}

/// The role of each flow in a run.
#[derive(Clone, Debug)]
pub struct Roles(pub(crate) Arc<AttackUnderWay>);

impl Roles {
    /// The role of a flow of the traffic.
    pub fn of(&self, flow: &Flow) -> Role {
        self.0.role_of(flow)
    }
}

impl AttackUnderWay {
    /// Expected number of pieces of all messages of an entry, from the pieces of its first
    /// messages.
    pub(crate) fn expected_flows(
        &self,
        entry: &ValidTraffic,
        seed: u64,
        tag: u16,
    ) -> Result<f64, Diagnostic> {
        let most = match entry.open_loop() {
            Some(_) => DRAWN,
            None => DRAWN_AT_ONCE,
        };
        let (mut messages, mut pieces) = (0, 0);
        for message in entry.flows(seed, tag)?.take(most) {
            let message = message?;
            messages += 1;
            pieces += match self.attackers.sends(&message) {
                true => u128::from(self.attack.pieces(&message, &self.numbers)),
                false => 1,
            };
        }
        Ok(entry.expected_flows() * pieces as f64 / f64::from(messages.max(1)))
    }

    /// Whether the attack would cut any message of a task graph if the message were a flow. Only
    /// the first million messages are checked.
    pub(crate) fn would_cut(&self, graph: &dyn TaskGraph, tag: u16) -> bool {
        let messages = graph.messages().min(DRAWN_AT_ONCE as u128) as u64;
        (0..messages).any(|number| {
            let message = as_flow(graph, number, tag);
            self.attackers.sends(&message) && self.attack.pieces(&message, &self.numbers) > 1
        })
    }

    pub(super) fn role_of(&self, flow: &Flow) -> Role {
        match self.attackers.sends(flow) {
            true => Role::Attacker,
            false => Role::Victim,
        }
    }
}

/// A message of a task graph, as a flow.
fn as_flow(graph: &dyn TaskGraph, number: u64, tag: u16) -> Flow {
    let message = graph.message(number);
    Flow {
        start: graph.start(),
        source: message.source,
        destination: message.destination,
        size: message.size,
        tag,
    }
}

impl AttackSpec {
    /// Checks the attack against this traffic; `piece` and `spacing` must be given.
    pub(crate) fn check(&self, context: AttackContext<'_>) -> Result<ValidAttack, Diagnostic> {
        self.check_numbers()?;
        let attackers = self.attackers.check(context.network, context.tenants);
        let attackers = attackers.at("attackers")?;
        let owned = match self.kind.value().takes_rings() {
            true => self.owned(&attackers, context)?,
            false => Vec::new(),
        };
        Ok(ValidAttack {
            spec: self.clone(),
            attackers,
            hosts: context.network.hosts(),
            owned,
        })
    }

    fn owned(
        &self,
        attackers: &CheckedAttackers,
        context: AttackContext<'_>,
    ) -> Result<Vec<HostId>, Diagnostic> {
        let owned = hosts_of(attackers, context);
        let count = match attackers {
            CheckedAttackers::Drawn(count) => *count,
            _ => owned.len() as u32,
        };
        if count < 3 {
            return Err(diagnostics::too_few_to_shuffle(count).at("attackers"));
        }
        let rings = Rings::count_of(count);
        match self.overlays.is_some_and(|overlays| overlays > rings) {
            true => Err(diagnostics::too_many_rings(count, rings).at("overlays")),
            false => Ok(owned),
        }
    }
}

/// The hosts that attackers own, in order. If attackers are known by size, these are all hosts; for
/// a tenant, the hosts of its traffic. Empty if the seed draws the hosts.
fn hosts_of(attackers: &CheckedAttackers, context: AttackContext<'_>) -> Vec<HostId> {
    let all = || context.network.all().collect();
    match attackers {
        CheckedAttackers::Drawn(_) => Vec::new(),
        CheckedAttackers::Hosts(hosts) => hosts.clone(),
        CheckedAttackers::LargerThan(_) => all(),
        CheckedAttackers::Entries(entries) => {
            let own = entries.iter().zip(context.entries);
            let own = own.filter(|(own, _)| **own).map(|(_, entry)| entry.hosts());
            let hosts: Option<Vec<_>> = own.collect();
            match hosts {
                Some(hosts) => {
                    let hosts: BTreeSet<_> = hosts.into_iter().flatten().collect();
                    hosts.into_iter().collect()
                }
                None => all(),
            }
        }
    }
}

impl ValidAttack {
    /// Whether the attack lays the collective of this entry over shuffled rings: all of its hosts
    /// must be named as attackers. Hosts that the seed draws are not known yet. Sizes do not count
    /// either, because chunks over more rings are smaller.
    pub(crate) fn shuffles(&self, entry: &ValidTraffic, tag: usize) -> bool {
        let Some(plan) = entry.task_graph() else {
            return false;
        };
        if matches!(self.attackers, CheckedAttackers::LargerThan(_)) {
            return false;
        }
        // Messages 0 to n − 1 of a collective over rings are its first step, in which every rank
        // sends.
        let ranks = (plan.hosts().len() as u64).min(plan.messages() as u64);
        let sends = |number| {
            let message = as_flow(plan.as_ref(), number, tag as u16);
            self.attackers.sends(&message)
        };
        self.spec.kind.value().takes_rings() && (0..ranks).all(sends)
    }

    /// The attack of the run with this seed.
    pub(crate) fn begin(&self, seed: u64) -> Arc<AttackUnderWay> {
        let attackers = self.attackers.draw(seed, self.hosts);
        let attack = self.spec.kind.value();
        let overlay = attack.takes_rings().then(|| match &attackers {
            CheckedAttackers::Hosts(hosts) => Overlay::over(hosts.clone()),
            _ => Overlay::over(self.owned.clone()),
        });
        let spec = &self.spec;
        Arc::new(AttackUnderWay {
            attack,
            attackers,
            numbers: AttackNumbers {
                piece: spec.piece.unwrap_or(Bytes::MAX),
                qps: spec.qps,
                spacing: spec.spacing.unwrap_or_default(),
                overlays: spec.overlays.unwrap_or(1),
                overlay,
            },
        })
    }
}
