//! Estimates of a memory fabric's run before it begins: flit-hops, cycles, rows of samples, memory.
//!
//! Each endpoint's links carry the flits of its own operations, and of others' operations that
//! reach it. The busiest link determines the end of the run. Queues are ignored, and so is
//! congestion control, except for a static window.

use incast_fabric::{
    ControlScheme, FabricConfig, Group, OperationKind, Script, StepStart, Turn, Work, WorkKind,
};

use super::spec::ValidFabricSpec;
use crate::estimate::{PROCESS, doublings};

/// A port of a switch: its buffers.
const PER_PORT: f64 = 20e3;
/// An operation: its record, and its row in the table.
const PER_OPERATION: f64 = 120.0;
/// Samples of an endpoint and of a switch, with their rows.
const PER_CONTROL: f64 = 190.0;
const PER_QUEUES: f64 = 140.0;

/// A rough estimate of a run.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct FabricEstimate {
    /// Number of flits times links crossed.
    pub flit_hops: f64,
    /// Simulated time in cycles, at least.
    pub cycles: f64,
    /// Samples over time.
    pub samples: Option<SamplesEstimate>,
    /// Bytes.
    pub memory: FabricMemoryEstimate,
}

/// Samples: how many are taken, and how many are kept.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SamplesEstimate {
    /// Rows of all samples in the larger of the two tables, of queues or of controls.
    pub rows: f64,
    /// Cycles between samples.
    pub every: u64,
    /// Cycles between the samples that will be kept.
    pub kept_every: f64,
}

/// Rough upper bounds on the memory of a run, in bytes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct FabricMemoryEstimate {
    /// The process and its libraries.
    pub process: f64,
    /// Switches and endpoints.
    pub network: f64,
    /// Operations, and their records.
    pub operations: f64,
    /// Samples over time.
    pub series: f64,
}

impl FabricMemoryEstimate {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.process + self.network + self.operations + self.series
    }
}

impl ValidFabricSpec {
    /// A rough estimate of the scenario's run.
    pub fn estimate(&self) -> FabricEstimate {
        let simulation = self.simulation();
        let mut load = FabricLoad::new(&simulation.config, &simulation.groups);
        for (endpoint, script) in &simulation.more_scripts {
            load.add(*endpoint, script);
        }
        let window = match simulation.control {
            ControlScheme::Window(options) => options.window,
            _ => None,
        };
        let cycles = load.cycles(&simulation.more_scripts, window);
        let shape = &simulation.config.shape;
        let (switches, watched) = (shape.switches(), simulation.measure.endpoints.len());
        let times = |every: u64| (cycles / every as f64).floor() + 1.0;
        let every = Some(simulation.measure.every).filter(|every| *every > 0);
        let samples = every.map(|every| {
            let rows = times(every) * (watched as f64).max(switches.into());
            SamplesEstimate::of(rows, every, simulation.measure.row_limit.0 as f64)
        });
        let kept = samples.map_or(0.0, |samples| cycles / samples.kept_every + 1.0);
        let bytes = watched as f64 * PER_CONTROL + f64::from(switches) * PER_QUEUES;
        let ports = (0..switches).map(|switch| f64::from(shape.ports_of(switch)));
        FabricEstimate {
            flit_hops: load.flit_hops,
            cycles,
            samples,
            memory: FabricMemoryEstimate {
                process: PROCESS,
                network: ports.sum::<f64>() * PER_PORT,
                operations: self.operations() as f64 * PER_OPERATION,
                series: kept * bytes,
            },
        }
    }
}

impl SamplesEstimate {
    fn of(rows: f64, every: u64, limit: f64) -> Self {
        Self {
            rows,
            every,
            kept_every: every as f64 * doublings(rows, limit).exp2(),
        }
    }

    /// Whether some samples will be dropped.
    pub fn is_thinned(&self) -> bool {
        self.kept_every > self.every as f64
    }
}

/// Flits on links.
struct FabricLoad<'a> {
    config: &'a FabricConfig,
    groups: &'a [Group],
    flit_hops: f64,
    /// Flits that each endpoint sends and receives, without those of groups.
    own: Vec<[f64; 2]>,
    /// For each group, flits of requests that each member receives, and of responses that it sends.
    members: Vec<[f64; 2]>,
}

impl<'a> FabricLoad<'a> {
    fn new(config: &'a FabricConfig, groups: &'a [Group]) -> Self {
        Self {
            config,
            groups,
            flit_hops: 0.0,
            own: vec![[0.0; 2]; config.shape.endpoints().into()],
            members: vec![[0.0; 2]; groups.len()],
        }
    }

    fn add(&mut self, endpoint: u16, script: &Script) {
        for work in script.steps.iter().flat_map(|step| &step.work) {
            for kind in kinds(work) {
                self.add_operations(endpoint, kind, work);
            }
        }
    }

