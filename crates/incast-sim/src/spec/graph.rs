//! The graph of a network, and the values that depend on the graph alone.
//!
//! Scenarios with the same graph share it as long as one of them exists. A campaign checks
//! thousands of scenarios before its first run, and most of them differ in seed, load or algorithm.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use incast_net::Routing;
use incast_topology::{NextHopOrder, Ports, Routes, Topology};
use incast_units::HostId;

use super::base_rtt::{BaseRtts, RttFormula};
use super::nic_pairs::{By, NicPairs};
use super::section::network::NetworkSection;

/// The graphs of all scenarios that exist.
static GRAPHS: LazyLock<Mutex<SharedGraphs>> = LazyLock::new(Mutex::default);

/// A topology with its ports and routes.
#[derive(Debug)]
pub(crate) struct NetworkGraph {
    pub(crate) topology: Topology,
    pub(crate) ports: Ports,
    pub(crate) routes: Arc<Routes>,
    /// The NICs by which hosts reach each other, if hosts have several.
    pub(crate) nic_pairs: Option<Arc<NicPairs>>,
    routing: (Routing, NextHopOrder),
    /// The base RTTs that are in use, one for each formula.
    base_rtts: Mutex<Vec<Weak<BaseRtts>>>,
}

/// Graphs by the hash of their topology.
#[derive(Debug, Default)]
struct SharedGraphs {
    by_hash: HashMap<u64, Vec<Weak<NetworkGraph>>>,
    /// How many hashes the map may hold before hashes without a graph are dropped.
    room: usize,
}

impl NetworkGraph {
    /// The graph of a topology with its ports, and with the routes that `section` asks for. A graph
    /// that exists is shared.
    pub(crate) fn shared(topology: Topology, ports: Ports, section: &NetworkSection) -> Arc<Self> {
        let hash = hash_of(&topology);
        let routing = (section.build_routing(), section.order_of_next_hops());
        let is_same = |graph: &Self| graph.routing == routing && graph.topology == topology;
        if let Some(known) = locked(&GRAPHS).find(hash, is_same) {
            return known;
        }
        // Routes take long to build, so the lock is not held here.
        let routes = Arc::new(section.build_routes(&topology));
        let graph = Arc::new(Self {
            nic_pairs: NicPairs::new(&topology, &routes),
            topology,
            ports,
            routes,
            routing,
            base_rtts: Mutex::default(),
        });
        locked(&GRAPHS).add(hash, &graph);
        graph
    }

    /// The number of links between two hosts. Of hosts with several NICs, the first pair of NICs
    /// counts.
    pub(crate) fn links_between(&self, from: HostId, to: HostId) -> u32 {
        let (from, to) = match &self.nic_pairs {
            // No path leads from a host to itself.
            Some(nics) if from != to => nics.ends(from, to, By::Nic(0)),
            _ => (from, to),
        };
        self.routes.hops(from, to).unwrap_or(0)
    }

    /// The base RTTs of the graph under a formula.
    pub(crate) fn base_rtts(&self, formula: RttFormula) -> Arc<BaseRtts> {
        let mut all = locked(&self.base_rtts);
        all.retain(|each| each.strong_count() > 0);
        let mut known = all.iter().filter_map(Weak::upgrade);
        if let Some(known) = known.find(|each| each.formula() == formula) {
            return known;
        }
        let Self {
            topology,
            ports,
            routes,
            ..
        } = self;
        let made = Arc::new(BaseRtts::new(formula, topology, ports, routes));
        all.push(Arc::downgrade(&made));
        made
    }
}

impl SharedGraphs {
    fn find(
        &self,
        hash: u64,
        is_same: impl Fn(&NetworkGraph) -> bool,
    ) -> Option<Arc<NetworkGraph>> {
        let alike = self.by_hash.get(&hash)?.iter();
        alike.filter_map(Weak::upgrade).find(|graph| is_same(graph))
    }

    fn add(&mut self, hash: u64, graph: &Arc<NetworkGraph>) {
        if self.by_hash.len() >= self.room {
            self.by_hash.retain(|_, graphs| {
                graphs.retain(|graph| graph.strong_count() > 0);
                !graphs.is_empty()
            });
            self.room = 2 * self.by_hash.len() + 1;
        }
        let graphs = self.by_hash.entry(hash).or_default();
        graphs.push(Arc::downgrade(graph));
    }
}

/// A hash of the links alone. Topologies that differ elsewhere are told apart by comparison.
fn hash_of(topology: &Topology) -> u64 {
    let mut hasher = DefaultHasher::new();
    (topology.hosts, topology.switches).hash(&mut hasher);
    for link in &topology.links {
        (link.a, link.b, link.rates(), link.delay).hash(&mut hasher);
        link.error_rate.to_bits().hash(&mut hasher);
    }
    hasher.finish()
}

/// The lock of a list. A list is whole at any time, so it may be used after another thread has
/// panicked.
fn locked<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
