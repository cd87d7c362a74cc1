//! Ideal FCT: the FCT of a flow alone on the empty network, which is the denominator of FCT
//! slowdown.
//!
//! There are two formulas ([`IdealFctFormula`]). Store-and-forward is the project's own. It is
//! exact: no run is faster, so slowdown is at least 1. `standalone_fct` is the formula of the HPCC
//! artifact (SIGCOMM 2019), for comparisons with its results.
//!
//! A flow whose packets take several paths has the ideal FCT of [`several_paths`].
//!
//! Both formulas ignore INT and timestamps. All algorithms therefore share one denominator, and the
//! cost of INT counts as slowdown.

use std::collections::BTreeMap;

use incast_net::{Carried, Direction, FlowAddress, FlowRecord, Model, PacketSizes};
use incast_topology::Hop;
use incast_units::{Bytes, Rate, Time};

use crate::spec::{BaseRtt, IdealFctFormula, ValidSpec};

use self::several_paths::{WalkedPath, alone_on_several};

mod several_paths;
#[cfg(test)]
mod tests;

/// The ideal FCTs of a scenario's flows.
pub(crate) struct IdealFct<'a> {
    spec: &'a ValidSpec,
    /// The flow whose paths these are: its address, and its traffic entry.
    walked: Option<(FlowAddress, u16)>,
    data_path: Vec<PathLink>,
    ack_path: Vec<PathLink>,
    /// The paths of the last flow, if its packets take several.
    several: Option<SeveralPaths>,
}

/// All paths of a flow whose packets take several.
struct SeveralPaths {
    /// The flow's hosts and entropy, on which the paths depend.
    flow: FlowAddress,
    /// The flow's traffic entry, which may have its own load balancing.
    tag: u16,
    data: Vec<WalkedPath>,
    acks: Vec<WalkedPath>,
}

impl SeveralPaths {
    fn of(spec: &ValidSpec, flow: &FlowRecord) -> Self {
        Self {
            flow: address(flow),
            tag: flow.tag,
            data: walk_all(spec, flow, Direction::Data),
            acks: walk_all(spec, flow, Direction::Ack),
        }
    }

    fn is_of(&self, flow: &FlowRecord) -> bool {
        self.flow == address(flow) && self.tag == flow.tag
    }
}

impl<'a> IdealFct<'a> {
    pub(crate) fn new(spec: &'a ValidSpec) -> Self {
        Self {
            spec,
            walked: None,
            data_path: Vec::new(),
            ack_path: Vec::new(),
            several: None,
        }
    }

    /// The ideal FCT of a flow, along the paths of its packets.
    pub(crate) fn of(&mut self, flow: &FlowRecord) -> Time {
        let network = self.spec.network();
        match self.formula() {
            IdealFctFormula::StoreAndForward => self.store_and_forward(flow, &network.packets),
            IdealFctFormula::StandaloneFct => {
                let pair = self.spec.pair(flow.source, flow.destination);
                artifact(flow.size, &network.packets, pair)
            }
        }
    }

    /// The FCT of a flow alone, with this run's packet sizes, including INT and timestamps, by
    /// store-and-forward whatever the formula of the ideal FCT.
    pub(crate) fn with_all_headers(&mut self, flow: &FlowRecord) -> Time {
        let network = self.spec.network();
        let packets = &network.packets;
        let carried = Carried::new(packets, network.int, network.timestamps);
        let sent = PacketSizes {
            data_header: packets.data_header + carried.data,
            ack: packets.ack + carried.ack,
            ..packets.clone()
        };
        self.store_and_forward(flow, &sent)
    }

    /// The times of single packets of a flow, with this run's packet sizes.
    pub(crate) fn of_lone_packets(&mut self, flow: &FlowRecord) -> LonePackets {
        let mtu = self.spec.network().packets.mtu;
        let last = cut(flow.size, mtu).last;
        let mut alone = |size| self.with_all_headers(&FlowRecord { size, ..*flow });
        let last_one = alone(last);
        LonePackets {
            last: last_one,
            full: match flow.size > mtu && last < mtu {
                true => alone(mtu),
                false => last_one,
            },
        }
    }