    fn add_operations(&mut self, endpoint: u16, kind: OperationKind, work: &Work) {
        let count = f64::from(work.count);
        let request = count * f64::from(kind.request_flits(work.data));
        let response = count * f64::from(kind.response_flits(work.data));
        let own = &mut self.own[usize::from(endpoint)];
        own[0] += request;
        own[1] += response;
        let links = if kind.is_collective() {
            let members = &mut self.members[usize::from(work.target)];
            members[0] += request;
            members[1] += response;
            self.collective_links(&self.groups[usize::from(work.target)])
        } else {
            let target = &mut self.own[usize::from(work.target)];
            target[0] += response;
            target[1] += request;
            self.unicast_links(endpoint, work.target)
        };
        self.flit_hops += (request + response) * links;
    }

    /// Number of links that a request to a group crosses: up, to each ToR, to each member.
    fn collective_links(&self, group: &Group) -> f64 {
        let tors = group.tors().len();
        let turns_at_tor =
            self.config.shape.cores == 0 || (tors == 1 && self.config.turn == Turn::Nearest);
        let between = if turns_at_tor { 0 } else { 1 + tors };
        (1 + between + group.members().len()) as f64
    }

    fn unicast_links(&self, from: u16, to: u16) -> f64 {
        let shape = &self.config.shape;
        if shape.tor_of(from) == shape.tor_of(to) {
            2.0
        } else {
            4.0
        }
    }

    /// The cycle in which the last endpoint ends. An endpoint's time is that of its starts and
    /// pauses, and then that of its flits, or of its full window, whichever is longer.
    fn cycles(&self, scripts: &[(u16, Script)], window: Option<u32>) -> f64 {
        let mut waits = vec![Waits::default(); self.own.len()];
        for (endpoint, script) in scripts {
            waits[usize::from(*endpoint)].add(self.waits(script, window));
        }
        let ends = (0_u16..)
            .zip(&self.own)
            .map(|(endpoint, [sent, received])| {
                let groups = self.groups.iter().zip(&self.members);
                let of_groups = groups.filter(|(group, _)| group.has(endpoint));
                let (sent, received) = of_groups.fold((*sent, *received), |sum, (_, flits)| {
                    (sum.0 + flits[1], sum.1 + flits[0])
                });
                let waits = waits[usize::from(endpoint)];
                waits.pauses + sent.max(received).max(waits.turns)
            });
        ends.fold(0.0, f64::max)
    }

    fn waits(&self, script: &Script, window: Option<u32>) -> Waits {
        script.steps.iter().fold(Waits::default(), |waits, step| {
            let kinds = step.work.iter().flat_map(kinds);
            let latency = kinds.map(|kind| self.latency(kind)).fold(0.0, f64::max);
            let start = match step.start {
                StepStart::At(cycle) => waits.pauses.max(cycle as f64),
                StepStart::After(cycles) => waits.pauses + cycles as f64,
            };
            let operations: u64 = step.work.iter().map(|work| u64::from(work.count)).sum();
            let turns = window.map_or(0.0, |window| operations as f64 / f64::from(window));
            Waits {
                pauses: start + latency,
                turns: waits.turns + turns * latency,
            }
        })
    }

    /// Latency of an operation in cycles on an idle fabric, without its flits.
    fn latency(&self, kind: OperationKind) -> f64 {
        let links = if self.config.shape.cores > 0 { 4 } else { 2 };
        let FabricConfig {
            link_delay,
            switch_latency,
            read_latency,
            write_latency,
            ..
        } = *self.config;
        let memory = if kind.is_write() {
            write_latency
        } else {
            read_latency
        };
        let [delay, switch, memory] = [link_delay, switch_latency, memory].map(f64::from);
        let links = f64::from(links);
        2.0 * (links * (1.0 + delay) + (links - 1.0) * switch) + memory
    }
}

/// Cycles in which an endpoint cannot send.
#[derive(Copy, Clone, Default)]
struct Waits {
    /// Cycles before steps begin, plus the latency of their last operations.
    pauses: f64,
    /// Cycles during which the window is full.
    turns: f64,
}

impl Waits {
    /// Adds the waits of another script of the endpoint, which runs in parallel.
    fn add(&mut self, other: Self) {
        self.pauses = self.pauses.max(other.pauses);
        self.turns += other.turns;
    }
}

/// The kinds of operations of a piece of work, in order.
fn kinds(work: &Work) -> impl Iterator<Item = OperationKind> {
    let (first, then) = match work.kind {
        WorkKind::Single(kind) => (kind, None),
        WorkKind::Transaction => (
            OperationKind::ReadReduction,
            Some(OperationKind::WriteMulticast),
        ),
    };
    std::iter::once(first).chain(then)
}

#[cfg(test)]
mod tests;
