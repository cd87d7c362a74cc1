//! Marking by tier: rules for ports of the switches of some tiers.

use std::borrow::Cow;

use incast_diagnostic::{Diagnostic, Placed, nearest, suggestion};
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EcnOptions, MarkingPoint};
use crate::QueueThreshold;

/// Marking at ports of the switches of one tier: a step, a RED curve, or none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EcnPerTier {
    /// The part of the switches' names before the number: `leaf` of `leaf0`.
    pub tier: String,
    /// `off`: ports of the tier do not mark. Excludes thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marking: Option<EcnOff>,
    /// The event at which the queue decides on marking. Default: that of `[network.ecn]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<MarkingPoint>,
    /// Every packet is marked above this queue length, none below. Excludes `k_min`, `k_max`,
    /// `p_max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<QueueThreshold>,
    /// No packet is marked up to this queue length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_min: Option<QueueThreshold>,
    /// Every packet is marked above this queue length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_max: Option<QueueThreshold>,
    /// Marking probability at `k_max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub p_max: Option<f64>,
    /// The link rate for which the thresholds are given; they scale with each port's link rate.
    /// Without it the thresholds hold for every port of the tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_rate: Option<Rate>,
}

/// No marking.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnOff {
    /// No packet is marked.
    Off,
}

impl EcnOptions {
    /// The options for ports of the tier's switches; `None` if these ports do not mark.
    pub fn of_tier(&self, tier: Option<&str>) -> Option<Cow<'_, Self>> {
        let mut entries = self.per_tier.iter();
        match entries.find(|entry| Some(entry.tier.as_str()) == tier) {
            None => Some(Cow::Borrowed(self)),
            Some(entry) if entry.marking == Some(EcnOff::Off) => None,
            Some(entry) => Some(Cow::Owned(EcnOptions {
                last_hop: self.last_hop,
                ..entry.options(self.at)
            })),
        }
    }

    /// Checks that the entries by tier fit the switches. `tiers` has each tier once, and `None` if
    /// some switch has no tier. `packet`: size of a full data packet on the wire.
    ///
    /// # Errors
    /// The first entry that does not fit, or entries that switch all marking off.
    pub fn check_tiers(&self, tiers: &[Option<&str>], packet: Bytes) -> Result<(), Diagnostic> {
        for (index, entry) in self.per_tier.iter().enumerate() {
            let earlier = &self.per_tier[..index];
            let checked = entry.check(packet).and_then(|()| {
                let named = entry.check_tier(earlier, tiers);
                named.at("tier")
            });
            checked.at(format!("per_tier[{index}]"))?;
        }
        let marks = |tier: &Option<&str>| self.of_tier(*tier).is_some();
        match self.per_tier.is_empty() || tiers.iter().any(marks) {
            true => Ok(()),
            false => {
                let what = "marking is off in every tier of this network";
                let hint = "write network.ecn = \"off\", or give a tier thresholds";
                Err(Diagnostic::new(what, hint).at("per_tier"))
            }
        }
    }
}

impl EcnPerTier {
    fn options(&self, at: Option<MarkingPoint>) -> EcnOptions {
        EcnOptions {
            at: self.at.or(at),
            step: self.step,
            k_min: self.k_min,
            k_max: self.k_max,
            p_max: self.p_max,
            reference_rate: self.reference_rate,
            ..EcnOptions::default()
        }
    }

    /// Checks that the rule gives exactly one way of marking.
    fn check(&self, packet: Bytes) -> Result<(), Diagnostic> {
        let options = self.options(None);
        if self.marking.is_none() {
            return match options == EcnOptions::default() {
                true => Err(Diagnostic::new(
                    "this does not say how the tier marks",
                    "write `step`, or `k_min`, `k_max` and `p_max`, or marking = \"off\"",
                )),
                false => options.check_rule(packet),
            };
        }
        match options.written_keys().next() {
            None => Ok(()),
            Some(key) => {
                let what = format!("`{key}` has no effect with marking = \"off\"");
                Err(Diagnostic::new(what, "remove one of the two").at(key))
            }
        }
    }

    /// Checks that the tier exists, and that no entry in `earlier` is for the same tier.
    fn check_tier(&self, earlier: &[Self], tiers: &[Option<&str>]) -> Result<(), Diagnostic> {
        let tier = self.tier.as_str();
        if earlier.iter().any(|other| other.tier == tier) {
            let what = format!("there are two entries for the tier `{tier}`");
            return Err(Diagnostic::new(what, "keep one"));
        }
        match tiers.contains(&Some(tier)) {
            true => Ok(()),
            false => Err(unknown(tier, tiers)),
        }
    }
}

/// Most tiers that an error message lists.
const MOST_LISTED: usize = 16;

fn unknown(tier: &str, tiers: &[Option<&str>]) -> Diagnostic {
    let named: Vec<_> = tiers.iter().flatten().copied().collect();
    let what = format!("this network has no tier `{tier}`");
    let hint = match named[..] {
        [] => {
            return Diagnostic::new(
                "the switches of this topology have no names, which would tell their tier",
                "write it as a file of format = \"graph\", with switches leaf0, leaf1, spine0 …",
            );
        }
        [first, ..] if named.len() > MOST_LISTED => {
            let near = nearest(tier, named.iter().copied()).unwrap_or(first);
            format!("write one of its {} tiers, e.g. `{near}`", named.len())
        }
        _ => suggestion(tier, named),
    };
    Diagnostic::new(what, hint)
}
