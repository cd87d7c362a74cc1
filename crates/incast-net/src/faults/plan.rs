//! The faults of a run for its nodes: the schedule of each link, and changes of routes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use incast_diagnostic::Diagnostic;
use incast_topology::{NextHopOrder, Port, Ports, Routes, Topology};
use incast_units::{HostId, NodeId, Rate, Time};

use super::schedule::{LinkSchedule, Noticed, Spell};
use super::{FaultKind, LinkFault};
use crate::clock::Clock;
use crate::config::NetworkConfig;

/// The schedule of all faults of a run, and the routes that follow from them.
#[derive(Clone, Debug)]
pub struct FaultPlan {
    faults: Vec<LinkFault>,
    /// The schedule of each link that has any fault.
    links: HashMap<u32, LinkSchedule>,
    hosts: u32,
    ports: Ports,
    epochs: Vec<Epoch>,
    /// Routes of the epochs, without repetitions; the first routes are those without faults.
    routes: Vec<Routes>,
    /// Changes that concern all nodes, in order of time.
    global: Vec<(Time, GlobalChange)>,
    /// All times at which some link or route changes, each once, in order.
    times: Vec<Time>,
}

/// A period in which routes avoid the same links.
#[derive(Clone, Debug)]
struct Epoch {
    /// Those links.
    down: BTreeSet<u32>,
    /// Index of the routes of this epoch.
    routes: usize,
}

/// A change that concerns all nodes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum GlobalChange {
    /// Switches enter this epoch.
    Epoch(usize),
    /// Hosts learn that a fault, by number, can no longer harm these flows.
    Over(u32, Affected),
}

/// The flows that a fault stops harming at one time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Affected {
    /// All.
    All,
    /// Flows whose hosts are connected in this epoch.
    Connected(usize),
    /// Flows whose hosts are cut off from each other in this epoch.
    CutOff(usize),
    /// Flows whose hosts are connected in this epoch; all other flows lose their packets for good.
    ConnectedForGood(usize),
}

/// A change at a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PortChange {
    /// Its link fails.
    Down,
    /// The link of the port comes back.
    Up,
    /// The link of the port has another rate.
    Rate(Rate),
}

impl FaultPlan {
    /// The plan of these faults. Faults of one kind and link must not overlap. `healthy` are the
    /// routes without faults.
    pub fn new(
        faults: Vec<LinkFault>,
        topology: &Topology,
        healthy: &Routes,
        order: NextHopOrder,
        clock: Clock,
    ) -> Self {
        let rounded = faults.into_iter().map(|fault| LinkFault {
            from: clock.round_down(fault.from),
            until: match fault.until {
                Time::MAX => Time::MAX,
                until => clock.round_down(until),
            },
            ..fault
        });
        let faults: Vec<_> = rounded.collect();
        let links = schedules(&faults, clock);
        let mut plan = Self {
            faults,
            links,
            hosts: topology.hosts,
            ports: Ports::new(topology),
            epochs: vec![Epoch {
                down: BTreeSet::new(),
                routes: 0,
            }],
            routes: vec![healthy.clone()],
            global: Vec::new(),
            times: Vec::new(),
        };
        plan.add_epochs(topology, order);
        plan.add_ends();
        plan.global.sort_by_key(|(time, _)| *time);
        plan.collect_times();
        plan
    }

    /// The faults; indices are their numbers.
    pub fn faults(&self) -> &[LinkFault] {
        &self.faults
    }

    /// Number of a node's first port, counted over all nodes.
    pub(crate) fn first_port(&self, node: NodeId) -> u32 {
        self.ports.index(node, 0)
    }

    /// The ports of a node.
    pub(crate) fn ports_of(&self, node: NodeId) -> &[Port] {
        self.ports.of(node)
    }

    pub(crate) fn hosts(&self) -> u32 {
        self.hosts
    }

    /// The routes of all epochs, without repetitions; the first routes are those without faults.
    pub fn routes(&self) -> &[Routes] {
        &self.routes
    }

    /// Whether any fault changes routes.
    pub fn changes_routes(&self) -> bool {
        self.routes.len() > 1
    }

    /// The rates of degraded links.
    pub fn rates(&self) -> impl Iterator<Item = Rate> {
        self.faults.iter().filter_map(|fault| match fault.kind {
            FaultKind::Degraded { rate } => Some(rate),
            _ => None,
        })
    }

