//! `[network.ecn]`: which packets switches mark.
//!
//! ```text
//! p(q) = 0                                   q ≤ k_min
//!        p_max · (q − k_min)/(k_max − k_min)  k_min < q ≤ k_max
//!        1                                   q > k_max
//! ```

use incast_cc::{Marking, Threshold};
use incast_net::{EcnConfig, MarkingPoint};
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use crate::spec::error::{Complaint, Problem};

/// No marking.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EcnOff {
    /// No packet is marked.
    Off,
}

/// Marking by a RED curve or a step. Without thresholds those that the algorithm's authors use,
/// in proportion to the link rate; for algorithms that ignore marks, RED between 400 KB and
/// 1600 KB up to 20 % at 100 Gb/s.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Ecn")]
pub(crate) struct EcnSection {
    /// When a queue is looked at.
    #[schemars(extend("default" = "dequeue"))]
    pub(crate) at: Option<MarkingPoint>,
    /// Every packet is marked above this, none below. Instead of `k_min`, `k_max`, `p_max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<Threshold>,
    /// No mark up to here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) k_min: Option<Threshold>,
    /// Every packet is marked above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) k_max: Option<Threshold>,
    /// Marking probability at `k_max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub(crate) p_max: Option<f64>,
    /// The link rate that the thresholds are for; they scale with the rate of each port's link.
    /// Without it they hold for every port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reference_rate: Option<Rate>,
    /// Thresholds for ports of each link rate, instead of one rule for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) per_rate: Option<Vec<EcnPerRate>>,
}

/// Thresholds for ports of one link rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EcnPerRate {
    /// Ports of links of this rate.
    pub(crate) link_rate: Rate,
    /// No mark up to here.
    pub(crate) k_min: Threshold,
    /// Every packet is marked above this.
    pub(crate) k_max: Threshold,
    /// Marking probability at `k_max`.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) p_max: f64,
}

/// RED thresholds of one port.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Red {
    k_min: Bytes,
    k_max: Bytes,
    p_max: f64,
}

impl EcnSection {
    /// With the thresholds of `default`, if no key has any; where it is all that there is, it also
    /// says when a queue is sampled.
    pub(crate) fn with_defaults(mut self, default: Marking) -> Self {
        if self == Self::default() {
            self.at = Some(point(default.at));
        }
        self.at.get_or_insert(MarkingPoint::Dequeue);
        let curve = (self.step, self.k_min, self.k_max, self.p_max);
        if self.per_rate.is_none() && curve == (None, None, None, None) {
            self.reference_rate = self.reference_rate.or(default.reference_rate);
            if default.k_min == default.k_max {
                self.step = Some(default.k_min);
            } else {
                self.k_min = Some(default.k_min);
                self.k_max = Some(default.k_max);
                self.p_max = Some(default.p_max);
            }
        }
        self
    }

    /// The thresholds of ports of these link rates. A full data packet has `packet` bytes.
    ///
    /// # Errors
    /// If thresholds are missing, out of order, or exclude each other.
    pub(crate) fn build(
        &self,
        port_rates: &[Rate],
        packet: Bytes,
    ) -> Result<Vec<EcnConfig>, Problem> {
        let at = filled_in(self.at);
        let config = |link_rate, red: Red| EcnConfig {
            link_rate,
            k_min: red.k_min,
            k_max: red.k_max,
            p_max: red.p_max,
            at,
        };
        if let Some(per_rate) = &self.per_rate {
            self.refuse_beside_per_rate()?;
            let entries = listed(per_rate, port_rates, packet)?;
            return Ok(entries
                .into_iter()
                .map(|(rate, red)| config(Some(rate), red))
                .collect());
        }
        let red = self.rule(packet)?;
        Ok(match self.reference_rate {
            None => vec![config(None, red)],
            Some(reference) => port_rates
                .iter()
                .map(|rate| config(Some(*rate), red.scaled(*rate, reference)))
                .collect(),
        })
    }

