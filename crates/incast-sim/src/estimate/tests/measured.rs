//! Estimates of memory compared with measurements: the peak memory of one process, in MB.

use super::estimate;

/// A run, and its measured peak memory.
struct Measured {
    network: &'static str,
    traffic: &'static str,
    megabytes: f64,
}

const QUIET: &str = "[measure]\nqueues = { ports = \"none\" }\nflows = { which = \"none\" }\n\
                     fair_share = \"none\"\n";

/// Checks that the estimate is between 1/1.5 and 3 times the measured memory, for runs of more than
/// 100 MB.
fn check(measured: &[Measured], measure: &str) {
    for one in measured {
        let (network, traffic) = (one.network, one.traffic);
        let told = estimate(&format!("{network}\n[[traffic]]\n{traffic}\n{measure}"));
        let (bytes, taken) = (told.memory.total(), 1e6 * one.megabytes);
        let is_small = bytes.max(taken) < 100e6;
        assert!(
            is_small || (1.0 / 1.5..3.0).contains(&(bytes / taken)),
            "{bytes} B told of {taken} B:\n{network}\n{traffic}"
        );
    }
}

/// Many flows at once wait in a persistent QP, at their sources, or for a slow link.
#[test]
fn flows_that_wait_take_memory() {
    let quiet = [
        Measured {
            network: "cc.algorithm = \"dcqcn\"\nnic.qps = \"persistent\"\n[network]\n\
                      topology = { kind = \"star\", hosts = 17, rate = \"10Gbps\" }",
            traffic: "kind = \"incast\"\nreceiver = 16\nsizes = \"100KB\"\n\
                      rounds = { count = 2000, every = \"1us\" }",
            megabytes: 272.0,
        },
        Measured {
            network: "cc.algorithm = \"dcqcn\"\n[network]\n\
                      topology = { kind = \"star\", hosts = 17, rate = \"10Gbps\" }",
            traffic: "kind = \"all-to-all\"\nsizes = \"2KB\"\n\
                      rounds = { count = 1500, every = \"1us\" }",
            megabytes: 313.0,
        },
    ];
    check(&quiet, QUIET);
    let by_default = Measured {
        network: "cc.algorithm = \"dcqcn\"\n[network]\ntopology = { kind = \"star\", hosts = 17 }",
        traffic: "kind = \"incast\"\nreceiver = 16\nsizes = \"200KB\"\n\
                  rounds = { count = 500, every = \"1us\" }",
        megabytes: 183.0,
    };
    check(&[by_default], "");
}

/// Flows of 2 KB, sampled by default.
#[test]
fn a_permutation_of_many_small_flows() {
    let case = Measured {
        network: "cc.algorithm = \"dcqcn\"\n[network]\n\
                  topology = { kind = \"star\", hosts = 65, rate = \"10Gbps\" }",
        traffic: "kind = \"permutation\"\nsizes = \"2KB\"\n\
                  rounds = { count = 7692, every = \"1us\" }",
        megabytes: 388.0,
    };
    check(&[case], "");
}

