//! `.topo` files of htsim (Broadcom/csg-htsim and the simulators that descend from it): fat
//! trees of two or three tiers.
//!
//! ```text
//! # comment
//! Nodes 1024                 hosts
//! Tiers 3                    2: leaf-spine; 3: fat tree
//! Podsize 64                 hosts of a pod; with two tiers, all
//!
//! Tier 0                     ToRs; then tier 1, aggregation or spines; then tier 2, cores
//! Downlink_speed_Gbps 100    of the links below this tier
//! Downlink_Latency_ns 1000   of the links below this tier
//! Radix_Down 8               ports to the tier below
//! Radix_Up 8                 ports to the tier above (not for the top)
//! Bundle 1                   links from a switch to the same switch below; default 1
//! Oversubscribed 1           capacity down ÷ capacity up, checked if given
//! Switch_Latency_ns 0        default 0
//! Queue_Down 100             Queue_Up 100: buffers; ignored, because topologies have none
//! ```
//!
//! Keywords may be in any case. Our switches forward without latency, so half of a switch's latency
//! is added to the delay of each of its links. A packet crosses two links of each switch, so that
//! every path has its full latency. Cores are wired as in htsim: aggregation switch p of a pod has
//! links to cores p, p + a, p + 2a, …, where a is the number of aggregation switches of a pod.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_topology::{Clos, CoreOrder, Tier, Topology};
use incast_units::{Rate, Time};

use crate::diagnostics;
use crate::text::{Field, TextLine, TextLines};

const LINE: &str = "keyword number";

/// Keywords as the files spell them, in the order of [`Key`].
static KEYWORDS: [&str; 13] = [
    "Nodes",
    "Tiers",
    "Podsize",
    "Tier",
    "Downlink_speed_Gbps",
    "Downlink_Latency_ns",
    "Radix_Down",
    "Radix_Up",
    "Bundle",
    "Oversubscribed",
    "Switch_Latency_ns",
    "Queue_Down",
    "Queue_Up",
];

static KEYS: [Keyword; KEYWORDS.len()] = [
    Keyword::Nodes,
    Keyword::Tiers,
    Keyword::PodSize,
    Keyword::Tier,
    Keyword::Speed,
    Keyword::Latency,
    Keyword::RadixDown,
    Keyword::RadixUp,
    Keyword::Bundle,
    Keyword::Oversubscribed,
    Keyword::SwitchLatency,
    Keyword::QueueDown,
    Keyword::QueueUp,
];

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Keyword {
    Nodes,
    Tiers,
    PodSize,
    Tier,
    Speed,
    Latency,
    RadixDown,
    RadixUp,
    Bundle,
    Oversubscribed,
    SwitchLatency,
    QueueDown,
    QueueUp,
}

impl Keyword {
    fn parse(word: Field<'_>) -> Result<Self, Diagnostic> {
        let at = KEYWORDS
            .iter()
            .position(|keyword| keyword.eq_ignore_ascii_case(word.text));
        at.map(|at| KEYS[at])
            .ok_or_else(|| word.unnamed(diagnostics::unknown_keyword(word.text, &KEYWORDS)))
    }

    fn keyword(self) -> &'static str {
        KEYWORDS[self as usize]
    }
}

/// A value, and the line that sets it.
#[derive(Copy, Clone)]
struct Setting {
    value: u32,
    line: u64,
}

/// The settings of the network, or of one tier.
#[derive(Copy, Clone, Default)]
struct Settings {
    /// The tier; `None` for settings of the network.
    tier: Option<u32>,
    by_key: [Option<Setting>; KEYWORDS.len()],
}

/// All settings of the file.
#[derive(Default)]
struct Description {
    network: Settings,
    tiers: [Option<Settings>; 3],
    /// The tier of the settings that follow; `None` before the first tier.
    current: Option<u32>,
}

pub(crate) fn read<R: BufRead>(lines: &mut TextLines<R>) -> Result<Topology, Diagnostic> {
    let mut description = Description::default();
    description.add(lines.first_line("`Nodes`, e.g. `Nodes 128`")?)?;
    while let Some(line) = lines.next_line()? {
        description.add(line)?;
    }
    description.topology().map_err(|wrong| lines.in_file(wrong))
}

