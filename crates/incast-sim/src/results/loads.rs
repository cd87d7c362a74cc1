//! Loads of open-loop traffic: the load in the scenario, the load of the flows that the seed drew,
//! and the load on the wire, with headers, INT and retransmissions.

use std::collections::BTreeMap;

use incast_units::{Bytes, Time};
use serde::{Deserialize, Serialize};

use super::Measurements;
use super::ports::{LinkUse, PortName, PortNames};
use super::rates::{bps, ratio};
use crate::spec::{OpenLoop, ValidSpec};

/// Loads of a run with open-loop traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loads {
    /// Loads of the open-loop entries.
    pub entries: Vec<EntryLoad>,
    /// Load on the wire; `None` if other traffic shares the network and takes the remaining
    /// capacity.
    pub wire: Option<WireLoad>,
}

/// Payload that an entry offers, over the rates of its sources' NICs.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryLoad {
    /// Number of the traffic entry.
    pub traffic: u16,
    /// The load in the scenario.
    pub asked: f64,
    /// The load of the flows that the seed drew.
    pub drawn: f64,
    /// Relative standard deviation of the drawn load over seeds.
    pub spread: f64,
}

/// Bytes of the busiest links in the whole run, over their capacity during arrivals: the load that
/// these links would have with continued arrivals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireLoad {
    /// Mean over the links of the busiest kind that carried data: by chance, one of many hosts may
    /// send much more than the others.
    pub load: f64,
    /// The load on the wire if the seed had drawn the scenario's load.
    pub at_asked: f64,
    /// The kind of links: `"host → leaf"`.
    pub links: String,
    /// Number of links of this kind that carried data.
    pub count: u64,
    /// The port of the busiest link.
    pub port: String,
    /// The load of the busiest link.
    pub port_load: f64,
    /// The load that the congestion control aims at; the least, if there are several.
    pub target: f64,
}

/// The loads in the scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedLoads {
    pub(crate) entries: Vec<OpenLoop>,
    /// Whether all traffic is open-loop.
    pub(crate) is_all: bool,
    pub(crate) target: f64,
}

impl AskedLoads {
    pub(crate) fn of(spec: &ValidSpec) -> Self {
        Self {
            entries: spec.open_loop(),
            is_all: spec.is_open_loop(),
            target: spec.target_utilisation(),
        }
    }
}

impl Loads {
    pub(super) fn of(measured: &Measurements, ports: &PortNames) -> Option<Self> {
        let asked = &measured.asked_loads;
        if asked.entries.is_empty() {
            return None;
        }
        // In an interrupted run, only the arrivals so far count.
        let now = match measured.timing.partial {
            true => measured.timing.end,
            false => Time::MAX,
        };
        let flows = &measured.statistics.entries;
        let entry = |each: &OpenLoop| {
            let drawn = Bytes::new(flows[usize::from(each.traffic)].payload);
            let duration = each.arrivals.1.min(now).saturating_sub(each.arrivals.0);
            EntryLoad {
                traffic: each.traffic,
                asked: each.load,
                drawn: ratio(bps(drawn, duration), each.nic_rates_bps),
                spread: each.spread,
            }
        };
        let begin = asked.entries.iter().map(|each| each.arrivals.0).min();
        let end = asked
            .entries
            .iter()
            .map(|each| each.arrivals.1.min(now))
            .max();
        let duration = end?.saturating_sub(begin?);
        let links = LinkUse::of(&measured.recording, duration);
        let entries: Vec<EntryLoad> = asked.entries.iter().map(entry).collect();
        let payload = |of: fn(&EntryLoad) -> f64| -> f64 {
            let entries = entries.iter().zip(&asked.entries);
            entries
                .map(|(entry, asked)| of(entry) * asked.bits_at_full_load())
                .sum()
        };
        let drawn = payload(|entry| entry.drawn);
        let factor = ratio(payload(|entry| entry.asked), drawn);
        // The bytes on the wire lack the unsent bytes of unfinished flows, and pauses of an entry.
        let is_whole = measured.recording.unfinished.is_empty();
        let spans = asked
            .entries
            .iter()
            .map(|each| each.arrivals.1.saturating_sub(each.arrivals.0));
        let is_together = spans.min()? * 10 >= duration * 9;
        let is_told = asked.is_all && is_whole && is_together;
        Some(Self {
            wire: WireLoad::of(links, ports, factor, asked.target).filter(|_| is_told),
            entries,
        })
    }
}

