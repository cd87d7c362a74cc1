//! Oversubscription of a tier: total rate of a switch's downlinks over that of its uplinks.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_units::Rate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

const KEY: &str = "oversubscription";

/// A ratio of capacities, down to up, written `2:1`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Oversubscription {
    down: u32,
    up: u32,
}

/// The links below and above a switch.
#[derive(Copy, Clone, Debug)]
pub(super) struct TierLinks {
    pub(super) hosts: u32,
    pub(super) host_rate: Rate,
    pub(super) uplinks: u64,
}

impl Oversubscription {
    /// The rate of each uplink, in whole bit/s, that makes this ratio.
    pub(super) fn uplink_rate(self, tier: TierLinks) -> Result<Rate, Diagnostic> {
        let per_host = u128::from(tier.host_rate.as_bps());
        let capacity = u128::from(tier.hosts) * per_host * u128::from(self.up);
        let shares = u128::from(self.down) * u128::from(tier.uplinks);
        let rate = u64::try_from(capacity / shares.max(1)).ok();
        match rate.filter(|_| shares > 0 && capacity.is_multiple_of(shares)) {
            Some(rate) => Ok(Rate::from_bps(rate)),
            None => Err(self.no_rate(tier)),
        }
    }

    fn no_rate(self, tier: TierLinks) -> Diagnostic {
        let TierLinks {
            hosts,
            host_rate,
            uplinks,
        } = tier;
        Diagnostic::new(
            format!(
                "`{KEY}` is {self}, but no whole rate makes {uplinks} uplinks of a leaf carry \
                 {}/{} of its {hosts} × {host_rate}",
                self.up, self.down
            ),
            "write a ratio that divides, or `spine_rate` in its place",
        )
        .at(KEY)
    }

    /// The rate of uplinks: by the ratio, or `spine_rate`, or the default. Not both may be given.
    pub(super) fn or_rate(
        ratio: Option<Self>,
        spine_rate: Option<Rate>,
        default: Rate,
        tier: TierLinks,
    ) -> Result<Rate, Diagnostic> {
        match (ratio, spine_rate) {
            (Some(_), Some(_)) => Err(Diagnostic::new(
                format!("`{KEY}` and `spine_rate` are both given"),
                "leave one of them out: each decides the other",
            )
            .at(KEY)),
            (Some(ratio), None) => ratio.uplink_rate(tier),
            (None, rate) => Ok(rate.unwrap_or(default)),
        }
    }
}

impl fmt::Display for Oversubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.down, self.up)
    }
}

impl FromStr for Oversubscription {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let number = |text: &str| text.trim().parse().ok().filter(|&number: &u32| number > 0);
        let ratio = text
            .split_once(':')
            .and_then(|(down, up)| Some((number(down)?, number(up)?)));
        match ratio {
            Some((down, up)) => Ok(Self { down, up }),
            None => Err(Diagnostic::new(
                format!("`{text}` is no ratio"),
                "write capacity down to capacity up, e.g. `2:1`",
            )),
        }
    }
}

impl Serialize for Oversubscription {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Oversubscription {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(RatioVisitor)
    }
}

struct RatioVisitor;

impl Visitor<'_> for RatioVisitor {
    type Value = Oversubscription;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ratio as text, e.g. \"2:1\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Oversubscription, E> {
        text.parse().map_err(E::custom)
    }
}

impl JsonSchema for Oversubscription {
    fn schema_name() -> Cow<'static, str> {
        "Oversubscription".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "Capacity down to capacity up.",
            "pattern": r"^\s*0*[1-9][0-9]*\s*:\s*0*[1-9][0-9]*\s*$",
            "examples": ["1:1", "2:1"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Oversubscription {
        text.parse().unwrap()
    }

    const LEAF: TierLinks = TierLinks {
        hosts: 16,
        host_rate: Rate::from_gbps(100),
        uplinks: 4,
    };

    /// 16·100 Gb/s over 4 uplinks: 400 Gb/s at 1:1, 200 at 2:1, 320 at 5:4, 800 at 1:2.
    #[test]
    fn uplinks_share_what_the_ratio_leaves() {
        for (text, gbps) in [("1:1", 400), ("2:1", 200), ("5:4", 320), ("1:2", 800)] {
            let rate = ratio(text).uplink_rate(LEAF);
            assert_eq!(rate, Ok(Rate::from_gbps(gbps)), "{text}");
        }
    }

    /// 1600 Gb/s / (3·4) = 133.3… Gb/s.
    #[test]
    fn rates_that_are_not_whole_are_refused() {
        let wrong = ratio("3:1").uplink_rate(LEAF).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "oversubscription: `oversubscription` is 3:1, but no whole rate makes 4 uplinks of a \
             leaf carry 1/3 of its 16 × 100Gbps; write a ratio that divides, or `spine_rate` in \
             its place"
        );
    }

    #[test]
    fn one_key_decides() {
        let chosen = |ratio, rate| {
            Oversubscription::or_rate(ratio, rate, Rate::from_gbps(7), LEAF)
                .map_err(|wrong| format!("{}; {}", wrong.what, wrong.hint))
        };
        let (two, rate) = (ratio("2:1"), Rate::from_gbps(50));
        assert_eq!(chosen(None, None), Ok(Rate::from_gbps(7)));
        assert_eq!(chosen(None, Some(rate)), Ok(rate));
        assert_eq!(chosen(Some(two), None), Ok(Rate::from_gbps(200)));
        assert_eq!(
            chosen(Some(two), Some(rate)).unwrap_err(),
            "`oversubscription` and `spine_rate` are both given; leave one of them out: each \
             decides the other"
        );
    }

    #[test]
    fn ratios_are_read_and_written() {
        assert_eq!(ratio(" 3 : 2 ").to_string(), "3:2");
        for text in ["3", "0:1", "1:0", "a:b", "1:2:3", "-1:1", ""] {
            let wrong = Oversubscription::from_str(text).unwrap_err().to_string();
            let expected =
                format!("`{text}` is no ratio; write capacity down to capacity up, e.g. `2:1`");
            assert_eq!(wrong, expected);
        }
    }
}