impl Description {
    /// Adds the setting on a line.
    fn add(&mut self, line: TextLine<'_>) -> Result<(), Diagnostic> {
        if line.text().starts_with('#') {
            return Ok(());
        }
        let mut words = line.words(LINE);
        let key = Keyword::parse(words.next("keyword")?)?;
        let setting = Setting {
            value: words.next(key.keyword())?.integer_32("16")?,
            line: line.number(),
        };
        words.end()?;
        self.set(key, setting).map_err(|wrong| line.wrong(wrong))
    }

    fn set(&mut self, key: Keyword, setting: Setting) -> Result<(), Diagnostic> {
        match key {
            Keyword::Tier => self.begin_tier(setting),
            Keyword::Nodes | Keyword::Tiers | Keyword::PodSize => match self.current {
                None => self.network.set(key, setting),
                Some(_) => Err(misplaced(key, "it belongs above the first `Tier` line")),
            },
            Keyword::RadixUp | Keyword::QueueUp if self.current == Some(2) => Err(misplaced(
                key,
                "tier 2 is the top: there is nothing above it",
            )),
            _ => match self
                .current
                .and_then(|tier| self.tiers[tier as usize].as_mut())
            {
                Some(tier) => tier.set(key, setting),
                None => Err(misplaced(key, "it belongs below a `Tier` line")),
            },
        }
    }

    fn begin_tier(&mut self, setting: Setting) -> Result<(), Diagnostic> {
        let number = setting.value;
        let Some(tier) = self.tiers.get_mut(number as usize) else {
            let reason = "tiers are 0 (ToRs), 1 (aggregation or spines) and 2 (cores)";
            return Err(diagnostics::impossible("Tier", number, reason));
        };
        let settings = tier.get_or_insert(Settings {
            tier: Some(number),
            ..Settings::default()
        });
        self.current = Some(number);
        settings.set(Keyword::Tier, setting)
    }

    /// The network that the file describes.
    fn topology(&self) -> Result<Topology, Diagnostic> {
        let count = self.network.need(Keyword::Tiers, 3)?;
        if !(2..=3).contains(&count) {
            let reason = "a network has 2 or 3 tiers of switches";
            return Err(self.network.impossible(Keyword::Tiers, reason));
        }
        let tiers = self.tiers(count)?;
        let clos = match tiers.as_slice() {
            [tors, spines] => self.leaf_spine(tors, spines),
            [tors, aggs, cores] => self.fat_tree(tors, aggs, cores),
            _ => unreachable!("2 or 3 tiers"),
        }?;
        clos.build()
    }

    /// The settings of each tier; an error if there are not as many tiers as announced.
    fn tiers(&self, count: u32) -> Result<Vec<Settings>, Diagnostic> {
        let mut tiers = Vec::new();
        for (number, tier) in (0..).zip(&self.tiers) {
            match tier {
                Some(tier) if number < count => tiers.push(*tier),
                Some(tier) => {
                    let wrong = misplaced(Keyword::Tier, "`Tiers` announces fewer tiers");
                    return Err(tier.at(Keyword::Tier, wrong));
                }
                None if number < count => {
                    let key = Keyword::Tier.keyword();
                    return Err(diagnostics::not_set(key, None, number));
                }
                None => {}
            }
        }
        Ok(tiers)
    }

    fn leaf_spine(&self, tors: &Settings, spines: &Settings) -> Result<Clos, Diagnostic> {
        let hosts = self.network.at_least_one(Keyword::Nodes, 128)?;
        let pod_size = self.network.need(Keyword::PodSize, hosts)?;
        if pod_size != hosts {
            let reason = "two tiers are one pod of all nodes";
            return Err(self
                .network
                .contradiction(Keyword::PodSize, &hosts.to_string(), reason));
        }
        let tors_per_pod = tors_per_pod(pod_size, tors)?;
        let spines_per_tor = bundles(tors, spines)?;
        spines.must_be(
            Keyword::RadixDown,
            tors_per_pod,
            spines,
            "a bundle to each ToR",
        )?;
        tors.check_oversubscription(spines)?;
        Ok(Clos {
            name: String::new(),
            pods: 1,
            tors_per_pod,
            hosts_per_tor: tors.need(Keyword::RadixDown, 8)?,
            aggs_per_pod: spines_per_tor,
            cores_per_agg: 0,
            core_order: CoreOrder::Interleaved,
            host_links: host_links(tors)?,
            agg_links: links(tors, spines)?,
            core_links: links(tors, spines)?,
            labels: ["tor", "spine", "core"],
        })
    }

