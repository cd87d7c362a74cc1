//! From a valid scenario to results: numbers the flows, creates their controllers, runs the
//! network, and checks conservation.

mod collector;
mod conservation;
mod controllers;
mod error;
mod faults;
mod live;
mod source_ports;
mod stopwatch;
mod task_graphs;
mod traffic;

use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_net::{Controllers, Dependencies, ExecutionPath, NodeOrder, Observer, Threads};

use collector::Collector;
use error::unless_changed;
pub use error::{ConservationViolation, RunError, RunName};
pub use live::{CopyError, FlowEnd, LiveNetwork};

use crate::identity::{FileContents, Identity};
use crate::results::{Measurements, PortNames, Results, RoomForRows, RunScenario, ScenarioFacts};
use crate::spec::ValidSpec;
use controllers::FlowControllers;
pub(crate) use source_ports::SourcePorts;
use stopwatch::Stopwatch;
use task_graphs::TaskGraphs;
use traffic::RunTraffic;

/// Runs a scenario until all its flows have completed, its stop time is reached, or the observer
/// breaks off. Results have the flows that completed by then.
///
/// The observer is told of flows as they complete, and of progress about every 50 ms, in large
/// networks every 500 ms.
///
/// # Errors
/// If traffic cannot be read, the network cannot be built, or an invariant of the model is
/// violated; never because of congestion.
pub fn run(spec: &ValidSpec, observer: &mut dyn Observer) -> Result<Results, RunError> {
    run_on(spec, Threads::ONE, observer)
}

/// Runs a scenario on several threads, including the calling one: on as many of them as make it
/// faster, unless it is single-threaded ([`ValidSpec::single_threaded_because`]). Results do not
/// depend on the number of threads.
///
/// # Errors
/// As [`run`].
pub fn run_on(
    spec: &ValidSpec,
    threads: Threads,
    observer: &mut dyn Observer,
) -> Result<Results, RunError> {
    run_keeping(spec, RoomForRows::default(), threads, observer)
}

/// Runs a scenario with given room for rows of flows.
///
/// # Errors
/// As [`run`].
pub fn run_keeping(
    spec: &ValidSpec,
    room: RoomForRows<'_>,
    threads: Threads,
    observer: &mut dyn Observer,
) -> Result<Results, RunError> {
    let contents = FileContents::of(spec)?;
    let identity = contents.identity(spec);
    let name = RunName::of(spec, identity);
    let measured = simulate(spec, room, threads, observer, &name);
    let measured = unless_changed(measured, || contents.check())?;
    let scenario = RunScenario {
        facts: facts(spec, identity),
        toml: portable_toml(spec),
    };
    let ports = PortNames::new(spec.topology(), spec.ports());
    Ok(Results::new(scenario, measured, &ports))
}

fn simulate(
    spec: &ValidSpec,
    room: RoomForRows<'_>,
    threads: Threads,
    observer: &mut dyn Observer,
    name: &RunName,
) -> Result<Measurements, RunError> {
    let watch = Stopwatch::start();
    if let Some((tag, _)) = spec.live_traffic().first() {
        let what = "a program starts these flows while the network is under way";
        let hint = "let it drive a live network, in Python incast.Network(scenario)";
        let error = Diagnostic::new(what, hint).at(format!("traffic[{tag}].kind"));
        return Err(name.input_error(error));
    }
    let traffic = RunTraffic::open(spec).map_err(|error| name.input_error(error))?;
    let mut collector = Collector::new(observer, &traffic, spec, room);
    let controllers: Arc<dyn Controllers> = Arc::new(FlowControllers::new(spec));
    let recording = network(spec, &controllers, traffic.graphs(), threads)
        .run(&mut traffic.flows(), &mut collector);
    if let Some(error) = traffic.take_error() {
        return Err(name.input_error(error));
    }
    let recording = recording.map_err(|error| name.error(spec, error))?;
    collector.conclude(recording, &watch, name)
}

fn network<'a>(
    spec: &'a ValidSpec,
    controllers: &'a Arc<dyn Controllers + 'a>,
    graphs: &'a TaskGraphs,
    threads: Threads,
) -> incast_net::Run<'a> {
    incast_net::Run {
        config: spec.network(),
        topology: spec.topology(),
        ports: spec.ports(),
        routes: spec.routes(),
        measure: spec.measure(),
        controllers,
        faults: spec.faults().map(|faults| &faults.plan),
        dependencies: (!graphs.is_empty()).then_some(graphs as &dyn Dependencies),
        stop: spec.stop(),
        stalls: spec.stalls(),
        order: NodeOrder::Ascending,
        threads: match spec.single_threaded_because() {
            None => threads,
            Some(_) => Threads::ONE,
        },
        path: ExecutionPath::Fast,
    }
}

fn facts(spec: &ValidSpec, identity: Identity) -> ScenarioFacts {
    let topology = spec.topology();
    let base_rtt = spec.largest_base_rtt();
    ScenarioFacts {
        identity,
        name: spec.name().to_owned(),
        algorithm: spec.algorithm_name().to_owned(),
        profile: spec.profile().to_string(),
        clock: spec.network().model.clock,
        seed: spec.seed(),
        hosts: topology.machine_count().into(),
        nics: topology.machines.as_ref().map(|all| all.ends().into()),
        switches: topology.switches.into(),
        links: topology.links.len() as u64,
        base_rtt_ps: base_rtt.rtt.as_ps(),
        bdp_bytes: base_rtt.window.as_u64(),
        left_whole: spec.left_whole(),
        live: false,
    }
}

/// The scenario for a results folder, which is at another place: files have absolute paths.
fn portable_toml(spec: &ValidSpec) -> String {
    spec.to_toml_with(|_, path| {
        let absolute = std::path::absolute(path);
        absolute
            .as_deref()
            .unwrap_or(path)
            .to_string_lossy()
            .into_owned()
    })
}
