//! A network that a program drives: the program starts flows, advances the time, and reacts to ends
//! of flows.

mod files;
mod traffic;

use std::sync::Arc;
use std::time::Duration;

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_net::{
    Controllers, FlowRecord, HaltAt, MarkingRandom, Milestone, Observer, Progress, Stall, Stand,
    Threads,
};
use incast_units::Time;
use incast_workload::GivenFlow;
use thiserror::Error;

use super::collector::Collector;
use super::controllers::FlowControllers;
use super::error::unless_changed;
use super::stopwatch::Stopwatch;
use super::task_graphs::TaskGraphs;
use super::traffic::RunTraffic;
use super::{RunError, RunName, RunScenario, facts, network};
use crate::file_error::FileError;
use crate::identity::{FileContents, Identity};
use crate::results::{PortNames, Results, RoomForRows, ScenarioFacts};
use crate::spec::ValidSpec;
use files::LiveFiles;
use traffic::LiveTraffic;

/// The end of a flow that the program has started.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowEnd {
    /// The number that [`LiveNetwork::start`] gave the flow.
    pub flow: u64,
    /// The time of the end, at or before the network's time.
    pub time: Time,
    /// Whether the sender has the last ACK; otherwise the receiver has all bytes.
    pub is_acknowledged: bool,
}

/// Why a network cannot be copied.
#[derive(Debug, Error)]
pub enum CopyError {
    /// The network's model cannot be copied.
    #[error(transparent)]
    Model(Diagnostic),
    /// A file of the scenario, which the copy would read again, has changed.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A network under way, which can be copied.
///
/// Its scenario has `[[traffic]]` entries of kind `live`, for flows that are started here. Other
/// entries start their flows by themselves. The same flows in a scenario without live entries have
/// the same results, except for ties. A flow that reacts to the end of another at its host starts
/// after all other events there at that time. In a scenario it may start before them, so that
/// results may differ by a packet.
pub struct LiveNetwork {
    spec: Arc<ValidSpec>,
    controllers: Arc<dyn Controllers>,
    graphs: Arc<TaskGraphs>,
    name: RunName,
    net: incast_net::DrivenNetwork,
    traffic: LiveTraffic,
    files: LiveFiles,
    log: LiveLog,
    /// Wall-clock time and processor time so far.
    spent: (Duration, Duration),
    /// Why the network cannot advance any more.
    over: Option<String>,
}

/// The flows that have ended, and ends that are not reported yet.
#[derive(Clone, Default)]
struct LiveLog {
    finished: Vec<FlowRecord>,
    /// Ends of all flows since the network was last driven, by the flows' numbers in the network.
    news: Vec<(u32, Time, bool)>,
    /// Ends of the program's flows that the program has not taken yet.
    ends: Vec<FlowEnd>,
}

impl LiveLog {
    /// Moves the ends of the program's flows from `news` to `ends`, in order of time.
    fn keep_own_ends(&mut self, traffic: &LiveTraffic) {
        self.news
            .sort_by_key(|(_, time, is_acknowledged)| (*time, *is_acknowledged));
        let own = self.news.drain(..);
        let own = own.filter_map(|(flow, time, is_acknowledged)| {
            Some(FlowEnd {
                flow: traffic.number_of(flow)?,
                time,
                is_acknowledged,
            })
        });
        self.ends.extend(own);
    }
}

impl LiveNetwork {
    /// The network of a scenario, at time 0.
    ///
    /// # Errors
    /// If the scenario has no traffic of kind `live`, has options that a live network does not
    /// support, or its network cannot be built.
    pub fn new(spec: Arc<ValidSpec>) -> Result<Self, RunError> {
        let contents = FileContents::of(&spec)?;
        let name = RunName::of(&spec, contents.identity(&spec));
        check(&spec).map_err(|error| name.input_error(error))?;
        let traffic = LiveTraffic::new(&spec).map_err(|error| name.input_error(error))?;
        let controllers: Arc<dyn Controllers> = Arc::new(FlowControllers::new(Arc::clone(&spec)));
        let graphs = Arc::new(TaskGraphs::of(&spec));
        let run = network(&spec, &controllers, &graphs, Threads::ONE);
        let net = incast_net::DrivenNetwork::new(&run, &controllers);
        let net = net.map_err(|error| name.error(&spec, error))?;
        Ok(Self {
            controllers,
            graphs,
            name,
            net,
            traffic,
            files: LiveFiles::new(contents),
            log: LiveLog::default(),
            spent: (Duration::ZERO, Duration::ZERO),
            over: None,
            spec,
        })
    }

