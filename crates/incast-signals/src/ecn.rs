//! ECN: which packets a switch marks, by the length of a port's data queue.
//!
//! ```text
//! p(q) = 0                                   q ≤ k_min
//!        p_max · (q − k_min)/(k_max − k_min)  k_min < q ≤ k_max
//!        1                                   q > k_max
//! ```
//!
//! [`EcnOptions`] has the options: those under `[network.ecn]` in a scenario, those recommended by
//! an algorithm's authors, and those of a network. [`EcnCurve`] is the resulting curve of one port.
//!
//! | option           | unit           | meaning                                              |
//! |------------------|----------------|------------------------------------------------------|
//! | `at`             | –              | the queue that counts: on arrival or on departure     |
//! | `step`           | B or packets   | every packet is marked above, none below             |
//! | `k_min`, `k_max` | B or packets   | the RED curve                                        |
//! | `p_max`          | 1              | marking probability at `k_max`                       |
//! | `reference_rate` | bit/s          | thresholds are for this link rate, and scale with it |
//! | `per_rate`       | –              | a curve for each link rate                           |
//! | `last_hop`       | –              | whether ports that lead to hosts mark                |
//! | `per_tier`       | –              | in place of all this for the switches of some tiers  |

mod per_tier;

use incast_diagnostic::{Diagnostic, Placed};
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::per_tier::{EcnOff, EcnPerTier};
use crate::QueueThreshold;

/// The event at which the queue decides on marking.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkingPoint {
    /// Departure: a packet is marked by the bytes that it leaves in the queue.
    Dequeue,
    /// Arrival: a packet that must wait is marked by the bytes in the queue, its own included.
    Enqueue,
}

/// Marking by a RED curve or a step. Default thresholds are those of the algorithm's authors, in
/// proportion to the link rate. For algorithms that ignore marks the default is RED between 400 KB
/// and 1600 KB, up to 20 %, at 100 Gb/s.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Ecn")]
pub struct EcnOptions {
    /// The event at which the queue decides on marking.
    #[schemars(extend("default" = "dequeue"))]
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
    /// Without it the thresholds hold for every port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_rate: Option<Rate>,
    /// Thresholds for ports of each link rate, in place of one rule for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_rate: Option<Vec<EcnPerRate>>,
    /// Whether ports that lead to hosts also mark. If they do not, a mark tells of the network and
    /// not of the receiver (Ultra Ethernet with credit from receivers, MRC). Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_hop: Option<bool>,
    /// Marking at ports of switches of some tiers. Ports of all other switches follow the keys
    /// above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub per_tier: Vec<EcnPerTier>,
}

/// Thresholds for ports of one link rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EcnPerRate {
    /// The link rate of the ports.
    pub link_rate: Rate,
    /// No packet is marked up to this queue length.
    pub k_min: QueueThreshold,
    /// Every packet is marked above this queue length.
    pub k_max: QueueThreshold,
    /// Marking probability at `k_max`.
    #[schemars(range(min = 0, max = 1))]
    pub p_max: f64,
}

/// The options recommended by algorithms' authors.
impl EcnOptions {
    /// DCQCN in the HPCC artifact's `run.py`: RED between 4 and 16 KB per Gb/s, up to 20 %.
    pub const HPCC_ARTIFACT: &'static Self =
        &Self::red_at(400_000, 1_600_000, 0.2, Some(Rate::from_gbps(100)));