    /// The longest time for which a link is down, or back and not yet used.
    pub fn longest_outage(&self) -> Time {
        let outage = |fault: &LinkFault| match fault.kind {
            FaultKind::Down { detection } if fault.until < Time::MAX => {
                (fault.until - fault.from).saturating_add(detection)
            }
            _ => Time::ZERO,
        };
        self.faults.iter().map(outage).max().unwrap_or_default()
    }

    /// Checks that degraded links are fast enough for the arrival times that packets can express.
    ///
    /// # Errors
    /// The number of the fault whose link is too slow, and the diagnostic.
    pub fn check_delays(
        &self,
        network: &NetworkConfig,
        topology: &Topology,
    ) -> Result<(), (u32, Diagnostic)> {
        for (number, fault) in (0..).zip(&self.faults) {
            let FaultKind::Degraded { rate } = fault.kind else {
                continue;
            };
            for &link in &fault.links {
                let delay = topology.links[link as usize].delay;
                let checked = network.check_link(rate, delay);
                checked.map_err(|wrong| (number, wrong))?;
            }
        }
        Ok(())
    }

    /// The times at which any link or route changes, in order.
    pub(crate) fn times(&self) -> &[Time] {
        &self.times
    }

    pub(crate) fn schedule(&self, link: u32) -> Option<&LinkSchedule> {
        self.links.get(&link)
    }

    /// The rate of a link at `time`; `None` if the link is not degraded then.
    pub fn degraded_rate(&self, link: u32, time: Time) -> Option<Rate> {
        self.schedule(link)?.rate_at(time)
    }

    /// Changes that concern all nodes, in order of time.
    pub(crate) fn global(&self) -> &[(Time, GlobalChange)] {
        &self.global
    }

    /// The changes at a port of this link, in order of time; `rate` is the link's own rate.
    pub(crate) fn changes(&self, link: u32, rate: Rate) -> Vec<(Time, PortChange)> {
        let Some(schedule) = self.links.get(&link) else {
            return Vec::new();
        };
        let mut changes = Vec::new();
        for spell in &schedule.down {
            changes.push((spell.from, PortChange::Down));
            changes.push((spell.until, PortChange::Up));
        }
        for spell in &schedule.degraded {
            changes.push((spell.from, PortChange::Rate(spell.value)));
            // The next fault of the link may begin at the same time.
            let after = schedule.rate_at(spell.until).unwrap_or(rate);
            changes.push((spell.until, PortChange::Rate(after)));
        }
        changes.retain(|(time, _)| *time < Time::MAX);
        changes.sort_by_key(|(time, _)| *time);
        changes
    }

    /// Whether a path connects two hosts in an epoch.
    pub(crate) fn are_connected(&self, epoch: usize, hosts: [HostId; 2]) -> bool {
        let Epoch { down, routes } = &self.epochs[epoch];
        let is_up = |host: HostId| !down.contains(&self.ports.of(host.into())[0].link);
        hosts.into_iter().all(is_up) && self.routes[*routes].hops(hosts[0], hosts[1]).is_some()
    }

    /// Whether this fault is a link that fails.
    pub(crate) fn fails(&self, fault: u32) -> bool {
        matches!(self.faults[fault as usize].kind, FaultKind::Down { .. })
    }

    /// Whether a fault never ends.
    pub(crate) fn is_for_good(&self, fault: u32) -> bool {
        self.faults[fault as usize].until == Time::MAX
    }

    /// End of a fault for flows that have a path around its links. For a fault that never ends, the
    /// time at which routes avoid the links.
    pub(crate) fn over_at(&self, fault: u32) -> Time {
        let LinkFault {
            from, until, kind, ..
        } = self.faults[fault as usize];
        match kind {
            FaultKind::Down { detection } if until == Time::MAX => from.saturating_add(detection),
            _ => until,
        }
    }

    /// Whether a path connects two hosts in the last epoch, after all faults that end.
    pub fn are_connected_in_the_end(&self, source: HostId, destination: HostId) -> bool {
        self.are_connected(self.epochs.len() - 1, [source, destination])
    }