    /// A copy in the same state, which is independent from here on.
    ///
    /// # Errors
    /// If all switches share one random stream, as in ns-3, which two networks cannot share. Or if
    /// a file of the scenario has changed before all its flows were read.
    pub fn copy(&self) -> Result<Self, CopyError> {
        let network = self.spec.network();
        if network.model.marking_random != MarkingRandom::Own && network.ecn.is_some() {
            let what = "all switches draw their marks from one stream, as in ns-3: such a network \
                        cannot be copied";
            let hint = "write network.model.marking_random = \"own\"";
            return Err(CopyError::Model(Diagnostic::new(what, hint)));
        }
        self.files.check()?;
        Ok(self.duplicate())
    }

    fn duplicate(&self) -> Self {
        Self {
            spec: Arc::clone(&self.spec),
            controllers: Arc::clone(&self.controllers),
            graphs: Arc::clone(&self.graphs),
            name: self.name.clone(),
            net: self.net.clone(),
            traffic: self.traffic.clone(),
            files: self.files.clone(),
            log: self.log.clone(),
            spent: self.spent,
            over: self.over.clone(),
        }
    }

    /// The number in results and messages of a flow that was started here; `None` before its start.
    /// There flows are numbered in order of start, together with those of other traffic.
    pub fn id_of(&self, flow: u64) -> Option<u32> {
        self.traffic.id_of(flow)
    }

    /// The current time. All events before it have happened, and the ends of flows at it.
    pub fn now(&self) -> Time {
        self.net.now()
    }

    /// Starts a flow, at [`now`](Self::now) or later; the start is rounded up to a whole unit of
    /// the network's clock. `traffic` is the name of the flow's `[[traffic]]` entry; it can be left
    /// out if only one entry is live. Returns the flow's number, counted from 0.
    ///
    /// # Errors
    /// If the hosts or the traffic do not exist, the start has passed, or the network cannot
    /// advance.
    pub fn start(&mut self, flow: &GivenFlow, traffic: Option<&str>) -> Result<u64, Diagnostic> {
        let stall = self.net.stall().map(|stall| self.describe(stall));
        if let Some(why) = self.over.clone().or(stall) {
            return Err(does_not_go_on(&why));
        }
        let tag = self.traffic.tag(traffic).at("traffic")?;
        let mut flow = self.spec.live_flow(flow, tag)?;
        let now = self.now();
        if flow.start < now {
            let what = format!("{} has passed: it is {now}", flow.start);
            let hint = "start flows now or later";
            return Err(Diagnostic::new(what, hint).at("start"));
        }
        flow.start = self.spec.network().model.clock.round_up(flow.start);
        Ok(self.traffic.start(flow))
    }

    /// Advances until all events before `until` have happened, or to the next end of a flow of the
    /// program. Without `until`, until no event is left.
    ///
    /// # Errors
    /// If traffic of the scenario cannot be read, one of its files has changed, or an invariant of
    /// the model is violated.
    pub fn advance(
        &mut self,
        until: Option<Time>,
        at: HaltAt,
        observer: &mut dyn Observer,
    ) -> Result<Stand, RunError> {
        if let Some(why) = &self.over {
            return Err(self.name.input_error(does_not_go_on(why)));
        }
        let watch = Stopwatch::resume(self.spent);
        let stand = self.drive(until, at, observer);
        self.spent = watch.elapsed();
        if let Err(error) = &stand {
            self.over = Some(error.to_string());
        }
        stand
    }

    fn drive(
        &mut self,
        until: Option<Time>,
        at: HaltAt,
        observer: &mut dyn Observer,
    ) -> Result<Stand, RunError> {
        let run = network(&self.spec, &self.controllers, &self.graphs, Threads::ONE);
        loop {
            let mut told = Told {
                log: &mut self.log,
                observer,
            };
            let stand = self
                .net
                .advance(&run, &mut self.traffic, &mut told, until, at);
            let known = self.log.ends.len();
            self.log.keep_own_ends(&self.traffic);
            if let Some(error) = self.traffic.take_error() {
                let error = Err(self.name.input_error(error));
                return unless_changed(error, || self.files.check_for_good());
            }
            let stand = stand.map_err(|error| self.name.error(&self.spec, error))?;
            if self.traffic.is_read() {
                self.files.close()?;
            }
            // This end may be that of a flow of the scenario's own traffic.
            if stand != Stand::FlowEnds || self.log.ends.len() > known {
                return Ok(stand);
            }
        }
    }

    /// Ends the network, for a reason that only the program knows.
    pub fn give_up(&mut self, why: &str) {
        self.over = Some(why.to_owned());
    }

    /// Describes a stall and its flows, with the names of nodes.
    pub fn describe(&self, stall: &Stall) -> String {
        stall.describe(|node| self.spec.topology().node_name(node))
    }