    fn fat_tree(
        &self,
        tors: &Settings,
        aggs: &Settings,
        cores: &Settings,
    ) -> Result<Clos, Diagnostic> {
        let hosts = self.network.at_least_one(Keyword::Nodes, 128)?;
        let pod_size = self.network.need(Keyword::PodSize, 16)?;
        if pod_size == 0 || !hosts.is_multiple_of(pod_size) {
            let reason = "all pods are equal";
            let expected = format!("a divisor of {hosts}");
            return Err(self
                .network
                .contradiction(Keyword::PodSize, &expected, reason));
        }
        let pods = hosts / pod_size;
        let tors_per_pod = tors_per_pod(pod_size, tors)?;
        let aggs_per_pod = bundles(tors, aggs)?;
        let cores_per_agg = bundles(aggs, cores)?;
        aggs.must_be(
            Keyword::RadixDown,
            tors_per_pod,
            aggs,
            "a bundle to each ToR of the pod",
        )?;
        cores.must_be(Keyword::RadixDown, pods, cores, "a bundle to each pod")?;
        tors.check_oversubscription(aggs)?;
        aggs.check_oversubscription(cores)?;
        Ok(Clos {
            name: String::new(),
            pods,
            tors_per_pod,
            hosts_per_tor: tors.need(Keyword::RadixDown, 8)?,
            aggs_per_pod,
            cores_per_agg,
            core_order: CoreOrder::Interleaved,
            host_links: host_links(tors)?,
            agg_links: links(tors, aggs)?,
            core_links: links(aggs, cores)?,
            labels: ["tor", "agg", "core"],
        })
    }
}

fn misplaced(key: Keyword, place: &'static str) -> Diagnostic {
    diagnostics::misplaced(key.keyword(), place)
}

fn tors_per_pod(pod_size: u32, tors: &Settings) -> Result<u32, Diagnostic> {
    let hosts_per_tor = tors.at_least_one(Keyword::RadixDown, 8)?;
    match pod_size.is_multiple_of(hosts_per_tor) {
        true => Ok(pod_size / hosts_per_tor),
        false => {
            let expected = format!("a divisor of {pod_size}");
            Err(tors.contradiction(Keyword::RadixDown, &expected, "all ToRs of a pod are equal"))
        }
    }
}

/// Number of switches of tier `upper` that a switch of tier `lower` has bundles to.
fn bundles(lower: &Settings, upper: &Settings) -> Result<u32, Diagnostic> {
    let (uplinks, bundle) = (lower.at_least_one(Keyword::RadixUp, 8)?, upper.bundle()?);
    match uplinks.is_multiple_of(bundle) {
        true => Ok(uplinks / bundle),
        false => {
            let expected = format!("a multiple of {bundle}");
            Err(lower.contradiction(Keyword::RadixUp, &expected, "`Bundle` of the tier above"))
        }
    }
}

fn host_links(tors: &Settings) -> Result<Tier, Diagnostic> {
    if tors.bundle()? != 1 {
        return Err(tors.impossible(Keyword::Bundle, "every host has one link; write 1"));
    }
    tier(tors, 0)
}

fn links(lower: &Settings, upper: &Settings) -> Result<Tier, Diagnostic> {
    tier(upper, lower.optional(Keyword::SwitchLatency, 0))
}