    fn store_and_forward(&mut self, flow: &FlowRecord, packets: &PacketSizes) -> Time {
        let model = &self.spec.network().model;
        if !self.spec.network().keeps_path_of(flow.tag) {
            let known = self.several.take().filter(|known| known.is_of(flow));
            let paths = known.unwrap_or_else(|| SeveralPaths::of(self.spec, flow));
            let SeveralPaths { data, acks, .. } = self.several.insert(paths);
            return alone_on_several(flow.size, packets, model, data, acks);
        }
        let asked = Some((address(flow), flow.tag));
        if self.walked != asked {
            walk(self.spec, flow, Direction::Data, &mut self.data_path);
            walk(self.spec, flow, Direction::Ack, &mut self.ack_path);
            self.walked = asked;
        }
        alone(flow.size, packets, model, &self.data_path, &self.ack_path)
    }

    /// Whether the ideal FCT is a lower bound on FCTs.
    pub(crate) fn is_bound(&self) -> bool {
        self.formula() == IdealFctFormula::StoreAndForward
    }

    /// FCT over ideal FCT.
    pub(crate) fn slowdown(&self, fct: Time, ideal: Time) -> f64 {
        slowdown(self.formula(), fct, ideal)
    }

    fn formula(&self) -> IdealFctFormula {
        self.spec.choices().ideal_fct
    }
}

/// Times of single packets of a flow, and of their ACKs, on the empty network.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct LonePackets {
    /// Time of the flow's last packet.
    pub(crate) last: Time,
    /// Time of a full packet.
    pub(crate) full: Time,
}

/// FCT over ideal FCT.
///
/// For short flows the artifact's formula is longer than the FCT on its own network: it counts a
/// full packet's serialisation even for one byte. So the artifact's analysis clips the ratio to at
/// least 1, and this function does the same. The project's own formula needs no clipping.
fn slowdown(formula: IdealFctFormula, fct: Time, ideal: Time) -> f64 {
    let ratio = fct.as_ps() as f64 / ideal.as_ps() as f64;
    match formula {
        IdealFctFormula::StoreAndForward => ratio,
        IdealFctFormula::StandaloneFct => ratio.max(1.0),
    }
}

/// One link of a path, in the direction of travel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct PathLink {
    rate: Rate,
    /// Propagation delay, rounded to the model's clock.
    delay: Time,
}

/// The links on the path of a flow that keeps one path.
fn walk(spec: &ValidSpec, flow: &FlowRecord, direction: Direction, path: &mut Vec<PathLink>) {
    let paths = spec.path_shares(flow.tag).paths(address(flow), direction);
    path.clear();
    path.extend(paths.flatten().map(|hop| link(spec, hop)));
}

/// The least number of entropies for which the number of distinct paths is computed first.
const MANY_ENTROPIES: u32 = 256;

/// All distinct paths of a flow. With many entropies the search ends once all paths are found.
fn walk_all(spec: &ValidSpec, flow: &FlowRecord, direction: Direction) -> Vec<WalkedPath> {
    let (ports, shares) = (spec.ports(), spec.path_shares(flow.tag));
    let flow = address(flow);
    let is_counted = shares.balance.entropies() >= MANY_ENTROPIES;
    let count = is_counted.then(|| shares.path_count(flow, direction));
    let count = count.flatten().unwrap_or(u64::MAX);
    let mut paths = BTreeMap::new();
    let (mut path, mut numbers) = (Vec::new(), Vec::new());
    for hops in shares.paths(flow, direction) {
        path.clear();
        path.extend(hops);
        numbers.clear();
        numbers.extend(path.iter().map(|hop| ports.index(hop.node, hop.port)));
        if !paths.contains_key(&numbers) {
            let links = path.iter().map(|hop| link(spec, *hop));
            paths.insert(numbers.clone(), links.collect());
        }
        if paths.len() as u64 == count {
            break;
        }
    }
    let paths = paths.into_iter();
    paths
        .map(|(ports, links)| WalkedPath { ports, links })
        .collect()
}

fn address(flow: &FlowRecord) -> FlowAddress {
    FlowAddress {
        source: flow.source,
        destination: flow.destination,
        source_port: flow.source_port,
    }
}

/// The link of a hop.
fn link(spec: &ValidSpec, hop: Hop) -> PathLink {
    let link = &spec.ports().of(hop.node)[usize::from(hop.port)];
    PathLink {
        rate: link.rate,
        delay: spec.network().model.clock.round_down(link.delay),
    }
}

/// A flow cut into packets: all but the last are full.
struct Cut {
    packets: u64,
    last: Bytes,
}

fn cut(size: Bytes, mtu: Bytes) -> Cut {
    let packets = size.as_u64().div_ceil(mtu.as_u64()).max(1);
    Cut {
        packets,
        last: size - mtu * (packets - 1),
    }
}

