//! `[[fault]]`: links that fail and come back, are slower for a time, or corrupt packets.

use std::fmt;

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_net::{END_OF_TIME, FaultKind, LinkFault};
use incast_topology::{Ports, Topology};
use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::named_ports::{self, Nodes};

/// The default detection time. Switches that see a link fail change their groups of next hops
/// within a millisecond; routing protocols take longer.
const DETECTION: Time = Time::from_ms(1);

/// The most occurrences that all faults of a scenario may have together.
const MOST: u64 = 10_000;

/// A fault of one or more links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Fault")]
pub(crate) struct FaultSection {
    /// The kind of fault.
    pub(crate) kind: FaultName,
    /// The links, each named by one of its ports: `["switch 17 port 16", "host 3"]`. `["switch
    /// 17"]` means all links of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(crate) links: Option<Vec<String>>,
    /// The links between two nodes, in place of `links`: `["switch 17", "switch 20"]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 2))]
    pub(crate) between: Option<Vec<String>>,
    /// When it begins.
    #[serde(default)]
    #[schemars(extend("default" = "0s"))]
    pub(crate) from: Time,
    /// When the fault ends. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Time>,
    /// The period of a fault that happens several times, from one begin to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) every: Option<Time>,
    /// How often the fault happens, with `every`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) times: Option<u64>,
    /// For links that are down: the time after which routes avoid a link that is down, or use a
    /// link that is back. Default: 1 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detection: Option<Time>,
    /// For degraded links: their rate during the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<Rate>,
    /// For links that corrupt packets: the probability that a packet is corrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub(crate) probability: Option<f64>,
}

/// The kind of fault of a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FaultName {
    /// The link carries nothing.
    Down,
    /// The link is slower.
    Degraded,
    /// The link corrupts packets at random; the receiving port drops corrupted packets.
    Loss,
}

/// One occurrence of a fault of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Occurrence {
    /// Number of the `[[fault]]` entry.
    pub(crate) entry: usize,
    /// The number of this occurrence of the entry, from 0.
    pub(crate) round: u64,
    pub(crate) fault: LinkFault,
}

impl FaultSection {
    /// The fault with the default detection time, if links go down.
    pub(crate) fn with_defaults(self) -> Self {
        let of_kind = (self.kind == FaultName::Down).then_some(DETECTION);
        Self {
            detection: self.detection.or(of_kind),
            ..self
        }
    }

    /// Whether the fault loses packets.
    pub(crate) fn loses(&self) -> bool {
        self.kind != FaultName::Degraded
    }

    /// All occurrences of the faults in all sections.
    ///
    /// # Errors
    /// Links that do not exist, invalid times, keys of another kind of fault, faults of one kind
    /// that overlap.
    pub(crate) fn build_all(
        sections: &[Self],
        topology: &Topology,
        ports: &Ports,
    ) -> Result<Vec<Occurrence>, Diagnostic> {
        let mut all = Vec::new();
        for (entry, section) in sections.iter().enumerate() {
            let own = section.build(entry, topology, ports);
            all.extend(own.at(format!("fault[{entry}]"))?);
            if all.len() as u64 > MOST {
                let what = format!("the faults happen {} times together", all.len());
                let hint = format!("write {MOST} times at most");
                return Err(Diagnostic::new(what, hint).at(format!("fault[{entry}].times")));
            }
        }
        check_overlaps(&all, topology)?;
        Ok(all)
    }

    fn build(
        &self,
        entry: usize,
        topology: &Topology,
        ports: &Ports,
    ) -> Result<Vec<Occurrence>, Diagnostic> {
        let links = self.find_links(topology, ports)?;
        let kind = self.build_kind(&links, topology)?;
        self.check_times()?;
        let times = self.times.unwrap_or(1);
        let rounds = 0..times.min(MOST + 1);
        let occurrences = rounds.map(|round| {
            let later = self.every.unwrap_or_default() * round;
            Occurrence {
                entry,
                round,
                fault: LinkFault {
                    links: links.clone(),
                    kind,
                    from: self.from + later,
                    until: self.until.map_or(Time::MAX, |until| until + later),
                },
            }
        });
        Ok(occurrences.collect())
    }