/// Links between switches are the bottleneck by their rate, their number, or a fault.
#[test]
fn links_inside_the_network_are_shared() {
    let quiet = [
        Measured {
            network: "cc.algorithm = \"dcqcn\"\n[network.topology]\nkind = \"leaf-spine\"\n\
                      leaves = 2\nspines = 1\nhosts_per_leaf = 32\nspine_rate = \"1Gbps\"",
            traffic: "kind = \"permutation\"\nshift = 32\nsizes = \"10MB\"",
            megabytes: 279.0,
        },
        Measured {
            network: "cc.algorithm = \"rocc\"\n[network.topology]\nkind = \"leaf-spine\"\n\
                      leaves = 2\nspines = 1\nhosts_per_leaf = 16\nspine_rate = \"1Gbps\"",
            traffic: "kind = \"permutation\"\nshift = 16\nsizes = \"10MB\"",
            megabytes: 248.0,
        },
    ];
    check(&quiet, QUIET);
    let by_default = [
        Measured {
            network: "cc.algorithm = \"dcqcn\"\nnic.qps = \"persistent\"\n[network.topology]\n\
                      kind = \"leaf-spine\"\nleaves = 4\nspines = 1\nhosts_per_leaf = 16\n\
                      spine_rate = \"100Gbps\"",
            traffic: "kind = \"collective\"\noperation = \"all-to-all\"\ndata = \"64MB\"",
            megabytes: 75.0,
        },
        Measured {
            network: "cc.algorithm = \"hpcc\"\n[network.topology]\nkind = \"leaf-spine\"\n\
                      leaves = 2\nspines = 4\nhosts_per_leaf = 32\noversubscription = \"8:1\"",
            traffic: "kind = \"permutation\"\nshift = 32\nsizes = \"100MB\"",
            megabytes: 142.0,
        },
        Measured {
            network: "cc.algorithm = \"dcqcn\"\n[[fault]]\nkind = \"degraded\"\n\
                      between = [\"switch 32\", \"switch 34\"]\nrate = \"1Gbps\"\n\
                      [network.topology]\n\
                      kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 16",
            traffic: "kind = \"permutation\"\nshift = 16\nsizes = \"20MB\"",
            megabytes: 306.0,
        },
    ];
    check(&by_default, "");
    let sampled = Measured {
        network: "cc.algorithm = \"hpcc\"\n[network.topology]\nkind = \"leaf-spine\"\n\
                  leaves = 2\nspines = 4\nhosts_per_leaf = 32\noversubscription = \"8:1\"",
        traffic: "kind = \"permutation\"\nshift = 32\nsizes = \"20MB\"",
        megabytes: 255.0,
    };
    let often = "[measure]\nqueues = { ports = \"all\", every = \"200ns\" }\n\
                 flows = { which = \"all\", every = \"2us\" }\n";
    check(&[sampled], often);
}

/// Packets on long links.
#[test]
fn long_links_take_memory() {
    let cases = [
        Measured {
            network: "cc.algorithm = \"hpcc\"\n[network]\nflow_control = \"none\"\n\
                      topology = { kind = \"star\", hosts = 2, delay = \"50ms\" }",
            traffic: "kind = \"flows\"\n\
                      flows = [{ source = 0, destination = 1, size = \"2500MB\" }]",
            megabytes: 923.0,
        },
        Measured {
            network: "cc.algorithm = \"hpcc\"\n[network]\nflow_control = \"none\"\n\
                      topology = { kind = \"star\", hosts = 2, delay = \"50ms\" }",
            traffic: "kind = \"permutation\"\nshift = 1\nsizes = \"2500MB\"",
            megabytes: 1849.0,
        },
        Measured {
            network: "cc.algorithm = \"hpcc\"\n[network]\nflow_control = \"none\"\n\
                      topology = { kind = \"star\", hosts = 17, delay = \"5ms\" }",
            traffic: "kind = \"permutation\"\nshift = 1\nsizes = \"250MB\"",
            megabytes: 1277.0,
        },
        Measured {
            network: "cc.algorithm = \"none\"\n[network]\nflow_control = \"none\"\n\
                      topology = { kind = \"star\", hosts = 17, delay = \"5ms\" }",
            traffic: "kind = \"permutation\"\nshift = 1\nsizes = \"250MB\"",
            megabytes: 734.0,
        },
    ];
    check(&cases, QUIET);
    let stopped = Measured {
        network: "run.stop = \"60ms\"\ncc.algorithm = \"hpcc\"\n[network]\n\
                  flow_control = \"none\"\n\
                  topology = { kind = \"star\", hosts = 17, delay = \"20ms\" }",
        traffic: "kind = \"permutation\"\nshift = 1\nsizes = \"500MB\"",
        megabytes: 2932.0,
    };
    check(&[stopped], "");
}
