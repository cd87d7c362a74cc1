//! QPs that share congestion states, on random networks: the same properties hold as without
//! sharing.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use incast_cc::{
    Ack, AlgorithmConfig, Cnp, CongestionControl, FlowController, Loss, Needs, SendLimit, Sent,
    Serves,
};
use incast_net::{
    Controllers, Enforcement, ExecutionPath, Flow, IdleState, NicCalls, NicConfig, NodeOrder,
    QpLifetime,
};
use incast_units::{HostId, Time};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::execution_paths::trim_end;
use crate::mixed::OfSetting;
use crate::properties::{CASES, for_all, for_cases};
use crate::random_network::{Setting, lossless, lossy};
use crate::shared_states::ALL;
use crate::support::{Network, Outcome, several_threads};

/// Every kind of NIC that shares states.
fn sharing_nics() -> Vec<NicConfig> {
    let lifetimes = [QpLifetime::PerFlow, QpLifetime::Persistent];
    let idle = [IdleState::Keep, IdleState::ResetAfter(Time::from_us(3))];
    let kinds = ALL.into_iter().flat_map(|enforcement| {
        lifetimes.map(move |qps| NicConfig {
            enforcement,
            qps,
            idle: IdleState::Keep,
        })
    });
    let sharing = kinds.filter(NicConfig::shares_states);
    let all = sharing.flat_map(|nic| idle.map(|idle| NicConfig { idle, ..nic }));
    all.collect()
}

/// The setting with flows among few pairs, in three lanes, and one path per pair.
fn crowded(setting: &Setting) -> Setting {
    let mut setting = setting.clone();
    let hosts = setting
        .flows
        .iter()
        .map(|flow| flow.source.0.max(flow.destination.0));
    let hosts = hosts.max().unwrap_or(1) + 1;
    for flow in &mut setting.flows {
        flow.lane = (flow.id.0 % 3) as u16;
        flow.source = HostId(flow.source.0 % 2);
        flow.destination = HostId(flow.destination.0 % hosts.min(3));
        if flow.destination == flow.source {
            flow.destination = HostId((flow.source.0 + 1) % hosts);
        }
        flow.source_port = (flow.source.0 * 16 + flow.destination.0) as u16;
    }
    setting
}

/// Whether one controller of the algorithm can serve all flows that share a state on this NIC.
fn suits(nic: &NicConfig, algorithm: &AlgorithmConfig) -> bool {
    match algorithm.needs().serves {
        Serves::AnyFlows => true,
        Serves::OnePath(_) => nic.enforcement != Enforcement::PerSource,
        Serves::OneFlow(_) => false,
    }
}

/// The NIC for a case of a property, if it suits the setting.
fn nic_of(setting: &Setting) -> Option<NicConfig> {
    let nics = sharing_nics();
    let nic = nics[setting.seed as usize % nics.len()];
    let suits = setting.algorithms().all(|algorithm| suits(&nic, algorithm));
    (suits && setting.has_windows()).then_some(nic)
}

/// For every algorithm on every NIC, with and without losses, the plain path and the fast path
/// agree.
#[test]
fn both_paths_agree_for_every_algorithm_on_every_nic() {
    let mut runner = TestRunner::deterministic();
    let mut sample = |settings: BoxedStrategy<Setting>| loop {
        let setting = settings.new_tree(&mut runner).expect("a setting").current();
        if setting.has_windows() && setting.flows.len() > 8 {
            break crowded(&setting);
        }
    };
    let mut cases = 0;
    for mut setting in [sample(lossless().boxed()), sample(lossy().boxed())] {
        for algorithm in AlgorithmConfig::built_in() {
            setting.use_only(algorithm.name);
            let algorithm = AlgorithmConfig::with_defaults(algorithm.name, None).expect("a name");
            let mut network = setting.network();
            network.stop = Some(Time::from_ms(2));
            for nic in sharing_nics()
                .into_iter()
                .filter(|nic| suits(nic, &algorithm))
            {
                network.config.nic = nic;
                let [plain, fast] = [ExecutionPath::Plain, ExecutionPath::Fast].map(|path| {
                    network.path = path;
                    let outcome = network.run(&setting.flows, &Counting::new(&network, &setting));
                    (outcome.flows, outcome.recording.ports)
                });
                assert_eq!(plain, fast, "{algorithm:?} on {nic:?}");
                cases += 1;
            }
        }
    }
    assert!(cases > 200, "{cases} cases");
}