/// The load of a link.
struct CarriedLoad<'a> {
    port: &'a PortName,
    load: f64,
    data_packets: u64,
}

impl WireLoad {
    /// `factor` is the scenario's load over the drawn load.
    fn of(links: LinkUse<'_>, ports: &PortNames, factor: f64, target: f64) -> Option<Self> {
        let carried = |(number, port)| CarriedLoad {
            port,
            load: links.utilisation(number, port),
            data_packets: links.data_packets(number),
        };
        let all: Vec<_> = ports.iter().enumerate().map(carried).collect();
        Self::of_loads(&all, factor, target)
    }

    fn of_loads(all: &[CarriedLoad<'_>], factor: f64, target: f64) -> Option<Self> {
        let mut kinds: BTreeMap<&str, (f64, u64)> = BTreeMap::new();
        for each in all.iter().filter(|each| each.data_packets > 0) {
            let (sum, count) = kinds.entry(each.port.kind.as_str()).or_default();
            *sum += each.load;
            *count += 1;
        }
        let means = kinds
            .into_iter()
            .map(|(kind, (sum, count))| (sum / count as f64, kind, count));
        let (load, kind, count) = means.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let busiest = all
            .iter()
            .max_by(|one, other| one.load.total_cmp(&other.load))?;
        Some(Self {
            load,
            at_asked: load * factor,
            links: kind.to_owned(),
            count,
            port: busiest.port.label.clone(),
            port_load: busiest.load,
            target,
        })
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{NodeId, Rate};

    use super::*;

    fn port(kind: &str, number: u16) -> PortName {
        PortName {
            node: NodeId(0),
            port: number,
            peer: NodeId(1),
            rate: Rate::from_gbps(100),
            at_host: true,
            nic: None,
            kind: kind.to_owned(),
            label: format!("{kind} {number}"),
        }
    }

    /// Of the uplinks, 0.6, 0.8 and 0.4 carried data, with a mean of 0.6; 0.1 carried only ACKs. Of
    /// the downlinks, 0.9 carried data, 0.3 did not: 0.9 of one link. With 0.5 drawn for a load of
    /// 0.4 this would be 0.72.
    #[test]
    fn the_busiest_kind_of_links_is_judged_by_those_that_carried_data() {
        let ports: Vec<_> = (0..4).map(|number| port("host → leaf", number)).collect();
        let hot: Vec<_> = (0..2).map(|number| port("leaf → host", number)).collect();
        fn carried(port: &PortName, load: f64, data_packets: u64) -> CarriedLoad<'_> {
            CarriedLoad {
                port,
                load,
                data_packets,
            }
        }
        let up = || {
            let loads = [(0.6, 3), (0.8, 4), (0.4, 2), (0.1, 0)];
            let each = ports.iter().zip(loads);
            each.map(|(port, (load, packets))| carried(port, load, packets))
        };
        let found = WireLoad::of_loads(&up().collect::<Vec<_>>(), 0.8, 0.95);
        let found = found.expect("some carried data");
        assert!((found.load - 0.6).abs() < 1e-12);
        assert_eq!((found.count, found.port.as_str()), (3, "host → leaf 1"));
        let down = [carried(&hot[0], 0.9, 5), carried(&hot[1], 0.3, 0)];
        let both: Vec<_> = up().chain(down).collect();
        let found = WireLoad::of_loads(&both, 0.8, 0.95).expect("some carried data");
        assert_eq!((found.load, found.links.as_str()), (0.9, "leaf → host"));
        assert!((found.at_asked - 0.72).abs() < 1e-12);
        assert_eq!((found.port_load, found.target), (0.9, 0.95));
        let idle: Vec<_> = ports.iter().map(|port| carried(port, 0.0, 0)).collect();
        assert_eq!(WireLoad::of_loads(&idle, 1.0, 1.0), None);
    }
}
