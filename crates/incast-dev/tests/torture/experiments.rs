//! Damaged experiments of other simulators.

use std::path::Path;

use incast_import::{
    HpccImport, HtsimImport, UecImport, import_hpcc_ns3, import_htsim, import_htsim_uec, recognise,
};
use tempfile::TempDir;

use crate::damage::{damaged, damaged_text};
use crate::outcome::Outcome;
use crate::traffic::{HPCC_FLOWS, HPCC_TOPOLOGY, HTSIM_TOPOLOGY, MATRIX, MSCCL, SIMCCL};
use crate::{torture, write};

const CONFIG: &str = include_str!("../../../incast-import/src/hpcc_ns3/tests/config.txt");

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
            write(&config, file);
            Outcome::of(import_hpcc_ns3(&HpccImport::of(&config)))
        },
    );
}

/// Damaged files of all formats, whatever format they are recognised as.
#[test]
fn recognition() {
    let folder = folder(&[("topology.txt", HPCC_TOPOLOGY), ("flow.txt", HPCC_FLOWS)]);
    let seeds = [
        CONFIG,
        HPCC_TOPOLOGY,
        HPCC_FLOWS,
        HTSIM_TOPOLOGY,
        MATRIX,
        SIMCCL,
        MSCCL,
    ];
    let path = folder.path().join("file.txt");
    torture(
        "recognition",
        1,
        &damaged(seeds.map(Vec::from).to_vec(), &WORDS),
        |file| {
            write(&path, file);
            match recognise(&path) {
                Ok(Some(found)) => Outcome::of(found.contents),
                Ok(None) => Outcome::Accepted,
                Err(error) => Outcome::of::<()>(Err(error)),
            }
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
            write(&matrix, file);
            imported(&matrix, &topology)
        },
    );
}

const UEC_WORDS: [&str; 16] = [
    "-receiver_cc_only",
    "-sender_cc",
    "-tiers 2",
    "-topo",
    "-hop_latency",
    "-target_q_delay",
    "-mtu",
    "-queue_size_bdp_factor",
    "-disable_trim",
    "-sleek",
    "-sack_threshold",
    "1e30",
    "18446744073709551615",
    "0.000001",
    "-1",
    "inf",
];

#[test]
fn command_lines_of_htsim_uec() {
    let folder = folder(&[("a.cm", MATRIX)]);
    let matrix = folder.path().join("a.cm");
    let line = format!(
        "-tm {} -linkspeed 400000 -paths 16 -q 100 -ecn 25 75 -cwnd 150 -mtu 4150 -end 2000",
        matrix.display()
    );
    torture(
        "command lines of htsim_uec",
        1,
        &damaged_text(vec![line], &UEC_WORDS),
        |options| {
            let ignored = &[];
            Outcome::of(import_htsim_uec(&UecImport { options, ignored }))
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
            write(&topology, file);
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
        write(folder.path().join(name), text);
    }
    folder
}
