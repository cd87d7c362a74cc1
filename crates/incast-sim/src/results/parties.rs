//! Those who share the network, apart: traffic entries, attackers and victims, tenants.

use arrow_array::types::{Float64Type, UInt16Type, UInt64Type};
use incast_units::{Bytes, Time};
use incast_workload::Role;
use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use super::messages::MessageRow;
use super::rates::bps;
use super::table::Table;

/// What the messages of one traffic entry, one role or one tenant got of the network: over those
/// that completed, each of which is a flow if there is no attack.
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

/// A message of a party.
#[derive(Copy, Clone, Debug)]
struct PartyMessage {
    tag: u16,
    size: Bytes,
    fct: Time,
    slowdown: f64,
}

impl Party {
    /// Attackers and victims.
    pub(super) fn by_role(messages: &[MessageRow]) -> Vec<Self> {
        let of = |role: Role| {
            let own = messages.iter().filter(|message| message.role == role);
            Self::of(role.name(), own.map(PartyMessage::of))
        };
        [Role::Attacker, Role::Victim].map(of).into()
    }

    /// Traffic entries by name, in their order.
    pub(super) fn by_entry(
        names: &[String],
        algorithms: Option<&[String]>,
        messages: Option<&[MessageRow]>,
        flows: &Table,
    ) -> Vec<Self> {
        let shares = shares(messages, flows);
        let of = |(index, name): (usize, &String)| {
            let own = |share: &&PartyMessage| usize::from(share.tag) == index;
            Self {
                algorithm: algorithms.map(|names| names[index].clone()),
                ..Self::of(name, shares.iter().filter(own).copied())
            }
        };
        names.iter().enumerate().map(of).collect()
    }

    /// Tenants in the order of their traffic: each name once.
    pub(super) fn by_tenant(
        tenants: &[Option<String>],
        messages: Option<&[MessageRow]>,
        flows: &Table,
    ) -> Vec<Self> {
        let shares = shares(messages, flows);
        let mut names: Vec<&String> = Vec::new();
        for name in tenants.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let of = |name: &String| {
            let own =
                |share: &&PartyMessage| tenants[usize::from(share.tag)].as_ref() == Some(name);
            Self::of(name, shares.iter().filter(own).copied())
        };
        names.into_iter().map(of).collect()
    }

    fn of(name: &str, shares: impl Iterator<Item = PartyMessage>) -> Self {
        let shares: Vec<_> = shares.collect();
        let messages = shares.len() as u64;
        let rates = shares.iter().map(|share| bps(share.size, share.fct));
        let mean = rates.sum::<f64>() / messages as f64;
        Self {
            name: name.to_owned(),
            algorithm: None,
            messages,
            payload_bytes: shares.iter().map(|share| share.size.as_u64()).sum(),
            goodput_bps: (messages > 0).then_some(mean),
            fct_slowdown: Distribution::of(shares.iter().map(|share| share.slowdown)),
        }
    }
}

impl PartyMessage {
    fn of(message: &MessageRow) -> Self {
        Self {
            tag: message.whole.tag,
            size: message.whole.size,
            fct: message.fct(),
            slowdown: message.slowdown,
        }
    }
}

/// Of messages; or of flows, if these are no pieces.
fn shares(messages: Option<&[MessageRow]>, flows: &Table) -> Vec<PartyMessage> {
    match messages {
        Some(messages) => messages.iter().map(PartyMessage::of).collect(),
        None => of_flows(flows),
    }
}

fn of_flows(flows: &Table) -> Vec<PartyMessage> {
    let tags = flows.values::<UInt16Type>("traffic");
    let sizes = flows.values::<UInt64Type>("size_bytes");
    let times = flows.values::<UInt64Type>("fct_ps");
    let slowdowns = flows.values::<Float64Type>("slowdown");
    let columns = tags.zip(sizes).zip(times.zip(slowdowns));
    let share = |((tag, size), (fct, slowdown))| PartyMessage {
        tag,
        size: Bytes::new(size),
        fct: Time::from_ps(fct),
        slowdown,
    };
    columns.map(share).collect()
}
