//! Random networks under random algorithms: equal results on any number of threads. What a run
//! checks of itself (bytes, buffers, pauses) holds in each.

use std::num::NonZeroUsize;

use incast_sim::{Partitioning, Source, Spec, Threads, ValidSpec, run_on};
use proptest::prelude::{Strategy, any};
use proptest::sample::select;

use crate::outcome::Outcome;
use crate::torture;

#[derive(Clone, Debug)]
struct Scenario {
    text: String,
}

const TOPOLOGIES: [&str; 7] = [
    "\"star\"",
    "\"dumbbell\"",
    "\"parking-lot\"",
    "{ kind = \"star\", hosts = 40, delay = \"123ps\" }",
    "{ kind = \"fat-tree\", k = 4 }",
    "{ kind = \"leaf-spine\", leaves = 3, spines = 2, hosts_per_leaf = 5 }",
    "{ kind = \"fat-tree\", k = 4, delay = \"1ms\" }",
];
const ALGORITHMS: [&str; 14] = [
    "hpcc",
    "hpcc+vai+sf",
    "hpcc+prob",
    "swift",
    "swift+vai+sf",
    "dcqcn",
    "dctcp",
    "timely",
    "ecn-tcp",
    "fncc",
    "rocc",
    "lgc",
    "s-perc",
    "none",
];
const NETWORKS: [&str; 8] = [
    "",
    "flow_control = \"none\"\nbuffer = { size = \"40KB\" }",
    "buffer = { size = \"600KB\" }\npfc = { threshold = \"0B\" }",
    "packets = { mtu = \"4000B\" }",
    "packets = { mtu = \"64B\" }",
    "ack_every = 4",
    "arbitration = \"round-robin\"",
    "int = true",
];
const TRAFFIC: [&str; 6] = [
    "kind = \"poisson\"\nsizes = \"fb-hadoop\"\nload = 0.6\ncount = 150",
    "kind = \"permutation\"\nsizes = \"60KB\"",
    "kind = \"all-to-all\"\nsizes = \"9KB\"",
    "kind = \"incast\"\nreceiver = 0\nfan_in = 4\nsizes = \"100KB\"",
    "kind = \"poisson\"\nsizes = \"1B\"\nload = 0.01\ncount = 300",
    "kind = \"incast\"\nreceiver = \"random\"\nfan_in = 2\nsizes = \"20KB\"\nrounds = { count = 4, \
     every = \"20us\" }",
];

fn scenario() -> impl Strategy<Value = Scenario> {
    let parts = (
        select(TOPOLOGIES.to_vec()),
        select(ALGORITHMS.to_vec()),
        select(NETWORKS.to_vec()),
        select(TRAFFIC.to_vec()),
        any::<u16>(),
    );
    parts.prop_map(|(topology, algorithm, network, traffic, seed)| Scenario {
        text: format!(
            "[run]\nseed = {seed}\nstop = \"20ms\"\n[network]\ntopology = {topology}\n{network}\n\
             [cc]\nalgorithm = \"{algorithm}\"\n[[traffic]]\n{traffic}\n"
        ),
    })
}

#[test]
fn networks() {
    torture("random networks", 500, &scenario(), |Scenario { text }| {
        let source = Source::from_text("random.toml", text);
        let spec = match Spec::parse(&source, &[]).and_then(Spec::validate) {
            Ok(spec) => spec,
            Err(diagnostic) => return Outcome::refused(&diagnostic),
        };
        let one = fingerprint(&spec, 1, text);
        for threads in [2, 3, 8] {
            assert_eq!(
                fingerprint(&spec, threads, text),
                one,
                "{threads} threads\n{text}"
            );
        }
        Outcome::Accepted
    });
}

/// Of the run; or why it ended, which is no other on more threads.
fn fingerprint(spec: &ValidSpec, threads: usize, text: &str) -> String {
    let count = NonZeroUsize::new(threads).expect("some threads");
    let threads = Threads {
        count,
        partitioning: Partitioning::Random(u64::from(u16::MAX)),
    };
    match run_on(spec, threads, &mut ()) {
        Ok(results) => results.summary.fingerprint.to_string(),
        Err(error) => {
            let error = error.to_string();
            assert!(!error.contains("defect"), "{error}\n{text}");
            error
        }
    }
}
