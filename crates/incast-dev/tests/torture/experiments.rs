//! Experiments of other simulators.

use std::path::Path;

use incast_import::{HtsimImport, import_hpcc_ns3, import_htsim};
use tempfile::TempDir;

use crate::damage::damaged;
use crate::outcome::Outcome;
use crate::torture;
use crate::traffic::{HPCC_FLOWS, HPCC_TOPOLOGY, HTSIM_TOPOLOGY, MATRIX};

const CONFIG: &str = "\
ENABLE_QCN 1
USE_DYNAMIC_PFC_THRESHOLD 1
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
TRACE_FILE trace.txt
SIMULATOR_STOP_TIME 2.01
CC_MODE 3
RATE_AI 50Mb/s
RATE_HAI 50Mb/s
MIN_RATE 1000Mb/s
ERROR_RATE_PER_LINK 0.0000
L2_CHUNK_SIZE 4000
L2_ACK_INTERVAL 1
L2_BACK_TO_ZERO 0
HAS_WIN 1
GLOBAL_T 1
VAR_WIN 1
FAST_REACT 1
U_TARGET 0.95
MI_THRESH 5
INT_MULTI 4
MULTI_RATE 0
SAMPLE_FEEDBACK 0
RATE_BOUND 1
ACK_HIGH_PRIO 0
LINK_DOWN 0 0 0
ENABLE_TRACE 0
KMAX_MAP 3 25000000000 400 50000000000 800 100000000000 1600
KMIN_MAP 3 25000000000 100 50000000000 200 100000000000 400
PMAX_MAP 3 25000000000 0.2 50000000000 0.2 100000000000 0.2
BUFFER_SIZE 32
QLEN_MON_FILE qlen.txt
QLEN_MON_START 2000000000
QLEN_MON_END 2010000000
";

const WORDS: [&str; 20] = [
    "ENABLE_QCN",
    "CC_MODE",
    "RATE_AI",
    "MIN_RATE",
    "KMAX_MAP",
    "KMIN_MAP",
    "PMAX_MAP",
    "BUFFER_SIZE",
    "TOPOLOGY_FILE",
    "FLOW_FILE",
    "HAS_WIN",
    "Nodes",
    "Connections",
    "start",
    "size",
    "id",
    "100Gb/s",
    "0Mb/s",
    "1e9",
    "flow.txt",
];

#[test]
fn hpcc_ns3_configurations() {
    let folder = folder(&[("topology.txt", HPCC_TOPOLOGY), ("flow.txt", HPCC_FLOWS)]);
    let config = folder.path().join("config.txt");
    torture(
        "hpcc-ns3 configurations",
        1,
        &damaged(vec![CONFIG.into()], &WORDS),
        |file| {
            std::fs::write(&config, file).expect("the disk has room");
            Outcome::of(import_hpcc_ns3(&config, None, None))
        },
    );
}

#[test]
fn htsim_matrices() {
    let folder = folder(&[("tree.topo", HTSIM_TOPOLOGY)]);
    let (matrix, topology) = (folder.path().join("a.cm"), folder.path().join("tree.topo"));
    torture(
        "htsim matrices",
        1,
        &damaged(vec![MATRIX.into()], &WORDS),
        |file| {
            std::fs::write(&matrix, file).expect("the disk has room");
            imported(&matrix, &topology)
        },
    );
}

#[test]
fn htsim_topologies() {
    let folder = folder(&[("a.cm", MATRIX)]);
    let (matrix, topology) = (folder.path().join("a.cm"), folder.path().join("tree.topo"));
    torture(
        "htsim topologies",
        1,
        &damaged(vec![HTSIM_TOPOLOGY.into()], &WORDS),
        |file| {
            std::fs::write(&topology, file).expect("the disk has room");
            imported(&matrix, &topology)
        },
    );
}

fn imported(matrix: &Path, topology: &Path) -> Outcome {
    Outcome::of(import_htsim(&HtsimImport {
        matrix,
        topology: topology.to_str(),
        start_unit: Some("ps"),
        algorithm: "hpcc",
    }))
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("the disk has room");
    }
    folder
}
