//! Random scenarios, with every network shape, algorithm with parts, load balancer and way to lose
//! packets. They are small enough that hundreds run in seconds.

use incast_cc::AlgorithmConfig;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};

/// A scenario, as text.
#[derive(Clone, Debug)]
pub(crate) struct RandomScenario {
    pub(crate) text: String,
}

const TOPOLOGIES: [&str; 16] = [
    "'star'",
    "'dumbbell'",
    "'parking-lot'",
    "{ kind = 'star', hosts = 40, delay = '123ps' }",
    "{ kind = 'star', hosts = 6, host_delays = ['1us', '2us', '500ns', '1us', '3us', '1us'] }",
    "{ kind = 'dumbbell', senders = 4, receivers = 3, trunk_rate = '200Gbps' }",
    "{ kind = 'fat-tree', k = 4 }",
    "{ kind = 'fat-tree', k = 4, delay = '50us' }",
    "{ kind = 'leaf-spine', leaves = 3, spines = 2, hosts_per_leaf = 5 }",
    "{ kind = 'leaf-spine', leaves = 2, spines = 2, hosts_per_leaf = 4, oversubscription = '4:1' }",
    "{ kind = 'clos-64', rate = '40Gbps' }",
    "{ kind = 'dragonfly', groups = 3, routers_per_group = 2, hosts_per_router = 2 }",
    "{ kind = 'torus', dimensions = [3, 2], hosts_per_switch = 2 }",
    "{ kind = 'rail-optimised', units = 2, nodes_per_unit = 2, rails = 2, spines = 2 }",
    "{ kind = 'rail-optimised', units = 2, nodes_per_unit = 2, rails = 2, spines = 2, \
     nvlink_rate = '3600Gbps' }",
    "{ kind = 'rail-optimised', units = 2, nodes_per_unit = 3, rails = 2, spines = 2, hosts = \
     'nodes' }",
];
const PLANES: [&str; 4] = ["", "", "", "network.planes = 2"];

/// Ways to handle full queues, for flows that keep one path.
const LOSSES: [&str; 16] = [
    "",
    "network.pfc.threshold = '20KB'",
    "network.buffer.size = '600KB'\nnetwork.pfc.threshold = '0B'",
    "network.recovery.kind = 'selective'",
    "network.recovery.timeout = '200us'",
    "network.flow_control = 'none'\nnetwork.buffer.size = '40KB'",
    "network.flow_control = 'none'\nnetwork.drop.queue_limit = '20KB'",
    "network.flow_control = 'none'\n\
     network.drop = { queue_limit = '20KB', contention = 'tail' }",
    "network.flow_control = 'none'\n\
     network.drop = { queue_limit = '20KB', contention = 'coin' }\n\
     network.recovery.timeout = '100us'",
    "network.flow_control = 'none'\n\
     network.drop.queue_limit = '20KB'\n\
     network.recovery.kind = 'go-back-n'",
    "network.flow_control = 'none'\n\
     network.drop = { sharing = 'per-port', queue_limit = '15KB' }",
    "network.flow_control = 'none'\nnetwork.drop.trimming = {}",
    "network.flow_control = 'none'\n\
     network.drop = { queue_limit = '20KB', trimming = { service = 'strict', header_queue = \
     '1KB' } }",
    "network.flow_control = 'none'\n\
     network.drop = { queue_limit = '8KB', trimming = { service = '10:1' } }",
    "network.flow_control = 'none'\n\
     network.drop.queue_limit = '20KB'\n\
     network.recovery.loss_detection = { kind = 'reordering' }",
    "network.flow_control = 'none'\n\
     network.drop.queue_limit = '20KB'\n\
     network.recovery.loss_detection = { kind = 'early-count' }",
];
const BALANCERS: [&str; 9] = [
    "flow",
    "random",
    "round-robin",
    "oblivious",
    "bitmap",
    "reps",
    "reps-legacy",
    "mixed",
    "plb",
];
/// Ways to handle full queues, for flows whose packets may overtake each other.
const LOSSES_SPRAYED: [&str; 5] = [
    "network.recovery = { kind = 'selective', loss_detection = { kind = 'explicit' } }",
    "network.flow_control = 'none'\n\
     network.drop.queue_limit = '20KB'\n\
     network.recovery.loss_detection = { kind = 'explicit' }",
    "network.flow_control = 'none'\n\
     network.drop.queue_limit = '30KB'\n\
     network.recovery.loss_detection = { kind = 'reordering', packets = 20 }",
    "network.flow_control = 'none'\nnetwork.drop.trimming = {}",
    "network.flow_control = 'none'\nnetwork.drop = { queue_limit = '10KB', trimming = {} }",
];
const PACKETS: [&str; 6] = [
    "",
    "",
    "network.packets.mtu = '4000B'",
    "network.packets.mtu = '256B'",
    "network.ack_every = 4",
    "network.ack_every = '9KB'",
];
const MODELS: [&str; 12] = [
    "",
    "",
    "",
    "network.arbitration = 'round-robin'",
    "network.int = 'data'",
    "network.timestamps = true",
    "network.base_rtt = 'path'",
    "network.model = { ack_class = 'data' }",
    "network.model = { int_format = 'exact' }",
    "network.model = { ties = 'hash' }",
    "network.model = { clock = 'nanoseconds' }",
    "network.profile = 'hpcc-ns3'",
];
const NICS: [&str; 8] = [
    "",
    "",
    "",
    "",
    "nic.qps = 'persistent'",
    "nic.enforcement = 'per-pair'",
    "nic.enforcement = 'per-destination'",
    "nic = { enforcement = 'per-source', qps = 'persistent' }",
];
const FAULTS: [&str; 6] = [
    "",
    "",
    "",
    "kind = 'loss', probability = 0.01",
    "kind = 'down', from = '5us', until = '30us', detection = '10us'",
    "kind = 'degraded', rate = '2500Mbps', from = '10us', until = '100us'",
];
const TRAFFIC: [&str; 9] = [
    "kind = 'poisson', sizes = 'fb-hadoop', load = 0.6, count = 40",
    "kind = 'poisson', sizes = '1B', load = 0.01, count = 60",
    "kind = 'poisson', sizes = 'ali-storage', load = 0.8, count = 50",
    "kind = 'permutation', sizes = '30KB'",
    "kind = 'incast', receiver = 0, fan_in = 2, sizes = '60KB', jitter = '3us'",
    "kind = 'incast', receiver = 'random', fan_in = 2, sizes = '20KB', rounds = { count = 3, \
     every = '20us' }",
    "kind = 'incast', receiver = 1, sizes = '15KB'",
    "kind = 'all-reduce', data = '80KB'",
    "kind = 'collective', operation = 'all-to-all', data = '60KB', hosts = '0-2'",
];