    /// DCTCP in the HPCC artifact's `run.py`: a step at 3 KB per Gb/s.
    pub const DCTCP: &'static Self = &Self::step_at(
        QueueThreshold::Size(Bytes::new(300_000)),
        MarkingPoint::Dequeue,
        Some(Rate::from_gbps(100)),
    );

    /// DCQCN, SIGCOMM 2015, as "ECN or Delay" (CoNEXT 2016) restates it.
    pub const DCQCN_PAPER: &'static Self =
        &Self::red_at(5_000, 200_000, 0.01, Some(Rate::from_gbps(40)));

    /// LGC (LCN 2016): a packet is marked if more than one packet waits, itself included, at any
    /// link rate.
    pub const ONE_PACKET: &'static Self =
        &Self::step(QueueThreshold::Packets(1), MarkingPoint::Enqueue);

    /// Ultra Ethernet 1.0, §3.6.17: RED between 0.2 and 0.8 BDP, up to a probability of 1.
    pub const ULTRA_ETHERNET: &'static Self = &Self::red_between(
        QueueThreshold::BdpThousandths(200),
        QueueThreshold::BdpThousandths(800),
        1.0,
        None,
    );

    /// A step for ports of any link rate.
    pub const fn step(threshold: QueueThreshold, at: MarkingPoint) -> Self {
        Self::step_at(threshold, at, None)
    }

    /// A RED curve for ports of any link rate; packets are marked at departure.
    pub const fn red(k_min: Bytes, k_max: Bytes, p_max: f64) -> Self {
        Self::red_at(k_min.as_u64(), k_max.as_u64(), p_max, None)
    }

    const fn step_at(threshold: QueueThreshold, at: MarkingPoint, reference: Option<Rate>) -> Self {
        Self {
            at: Some(at),
            step: Some(threshold),
            k_min: None,
            k_max: None,
            p_max: None,
            reference_rate: reference,
            per_rate: None,
            last_hop: None,
            per_tier: Vec::new(),
        }
    }

    const fn red_at(k_min: u64, k_max: u64, p_max: f64, reference: Option<Rate>) -> Self {
        let k_min = QueueThreshold::Size(Bytes::new(k_min));
        let k_max = QueueThreshold::Size(Bytes::new(k_max));
        Self::red_between(k_min, k_max, p_max, reference)
    }

    const fn red_between(
        k_min: QueueThreshold,
        k_max: QueueThreshold,
        p_max: f64,
        reference: Option<Rate>,
    ) -> Self {
        Self {
            at: Some(MarkingPoint::Dequeue),
            step: None,
            k_min: Some(k_min),
            k_max: Some(k_max),
            p_max: Some(p_max),
            reference_rate: reference,
            per_rate: None,
            last_hop: None,
            per_tier: Vec::new(),
        }
    }
}

impl EcnOptions {
    /// These options with the `recommended` thresholds, if they have none of their own. If they
    /// have no key at all, except `per_tier`, the marking point is also the recommended one.
    #[must_use]
    pub fn with_defaults(mut self, recommended: &Self) -> Self {
        if self.written_keys().next().is_none() && self.per_rate.is_none() {
            self.at = recommended.at;
        }
        self.at.get_or_insert(MarkingPoint::Dequeue);
        let curve = (self.step, self.k_min, self.k_max, self.p_max);
        if self.per_rate.is_none() && curve == (None, None, None, None) {
            self.reference_rate = self.reference_rate.or(recommended.reference_rate);
            self.step = recommended.step;
            self.k_min = recommended.k_min;
            self.k_max = recommended.k_max;
            self.p_max = recommended.p_max;
        }
        self
    }

    /// Whether a port marks packets.
    pub fn marks_at(&self, leads_to_host: bool) -> bool {
        !leads_to_host || self.last_hop.unwrap_or(true)
    }

    /// These options in a network with this BDP: thresholds in BDPs become bytes.
    #[must_use]
    pub fn with_bdp(self, bdp: Bytes) -> Self {
        self.with_thresholds(|threshold| threshold.with_bdp(bdp))
    }