/// Any algorithm, enforcement, lifetime of QPs and idle behaviour, PFC and drops, go-back-N and
/// selective repeat, ACKs of one or several packets.
#[test]
fn both_paths_any_threads_and_any_order_agree() {
    let (cases, repeated, losses) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let settings = || prop_oneof![lossless(), lossy()];
    for_cases(2 * CASES, settings(), |setting| {
        let Some(nic) = nic_of(setting) else {
            return Ok(());
        };
        let setting = crowded(setting);
        let mut network = setting.network();
        network.config.nic = nic;
        network.stop = Some(Time::from_ms(5));
        network.measure.until = Time::MAX;
        network.measure.pauses = true;
        if setting.seed.is_multiple_of(2) {
            network.measure.flow_interval = Some(Time::from_ns(900));
            network.measure.flows = true;
            network.measure.probes = true;
        }
        let run = |network: &Network| {
            let controllers = Counting::new(network, &setting);
            let mut outcome = network.run(&setting.flows, &controllers);
            losses.set(losses.get() + controllers.losses.load(Ordering::Relaxed));
            trim_end(&mut outcome);
            outcome
        };
        let shown = |outcome: &Outcome| format!("{:?} {:?}", outcome.flows, outcome.recording);
        let fast = run(&network);
        cases.set(cases.get() + 1);
        repeated.set(repeated.get() + fast.retransmitted());
        network.order = NodeOrder::Shuffled(setting.seed);
        prop_assert!(
            shown(&fast) == shown(&run(&network)),
            "{nic:?}: order of nodes"
        );
        for count in [2, 3, 8] {
            network.threads = several_threads(count, setting.seed);
            prop_assert!(
                shown(&fast) == shown(&run(&network)),
                "{nic:?}: {count} threads"
            );
        }
        network.path = ExecutionPath::Plain;
        prop_assert!(shown(&fast) == shown(&run(&network)), "{nic:?}: plain path");
        Ok(())
    });
    assert!(cases.get() > 80, "{} cases", cases.get());
    assert!(repeated.get() > 1_000, "{} retransmissions", repeated.get());
    // A shared state is told of the losses of each of its flows.
    assert!(losses.get() > 1_000, "{} losses", losses.get());
}

/// Every flow completes, and packet counts balance.
#[test]
fn under_pfc_every_flow_completes() {
    let pauses = Cell::new(0);
    for_all(lossless(), |setting| {
        if let Some(nic) = nic_of(setting) {
            let setting = crowded(setting);
            let mut network = setting.network();
            network.config.nic = nic;
            let outcome = network.run(&setting.flows, &Counting::new(&network, &setting));
            pauses.set(pauses.get() + outcome.pauses());
            prop_assert_eq!((outcome.dropped(), outcome.retransmitted()), (0, 0));
        }
        Ok(())
    });
    assert!(pauses.get() > 100, "{} pauses", pauses.get());
}

/// With one flow per source, sharing of states makes no difference.
#[test]
fn a_single_flow_is_alone_in_any_state() {
    for_all(lossless(), |setting| {
        let Some(nic) = nic_of(setting) else {
            return Ok(());
        };
        let mut setting = setting.clone();
        let mut known = Vec::new();
        setting.flows.retain(|flow| {
            let is_new = !known.contains(&flow.source);
            known.push(flow.source);
            is_new
        });
        let mut network = setting.network();
        let outcome = |network: &Network| {
            let outcome = network.run(&setting.flows, &OfSetting(network, &setting));
            (outcome.flows, outcome.recording.ports)
        };
        let own = outcome(&network);
        network.config.nic = nic;
        prop_assert_eq!(own, outcome(&network), "{:?}", nic);
        Ok(())
    });
}

/// Controllers that check the sequence numbers that they receive.
struct Counting<'a> {
    network: &'a Network,
    setting: &'a Setting,
    /// Number of losses that controllers were told of.
    losses: Arc<AtomicU64>,
}

impl<'a> Counting<'a> {
    fn new(network: &'a Network, setting: &'a Setting) -> Self {
        let losses = Arc::default();
        Self {
            network,
            setting,
            losses,
        }
    }
}

impl Controllers for Counting<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        Box::new(Count {
            inner: self
                .setting
                .algorithm_of(flow)
                .build(&self.network.context(flow)),
            losses: Arc::clone(&self.losses),
            last: (0, 0, 0),
        })
    }

    fn group(&self, flow: &Flow) -> u16 {
        self.setting.group(flow)
    }

    fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        self.setting.calls(flow, common)
    }

    fn needs(&self) -> Needs {
        self.setting.needs()
    }
}

#[derive(Clone)]
struct Count {
    inner: Box<dyn FlowController>,
    losses: Arc<AtomicU64>,
    /// Last values of the next expected byte, the next byte to send, and the size.
    last: (u64, u64, u64),
}

impl CongestionControl for Count {
    /// Whichever flows come, go, lose packets and start again: no sum ever falls; acknowledged
    /// bytes are at most the sent bytes, and these at most the size.
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let (expected, sent, size) = (ack.next_expected, ack.next_to_send, ack.flow_size.as_u64());
        let last = self.last;
        assert!(expected >= last.0 && sent >= last.1 && size >= last.2);
        assert!(expected <= sent && sent <= size, "{expected} {sent} {size}");
        self.last = (expected, sent, size);
        self.inner.on_ack(now, ack);
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        assert!(sent.next_to_send >= self.last.1);
        self.last.1 = sent.next_to_send;
        self.inner.on_sent(now, sent);
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        assert!(loss.resume_at >= self.last.0);
        self.losses.fetch_add(1, Ordering::Relaxed);
        self.inner.on_loss(now, loss);
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.inner.on_cnp(now, cnp);
    }

    fn on_timer(&mut self, now: Time) {
        self.inner.on_timer(now);
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }

    fn limit(&self) -> SendLimit {
        self.inner.limit()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.inner.probe(record);
    }
}