    /// The one rule for all ports.
    fn rule(&self, packet: Bytes) -> Result<Red, Problem> {
        if self.reference_rate == Some(Rate::ZERO) {
            let complaint = Complaint::new("a link of 0bps carries nothing", "write e.g. 100Gbps");
            return Err(complaint.at("network.ecn.reference_rate"));
        }
        let red = match (self.step, self.k_min, self.k_max, self.p_max) {
            (Some(step), None, None, None) => Red::step(step.in_bytes(packet)),
            (None, Some(k_min), Some(k_max), Some(p_max)) => Red {
                k_min: k_min.in_bytes(packet),
                k_max: k_max.in_bytes(packet),
                p_max,
            },
            (None, ..) => {
                let complaint = Complaint::new(
                    "a RED curve needs `k_min`, `k_max` and `p_max`",
                    "write all three, e.g. k_min = \"400KB\", k_max = \"1600KB\", p_max = 0.2",
                );
                return Err(complaint.at("network.ecn"));
            }
            (Some(_), ..) => {
                let complaint = Complaint::new(
                    "a step and a RED curve exclude each other",
                    "write either `step`, or `k_min`, `k_max` and `p_max`",
                );
                return Err(complaint.at("network.ecn.step"));
            }
        };
        red.check("network.ecn")?;
        Ok(red)
    }

    fn refuse_beside_per_rate(&self) -> Result<(), Problem> {
        let beside = [
            ("step", self.step.is_some()),
            ("k_min", self.k_min.is_some()),
            ("k_max", self.k_max.is_some()),
            ("p_max", self.p_max.is_some()),
            ("reference_rate", self.reference_rate.is_some()),
        ];
        match beside.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((key, _)) => {
                let what = format!("`{key}` and `per_rate` exclude each other");
                let complaint = Complaint::new(what, "write one rule for all ports, or `per_rate`");
                Err(complaint.at(format!("network.ecn.{key}")))
            }
        }
    }
}

fn point(at: incast_cc::MarkingPoint) -> MarkingPoint {
    match at {
        incast_cc::MarkingPoint::Dequeue => MarkingPoint::Dequeue,
        incast_cc::MarkingPoint::Enqueue => MarkingPoint::Enqueue,
    }
}

/// The entries that some port needs, checked.
fn listed(
    per_rate: &[EcnPerRate],
    port_rates: &[Rate],
    packet: Bytes,
) -> Result<Vec<(Rate, Red)>, Problem> {
    for (index, entry) in per_rate.iter().enumerate() {
        let key = format!("network.ecn.per_rate[{index}]");
        entry.red(packet).check(&key)?;
        if per_rate[..index]
            .iter()
            .any(|earlier| earlier.link_rate == entry.link_rate)
        {
            let what = format!("there are two entries for links of {}", entry.link_rate);
            return Err(Complaint::new(what, "keep one").at(format!("{key}.link_rate")));
        }
    }
    let entry_of = |rate: &Rate| {
        let entry = per_rate
            .iter()
            .find(|entry| entry.link_rate == *rate)
            .ok_or_else(|| {
                let what = format!("there is no entry for links of {rate}");
                let hint =
                    format!("add {{ link_rate = \"{rate}\", k_min = …, k_max = …, p_max = … }}");
                Complaint::new(what, hint).at("network.ecn.per_rate")
            })?;
        Ok((*rate, entry.red(packet)))
    };
    port_rates.iter().map(entry_of).collect()
}

impl EcnPerRate {
    fn red(&self, packet: Bytes) -> Red {
        Red {
            k_min: self.k_min.in_bytes(packet),
            k_max: self.k_max.in_bytes(packet),
            p_max: self.p_max,
        }
    }
}

impl Red {
    /// Every packet above a threshold, none below.
    fn step(threshold: Bytes) -> Self {
        Self {
            k_min: threshold,
            k_max: threshold,
            p_max: 1.0,
        }
    }

    fn check(&self, key: &str) -> Result<(), Problem> {
        if self.k_min > self.k_max {
            let what = format!(
                "`k_min` of {} is above `k_max` of {}",
                self.k_min, self.k_max
            );
            let complaint = Complaint::new(what, "write thresholds in order of size");
            return Err(complaint.at(format!("{key}.k_min")));
        }
        if !(0.0..=1.0).contains(&self.p_max) {
            let what = format!("`{}` is not a probability", self.p_max);
            return Err(Complaint::new(what, "write 0 to 1").at(format!("{key}.p_max")));
        }
        Ok(())
    }