/// Store-and-forward at every hop, packets back to back at line rate, then the ACK of the last
/// packet.
///
/// Let s_i be the serialisation of a full packet on hop i, and l_i that of the last packet. Packet
/// k leaves hop i at
///
/// ```text
/// D(k, i) = max(D(k-1, i), D(k, i-1)) + (k = n ? l_i : s_i)       delays left out
/// ```
///
/// D is the heaviest path through a grid of n rows (packets) and H columns (hops), with steps down
/// or right only. Such a path enters row n in some column c. Before, it visits columns 1 to c with
/// n-2 steps down, which weigh most in the slowest of these columns; after, it runs along row n.
/// Hence, for n ≥ 2,
///
/// ```text
/// D(n, H) = max over c of  Σ_{i≤c} s_i + (n-2)·max_{i≤c} s_i + Σ_{i≥c} l_i
/// ```
///
/// and Σ l_i for n = 1. Propagation delays are the same for every packet, and are added. The last
/// ACK finds its path empty: it could wait for the previous ACK only if an ACK were larger than its
/// data packet, and then at most for the difference.
fn alone(
    size: Bytes,
    packets: &PacketSizes,
    model: &Model,
    data_path: &[PathLink],
    ack_path: &[PathLink],
) -> Time {
    let ack = packets.ack.max(packets.minimum);
    arrival(size, packets, model, data_path) + cross(model, ack, ack_path)
}

/// The arrival time of the last packet.
fn arrival(size: Bytes, packets: &PacketSizes, model: &Model, data_path: &[PathLink]) -> Time {
    let Cut {
        packets: count,
        last,
    } = cut(size, packets.mtu);
    let last = packets.data_header + last;
    let pipeline = match count.checked_sub(2) {
        None => crossing(model, last, data_path),
        Some(between) => {
            let full = packets.data_header + packets.mtu;
            pipeline(model, full, last, between, data_path)
        }
    };
    pipeline + delays(data_path)
}

/// max over c of the sum above; `between` is n - 2.
fn pipeline(model: &Model, full: Bytes, last: Bytes, between: u64, path: &[PathLink]) -> Time {
    let mut first_packet = Time::ZERO; // Σ_{i≤c} s_i
    let mut slowest = Time::ZERO; // max_{i≤c} s_i
    let mut last_packet = crossing(model, last, path); // Σ_{i≥c} l_i
    let mut latest = Time::ZERO;
    let last_packets = serialisations(model, last, path);
    for (full, last) in serialisations(model, full, path).zip(last_packets) {
        first_packet += full;
        slowest = slowest.max(full);
        latest = latest.max(first_packet + slowest * between + last_packet);
        last_packet -= last;
    }
    latest
}

/// Time of one packet over these links, with propagation delays.
fn cross(model: &Model, wire: Bytes, path: &[PathLink]) -> Time {
    crossing(model, wire, path) + delays(path)
}

/// Sum of the serialisation times of one packet over all hops.
fn crossing(model: &Model, wire: Bytes, path: &[PathLink]) -> Time {
    serialisations(model, wire, path).sum()
}

/// Serialisation time of one packet on each hop; computed once for consecutive hops of equal rate.
fn serialisations(model: &Model, wire: Bytes, path: &[PathLink]) -> impl Iterator<Item = Time> {
    let mut before = (Rate::default(), Time::ZERO);
    path.iter().map(move |hop| {
        if hop.rate != before.0 {
            before = (hop.rate, model.transmission_time(wire, hop.rate));
        }
        before.1
    })
}

fn delays(path: &[PathLink]) -> Time {
    path.iter().map(|hop| hop.delay).sum()
}

/// The artifact's `standalone_fct` (HPCC, `scratch/third.cc`:163-169, 250, 919), in whole ns:
///
/// ```text
/// base RTT = 2·Σ delay + Σ ⌊mtu·8 / rate⌋
/// ideal    = base RTT + ⌊(size + packets·header)·8 / smallest rate⌋
/// ```
///
/// The formula counts one full packet too many, and no ACK. The base RTT is that of the pair of
/// hosts, from which the scenario's windows are computed.
fn artifact(size: Bytes, packets: &PacketSizes, pair: BaseRtt) -> Time {
    const BIT_NS: u128 = 8_000_000_000;
    let bytes = size + packets.data_header * cut(size, packets.mtu).packets;
    let ns = u128::from(bytes.as_u64()) * BIT_NS / u128::from(pair.rate.as_bps());
    pair.rtt + Time::from_ns(ns as u64)
}