    /// The numbers of the faulty links, each once.
    fn find_links(&self, topology: &Topology, ports: &Ports) -> Result<Vec<u32>, Diagnostic> {
        let mut links: Vec<u32> = match (&self.links, &self.between) {
            (Some(names), None) => {
                let found = named_ports::find_all(names, "links", Nodes::All, topology, ports)?;
                found.into_iter().map(|port| ports.at(port).link).collect()
            }
            (None, Some(ends)) => self.links_between(ends, topology, ports).at("between")?,
            (Some(_), Some(_)) => {
                let what = "the links are named twice, by `links` and by `between`";
                return Err(Diagnostic::new(what, "leave one of them out").at("between"));
            }
            (None, None) => Vec::new(),
        };
        links.sort_unstable();
        links.dedup();
        if links.is_empty() {
            let hint =
                "write e.g. links = [\"host 0\"], or between = [\"switch 17\", \"switch 20\"]";
            return Err(Diagnostic::new("the fault has no links", hint));
        }
        Ok(links)
    }

    fn links_between(
        &self,
        ends: &[String],
        topology: &Topology,
        ports: &Ports,
    ) -> Result<Vec<u32>, Diagnostic> {
        let [one, other] = ends else {
            let what = format!("has {} entries", ends.len());
            return Err(Diagnostic::new(what, "write the names of two nodes"));
        };
        let from = named_ports::node(one, topology)?;
        let to = named_ports::node(other, topology)?;
        let joining = ports.of(from).iter().filter(|port| port.peer == to);
        let links: Vec<u32> = joining.map(|port| port.link).collect();
        if links.is_empty() {
            let peers = ports.of(from).iter().map(|port| port.peer);
            let peers: Vec<_> = peers.map(|peer| topology.node_name(peer)).collect();
            let what = format!("no link joins `{one}` and `{other}`");
            let shown = peers.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            let more = if peers.len() > 8 { ", …" } else { "" };
            return Err(Diagnostic::new(
                what,
                format!("`{one}` has links to {shown}{more}"),
            ));
        }
        Ok(links)
    }

    fn build_kind(&self, links: &[u32], topology: &Topology) -> Result<FaultKind, Diagnostic> {
        let belongs = [
            ("detection", self.detection.is_some(), FaultName::Down),
            ("rate", self.rate.is_some(), FaultName::Degraded),
            ("probability", self.probability.is_some(), FaultName::Loss),
        ];
        for (key, is_given, kind) in belongs {
            if is_given && self.kind != kind {
                let what = format!("has no effect with kind = \"{}\"", self.kind);
                let hint = format!("leave it out, or write kind = \"{kind}\"");
                return Err(Diagnostic::new(what, hint).at(key));
            }
            if !is_given && self.kind == kind {
                let hint = match kind {
                    FaultName::Loss => "write e.g. probability = 0.001",
                    _ => "write e.g. rate = \"25Gbps\"",
                };
                return Err(Diagnostic::new(format!("`{key}` is missing"), hint));
            }
        }
        match self.kind {
            FaultName::Down => Ok(FaultKind::Down {
                detection: super::filled_in(self.detection),
            }),
            FaultName::Degraded => degraded(super::filled_in(self.rate), links, topology),
            FaultName::Loss => {
                let probability = super::filled_in(self.probability);
                if probability > 0.0 && probability <= 1.0 {
                    return Ok(FaultKind::Loss { probability });
                }
                let what = format!("`{probability}` is out of range");
                Err(Diagnostic::new(what, "write more than 0, at most 1").at("probability"))
            }
        }
    }