    /// Takes the ends of the program's flows since the last call, in order of time.
    pub fn take_ends(&mut self) -> Vec<FlowEnd> {
        std::mem::take(&mut self.log.ends)
    }

    /// The results, as of a run that ends now, without flows that have not started.
    ///
    /// # Errors
    /// If an invariant of the model is violated, or a file of the scenario has changed before all
    /// its flows were read.
    pub fn results(&self) -> Result<Results, RunError> {
        self.results_unless_broken_off(&mut ())
    }

    /// The results. If the observer breaks off, it is not called again, and the results are without
    /// shares of max-min fair rates, which take long to compute.
    ///
    /// # Errors
    /// As those of [`results`](Self::results).
    pub fn results_unless_broken_off(
        &self,
        observer: &mut dyn Observer,
    ) -> Result<Results, RunError> {
        unless_changed(self.measured(observer), || self.files.check())
    }

    fn measured(&self, observer: &mut dyn Observer) -> Result<Results, RunError> {
        let Self {
            spec,
            controllers,
            graphs,
            name,
            net,
            mut traffic,
            mut log,
            spent,
            ..
        } = self.duplicate();
        let watch = Stopwatch::resume(spent);
        let run = network(&spec, &controllers, &graphs, Threads::ONE);
        let mut told = Told {
            log: &mut log,
            observer: &mut (),
        };
        let now = net.now();
        let recording = net.finish(&run, &mut traffic, &mut told);
        let (started, starts, flows) = traffic.into_started();
        let recording = recording.map_err(|error| name.error(&spec, error))?;
        let run_traffic = RunTraffic::of_started(&spec, started, starts);
        let mut collector = Collector::new(observer, &run_traffic, &spec, RoomForRows::default());
        collector.finished(&log.finished);
        collector.left_open = recording.finished < recording.started;
        let measured = collector.conclude(recording, &watch, &name)?;
        // The scenario does not determine the live flows, so that their hash is added.
        let fingerprint = measured.fingerprint;
        let identity = format!("{} {fingerprint} {flows:x} {}", name.identity, now.as_ps());
        let scenario = RunScenario {
            facts: ScenarioFacts {
                live: true,
                ..facts(&spec, Identity::of(&identity))
            },
            toml: super::portable_toml(&spec),
        };
        let ports = PortNames::new(spec.topology(), spec.ports());
        Ok(Results::new(scenario, measured, &ports))
    }
}

impl std::fmt::Debug for LiveNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveNetwork")
            .field("name", &self.name)
            .field("now", &self.now())
            .finish_non_exhaustive()
    }
}

/// Logs completed flows, and forwards progress to the observer.
struct Told<'a> {
    log: &'a mut LiveLog,
    observer: &'a mut dyn Observer,
}

impl Observer for Told<'_> {
    fn progress(&mut self, progress: &Progress) -> std::ops::ControlFlow<()> {
        self.observer.progress(progress)
    }

    fn finished(&mut self, flows: &[FlowRecord]) {
        self.log.finished.extend_from_slice(flows);
        let ends = flows.iter().map(|flow| (flow.id.0, flow.finish, true));
        self.log.news.extend(ends);
        self.observer.finished(flows);
    }

    fn reached(&mut self, milestones: &[Milestone]) {
        let received = milestones.iter();
        let received = received.map(|milestone| (milestone.what as u32, milestone.time, false));
        self.log.news.extend(received);
    }
}

fn does_not_go_on(why: &str) -> Diagnostic {
    let what = format!("this network does not go on: {why}");
    Diagnostic::new(what, "make another, or go on with a copy from before")
}

/// Refuses options that a live network does not support.
fn check(spec: &ValidSpec) -> Result<(), Diagnostic> {
    if spec.live_traffic().is_empty() {
        let what = "no flows are started by a program";
        let hint = "write [[traffic]] with kind = \"live\" for those that are";
        return Err(Diagnostic::new(what, hint).at("traffic"));
    }
    if spec.stop().is_some() {
        let what = "a live network goes on as long as its program wants";
        let hint = "leave it out";
        return Err(Diagnostic::new(what, hint).at("run.stop"));
    }
    if spec.is_attacked() {
        let what = "a live network has no attack";
        let hint = "leave [attack] out; the program can start the attackers' flows";
        return Err(Diagnostic::new(what, hint).at("attack"));
    }
    if let Some((tag, _)) = spec.task_graphs().next() {
        let what = "a live network has no task graphs";
        let hint = "let the program start each flow when others have ended";
        return Err(Diagnostic::new(what, hint).at(format!("traffic[{tag}]")));
    }
    Ok(())
}
