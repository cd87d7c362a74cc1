//! Those who share the network, apart: traffic entries, attackers and victims, tenants.

use incast_units::Bytes;
use incast_workload::Role;
use serde::{Deserialize, Serialize};

use super::counted::{CountingRule, FlowFct, all};
use super::distribution::{Distribution, FctSample};
use super::messages::MessageRow;
use super::rates::bps;
use super::table::Table;

/// What the messages of one traffic entry, one role or one tenant got of the network: over those
/// that completed, each of which is a flow if there is no attack. Goodput and slowdown are of those
/// among them that statistics of FCT count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Party {
    /// The name of an entry or of a tenant, or `attacker`, or `victim`.
    pub name: String,
    /// Of an entry, if flows have several algorithms: its own.
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

/// All messages of a run; without an attack, its flows.
pub(super) struct PartyMessages {
    completed: Vec<PartyMessage>,
    /// The traffic entry of each flow that counts and had not completed.
    unfinished: Vec<u16>,
}

/// A message of a party that completed.
#[derive(Copy, Clone, Debug)]
struct PartyMessage {
    fct: FlowFct,
    counts: bool,
    slowdown: FctSample,
}

impl PartyMessages {
    /// Of messages; or of flows, if these are no pieces.
    pub(super) fn of(
        messages: Option<&[MessageRow]>,
        flows: &Table,
        counting: &CountingRule<'_>,
    ) -> Self {
        if let Some(messages) = messages {
            let of = |message| PartyMessage::of_message(message, counting);
            return Self {
                completed: messages.iter().map(of).collect(),
                unfinished: Vec::new(),
            };
        }
        let completed = all(flows).map(|flow| PartyMessage::of(flow, counting));
        Self {
            completed: completed.collect(),
            unfinished: counting.unfinished().map(|(tag, ..)| tag).collect(),
        }
    }

    /// A party, by the traffic entries that belong to it.
    fn party(&self, name: &str, belongs: impl Fn(u16) -> bool) -> Party {
        let own = self.completed.iter().filter(|each| belongs(each.fct.tag));
        let unfinished = self.unfinished.iter().filter(|tag| belongs(**tag));
        Party::of(name, own.copied(), unfinished.count())
    }
}

impl PartyMessage {
    fn of_message(message: &MessageRow, counting: &CountingRule<'_>) -> Self {
        let fct = FlowFct {
            tag: message.whole.tag,
            size: message.whole.size.as_u64(),
            start: message.whole.start,
            fct: message.fct(),
            slowdown: message.slowdown,
        };
        Self::of(fct, counting)
    }

    fn of(fct: FlowFct, counting: &CountingRule<'_>) -> Self {
        Self {
            fct,
            counts: counting.counts(fct.tag, fct.start),
            slowdown: counting.slowdown(&fct),
        }
    }
}

impl Party {
    /// Attackers and victims.
    pub(super) fn by_role(messages: &[MessageRow], counting: &CountingRule<'_>) -> Vec<Self> {
        let of = |role: Role| {
            let own = messages.iter().filter(|message| message.role == role);
            let own = own.map(|message| PartyMessage::of_message(message, counting));
            Self::of(role.name(), own, 0)
        };
        [Role::Attacker, Role::Victim].map(of).into()
    }

    /// Traffic entries by name, in their order.
    pub(super) fn by_entry(
        names: &[String],
        algorithms: Option<&[String]>,
        messages: &PartyMessages,
    ) -> Vec<Self> {
        let of = |(index, name): (usize, &String)| Self {
            algorithm: algorithms.map(|names| names[index].clone()),
            ..messages.party(name, |tag| usize::from(tag) == index)
        };
        names.iter().enumerate().map(of).collect()
    }

    /// Tenants in the order of their traffic: each name once.
    pub(super) fn by_tenant(tenants: &[Option<String>], messages: &PartyMessages) -> Vec<Self> {
        let mut names: Vec<&String> = Vec::new();
        for name in tenants.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let of = |name: &String| {
            messages.party(name, |tag| tenants[usize::from(tag)].as_ref() == Some(name))
        };
        names.into_iter().map(of).collect()
    }

    /// `unfinished`: how many that count had not completed. They are slower than all others.
    fn of(name: &str, messages: impl Iterator<Item = PartyMessage>, unfinished: usize) -> Self {
        let messages: Vec<_> = messages.collect();
        let counted = || messages.iter().filter(|message| message.counts);
        let rates = counted().map(|each| bps(Bytes::new(each.fct.size), each.fct.fct));
        let count = counted().count();
        let mean = rates.sum::<f64>() / count as f64;
        let slowdowns = counted().map(|each| each.slowdown);
        let unfinished = std::iter::repeat_n(FctSample::unfinished(1.0), unfinished);
        Self {
            name: name.to_owned(),
            algorithm: None,
            messages: messages.len() as u64,
            payload_bytes: messages.iter().map(|message| message.fct.size).sum(),
            goodput_bps: (count > 0).then_some(mean),
            // No flow is faster than alone.
            fct_slowdown: Distribution::of_samples(slowdowns.chain(unfinished)),
        }
    }
}