    /// These options with `change` applied to all thresholds.
    #[must_use]
    pub fn with_thresholds(mut self, change: impl Fn(QueueThreshold) -> QueueThreshold) -> Self {
        let rates = self.per_rate.iter_mut().flatten();
        let of_rates = rates.flat_map(|entry| [&mut entry.k_min, &mut entry.k_max]);
        let tiers = self.per_tier.iter_mut();
        let of_tiers = tiers.flat_map(|tier| [&mut tier.step, &mut tier.k_min, &mut tier.k_max]);
        let own = [&mut self.step, &mut self.k_min, &mut self.k_max];
        let optional = own.into_iter().chain(of_tiers).flatten();
        for threshold in of_rates.chain(optional) {
            *threshold = change(*threshold);
        }
        self
    }

    /// Checks that every port of these link rates has a curve. `packet`: size of a full data packet
    /// on the wire.
    ///
    /// # Errors
    /// The first option that is missing, out of range, or excludes another one.
    pub fn check(&self, port_rates: &[Rate], packet: Bytes) -> Result<(), Diagnostic> {
        match &self.per_rate {
            Some(per_rate) => {
                self.refuse_beside_per_rate()?;
                check_per_rate(per_rate, port_rates, packet)
            }
            None => self.check_rule(packet),
        }
    }

    /// The curve of a port with this link rate. `None` if no option gives a curve, which
    /// [`EcnOptions::check`] reports.
    pub fn curve(&self, link_rate: Rate, packet: Bytes) -> Option<EcnCurve> {
        if let Some(per_rate) = &self.per_rate {
            let entry = per_rate.iter().find(|entry| entry.link_rate == link_rate)?;
            return Some(entry.curve(packet));
        }
        let curve = match self.step {
            Some(step) => EcnCurve::step(step.in_bytes(packet)),
            None => EcnCurve::red(self.k_min?, self.k_max?, self.p_max?, packet),
        };
        Some(match self.reference_rate {
            None => curve,
            Some(reference) => curve.scaled(link_rate, reference),
        })
    }

    /// Whether there are entries for link rates or tiers, which other networks may not have.
    pub fn is_for_one_network(&self) -> bool {
        self.per_rate.is_some() || !self.per_tier.is_empty()
    }

    /// The event at which the queue decides on marking.
    pub fn marking_point(&self) -> MarkingPoint {
        self.at.unwrap_or(MarkingPoint::Dequeue)
    }

    fn check_rule(&self, packet: Bytes) -> Result<(), Diagnostic> {
        if self.reference_rate == Some(Rate::ZERO) {
            let diagnostic =
                Diagnostic::new("a link of 0bps carries nothing", "write e.g. 100Gbps");
            return Err(diagnostic.at("reference_rate"));
        }
        match (self.step, self.k_min, self.k_max, self.p_max) {
            (Some(_), None, None, None) => Ok(()),
            (None, Some(k_min), Some(k_max), Some(p_max)) => {
                EcnCurve::red(k_min, k_max, p_max, packet).check()
            }
            (None, ..) => Err(Diagnostic::new(
                "a RED curve needs `k_min`, `k_max` and `p_max`",
                "write all three, e.g. k_min = \"400KB\", k_max = \"1600KB\", p_max = 0.2",
            )),
            (Some(_), ..) => {
                let diagnostic = Diagnostic::new(
                    "a step and a RED curve exclude each other",
                    "write either `step`, or `k_min`, `k_max` and `p_max`",
                );
                Err(diagnostic.at("step"))
            }
        }
    }

    fn refuse_beside_per_rate(&self) -> Result<(), Diagnostic> {
        if !self.per_tier.is_empty() {
            let what = "`per_tier` and `per_rate` exclude each other";
            let hint = "write one; entries of `per_tier` may scale by a `reference_rate`";
            return Err(Diagnostic::new(what, hint).at("per_tier"));
        }
        match self.written_keys().find(|key| *key != "at") {
            None => Ok(()),
            Some(key) => {
                let what = format!("`{key}` and `per_rate` exclude each other");
                Err(Diagnostic::new(what, "write one rule for all ports, or `per_rate`").at(key))
            }
        }
    }