/// The links below tier `upper`. Switches at their lower ends have a latency of `latency_below`, in
/// ns.
fn tier(upper: &Settings, latency_below: u32) -> Result<Tier, Diagnostic> {
    let rate = Rate::from_gbps(upper.at_least_one(Keyword::Speed, 100)?.into());
    let propagation = Time::from_ns(upper.need(Keyword::Latency, 1_000)?.into());
    let switch_latency = Time::from_ns(upper.optional(Keyword::SwitchLatency, 0).into());
    let both_ends = switch_latency + Time::from_ns(latency_below.into());
    let delay = propagation + Time::from_ps(both_ends.as_ps() / 2);
    match delay {
        Time::ZERO => Err(upper.impossible(Keyword::Latency, "write at least 1")),
        _ => Ok(Tier {
            rate,
            delay,
            bundle: upper.bundle()?,
        }),
    }
}

impl Settings {
    fn set(&mut self, key: Keyword, setting: Setting) -> Result<(), Diagnostic> {
        match self.by_key[key as usize].replace(setting) {
            Some(_) => Err(diagnostics::set_twice(key.keyword(), self.tier)),
            None => Ok(()),
        }
    }

    /// Adds the line that sets `key` to a diagnostic, if the file sets it.
    fn at(&self, key: Keyword, diagnostic: Diagnostic) -> Diagnostic {
        match self.by_key[key as usize] {
            Some(setting) => diagnostic.on_line(setting.line),
            None => diagnostic,
        }
    }

    fn optional(&self, key: Keyword, default: u32) -> u32 {
        self.by_key[key as usize].map_or(default, |setting| setting.value)
    }

    fn need(&self, key: Keyword, example: u32) -> Result<u32, Diagnostic> {
        match self.by_key[key as usize] {
            Some(setting) => Ok(setting.value),
            None => Err(diagnostics::not_set(key.keyword(), self.tier, example)),
        }
    }

    fn at_least_one(&self, key: Keyword, example: u32) -> Result<u32, Diagnostic> {
        match self.need(key, example)? {
            0 => Err(self.impossible(key, "write at least 1")),
            value => Ok(value),
        }
    }

    fn bundle(&self) -> Result<u32, Diagnostic> {
        match self.optional(Keyword::Bundle, 1) {
            0 => Err(self.impossible(Keyword::Bundle, "write at least 1")),
            bundle => Ok(bundle),
        }
    }

    /// Checks that `key` is the number of links to `neighbours` neighbours, with a bundle of tier
    /// `upper` to each.
    fn must_be(
        &self,
        key: Keyword,
        neighbours: u32,
        upper: &Settings,
        reason: &'static str,
    ) -> Result<(), Diagnostic> {
        let expected = u64::from(neighbours) * u64::from(upper.bundle()?);
        match u64::from(self.need(key, 8)?) == expected {
            true => Ok(()),
            false => Err(self.contradiction(key, &expected.to_string(), reason)),
        }
    }

    /// Checks capacity down ÷ capacity up, if the file gives it.
    fn check_oversubscription(&self, upper: &Settings) -> Result<(), Diagnostic> {
        let capacity = |ports, speed| u64::from(ports) * u64::from(speed);
        let down = capacity(
            self.need(Keyword::RadixDown, 8)?,
            self.need(Keyword::Speed, 100)?,
        );
        let up = capacity(
            self.need(Keyword::RadixUp, 8)?,
            upper.need(Keyword::Speed, 100)?,
        );
        match self.by_key[Keyword::Oversubscribed as usize] {
            Some(given) if u128::from(given.value) * u128::from(up) != u128::from(down) => {
                let expected = format!("{down}/{up}");
                let reason = "Gb/s down by Gb/s up";
                Err(self.contradiction(Keyword::Oversubscribed, &expected, reason))
            }
            _ => Ok(()),
        }
    }

    fn impossible(&self, key: Keyword, reason: &str) -> Diagnostic {
        let value = self.optional(key, 0);
        self.at(key, diagnostics::impossible(key.keyword(), value, reason))
    }

    fn contradiction(&self, key: Keyword, expected: &str, reason: &str) -> Diagnostic {
        let setting = format!("{} {}", key.keyword(), self.optional(key, 0));
        let wrong = diagnostics::contradiction(&setting, self.tier, expected, reason);
        self.at(key, wrong)
    }
}