    /// Thresholds in proportion to the rate, rounded down.
    fn scaled(self, rate: Rate, reference: Rate) -> Self {
        let scale = |bytes: Bytes| {
            let product = u128::from(bytes.as_u64()) * u128::from(rate.as_bps());
            Bytes::new((product / u128::from(reference.as_bps())) as u64)
        };
        Self {
            k_min: scale(self.k_min),
            k_max: scale(self.k_max),
            p_max: self.p_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: [Rate; 2] = [Rate::from_gbps(100), Rate::from_gbps(400)];
    const PACKET: Bytes = Bytes::new(1_048);

    fn size(bytes: u64) -> Option<Threshold> {
        Some(Threshold::Size(Bytes::new(bytes)))
    }

    fn thresholds(section: &EcnSection) -> Vec<(Option<Rate>, u64, u64, f64)> {
        let section = section.clone().with_defaults(Marking::HPCC_ARTIFACT);
        let configs = section.build(&RATES, PACKET).unwrap();
        let flat = |ecn: &EcnConfig| {
            (
                ecn.link_rate,
                ecn.k_min.as_u64(),
                ecn.k_max.as_u64(),
                ecn.p_max,
            )
        };
        configs.iter().map(flat).collect()
    }

    /// 400 KB · 400/100 = 1600 KB, 1600 KB · 4 = 6400 KB.
    #[test]
    fn without_thresholds_they_follow_the_link_rate() {
        let section = EcnSection::default();
        let expected = [
            (Some(RATES[0]), 400_000, 1_600_000, 0.2),
            (Some(RATES[1]), 1_600_000, 6_400_000, 0.2),
        ];
        assert_eq!(thresholds(&section), expected);
        let section = section.with_defaults(Marking::HPCC_ARTIFACT);
        assert_eq!(section.reference_rate, Some(Rate::from_gbps(100)));
        assert_eq!(
            thresholds(&section),
            expected,
            "filling twice changes nothing"
        );
    }

    /// 300 KB · 400/100 = 1200 KB.
    #[test]
    fn what_is_usual_may_be_a_step() {
        let section = EcnSection::default().with_defaults(Marking::DCTCP);
        let configs = section.build(&RATES, PACKET).unwrap();
        let thresholds: Vec<_> = configs.iter().map(|ecn| (ecn.k_min, ecn.k_max)).collect();
        let [low, high] = [300_000, 1_200_000].map(Bytes::new);
        assert_eq!(thresholds, [(low, low), (high, high)]);
        assert_eq!(section.step, size(300_000));
    }

    #[test]
    fn a_step_holds_for_every_port() {
        let section = EcnSection {
            step: size(40_000),
            ..EcnSection::default()
        };
        assert_eq!(thresholds(&section), [(None, 40_000, 40_000, 1.0)]);
    }

    #[test]
    fn a_step_scales_with_a_reference() {
        let section = EcnSection {
            step: size(300_000),
            reference_rate: Some(RATES[0]),
            ..EcnSection::default()
        };
        let expected = [
            (Some(RATES[0]), 300_000, 300_000, 1.0),
            (Some(RATES[1]), 1_200_000, 1_200_000, 1.0),
        ];
        assert_eq!(thresholds(&section), expected);
    }

    /// 65 packets of 1048 B: 68 120 B, at every port.
    #[test]
    fn a_step_may_count_packets() {
        let section = EcnSection {
            step: Some(Threshold::Packets(65)),
            ..EcnSection::default()
        };
        assert_eq!(thresholds(&section), [(None, 68_120, 68_120, 1.0)]);
    }

    /// LGC's is of one packet, as it arrives; whoever gives a threshold says when, too.
    #[test]
    fn when_to_look_comes_with_the_usual_threshold() {
        let section = EcnSection::default().with_defaults(Marking::ONE_PACKET);
        let configs = section.build(&RATES, PACKET).unwrap();
        assert_eq!((configs[0].k_min, configs[0].link_rate), (PACKET, None));
        assert_eq!(section.at, Some(MarkingPoint::Enqueue));
        let section = EcnSection {
            step: size(40_000),
            ..EcnSection::default()
        };
        let section = section.with_defaults(Marking::ONE_PACKET);
        assert_eq!(section.at, Some(MarkingPoint::Dequeue));
    }
}