    /// The keys that are written of the rule for all ports.
    fn written_keys(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            ("at", self.at.is_some()),
            ("step", self.step.is_some()),
            ("k_min", self.k_min.is_some()),
            ("k_max", self.k_max.is_some()),
            ("p_max", self.p_max.is_some()),
            ("reference_rate", self.reference_rate.is_some()),
        ];
        let written = keys.into_iter().filter(|(_, written)| *written);
        written.map(|(key, _)| key)
    }
}

impl EcnPerRate {
    fn curve(&self, packet: Bytes) -> EcnCurve {
        EcnCurve::red(self.k_min, self.k_max, self.p_max, packet)
    }
}

fn check_per_rate(
    per_rate: &[EcnPerRate],
    port_rates: &[Rate],
    packet: Bytes,
) -> Result<(), Diagnostic> {
    for (index, entry) in per_rate.iter().enumerate() {
        let key = format!("per_rate[{index}]");
        entry.curve(packet).check().at(&key)?;
        let earlier = &per_rate[..index];
        if earlier
            .iter()
            .any(|other| other.link_rate == entry.link_rate)
        {
            let what = format!("there are two entries for links of {}", entry.link_rate);
            return Err(Diagnostic::new(what, "keep one").at("link_rate").at(&key));
        }
    }
    let has_entry = |rate: &Rate| per_rate.iter().any(|entry| entry.link_rate == *rate);
    match port_rates.iter().find(|rate| !has_entry(rate)) {
        None => Ok(()),
        Some(rate) => {
            let what = format!("there is no entry for links of {rate}");
            let hint = format!("add {{ link_rate = \"{rate}\", k_min = …, k_max = …, p_max = … }}");
            Err(Diagnostic::new(what, hint).at("per_rate"))
        }
    }
}

/// The curve of one port: RED on the instantaneous queue; a step if both thresholds are equal.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct EcnCurve {
    /// No packet is marked up to this queue length, in bytes on the wire.
    pub k_min: Bytes,
    /// Every packet is marked above this queue length.
    pub k_max: Bytes,
    /// Marking probability at `k_max`.
    pub p_max: f64,
}

/// The marking decision at one queue length.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Marking {
    /// No packet is marked.
    Never,
    /// Every packet is marked.
    Always,
    /// A packet is marked with this probability, which needs a random number.
    With(f64),
}

impl EcnCurve {
    /// A curve that marks every packet above the threshold and none below.
    pub const fn step(threshold: Bytes) -> Self {
        Self {
            k_min: threshold,
            k_max: threshold,
            p_max: 1.0,
        }
    }

    fn red(k_min: QueueThreshold, k_max: QueueThreshold, p_max: f64, packet: Bytes) -> Self {
        Self {
            k_min: k_min.in_bytes(packet),
            k_max: k_max.in_bytes(packet),
            p_max,
        }
    }

    /// The marking decision at a queue of `queue` bytes.
    #[inline]
    pub fn marking(&self, queue: Bytes) -> Marking {
        if queue <= self.k_min {
            return Marking::Never;
        }
        if queue > self.k_max {
            return Marking::Always;
        }
        let span = (self.k_max - self.k_min).as_u64() as f64;
        Marking::With(self.p_max * (queue - self.k_min).as_u64() as f64 / span)
    }

    /// The curve with thresholds scaled by `rate` / `reference`, rounded down.
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

    fn check(&self) -> Result<(), Diagnostic> {
        let (k_min, k_max, p_max) = (self.k_min, self.k_max, self.p_max);
        if k_min > k_max {
            let what = format!("`k_min` of {k_min} is above `k_max` of {k_max}");
            return Err(Diagnostic::new(what, "write thresholds in order of size").at("k_min"));
        }
        if !(0.0..=1.0).contains(&p_max) {
            let what = format!("`{p_max}` is not a probability");
            return Err(Diagnostic::new(what, "write 0 to 1").at("p_max"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