    fn check_times(&self) -> Result<(), Diagnostic> {
        let (from, times) = (self.from, self.times.unwrap_or(1));
        if let Some(until) = self.until.filter(|until| *until <= from) {
            let what = format!("the fault ends at {until}, and begins at {from}");
            return Err(Diagnostic::new(what, "write a time after `from`").at("until"));
        }
        match (self.every, self.times, self.until) {
            (None, None, _) => {}
            (Some(_), None, _) => {
                let hint = "write times, too: how often it happens";
                return Err(Diagnostic::new("the fault would never end", hint).at("every"));
            }
            (None, Some(_), _) => {
                let hint = "write every, too: the time from begin to begin";
                return Err(Diagnostic::new("nothing says when it happens", hint).at("times"));
            }
            (Some(_), Some(_), None) => {
                let hint = "write until: the end of the first time";
                let what = "a fault that never ends cannot begin again";
                return Err(Diagnostic::new(what, hint).at("every"));
            }
            (Some(every), Some(_), Some(until)) if every <= until - from => {
                let what = format!("it begins again after {every}, and lasts {}", until - from);
                return Err(Diagnostic::new(what, "write more than it lasts").at("every"));
            }
            _ => {}
        }
        if times == 0 {
            let hint = "write 1 or more, or leave the fault out";
            return Err(Diagnostic::new("a fault that never happens", hint).at("times"));
        }
        let last = self.until.unwrap_or(from).as_ps();
        let later = self.every.unwrap_or_default().as_ps().checked_mul(times);
        let end = later.and_then(|later| later.checked_add(last));
        if end.is_none_or(|end| end > END_OF_TIME.as_ps()) {
            let hint = format!("runs last {END_OF_TIME} at most");
            return Err(Diagnostic::new(
                "it would happen after the end of any run",
                hint,
            ));
        }
        Ok(())
    }
}

fn degraded(rate: Rate, links: &[u32], topology: &Topology) -> Result<FaultKind, Diagnostic> {
    let rates = links
        .iter()
        .flat_map(|link| topology.links[*link as usize].rates());
    let slowest = rates.min().unwrap_or_default();
    if rate == Rate::default() {
        let hint = "write a rate above 0, or kind = \"down\"";
        return Err(Diagnostic::new("a link of no rate carries nothing", hint).at("rate"));
    }
    if rate >= slowest {
        let what = format!("the link has {slowest} without the fault");
        return Err(Diagnostic::new(what, "write a lower rate").at("rate"));
    }
    Ok(FaultKind::Degraded { rate })
}

/// Checks that no two faults of one kind overlap at a link.
fn check_overlaps(all: &[Occurrence], topology: &Topology) -> Result<(), Diagnostic> {
    let mut spells: Vec<_> = all
        .iter()
        .flat_map(|each| each.fault.links.iter().map(move |link| (*link, each)))
        .collect();
    let kind = |each: &Occurrence| match each.fault.kind {
        FaultKind::Down { .. } => 0,
        FaultKind::Degraded { .. } => 1,
        FaultKind::Loss { .. } => 2,
    };
    spells.sort_by_key(|(link, each)| (*link, kind(each), each.fault.from));
    for pair in spells.windows(2) {
        let [(link, first), (other, second)] = [pair[0], pair[1]];
        let is_same = link == other && kind(first) == kind(second);
        if !is_same || first.fault.until <= second.fault.from {
            continue;
        }
        let (early, late) = (first.entry.min(second.entry), first.entry.max(second.entry));
        let ends = &topology.links[link as usize];
        let what = format!(
            "the link {} – {} has the same fault from {} on, by fault[{early}]",
            topology.node_name(ends.a),
            topology.node_name(ends.b),
            first.fault.from.max(second.fault.from),
        );
        let hint = "let faults of one kind and link follow each other";
        return Err(Diagnostic::new(what, hint).at(format!("fault[{late}]")));
    }
    Ok(())
}

impl fmt::Display for FaultName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Down => "down",
            Self::Degraded => "degraded",
            Self::Loss => "loss",
        })
    }
}
