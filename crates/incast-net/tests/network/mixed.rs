//! Two algorithms in one network: which flows have which algorithm, and the effects on their
//! packets.

use incast_cc::{AlgorithmConfig, FlowController, Needs};
use incast_net::{CnpConfig, Controllers, ExecutionPath, Flow, IntSource, NicCalls};
use incast_signals::EcnOptions;
use incast_units::{Bytes, Time};

use crate::random_network::Setting;
use crate::support::{Network, flow, star};

/// Provides the algorithms of a setting.
pub(crate) struct OfSetting<'a>(pub(crate) &'a Network, pub(crate) &'a Setting);

impl Controllers for OfSetting<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        self.1.algorithm_of(flow).build(&self.0.context(flow))
    }

    fn group(&self, flow: &Flow) -> u16 {
        self.1.group(flow)
    }

    fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        self.1.calls(flow, common)
    }

    fn needs(&self) -> Needs {
        self.1.needs()
    }
}

/// Algorithms that are the second algorithm in some random networks.
const BESIDE: [&str; 7] = ["dcqcn", "hpcc", "swift", "dctcp", "fncc", "timely", "lgc"];

/// The second algorithm of one setting in three, if both fit into one network.
pub(crate) fn second(first: &AlgorithmConfig, seed: u64) -> Option<AlgorithmConfig> {
    let name = BESIDE[(seed / 3) as usize % BESIDE.len()];
    // With CNPs.
    let set = (name == "dcqcn").then_some("connectx");
    let second = AlgorithmConfig::with_defaults(name, set).expect("it is registered");
    let needs = [first.needs(), second.needs()];
    let stands_alone =
        |needs: &Needs| !(needs.host_programs.is_empty() && needs.programs.is_empty());
    let differ = needs[0].int != IntSource::Off
        && needs[1].int != IntSource::Off
        && needs[0].int != needs[1].int;
    let fit = seed.is_multiple_of(3) && !differ && !needs.iter().any(stands_alone);
    fit.then_some(second)
}

/// The needs of both algorithms together.
pub(crate) fn together(first: &Needs, second: &Needs) -> Needs {
    let int = match first.int {
        IntSource::Off => second.int,
        int => int,
    };
    Needs {
        ecn: first.ecn.or(second.ecn),
        int,
        timestamp: first.timestamp | second.timestamp,
        cnp: first.cnp.or(second.cnp),
        per_packet_ack: first.per_packet_ack | second.per_packet_ack,
        sent_packets: first.sent_packets | second.sent_packets,
        timers: first.timers | second.timers,
        sequence_limit: first.sequence_limit | second.sequence_limit,
        room: first.room | second.room,
        ack_every: first.ack_every.or(second.ack_every),
        received_bytes: first.received_bytes | second.received_bytes,
        selective_repeat: first.selective_repeat | second.selective_repeat,
        reschedules_pending: first.reschedules_pending | second.reschedules_pending,
        ..first.clone()
    }
}

/// Controllers under which flows with odd numbers take no CNPs.
struct OddWithoutCnps<'a>(&'a Network);

impl Controllers for OddWithoutCnps<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        self.0.uncontrolled().create(flow)
    }

    fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        NicCalls {
            cnps: flow.id.0.is_multiple_of(2),
            ..common
        }
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }
}

/// Flows 0 and 2 share the link to host 4, flows 1 and 3 the link to host 5, so all but the first
/// packets are marked. CNPs have no minimum interval: host 4 sends one for each marked packet, host
/// 5 sends none. The marks in ACKs do not change.
#[test]
fn marks_cause_cnps_only_of_flows_that_take_them() {
    let mut network = Network::new(star(6));
    network.config.ecn = Some(EcnOptions::red(Bytes::new(1), Bytes::new(1), 1.0));
    network.config.cnp = CnpConfig::Interval(Time::ZERO);
    let flows = [(0, 0, 4), (1, 1, 5), (2, 2, 4), (3, 3, 5)]
        .map(|(id, from, to)| flow(id, from, to, 50_000));
    for path in [ExecutionPath::Fast, ExecutionPath::Plain] {
        network.path = path;
        let outcome = network.run(&flows, &OddWithoutCnps(&network));
        let counters = &outcome.recording.ports;
        let [marked_4, marked_5] = [4, 5].map(|host| counters[network.port(6, host)].marked);
        assert!(marked_4 > 90, "{marked_4} of 100 packets");
        assert_eq!(marked_4, marked_5);
        let sent = |host| counters[network.port(host, 6)].control_packets;
        assert_eq!((sent(4), sent(5)), (100 + marked_4, 100), "{path:?}");
    }
}
