//! Statistics for each party that shares the network: traffic entries, attackers and victims,
//! tenants.

use incast_workload::Role;
use serde::{Deserialize, Serialize};

use super::counted::{CountingRule, FlowFct};
use super::distribution::{Distribution, LateSample};
use super::messages::MessageRow;
use super::rates::MeanRate;
use super::values::FlowValues;

/// What the messages of one traffic entry, one role or one tenant got of the network: over those
/// that completed, each of which is a flow if there is no attack. Goodput and slowdown are of those
/// among them that statistics of FCT count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Party {
    /// The name of an entry or of a tenant, or `attacker`, or `victim`.
    pub name: String,
    /// The algorithm of an entry, if flows have several algorithms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Messages that completed.
    pub messages: u64,
    /// Their payload.
    pub payload_bytes: u64,
    /// Mean over them of size / FCT; none if there is none.
    pub goodput_bps: Option<f64>,
    /// FCT over ideal FCT, each of the whole message.
    pub fct_slowdown: Distribution,
}

/// What is summed over the messages of a party that completed.
pub(super) struct PartyStatistics {
    messages: u64,
    payload: u64,
    /// Mean goodput of the flows that count.
    goodput: MeanRate,
    /// Slowdowns of the flows that count and are not late.
    pub(super) slowdowns: FlowValues,
    /// Flows that count and are late. They count as slower than all others if they have not
    /// completed.
    pub(super) late: Vec<LateSample>,
}

impl PartyStatistics {
    pub(super) fn new() -> Self {
        Self {
            messages: 0,
            payload: 0,
            goodput: MeanRate::default(),
            slowdowns: FlowValues::ratios(),
            late: Vec::new(),
        }
    }

    /// Adds all of a message but its slowdown.
    pub(super) fn add(&mut self, message: &FlowFct, counts: bool) {
        self.messages += 1;
        self.payload += message.size;
        if counts {
            self.goodput.add(message.goodput_bps());
        }
    }

    pub(super) fn party(&self, name: &str) -> Party {
        Party {
            name: name.to_owned(),
            algorithm: None,
            messages: self.messages,
            payload_bytes: self.payload,
            goodput_bps: self.goodput.mean(),
            fct_slowdown: Distribution::of_values(self.slowdowns.clone(), &self.late),
        }
    }

    /// Statistics of messages under an attack, which are kept.
    fn of<'a>(messages: impl Iterator<Item = &'a MessageRow>, rule: &CountingRule) -> Self {
        let mut statistics = Self::new();
        for message in messages {
            let fct = FlowFct::of(&message.whole, message.slowdown);
            let counts = rule.counts(fct.tag, fct.start);
            statistics.add(&fct, counts);
            match rule.late_slowdown(&fct) {
                _ if !counts => {}
                Some(late) => statistics.late.push(late),
                None => statistics.slowdowns.push(fct.slowdown),
            }
        }
        statistics
    }
}

impl Party {
    /// Attackers and victims.
    pub(super) fn by_role(messages: &[MessageRow], rule: &CountingRule) -> Vec<Self> {
        let of = |role: Role| {
            let own = messages.iter().filter(|message| message.role == role);
            PartyStatistics::of(own, rule).party(role.name())
        };
        [Role::Attacker, Role::Victim].map(of).into()
    }

    /// Traffic entries by name, in their order, by their messages under an attack.
    pub(super) fn by_entry(
        names: &[String],
        messages: &[MessageRow],
        rule: &CountingRule,
    ) -> Vec<Self> {
        let of = |(tag, name): (u16, &String)| {
            let own = messages.iter().filter(|message| message.whole.tag == tag);
            PartyStatistics::of(own, rule).party(name)
        };
        (0..).zip(names).map(of).collect()
    }

    /// Tenants in the order of their traffic, each name once, likewise.
    pub(super) fn by_tenant(
        tenants: &[Option<String>],
        messages: &[MessageRow],
        rule: &CountingRule,
    ) -> Vec<Self> {
        let mut names: Vec<&String> = Vec::new();
        for name in tenants.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let of = |name: &String| {
            let belongs = |tag: u16| tenants[usize::from(tag)].as_ref() == Some(name);
            let own = messages.iter().filter(|message| belongs(message.whole.tag));
            PartyStatistics::of(own, rule).party(name)
        };
        names.into_iter().map(of).collect()
    }
}
