//! Statistics of each party that shares the network: traffic entries, attackers and victims,
//! tenants.

use incast_workload::Role;
use serde::{Deserialize, Serialize};

use super::counted::{CountingRule, FlowFct};
use super::distribution::{Distribution, LateSample};
use super::messages::MessageRow;
use super::rates::MeanRate;
use super::values::FlowValues;

/// The completed messages of one traffic entry, one role or one tenant; without an attack each flow
/// is a message. Goodput and slowdown are over those messages that statistics of FCT count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Party {
    /// The name of an entry or of a tenant; or `attacker`, or `victim`.
    pub name: String,
    /// The algorithm of an entry, if there are several algorithms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Messages that completed.
    pub messages: u64,
    /// Payload of completed messages.
    pub payload_bytes: u64,
    /// Mean of size / FCT over counted messages; `None` if there are none.
    pub goodput_bps: Option<f64>,
    /// FCT over ideal FCT of counted messages.
    pub fct_slowdown: Distribution,
}

/// Sums over the completed messages of a party.
pub(super) struct PartyStatistics {
    messages: u64,
    payload: u64,
    /// Mean goodput of counted flows.
    goodput: MeanRate,
    /// Slowdowns of counted flows that are not late.
    pub(super) slowdowns: FlowValues,
    /// Counted flows that are late. Unfinished ones count as slower than all others.
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

    /// Adds a message, without its slowdown.
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

    /// Statistics of messages under an attack, which are kept until the end.
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

    /// Statistics of named traffic entries, in their order, by messages under an attack.
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

    /// Statistics of tenants, in the order of their traffic, by messages under an attack.
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
