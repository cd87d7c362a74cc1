//! Common parts of tests with flows over several paths: a network, flows that use its paths, and
//! the check that all execution paths agree.

use incast_cc::AlgorithmConfig;
use incast_net::{ExecutionPath, Flow, Threads};
use incast_topology::{LeafSpine, Topology};
use incast_units::{Rate, Time};

use crate::support::{Network, Outcome, at, flow, several_threads};

/// Four leaves of four hosts, four spines, all at 100 Gb/s.
pub(crate) fn leaf_spine() -> Topology {
    let shape = LeafSpine {
        leaves: 4,
        spines: 4,
        hosts_per_leaf: 4,
        spine_rate: Some(Rate::from_gbps(100)),
        ..LeafSpine::default()
    };
    shape.build().expect("a leaf-spine")
}

/// Flows across racks, inside racks, and `to_one` flows to one host, some of which start later.
pub(crate) fn crossing_flows(to_one: u32) -> Vec<Flow> {
    let flows = (0..48).map(|id| {
        let (source, step) = (id % 16, [4, 1, 9][id as usize / 16]);
        let destination = match (16..16 + to_one).contains(&id) {
            true => 15,
            false => (source + step) % 16,
        };
        let start = Time::from_us(u64::from(id / 16) * 7);
        let size = 20_000 + 777 * u64::from(id);
        at(start, flow(id, source, destination, size))
    });
    flows
        .filter(|flow| flow.source != flow.destination)
        .collect()
}

impl Network {
    /// Runs `flows` on the plain path, and on the fast path with one to three threads, among which
    /// `seed` divides the nodes. Checks that all outcomes are equal, and returns the outcome.
    pub(crate) fn agreed(
        &mut self,
        flows: &[Flow],
        algorithm: &AlgorithmConfig,
        seed: u64,
    ) -> Outcome {
        let run = |network: &Self| network.run(flows, &network.algorithm(algorithm.clone()));
        (self.path, self.threads) = (ExecutionPath::Plain, Threads::ONE);
        let reference = run(self);
        let expected = format!("{reference:?}");
        self.path = ExecutionPath::Fast;
        for threads in [
            Threads::ONE,
            several_threads(2, seed),
            several_threads(3, seed),
        ] {
            self.threads = threads;
            assert!(
                format!("{:?}", run(self)) == expected,
                "seed {seed}, {threads:?}"
            );
        }
        self.threads = Threads::ONE;
        reference
    }
}
