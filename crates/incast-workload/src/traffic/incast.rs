//! Incast: many hosts send to one.

use std::borrow::Cow;
use std::fmt;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{HostId, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, IntoDeserializer as _, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::burst::{self, Burst, Pair, Rounds, Timing};
use super::kind::{CheckedTraffic, TrafficContext, TrafficKind};
use crate::diagnostics;
use crate::flow::check_start;
use crate::hosts::{GivenHost, HostSet};
use crate::sizes::SizeSpec;
use incast_random::RandomStream;

/// Many hosts send to one.
///
/// ```toml
/// [[traffic]]
/// kind = "incast"            # 16 flows of 1 MB, two start every 20 us
/// senders = "0-15"
/// receiver = 16
/// sizes = "1MB"
/// stagger = { group = 2, every = "20us" }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IncastSpec {
    /// Sizes of the flows.
    pub sizes: SizeSpec,
    /// The host that receives; with `"random"`, in each round one of the senders, drawn anew.
    pub receiver: IncastReceiver,
    /// The hosts that send, in this order. Default: all hosts but the receiver.
    #[serde(default)]
    pub senders: HostSet,
    /// Number of senders that take part, drawn at random in each round. Default: all, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub fan_in: Option<u32>,
    /// When the first flow starts. Default: 0.
    #[serde(default)]
    pub start: Time,
    /// Starts of senders in groups. Default: all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stagger: Option<Stagger>,
    /// Each flow starts later by a random delay, uniform up to this time. Default: 0.
    #[serde(default)]
    pub jitter: Time,
    /// Repetitions of the burst. Default: one burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

/// Starts of senders in groups, one group after the other.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stagger {
    /// Number of senders that start together.
    #[schemars(range(min = 1))]
    pub group: u32,
    /// Time from the start of one group to the start of the next.
    pub every: Time,
}

/// Who receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncastReceiver {
    /// A fixed host.
    Host(GivenHost),
    /// One of the senders, drawn uniformly at random in each round; it does not send in this round.
    Random,
}

impl TrafficKind for IncastSpec {}

impl IncastSpec {
    /// An incast of all `senders` to `receiver` at time 0.
    pub fn new(senders: HostSet, receiver: HostId, sizes: impl Into<SizeSpec>) -> Self {
        Self {
            sizes: sizes.into(),
            receiver: IncastReceiver::Host(receiver.into()),
            senders,
            fan_in: None,
            start: Time::ZERO,
            stagger: None,
            jitter: Time::ZERO,
            rounds: None,
        }
    }

    pub(super) fn check(
        &self,
        context: TrafficContext<'_>,
    ) -> Result<Box<dyn CheckedTraffic>, Diagnostic> {
        let sizes = context.sizes(&self.sizes)?;
        let receiver = self.receiver(context)?;
        let senders = self.senders(receiver, context)?;
        let receives = u32::from(receiver.is_none());
        let available = senders.len() as u32 - receives;
        let incast = Incast {
            flows: self.flows(available)?,
            shuffled: self.fan_in.is_some(),
            senders,
            receiver,
            stagger: self.stagger()?,
        };
        let timing = Timing {
            start: self.start,
            jitter: self.jitter,
            rounds: self.rounds,
        };
        burst::traffic(incast, sizes, timing)
    }

    /// The receiver; `None` if it is drawn in each round.
    fn receiver(&self, context: TrafficContext<'_>) -> Result<Option<HostId>, Diagnostic> {
        match &self.receiver {
            IncastReceiver::Random => Ok(None),
            IncastReceiver::Host(host) => {
                let host = host.among(context.network.names()).at("receiver")?;
                Ok(Some(host))
            }
        }
    }