    /// Adds the epochs, and the changes with which they begin.
    fn add_epochs(&mut self, topology: &Topology, order: NextHopOrder) {
        let mut changes: BTreeMap<Time, Vec<(u32, Noticed)>> = BTreeMap::new();
        for (&link, schedule) in &self.links {
            for (time, now) in schedule.noticed() {
                changes.entry(time).or_default().push((link, now));
            }
        }
        let is_of_host = |link: u32| {
            let link = &topology.links[link as usize];
            topology.is_host(link.a) || topology.is_host(link.b)
        };
        let mut known: HashMap<Vec<u32>, usize> = HashMap::from([(Vec::new(), 0)]);
        let mut down = BTreeSet::new();
        for (time, changed) in changes {
            for (link, now) in changed {
                match now {
                    Noticed::Down => down.insert(link),
                    Noticed::Up => down.remove(&link),
                };
            }
            // Routes end at a host's switch, so they do not depend on the host's own link.
            let inner = down.iter().copied().filter(|link| !is_of_host(*link));
            let routes = *known.entry(inner.collect()).or_insert_with_key(|inner| {
                let is_down = |link| inner.binary_search(&link).is_ok();
                self.routes.push(Routes::avoiding(topology, order, is_down));
                self.routes.len() - 1
            });
            self.global
                .push((time, GlobalChange::Epoch(self.epochs.len())));
            let down = down.clone();
            self.epochs.push(Epoch { down, routes });
        }
    }

    /// Adds the times after which a fault harms no more flows. Before this call `global` has only
    /// epochs.
    fn add_ends(&mut self) {
        let mut ends = Vec::new();
        for (number, fault) in (0..).zip(&self.faults) {
            let FaultKind::Down { detection } = fault.kind else {
                continue;
            };
            let noticed = fault.from.saturating_add(detection);
            let epoch = self.global.partition_point(|(time, _)| *time <= noticed);
            let mut over = |time, flows| ends.push((time, GlobalChange::Over(number, flows)));
            match (noticed < fault.until, fault.until) {
                (true, Time::MAX) => over(noticed, Affected::ConnectedForGood(epoch)),
                (true, until) => {
                    over(noticed, Affected::Connected(epoch));
                    over(until, Affected::CutOff(epoch));
                }
                (false, until) => over(until, Affected::All),
            }
        }
        ends.retain(|(time, _)| *time < Time::MAX);
        self.global.extend(ends);
    }

    /// The routes of an epoch.
    pub(crate) fn routes_of(&self, epoch: usize) -> &Routes {
        &self.routes[self.epochs[epoch].routes]
    }

    /// Whether the routes of two epochs differ.
    pub(crate) fn differ(&self, one: usize, other: usize) -> bool {
        self.epochs[one].routes != self.epochs[other].routes
    }

    fn collect_times(&mut self) {
        let mut times: BTreeSet<Time> = self.global.iter().map(|(time, _)| *time).collect();
        for fault in &self.faults {
            if !matches!(fault.kind, FaultKind::Loss { .. }) {
                times.extend([fault.from, fault.until]);
            }
        }
        times.remove(&Time::MAX);
        self.times = times.into_iter().collect();
    }
}

/// The schedule of each link that has a fault, by link.
fn schedules(faults: &[LinkFault], clock: Clock) -> HashMap<u32, LinkSchedule> {
    let mut links: HashMap<u32, LinkSchedule> = HashMap::new();
    for (number, fault) in (0..).zip(faults) {
        for &link in &fault.links {
            let schedule = links.entry(link).or_default();
            match fault.kind {
                FaultKind::Down { detection } => {
                    let detection = clock.round_down(detection);
                    schedule.down.push(fault.spell(number, detection));
                }
                FaultKind::Degraded { rate } => schedule.degraded.push(fault.spell(number, rate)),
                FaultKind::Loss { probability } => {
                    schedule.loss.push(fault.spell(number, probability));
                }
            }
        }
    }
    for schedule in links.values_mut() {
        schedule.down.sort_by_key(|spell| spell.from);
        schedule.degraded.sort_by_key(|spell| spell.from);
        schedule.loss.sort_by_key(|spell| spell.from);
    }
    links
}

impl LinkFault {
    fn spell<T>(&self, fault: u32, value: T) -> Spell<T> {
        Spell {
            from: self.from,
            until: self.until,
            fault,
            value,
        }
    }
}