/// Scenarios with one traffic entry. Some combinations are invalid, and are refused.
pub(crate) fn scenario() -> impl Strategy<Value = RandomScenario> {
    let network = (
        select(TOPOLOGIES.to_vec()),
        select(PLANES.to_vec()),
        losses(),
        select(PACKETS.to_vec()),
        select(MODELS.to_vec()),
        select(NICS.to_vec()),
    );
    let rest = (
        algorithm(),
        select(FAULTS.to_vec()),
        select(TRAFFIC.to_vec()),
    );
    (network, rest, any::<u16>()).prop_map(|(network, (algorithm, fault, traffic), seed)| {
        let (topology, planes, losses, packets, model, nic) = network;
        let fault = match fault {
            "" => String::new(),
            fault => format!("fault = [{{ links = ['host 1'], {fault} }}]"),
        };
        let text = format!(
            "run = {{ seed = {seed}, stop = \"5ms\" }}\nnetwork.topology = {topology}\n{planes}\n\
             {losses}\n{packets}\n{model}\n{nic}\ncc.algorithm = \"{algorithm}\"\n{fault}\n\
             traffic = [{{ {traffic} }}]\n"
        );
        RandomScenario { text }
    })
}

/// Handling of full queues, and load balancing.
fn losses() -> impl Strategy<Value = String> {
    let kept = select(LOSSES.to_vec()).prop_map(str::to_owned);
    let sprayed = (select(BALANCERS.to_vec()), select(LOSSES_SPRAYED.to_vec()))
        .prop_map(|(kind, losses)| format!("network.balance.kind = \"{kind}\"\n{losses}"));
    prop_oneof![2 => kept, 1 => sprayed]
}

/// Any algorithm, with any of its parts.
fn algorithm() -> impl Strategy<Value = String> {
    let names: Vec<_> = AlgorithmConfig::built_in();
    select(names).prop_flat_map(|info| {
        let parts = AlgorithmConfig::parts_of(info.name).iter();
        let parts: Vec<_> = parts.map(|part| part.name()).collect();
        let any = 0..=parts.len();
        let chosen = subsequence(parts, any);
        (Just(info.name), chosen).prop_map(|(name, parts)| {
            let all: Vec<_> = std::iter::once(name).chain(parts).collect();
            all.join("+")
        })
    })
}

/// Every entry of the project's tables is in some scenario, except the shape with 320 hosts.
#[test]
fn nothing_is_left_out() {
    let kinds = incast_topology::TopologySpec::available().iter();
    for kind in kinds.filter(|kind| kind.name != "clos-320") {
        let quoted = format!("'{}'", kind.name);
        let has = TOPOLOGIES.iter().any(|each| each.contains(&quoted));
        assert!(has, "no scenario has {quoted}");
    }
    let balancers = incast_net::Balance::available().iter();
    let names: Vec<_> = balancers.map(|row| row.name).collect();
    assert_eq!(names, BALANCERS);
}