    fn senders(
        &self,
        receiver: Option<HostId>,
        context: TrafficContext<'_>,
    ) -> Result<Vec<HostId>, Diagnostic> {
        let mut senders = self.senders.select(context.network).at("senders")?;
        let Some(receiver) = receiver else {
            return Ok(senders);
        };
        if matches!(self.senders, HostSet::Shuffled(Some(_))) {
            return Err(diagnostics::senders_at_random(receiver).at("senders"));
        }
        if matches!(self.senders, HostSet::All | HostSet::Shuffled(None)) {
            senders.retain(|sender| *sender != receiver);
        }
        if senders.contains(&receiver) {
            let host = receiver;
            return Err(diagnostics::to_itself(host).at("senders"));
        }
        Ok(senders)
    }

    /// Number of flows in a round, with `available` senders.
    fn flows(&self, available: u32) -> Result<u32, Diagnostic> {
        if available == 0 {
            return Err(diagnostics::too_few_hosts(1, 2).at("senders"));
        }
        match self.fan_in {
            None => Ok(available),
            Some(0) => Err(diagnostics::zero().at("fan_in")),
            Some(wanted) if wanted > available => {
                let wrong = diagnostics::too_many_drawn(wanted, available);
                Err(wrong.at("fan_in"))
            }
            Some(fan_in) => Ok(fan_in),
        }
    }

    fn stagger(&self) -> Result<Stagger, Diagnostic> {
        match self.stagger {
            None => Ok(TOGETHER),
            Some(Stagger { group: 0, .. }) => Err(diagnostics::zero().at("stagger.group")),
            Some(stagger) => {
                check_start(stagger.every).at("stagger.every")?;
                Ok(stagger)
            }
        }
    }
}

const TOGETHER: Stagger = Stagger {
    group: u32::MAX,
    every: Time::ZERO,
};

#[derive(Debug)]
struct Incast {
    /// The hosts that may send; a random receiver is one of them.
    senders: Vec<HostId>,
    receiver: Option<HostId>,
    /// Number of senders in a round.
    flows: u32,
    /// Whether senders are drawn at random.
    shuffled: bool,
    stagger: Stagger,
}

impl Burst for Incast {
    fn round(&self, choice: &mut RandomStream, flows: &mut Vec<Pair>) {
        let mut senders = self.senders.clone();
        let receiver = match self.receiver {
            Some(host) => host,
            None => senders.remove(choice.below(senders.len() as u64) as usize),
        };
        if self.shuffled {
            choice.choose_first(self.flows as usize, &mut senders);
        }
        let pair = |(index, source): (u32, HostId)| Pair {
            delay: self.stagger.every * u64::from(index / self.stagger.group),
            source,
            destination: receiver,
        };
        flows.extend((0..self.flows).zip(senders).map(pair));
    }

    fn flows(&self) -> u64 {
        self.flows.into()
    }

    fn hosts(&self) -> Vec<HostId> {
        let mut hosts = self.senders.clone();
        hosts.extend(self.receiver);
        hosts
    }

    fn span(&self) -> Time {
        let groups_after_first = u64::from((self.flows - 1) / self.stagger.group);
        Time::from_ps(
            self.stagger
                .every
                .as_ps()
                .saturating_mul(groups_after_first),
        )
    }
}

const RANDOM: &str = "random";

impl Serialize for IncastReceiver {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Host(host) => host.serialize(serializer),
            Self::Random => RANDOM.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for IncastReceiver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReceiverVisitor)
    }
}

struct ReceiverVisitor;

impl Visitor<'_> for ReceiverVisitor {
    type Value = IncastReceiver;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the number or name of a host, or \"{RANDOM}\"")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<IncastReceiver, E> {
        match u32::try_from(number) {
            Ok(host) => Ok(IncastReceiver::Host(HostId(host).into())),
            Err(_) => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<IncastReceiver, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<IncastReceiver, E> {
        match text {
            RANDOM => Ok(IncastReceiver::Random),
            _ => GivenHost::deserialize(text.into_deserializer()).map(IncastReceiver::Host),
        }
    }
}

impl JsonSchema for IncastReceiver {
    fn schema_name() -> Cow<'static, str> {
        "Receiver".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::Receiver").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A host, or \"random\".",
            "anyOf": [generator.subschema_for::<GivenHost>(), { "const": RANDOM }],
        })
    }
}

#[cfg(test)]
mod tests;
